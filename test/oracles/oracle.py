"""oracle - the common part of second implementations of filters

An oracle has modes: functions that make a random input, run the filter on it,
compare the answer and raise Differ.  The filter is found in PATH.
"""

import json
import random
import subprocess
import sys


class Differ(Exception):
    pass


def check(what, want, got):
    """want: the oracle's answer; got: the filter's."""
    if isinstance(want, list) and isinstance(got, list):
        for i, (a, b) in enumerate(zip(want, got)):
            check(f"{what}, item {i + 1}", a, b)
    if want != got:
        raise Differ(f"{what}: should be {want!r}, is {got!r}")


def lines_of(records):
    return "".join(json.dumps(r) + "\n" for r in records)


last = None             # the last command and its input, for messages


def run_filter(name, records, *options):
    """The output of a filter, which must succeed without a message."""
    global last
    last = (name, *options), records
    run = subprocess.run([name, *options], input=lines_of(records),
                         capture_output=True, encoding="utf-8", check=False)
    check("status", 0, run.returncode)
    check("standard error", "", run.stderr)
    return run.stdout


def shuffle(seed, count, pipeline, path):
    """Shuffles the lines of a file: the output of the pipeline, which reads
    them as standard input, must stay the same byte for byte."""
    print("seed", seed)
    rng = random.Random(seed)
    with open(path, "rb") as f:
        lines = f.read().splitlines(keepends=True)
    first = None
    for _ in range(count):
        run = subprocess.run(["bash", "-c", "set -o pipefail; " + pipeline],
                             input=b"".join(lines), capture_output=True,
                             check=False)
        check("status", 0, run.returncode)
        if first is None:
            first = run.stdout
            check("is there an answer", True, len(first) > 0)
        if run.stdout != first:
            sys.stdout.write("The lines in this order:\n")
            sys.stdout.flush()
            sys.stdout.buffer.write(b"".join(lines))
            sys.stdout.buffer.write(b"... give:\n" + run.stdout)
            sys.stdout.buffer.write(b"... but in the original order:\n" + first)
            sys.stdout.buffer.flush()
            raise Differ("the order of lines matters")
        rng.shuffle(lines)


def many(mode, seed, count):
    """Runs a mode on many inputs, each with a seed of its own, so that it can
    be repeated alone."""
    for i in range(int(count)):
        try:
            mode(random.Random(f"{seed}/{i}"))
        except Differ as why:
            print(*last[0], "<<'END'")
            print(lines_of(last[1]) + "END")
            raise Differ(f"input {i} of seed {seed}: {why}") from why
    print(f"{count} inputs agree, seed {seed}")


def main(modes, ninja):
    """Usage: ORACLE MODE SEED COUNT | shuffle ... | ninja FILE...

    modes: globals() of the oracle, with its functions mode_NAME; ninja: its
    function that checks the filter on files of ninja.
    """
    name, args = sys.argv[1], sys.argv[2:]
    try:
        if name == "ninja":
            ninja(*args)
        elif name == "shuffle":
            shuffle(args[0], int(args[1]), *args[2:])
        else:
            many(modes["mode_" + name], *args)
    except Differ as why:
        print(why)
        sys.exit(1)
