# SPDX-License-Identifier: MIT
# frozen_string_literal: true

# gem build echomq.gemspec, in a checkout: makes the generated sources first (with cmake and swig)
# and packs them, so that whoever installs the gem needs a C compiler and hiredis's headers only.

require_relative "ext/echomq/sources"

Dir.chdir(__dir__) do
  EchoMQSources.generate
  license = "../../LICENSE"
  FileUtils.cp(license, "LICENSE") if File.exist?(license)
end

Gem::Specification.new do |spec|
  spec.name = "echomq"
  spec.version = EchoMQSources.version
  spec.summary = "A job queue on Valkey and Redis that every language can join"
  spec.description = "Enqueue, claim and complete jobs on the EchoMQ wire, which programs in " \
                     "Python, Ruby, Lua and C share. A C core with a Ruby face."
  spec.authors = ["The echomq authors"]
  spec.license = "MIT"

  spec.required_ruby_version = ">= 3.0"
  spec.extensions = ["ext/echomq/extconf.rb"]
  spec.files = Dir.chdir(__dir__) do
    Dir["lib/**/*.rb", "ext/echomq/*.{rb,map}", "ext/echomq/generated/*.c",
        "core/include/echomq/*.h", "core/{wire,client}/*.{c,h,def}", "README.md", "LICENSE"]
  end
  spec.extra_rdoc_files = ["README.md"]
  spec.rdoc_options = ["--main", "README.md", "--exclude", "^ext/", "--exclude", "^core/"]
end
