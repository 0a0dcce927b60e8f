"""oracle - the common part of oracles, the second implementations of filters

An oracle has modes: functions mode_NAME(rng) that make a random input, run the
filter on it, and raise Differ if its output is not what the oracle computes.
The filter is found in PATH.
"""

import json
import random
import re
import subprocess
import sys


class Differ(Exception):
    pass


def check(what, want, got):
    """Raises Differ if the filter's answer, got, is not the oracle's, want."""
    if isinstance(want, list) and isinstance(got, list):
        for i, (a, b) in enumerate(zip(want, got)):
            check(f"{what}, item {i + 1}", a, b)
    if want != got:
        raise Differ(f"{what}: should be {want!r}, is {got!r}")


def lines_of(records):
    """The records as JSON lines."""
    return "".join(json.dumps(r) + "\n" for r in records)


def without_boundaries(text):
    """The output of a filter without its begin and end records."""
    return re.sub(r'^{"type":"(begin|end)","by":.*\n', "", text, flags=re.M)


last_run = None         # its command and its input records, for messages


def run_filter(name, records, *options):
    """The output of a filter, without its begin and end records.  The filter
    must succeed without a message, except that it reports an input that is
    empty or has nodes but no task, or many attempts at tasks."""
    global last_run
    last_run = (name, *options), records
    run = subprocess.run([name, *options], input=lines_of(records),
                         capture_output=True, encoding="utf-8", check=False)
    types = {r.get("type") for r in records}
    only_nodes = "node" in types and not types & {"task", "build"}
    check("status", 0 if records and not only_nodes else 1, run.returncode)
    check("standard error",
          f"{name}: nothing came: '<stdin>' is empty\n" if not records else
          f"{name}: no task came, only nodes: where is the output of "
          "execlog-parse?\n" if only_nodes else
          "", re.sub(r".*: are these several builds\?.*\n", "", run.stderr))
    return without_boundaries(run.stdout)


def merge(rng, runs):
    """The records of several runs, one run after the other or interleaved;
    those of a run stay in their order."""
    queues = [list(records) for records in runs if records]
    interleaved = rng.random() < 0.7
    merged = []
    while queues:
        queue = rng.choice(queues) if interleaved else queues[0]
        merged.append(queue.pop(0))
        queues = [q for q in queues if q]
    return merged


def compare_runs(rng, name, make_records, *options):
    """Runs the filter on a stream of several builds, which the key `run`
    distinguishes, and of nodes without that key, which belong to all of them:
    it must give the answers about each build alone, with the nodes.  Most
    builds are ended by a `build` record.  make_records() makes the records of a
    build, without nodes."""
    runs = {}
    for i in range(rng.randint(1, 5)):
        records = [r for r in make_records() if r["type"] != "build"]
        rng.shuffle(records)
        if rng.random() < 0.7:
            start = rng.randint(0, 10**6)
            records.append({"type": "build", "start_us": start,
                            "end_us": start + rng.randint(0, 10**7)})
        runs[f"run {i}"] = records
    ids = sorted({r["id"] for tasks in runs.values() for r in tasks
                  if "id" in r})
    nodes = [{"type": "node", "id": i, "rule": rng.choice(["X", "Y"]),
              "deps": []} for i in ids if rng.random() < 0.5]
    tagged = merge(rng, [[{"type": r["type"], "run": run} | r for r in records]
                         for run, records in runs.items()])
    # The runs that end, in the order of their ends; then the others, in the
    # order in which they first occur.
    order = [r["run"] for r in tagged if r["type"] == "build"]
    order = list(dict.fromkeys(order + [r["run"] for r in tagged]))
    got = run_filter(name, nodes + tagged, *options)
    want = ""
    for run in order:
        out = run_filter(name, nodes + runs[run], *options)
        # The key `run` follows the type, in a stat record its name.
        tag = f',"run":"{run}"'
        want += re.sub('^({"type":"stat","stat":"[^"]*"|{"type":"[^"]*")',
                       lambda m, tag=tag: m[1] + tag, out, flags=re.M)
    check("answers about the runs", want, got)


def shuffle(seed, count, pipeline, path):
    """Gives a pipeline the lines of a file, first in their order and then in
    random ones: its output must stay the same byte for byte."""
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
            check("whether there is any output", True,
                  without_boundaries(first.decode()) != "")
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
    """Runs a mode on many inputs, each with a seed of its own.  If one fails,
    prints the last command with its input."""
    for i in range(int(count)):
        try:
            mode(random.Random(f"{seed}/{i}"))
        except Differ as why:
            command, records = last_run
            print(*command, "<<'END'")
            print(lines_of(records) + "END")
            raise Differ(f"input {i} of seed {seed}: {why}") from why
    print(f"{count} inputs agree, seed {seed}")


def main(modes, ninja):
    """The main program of an oracle, whose arguments are one of

        MODE SEED COUNT                 see many()
        shuffle SEED COUNT PIPELINE FILE
        ninja FILE...

    modes: globals() of the oracle, with its functions mode_NAME; ninja: the
    oracle's function that compares FILEs, logs of ninja, or None.
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
