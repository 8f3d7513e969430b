# SPDX-License-Identifier: MIT
# echomq_add_core(<target> <OBJECT|STATIC> <folder of the core>): the core as a library that can go
# into a shared object, with the scripts embedded. Nothing that it holds is exported unless marked
# EMQ_API. Used by core/CMakeLists.txt, and by a binding's build from its own folder:
#
#   list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_SOURCE_DIR}/cmake")
#   include(EchomqCore)
#   echomq_add_core(echomq_core STATIC "${CMAKE_CURRENT_SOURCE_DIR}/core")
#   target_link_libraries(_echomq PRIVATE echomq_core)
#   echomq_hide_libraries(_echomq)
#
# echomq_hide_libraries(<target>): a shared object that re-exports nothing of the libraries in it.

include(CheckLinkerFlag)
include("${CMAKE_CURRENT_LIST_DIR}/EmbedScripts.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/Warnings.cmake")

function(echomq_add_core target kind core)
  find_package(Hiredis REQUIRED MODULE)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_package(Threads REQUIRED)

  # Every C file of these rooms belongs to the library, whichever tool builds it.
  file(GLOB sources CONFIGURE_DEPENDS "${core}/wire/*.c" "${core}/client/*.c")
  set(embedded "${CMAKE_CURRENT_BINARY_DIR}/emq_scripts.c")
  echomq_embed_scripts("${embedded}" "${core}/scripts")

  add_library(${target} ${kind} ${sources} "${embedded}")
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${core}/include>"
    PRIVATE "${core}")
  target_link_libraries(${target} PUBLIC hiredis::hiredis Threads::Threads)
  # The sources use what a plain compiler shows by default: POSIX 2008 and getrandom.
  target_compile_definitions(${target} PRIVATE _DEFAULT_SOURCE)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11
    C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
  echomq_warnings(${target})
endfunction()

function(echomq_hide_libraries target)
  check_linker_flag(C "-Wl,--exclude-libs,ALL" ECHOMQ_LINKER_EXCLUDES)
  if(ECHOMQ_LINKER_EXCLUDES)
    target_link_options(${target} PRIVATE "-Wl,--exclude-libs,ALL")
  endif()
endfunction()

# echomq_export_only(<target> <map>): of what the target defines only what the version script names
# can be seen from outside, where the linker knows such scripts.
function(echomq_export_only target map)
  check_linker_flag(C "-Wl,--version-script=${map}" ECHOMQ_LINKER_VERSION_SCRIPT)
  if(ECHOMQ_LINKER_VERSION_SCRIPT)
    target_link_options(${target} PRIVATE "-Wl,--version-script=${map}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${map}")
  endif()
endfunction()
