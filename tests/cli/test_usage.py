# SPDX-License-Identifier: MIT
"""Bad command lines are refused before anything connects; help and the manual page."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import support

PAGE = Path(__file__).resolve().parents[2] / "core/cli/echomq.1"
ID = "JOB00000000001"
HUGE = "9" * 400

BAD = [
    [], ["frob"], ["dead"], ["dead", "frob"], ["id"], ["id", "decode"], ["--frob"], ["-x", "stats"],
    ["stats", "extra"], ["stats", "--frob"], ["stats", "--json=yes"], ["stats", "--queue"],
    ["stats", "-q", "a{b"], ["stats", "-q", "a}b"], ["stats", "-q", ""], ["stats", "-q", "a\nb"],
    ["stats", "-q", "x" * 513], ["--lease", "3", "claim"], ["ls", "waiting"], ["ls", ""],
    ["stats", "--url", "http://x"], ["stats", "--url", ""], ["stats", "--url", "rediss://x"],
    ["stats", "--url", "redis://x:99999"],
    ["enqueue", "a", "b"], ["enqueue", "a", "--file", "x"], ["enqueue", "--id", ID],
    ["enqueue", "a", "--id", "JOB1"], ["enqueue", "a", "--id", "JOBzzzzzzzzzzz"],
    ["enqueue", "a", "--delay", "1", "--at", "1"], ["enqueue", "a", "--at", "253402300800"],
    ["claim", "--size", "0"], ["claim", "--size", "1001"], ["claim", "--size", "1.5"],
    ["claim", "--raw", "--json"], ["claim", "--raw", "--size", "2"], ["claim", "--lease", "0"],
    ["complete"], ["complete", ID], ["complete", ID, "1", "x"], ["complete", "x", "1"],
    ["complete", ID, "0"], ["complete", ID, "-1"], ["complete", ID, "1x"], ["complete", ID, ""],
    ["complete", ID, "9223372036854775808"], ["complete", ID, HUGE],
    ["retry", ID, "1"], ["retry", ID, "1", "x", "--max", "0"],
    ["retry", ID, "1", "x", "--max", HUGE],
    ["delay", ID, "1"], ["delay", ID, "1", "--delay", "1", "--at", "1"],
    ["extend", ID, "x"], ["show"], ["show", "JOB"], ["dead", "requeue"], ["dead", "purge"],
    ["dead", "purge", ID, "--all"], ["dead", "requeue", "x"], ["obliterate"],
    ["promote", "-n", "10001"], ["sweep", "--max", "1000001"], ["watch", "--interval", "0.05"],
    ["watch", "--count", "0"], ["id", "decode", "x"], ["id", "mint", "-n", "0"],
    ["server", "--kind", "memcached"], ["server", "x"],
]
SECONDS = ["nan", "NaN", "inf", "-1", "-0.5", "1e3", "0x10", "1,5", " 1", "1 ", "+1", ".", ".5",
           "1.", "", "1s", HUGE, "1" + "0" * 30, "99999999999999"]


@pytest.mark.parametrize("arguments", BAD, ids=lambda arguments: " ".join(arguments)[:40] or "none")
def test_bad_lines_are_refused_before_connecting(tool, silent, arguments):
    refused = tool(*arguments, code=2, environment={"ECHOMQ_URL": silent.url})
    assert refused.out == b"" and refused.err.startswith(b"echomq: ")
    assert refused.err.count(b"\n") == 1
    assert not silent.met()


@pytest.mark.parametrize("value", SECONDS, ids=lambda value: value[:20] or "empty")
@pytest.mark.parametrize("arguments", [["claim", "--lease"], ["enqueue", "x", "--delay"],
                                       ["enqueue", "x", "--at"], ["extend", ID, "1", "--lease"],
                                       ["retry", ID, "1", "x", "--delay"], ["watch", "--interval"]],
                         ids=lambda arguments: arguments[0] + arguments[-1])
def test_seconds_are_strict(tool, silent, arguments, value):
    refused = tool(*arguments, value, code=2, environment={"ECHOMQ_URL": silent.url})
    assert refused.out == b"" and refused.err.startswith(b"echomq: --")
    assert not silent.met()


def test_a_queue_is_needed(tool, silent):
    for queue in ({"ECHOMQ_QUEUE": ""}, {"ECHOMQ_QUEUE": "a{b"}):
        tool("stats", code=2, environment={"ECHOMQ_URL": silent.url} | queue)
    del tool.environment["ECHOMQ_QUEUE"]
    assert b"--queue" in tool("stats", code=2).err
    assert tool("stats", "--queue", "x", "--json").json
    assert not silent.met()


def test_options_stand_anywhere_and_end_with_two_dashes(tool):
    name = tool.queue + "-2"
    tool(f"--queue={name}", "enqueue", "--json", "--", "--quiet")
    assert tool("-q" + name, "claim", "--raw", "--quiet").out == b"--quiet"
    tool("enqueue", "-q", name, "-")
    assert tool("-q", name, "--raw", "--quiet", code=2).err
    assert tool("claim", "--raw", "--quiet", "-q", name).out == b"-"


def test_messages_cannot_act_on_the_terminal(tool):
    err = tool("ls", "\x1b[2J\x07", code=2).err
    assert b"\x1b" not in err and b"\\x1b" in err
    assert b"\x1b" not in tool("\x1b[2J", code=2).err


# ---- help and the page ----

def commands(tool):
    text = tool("--help").out.decode()
    listed = text[text.index("Commands:"):text.index("Global options")]
    return [line[2:17].strip() for line in listed.splitlines()[1:] if line.strip()]


def options(text):
    return {name for line in text.splitlines() if re.match(r"\s+(-\w, )?--[a-z]", line)
            for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line[:30])}


def test_help_of_each_command(tool):
    names = commands(tool)
    assert len(names) == 24 and len(set(names)) == 24
    for name in names:
        shown = tool(*name.split(), "--help")
        assert shown.out.startswith(f"usage: echomq {name}".encode()) and shown.err == b""
        assert len(shown.lines) > 10 and all(len(line) <= 100 for line in shown.lines)
        assert {"--json", "--url", "--help", "-q"} <= options(shown.out.decode())
        assert tool("-h", *name.split()).out == shown.out
    for group in ("dead", "id"):
        assert tool(group, "--help").out.startswith(f"usage: echomq {group} COMMAND".encode())


def test_version(tool):
    header = (PAGE.parents[1] / "include/echomq/version.h").read_text()
    version = re.search(r'ECHOMQ_VERSION "(.*)"', header)[1]
    assert tool("--version").lines == [f"echomq {version}"]
    assert f'"echomq {version}"' in PAGE.read_text()


def plain(source):
    """The page's text, its requests and escapes taken out: one entry for each tagged paragraph."""
    text = re.sub(r"\\f.|\\&|\\\"[^\n]*", "", source.replace("\\-", "-").replace("\\~", " "))
    return [re.sub(r'^\.[BIR]+ |"', "", line).replace("  ", " ") for line in text.splitlines()]


