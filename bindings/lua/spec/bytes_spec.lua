-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local echomq = require "echomq"

local refused = fixtures.refused

describe("bytes", function()
  after_each(fixtures.clean)

  local every = {}
  for byte = 0, 255 do
    every[#every + 1] = string.char(byte)
  end
  every = table.concat(every)

  for name, payload in pairs {
    ["all 256 values"] = every,
    ["none"] = "",
    ["a NUL in the middle"] = "a\0b",
    ["NULs alone"] = "\0\0",
    ["no UTF-8"] = "\xff\xc0\x80",
    ["a mebibyte"] = every:rep(4096),
    ["what looks like a format"] = "%s%n%b %",
    ["what looks like the protocol"] = "$3\r\nfoo\r\n",
    ["a number beyond doubles"] = '{"n":9007199254740993}',
  } do
    it("go through whole: " .. name, function()
      local queue = fixtures.queue()
      local id = assert(queue:enqueue(payload))
      assert.is_true(queue:job(id).payload == payload)
      local raw = fixtures.raw()
      assert.is_true(raw("HGET", echomq.keys.job_key(queue.name, id), "payload") == payload)
      local job = assert(queue:claim())
      assert.is_true(job.payload == payload)
      assert.equal("done", job:complete(payload))
    end)
  end

  it("go through enqueue_many whole", function()
    local queue = fixtures.queue()
    local payloads = {every, "", "a\0b", every:rep(16)}
    assert.equal(4, #assert(queue:enqueue_many(payloads)))
    for _, payload in ipairs(payloads) do
      assert.is_true(assert(queue:claim()).payload == payload)
    end
  end)

  it("go through in names of queues", function()
    for _, name in ipairs {"ü ≠ ascii", "sp ace", "col:on", "%s%d", "\xff\xfe",
                           ("n"):rep(512)} do
      local queue = fixtures.client():queue(name)
      local id = assert(queue:enqueue("x"))
      assert.equal("pending", queue:state(id))
      assert.equal(1, fixtures.raw()("DEL", echomq.keys.job_key(name, id)))
      assert.equal(1, fixtures.raw()("DEL", echomq.keys.queue_key(name, "pending")))
    end
  end)

  it("are nothing but strings, and nothing is sent otherwise", function()
    local queue = fixtures.queue()
    local id = fixtures.id()
    local raw = fixtures.raw()
    local before = raw:commands()
    for _, payload in ipairs {42, 2^53, 1.5, true, {}, print} do
      local err = refused(queue.enqueue, queue, payload)
      assert.equal("payload must be a string, not " .. type(payload), err.message)
      refused(queue.enqueue, queue, payload, {id = id})
      refused(queue.enqueue, queue, "x", {id = payload})
      refused(queue.complete, queue, id, 1, payload)
      refused(queue.complete, queue, payload, 1)
      refused(queue.state, queue, payload)
      refused(queue.job, queue, payload)
      refused(queue.client.queue, queue.client, payload)
    end
    refused(queue.enqueue, queue)
    refused(queue.enqueue, queue, nil, {id = id})
    refused(queue.state, queue, nil)
    assert.equal(before, raw:commands())
  end)

  it("that are numbers stay numbers", function()
    local list = {42}
    refused(fixtures.queue().enqueue, fixtures.queue(), list[1])
    assert.equal("integer", math.type(list[1]))
  end)

  it("are refused where they are no name or id, and nothing is sent", function()
    local client = fixtures.client()
    local queue = fixtures.queue(client)
    local raw = fixtures.raw()
    local before = raw:commands()
    for _, name in ipairs {"", "a{b", "}", "a\0b", "a\nb", "\x7f", ("n"):rep(513)} do
      refused(client.queue, client, name)
    end
    for _, id in ipairs {"", "JOB", "JOBzzzzzzzzzzz", "job00000000001", "JOB0000000000\0",
                         "JOB000000000012", "JOB 0000000001"} do
      refused(queue.enqueue, queue, "x", {id = id})
      refused(queue.complete, queue, id, 1)
      refused(queue.state, queue, id)
      refused(queue.job, queue, id)
    end
    local err = refused(client.queue, client, "a{b")
    assert.equal("queue name has a brace at byte 1", err.message)
    assert.equal(before, raw:commands())
  end)

  it("of a payload beyond the store's bound are refused, and nothing is sent", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local before = raw:commands()
    local large = ("\0"):rep((512 << 20) + 1)
    refused(queue.enqueue, queue, large)
    refused(queue.enqueue_many, queue, {"x", large})
    large = nil -- luacheck: ignore
    collectgarbage()
    assert.equal(before, raw:commands())
  end)
end)

describe("integers", function()
  after_each(fixtures.clean)

  it("of 64 bits go through exactly", function()
    local ids = echomq.ids
    for _, snowflake in ipairs {0, 2^53 // 1 | 0, (1 << 53) + 1, math.maxinteger - 1,
                                math.maxinteger} do
      local back = ids.decode(ids.encode("JOB", snowflake)).snowflake
      assert.equal("integer", math.type(back))
      assert.equal(snowflake, back)
    end
  end)

  it("come out of every call as integers", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    assert.equal("integer", math.type(job.token))
    assert.equal("integer", math.type(queue:job(job.id).attempts))
    assert.equal("integer", math.type(queue.client:ghosts()))
    for name, number in pairs(queue:counts()) do
      assert.equal("integer", math.type(number), name)
    end
    assert.equal("integer", math.type(echomq.keys.slot("x")))
    for name, part in pairs(echomq.ids.decode(job.id)) do
      assert.is_true(name == "namespace" or math.type(part) == "integer", name)
    end
  end)

  it("are what a token must be, and nothing is sent otherwise", function()
    local queue = fixtures.queue()
    local job = fixtures.claimed(queue)
    local raw = fixtures.raw()
    local before = raw:commands()
    for _, token in ipairs {1.5, 0 / 0, 1 / 0, 2^63, "1", {}, 0, -1, math.mininteger} do
      refused(queue.complete, queue, job.id, token)
    end
    refused(queue.complete, queue, job.id, nil)
    assert.equal(before, raw:commands())
    fixtures.failed("stale", queue:complete(job.id, math.maxinteger))
    assert.equal("done", queue:complete(job.id, 1.0)) -- a whole number is one in Lua
  end)
end)
