#!/bin/sh
# SPDX-License-Identifier: MIT
# headers.sh INCLUDE CC CXX: every public header compiles alone, and twice, as strict C11 and as
# C++, with nothing but the folder INCLUDE and no warning. SWIG reads the same headers.
set -eu
include=$1 cc=$2 cxx=$3
strict="-Wall -Wextra -pedantic -Werror -fsyntax-only"

compiles() { # compiles LANGUAGE FOLDER HEADER
  case $1 in
    c) compiler=$cc standard=c11 ;;
    c++) compiler=$cxx standard=c++11 ;;
  esac
  # shellcheck disable=SC2086 # the flags are words
  printf '#include <%s>\n#include <%s>\ntypedef int nothing_else;\n' "$3" "$3" |
    "$compiler" -std=$standard $strict -I "$2" -x "$1" -
}

count=0
for path in "$include"/echomq/*.h; do
  for language in c c++; do
    compiles $language "$include" "echomq/$(basename "$path")"
    count=$((count + 1))
  done
done
echo "$count compilations"
[ "$count" -ge 20 ]

# The check itself: a header that needs another, and one that only C takes, are noticed.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo 'int needs(size_t size);' >"$scratch/alone.h"
echo 'int needs(int class);' >"$scratch/only_c.h"
if compiles c "$scratch" alone.h 2>/dev/null || compiles c++ "$scratch" only_c.h 2>/dev/null; then
  echo "a bad header was not noticed"
  exit 1
fi
