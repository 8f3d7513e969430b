# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"
require "json"

vectors = File.expand_path("../../../tests/conformance/vectors", __dir__)
ids = JSON.parse(File.read("#{vectors}/ids.json"))
keys = JSON.parse(File.read("#{vectors}/keys.json"))

RSpec.describe EchoMQ::Ids do
  it "takes ids apart and puts them together as others do" do
    ids["valid"].each do |row|
      id, snowflake = row["id"], Integer(row["snowflake"])
      parts = EchoMQ::Ids.decode(id)
      expect(parts.to_a).to eq([row["namespace"], snowflake, *row.values_at("unix_ms", "node",
                                                                            "sequence", "hash32")])
      expect(EchoMQ::Ids.encode(parts.namespace, snowflake)).to eq(id)
      expect(EchoMQ::Ids.snowflake(parts.unix_ms, parts.node, parts.sequence)).to eq(snowflake)
      expect(EchoMQ::Ids.hash32(snowflake)).to eq(row["hash32"])
      expect(EchoMQ::Ids.parse(id)).to eq(id)
    end
  end

  it "refuses what is none" do
    invalid = ids["invalid"].map { |row| [row["bytes_hex"]].pack("H*") }
    expect(invalid.size).to be > 10
    invalid.each do |bytes|
      expect { EchoMQ::Ids.parse(bytes) }.to raise_error(EchoMQ::InvalidArgumentError)
      expect { EchoMQ::Ids.decode(bytes) }.to raise_error(EchoMQ::InvalidArgumentError)
    end
    [nil, 5, :JOB].each { |id| expect { EchoMQ::Ids.parse(id) }.to raise_error(TypeError) }
  end

  it "refuses numbers that do not fit" do
    [["JOB", 2**63], ["JOB", -1], ["JOB", 2**70], ["job", 1], ["JO", 1]].each do |arguments|
      expect { EchoMQ::Ids.encode(*arguments) }.to raise_error(EchoMQ::InvalidArgumentError)
    end
    [[EchoMQ::Ids::EPOCH_MS - 1, 0, 0], [EchoMQ::Ids::EPOCH_MS, 1024, 0],
     [EchoMQ::Ids::EPOCH_MS, 0, 4096], [2**63, 0, 0]].each do |arguments|
      expect { EchoMQ::Ids.snowflake(*arguments) }.to raise_error(EchoMQ::InvalidArgumentError)
    end
    [["JOB", 1.0], ["JOB", "1"], ["JOB", nil]].each do |arguments|
      expect { EchoMQ::Ids.encode(*arguments) }.to raise_error(TypeError)
    end
  end

  it "mints" do
    minter = EchoMQ::Ids::Minter.new(node: 7)
    made = Array.new(10_000) { minter.mint }
    expect(made).to eq(made.sort.uniq)
    expect(made.map { |id| EchoMQ::Ids.decode(id).node }.uniq).to eq([minter.node])
    at = (Time.now.to_i + 3600) * 1000
    expect(EchoMQ::Ids.decode(minter.mint_at(at, "USR")).to_h)
      .to include(namespace: "USR", unix_ms: at, sequence: 0, node: 7)
  end

  it "takes a node from the environment" do
    output, errors, = OtherRuby.run("ENV['ECHOMQ_NODE'] = '77'; puts EchoMQ::Ids::Minter.new.node
                                     ENV['ECHOMQ_NODE'] = '1024'; EchoMQ::Ids::Minter.new")
    expect(output).to eq("77\n")
    expect(errors).to include("ECHOMQ_NODE", "InvalidArgumentError")
  end
end

RSpec.describe EchoMQ::Keys do
  it "are those of others" do
    keys["queue_keys"].each do |row|
      expect(EchoMQ::Keys.queue_key(row["queue"], row["type"])).to eq(row["key"].b)
    end
    keys["job_keys"].each do |row|
      expect(EchoMQ::Keys.job_key(row["queue"], row["id"])).to eq(row["key"].b)
    end
    keys["slots"].each do |row|
      expect(EchoMQ::Keys.slot(row["key"])).to eq(row["slot"])
      expect(EchoMQ::Keys.hashtag(row["key"])).to eq(row["hashtag"].b)
    end
    expect(EchoMQ::Keys.version_key).to eq(keys["version_key"].b)
    expect(EchoMQ::Keys.reserve_key("locks")).to eq(keys["reserve_locks"].b)
  end

  it "are refused for names and ids that are none" do
    expect { EchoMQ::Keys.queue_key("a{", "x") }.to raise_error(EchoMQ::InvalidArgumentError)
    expect { EchoMQ::Keys.job_key("q", "JOB") }.to raise_error(EchoMQ::InvalidArgumentError)
    expect { EchoMQ::Keys.slot(nil) }.to raise_error(TypeError)
  end
end
