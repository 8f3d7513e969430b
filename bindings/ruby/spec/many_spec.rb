# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "many jobs" do
  after { expect(queue.check).to eq([]) }

  describe "claimed at once" do
    it "are the oldest, in order, under one deadline" do
      payloads = Array.new(8) { |i| "#{i}\0\xFF".b }
      ids = payloads.map { |payload| queue.enqueue(payload) }
      jobs = queue.claim_many(4)
      expect(jobs.map(&:id)).to eq(ids.first(4))
      expect(jobs.map(&:payload)).to eq(payloads.first(4))
      expect(jobs.map { |job| [job.class, job.token, job.queue] }.uniq)
        .to eq([[EchoMQ::Job, 1, queue]])
      places = jobs.map { |job| queue.locate(job.id) }
      expect(places.map(&:state).uniq).to eq([:active])
      expect(places.map(&:score_ms).uniq.size).to eq(1)
      expect(jobs.map(&:complete).uniq).to eq([:done])
    end

    it "are fewer when fewer wait, and none while the queue is paused" do
      ids = Array.new(3) { queue.enqueue("x") }
      expect(queue.claim_many(7, lease: 12.5).map(&:id)).to eq(ids)
      expect(queue.locate(ids.first).score_ms - server_ms).to be_between(10_000, 12_500)
      expect(queue.claim_many(5)).to eq([])
      queue.enqueue("x")
      queue.pause
      expect([queue.claim_many(5), queue.depth]).to eq([[], 1])
    end

    it "settle each for itself" do
      poison, *others = Array.new(3) { |i| queue.enqueue("p#{i}") }
      jobs = queue.claim_many(3)
      expect(failure { queue.complete(poison, 99) }).to be_a(EchoMQ::StaleError)
      expect(jobs[0].retry("poison", delay: 0.005, max_attempts: 3)).to eq(:scheduled)
      expect(jobs.last(2).map(&:complete)).to eq(%i[done done])
      expect(others.map { |id| queue.state(id) }).to eq(%i[absent absent])
      expect(queue.job(poison).fields).to include("state" => "scheduled", "last_error" => "poison")
      eventually("promotion") { queue.promote == 1 }
      expect(queue.claim_many(5).map { |job| [job.id, job.token] }).to eq([[poison, 2]])
    end

    it "take empty payloads, and leave ghosts out" do
      ghost = queue.enqueue("gone")
      id = queue.enqueue("")
      raw.call("DEL", key("job:#{ghost}"))
      expect(queue.claim_many(5).map { |job| [job.id, job.payload] }).to eq([[id, ""]])
      expect(client.ghosts).to eq(1)
    end

    [0, -1, 1_001, 2**63].each do |size|
      it "are refused for the size #{size}" do
        expect(refused { |q| q.claim_many(size) }).to be_a(EchoMQ::InvalidArgumentError)
      end
    end

    [nil, "1", 1.0].each do |size|
      it "are refused for the size #{size.inspect}" do
        expect(refused { |q| q.claim_many(size) }).to be_a(TypeError)
      end
    end
  end

  describe "completed at once" do
    it "have a verdict each, in order" do
      Array.new(4) { queue.enqueue("x") }
      done, gone, stale, put_off = queue.claim_many(4)
      gone.complete
      put_off.delay(60)
      unknown = unknown_id
      verdicts = queue.complete_many([done, gone, [stale.id, 99], put_off, [unknown, 1]])
      expect(verdicts.map(&:id)).to eq([done, gone, stale, put_off].map(&:id) << unknown)
      expect(verdicts.map(&:outcome)).to eq([:done, :gone, nil, nil, :gone])
      expect(verdicts.map { |verdict| verdict.error.class })
        .to eq([NilClass, NilClass, EchoMQ::StaleError, EchoMQ::StateError, NilClass])
      expect(queue.state(stale.id)).to eq(:active)
      expect(queue.counts(:active, :schedule, :completed))
        .to eq(active: 1, schedule: 1, completed: 2)
    end

    it "may be thousands, of any source" do
      queue.enqueue_many(["x"] * 2_500)
      jobs = Array.new(3) { queue.claim_many(1_000) }.flatten
      before = raw.commands
      expect(queue.complete_many(jobs.lazy).map(&:outcome).tally).to eq(done: 2_500)
      expect(raw.commands - before).to be >= 2_500
      expect(queue.counts(:active, :completed)).to eq(active: 0, completed: 2_500)
      expect(queue.complete_many([])).to eq([])
    end
  end

  describe "extended at once" do
    it "have a verdict each: live, stale and gone" do
      2.times { queue.enqueue("x") }
      live, stale = queue.claim_many(2)
      before = queue.locate(stale.id)
      verdicts = queue.extend_many([live, [stale.id, 999], [unknown_id, 1]], lease: 90)
      expect(verdicts.map(&:outcome)).to eq([:done, nil, nil])
      expect(verdicts.map { |verdict| verdict.error.class })
        .to eq([NilClass, EchoMQ::StaleError, EchoMQ::StaleError])
      expect(queue.locate(live.id).score_ms - server_ms).to be_between(85_000, 90_000)
      expect(queue.locate(stale.id)).to eq(before)
    end

    it "are all extended" do
      queue.enqueue_many(["x"] * 700)
      jobs = queue.claim_many(1_000, lease: 5)
      expect(queue.extend_many(jobs).map(&:outcome).tally).to eq(done: 700)
      oldest = raw.call("ZRANGE", key("active"), 0, 0, "WITHSCORES").last
      expect(Integer(oldest) - server_ms).to be > 20_000
    end
  end

  describe "in one call" do
    bad = {
      ["JOB00000000001"] => [TypeError, "item 1: must be a Job or [id, token], not Array"],
      "JOB00000000001" => [TypeError, "item 1: must be a Job or [id, token], not String"],
      nil => [TypeError, "item 1: must be a Job or [id, token], not NilClass"],
      [nil, 1] => [TypeError, "item 1: id must be a String, not NilClass"],
      ["JOB00000000001", 1.0] => [TypeError, "item 1: token must be an Integer, not Float"],
      ["JOB00000000001", 0] => [EchoMQ::InvalidArgumentError, /\Aitem 1: token 0 /],
      ["JOB00000000001", 2**64] => [EchoMQ::InvalidArgumentError, /\Aitem 1: token is out of /],
      ["JOB", 1] => [EchoMQ::InvalidArgumentError, /\Aitem 1: /],
    }
    bad.each do |item, (error, message)|
      it "are all refused for #{item.inspect}, before anything is sent" do
        jobs = [["JOB00000000002", 1], item]
        [->(q) { q.complete_many(jobs) }, ->(q) { q.extend_many(jobs.each) }].each do |call|
          exception = refused(&call)
          expect(exception).to be_a(error)
          expect(exception.message).to match(message)
          expect(exception.verdicts).to eq([])
        end
      end
    end

    it "are refused when one is another queue's" do
      queue.enqueue("x")
      job = queue.claim
      other = client.queue("#{queue.name}-other")
      before = raw.commands
      exception = failure { other.complete_many([job]) }
      expect(exception).to be_a(EchoMQ::InvalidArgumentError)
      expect(exception.message).to eq("item 0: the job is of the queue #{queue.name.inspect}")
      expect(raw.commands).to eq(before)
      expect(EchoMQ.connect(url) { |c| c.queue(queue.name).complete_many([job]).first.outcome })
        .to eq(:done)
    end

    it "are refused when they are none" do
      [nil, 5, "x"].each do |jobs|
        expect(refused { |q| q.complete_many(jobs) }).to be_a(TypeError)
        expect(refused { |q| q.extend_many(jobs) }).to be_a(TypeError)
      end
    end

    it "have verdicts in the exception when the server goes away" do
      server = own_server
      other = EchoMQ.connect(server.url, connect_timeout: 0.5).queue("q")
      other.enqueue_many(%w[a b])
      jobs = other.claim_many(2)
      server.kill
      { complete_many: jobs, extend_many: jobs.map { |job| [job.id, job.token] } }
        .each do |call, items|
        exception = failure { other.public_send(call, items) }
        expect(exception).to be_a(EchoMQ::ConnectionError)
        expect(exception.verdicts.map(&:id)).to eq(jobs.map(&:id))
        expect(exception.verdicts.map { |verdict| [verdict.outcome, verdict.error.class] }.uniq)
          .to eq([[nil, EchoMQ::ConnectionError]])
      end
    end

    it "have verdicts in the exception of a Timeout" do
      server = own_server
      other = EchoMQ.connect(server.url).queue("q")
      other.enqueue("x")
      job = other.claim
      server.freeze_up
      exception = failure { Timeout.timeout(0.3, IOError) { other.complete_many([job]) } }
      expect(exception).to be_a(IOError)
      expect(exception.verdicts.map { |verdict| verdict.error.class })
        .to eq([EchoMQ::UnknownOutcomeError]).or eq([EchoMQ::InterruptedError])
      server.go_on
      expect(other.complete(job.id, job.token)).to eq(:done).or eq(:gone)
    end
  end
end
