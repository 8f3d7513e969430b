-- SPDX-License-Identifier: MIT
local here = debug.getinfo(1, "S").source:match("^@(.*/)")
package.path = here .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local echomq = require "echomq"
local cjson = require "cjson"

local ids, keys, refused = echomq.ids, echomq.keys, fixtures.refused

local function vectors(name)
  local file = assert(io.open(here .. "../../../tests/conformance/vectors/" .. name .. ".json"))
  local text = file:read("a")
  file:close()
  return cjson.decode(text)
end

local function integer(value)
  return math.tointeger(value) or error("no integer: " .. tostring(value))
end

describe("the vectors", function()
  it("of ids that are valid", function()
    local cases = vectors("ids").valid
    assert.is_true(#cases > 10)
    for _, case in ipairs(cases) do
      local snowflake = integer(case.snowflake) -- text: JSON's numbers would not hold it
      assert.equal(case.id, ids.parse(case.id))
      assert.same({
        namespace = case.namespace, snowflake = snowflake, unix_ms = integer(case.unix_ms),
        node = integer(case.node), sequence = integer(case.sequence),
        hash32 = integer(case.hash32),
      }, ids.decode(case.id))
      assert.equal(case.id, ids.encode(case.namespace, snowflake))
      assert.equal(snowflake, ids.snowflake(integer(case.unix_ms), integer(case.node),
                                            integer(case.sequence)))
      assert.equal(integer(case.hash32), ids.hash32(snowflake))
    end
  end)

  it("of ids that are not", function()
    local cases = vectors("ids").invalid
    assert.is_true(#cases > 5)
    for _, case in ipairs(cases) do
      refused(ids.parse, case.id)
      refused(ids.decode, case.id)
      refused(keys.job_key, "q", case.id)
    end
  end)

  it("of keys", function()
    local all = vectors("keys")
    assert.is_true(#all.queue_keys > 10)
    for _, case in ipairs(all.queue_keys) do
      assert.equal(case.key, keys.queue_key(case.queue, case.type))
      assert.equal(case.hashtag, keys.hashtag(case.key))
      assert.equal(integer(case.slot), keys.slot(case.key))
    end
  end)
end)

describe("ids", function()
  it("come from a minter in the order of minting, never twice", function()
    local minter = ids.minter(5)
    assert.equal(5, minter:node())
    assert.equal("echomq.Minter: node 5", tostring(minter))
    local last = ""
    for _ = 1, 10000 do
      local id = minter:mint()
      assert.is_true(id > last)
      last = id
    end
    assert.equal(5, ids.decode(last).node)
    assert.equal("JOB", ids.decode(last).namespace)
    assert.equal("ABC", ids.decode(minter:mint("ABC")).namespace)
  end)

  it("are minted at a time of the caller's", function()
    local minter = ids.minter(0)
    local parts = ids.decode(minter:mint_at(ids.EPOCH_MS + 5, "ABC"))
    assert.same({"ABC", ids.EPOCH_MS + 5, 0}, {parts.namespace, parts.unix_ms, parts.sequence})
    assert.equal(1, ids.decode(minter:mint_at(ids.EPOCH_MS, "ABC")).sequence)
  end)

  it("are refused with a reason", function()
    local minter = ids.minter()
    for _, namespace in ipairs {"", "JO", "job", "JOBS", "J\0B", 5, false} do
      refused(minter.mint, minter, namespace)
      refused(ids.encode, namespace, 1)
    end
    for _, snowflake in ipairs {-1, math.mininteger, 1.5, 2^63, "1"} do
      refused(ids.encode, "JOB", snowflake)
      refused(ids.hash32, snowflake)
    end
    refused(ids.snowflake, ids.EPOCH_MS - 1, 0, 0)
    refused(ids.snowflake, ids.EPOCH_MS, 1024, 0)
    refused(ids.snowflake, ids.EPOCH_MS, 0, 4096)
    refused(ids.minter, 1024)
    refused(minter.mint, nil)
  end)
end)

describe("keys", function()
  it("are composed and taken apart", function()
    assert.equal("emq:{a b}:job:USR0KHTOWnGLuC", keys.job_key("a b", "USR0KHTOWnGLuC"))
    assert.equal("{emq}:version", keys.version_key())
    assert.equal(keys.version_key(), keys.reserve_key("version"))
    assert.equal(12739, keys.slot("123456789"))
    assert.equal(9051, keys.slot(keys.version_key()))
    assert.equal("{}x", keys.hashtag("{}x"))
    assert.equal("emq:{q}:a\0b", keys.queue_key("q", "a\0b"))
    for _, name in ipairs {"", "a{", "a\0"} do
      refused(keys.queue_key, name, "pending")
      refused(keys.job_key, name, "USR0KHTOWnGLuC")
    end
    refused(keys.slot, nil)
    refused(keys.slot, 123456789)
  end)
end)
