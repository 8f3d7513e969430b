# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "the operator" do
  after { expect(queue.check).to eq([]) }

  it "replaces a payload" do
    id = queue.enqueue("old")
    expect(queue.update_data(id, "new\0\xFF")).to eq(:done)
    expect(queue.job(id).payload).to eq("new\0\xFF".b)
    expect(queue.update_data(id, "")).to eq(:done)
    expect(queue.claim.payload).to eq("")
    expect(queue.update_data(unknown_id, "new")).to eq(:gone)
  end

  it "tells of progress, in the row and on the events channel" do
    id = queue.enqueue("x")
    listener = Raw.new(url)
    expect(listener.call("SUBSCRIBE", key("events")).last).to eq(1)
    expect(queue.update_progress(id, "50")).to eq(:done)
    expect(raw.call("HGET", key("job:#{id}"), "progress")).to eq("50")
    message = listener.message.last
    expect(message).to include('"event":"progress"', id, '"progress":"50"')
    expect(queue.update_progress(unknown_id, "50")).to eq(:gone)
  ensure
    listener&.close
  end

  it "keeps a log" do
    id = queue.enqueue("x")
    expect(queue.logs(id)).to eq([])
    expect(queue.add_log(id, "line-1\0\xFF")).to eq(1)
    expect(queue.add_log(id, "line-2")).to eq(2)
    expect(queue.logs(id)).to eq(["line-1\0\xFF".b, "line-2"])
    expect(queue.logs(id).map(&:encoding).uniq).to eq([Encoding::BINARY])
    expect(queue.add_log(id, "line-3", keep: 2)).to eq(2)
    expect(queue.add_log(id, "", keep: 10)).to eq(3)
    expect(queue.logs(id)).to eq(["line-2", "line-3", ""])
    expect([queue.add_log(unknown_id, "x"), queue.logs(unknown_id)]).to eq([nil, nil])
  end

  it "removes a job from wherever it is, with its log and its deduplication id" do
    id = queue.enqueue("x")
    queue.add_log(id, "line")
    raw.call("SET", key("de:mine"), id)
    raw.call("SET", key("de:other"), unknown_id)
    expect(queue.remove(id, dedup: "mine")).to eq(:done)
    expect([queue.state(id), queue.dedup("mine")]).to eq([:absent, nil])
    expect(queue.dedup("other")).not_to be_nil
    ids = [dead_job, queue.enqueue("y", delay: 60), queue.enqueue("z").tap { queue.claim }]
    expect(ids.map { |each| queue.remove(each, dedup: "other") }.uniq).to eq([:done])
    expect(raw.call("KEYS", key("*")).sort).to eq([key("de:other"), key("metrics:failed")])
    expect(queue.remove(unknown_id)).to eq(:gone)
    raw.call("DEL", key("de:other"))
  end

  it "leaves a job on which a worker's lock is" do
    id = queue.enqueue("x")
    raw.call("SET", key("job:#{id}:lock"), "worker-1")
    exception = failure { queue.remove(id) }
    expect(exception).to be_a(EchoMQ::LockedError)
    expect(exception.server_text).to eq("EMQLOCK job is locked")
    expect(queue.state(id)).to eq(:pending)
    raw.call("DEL", key("job:#{id}:lock"))
    expect(queue.remove(id)).to eq(:done)
  end

  it "puts a dead job back, and no other" do
    id = dead_job
    live = queue.enqueue("live")
    expect(queue.reprocess(id)).to eq(:done)
    row = queue.job(id)
    expect([queue.state(id), row.state, row.attempts, row.fields["last_error"]])
      .to eq([:pending, "pending", 1, nil])
    exception = failure { queue.reprocess(live) }
    expect(exception).to be_a(EchoMQ::StateError)
    expect(exception.server_text).to eq("EMQSTATE not dead")
    expect([queue.state(live), queue.reprocess(unknown_id)]).to eq([:pending, :gone])
    expect(queue.claim.token).to eq(2)
  end

  it "pauses and resumes, as often as one likes" do
    id = queue.enqueue("p")
    2.times { expect(queue.pause).to be_nil }
    expect([queue.claim, queue.claim_many(2), queue.depth]).to eq([nil, [], 1])
    2.times { expect(queue.resume).to be_nil }
    job = queue.claim
    expect([job.id, job.payload, job.token]).to eq([id, "p", 1])
  end

  it "drains what waits, and what is scheduled when asked to" do
    claimed = queue.enqueue("c").then { queue.claim }
    dead = dead_job
    waiting = Array.new(3) { queue.enqueue("w") }
    later = queue.enqueue("s", delay: 60)
    queue.add_log(waiting.first, "line")
    expect(queue.drain).to eq(3)
    expect(queue.counts(:pending, :active, :schedule, :dead))
      .to eq(pending: 0, active: 1, schedule: 1, dead: 1)
    expect(waiting.map { |id| queue.state(id) }.uniq).to eq([:absent])
    expect(raw.call("EXISTS", key("job:#{waiting.first}:logs"))).to eq(0)
    queue.enqueue("w")
    expect(queue.drain(scheduled: true)).to eq(2)
    expect([claimed.id, dead, later].map { |id| queue.state(id) }).to eq(%i[active dead absent])
    expect(queue.drain(scheduled: true)).to eq(0)
  end

  describe "obliterates" do
    it "a paused queue, and no other" do
      queue.enqueue("x")
      exception = failure { queue.obliterate }
      expect(exception).to be_a(EchoMQ::StateError)
      expect(exception.server_text).to eq("EMQSTATE not paused")
      expect(queue.depth).to eq(1)
      queue.enqueue("y", delay: 60)
      dead_job
      queue.pause
      expect(queue.obliterate).to be_nil
      expect(raw.call("KEYS", key("*"))).to eq([])
    end

    it "active jobs by force only" do
      queue.enqueue("x")
      queue.claim
      queue.pause
      exception = failure { queue.obliterate }
      expect(exception).to be_a(EchoMQ::StateError)
      expect(exception.server_text).to eq("EMQSTATE active jobs present")
      expect(queue.counts(:active)).to eq(active: 1)
      queue.obliterate(force: true)
      expect(raw.call("KEYS", key("*"))).to eq([])
    end

    it "in steps, and says so after each" do
      queue.enqueue_many(["x"] * 25)
      queue.pause
      left = []
      queue.obliterate(budget: 10) { |steps| left << [steps, raw.call("ZCARD", key("pending"))] }
      expect(left).to eq([[1, 15], [2, 5], [3, 0]])
    end

    it "no further when the block raises or breaks" do
      queue.enqueue_many(["x"] * 25)
      queue.pause
      expect { queue.obliterate(budget: 10) { raise IOError, "mine" } }
        .to raise_error(IOError, "mine")
      expect(queue.depth).to eq(15)
      queue.obliterate(budget: 10) { break }
      expect([queue.depth, queue.claim]).to eq([5, nil])
      queue.obliterate
      expect(raw.call("KEYS", key("*"))).to eq([])
    end
  end

  describe "is refused before anything is sent:" do
    id = "JOB00000000001"

    it "what is of a wrong type" do
      [->(q) { q.update_data(id, nil) }, ->(q) { q.update_data(nil, "x") },
       ->(q) { q.update_progress(id, 50) }, ->(q) { q.add_log(id, nil) },
       ->(q) { q.add_log(id, "x", keep: "2") }, ->(q) { q.add_log(id, "x", keep: 2.0) },
       ->(q) { q.add_log(id, "x", keep: false) }, ->(q) { q.logs(nil) }, ->(q) { q.logs(5) },
       ->(q) { q.remove(nil) }, ->(q) { q.remove(id, dedup: 5) }, ->(q) { q.reprocess(5) },
       ->(q) { q.drain(scheduled: nil) }, ->(q) { q.drain(scheduled: "yes") },
       ->(q) { q.obliterate(force: 1) }, ->(q) { q.obliterate(force: nil) },
       ->(q) { q.obliterate(budget: nil) }].each do |call|
        expect(refused(&call)).to be_a(TypeError)
      end
    end

    it "what is out of bounds" do
      [->(q) { q.add_log(id, "x", keep: 0) }, ->(q) { q.add_log(id, "x", keep: -1) },
       ->(q) { q.add_log(id, "x", keep: 1_000_001) }, ->(q) { q.add_log(id, "x", keep: 2**64) },
       ->(q) { q.add_log(id, "x" * (2**20 + 1)) },
       ->(q) { q.update_progress(id, "x" * (2**20 + 1)) },
       ->(q) { q.obliterate(budget: 0) }, ->(q) { q.obliterate(budget: 10_001) },
       ->(q) { q.remove(id, dedup: "x" * 5_000_000) }].each do |call|
        expect(refused(&call)).to be_a(EchoMQ::InvalidArgumentError)
      end
    end

    it "an id that is none" do
      [->(q) { q.update_data("JOB", "x") }, ->(q) { q.update_progress("JOB", "x") },
       ->(q) { q.add_log("", "x") }, ->(q) { q.logs("JOB0SWlKIi8ol-") }, ->(q) { q.remove("JOB") },
       ->(q) { q.reprocess("JOB") }, ->(q) { q.locate("JOB") }].each do |call|
        expect(refused(&call)).to be_a(EchoMQ::InvalidArgumentError)
      end
    end
  end
end
