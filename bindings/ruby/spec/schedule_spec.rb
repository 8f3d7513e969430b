# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "scheduled jobs" do
  after { expect(queue.check).to eq([]) }

  # The score of a job in the schedule, or nil.
  def due(id)
    raw.call("ZSCORE", key("schedule"), id)&.then { |score| Integer(score) }
  end

  it "wait for their time, and then for promote" do
    id = queue.enqueue("later\0", delay: 0.03)
    expect(queue.state(id)).to eq(:scheduled)
    expect(queue.job(id).to_h).to include(state: "scheduled", attempts: 0, payload: "later\0".b)
    expect([queue.claim, queue.depth]).to eq([nil, 0])
    past(due(id))
    expect(queue.claim).to be_nil
    expect(queue.promote(limit: 10)).to eq(1)
    expect(queue.promote).to eq(0)
    job = queue.claim
    expect([job.id, job.payload, job.token]).to eq([id, "later\0".b, 1])
    expect(job.complete).to eq(:done)
  end

  it "take a delay from the server's now, rounded up to a millisecond" do
    { 60 => 60_000, 0.25 => 250, 1.0001 => 1_001, Rational(1, 3) => 334, 0 => 0,
      31_536_000 => 31_536_000_000 }.each do |delay, milliseconds|
      before = server_ms
      id = queue.enqueue("x", delay: delay)
      expect(due(id)).to be_between(before + milliseconds, server_ms + milliseconds)
    end
  end

  it "take a Time, or unix seconds" do
    time = Time.utc(2100, 1, 2, 3, 4, 5, Rational(678_000_001, 1000))
    { time => 4_102_542_245_679, time.localtime("+05:45") => 4_102_542_245_679,
      Time.at(0) => 0, 0 => 0, 4_102_542_245 => 4_102_542_245_000,
      4_102_542_245.25 => 4_102_542_245_250,
      Time.utc(9999, 12, 31, 23, 59, 59) => 253_402_300_799_000,
      Time.at(1, Rational(1, 1_000_000), :nsec) => 1_001 }.each do |at, score|
      expect(due(queue.enqueue("x", at: at))).to eq(score)
    end
    expect(queue.promote).to eq(3)
  end

  it "take an id of the caller's, and say when it is a duplicate" do
    id = unknown_id
    expect(queue.enqueue("first", id: id, delay: 60)).to eq(id)
    score = due(id)
    expect(queue.enqueue("second", id: id, at: Time.now)).to be_nil
    expect(queue.enqueue("third", id: id)).to be_nil
    expect([due(id), queue.job(id).payload]).to eq([score, "first"])
  end

  it "raise KindError for an id that is no job's" do
    user = EchoMQ::Ids::Minter.new.mint("USR")
    expect(failure { queue.enqueue("x", id: user, delay: 1) }).to be_a(EchoMQ::KindError)
    expect(raw.call("KEYS", key("*"))).to eq([])
  end

  it "are promoted oldest time first, as many as asked for" do
    ids = [3, 1, 2].map { |second| [second, queue.enqueue("x", at: second)] }.sort.map(&:last)
    expect(queue.promote(limit: 2)).to eq(2)
    expect(queue.browse(:pending).sort).to eq(ids.first(2).sort)
    expect(queue.browse(:scheduled)).to eq([ids.last])
  end

  {
    [{ delay: -0.001 }, { delay: -1 }, { delay: 31_536_001 }, { delay: Float::NAN },
     { delay: Float::INFINITY }, { delay: -Float::INFINITY }, { delay: 10**400 },
     { at: -1 }, { at: Float::NAN }, { at: 253_402_300_800 }, { at: Time.at(-1) },
     { at: Time.utc(10_000) }, { at: Time.utc(9999, 12, 31, 23, 59, 59, 999_001) },
     { at: 2**63 }, { at: Time.at(2**64) }, { delay: 1, at: Time.now }] =>
      EchoMQ::InvalidArgumentError,
    [{ delay: "1" }, { delay: :soon }, { delay: false }, { delay: Time.now }, { delay: 1i },
     { at: "tomorrow" }, { at: true }, { at: [] }, { at: 1i }] => TypeError,
  }.each do |all, error|
    all.each do |options|
      it "refuse #{options.inspect} before anything is sent" do
        [->(q) { q.enqueue("x", **options) }, ->(q) { q.enqueue("x", id: unknown_id, **options) },
         ->(q) { q.delay(unknown_id, 1, options[:delay], at: options[:at]) }].each do |call|
          expect(refused(&call)).to be_a(error)
        end
      end
    end
  end

  it "refuse a bad payload, id or limit before anything is sent" do
    expect(refused { |q| q.enqueue(nil, delay: 1) }).to be_a(TypeError)
    expect(refused { |q| q.enqueue("x", id: "JOB", delay: 1) })
      .to be_a(EchoMQ::InvalidArgumentError)
    [0, -1, 10_001, 2**64].each do |limit|
      expect(refused { |q| q.promote(limit: limit) }).to be_a(EchoMQ::InvalidArgumentError)
    end
    [nil, "1", 1.0].each do |limit|
      expect(refused { |q| q.promote(limit: limit) }).to be_a(TypeError)
    end
  end
end
