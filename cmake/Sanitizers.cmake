# SPDX-License-Identifier: MIT
# ECHOMQ_SANITIZE, a comma-separated list, applies to everything that is built from here on: a
# sanitizer must see the whole program. A finding of UBSan ends the program, so that a test fails.

if(ECHOMQ_SANITIZE)
  add_compile_options(
    -fsanitize=${ECHOMQ_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${ECHOMQ_SANITIZE})
endif()
