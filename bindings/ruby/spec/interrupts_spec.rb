# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "interrupts" do
  let(:server) { own_server }
  let(:other) { EchoMQ.connect(server.url) }
  let(:frozen_queue) do
    other.queue("q").tap { server.freeze_up }
  end

  # Restores a signal's handler after the block.
  def handling(signal, handler)
    before = trap(signal, &handler)
    yield
  ensure
    trap(signal, before)
  end

  # Sends a signal to this process once the main thread waits in a call.
  def signal_soon(signal, times: 1, pause: 0.2)
    Thread.new do
      times.times do
        sleep pause
        Process.kill(signal, Process.pid)
      end
    end
  end

  it "end a call by Timeout.timeout, and the client goes on afterwards" do
    queue = frozen_queue
    elapsed = seconds do
      expect { Timeout.timeout(0.3) { queue.claim } }.to raise_error(Timeout::Error)
    end
    expect(elapsed).to be_between(0.3, 1)
    server.go_on
    expect(queue.counts(:pending)).to eq(pending: 0)
  end

  it "end any other call by Timeout.timeout, and what it was about stays whole" do
    queue = other.queue("q")
    queue.enqueue_many(["x"] * 3)
    job = queue.claim
    [-> { queue.claim_many(5) }, -> { job.retry("x") }, -> { job.extend },
     -> { queue.complete_many([job]) }, -> { queue.promote }, -> { queue.sweep },
     -> { queue.logs(job.id) }, -> { queue.check }, -> { queue.browse(:active) }].each do |call|
      server.freeze_up
      elapsed = seconds do
        expect { Timeout.timeout(0.1) { call.call } }.to raise_error(Timeout::Error)
      end
      expect(elapsed).to be < 1
      server.go_on
    end
    expect(queue.check).to eq([])
    expect(queue.counts(:failed)).to eq(failed: 0)
  end

  it "end a connect" do
    server.freeze_up
    elapsed = seconds do
      expect { Timeout.timeout(0.3) { EchoMQ.connect(server.url) } }.to raise_error(Timeout::Error)
    end
    expect(elapsed).to be_between(0.3, 1)
  end

  it "end a call by Thread#kill, and what the thread ensures is done" do
    queue = frozen_queue
    ensured = false
    thread = Thread.new do
      queue.claim
    ensure
      ensured = true
    end
    eventually("call") { thread.status == "sleep" }
    sleep 0.15
    expect(seconds { thread.kill.join }).to be < 1
    expect([thread.status, ensured]).to eq([false, true])
    server.go_on
    expect(queue.counts(:pending)).to eq(pending: 0)
  end

  it "end a call by Thread#raise" do
    queue = frozen_queue
    thread = Thread.new { failure { queue.claim } }
    eventually("call") { thread.status == "sleep" }
    thread.raise(IOError, "mine")
    expect(seconds { expect(thread.value).to be_a(IOError) }).to be < 1
  end

  it "are held back where the program says so" do
    queue = frozen_queue
    events = []
    thread = Thread.new do
      Thread.handle_interrupt(IOError => :never) do
        events << queue.counts(:pending)
      end
    rescue IOError
      events << :raised
    end
    eventually("call") { thread.status == "sleep" }
    thread.raise(IOError, "mine")
    sleep 0.3
    expect(events).to eq([])
    server.go_on
    thread.join
    expect(events).to eq([{ pending: 0 }, :raised])
  end

  it "tell what enqueue_many had done" do
    queue = other.queue("q")
    source = Enumerator.new do |payloads|
      2_000.times do |i|
        server.freeze_up if i == 1_500
        payloads << "x"
      end
    end
    exception = failure { Timeout.timeout(1, IOError) { queue.enqueue_many(source) } }
    expect(exception).to be_a(IOError)
    expect(exception.verdicts.map(&:outcome).tally).to eq(enqueued: 1_000, nil => 1_000)
    expect(exception.verdicts.last.error).to be_a(EchoMQ::UnknownOutcomeError)
      .or be_a(EchoMQ::InterruptedError)
  end

  it "of a spurious kind do not" do
    queue = frozen_queue
    thread = Thread.new { queue.counts(:pending) }
    5.times do
      eventually("call") { thread.status == "sleep" }
      thread.wakeup
      sleep 0.02
    end
    server.go_on
    expect(thread.value).to eq(pending: 0)
  end

  describe "by signals:" do
    it "a handler runs at once, and the call goes on" do
      queue = frozen_queue
      heard = []
      start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      handler = ->(_) { heard << Process.clock_gettime(Process::CLOCK_MONOTONIC) - start }
      handling(:USR1, handler) do
        signal_soon(:USR1, times: 3)
        Thread.new { sleep(0.9) && server.go_on }
        expect(queue.counts(:pending)).to eq(pending: 0)
      end
      expect(heard.size).to eq(3)
      expect(heard.first).to be < 0.6
    end

    it "what a handler raises ends the call" do
      queue = frozen_queue
      handling(:USR1, ->(_) { raise IOError, "mine" }) do
        signal_soon(:USR1)
        exception = nil
        expect(seconds { exception = failure { queue.claim } }).to be < 1
        expect(exception).to be_a(IOError).and have_attributes(message: "mine")
      end
    end

    it "a storm of them does no harm" do
      queue = frozen_queue
      heard = calls = 0
      handling(:USR1, ->(_) { raise IOError if ((heard += 1) % 3).zero? }) do
        storm = signal_soon(:USR1, times: 1_000_000, pause: 0.003)
        begin
          queue.counts while (calls += 1) < 100
          storm.kill.join
          sleep 0.1 # for the last of them
        rescue IOError
          retry
        end
      end
      expect(heard).to be > 200
      server.go_on
      expect(queue.counts(:pending)).to eq(pending: 0)
    end

    it "a handler may use another client, and is told off for the same one" do
      queue = frozen_queue
      heard = []
      handler = lambda do |_|
        heard << failure { queue.counts }.class
        heard << self.client.queue("q").counts(:dead)
      end
      client
      handling(:USR1, handler) do
        signal_soon(:USR1)
        Thread.new { sleep(0.6) && server.go_on }
        expect(queue.counts(:pending)).to eq(pending: 0)
      end
      expect(heard).to eq([EchoMQ::UnsupportedError, { dead: 0 }])
    end

    it "a handler may close the client" do
      queue = frozen_queue
      handling(:TERM, ->(_) { other.close }) do
        signal_soon(:TERM)
        expect(seconds { expect(failure { queue.claim }).to be_a(EchoMQ::ClosedError) }).to be < 1
      end
    end

    script = <<~RUBY
      $stdout.sync = true
      handlers = %w[INT TERM USR1 PIPE].to_h { |name| [name, trap(name, "DEFAULT")] }
      handlers.each { |name, handler| trap(name, handler) }
      client = EchoMQ.connect(ARGV[0])
      queue = client.queue("q")
      queue.counts
      after = handlers.keys.to_h { |name| [name, trap(name, handlers[name] || "DEFAULT")] }
      puts after == handlers ? "untouched" : "touched: \#{after} \#{handlers}"
      Process.kill(:STOP, Integer(ARGV[1]))
      puts "ready"
      begin
        queue.claim
      rescue Interrupt
        puts "interrupted"
        exit 3
      end
    RUBY

    it "Ctrl-C raises Interrupt within a second, and no handler of the program is replaced" do
      output = OtherRuby.start(script, server.url, server.pid.to_s)
      expect([output.gets, output.gets]).to eq(["untouched\n", "ready\n"])
      sleep 0.2
      elapsed = seconds do
        Process.kill(:INT, output.pid)
        expect(output.gets).to eq("interrupted\n")
        output.close
      end
      expect(elapsed).to be < 1
      expect($?.exitstatus).to eq(3)
    end

    it "SIGTERM ends the program within a second" do
      output = OtherRuby.start(script, server.url, server.pid.to_s)
      expect([output.gets, output.gets]).to eq(["untouched\n", "ready\n"])
      sleep 0.2
      elapsed = seconds do
        Process.kill(:TERM, output.pid)
        output.close
      end
      expect(elapsed).to be < 1
      expect($?.termsig).to eq(Signal.list["TERM"])
    end
  end
end
