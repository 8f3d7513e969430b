# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe EchoMQ::Queue do
  it "takes jobs in and gives them out in order" do
    ids = %w[a b c].map { |payload| queue.enqueue(payload) }
    expect(ids).to eq(ids.sort)
    jobs = Array.new(3) { queue.claim }
    expect(jobs.map(&:id)).to eq(ids)
    expect(jobs.map(&:payload)).to eq(%w[a b c])
    expect(jobs.map(&:token)).to eq([1, 1, 1])
    expect(jobs.first.queue).to be(queue)
    expect(queue.claim).to be_nil
    expect(jobs.map(&:complete)).to eq(%i[done done done])
    expect(jobs.map(&:complete)).to eq(%i[gone gone gone])
  end

  it "gives nothing while it is paused" do
    queue.enqueue("x")
    raw.call("HSET", key("meta"), "paused", 1)
    expect(queue.claim).to be_nil
    raw.call("DEL", key("meta"))
    expect(queue.claim.payload).to eq("x")
  end

  it "holds a lease of the length that was asked for" do
    queue.enqueue("x")
    now = raw.call("TIME").then { |s, us| Integer(s) * 1000 + Integer(us) / 1000 }
    job = queue.claim(lease: 12.5)
    deadline = Integer(raw.call("ZSCORE", key("active"), job.id))
    expect(deadline - now).to be_between(12_500, 14_000)
  end

  it "takes an id of the caller's, and says when it is a duplicate" do
    id = EchoMQ::Ids::Minter.new.mint
    expect(queue.enqueue("first", id: id)).to eq(id)
    expect(queue.enqueue("second", id: id)).to be_nil
    expect(queue.job(id).payload).to eq("first")
    expect(queue.counts(:pending)).to eq(pending: 1)
  end

  it "raises KindError for an id that is no job's" do
    user = EchoMQ::Ids::Minter.new.mint("USR")
    exception = failure { queue.enqueue("x", id: user) }
    expect(exception).to be_a(EchoMQ::KindError)
    expect(exception.server_text).to eq("EMQKIND job id must be JOB-namespaced")
    expect(raw.call("EXISTS", key("pending"), key("job:#{user}"))).to eq(0)
  end

  it "raises StaleError for another's token, and leaves the job as it was" do
    queue.enqueue("x")
    job = queue.claim
    before = raw.call("HGETALL", key("job:#{job.id}"))
    exception = failure { queue.complete(job.id, job.token + 1) }
    expect(exception).to be_a(EchoMQ::StaleError)
    expect(exception.server_text).to eq("EMQSTALE complete token mismatch")
    expect(raw.call("HGETALL", key("job:#{job.id}"))).to eq(before)
    expect(queue.state(job.id)).to eq(:active)
    expect(job.complete).to eq(:done)
  end

  it "keeps tokens exact to the last of 64 bits" do
    [2**53 + 1, 2**63 - 1].each do |token|
      id = queue.enqueue("x")
      raw.call("HSET", key("job:#{id}"), "attempts", token)
      expect(queue.job(id).attempts).to eq(token)
      expect(failure { queue.complete(id, token - 1) }).to be_a(EchoMQ::StaleError)
      expect(queue.complete(id, token)).to eq(:done)
    end
    id = queue.enqueue("x")
    raw.call("HSET", key("job:#{id}"), "attempts", 2**53 - 2)
    expect(queue.claim.token).to eq(2**53 - 1)
  end

  it "counts" do
    3.times { queue.enqueue("x") }
    queue.claim
    queue.claim.complete
    expect(queue.counts).to eq(pending: 1, active: 1, schedule: 0, dead: 0, completed: 1, failed: 0)
    expect(queue.counts("completed", :pending)).to eq(completed: 1, pending: 1)
  end

  it "says where a job is" do
    id = queue.enqueue("x")
    expect(queue.state(id)).to eq(:pending)
    queue.claim
    expect(queue.state(id)).to eq(:active)
    raw.call("ZREM", key("active"), id)
    expect(queue.state(id)).to eq(:unknown)
    { "schedule" => :scheduled, "dead" => :dead }.each do |set, state|
      raw.call("ZADD", key(set), 0, id)
      expect(queue.state(id)).to eq(state)
      raw.call("ZREM", key(set), id)
    end
    raw.call("HSET", key("job:#{id}"), "state", "awaiting_children")
    expect(queue.state(id)).to eq(:awaiting_children)
    raw.call("DEL", key("job:#{id}"))
    expect(queue.state(id)).to eq(:absent)
  end

  it "shows a job's row" do
    id = queue.enqueue("x")
    queue.claim
    expect(queue.job(id).to_h).to eq(
      state: "active", attempts: 1, payload: "x",
      fields: { "state" => "active", "attempts" => "1", "payload" => "x" }
    )
    expect(queue.job(EchoMQ::Ids::Minter.new.mint)).to be_nil
  end

  it "counts the ghosts that it removes" do
    id = queue.enqueue("gone")
    queue.enqueue("there")
    raw.call("DEL", key("job:#{id}"))
    expect(queue.claim.payload).to eq("there")
    expect(client.ghosts).to eq(1)
  end

  describe "refuses before anything is sent:" do
    [nil, 5, 1.5, :sym, [], {}, true].each do |payload|
      it "#{payload.inspect} as a payload" do
        expect(refused { |q| q.enqueue(payload) }).to be_a(TypeError).and have_attributes(
          message: "payload must be a String, not #{payload.class}"
        )
        expect(refused { |q| q.enqueue_many(["ok", payload]) }).to be_a(TypeError)
          .and have_attributes(message: "item 1: payload must be a String, not #{payload.class}")
      end
    end

    ["", "JOB", "JOB0SWlKIi8ol", "JOB0SWlKIi8olM1", "JOB0SWlKIi8ol-", "job0SWlKIi8olM",
     "JOBAzL8n0Y58m8", "JOB0SWlKIi8o\0M"].each do |id|
      it "#{id.inspect} as an id" do
        [->(q) { q.enqueue("x", id: id) }, ->(q) { q.complete(id, 1) }, ->(q) { q.state(id) },
         ->(q) { q.job(id) }].each do |call|
          expect(refused(&call)).to be_a(EchoMQ::InvalidArgumentError)
        end
      end
    end

    it "an id that is no String" do
      expect(refused { |q| q.state(5) }).to be_a(TypeError)
      expect(refused { |q| q.job(nil) }).to be_a(TypeError)
      expect(refused { |q| q.enqueue("x", id: 7) }).to be_a(TypeError)
    end

    [0, -1, 0.0, Float::NAN, Float::INFINITY, -Float::INFINITY, 31_536_001].each do |lease|
      it "a lease of #{lease} s" do
        exception = refused { |q| q.claim(lease: lease) }
        expect(exception).to be_a(EchoMQ::InvalidArgumentError)
        expect(exception.message).to start_with("lease is ")
      end
    end

    [nil, "5", :soon].each do |lease|
      it "#{lease.inspect} as a lease" do
        expect(refused { |q| q.claim(lease: lease) }).to be_a(TypeError)
      end
    end

    [0, -1, 2**63, 2**64 + 1, -2**70].each do |token|
      it "the token #{token}" do
        exception = refused { |q| q.complete("JOB00000000001", token) }
        expect(exception).to be_a(EchoMQ::InvalidArgumentError)
      end
    end

    [nil, "1", 1.0].each do |token|
      it "#{token.inspect} as a token" do
        expect(refused { |q| q.complete("JOB00000000001", token) }).to be_a(TypeError)
      end
    end

    it "a result that is no String" do
      expect(refused { |q| q.complete("JOB00000000001", 1, 5) }).to be_a(TypeError)
    end

    it "a count that there is not, naming those that there are" do
      exception = refused { |q| q.counts(:pending, :scheduled) }
      expect(exception).to be_a(EchoMQ::InvalidArgumentError)
      expect(exception.message).to include("scheduled", *EchoMQ::COUNTS.map(&:name))
      expect(refused { |q| q.counts(5) }).to be_a(TypeError)
    end

    ["", "a{b", "}", "a\nb", "a\0b", "\x7f", "x" * 513].each do |name|
      it "#{name[0, 10].inspect} as a queue's name" do
        expect(refused { client.queue(name) }).to be_a(EchoMQ::InvalidArgumentError)
      end
    end

    it "a queue's name that is no String" do
      expect(refused { client.queue(nil) }).to be_a(TypeError)
      expect(refused { client.queue(:orders) }).to be_a(TypeError)
    end
  end
end
