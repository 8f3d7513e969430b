# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "a look" do
  # A job in each of the sets: ids by state.
  let(:jobs) do
    { active: queue.enqueue("a").tap { queue.claim }, dead: dead_job,
      scheduled: queue.enqueue("s", delay: 60), pending: queue.enqueue("p") }
  end

  it "counts what is where" do
    jobs
    3.times { queue.enqueue("x") }
    expect(queue.counts).to eq(pending: 4, active: 1, schedule: 1, dead: 1, completed: 0, failed: 1)
    expect(queue.depth).to eq(4)
    expect(refused { |q| q.counts(:wait) }).to be_a(EchoMQ::InvalidArgumentError)
  end

  it "says the state of each job" do
    expect(jobs.values.map { |id| queue.state(id) }).to eq(jobs.keys)
    expect(queue.job(jobs[:active]).to_h).to include(state: "active", attempts: 1, payload: "a")
    expect([queue.state(unknown_id), queue.job(unknown_id)]).to eq([:absent, nil])
  end

  it "locates each job" do
    before = server_ms
    expect(jobs.values.map { |id| queue.locate(id) }.map { |place| [place.state, place.sets] })
      .to eq(jobs.keys.map { |state| [state, 1] })
    scores = jobs.transform_values { |id| queue.locate(id).score_ms }
    expect(scores).to include(dead: 0, pending: 0)
    expect(scores[:active]).to be_between(before + 30_000, server_ms + 30_000)
    expect(scores[:scheduled]).to be_between(before + 60_000, server_ms + 60_000)
    expect(queue.locate(unknown_id)).to eq(EchoMQ::Place.new(:absent, 0, 0))
    expect(queue.locate(jobs[:dead])).to be_frozen
    raw.call("ZREM", key("pending"), jobs[:pending])
    expect(queue.locate(jobs[:pending]).to_a).to eq([:unknown, 0, 0])
  end

  it "browses each set, newest first" do
    first = jobs
    second = { active: queue.enqueue("a"), pending: nil }
    queue.claim_many(10)
    expect(queue.browse(:active)).to eq([second[:active], first[:pending], first[:active]])
    ids = Array.new(150) { queue.enqueue("x") }
    expect(queue.browse(:pending)).to eq(ids.reverse.first(100))
    expect(queue.browse("pending", limit: 2)).to eq(ids.last(2).reverse)
    expect([queue.browse(:dead), queue.browse(:scheduled, limit: 10_000)])
      .to eq([[first[:dead]], [first[:scheduled]]])
    expect(queue.browse(:dead).first.encoding).to eq(Encoding::UTF_8)
    expect(client.queue("#{queue.name}-other").browse(:pending)).to eq([])
  end

  it "reads totals" do
    expect([queue.metric(:completed), queue.metric("failed")]).to eq([0, 0])
    queue.enqueue("x")
    queue.claim.complete
    dead_job
    expect([queue.metric(:completed), queue.metric("failed")]).to eq([1, 1])
    raw.call("HSET", key("metrics:completed"), "count", 2**63 - 1)
    expect(queue.metric(:completed)).to eq(2**63 - 1)
    ["many", "-1", "9" * 20].each do |count|
      raw.call("HSET", key("metrics:completed"), "count", count)
      expect(failure { queue.metric(:completed) }).to be_a(EchoMQ::ProtocolError)
    end
  end

  it "reads what a deduplication id stands for" do
    id = queue.enqueue("x")
    raw.call("SET", key("de:order 42"), id)
    expect([queue.dedup("order 42"), queue.dedup("never parked")]).to eq([id, nil])
  end

  it "checks a queue: no line for a sound one, one for each offender" do
    jobs
    expect(queue.check).to eq([])
    raw.call("ZADD", key("dead"), 0, jobs[:pending])
    raw.call("DEL", key("job:#{jobs[:dead]}"))
    raw.call("HSET", key("job:#{jobs[:scheduled]}"), "attempts", "many")
    raw.call("HSET", key("job:#{jobs[:active]}"), "state", "pending")
    lines = queue.check
    expect(lines.map { |line| line[0, 14] }.uniq.sort).to eq(jobs.values.sort)
    expect(lines.map(&:encoding).uniq).to eq([Encoding::UTF_8])
  end

  it "finds no job half moved while the queue is worked" do
    queue.enqueue_many(["x"] * 200)
    worker = Thread.new do
      EchoMQ.connect(url) do |other|
        mine = other.queue(queue.name)
        while (job = mine.claim)
          job.token > 2 ? job.complete : job.retry("again", delay: 0)
          mine.promote
        end
      end
    end
    lines = []
    lines.concat(queue.check) while worker.alive?
    worker.join
    expect(lines).to eq([])
    expect(queue.counts(:completed)).to eq(completed: 200)
  end

  describe "is refused before anything is sent:" do
    %i[schedule awaiting_children unknown absent completed].each do |state|
      it "at #{state} jobs" do
        exception = refused { |q| q.browse(state) }
        expect(exception).to be_a(EchoMQ::InvalidArgumentError)
        expect(exception.message).to include(state.name, "pending, active, scheduled and dead")
      end
    end

    it "of other bounds and types" do
      [->(q) { q.browse(:dead, limit: 0) }, ->(q) { q.browse(:active, limit: 10_001) },
       ->(q) { q.browse("") }, ->(q) { q.metric(:pending) }, ->(q) { q.metric(:none) },
       ->(q) { q.dedup("") }, ->(q) { q.locate("JOB") }].each do |call|
        expect(refused(&call)).to be_a(EchoMQ::InvalidArgumentError)
      end
      [->(q) { q.browse(nil) }, ->(q) { q.browse(1) }, ->(q) { q.browse(:dead, limit: nil) },
       ->(q) { q.metric(nil) }, ->(q) { q.dedup(nil) }, ->(q) { q.dedup(:sym) },
       ->(q) { q.locate(nil) }].each do |call|
        expect(refused(&call)).to be_a(TypeError)
      end
    end
  end
end