def sections(source):
    """Each command's tag line, with the options that are documented below it."""
    found, current = {}, None
    lines = plain(source[source.index(".SH COMMANDS"):source.index(".SH ENVIRONMENT")])
    depth = 0
    for before, line in zip(lines, lines[1:]):
        depth += (line == ".RS") - (line == ".RE")
        if before == ".TP" and depth == 0:
            current = found.setdefault(line, set())
        elif before == ".TP":
            current |= set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line))
    return found


def test_the_page_has_every_command_and_option(tool):
    source = PAGE.read_text()
    shared = options(tool("--help").out.decode())
    listed = source[source.index(".SH GLOBAL"):source.index(".SH COMMANDS")]
    assert shared == set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", " ".join(
        line for before, line in zip(plain(listed), plain(listed)[1:]) if before == ".TP")))
    page = sections(source)
    names = commands(tool)
    assert len(page) == len(names)
    for name in names:
        tag = [tag for tag in page if re.match(re.escape(name) + r"(?![a-z])", tag)]
        assert len(tag) == 1, (name, list(page))
        own = options(tool(*name.split(), "--help").out.decode()) - shared
        said = page[tag[0]] | set(re.findall(r"--[a-z]+", tag[0]))
        assert own == said, name


def test_the_page_is_well_formed():
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", "-z", str(PAGE)], capture_output=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, b"")


def test_exit_codes_are_the_same_in_help_and_page(tool):
    text = tool("--help").out.decode()
    told = re.findall(r"^  (\d)  ", text[text.index("Exit codes"):], re.M)
    page = PAGE.read_text()
    page = page[page.index(".SH EXIT STATUS"):page.index(".SH EXAMPLES")]
    assert told == re.findall(r"^\.B (\d)$", page, re.M) == list("012345")


def test_installed_files():
    """The page is installed with the tool, where man looks for it."""
    folder, name = os.path.split(support.CLI)
    if os.path.basename(folder) != "bin":
        pytest.skip("the tool at hand is not installed")
    assert name == "echomq"
    assert Path(folder, "../share/man/man1/echomq.1").read_bytes() == PAGE.read_bytes()
