#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packages.sh tests|quickstart: makes sure that this machine has what they need.
#
# On Debian as root it installs what is missing through apt; elsewhere it says what is missing and
# ends with 1. Quick, and without a call of apt, when everything is there. One server is enough;
# with CI=true in the environment both kinds must be there.
#
# Debian 12 has valkey-server in its backports. Where no source offers it, that suite is added as
# one file, $backports, for the mirror that the machine uses already. No server is started by an
# installation (on a machine with systemd it is enabled, though, and would run after a reboot:
# `systemctl disable --now redis-server valkey-server`).
set -euo pipefail

build=(gcc libc6-dev make cmake ninja-build pkg-config libhiredis-dev swig ca-certificates
  python3 python3-venv python3-dev ruby ruby-dev lua5.4 liblua5.4-dev luarocks)
checks=(g++ groff-base libcriterion-dev libjansson-dev ruby-rspec lua-busted lua-cjson lua-posix)
servers=(redis-server valkey-server)
commands=(gcc make cmake ninja pkg-config swig python3 ruby gem lua5.4 luarocks)
backports=/etc/apt/sources.list.d/echomq-backports.sources

case ${1-} in
  tests) build+=("${checks[@]}") commands+=(g++ rspec busted) ;;
  quickstart) ;;
  *) echo "usage: packages.sh tests|quickstart" >&2 && exit 2 ;;
esac

has() { command -v "$1" >/dev/null 2>&1; }

# The packages of those named that are not installed.
missing_packages() {
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
      awk '$2 == "installed" {print $1}' | sort -u)
}

missing_commands() {
  local name
  for name in "$@"; do
    has "$name" || echo "$name"
  done
}

server_count() { echo $((${#servers[@]} - $(missing_commands "${servers[@]}" | wc -l))); }

give_up() {
  echo "packages: missing: $*" >&2
  exit 1
}

apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 "$@" >&2
}

offered() { [[ $(apt-cache policy "$1") == *Candidate:\ [!\(]* ]]; }

# Adds the backports of the release that this machine runs, from the mirror of that release.
add_backports() {
  local release mirror keys=/usr/share/keyrings/debian-archive-keyring.gpg
  release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  mirror=$(apt-get indextargets --format '$(RELEASE) $(CODENAME) $(REPO_URI)' \
    'Created-By: Packages' | awk -v r="$release" '$1 == r || $2 == r {print $NF; exit}')
  [ -n "$release" ] && [ -n "$mirror" ] || return 0
  {
    printf 'Types: deb\nURIs: %s\nSuites: %s-backports\nComponents: main\n' "$mirror" "$release"
    [ ! -e "$keys" ] || echo "Signed-By: $keys"
  } >"$backports"
  echo "packages: added $backports" >&2
  if ! apt update; then
    rm -f "$backports"
    echo "packages: took it away again: the mirror has no such suite" >&2
    apt update
  fi
}

install() {
  local policy=/usr/sbin/policy-rc.d wanted=("$@")
  if [ ! -e "$policy" ]; then
    trap "rm -f $policy" EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
  fi
  apt update
  if ! has valkey-server; then
    offered valkey-server || [ -e "$backports" ] || add_backports
    if ! offered valkey-server; then
      wanted=($(printf '%s\n' "${wanted[@]}" | grep -v '^valkey-server$' || true))
    fi
  fi
  [ ${#wanted[@]} -eq 0 ] || apt install -y --no-install-recommends "${wanted[@]}"
}

if has dpkg-query && has apt-get; then
  missing=($(missing_packages "${build[@]}"))
  if [ "$1" = tests ] || [ "$(server_count)" -eq 0 ]; then
    missing+=($(missing_commands "${servers[@]}"))
  fi
  if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ]; then
    install "${missing[@]}" || true # what is missing after it is what counts
  fi
  missing=($(missing_packages "${build[@]}"))
else
  missing=($(missing_commands "${commands[@]}"))
fi

[ ${#missing[@]} -eq 0 ] || give_up "${missing[@]}"
[ "$(server_count)" -gt 0 ] || give_up "valkey-server or redis-server"
if [ "${CI-}" = true ] && [ "$1" = tests ] && [ "$(server_count)" -lt 2 ]; then
  give_up "$(missing_commands "${servers[@]}") (in CI the tests run on both servers)"
fi
