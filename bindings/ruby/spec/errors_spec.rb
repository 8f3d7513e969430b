# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe EchoMQ::Error do
  # The rows of the core's table, read from the header itself.
  header = File.read(File.expand_path("../core/include/echomq/error.h", __dir__))
  rows = header.scan(/X\((\w+), +(-\d+), +(\w+), +(true|false), +"(.+?)"\)/)

  it "has a class for each row of the core's table" do
    expect(rows.size).to be > 20
    expect(EchoMQ::Error.classes.keys).to eq(rows.map { |name, *| name.downcase.to_sym })
    rows.each do |name, number, stem, retriable, text|
      klass = EchoMQ.const_get("#{stem}Error")
      expect(klass.ancestors).to include(EchoMQ::Error, StandardError)
      error = EchoMQ::Error.__send__(:of, Integer(number), "what happened", "ERR x", nil, nil)
      expect(error).to be_instance_of(klass)
      expect(error).to have_attributes(code: name.downcase.to_sym, message: "what happened",
                                       retriable?: retriable == "true", server_text: "ERR x",
                                       found: nil, expected: nil)
      expect(klass.new.message).to eq(text)
    end
  end

  it "can be raised and rescued like any other" do
    expect { raise EchoMQ::StaleError, "mine" }.to raise_error(EchoMQ::Error, "mine")
    expect(EchoMQ::Error.new.code).to be_nil
  end

  it "scrubs a server's text that is no UTF-8" do
    server = own_server
    store = server.raw
    store.call("SET", "{emq}:version", "\xFF\xFEforeign")
    exception = failure { EchoMQ.connect(server.url) }
    expect(exception).to be_a(EchoMQ::FenceError)
    expect([exception.message, exception.found]).to all(be_valid_encoding)
    expect(exception.found).to end_with("foreign")
  end

  describe "by what happens:" do
    it "ConnectionError where nobody listens" do
      exception = failure { EchoMQ.connect("unix:///nowhere/at/all") }
      expect(exception).to be_a(EchoMQ::ConnectionError)
      expect(exception).to be_retriable
    end

    it "TimeoutError where nobody answers" do
      server = own_server
      server.freeze_up
      exception = nil
      expect(seconds { exception = failure { EchoMQ.connect(server.url, connect_timeout: 0.3) } })
        .to be_between(0.29, 1.3)
      expect(exception).to be_a(EchoMQ::TimeoutError)
    end

    it "UnknownOutcomeError when a claim's reply never comes" do
      server = own_server
      other = EchoMQ.connect(server.url, call_timeout: 10).queue("q")
      server.freeze_up
      caller = Thread.new { failure { other.claim } }
      eventually("call") { caller.status == "sleep" }
      sleep 0.1
      server.kill
      expect(caller.value).to be_a(EchoMQ::UnknownOutcomeError)
      expect(caller.value).not_to be_retriable
    end

    it "a read's TimeoutError at the call's deadline" do
      server = own_server
      other = EchoMQ.connect(server.url, call_timeout: 0.3).queue("q")
      server.freeze_up
      expect(failure { other.counts }).to be_a(EchoMQ::TimeoutError)
      server.go_on
      expect(other.counts(:pending)).to eq(pending: 0)
    end

    it "WrongTypeError for an alien key" do
      raw.call("SET", key("pending"), "alien")
      [-> { queue.enqueue("x") }, -> { queue.claim }, -> { queue.counts }].each do |call|
        expect(failure(&call)).to be_a(EchoMQ::WrongTypeError)
      end
      raw.call("DEL", key("pending"))
      expect(queue.enqueue("x")).to be_a(String)
    end

    it "ServerMemoryError from a full server" do
      server = own_server("--maxmemory-policy", "noeviction")
      other = EchoMQ.connect(server.url).queue("q")
      server.raw.call("CONFIG", "SET", "maxmemory", "1")
      exception = failure { other.enqueue("x") }
      expect(exception).to be_a(EchoMQ::ServerMemoryError)
      expect(exception.server_text).to include("OOM")
      expect(exception).to be_retriable
    end

    it "PermissionError for a user that may not" do
      server = own_server
      server.raw.call("ACL", "SETUSER", "reader", "on", ">pw", "~*", "+get", "+set")
      options = { username: "reader", password: "pw" }
      other = EchoMQ.connect(server.url, **options).queue("q")
      expect(failure { other.enqueue("x") }).to be_a(EchoMQ::PermissionError)
    end

    it "ReadOnlyError from a replica" do
      server = own_server
      other = EchoMQ.connect(server.url, connect_timeout: 0.5).queue("q")
      server.raw.call("REPLICAOF", "127.0.0.1", "1")
      expect(failure { other.enqueue("x") }).to be_a(EchoMQ::ReadOnlyError)
    end
  end
end
