# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "fork" do
  # Runs the block in a child and returns what it returned, through Marshal.
  def in_child
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      result = begin
        yield
      rescue Exception => e
        "#{e.class}: #{e.message}"
      end
      writer.write(Marshal.dump(result))
      writer.close
      exit!(0)
    end
    writer.close
    -> { Marshal.load(reader.read).tap { Process.wait(pid) } }
  end

  it "gives the child a connection of its own, and leaves the parent's alone" do
    queue.enqueue("x")
    children = Array.new(4) { in_child { Array.new(100) { |i| queue.enqueue("c#{i}") } } }
    ids = Array.new(100) { |i| queue.enqueue("p#{i}") }
    ids.each_with_index { |id, i| expect(queue.job(id).payload).to eq("p#{i}") }
    of_children = children.map(&:call)
    of_children.each do |list|
      list.each_with_index { |id, i| expect(queue.job(id).payload).to eq("c#{i}") }
    end
    expect([ids, *of_children].flatten.uniq.size).to eq(500)
    expect(queue.counts(:pending)).to eq(pending: 501)
  end

  it "works while another thread is in a call" do
    server = own_server
    other = EchoMQ.connect(server.url).queue("q")
    server.freeze_up
    caller = Thread.new { other.counts(:pending) }
    eventually("call") { caller.status == "sleep" }
    sleep 0.1
    child = in_child { other.enqueue("x").size }
    server.go_on
    expect(child.call).to eq(14)
    expect(caller.value[:pending]).to be_between(0, 1)
    expect(other.counts(:pending)).to eq(pending: 1)
  end

  it "lets the child close its copy" do
    queue
    child = in_child do
      client.close
      GC.start
      failure { queue.counts }.class.name
    end
    expect(child.call).to eq("EchoMQ::ClosedError")
    expect(queue.counts(:pending)).to eq(pending: 0)
  end

  it "lets the child exit as usual" do
    queue.enqueue("x")
    pid = fork { exit(5) }
    expect(Process.wait2(pid).last.exitstatus).to eq(5)
    expect(queue.counts(:pending)).to eq(pending: 1)
  end

  it "gives minters of the child other nodes or other ids" do
    minter = EchoMQ::Ids::Minter.new
    children = Array.new(4) { in_child { Array.new(2_000) { minter.mint } } }
    ids = Array.new(2_000) { minter.mint } + children.flat_map(&:call)
    expect(ids.uniq.size).to eq(10_000)
  end
end
