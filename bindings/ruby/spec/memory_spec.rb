# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "memory" do
  # Runs the work a few times to warm up, then many times; returns the growth in bytes.
  growth = <<~'RUBY'
    url, name = ARGV
    queue = EchoMQ.connect(url).queue(name)
    payload = "x" * 50_000
    resident = lambda do
      3.times { GC.start }
      Integer(File.read("/proc/self/status")[/^VmRSS:\s+(\d+) kB/, 1]) * 1024
    end
    work = lambda do |times|
      times.times do |i|
        WORK
        GC.start if (i % 20).zero? # or the peak of garbage hides what is lost
      end
    end
    work.call(200)
    before = resident.call
    work.call(1_000)
    puts resident.call - before, Dir["/proc/self/fd/*"].size
  RUBY

  {
    "jobs" => "id = queue.enqueue(payload); queue.job(id); queue.claim.complete(payload)",
    "batches" => "queue.enqueue_many([payload] * 10); 10.times { queue.claim.complete }",
    "lifecycles" => "id = queue.enqueue(payload, delay: 0); queue.promote
                     job = queue.claim_many(10).first; job.extend; queue.add_log(id, payload)
                     queue.logs(id); job.retry(payload, max_attempts: 1); queue.browse(:dead)
                     queue.check if (i % 50).zero?; queue.locate(id); queue.reprocess(id)
                     queue.complete_many(queue.claim_many(5, lease: 60)); queue.sweep",
    "leases" => "jobs = Array.new(50) { ['JOB00000000001', 1] }
                 queue.complete_many(jobs); queue.extend_many(jobs)
                 (queue.complete_many(jobs << nil) rescue 0)",
    "refusals" => "(queue.enqueue_many([payload, nil]) rescue 0)
                   (queue.complete('JOB00000000001', -1, payload) rescue 0)",
    "server's refusals" => "(queue.enqueue(payload, id: 'USR00000000001') rescue 0)",
    "clients" => "EchoMQ.connect(url) { |client| client.queue(name).counts }",
    "clients that nobody closed" => "EchoMQ.connect(url).queue(name).counts",
  }.each do |what, work|
    it "stays flat over many #{what}" do
      output, errors, status = OtherRuby.run(growth.sub("WORK", work), url, queue.name)
      expect([errors, status.success?]).to eq(["", true])
      bytes, descriptors = output.split.map { |number| Integer(number) }
      expect(bytes).to be < 8 * 1024 * 1024
      expect(descriptors).to be < 100
    end
  end

  it "holds on to arguments in flight while the collector compacts and the caller changes them" do
    server = own_server
    other = EchoMQ.connect(server.url).queue("q")
    payloads = ["short", "of thirty bytes, and a few more", "long" * 500_000]
    payloads.each do |original|
      # A broken connection: the payload waits until the next one has passed the fence.
      server.raw.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
      server.freeze_up
      payload = original.dup
      sender = Thread.new { other.enqueue(payload) }
      eventually("call") { sender.status == "sleep" }
      payload.setbyte(0, 33)
      payload << " and more"
      payload.replace("changed")
      3.times do
        GC.start
        GC.compact
        Array.new(1_000) { "another #{rand}" }
      end
      server.go_on
      expect(other.job(sender.value).payload).to eq(original)
    end
  end

  it "bears GC.stress" do
    script = <<~'RUBY'
      queue = EchoMQ.connect(ARGV[0]).queue(ARGV[1])
      GC.auto_compact = true if GC.respond_to?(:auto_compact=)
      GC.stress = true
      ok = Array.new(3) do |i|
        id = queue.enqueue("short #{i}")
        queue.enqueue_many(["a#{i}", "b#{i}"])
        row = queue.job(id)
        jobs = [queue.claim, *queue.claim_many(2)]
        queue.complete(id, 99) rescue $!.is_a?(EchoMQ::StaleError) or raise
        queue.enqueue(nil) rescue $!.is_a?(TypeError) or raise
        later = queue.enqueue("later", delay: 60)
        queue.add_log(later, "line")
        queue.logs(later) == ["line"] && queue.locate(later).state == :scheduled or raise
        queue.browse(:scheduled) == [later] && queue.sweep.dead.empty? or raise
        queue.extend_many(jobs).map(&:outcome).uniq == [:done] or raise
        queue.remove(later)
        row.payload == "short #{i}" && jobs.map(&:payload) == ["short #{i}", "a#{i}", "b#{i}"] &&
          jobs.map(&:complete) == %i[done done done]
      end
      GC.stress = false
      GC.verify_compaction_references(toward: :empty)
      puts ok.all?
    RUBY
    output, errors, status = OtherRuby.run(script, url, queue.name)
    expect([output, errors, status.success?]).to eq(["true\n", "", true])
  end

  it "lets go of objects in any order" do
    script = <<~'RUBY'
      clients = Array.new(50) { EchoMQ.connect(ARGV[0]) }
      queues = clients.map { |client| client.queue("q") }
      clients = nil
      GC.start
      queues.each(&:counts)
      jobs = queues.map { |queue| queue.enqueue("x"); queue.claim }
      queues = nil
      GC.start
      jobs.each(&:complete)
      jobs.first(25).each { |job| job.queue.client.close }
      puts jobs.size
    RUBY
    output, errors, status = OtherRuby.run(script, url)
    expect([output, errors, status.success?]).to eq(["50\n", "", true])
  end
end
