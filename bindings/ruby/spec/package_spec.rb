# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require_relative "spec_helper"

RSpec.describe "the package" do
  it "has the version of the core's header" do
    header = File.read(File.expand_path("../core/include/echomq/version.h", __dir__))
    expect(header).to include("\"#{EchoMQ::VERSION}\"")
  end

  it "adds one name of its own to the top level, and warns of nothing" do
    script = <<~RUBY
      before = Object.constants
      require "echomq"
      puts (Object.constants - before).sort
    RUBY
    output, errors, status = OtherRuby.run(script, preload: [])
    expect([errors, status.success?]).to eq(["", true])
    expect(output.split).to eq(%w[EchoMQ SWIG]) # SWIG's own module, which all that it makes share
  end

  it "exports its entry point only" do
    library = $LOADED_FEATURES.find { |path| path.end_with?("/_echomq.so") }
    symbols, status = Open3.capture2("nm", "-D", "--defined-only", library)
    expect(status).to be_success
    expect(symbols.scan(/\S+$/)).to eq(["Init__echomq"])
  end
end
