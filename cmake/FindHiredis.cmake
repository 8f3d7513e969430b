# SPDX-License-Identifier: MIT
# Finds hiredis 0.14 or 1.x and gives the target hiredis::hiredis.
#
#   ECHOMQ_HIREDIS = STATIC  the static library, or fail
#                    SHARED  the shared library, or fail
#                    AUTO    the static one where it can go into a shared library, else the shared
#   CMAKE_PREFIX_PATH / Hiredis_ROOT  where to look first
#
# Static is preferred because its symbols then stay inside ours: two copies of hiredis in one
# process, each with its own layout of structs, must not meet.

if(TARGET hiredis::hiredis)
  return()
endif()
if(NOT ECHOMQ_HIREDIS)
  set(ECHOMQ_HIREDIS AUTO)
endif()
if(NOT ECHOMQ_HIREDIS MATCHES "^(AUTO|STATIC|SHARED)$")
  message(FATAL_ERROR "ECHOMQ_HIREDIS is ${ECHOMQ_HIREDIS}; it may be AUTO, STATIC or SHARED")
endif()

find_path(Hiredis_INCLUDE_DIR NAMES hiredis/hiredis.h)
find_library(Hiredis_STATIC_LIBRARY
  NAMES ${CMAKE_STATIC_LIBRARY_PREFIX}hiredis${CMAKE_STATIC_LIBRARY_SUFFIX})
find_library(Hiredis_SHARED_LIBRARY
  NAMES ${CMAKE_SHARED_LIBRARY_PREFIX}hiredis${CMAKE_SHARED_LIBRARY_SUFFIX})
mark_as_advanced(Hiredis_INCLUDE_DIR Hiredis_STATIC_LIBRARY Hiredis_SHARED_LIBRARY)

if(Hiredis_INCLUDE_DIR)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${Hiredis_INCLUDE_DIR}/hiredis/hiredis.h" line
      REGEX "^#define HIREDIS_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+" part_number "${line}")
    list(APPEND Hiredis_VERSION "${part_number}")
  endforeach()
  list(JOIN Hiredis_VERSION "." Hiredis_VERSION)
endif()

if(Hiredis_VERSION AND
   (Hiredis_VERSION VERSION_LESS 0.14 OR Hiredis_VERSION VERSION_GREATER_EQUAL 2))
  message(FATAL_ERROR "hiredis ${Hiredis_VERSION} in ${Hiredis_INCLUDE_DIR} is not one that "
    "echomq knows: it takes 0.14 and 1.x")
endif()

# A static library is of use only if its code is position-independent.
if(Hiredis_STATIC_LIBRARY AND NOT DEFINED Hiredis_STATIC_LINKS)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/hiredis-probe.c"
    "#include <hiredis/hiredis.h>\nvoid *probe(void);\n"
    "void *probe(void) { return redisReaderCreate(); }\n")
  try_compile(Hiredis_STATIC_LINKS "${CMAKE_CURRENT_BINARY_DIR}/hiredis-probe"
    SOURCES "${CMAKE_CURRENT_BINARY_DIR}/hiredis-probe.c"
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${Hiredis_INCLUDE_DIR}"
    COMPILE_DEFINITIONS -fPIC
    LINK_OPTIONS -shared -Wl,-z,defs
    LINK_LIBRARIES "${Hiredis_STATIC_LIBRARY}")
endif()

if(ECHOMQ_HIREDIS STREQUAL "STATIC")
  set(Hiredis_LIBRARY "${Hiredis_STATIC_LIBRARY}")
elseif(ECHOMQ_HIREDIS STREQUAL "AUTO" AND Hiredis_STATIC_LIBRARY AND Hiredis_STATIC_LINKS)
  set(Hiredis_LIBRARY "${Hiredis_STATIC_LIBRARY}")
else()
  set(Hiredis_LIBRARY "${Hiredis_SHARED_LIBRARY}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hiredis
  REQUIRED_VARS Hiredis_LIBRARY Hiredis_INCLUDE_DIR
  VERSION_VAR Hiredis_VERSION
  REASON_FAILURE_MESSAGE "its header and library are needed (Debian: libhiredis-dev)")

if(Hiredis_FOUND)
  add_library(hiredis::hiredis UNKNOWN IMPORTED)
  set_target_properties(hiredis::hiredis PROPERTIES
    IMPORTED_LOCATION "${Hiredis_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Hiredis_INCLUDE_DIR}")
endif()
