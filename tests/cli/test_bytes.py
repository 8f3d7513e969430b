# SPDX-License-Identifier: MIT
"""Payloads of any bytes go in and come out whole; long input; output that fails."""

import os
import resource
import signal
import subprocess

import pytest
import support
from test_jobs import enqueue
from waiting import WAIT, until

EVERY = bytes(range(256)) * 3
PAYLOADS = [b"", b"\n", b"\x00", EVERY, b"\xff" * 1000003]


@pytest.mark.parametrize("payload", PAYLOADS, ids=lambda payload: str(len(payload)))
def test_a_file_comes_back_by_raw(tool, tmp_path, payload):
    path = tmp_path / "payload"
    path.write_bytes(payload)
    job = enqueue(tool, "--file", str(path))
    claimed = tool("claim", "--raw")
    assert claimed.out == payload
    assert claimed.err.decode() == f"{job} 1\n"


def test_standard_input_as_one_payload(tool):
    enqueue(tool, "--file", "-", stdin=EVERY)
    quiet = tool("claim", "--raw", "--quiet")
    assert quiet.out == EVERY and quiet.err == b""


def test_lines_keep_every_byte_but_the_line_end(tool):
    lines = EVERY[:256].split(b"\n")
    enqueue(tool, stdin=b"\n".join(lines))
    assert [tool("claim", "--raw").out for _ in lines] == lines


def test_json_gives_text_or_base64(tool):
    text = "caf\u00e9 \u20ac \U0001f600 \x7f\x1b[2J"
    enqueue(tool, stdin=text.encode() + b"\n\xed\xa0\x80\n\xc0\x80\n\x00")
    payloads = [job["payload"] for job in tool("claim", "--size", "9", "--json").json]
    assert payloads == [text, {"base64": "7aCA"}, {"base64": "wIA="}, "\x00"]


def test_text_cannot_act_on_the_terminal(tool):
    text = "caf\u00e9 \x1b[2J\x07\x7f \u0085 \\"
    enqueue(tool, stdin=text.encode() + b" \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82")
    payload = tool("claim").out.split(b" ", 2)[2]
    assert payload == ("caf\u00e9 \\x1b[2J\\x07\\x7f \\xc2\\x85 \\\\ \\xed\\xa0\\x80 "
                       "\\xf4\\x90\\x80\\x80 \\xe2\\x82\n").encode()


def test_long_input(tool, raw):
    count = 25000
    done = tool("enqueue", stdin=b"".join(b"%d\n" % i for i in range(count)))
    assert len(set(done.lines)) == count and done.err == b""
    assert raw("ZCARD", tool.key("pending")) == count
    assert [raw("HGET", tool.key("job:" + done.lines[i]), "payload")
            for i in (0, 999, 1000, count - 1)] == [b"0", b"999", b"1000", b"%d" % (count - 1)]


def test_a_line_longer_than_a_batch(tool):
    long = b"x" * (9 << 20)
    enqueue(tool, stdin=b"a\n" + long + b"\nb")
    assert [len(job["payload"]) for job in tool("claim", "--size", "9", "--json").json] == [
        1, len(long), 1]


def test_lines_are_sent_as_they_come(tool, raw):
    process = tool.start("enqueue")
    try:
        for n in (1, 2):
            process.stdin.write(b"line\n")
            process.stdin.flush()
            until(lambda: raw("ZCARD", tool.key("pending")) == n)
            assert process.stdout.readline().startswith(b"JOB")
        process.stdin.close()
        assert process.wait(WAIT) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_interrupted_while_it_waits_for_lines(tool, raw):
    process = tool.start("enqueue")
    process.stdin.write(b"line\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.wait(WAIT) == -signal.SIGINT  # its input is still open
    _, err = process.communicate()
    assert b"1 jobs are known to be enqueued" in err
    support.check_sound(err)


def test_a_closed_pipe_ends_quietly(tool):
    enqueue(tool, stdin=b"x\n" * 5000)
    for arguments in (["ls", "--limit", "10000"], ["stats"], ["--help"],
                      ["id", "mint", "-n", "99999"], ["watch", "--interval", "0.1"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([support.CLI, *arguments], stdout=writer, stderr=subprocess.PIPE,
                              env=tool.environment, timeout=WAIT)
        os.close(writer)
        assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b""), arguments


@pytest.mark.parametrize("arguments", [["stats"], ["ls"], ["--help"], ["--version"], ["watch"],
                                       ["stats", "--json"]])
def test_a_full_disk_is_told(tool, arguments):
    enqueue(tool, "x")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([support.CLI, *arguments], stdout=full, stderr=subprocess.PIPE,
                              env=tool.environment, timeout=WAIT)
    assert done.returncode == 4
    assert done.stderr == b"echomq: writing the output: No space left on device\n"


def test_a_closed_standard_output_is_told_and_gets_nothing_else(tool):
    """The connection must not come to lie where standard output was: the answer would go there."""
    done = subprocess.run([support.CLI, "stats"], stderr=subprocess.PIPE, env=tool.environment,
                          timeout=WAIT, preexec_fn=lambda: os.close(1))
    assert done.returncode == 4
    assert done.stderr == b"echomq: writing the output: Bad file descriptor\n"
    done = subprocess.run([support.CLI, "enqueue"], stderr=subprocess.PIPE, env=tool.environment,
                          timeout=WAIT, stdout=subprocess.PIPE,
                          preexec_fn=lambda: os.close(0))
    assert done.returncode == 4 and b"standard input: Bad file descriptor" in done.stderr


def test_files_that_are_not_there(tool, silent, tmp_path):
    there = {"ECHOMQ_URL": silent.url}
    for arguments in (["enqueue", "--file", "/no/such"], ["enqueue", "--file", str(tmp_path)],
                      ["stats", "--password-file", "/no/such"]):
        failed = tool(*arguments, code=4, environment=there)
        assert failed.err.startswith(b"echomq: /")
    assert not silent.met()


def test_a_line_beyond_the_bound_is_refused_without_eating_the_memory(tool, raw):
    """The lines before it are good; nothing of it arrives."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    if b"asan" in subprocess.run(["ldd", support.CLI], capture_output=True).stdout:
        pytest.skip("AddressSanitizer needs more address space than the bound leaves")
    process = tool.start("enqueue", preexec_fn=limit)
    try:
        process.stdin.write(b"good\n")
        piece = b"x" * (1 << 20)
        for _ in range(514):
            process.stdin.write(piece)
        process.stdin.close()
    except BrokenPipeError:
        pass
    code = process.wait(WAIT * 3)
    err = process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    assert code == 2 and b"line 2 has more than 536870912 bytes" in err, (code, err)
    assert raw("ZCARD", tool.key("pending")) == 1
