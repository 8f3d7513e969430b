-- SPDX-License-Identifier: MIT
rockspec_format = "3.0"
package = "echomq"
version = "scm-1"

-- `luarocks make` builds what is in this folder; a source rock brings the archive.
source = {
  url = "file://echomq-scm-1.tar.gz",
}

description = {
  summary = "A job queue on Valkey or Redis",
  detailed = [[
    Schedule, claim, retry and settle jobs in a queue that programs in C, Python, Ruby and Lua
    share. Payloads are bytes, every claim has a fencing token, and the store says which wire it
    speaks.
  ]],
  license = "MIT",
  labels = {"queue", "jobs", "redis", "valkey"},
}

supported_platforms = {"unix"}

dependencies = {
  "lua >= 5.4, < 5.5",
}

external_dependencies = {
  HIREDIS = {
    header = "hiredis/hiredis.h",
  },
}

build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    CMAKE_C_FLAGS = "$(CFLAGS)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    Hiredis_ROOT = "$(HIREDIS_DIR)",
    INSTALL_LUADIR = "$(LUADIR)",
    INSTALL_LIBDIR = "$(LIBDIR)",
  },
}
