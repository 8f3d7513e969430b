-- SPDX-License-Identifier: MIT
package.path = debug.getinfo(1, "S").source:match("^@(.*/)") .. "?.lua;" .. package.path
local fixtures = require "support.fixtures"
local echomq = require "echomq"

local failed, refused, key, row = fixtures.failed, fixtures.refused, fixtures.key, fixtures.row

-- Enqueues `count` jobs; returns their ids.
local function fill(queue, count)
  local payloads, ids = {}, {}
  for number = 1, count do
    payloads[number] = tostring(number)
  end
  for number, verdict in ipairs(assert(queue:enqueue_many(payloads))) do
    ids[number] = verdict.id
  end
  return ids
end

local function ids_of(jobs)
  local ids = {}
  for index, job in ipairs(jobs) do
    ids[index] = job.id
  end
  return ids
end

describe("claim_many", function()
  after_each(fixtures.clean)

  it("claims the oldest, in order, under one deadline", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    local ids = fill(queue, 8)
    local jobs = assert(queue:claim_many(4, {lease = 60}))
    assert.same({table.unpack(ids, 1, 4)}, ids_of(jobs))
    local deadlines = {}
    for number, job in ipairs(jobs) do
      assert.equal(queue, job.queue)
      assert.same({tostring(number), 1}, {job.payload, job.token})
      assert.equal("active", queue:job(job.id).state)
      deadlines[raw("ZSCORE", key(queue, "active"), job.id)] = true
    end
    local deadline = next(deadlines)
    assert.is_nil(next(deadlines, deadline))
    assert.equal("done", jobs[1]:complete())
  end)

  it("gives what there is, and an empty list for nothing", function()
    local queue = fixtures.queue()
    local ids = fill(queue, 3)
    local raw = fixtures.raw()
    local before = fixtures.server_ms(raw)
    assert.same(ids, ids_of(assert(queue:claim_many(7))))
    local after, ends = fixtures.server_ms(raw), queue:locate(ids[1]).score_ms
    assert.is_true(ends >= before + 30000 and ends <= after + 30000)
    assert.same({}, queue:claim_many(5))
    local paused = fixtures.queue()
    fill(paused, 1)
    assert.is_true(paused:pause())
    assert.same({}, paused:claim_many(5))
    assert.equal(1, paused:depth())
  end)

  it("survives failures among its jobs", function()
    local queue = fixtures.queue()
    fill(queue, 3)
    local jobs = assert(queue:claim_many(3))
    local poison = jobs[1]
    failed("stale", queue:complete(poison.id, 99))
    assert.equal("scheduled", poison:retry("poison", {delay = 0.005, max_attempts = 3}))
    for index = 2, 3 do
      assert.equal("done", jobs[index]:complete())
      assert.is_nil(queue:job(jobs[index].id))
    end
    local left = queue:job(poison.id)
    assert.same({"scheduled", "poison"}, {left.state, left.fields.last_error})
    fixtures.await(function() return queue:promote() == 1 end)
    jobs = assert(queue:claim_many(5))
    assert.same({poison.id}, ids_of(jobs))
    assert.equal(2, jobs[1].token)
  end)

  it("removes ghosts, counts them, and goes on", function()
    local client = fixtures.client()
    local queue = fixtures.queue(client)
    local raw = fixtures.raw()
    for number = 1, 3 do -- older than any other
      raw("ZADD", key(queue, "pending"), 0, ("JOB0000000000%d"):format(number))
    end
    local ids = fill(queue, 2)
    assert.same(ids, ids_of(assert(queue:claim_many(3))))
    assert.equal(3, client:ghosts())
    assert.same({}, queue:check())
  end)

  it("keeps payloads byte for byte", function()
    local queue = fixtures.queue()
    local payloads = {"", "a\0b", "\xff\xfe", ("x"):rep(1 << 20)}
    assert(queue:enqueue_many(payloads))
    for index, job in ipairs(assert(queue:claim_many(10))) do
      assert.is_true(payloads[index] == job.payload)
    end
  end)

  it("takes a size within bounds; else nothing is sent", function()
    local queue = fixtures.queue()
    fixtures.sends_nothing(function()
      for _, size in ipairs(fixtures.bad_counts) do
        refused(queue.claim_many, queue, size)
      end
      refused(queue.claim_many, queue)
      local err = refused(queue.claim_many, queue, 1001)
      assert.equal("size must be an integer from 1 to 1000, not 1001", err.message)
      for _, lease in ipairs(fixtures.bad_seconds) do
        refused(queue.claim_many, queue, 5, {lease = lease})
      end
      refused(queue.claim_many, queue, 5, 30)
      refused(queue.claim_many, queue, 5, {leese = 30})
      refused(queue.claim_many, 5)
    end)
  end)
end)

