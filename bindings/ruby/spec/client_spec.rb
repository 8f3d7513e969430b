# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "EchoMQ.connect" do
  it "gives an open client of the store's wire" do
    expect(client.identity).to eq("echomq:4.0.0")
    expect(client.executor).to eq(:scripted)
    expect(client.ghosts).to eq(0)
    expect(client).not_to be_closed
  end

  it "yields the client, returns the block's value and closes" do
    kept = nil
    value = EchoMQ.connect(url) do |yielded|
      kept = yielded
      expect(yielded).not_to be_closed
      :value
    end
    expect(value).to eq(:value)
    expect(kept).to be_closed
  end

  it "closes when the block raises" do
    kept = nil
    expect(failure { EchoMQ.connect(url) { |yielded| raise IOError, "x#{kept = yielded}" } })
      .to be_a(IOError)
    expect(kept).to be_closed
  end

  it "can be closed twice, and raises ClosedError afterwards" do
    queue.enqueue("x")
    job = queue.claim
    2.times { expect(client.close).to be_nil }
    expect(client).to be_closed
    calls = [-> { queue.enqueue("x") }, -> { queue.enqueue("x", delay: 1) },
             -> { queue.enqueue_many(["x"]) }, -> { queue.claim }, -> { queue.claim_many(2) },
             -> { job.complete }, -> { job.retry("x") }, -> { job.delay(1) }, -> { job.extend },
             -> { queue.complete_many([job]) }, -> { queue.extend_many([job]) },
             -> { queue.promote }, -> { queue.reap }, -> { queue.sweep },
             -> { queue.update_data(job.id, "x") }, -> { queue.update_progress(job.id, "x") },
             -> { queue.add_log(job.id, "x") }, -> { queue.logs(job.id) },
             -> { queue.remove(job.id) }, -> { queue.reprocess(job.id) }, -> { queue.pause },
             -> { queue.resume }, -> { queue.drain }, -> { queue.obliterate },
             -> { queue.browse(:dead) }, -> { queue.depth }, -> { queue.dedup("x") },
             -> { queue.metric(:failed) }, -> { queue.locate(job.id) }, -> { queue.check },
             -> { queue.counts }, -> { queue.state(job.id) }, -> { queue.job(job.id) },
             -> { client.queue("other") }]
    expect(calls.map { |call| failure(&call).class }.uniq).to eq([EchoMQ::ClosedError])
    expect(client.identity).to eq("echomq:4.0.0")
    expect(client.inspect).to include("closed")
  end

  it "ends a call that another thread is in when it is closed" do
    server = own_server
    other = EchoMQ.connect(server.url)
    server.freeze_up
    caller = Thread.new { failure { other.queue("q").counts } }
    eventually("call") { caller.status == "sleep" }
    expect(seconds { other.close }).to be < 1
    expect(seconds { expect(caller.value).to be_a(EchoMQ::ClosedError) }).to be < 1
  end

  it "names the client, again after a reconnect" do
    name = "rb-#{SecureRandom.hex(4)}"
    EchoMQ.connect(url, client_name: name) do |named|
      2.times do
        named.queue("q").counts
        line = raw.call("CLIENT", "LIST").lines.grep(/ name=#{name} /)
        expect(line.size).to eq(1)
        raw.call("CLIENT", "KILL", "ID", line.first[/\Aid=(\d+)/, 1])
      end
    end
  end

  it "goes on by itself when its connection was killed" do
    queue
    raw.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    id = queue.enqueue("x")
    raw.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    job = queue.claim
    raw.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    expect([job.id, job.complete]).to eq([id, :done])
  end

  describe "credentials:" do
    password = "p+/ =@:#%?ä"

    it "taken literally from the options, decoded from the URL" do
      server = own_server("--requirepass", password)
      quoted = password.bytes.map { |byte| format("%%%02X", byte) }.join
      expect(failure { EchoMQ.connect(server.url) }).to be_a(EchoMQ::AuthError)
      expect(failure { EchoMQ.connect(server.url, password: "no") }).to be_a(EchoMQ::AuthError)
      EchoMQ.connect(server.url, password: password) { |c| c.queue("q").enqueue("x") }
      EchoMQ.connect("#{server.url}&password=#{quoted}") { |c| c.queue("q").enqueue("x") }
      EchoMQ.connect(server.url, username: "default", password: password) do |c|
        expect(c.queue("q").counts(:pending)).to eq(pending: 2)
      end
    end
  end

  describe "the fence:" do
    it "refuses a foreign store, and writes nothing" do
      server = own_server
      store = server.raw
      store.call("SET", "{emq}:version", "echomq:9.9.9")
      exception = failure { EchoMQ.connect(server.url) }
      expect(exception).to be_a(EchoMQ::FenceError)
      expect(exception).to have_attributes(code: :fence, found: "echomq:9.9.9",
                                           expected: "echomq:4.0.0", retriable?: false)
      expect(exception.message).to include("echomq:9.9.9", "echomq:4.0.0")
      expect(store.call("KEYS", "*")).to eq(["{emq}:version"])
      expect(store.call("GET", "{emq}:version")).to eq("echomq:9.9.9")
    end

    it "is passed again after a reconnect" do
      server = own_server
      store = server.raw
      other = EchoMQ.connect(server.url).queue("q")
      store.call("SET", "{emq}:version", "echomq:9.9.9")
      store.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
      expect(failure { other.enqueue("x") }).to be_a(EchoMQ::FenceError)
      expect(store.call("DBSIZE")).to eq(1)
    end

    it "takes a deployment's own identity" do
      server = own_server
      server.raw.call("SET", "{emq}:version", "echomq:3.0.0")
      EchoMQ.connect(server.url, identity: "echomq:3.0.0", executor: :scripted) do |c|
        expect(c.identity).to eq("echomq:3.0.0")
        expect(c.queue("q").enqueue("x")).to start_with("JOB")
      end
    end
  end

  describe "refuses options before it connects:" do
    nowhere = "unix:///nowhere/at/all"
    {
      { executor: :lua } => EchoMQ::InvalidArgumentError,
      { executor: nil } => EchoMQ::InvalidArgumentError,
      { node: -1 } => EchoMQ::InvalidArgumentError,
      { node: 1024 } => EchoMQ::InvalidArgumentError,
      { node: 2**40 } => EchoMQ::InvalidArgumentError,
      { node: "1" } => TypeError,
      { connect_timeout: 0 } => EchoMQ::InvalidArgumentError,
      { connect_timeout: Float::NAN } => EchoMQ::InvalidArgumentError,
      { connect_timeout: -1 } => EchoMQ::InvalidArgumentError,
      { call_timeout: 1e10 } => EchoMQ::InvalidArgumentError,
      { call_timeout: nil } => TypeError,
      { call_timeout: "1" } => TypeError,
      { password: 5 } => TypeError,
      { client_name: "with space" } => EchoMQ::InvalidArgumentError,
      { identity: "" } => EchoMQ::InvalidArgumentError,
    }.each do |options, error|
      it options.inspect do
        expect(failure { EchoMQ.connect(nowhere, **options) }.class).to eq(error)
      end
    end

    it "and names the one of a wrong type" do
      error = failure { EchoMQ.connect(nowhere, call_timeout: "1") }
      expect(error.message).to eq("call_timeout must be a number of seconds, not String")
    end

    ["", "localhost", "http://localhost", "rediss://localhost", "redis://localhost:port",
     "redis://localhost/x", "unix://", "redis://a\0b"].each do |bad|
      it "the URL #{bad.inspect}" do
        expect(failure { EchoMQ.connect(bad) }).to be_a(EchoMQ::InvalidArgumentError)
          .or be_a(EchoMQ::UnsupportedError)
      end
    end
  end

  describe "handles:" do
    it "are neither allocated, copied nor dumped" do
      queue.enqueue("x")
      objects = [client, queue, queue.claim, EchoMQ::Ids::Minter.new]
      objects.each do |object|
        expect { object.class.allocate }.to raise_error(NoMethodError)
        expect { object.dup }.to raise_error(TypeError)
        expect { object.clone }.to raise_error(TypeError)
        expect { Marshal.dump(object) }.to raise_error(TypeError)
      end
      [EchoMQ::Client, EchoMQ::Queue, EchoMQ::Job].each do |klass|
        expect { klass.new(1) }.to raise_error(NoMethodError)
      end
    end

    it "hold for the core's, too" do
      handles = [client.instance_variable_get(:@handle), EchoMQ::Core.emq_batch_new,
                 EchoMQ::Core.emq_leases_new]
      handles.each do |handle|
        expect { handle.class.allocate }.to raise_error(TypeError)
        expect { handle.class.new }.to raise_error(TypeError)
        expect { handle.dup }.to raise_error(TypeError)
        expect { Marshal.dump(handle) }.to raise_error(TypeError)
      end
      [nil, 5, "x", handles.last].each do |wrong|
        expect { EchoMQ::Core.emq_enqueue(wrong, "q", "x") }.to raise_error(TypeError)
      end
    end
  end
end
