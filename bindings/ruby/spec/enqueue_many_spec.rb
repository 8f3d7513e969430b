# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "EchoMQ::Queue#enqueue_many" do
  it "enqueues all of it, in order, and says so of each" do
    payloads = Array.new(2_500) { |i| "payload #{i}" }
    verdicts = queue.enqueue_many(payloads)
    expect(verdicts.map(&:outcome).tally).to eq(enqueued: 2_500)
    expect(verdicts.map(&:error).uniq).to eq([nil])
    expect(verdicts.map(&:id)).to eq(verdicts.map(&:id).sort.uniq)
    expect(raw.call("ZRANGE", key("pending"), 0, -1)).to eq(verdicts.map(&:id))
    expect([0, 1, 999, 1_000, 2_499].map { |i| queue.job(verdicts[i].id).payload })
      .to eq(["payload 0", "payload 1", "payload 999", "payload 1000", "payload 2499"])
  end

  it "takes anything with each, without holding more than a chunk" do
    taken = 0
    waiting = []
    source = Enumerator.new do |payloads|
      2_500.times do
        taken += 1
        waiting << taken - raw.call("ZCARD", key("pending")) if (taken % 250).zero?
        payloads << "x"
      end
    end
    expect(queue.enqueue_many(source.lazy).size).to eq(2_500)
    expect(waiting.max).to be <= 1_001
  end

  it "bounds a chunk by its bytes, too" do
    sizes = [3, 1, 1, 5, 2, 2].map { |mib| mib * 1024 * 1024 }
    verdicts = queue.enqueue_many(sizes.each.map { |size| "x" * size })
    stored = verdicts.map { |verdict| raw.call("HSTRLEN", key("job:#{verdict.id}"), "payload") }
    expect(stored).to eq(sizes)
  end

  it "takes nothing" do
    expect(queue.enqueue_many([]) { raise "not reached" }).to eq([])
  end

  describe "with a block" do
    it "tells it after each chunk how far it is" do
      told = []
      tell = ->(done, total) { told << [done, total, raw.call("ZCARD", key("pending"))] }
      queue.enqueue_many(Array.new(2_500, "x"), &tell)
      expect(told).to eq([[1_000, 2_500, 1_000], [2_000, 2_500, 2_000], [2_500, 2_500, 2_500]])
      told.clear
      queue.enqueue_many(Array.new(1_001, "x").each, &tell)
      expect(told).to eq([[1_000, nil, 3_500], [1_001, nil, 3_501]])
    end

    it "goes no further when it raises, and tells what went out" do
      exception = failure { queue.enqueue_many(["x"] * 2_500) { raise IOError, "mine" } }
      expect(exception).to be_a(IOError).and have_attributes(message: "mine")
      expect(exception.verdicts.map(&:outcome).tally).to eq(enqueued: 1_000)
      expect(queue.depth).to eq(1_000)
    end

    it "goes no further when it breaks" do
      expect(queue.enqueue_many(["x"] * 2_500) { |done| break done }).to eq(1_000)
      expect(queue.depth).to eq(1_000)
    end

    it "may use the queue itself" do
      claimed = []
      queue.enqueue_many(["x"] * 1_001) { claimed << queue.claim.complete }
      expect([claimed, queue.depth]).to eq([%i[done done], 999])
    end
  end

  it "refuses what has no each" do
    [nil, "payload", 5].each do |payloads|
      expect(failure { queue.enqueue_many(payloads) }).to be_a(TypeError)
    end
  end

  it "sends nothing of an Array that holds a bad payload" do
    queue
    before = raw.commands
    exception = failure { queue.enqueue_many(Array.new(3_000, "x") << nil) }
    expect(exception).to be_a(TypeError)
    expect(exception.message).to eq("item 3000: payload must be a String, not NilClass")
    expect(exception.verdicts).to eq([])
    expect(raw.commands).to eq(before)
  end

  it "tells what went out when a source yields a bad payload later" do
    source = Enumerator.new { |payloads| 3_000.times { |i| payloads << (i == 2_100 ? 5 : "x") } }
    exception = failure { queue.enqueue_many(source) }
    expect(exception).to be_a(TypeError)
    expect(exception.message).to eq("item 2100: payload must be a String, not Integer")
    expect(exception.verdicts.map(&:outcome).tally).to eq(enqueued: 2_000)
    expect(queue.counts(:pending)).to eq(pending: 2_000)
  end

  it "tells what went out when the source itself raises" do
    source = Enumerator.new do |payloads|
      1_500.times { payloads << "x" }
      raise IOError, "the file ended"
    end
    exception = failure { queue.enqueue_many(source) }
    expect(exception).to be_a(IOError)
    expect(exception.verdicts.size).to eq(1_000)
  end

  it "tells what was answered when the server goes away midway" do
    server = own_server
    other = EchoMQ.connect(server.url, connect_timeout: 0.5)
    source = Enumerator.new do |payloads|
      2_000.times do |i|
        server.kill if i == 1_500
        payloads << "x"
      end
    end
    exception = failure { other.queue("q").enqueue_many(source) }
    expect(exception).to be_a(EchoMQ::ConnectionError)
    verdicts = exception.verdicts
    expect(verdicts.size).to eq(2_000)
    expect(verdicts.first(1_000).map(&:outcome).uniq).to eq([:enqueued])
    expect(verdicts.last(1_000).map { |verdict| [verdict.outcome, verdict.error.class] }.uniq)
      .to eq([[nil, EchoMQ::ConnectionError]])
  end

  it "reports the refusals of the server item by item" do
    raw.call("SET", key("pending"), "of another type")
    verdicts = queue.enqueue_many(%w[a b])
    expect(verdicts.map(&:outcome)).to eq([nil, nil])
    expect(verdicts.map(&:error)).to all(be_a(EchoMQ::WrongTypeError))
    expect(verdicts.first.error.server_text).to start_with("WRONGTYPE")
  end

  it "loses nothing to SCRIPT FLUSH before a batch" do
    queue.enqueue("x")
    raw.call("SCRIPT", "FLUSH")
    payloads = Array.new(100) { |i| i.to_s }
    verdicts = queue.enqueue_many(payloads)
    expect(verdicts.map(&:outcome).tally).to eq(enqueued: 100)
    expect(verdicts.map { |verdict| queue.job(verdict.id).payload }).to eq(payloads)
    raw.call("SCRIPT", "FLUSH")
    expect(queue.claim.complete).to eq(:done)
  end

  # The batch is larger than what the sockets hold, so the frozen server has a part of it when the
  # flush comes, and the rest comes after the flush.
  it "loses nothing to SCRIPT FLUSH within a batch" do
    server = own_server
    store = server.raw
    other = EchoMQ.connect(server.url).queue("q")
    other.enqueue("x")
    server.freeze_up
    payloads = Array.new(100) { |i| i.to_s * 64 * 1024 }
    sender = Thread.new { other.enqueue_many(payloads) }
    eventually("call") { sender.status == "sleep" }
    flusher = Thread.new { store.call("SCRIPT", "FLUSH") }
    eventually("flush") { flusher.status == "sleep" }
    server.go_on
    flusher.join
    verdicts = sender.value
    expect(verdicts.map(&:outcome).tally).to eq(enqueued: 100)
    expect(verdicts.map { |verdict| other.job(verdict.id).payload }).to eq(payloads)
    missing = store.call("INFO", "errorstats")[/errorstat_NOSCRIPT:count=(\d+)/, 1].to_i
    expect(missing).to be_between(1 + 1, 1 + 99) # one of them was the very first enqueue's
  end
end
