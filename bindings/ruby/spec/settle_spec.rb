# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "a claimed job" do
  after { expect(queue.check).to eq([]) }

  def claimed(payload = "x", **options)
    queue.enqueue(payload)
    queue.claim(**options)
  end

  # The block raises `error` and leaves the job's row and place as they were.
  def expect_refusal(id, error, server_text)
    before = [raw.call("HGETALL", key("job:#{id}")), queue.locate(id)]
    exception = failure { yield }
    expect(exception).to be_a(error)
    expect(exception.server_text).to eq(server_text)
    expect([raw.call("HGETALL", key("job:#{id}")), queue.locate(id)]).to eq(before)
  end

  describe "that failed" do
    it "comes back after a while, with its attempts and the reason" do
      job = claimed("work")
      expect(job.retry("boom\0\xFF", delay: 0.01, max_attempts: 3)).to eq(:scheduled)
      expect(queue.job(job.id).to_h).to include(state: "scheduled", attempts: 1)
      expect(queue.job(job.id).fields["last_error"]).to eq("boom\0\xFF".b)
      eventually("promotion") { queue.promote == 1 }
      again = queue.claim
      expect([again.id, again.token, again.payload]).to eq([job.id, 2, "work"])
      expect(again.complete).to eq(:done)
    end

    it "is dead after so many attempts, by a growing delay" do
      job = claimed("poison")
      (1..3).each do |attempt|
        expect(job.token).to eq(attempt)
        outcome = job.retry("boom #{attempt}", delay: 0.001 * 2**attempt, max_attempts: 3)
        expect(outcome).to eq(attempt == 3 ? :dead : :scheduled)
        break if outcome == :dead

        eventually("promotion") { queue.promote(limit: 10) == 1 }
        job = queue.claim
      end
      expect(queue.state(job.id)).to eq(:dead)
      expect(queue.job(job.id).fields["last_error"]).to eq("boom 3")
      expect(queue.browse(:dead)).to eq([job.id])
      expect(queue.metric(:failed)).to eq(1)
    end

    it "waits a second and has twenty attempts, unless told otherwise" do
      job = claimed
      before = server_ms
      expect(job.retry("x")).to eq(:scheduled)
      expect(queue.locate(job.id).score_ms).to be_between(before + 1_000, server_ms + 1_000)
      { 19 => :scheduled, 20 => :dead }.each do |token, outcome|
        id = queue.enqueue("x")
        raw.call("HSET", key("job:#{id}"), "attempts", token - 1)
        expect(queue.claim.retry("x")).to eq(outcome)
      end
    end

    it "may come back at once" do
      job = claimed
      expect(queue.retry(job.id, job.token, "x", delay: 0)).to eq(:scheduled)
      expect(queue.promote).to eq(1)
      expect(queue.claim.token).to eq(2)
    end

    it "keeps the first 4096 bytes of a reason, whole characters" do
      job = claimed
      job.retry("ß" * 3_000)
      expect(queue.job(job.id).fields["last_error"].force_encoding("UTF-8")).to eq("ß" * 2_048)
      job = claimed
      job.retry("a#{"ß" * 3_000}")
      expect(queue.job(job.id).fields["last_error"].force_encoding("UTF-8"))
        .to eq("a#{"ß" * 2_047}")
    end

    it "is gone when it was completed before" do
      job = claimed
      job.complete
      expect(job.retry("x")).to eq(:gone)
      expect(queue.retry(unknown_id, 1, "x")).to eq(:gone)
    end

    it "is left alone by a stale token, and when it is not active" do
      job = claimed
      expect_refusal(job.id, EchoMQ::StaleError, "EMQSTALE retry token mismatch") do
        queue.retry(job.id, 99, "x")
      end
      job.retry("first", delay: 60)
      expect_refusal(job.id, EchoMQ::StateError, "EMQSTATE not active") { job.retry("second") }
      expect_refusal(job.id, EchoMQ::StateError, "EMQSTATE not active") { job.complete }
      expect_refusal(job.id, EchoMQ::StateError, "EMQSTATE not active") { job.delay(1) }
    end
  end

  describe "that is put off" do
    it "keeps its attempts, and comes back when its time has come" do
      job = claimed
      expect(job.delay(0.04)).to eq(:done)
      row = queue.job(job.id)
      expect([row.state, row.attempts, row.fields["last_error"]]).to eq(["scheduled", 1, nil])
      expect(queue.claim).to be_nil
      expect([raw.call("ZSCORE", key("active"), job.id), queue.browse(:scheduled)])
        .to eq([nil, [job.id]])
      eventually("promotion") { queue.promote == 1 }
      again = queue.claim
      expect([again.id, again.token, again.complete]).to eq([job.id, 2, :done])
    end

    it "goes to a point in time, too" do
      job = claimed
      expect(job.delay(at: Time.utc(2100))).to eq(:done)
      expect(queue.locate(job.id)).to eq(EchoMQ::Place.new(:scheduled, 4_102_444_800_000, 1))
      other = claimed
      expect(queue.delay(other.id, other.token, at: 4_102_444_800.5)).to eq(:done)
      expect(queue.locate(other.id).score_ms).to eq(4_102_444_800_500)
    end

    it "is left alone by a stale token, after SCRIPT FLUSH too" do
      raw.call("SCRIPT", "FLUSH")
      first = lapsed_job
      expect(queue.reap).to eq(1)
      second = queue.claim
      expect(second.token).to eq(2)
      expect_refusal(first.id, EchoMQ::StaleError, "EMQSTALE delay token mismatch") do
        first.delay(60)
      end
      expect(queue.state(first.id)).to eq(:active)
      expect(second.delay(60)).to eq(:done)
      expect(queue.state(first.id)).to eq(:scheduled)
      expect(queue.delay(unknown_id, 1, 60)).to eq(:gone)
    end

    it "needs a delay or a time" do
      job = claimed
      expect(failure { job.delay }).to be_a(EchoMQ::InvalidArgumentError)
      expect(failure { job.delay(1, at: Time.now) }).to be_a(EchoMQ::InvalidArgumentError)
      expect(failure { job.delay("1") }).to be_a(TypeError)
      expect(queue.state(job.id)).to eq(:active)
    end

    it "raises KindError for an id that is no job's" do
      user = EchoMQ::Ids::Minter.new.mint("USR")
      expect(failure { queue.delay(user, 1, 1) }).to be_a(EchoMQ::KindError)
    end
  end

  describe "whose lease is extended" do
    it "is not taken back" do
      job = claimed(lease: 0.05)
      deadline = queue.locate(job.id).score_ms
      expect(job.extend(lease: 60)).to eq(:done)
      expect(queue.locate(job.id).score_ms).to be_between(deadline + 59_000, server_ms + 60_000)
      past(deadline)
      expect([queue.reap, queue.state(job.id)]).to eq([0, :active])
      expect_refusal(job.id, EchoMQ::StaleError, "EMQSTALE extend token mismatch") do
        queue.extend(job.id, 2)
      end
      expect(queue.extend(unknown_id, 1)).to eq(:gone)
    end

    it "may have been taken back before" do
      job = lapsed_job
      queue.reap
      expect_refusal(job.id, EchoMQ::StaleError, "EMQSTALE lease lapsed") { job.extend }
    end

    it "still is an object, which modules may extend" do
      job = claimed
      mark = Module.new { define_method(:marked) { true } }
      expect([job.extend(mark), queue.extend(mark)]).to eq([job, queue])
      expect([job.marked, queue.marked]).to eq([true, true])
      expect { queue.extend(job.id) }.to raise_error(ArgumentError)
    end
  end

  describe "in the block of its claim" do
    it "is completed afterwards" do
      id = queue.enqueue("x")
      seen = nil
      expect(queue.claim(lease: 5) { |job| seen = job }).to be(seen)
      expect([seen.id, queue.state(id)]).to eq([id, :absent])
      expect(queue.claim { raise "not reached" }).to be_nil
    end

    it "is tried again when the block raises, which goes on" do
      id = queue.enqueue("x")
      expect { queue.claim { raise IOError, "größe".encode(Encoding::UTF_16LE) } }
        .to raise_error(IOError)
      expect(queue.state(id)).to eq(:scheduled)
      expect(queue.job(id).fields["last_error"])
        .to eq("IOError: ".b + "größe".encode(Encoding::UTF_16LE).b)
    end

    it "stays as the block has settled it" do
      id = queue.enqueue("x")
      expect { queue.claim { |job| job.delay(60) && raise(IOError) } }.to raise_error(IOError)
      expect([queue.state(id), queue.job(id).fields["last_error"]]).to eq([:scheduled, nil])
      queue.enqueue("y")
      expect(queue.claim { |job| job.retry("mine", delay: 60) }).to be_a(EchoMQ::Job)
      expect(queue.counts(:schedule, :completed)).to eq(schedule: 2, completed: 0)
    end

    it "stays claimed when the block is left otherwise" do
      id = queue.enqueue("x")
      queue.claim { break }
      expect(queue.state(id)).to eq(:active)
      queue.enqueue("x")
      expect { queue.claim { raise Interrupt } }.to raise_error(Interrupt)
      expect(queue.counts(:active, :schedule)).to eq(active: 2, schedule: 0)
    end

    it "raises what completing it raises" do
      queue.enqueue("x")
      steal = lambda do |job|
        raw.call("ZADD", key("active"), 1, job.id)
        queue.reap
        queue.claim
      end
      expect { queue.claim(&steal) }.to raise_error(EchoMQ::StaleError)
      expect(queue.counts(:active, :schedule)).to eq(active: 1, schedule: 0)
    end
  end

  describe "is refused before anything is sent:" do
    id = "JOB00000000001"
    {
      "retry" => ->(q, seconds) { q.retry(id, 1, "x", delay: seconds) },
      "delay" => ->(q, seconds) { q.delay(id, 1, seconds) },
    }.each do |name, call|
      [-0.001, -1, Float::NAN, Float::INFINITY, -Float::INFINITY, 31_536_001, 1e300, 10**400]
        .each do |seconds|
        it "#{name} with #{seconds.to_s[0, 20]} as seconds" do
          exception = refused { |q| call.(q, seconds) }
          expect(exception).to be_a(EchoMQ::InvalidArgumentError)
          expect(exception.message).to start_with("delay is ")
        end
      end
    end

    [0, -1, Float::NAN, Float::INFINITY, 31_536_001, -1e300].each do |lease|
      it "an extension to #{lease} s" do
        expect(refused { |q| q.extend(id, 1, lease: lease) }).to be_a(EchoMQ::InvalidArgumentError)
        expect(refused { |q| q.extend_many([[id, 1]], lease: lease) })
          .to be_a(EchoMQ::InvalidArgumentError)
        expect(refused { |q| q.claim_many(1, lease: lease) })
          .to be_a(EchoMQ::InvalidArgumentError)
      end
    end

    [0, -1, 1_000_001, 2**63].each do |attempts|
      it "#{attempts} attempts" do
        exception = refused { |q| q.retry(id, 1, "x", max_attempts: attempts) }
        expect(exception).to be_a(EchoMQ::InvalidArgumentError)
      end
    end

    [0, -1, 2**63].each do |token|
      it "the token #{token}" do
        [->(q) { q.retry(id, token, "x") }, ->(q) { q.delay(id, token, 1) },
         ->(q) { q.extend(id, token) }].each do |call|
          expect(refused(&call)).to be_a(EchoMQ::InvalidArgumentError)
        end
      end
    end

    it "what is of a wrong type" do
      [->(q) { q.retry(id, 1, nil) }, ->(q) { q.retry(id, 1, :reason) },
       ->(q) { q.retry(id, 1, "x", delay: nil) }, ->(q) { q.retry(id, 1, "x", max_attempts: 2.0) },
       ->(q) { q.retry(id, "1", "x") }, ->(q) { q.retry(5, 1, "x") },
       ->(q) { q.delay(id, nil, 1) }, ->(q) { q.delay(nil, 1, 1) },
       ->(q) { q.extend(id, 1.0) }, ->(q) { q.extend(id, 1, lease: "5") },
       ->(q) { q.extend(nil, 1) }].each do |call|
        expect(refused(&call)).to be_a(TypeError)
      end
    end

    it "an id that is none" do
      [->(q) { q.retry("JOB", 1, "x") }, ->(q) { q.delay("JOB", 1, 1) },
       ->(q) { q.extend("JOB", 1) }].each do |call|
        expect(refused(&call)).to be_a(EchoMQ::InvalidArgumentError)
      end
    end
  end
end
