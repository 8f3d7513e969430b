# SPDX-License-Identifier: MIT
# Puts what a source rock is packed from into a folder: the rockspec with the release's version
# instead of scm, and the archive that it names, with real folders for symbolic links.
#
#   cmake -DBINDINGS=<folder bindings/> -DSTAGE=<folder> -DROCK=<name-version-revision>
#         -P StageRock.cmake

cmake_minimum_required(VERSION 3.25)
cmake_path(GET BINDINGS PARENT_PATH top)
set(lua "${BINDINGS}/lua")
set(tree "${STAGE}/${ROCK}")

file(COPY "${lua}/CMakeLists.txt" "${lua}/exports.map" "${lua}/src" "${top}/LICENSE"
  DESTINATION "${tree}")
file(COPY "${top}/core/include" "${top}/core/wire" "${top}/core/client" "${top}/core/scripts"
  DESTINATION "${tree}/core")
file(COPY "${top}/cmake/" DESTINATION "${tree}/cmake" FILES_MATCHING PATTERN "*.cmake")
file(MAKE_DIRECTORY "${tree}/generated")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -DLANGUAGE=lua "-DBINDINGS=${BINDINGS}" "-DOUT=${tree}/generated"
    -P "${CMAKE_CURRENT_LIST_DIR}/GenerateWrapper.cmake"
  COMMAND_ERROR_IS_FATAL ANY)

file(READ "${lua}/echomq-scm-1.rockspec" rockspec)
string(REGEX REPLACE "^echomq-" "" version "${ROCK}")
string(REPLACE "scm-1" "${version}" rockspec "${rockspec}")
file(WRITE "${STAGE}/${ROCK}.rockspec" "${rockspec}")
file(COPY "${STAGE}/${ROCK}.rockspec" DESTINATION "${tree}")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E tar czf "${ROCK}.tar.gz" "${ROCK}"
  WORKING_DIRECTORY "${STAGE}"
  COMMAND_ERROR_IS_FATAL ANY)
