# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "recovery" do
  after { expect(queue.check).to eq([]) }

  describe "by reap" do
    it "takes back jobs whose lease has ended, attempts and all" do
      job = lapsed_job
      held = queue.enqueue("held").then { queue.claim }
      expect([queue.reap, queue.reap]).to eq([1, 0])
      expect([queue.state(job.id), queue.job(job.id).attempts]).to eq([:pending, 1])
      expect(queue.state(held.id)).to eq(:active)
      again = queue.claim
      expect([again.id, again.token]).to eq([job.id, 2])
      expect(failure { job.complete }).to be_a(EchoMQ::StaleError)
      expect(again.complete).to eq(:done)
    end

    it "lets a holder that came late complete its job" do
      job = lapsed_job
      queue.reap
      expect([job.complete, queue.depth]).to eq([:done, 0])
    end

    it "takes a hundred at a time" do
      queue.enqueue_many(["x"] * 150)
      last = queue.claim_many(150, lease: 0.001).last
      past(queue.locate(last.id).score_ms)
      expect(Array.new(3) { queue.reap }).to eq([100, 50, 0])
    end
  end

  describe "by sweep" do
    it "takes back jobs that stalled, and gives up those that did too often" do
      job = lapsed_job
      expect(queue.job(job.id).fields).not_to have_key("stalled")
      swept = queue.sweep(max_stalled: 2)
      expect([swept.recovered, swept.dead]).to eq([[job.id], []])
      expect(swept).to be_frozen
      expect(queue.job(job.id).fields).to include("stalled" => "1", "state" => "pending")

      again = queue.claim(lease: 0.001)
      expect(again.token).to eq(2)
      past(queue.locate(job.id).score_ms)
      recovered, dead = queue.sweep(max_stalled: 2)
      expect([recovered, dead]).to eq([[], [job.id]])
      expect(queue.job(job.id).fields).to include("state" => "dead", "last_error" => "stalled")
      expect([queue.state(job.id), queue.metric(:failed)]).to eq([:dead, 1])
      expect(queue.sweep.to_a).to eq([[], []])
    end

    it "gives up at the first stall unless told otherwise, as many as asked for" do
      queue.enqueue_many(["x"] * 3)
      jobs = queue.claim_many(3, lease: 0.001)
      past(queue.locate(jobs.last.id).score_ms)
      swept = queue.sweep(limit: 2)
      expect([swept.recovered, swept.dead]).to eq([[], jobs.first(2).map(&:id)])
      expect(swept.dead.map(&:encoding).uniq).to eq([Encoding::UTF_8])
      expect(queue.sweep(max_stalled: 2).recovered).to eq([jobs.last.id])
    end

    it "refuses bad numbers before anything is sent" do
      [{ max_stalled: 0 }, { max_stalled: 1_000_001 }, { max_stalled: -2**65 }, { limit: 0 },
       { limit: 10_001 }, { limit: -1 }].each do |options|
        expect(refused { |q| q.sweep(**options) }).to be_a(EchoMQ::InvalidArgumentError)
      end
      [{ max_stalled: nil }, { max_stalled: 1.0 }, { limit: "1" }].each do |options|
        expect(refused { |q| q.sweep(**options) }).to be_a(TypeError)
      end
    end
  end
end
