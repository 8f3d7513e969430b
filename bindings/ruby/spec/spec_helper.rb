# SPDX-License-Identifier: MIT
# frozen_string_literal: true

# These specs test the echomq that `require "echomq"` finds: the installed gem, or what RUBYLIB
# points to. RSpec puts ./lib in front, which has no compiled part and would hide that.
lib = File.expand_path("../lib", __dir__)
$LOAD_PATH.delete(lib) unless ENV["RUBYLIB"].to_s.split(":").include?(lib)

require "echomq"
require "securerandom"
require "timeout"
require_relative "support/raw"
require_relative "support/server"
require_relative "support/ruby"

ENV["ECHOMQ_TEST_URL"] or
  abort "ECHOMQ_TEST_URL is not set: run tests/support/server --kind valkey -- rspec"

module Fixtures
  def url
    ENV.fetch("ECHOMQ_TEST_URL")
  end

  def client
    @client ||= EchoMQ.connect(url)
  end

  # A queue that no other test has used.
  def queue
    @queue ||= client.queue("rb-#{SecureRandom.hex(8)}")
  end

  # The shared server, past echomq.
  def raw
    @raw ||= Raw.new(url)
  end

  # A key of the queue.
  def key(type)
    "emq:{#{queue.name}}:#{type}"
  end

  # A server of the test's own.
  def own_server(*arguments)
    @own_servers ||= []
    Server.new(*arguments).tap { |server| @own_servers << server }
  end

  # The block's exception, or nil; and how long the block took, in seconds.
  def failure
    yield
    nil
  rescue StandardError, Interrupt => e
    e
  end

  # Runs the block, which must raise, and returns the exception: the server has heard nothing.
  def refused
    queue
    before = raw.commands
    exception = failure { yield queue }
    expect(raw.commands).to eq(before)
    exception
  end

  # The server's time in unix ms; and waits until it is past a moment.
  def server_ms
    seconds, microseconds = raw.call("TIME").map { |text| Integer(text) }
    seconds * 1000 + microseconds / 1000
  end

  def past(moment)
    eventually("time past #{moment}") { server_ms > moment }
  end

  # A job that is dead.
  def dead_job(payload = "x")
    id = queue.enqueue(payload)
    queue.claim.retry("gave up", max_attempts: 1)
    id
  end

  # A job whose lease has ended.
  def lapsed_job
    queue.enqueue("x")
    queue.claim(lease: 0.001).tap { |job| past(queue.locate(job.id).score_ms) }
  end

  # An id that no job has.
  def unknown_id
    EchoMQ::Ids::Minter.new.mint
  end

  def seconds
    start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - start
  end

  def eventually(what, limit: 10)
    clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) }
    deadline = clock.call + limit
    until (value = yield)
      raise "no #{what} within #{limit} s" if clock.call > deadline

      sleep 0.005
    end
    value
  end

  def close_fixtures
    @client&.close
    @raw&.close
    @own_servers&.each(&:stop)
  end
end

RSpec.configure do |config|
  config.include(Fixtures)
  config.after { close_fixtures }
  config.around { |example| Timeout.timeout(120) { example.run } }
  config.disable_monkey_patching!
  config.expect_with(:rspec) { |expectations| expectations.max_formatted_output_length = 2_000 }
end
