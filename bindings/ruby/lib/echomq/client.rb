# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # A connection that has passed the fence; EchoMQ.connect makes one.
  #
  # Several threads may use one client: their calls wait for each other. After a fork the child's
  # first call opens a connection of its own. A connection that broke is opened again by the next
  # call.
  class Client
    include Unique

    def initialize(handle)
      @handle = handle
    end

    # A Queue by name: 1 to 512 bytes, without braces and control characters. Nothing is sent.
    # Raises InvalidArgumentError, ClosedError.
    def queue(name)
      raise ClosedError if closed?

      Core.emq_queue_check(name)
      Queue.__send__(:new, self, @handle, name.to_str.dup.freeze)
    end

    # Closes the connection. A call that another thread is in ends within a tenth of a second, and it
    # and every later call raise ClosedError. Twice is harmless.
    def close
      Core.emq_client_close(@handle)
      nil
    end

    def closed?
      Core.emq_client_closed(@handle)
    end

    # The identity that the fence compared, such as "echomq:4.0.0".
    def identity
      Core.emq_client_identity(@handle)
    end

    # Who runs the transitions on the server: +:scripted+ or +:native+.
    def executor
      EXECUTORS.key(Core.emq_client_executor(@handle))
    end

    # How many members without a row this client has removed from its queues.
    def ghosts
      Core.emq_client_ghosts(@handle)
    end

    def inspect
      "#<#{self.class} #{identity} #{executor}#{" closed" if closed?}>"
    end
  end
end
