# SPDX-License-Identifier: MIT
# Counts what a test runner printed: prints "passed failed skipped".
#   awk -v format=ctest|pytest|rspec|busted -f tally.awk LOG
#
# ctest is the output of `ctest -V`. A program of Criterion counts as the tests that it ran, not
# as one more; any other program is one test.

function number_before(word, line,    part) {
  return match(line, "[0-9]+ " word) ? substr(line, RSTART, RLENGTH) + 0 : 0
}

function number_after(word, line) {
  return match(line, word ": *[0-9]+") ? substr(line, RSTART + length(word) + 1) + 0 : 0
}

{ gsub(/\033\[[0-9;]*m/, "") }

format == "ctest" && /^[0-9]+: .*Synthesis: Tested:/ {
  id = $1 + 0
  ran[id] = 1
  good[id] += number_after("Passing", $0)
  bad[id] += number_after("Failing", $0) # crashes among them
}
format == "ctest" && /^[0-9]+: \[SKIP\]/ { left_out[$1 + 0]++ }
format == "ctest" && /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  match($0, /#[0-9]+:/)
  id = substr($0, RSTART + 1) + 0
  ok = /   Passed/
  if (/\*\*\*Skipped/) {
    skipped++
  } else if (!(id in ran)) {
    if (ok) passed++; else failed++
  } else {
    passed += good[id]
    failed += bad[id] > 0 || ok ? bad[id] : 1 # a crash, or what a sanitizer found
    skipped += left_out[id]
  }
}

format == "pytest" && / in [0-9.]+s/ && /(passed|failed|skipped|error)/ {
  passed = number_before("passed", $0) + number_before("xpassed", $0)
  failed = number_before("failed", $0) + number_before("error", $0)
  skipped = number_before("skipped", $0) + number_before("xfailed", $0)
}

format == "rspec" && /^[0-9]+ examples?, [0-9]+ failures?/ {
  skipped = number_before("pending", $0)
  failed = number_before("failure", $0)
  passed = number_before("example", $0) - failed - skipped
  failed += number_before("error", $0)
}

format == "busted" && /^[0-9]+ success(es)? \/ [0-9]+ failure/ {
  passed = number_before("success", $0)
  failed = number_before("failure", $0) + number_before("error", $0)
  skipped = number_before("pending", $0)
}

END { print passed + 0, failed + 0, skipped + 0 }
