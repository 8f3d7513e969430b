# SPDX-License-Identifier: MIT
"""Runs the tool, and gives it a terminal."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time

from waiting import WAIT, until

CLI = os.environ.get("ECHOMQ_TEST_CLI", "")
SANITIZERS = (b"AddressSanitizer", b"LeakSanitizer", b"runtime error:")


class Result:
    """How a run of the tool ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def lines(self):
        return self.out.decode().splitlines()

    @property
    def json(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def __repr__(self):
        return f"code {self.code}, out {self.out[-2000:]!r}, err {self.err[-2000:]!r}"


def check_sound(err):
    assert not any(word in err for word in SANITIZERS), err.decode(errors="replace")


class Tool:
    """Runs the tool on a queue: ``tool("enqueue", "x")``. The code must be the one expected."""

    def __init__(self, url, queue):
        self.url, self.queue = url, queue
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("ECHOMQ_")}
        self.environment |= {"ECHOMQ_URL": url, "ECHOMQ_QUEUE": queue}

    def __call__(self, *arguments, code=0, stdin=b"", environment={}, **options):
        done = subprocess.run([CLI, *arguments], input=stdin, capture_output=True, timeout=WAIT * 3,
                              env=self.environment | environment, **options)
        result = Result(done.returncode, done.stdout, done.stderr)
        check_sound(result.err)
        assert code is None or result.code == code, result
        return result

    def start(self, *arguments, **options):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([CLI, *arguments], env=self.environment, **pipes | options)

    def key(self, name):
        return f"emq:{{{self.queue}}}:{name}"


class Terminal:
    """The tool with a terminal of its own, which is its process group's controlling one."""

    def __init__(self, tool, *arguments, size=(24, 80), stdin=None, stdout=None, stderr=None):
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(slave)
        self.text = b""

        def control():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        chosen = [slave if stream is None else stream for stream in (stdin, stdout, stderr)]
        self.process = subprocess.Popen([CLI, *arguments], env=tool.environment, stdin=chosen[0],
                                        stdout=chosen[1], stderr=chosen[2], preexec_fn=control)
        self.slave = slave

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        if select.select([self.master], [], [], 0.02)[0]:
            self.text += os.read(self.master, 65536)
        return self.text

    def expect(self, *words):
        """Reads on until the words have come, in this order."""
        def found():
            at = 0
            text = self.read()
            for word in words:
                at = text.find(word, at)
                if at < 0:
                    return False
                at += len(word)
            return True
        try:
            until(found)
        except AssertionError:
            raise AssertionError(f"{words} not in {self.text!r}") from None

    def forget(self):
        self.text = b""

    def keep_output(self):
        """Has the terminal keep, on Ctrl-C, what was written and not read."""
        settings = termios.tcgetattr(self.slave)
        settings[3] |= termios.NOFLSH
        termios.tcsetattr(self.slave, termios.TCSANOW, settings)

    def is_full(self):
        """Whether what was written, and not read, has not grown for half a second."""
        def waiting():
            return struct.unpack("i", fcntl.ioctl(self.master, termios.FIONREAD, b"\0" * 4))[0]
        before = waiting()
        time.sleep(0.5)
        return before > 0 and waiting() == before

    def type(self, text):
        os.write(self.master, text)

    def end(self):
        """Waits for the process, reading what it writes; its exit code."""
        until(lambda: self.read() is not None and self.process.poll() is not None,
              "the tool did not end")
        while select.select([self.master], [], [], 0.02)[0]:
            self.text += os.read(self.master, 65536)
        check_sound(self.text)
        return self.process.returncode

    def settings(self):
        return termios.tcgetattr(self.slave)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
