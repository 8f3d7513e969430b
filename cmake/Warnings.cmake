# SPDX-License-Identifier: MIT
# echomq_warnings(target): the warnings that our own code is free of; never for code of others.

function(echomq_warnings target)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    return()
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wformat=2 -Wundef -Wvla
    -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings)
  if(ECHOMQ_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
