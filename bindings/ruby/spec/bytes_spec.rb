# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "bytes" do
  every_byte = (0..255).map(&:chr).join.b

  {
    "all values of a byte" => every_byte,
    "an empty payload" => "",
    "a NUL in the middle" => "a\0b",
    "a NUL at the end" => "a\0",
    "UTF-8" => "größe",
    "invalid UTF-8" => "\xC3(",
    "UTF-16" => "größe".encode(Encoding::UTF_16LE),
    "format directives" => "%s%n%b",
    "line ends" => "\r\n$5\r\n",
    "1 MiB" => every_byte * 4096,
  }.each do |what, payload|
    it "come back as they went in: #{what}" do
      id = queue.enqueue(payload)
      expect(raw.call("HGET", key("job:#{id}"), "payload")).to eq(payload.b)
      expect(queue.job(id).payload).to eq(payload.b)
      job = queue.claim
      expect(job.payload).to eq(payload.b)
      expect(job.payload.encoding).to eq(Encoding::BINARY)
    end
  end

  it "take frozen strings, shared parts and what converts to a String" do
    whole = "0123456789" * 10
    convertible = Object.new
    convertible.define_singleton_method(:to_str) { "by to_str" }
    payloads = ["frozen".freeze, whole[7..60], convertible]
    ids = payloads.map { |payload| queue.enqueue(payload) }
    expect(ids.map { |id| queue.job(id).payload }).to eq(["frozen", whole[7..60], "by to_str"])
    expect(queue.enqueue_many(payloads).map { |verdict| queue.job(verdict.id).payload })
      .to eq(["frozen", whole[7..60], "by to_str"])
  end

  it "leave the caller's string alone" do
    payload = +"mine"
    queue.enqueue(payload)
    payload << " still"
    expect(payload).to eq("mine still")
    expect(payload.encoding).to eq(Encoding::UTF_8)
  end

  it "are kept in results, for a parent" do
    parent = EchoMQ::Ids::Minter.new.mint
    child = queue.enqueue("child")
    raw.call("HSET", key("job:#{child}"), "parent", parent)
    raw.call("HSET", key("job:#{parent}"),
             "state", "awaiting_children", "attempts", 0, "payload", "")
    raw.call("SET", key("job:#{parent}:dependencies"), 1)
    expect(queue.claim.complete(every_byte)).to eq(:done)
    expect(raw.call("HGET", key("job:#{parent}:processed"), child)).to eq(every_byte)
    expect(queue.state(parent)).to eq(:pending)
  end

  it "have names as text and values as bytes in a row" do
    id = queue.enqueue("p")
    raw.call("HSET", key("job:#{id}"), "größe", "\xFF\0", "\xFF", "odd")
    row = queue.job(id)
    expect(row.fields.keys).to eq(["state", "attempts", "payload", "größe", "\xFF".b])
    expect(row.fields["größe"]).to eq("\xFF\0".b)
    expect(row.fields["größe"].encoding).to eq(Encoding::BINARY)
    expect(row.state.encoding).to eq(Encoding::UTF_8)
  end

  it "come in queue names of any UTF-8" do
    other = client.queue("größe und raum %s :#{SecureRandom.hex(4)}")
    id = other.enqueue("x")
    expect(raw.call("EXISTS", "emq:{#{other.name}}:job:#{id}")).to eq(1)
    expect(other.claim.complete).to eq(:done)
  end
end
