-- SPDX-License-Identifier: MIT
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
package.path = here .. "?.lua;" .. package.path
local program = require "support.program"
local echomq = require "echomq"

describe("the package", function()
  it("has the version of the core", function()
    local header = assert(io.open(here .. "../../../core/include/echomq/version.h")):read("a")
    assert.equal(header:match('ECHOMQ_VERSION "([^"]+)"'), echomq.version)
  end)

  it("leaves no globals, and asks for none", function()
    assert.equal("echomq\n", program.run([[
      local print, error, setmetatable, require, pairs, rawset
        = print, error, setmetatable, require, pairs, rawset
      local known = {}
      for name in pairs(_G) do known[name] = true end
      setmetatable(_G, {
        __index = function(_, name) error("reads the global " .. name, 2) end,
        __newindex = function(_, name) error("writes the global " .. name, 2) end,
      })
      local echomq = require "echomq"
      for name in pairs(_G) do
        if not known[name] then error("left the global " .. name) end
      end
      print("echomq")
    ]]))
  end)

  it("exports its entry point alone", function()
    local object = assert(package.searchpath("echomq._echomq", package.cpath))
    local pipe = assert(io.popen(("nm -D --defined-only '%s'"):format(object)))
    local symbols = {}
    for name in pipe:read("a"):gmatch("%x+ %a (%S+)") do
      symbols[#symbols + 1] = name
    end
    assert(pipe:close())
    assert.same({"luaopen_echomq__echomq"}, symbols)
  end)

  it("is loaded from where it was installed", function()
    for _, path in ipairs {
      assert(package.searchpath("echomq", package.path)),
      assert(package.searchpath("echomq._echomq", package.cpath)),
    } do
      assert.equal("/", path:sub(1, 1), path) -- busted puts ./src in front
      assert.is_nil(path:find("/bindings/lua/", 1, true), path)
    end
  end)

  it("can be loaded again in the same state", function()
    for name in pairs(package.loaded) do
      if name:find("^echomq") then
        package.loaded[name] = nil
      end
    end
    local again = require "echomq"
    assert.is_true(again ~= echomq)
    local _, err = again.connect("unix:///nobody/listens")
    assert.is_true(again.is_error(err))
    assert.is_true(echomq.is_error(err))
  end)
end)
