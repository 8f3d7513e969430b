# SPDX-License-Identifier: MIT
# frozen_string_literal: true

require "fileutils"

# Which C files make the extension, for the gemspec and extconf.rb. Two of them are generated: in a
# checkout by cmake/GenerateWrapper.cmake (with SWIG and CMake); a gem brings them along.
module EchoMQSources
  HERE = __dir__
  ROOT = File.expand_path("../..", HERE) # of the gem, or bindings/ruby of a checkout
  CORE = File.join(ROOT, "core")
  GENERATED = File.join(HERE, "generated")

  module_function

  def version
    File.read(File.join(CORE, "include/echomq/version.h"))[/ECHOMQ_VERSION "(.+)"/, 1]
  end

  def core
    Dir[File.join(CORE, "{wire,client}/*.c")].sort
  end

  def generated
    %w[echomq_wrap.c emq_scripts.c].map { |name| File.join(GENERATED, name) }
  end

  # Makes the generated files where they can be made, and fails where they are missing.
  def generate
    top = File.expand_path("../..", ROOT)
    script = File.join(top, "cmake/GenerateWrapper.cmake")
    return if !File.exist?(script) && generated.all? { |file| File.exist?(file) }

    inputs = Dir[File.join(top, "{bindings/{,common/,ruby/}*.i,core/include/echomq/*.h," \
                                "core/scripts/{,include/}*.lua,cmake/{Generate,Embed}*.cmake}")]
    stamp = File.join(GENERATED, "stamp")
    return if File.exist?(stamp) && inputs.all? { |file| File.mtime(file) < File.mtime(stamp) }

    FileUtils.mkdir_p(GENERATED)
    system("cmake", "-DLANGUAGE=ruby", "-DBINDINGS=#{top}/bindings", "-DOUT=#{GENERATED}",
           "-P", script) or
      raise "the wrapper could not be generated: that takes cmake and swig (a built gem needs " \
            "neither)"
    FileUtils.touch(stamp)
  end
end
