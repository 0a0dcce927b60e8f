#!/usr/bin/env python3
"""cut.py - truncates a stream between two filters, after each of the first
bytes and after random ones, or kills the filter that writes it at some moment

Usage: cut.py cut SEED COUNT STREAM READER [STATE]
       cut.py kill SEED COUNT WRITER READER

cut: READER, a shell command, reads the first n bytes of the file STREAM, for
each n below COUNT and for COUNT random n.  It must exit with 2, or give the
answer that it gives for the whole stream, with the same status; for no bytes at
all it may also exit with 1 and the answer for a stream of no records.  STATE is
a command that prints what the reader has stored.  Both run in the directory
`state`, a copy of `state.before` that is made for each run; without STATE, the
reader runs in the current directory.  If the reader exits with 2 or 1, nothing
may have been stored.

kill: COUNT times WRITER, one command, is killed with SIGKILL at a random moment
of the time that it takes, while READER reads its output; the same must hold.
"""

import os
import random
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

    def start(self, stdin):
        self.directory = self.renew()
        return subprocess.Popen(["bash", "-c", self.command], stdin=stdin,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.directory)

    def finish(self, process, stdin=None):
        out, err = process.communicate(stdin)
        return (process.returncode, without_boundaries(out),
                self.stored(self.directory), err)

    def answer_to_nothing(self):
        return self.read(b'{"type":"begin"}\n{"type":"end"}\n')[1]

    def read(self, text):
        return self.finish(self.start(subprocess.PIPE), text)


def check(what, reader, whole, n_bytes, got):
    """Checks the result of Reader.finish() for a stream of n_bytes; whole: that
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
    lengths = list(range(min(count, len(text)))) + \
        [rng.randrange(len(text)) for _ in range(count)]
    for n in lengths:
        check(f"the first {n} bytes", reader, whole, n, reader.read(text[:n]))
    print(f"{len(lengths)} cuts")


def kill(rng, count, writer, reader):
    start = time.monotonic()
    text = subprocess.run(["bash", "-c", writer], capture_output=True,
                          check=True).stdout
    elapsed_s = time.monotonic() - start
    whole = reader.read(text)
    if whole[0] != 0:
        sys.exit(f"the whole stream: status {whole[0]}\n{whole[3].decode()}")
    truncated = 0
    for i in range(count):
        upstream = subprocess.Popen(["bash", "-c", "exec " + writer],
                                    stdout=subprocess.PIPE)
        process = reader.start(upstream.stdout)
        upstream.stdout.close()
        time.sleep(rng.uniform(0, elapsed_s))
        os.kill(upstream.pid, signal.SIGKILL)
        upstream.wait()
        got = reader.finish(process)
        # If the writer was killed before its first write, there were 0 bytes,
        # and only then may the reader exit with 1.
        check(f"kill {i + 1}", reader, whole, 0 if got[0] == 1 else 1, got)
        truncated += got[0] == 2
    print(f"{count} kills, {truncated} of them while the filter wrote")


def main():
    what, seed, count, source, command = sys.argv[1:6]
    print("seed", seed)
    reader = Reader(command, sys.argv[6] if len(sys.argv) > 6 else None)
    (cut if what == "cut" else kill)(random.Random(seed), int(count), source,
                                     reader)


if __name__ == "__main__":
    main()
