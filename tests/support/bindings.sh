# SPDX-License-Identifier: MIT
# To be sourced. Builds each binding with its language's own tool and installs it into a private
# folder; for the tests and the quickstart.
#
#   install_python DIR   install_ruby DIR   install_lua DIR
#   with_python DIR COMMAND...   with_ruby ...   with_lua ...   runs a command that finds it there

bindings=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../bindings" && pwd)

# The distribution's interpreters, which have their headers beside them.
python=/usr/bin/python3
[ -x "$python" ] || python=python3

install_python() {
  [ -x "$1/bin/pip" ] || "$python" -m venv --clear "$1" || return 1
  "$1/bin/pip" install -q --disable-pip-version-check --force-reinstall --no-deps \
    "$bindings/python"
}

install_ruby() {
  mkdir -p "$1" && rm -f "$1"/echomq-*.gem || return 1
  (cd "$bindings/ruby" && gem build -q echomq.gemspec -o "$1/echomq-built.gem") || return 1
  with_ruby "$1" gem install -q --local --no-document --force "$1/echomq-built.gem"
}

# luarocks builds beside the sources and leaves that there: a moved checkout would trip over it.
install_lua() {
  local status=0
  rm -rf "$bindings/lua/build.luarocks"
  (cd "$bindings/lua" && luarocks make --lua-version 5.4 --tree "$1") || status=$?
  rm -rf "$bindings/lua/build.luarocks"
  return $status
}

with_python() {
  local dir=$1
  shift
  PATH="$dir/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 "$@"
}

with_ruby() {
  local dir=$1
  shift
  # The system's gems (RSpec) stay in reach, behind our own.
  GEM_HOME="$dir" GEM_PATH="$dir:$(gem env gempath)" "$@"
}

with_lua() {
  local dir=$1
  shift
  (eval "$(luarocks path --lua-version 5.4 --tree "$dir")" && "$@")
}
