# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require "open3"
require "rbconfig"

# Another Ruby with the same echomq, with all warnings on.
module OtherRuby
  PATHS = %w[/echomq.rb /echomq/_echomq.so].flat_map do |tail|
    loaded = $LOADED_FEATURES.find { |path| path.end_with?(tail) }
    ["-I", loaded.delete_suffix(tail)]
  end
  COMMAND = [RbConfig.ruby, "-W", *PATHS].freeze
  PRELOAD = %w[-rechomq].freeze

  # Runs a script with arguments to its end: [output, errors, status].
  def self.run(script, *arguments, preload: PRELOAD)
    Open3.capture3(*COMMAND, *preload, "-e", script, *arguments)
  end

  # Starts one: its output and errors as an IO, which has its pid.
  def self.start(script, *arguments)
    IO.popen([*COMMAND, *PRELOAD, "-e", script, *arguments, { err: %i[child out] }])
  end
end
