# SPDX-License-Identifier: MIT
# Writes the generated sources of a binding, so that a package holds them and its users need
# neither SWIG nor CMake for them:
#
#   cmake -DLANGUAGE=python|ruby|lua -DBINDINGS=<folder bindings/> -DOUT=<folder>
#         -P cmake/GenerateWrapper.cmake
#
# puts echomq_wrap.c (from echomq.i) and emq_scripts.c (from the core's scripts) into OUT. The core
# is the folder beside BINDINGS. A file that would not change keeps its time.

cmake_minimum_required(VERSION 3.25)

if(NOT LANGUAGE MATCHES "^(python|ruby|lua)$" OR NOT BINDINGS OR NOT OUT)
  message(FATAL_ERROR "give -DLANGUAGE=python|ruby|lua, -DBINDINGS=<folder> and -DOUT=<folder>")
endif()
file(REAL_PATH "${BINDINGS}" BINDINGS)
file(REAL_PATH "${OUT}" OUT)
cmake_path(GET BINDINGS PARENT_PATH top)

find_program(SWIG NAMES swig swig4.0 swig4 NO_CACHE)
if(NOT SWIG)
  message(FATAL_ERROR "SWIG is needed to generate the wrapper (Debian: swig)")
endif()

set(work "${OUT}/generating")
file(MAKE_DIRECTORY "${work}")

set(options "")
if(LANGUAGE STREQUAL "python")
  set(options -noproxy) # the face is hand-written
elseif(LANGUAGE STREQUAL "ruby")
  # The module EchoMQ::Core, in a library file of its own name.
  set(options -module core -prefix "EchoMQ::" -initname _echomq)
endif()
execute_process(
  COMMAND "${SWIG}" -${LANGUAGE} ${options} -Wall -Werror
    "-I${top}/core/include" "-I${BINDINGS}" "-I${BINDINGS}/${LANGUAGE}"
    -outdir "${work}" -o "${work}/echomq_wrap.c" "${BINDINGS}/echomq.i"
  WORKING_DIRECTORY "${BINDINGS}"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(
  COMMAND "${CMAKE_COMMAND}" "-DSCRIPTS=${top}/core/scripts" "-DOUT=${work}/emq_scripts.c"
    -P "${CMAKE_CURRENT_LIST_DIR}/EmbedScripts.cmake"
  COMMAND_ERROR_IS_FATAL ANY)

foreach(file IN ITEMS echomq_wrap.c emq_scripts.c)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${work}/${file}" "${OUT}/${file}"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE "${work}")
