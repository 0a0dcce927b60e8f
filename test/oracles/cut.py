#!/usr/bin/env python3
"""cut.py - truncates a stream between two filters, around the ends of its
first and last records and at random places, or kills the filter that writes it

Usage: cut.py cut SEED COUNT STREAM READER [STATE]
       cut.py kill SEED COUNT WRITER READER

cut: READER, a shell command, reads the first n bytes of the file STREAM, for n
of 0 to 2, those around the ends of the first two and the last two records, and
COUNT random ones, half of them in the first record.  It must exit with 2, or
give the answer that it gives for the whole stream, with the same status; for no
bytes at all it may also exit with 1 and the answer for a stream of no records.
STATE is a command that prints what the reader has stored.  Both run in the
directory `state`, a copy of `state.before` that is made for each run; without
STATE, the reader runs in the current directory.  If the reader exits with 2 or
1, nothing may have been stored.

kill: COUNT times WRITER, one command, is killed with SIGKILL when a random number
of bytes of its output has been read, and READER reads what it has written; the
same must hold.  WRITER must not wait for anything but its output.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time


def without_boundaries(text):
    """The answer: the output of a reader without its begin and end records."""
    return b"".join(line for line in text.splitlines(keepends=True)
                    if not line.startswith((b'{"type":"begin"',
                                            b'{"type":"end"')))


class Reader:
    def __init__(self, command, state):
        self.command, self.state = command, state
        if state is not None:
            self.before = self.stored(self.renew())

    def renew(self):
        """A new copy of the state; returns the directory of the command."""
        if self.state is None:
            return "."
        shutil.rmtree("state", ignore_errors=True)
        shutil.copytree("state.before", "state", symlinks=True)
        return "state"

    def stored(self, directory):
        """What STATE prints."""
        return None if self.state is None else subprocess.run(
            ["bash", "-c", self.state], cwd=directory, capture_output=True,
            check=True).stdout

    def read(self, text):
        """Runs the command; returns its status, its answer, what it has stored
        and its messages."""
        directory = self.renew()
        done = subprocess.run(["bash", "-c", self.command], input=text,
                              capture_output=True, cwd=directory)
        return (done.returncode, without_boundaries(done.stdout),
                self.stored(directory), done.stderr)

    def answer_to_nothing(self):
        return self.read(b'{"type":"begin"}\n{"type":"end"}\n')[1]


def check(what, reader, whole, n_bytes, got):
    """Checks the result of Reader.read() for a stream of n_bytes; whole: that
    for the whole stream."""
    status, answer, stored, err = got
    if got[:3] == whole[:3]:
        return
    if status != 2 and not (status == 1 and n_bytes == 0 and
                            answer == reader.answer_to_nothing()):
        sys.exit(f"{what}: status {status}, answer {answer!r}\n{err.decode()}")
    if reader.state is not None and stored != reader.before:
        sys.exit(f"{what}: status {status}, but it stored {stored!r}")


def cut(rng, count, stream, reader):
    with open(stream, "rb") as file:
        text = file.read()
    whole = reader.read(text)
    if whole[0] != 0 or (reader.state is not None and
                         whole[2] == reader.before):
        sys.exit(f"the whole stream: status {whole[0]}\n{whole[3].decode()}")
    ends = [m.end() for m in re.finditer(b"\n", text)]
    lengths = {0, 1, 2} | {end + i for end in [*ends[:2], *ends[-2:]]
                           for i in (-2, -1, 0, 1) if end + i < len(text)}
    for i in range(count):
        lengths.add(rng.randrange(ends[0] if i % 2 == 0 else len(text)))
    lengths = sorted(lengths)
    for n in lengths:
        check(f"the first {n} bytes", reader, whole, n, reader.read(text[:n]))
    print(f"{len(lengths)} cuts")


def wait_until_blocked(pid):
    """Waits until a process sleeps, because its pipe is full, or has ended."""
    state = ""
    while state not in ("S", "Z"):
        time.sleep(.001)
        with open(f"/proc/{pid}/stat") as file:
            state = file.read().rpartition(") ")[2][:1]


def kill(rng, count, writer, reader):
    text = subprocess.run(["bash", "-c", writer], capture_output=True,
                          check=True).stdout
    whole = reader.read(text)
    if whole[0] != 0:
        sys.exit(f"the whole stream: status {whole[0]}\n{whole[3].decode()}")
    truncated = 0
    for i in range(count):
        upstream = subprocess.Popen(["bash", "-c", "exec " + writer],
                                    stdout=subprocess.PIPE)
        n = rng.randrange(len(text))
        written = upstream.stdout.read(n)
        wait_until_blocked(upstream.pid)
        os.kill(upstream.pid, signal.SIGKILL)
        written += upstream.stdout.read()
        upstream.wait()
        got = reader.read(written)
        check(f"kill after {n} bytes", reader, whole, len(written), got)
        truncated += got[0] == 2
    print(f"{count} kills, {truncated} of them while the filter wrote")
    if truncated == 0:
        sys.exit("no kill came before the end")


def main():
    what, seed, count, source, command = sys.argv[1:6]
    print("seed", seed)
    reader = Reader(command, sys.argv[6] if len(sys.argv) > 6 else None)
    (cut if what == "cut" else kill)(random.Random(seed), int(count), source,
                                     reader)


if __name__ == "__main__":
    main()
