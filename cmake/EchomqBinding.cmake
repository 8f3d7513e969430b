# SPDX-License-Identifier: MIT
# echomq_wrapper(<variable> <language>): where the C file that SWIG writes for a binding is, for the
# build of that binding from its own folder. In a checkout it is a build step that makes the file
# anew when an interface file or a public header changes; a packed source brings the file.

function(echomq_wrapper variable language)
  set(here "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT EXISTS "${here}/../echomq.i")
    set(${variable} "${here}/generated/echomq_wrap.c" PARENT_SCOPE)
    return()
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/wrapper")
  set(generate "${here}/cmake/GenerateWrapper.cmake")
  file(GLOB read CONFIGURE_DEPENDS
    "${here}/*.i" "${here}/../*.i" "${here}/../common/*.i" "${here}/core/include/echomq/*.h")
  add_custom_command(
    OUTPUT "${folder}/echomq_wrap.c"
    COMMAND "${CMAKE_COMMAND}" "-DLANGUAGE=${language}" "-DBINDINGS=${here}/.." "-DOUT=${folder}"
      -P "${generate}"
    DEPENDS ${read} "${generate}"
    COMMENT "Generating the wrapper"
    VERBATIM)
  set(${variable} "${folder}/echomq_wrap.c" PARENT_SCOPE)
endfunction()
