# SPDX-License-Identifier: MIT
# frozen_string_literal: true

# A job queue on Valkey or Redis.
#
#   EchoMQ.connect("redis://localhost") do |client|
#     queue = client.queue("orders")
#     queue.enqueue("payload")
#     job = queue.claim(lease: 30)
#     job.complete
#   end
#
# Payloads are bytes: any String goes in as its bytes, whatever its encoding, and comes back as a
# binary String. Times are seconds. EchoMQ::Core is the C library as it is and no public interface.
module EchoMQ
end

require "echomq/_echomq"
require "echomq/words"
require "echomq/errors"
require "echomq/client"
require "echomq/queue"
require "echomq/ids"
require "echomq/keys"

module EchoMQ
  # The library's version.
  VERSION = Core.emq_version.freeze

  # Connects, and passes the fence: the store must speak this client's wire.
  #
  # url::             +redis://+ or +valkey://+ <tt>[user[:password]@]host[:port][/db]</tt>, or
  #                   <tt>unix:///path?db=n</tt>; nil for redis://127.0.0.1:6379/0
  # username::        taken literally, before the URL's
  # password::        taken literally, before the URL's
  # client_name::     for the server's list of clients
  # identity::        what the fence expects, where a deployment stamps its own
  # executor::        +:auto+ or +:scripted+, which are the same; +:native+ is not built
  # node::            of the ids minted here, 0 to 1023; nil: $ECHOMQ_NODE, else random
  # connect_timeout:: seconds to connect and pass the fence
  # call_timeout::    seconds for one call, reconnecting included
  #
  # Without a block, returns the Client. With one, yields it, closes it afterwards and returns what
  # the block returns. Raises FenceError (final: nothing was written), AuthError, ConnectionError,
  # TimeoutError, InvalidArgumentError and the others of the server's states.
  def self.connect(url = nil, username: nil, password: nil, client_name: nil, identity: nil,
                   executor: :auto, node: nil, connect_timeout: 5.0, call_timeout: 30.0)
    number = EXECUTORS[executor] or
      raise InvalidArgumentError, "executor must be :auto, :scripted or :native, " \
                                  "not #{executor.inspect}"
    limit = Core::EMQ_TIMEOUT_MAX_MS
    client = Client.__send__(
      :new,
      Core.emq_connect(url, username, password, client_name, identity, number,
                       Ids.core_node(node),
                       Times.milliseconds(connect_timeout, 1, limit, "connect_timeout"),
                       Times.milliseconds(call_timeout, 1, limit, "call_timeout"))
    )
    return client unless block_given?

    begin
      yield client
    ensure
      client.close
    end
  end
end
