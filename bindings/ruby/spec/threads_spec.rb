# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "threads" do
  # Yields while a thread counts turns, and returns how many it had.
  def turns_during
    turns = 0
    ticker = Thread.new do
      loop do
        turns += 1
        sleep 0.001
      end
    end
    yield
    turns
  ensure
    ticker.kill.join
  end

  it "share a client, and each gets its own answers" do
    queue
    threads = Array.new(16) do |number|
      Thread.new do
        Array.new(200) do |turn|
          payload = "#{number}/#{turn}"
          id = queue.enqueue(payload)
          queue.job(id).payload == payload && id
        end
      end
    end
    ids = threads.flat_map(&:value)
    expect(ids).to all(be_a(String))
    expect(ids.uniq.size).to eq(3_200)
    jobs = Array.new(8) { Thread.new { Array.new(400) { queue.claim } } }.flat_map(&:value)
    expect(jobs.map(&:id).sort).to eq(ids.sort)
    outcomes = jobs.each_slice(400).map { |slice| Thread.new { slice.map(&:complete) } }
    expect(outcomes.flat_map(&:value).tally).to eq(done: 3_200)
  end

  it "share a queue's many calls, and each job goes to one of them" do
    queue.enqueue_many(Array.new(2_000, &:to_s))
    threads = Array.new(8) do
      Thread.new do
        done = []
        until (jobs = queue.claim_many(50)).empty?
          queue.extend_many(jobs)
          done.concat(queue.complete_many(jobs).map(&:outcome))
        end
        done
      end
    end
    expect(threads.flat_map(&:value).tally).to eq(done: 2_000)
    expect(queue.check).to eq([])
  end

  it "share a minter, and no id comes twice" do
    minter = EchoMQ::Ids::Minter.new
    ids = Array.new(8) { Thread.new { Array.new(2_000) { minter.mint } } }.flat_map(&:value)
    expect(ids.uniq.size).to eq(16_000)
  end

  it "go on while one waits in a call" do
    server = own_server
    other = EchoMQ.connect(server.url, call_timeout: 0.5).queue("q")
    { claim: -> { other.claim }, counts: -> { other.counts }, check: -> { other.check },
      claim_many: -> { other.claim_many(10) }, sweep: -> { other.sweep },
      complete_many: -> { other.complete_many([["JOB00000000001", 1]]) },
      enqueue_many: -> { other.enqueue_many(["x"] * 10) } }.each_value do |call|
      server.freeze_up
      expect(turns_during { expect(failure(&call)).to be_a(EchoMQ::Error) }).to be > 100
      server.go_on
    end
  end

  it "go on while one connects" do
    server = own_server
    server.freeze_up
    turns = turns_during do
      expect(failure { EchoMQ.connect(server.url, connect_timeout: 0.5) })
        .to be_a(EchoMQ::TimeoutError)
    end
    expect(turns).to be > 100
  end

  it "wait for a client's turn without holding the others up, and may give up" do
    server = own_server
    other = EchoMQ.connect(server.url).queue("q")
    server.freeze_up
    first = Thread.new { other.counts(:pending) }
    eventually("call") { first.status == "sleep" }
    turns = turns_during do
      expect { Timeout.timeout(0.4) { other.counts } }.to raise_error(Timeout::Error)
    end
    expect(turns).to be > 80
    server.go_on
    expect(first.value).to eq(pending: 0)
  end

  it "are given up with the interpreter" do
    server = own_server
    server.freeze_up
    script = <<~RUBY
      queue = nil
      thread = Thread.new { EchoMQ.connect(ARGV[0], connect_timeout: 30) }
      sleep 0.01 until thread.status == "sleep"
      exit 7
    RUBY
    elapsed = seconds do
      _out, errors, status = OtherRuby.run(script, server.url)
      expect([errors, status.exitstatus]).to eq(["", 7])
    end
    expect(elapsed).to be < 3
  end
end
