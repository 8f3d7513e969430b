# SPDX-License-Identifier: MIT
# frozen_string_literal: true

# Options: --with-hiredis-dir=DIR (or -include, -lib) says where hiredis is, and
# --disable-static-hiredis takes the shared library even where the static one would do.

require "mkmf"
require_relative "sources"

EchoMQSources.generate

dir_config("hiredis")
have_header("hiredis/hiredis.h") or
  abort "hiredis/hiredis.h is missing (Debian: libhiredis-dev; or --with-hiredis-dir=DIR)"
have_library("pthread", "pthread_create")

# The static library is preferred: its symbols then stay inside the extension, and no other copy of
# hiredis in the process, of a version with other structs, can take their place.
def static_hiredis
  compiler = RbConfig.expand(CONFIG["CC"].dup)
  folders = $LIBPATH.map { |path| RbConfig.expand(path.dup) }
  [*folders.map { |folder| File.join(folder, "libhiredis.a") },
   `#{compiler} -print-file-name=libhiredis.a`.chomp].find { |file| File.exist?(file) }
end

def goes_into_shared_object?(archive)
  checking_for("#{archive} in a shared object") do
    File.write("conftest.c", <<~C)
      #include <hiredis/hiredis.h>
      void *probe(void);
      void *probe(void) { return redisReaderCreate(); }
    C
    linker = RbConfig.expand(CONFIG["LDSHARED"].dup)
    flags = RbConfig.expand("#{$INCFLAGS} #{$CPPFLAGS} #{$CFLAGS} #{CONFIG["CCDLFLAGS"]}".dup)
    xsystem("#{linker} #{flags} -o conftest.so conftest.c #{archive}")
  ensure
    MakeMakefile.rm_f("conftest*")
  end
end

archive = static_hiredis if enable_config("static-hiredis", true)
if archive && goes_into_shared_object?(archive)
  $LOCAL_LIBS << " #{archive}"
else
  have_library("hiredis", "redisReaderCreate", "hiredis/hiredis.h") or abort "libhiredis is missing"
end

# Only the entry point can be seen from outside.
exports = ["-Wl,--version-script=#{File.expand_path("exports.map", __dir__)}",
           "-Wl,-exported_symbol,_Init__echomq"]
exports.find { |flag| try_ldflags(flag) && $DLDFLAGS << " #{flag}" }

$CFLAGS << " -std=gnu11 -fvisibility=hidden"
$CPPFLAGS << " -D_DEFAULT_SOURCE -I#{EchoMQSources::CORE}/include -I#{EchoMQSources::CORE}"

# Objects are named by folder and file, since two folders may have a file of one name.
$srcs = EchoMQSources.core + EchoMQSources.generated
objects = $srcs.to_h do |source|
  ["#{File.basename(File.dirname(source))}_#{File.basename(source, ".c")}.#{$OBJEXT}", source]
end
$objs = objects.keys

create_makefile("echomq/_echomq")
File.open("Makefile", "a") do |makefile|
  objects.each do |object, source|
    makefile << "\n#{object}: #{source}\n\t$(ECHO) compiling #{File.basename(source)}\n" \
                "\t$(Q) $(CC) $(INCFLAGS) $(CPPFLAGS) $(CFLAGS) $(COUTFLAG)$@ -c #{source}\n"
  end
end
