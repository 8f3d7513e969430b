# SPDX-License-Identifier: MIT
# frozen_string_literal: true

# A server of a test's own, to stop and to break. It goes away with this process.
class Server
  attr_reader :url, :pid

  def initialize(*arguments)
    launcher = ENV.fetch("ECHOMQ_TEST_SERVER")
    kind = ENV.fetch("ECHOMQ_TEST_KIND")
    @launcher = IO.popen([launcher, "--kind", kind, *arguments], "r+")
    @url = @launcher.gets&.chomp or raise "the server did not start"
    @pid = Integer(@launcher.gets)
  end

  # Freezes the server: it accepts connections, and answers nothing.
  def freeze_up
    Process.kill(:STOP, pid)
  end

  def go_on
    Process.kill(:CONT, pid)
  end

  # Ends the server at once; returns when nobody listens any more.
  def kill
    Process.kill(:KILL, pid)
    loop { raw.close }
  rescue Errno::ENOENT, Errno::ECONNREFUSED
    nil
  end

  def raw
    Raw.new(url)
  end

  def stop
    begin
      go_on
    rescue Errno::ESRCH
      nil
    end
    @launcher.close
  end
end