describe("complete_many", function()
  after_each(fixtures.clean)

  it("gives each job its verdict, in order", function()
    local queue = fixtures.queue()
    fill(queue, 3)
    local jobs = assert(queue:claim_many(3))
    local gone = fixtures.id()
    local verdicts = assert(queue:complete_many({
      jobs[1], {jobs[2].id, 99}, {gone, 1}, {jobs[3].id, jobs[3].token},
    }))
    assert.same({jobs[1].id, jobs[2].id, gone, jobs[3].id}, ids_of(verdicts))
    assert.same({"done", nil, "gone", "done"}, {
      verdicts[1].outcome, verdicts[2].outcome, verdicts[3].outcome, verdicts[4].outcome,
    })
    for index, verdict in ipairs(verdicts) do
      assert.equal(index == 2 and "stale" or nil, verdict.error and verdict.error.code)
    end
    assert.is_true(echomq.is_error(verdicts[2].error))
    assert.same({active = 1, completed = 2}, queue:counts("active", "completed"))
    assert.same({}, queue:complete_many({}))
  end)

  it("takes more than a flush", function()
    local queue = fixtures.queue()
    fill(queue, 1100)
    local jobs = assert(queue:claim_many(1000))
    for _, job in ipairs(assert(queue:claim_many(1000))) do
      jobs[#jobs + 1] = job
    end
    local verdicts = assert(queue:complete_many(jobs))
    assert.same(ids_of(jobs), ids_of(verdicts))
    for _, verdict in ipairs(verdicts) do
      assert.equal("done", verdict.outcome)
    end
    assert.same({pending = 0, active = 0, completed = 1100},
                queue:counts("pending", "active", "completed"))
  end)

  it("tells the parents of flow children", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    fill(queue, 2)
    local jobs = assert(queue:claim_many(2))
    local parent = fixtures.id()
    raw("HSET", row(queue, jobs[2].id), "parent", parent, "parent_queue", "other")
    local verdicts = assert(queue:complete_many(jobs))
    assert.same({"done", "done"}, {verdicts[1].outcome, verdicts[2].outcome})
    assert.equal(table.concat({"other", parent, jobs[2].id, jobs[2].id}, "\0"),
                 raw("LPOP", key(queue, "flow:outbox")))
  end)

  it("survives that the server forgets its scripts", function()
    local queue = fixtures.queue()
    fill(queue, 100)
    local jobs = assert(queue:claim_many(100))
    fixtures.raw()("SCRIPT", "FLUSH")
    for _, verdict in ipairs(assert(queue:complete_many(jobs))) do
      assert.equal("done", verdict.outcome)
    end
  end)

  it("tells what is known when the connection fails", function()
    local server = fixtures.server()
    local client = fixtures.client({connect_timeout = 0.2, call_timeout = 2}, server.url)
    local queue = fixtures.queue(client)
    fill(queue, 3)
    local jobs = assert(queue:claim_many(3))
    server:kill()
    local err = failed("connection", queue:complete_many(jobs))
    assert.same(ids_of(jobs), ids_of(err.verdicts))
    for _, verdict in ipairs(err.verdicts) do
      assert.is_nil(verdict.outcome)
      assert.equal("connection", verdict.error.code)
    end
  end)
end)

describe("extend_many", function()
  after_each(fixtures.clean)

  it("extends what is held, and says what is not", function()
    local queue = fixtures.queue()
    local raw = fixtures.raw()
    fill(queue, 2)
    local live, stale = table.unpack(assert(queue:claim_many(2, {lease = 30})))
    local gone = fixtures.id()
    local before = {live = queue:locate(live.id).score_ms, stale = queue:locate(stale.id).score_ms}
    local verdicts = assert(queue:extend_many({live, {stale.id, 999}, {gone, 1}}, {lease = 90}))
    assert.same({live.id, stale.id, gone}, ids_of(verdicts))
    assert.equal("done", verdicts[1].outcome)
    assert.is_nil(verdicts[1].error)
    for index = 2, 3 do
      assert.is_nil(verdicts[index].outcome)
      assert.equal("stale", verdicts[index].error.code)
    end
    local ends = tonumber(raw("ZSCORE", key(queue, "active"), live.id))
    local now = fixtures.server_ms(raw)
    assert.is_true(ends > before.live and ends <= now + 90000)
    assert.equal(before.stale, queue:locate(stale.id).score_ms)
    assert.equal(0, raw("EXISTS", row(queue, gone)))
    assert.same({}, queue:extend_many({}))
  end)

  it("takes more than goes in one command", function()
    local queue = fixtures.queue()
    fill(queue, 200)
    local jobs = assert(queue:claim_many(200, {lease = 5}))
    local raw = fixtures.raw()
    local before = fixtures.server_ms(raw)
    local verdicts = assert(queue:extend_many(jobs))
    local after = fixtures.server_ms(raw)
    for index, verdict in ipairs(verdicts) do
      assert.same({jobs[index].id, "done"}, {verdict.id, verdict.outcome})
      local ends = queue:locate(verdict.id).score_ms
      assert.is_true(ends >= before + 30000 and ends <= after + 30000)
    end
  end)
end)

describe("calls on many jobs", function()
  after_each(fixtures.clean)

  it("check all of them before anything is sent", function()
    local queue, other = fixtures.queue(), fixtures.queue()
    local job, foreign = fixtures.claimed(queue), fixtures.claimed(other)
    fixtures.sends_nothing(function()
      for _, many in ipairs {queue.complete_many, queue.extend_many} do
        for _, item in ipairs {5, "x", true, {}, {job.id}, {job.id, 0}, {job.id, "1"},
                               {job.id, 1.5}, {"JOB", 1}, {5, 1}, foreign} do
          local err = refused(many, queue, {job, item})
          assert.equal("item 2: ", err.message:sub(1, 8))
        end
        for _, jobs in ipairs {5, "x", true, job} do
          refused(many, queue, jobs)
        end
        refused(many, queue, nil)
        refused(many, {job})
      end
      for _, seconds in ipairs(fixtures.bad_seconds) do
        refused(queue.extend_many, queue, {job}, {lease = seconds})
      end
      refused(queue.extend_many, queue, {job}, 30)
    end)
    assert.equal(("item 1: the job is of the queue %s, not of %s"):format(other.name, queue.name),
                 refused(queue.complete_many, queue, {foreign}).message)
    assert.equal("active", queue:state(job.id))
  end)
end)
