# SPDX-License-Identifier: MIT
# lifecycle.rb [URL]: the life of a job that fails: scheduled, tried twice, dead, requeued, done.
# Prints each step; ends with 1 as soon as something is not as it should be.

require "echomq"

def step(what, got, expected)
  puts "#{what}: #{got.inspect}"
  abort "lifecycle: #{what}: #{expected.inspect} was expected" unless got == expected
end

# Asks until the job's time has come, for ten seconds at most.
def promoted(queue)
  deadline = Time.now + 10
  sleep 0.01 while (count = queue.promote).zero? && Time.now < deadline
  count
end

EchoMQ.connect(*ARGV.first(1)) do |client|
  queue = client.queue("lifecycle-#{EchoMQ::Ids::Minter.new.mint}")

  id = queue.enqueue("2 x tea", delay: 0.2)
  step "enqueued for later", queue.state(id), :scheduled
  step "claimed too early", queue.claim, nil
  { 1 => :scheduled, 2 => :dead }.each do |attempt, outcome|
    step "promoted when due", promoted(queue), 1
    job = queue.claim(lease: 30)
    step "claimed", [job.id, job.payload, job.token], [id, "2 x tea", attempt]
    step "failed", job.retry("no tea left", delay: 0.2, max_attempts: 2), outcome
  end

  step "dead jobs", queue.browse(:dead), [id]
  step "last error", queue.job(id).fields["last_error"], "no tea left"
  step "requeued", queue.reprocess(id), :done
  queue.claim(lease: 30) { |job| step "claimed again", [job.id, job.token], [id, 3] }
  step "completed, failed", [queue.metric(:completed), queue.metric(:failed)], [1, 1]
  step "wrong in the queue", queue.check, []
  queue.pause
  queue.obliterate
end
