# SPDX-License-Identifier: MIT
# frozen_string_literal: true

module EchoMQ
  # Branded ids: 14 characters, three of a namespace and eleven of a 63-bit snowflake in base62.
  # Inside one namespace their byte order is the order in which they were minted. What is no id is
  # refused with an InvalidArgumentError that says why.
  module Ids
    # The first millisecond of the snowflake's clock, in unix ms: 2024-01-01 UTC.
    EPOCH_MS = Core.emq_id_epoch_ms

    # What an id is made of.
    Parts = Struct.new(:namespace, :snowflake, :unix_ms, :node, :sequence, :hash32)

    module_function

    # Checks an id of any namespace and returns it.
    def parse(id)
      Core.emq_id_parse(id)
    end

    # Takes an id apart: its Parts.
    def decode(id)
      text = parse(id)
      Parts.new(text[0, Core::EMQ_NAMESPACE_LEN], Core.emq_id_snowflake(text),
                Core.emq_id_unix_ms(text), Core.emq_id_node(text), Core.emq_id_sequence(text),
                Core.emq_id_hash32(text)).freeze
    end

    # The id of a namespace (three letters A-Z) and a snowflake (0 to 2^63-1).
    def encode(namespace, snowflake)
      Core.emq_id_encode(namespace, snowflake)
    end

    # Puts a snowflake together: a time in unix ms, a node up to 1023, a sequence up to 4095.
    def snowflake(unix_ms, node, sequence)
      Core.emq_snowflake(unix_ms, node, sequence)
    end

    # The 32-bit hash of a snowflake.
    def hash32(snowflake)
      Core.emq_hash32(snowflake)
    end

    # A minter's node in the core's form: -1 for none.
    def self.core_node(node) # :nodoc:
      return -1 if node.nil?
      raise TypeError, "node must be an Integer, not #{node.class}" unless node.is_a?(Integer)
      return node if node.between?(0, Core::EMQ_NODE_MAX)

      raise InvalidArgumentError, "node is #{node}, 0 to #{Core::EMQ_NODE_MAX} are allowed"
    end

    # Makes ids, never the same twice, whatever the clock does; in a forked child too. Any thread
    # may use it.
    class Minter
      include Unique
      public_class_method :new

      # +node+ is 0 to 1023; nil: from the environment's ECHOMQ_NODE, else random.
      def initialize(node: nil)
        @handle = Core.emq_minter_new(Ids.core_node(node))
      end

      # The next id of a namespace.
      def mint(namespace = "JOB")
        Core.emq_minter_next(@handle, namespace)
      end

      # The same, at a time of the caller's in unix ms.
      def mint_at(unix_ms, namespace = "JOB")
        Core.emq_minter_next_at(@handle, namespace, unix_ms)
      end

      # The node in use in this process.
      def node
        Core.emq_minter_node(@handle)
      end
    end
  end
end
