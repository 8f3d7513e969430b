# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require "io/wait"
require "socket"
require "uri"

# The server's own protocol on a plain socket, to see and do what echomq does not.
class Raw
  def initialize(url)
    @socket = UNIXSocket.new(URI.decode_www_form_component(url[%r{\Aunix://([^?]+)}, 1]))
  end

  # Sends a command and returns its reply; an error reply is raised.
  def call(*words)
    bulks = words.map { |word| "$#{word.to_s.bytesize}\r\n#{word}\r\n" }
    @socket.write("*#{words.size}\r\n", *bulks)
    read
  end

  # The next message of a channel that was subscribed to, which must come within a second.
  def message
    @socket.wait_readable(1) or raise "no message within a second"
    read
  end

  # How many commands the server has run, other than those of this class.
  def commands
    call("INFO", "commandstats").scan(/^cmdstat_(?!info)\S+?:calls=(\d+)/).sum { |(n)| n.to_i }
  end

  def close
    @socket.close
  end

  private

  def read
    line = @socket.gets("\r\n") or raise EOFError, "the server closed the connection"
    rest = line[1..].chomp
    case line[0]
    when "+" then rest
    when ":" then Integer(rest)
    when "-" then raise rest
    when "$" then read_bulk(Integer(rest))
    when "*" then Integer(rest).negative? ? nil : Array.new(Integer(rest)) { read }
    end
  end

  def read_bulk(size)
    return if size.negative?

    bytes = @socket.read(size)
    @socket.read(2)
    bytes
  end
end
