#!/usr/bin/env python3
"""losses.py - loses something in a pipeline, and expects the last status to say so

Usage: losses.py each SEED          each last filter, each loss before it
       losses.py random SEED COUNT  random pipelines of two to five filters
       losses.py gates              each word of `lacks` and each budget

In the current directory are the inputs that losses.bats copies.  each, random:
the last status of a pipeline in which a filter failed, or a part of the output
of one is missing, must not be 0, and nothing may have been stored that is not
marked; without the loss, it must be 0.
"""

import itertools
import json
import os
import random
import shutil
import subprocess
import sys

# What a filter reads and writes; the commands of a kind read the same.
SOURCES = {
    "tasks": ["execlog-parse build.log", "execlog-parse --run a build.log",
              "execlog-parse local.json"],
    "rows": ["malparse mal-2018.json"],
    "callgraphs": ["callgraph-merge callgraph.ndjson"],
    "versions": ["vcs-log"],
}
FILTERS = {
    "tasks": [("critpath -g nodes", "path"), ("critpath -a -g nodes", "path"),
              ("execlog-stat", "stats"), ("timeline", None),
              ("trace-export", None), ("graph-export", None),
              ("profile-make -b x", "profile")],
    "path": [("profile-make -b x", "profile")],
    "stats": [("profile-make -b x", "profile")],
    "rows": [("malstat", "costs"), ("malload db", None),
             ("malload --sql", None), ("malload --csv csv", None)],
    "costs": [("profile-make -b x", "profile")],
    "callgraphs": [("callgraph-symbolize", "callgraphs"),
                   ("callgraph-merge", "callgraphs"), ("callgraph-stat", None),
                   ("callgraph-fold", None), ("profile-make -b x", "profile")],
    "versions": [("pidx-read -", "entries"),
                 ("pidx-read --profiles -", "profiles")],
    "entries": [("pidx-rm", None)],
    "profiles": [("pidx-write -C other", None), ("pidx-rm", None)],
    "profile": [("pidx-write", None)],
}
STORES = "find .perun other/.perun db csv -type f ! -name '*.lock' " \
    "2>/dev/null | sort | xargs sha1sum"


def sh(command):
    done = subprocess.run(["bash", "-c", command], capture_output=True,
                          stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def renew():
    """Makes the current directory what it was before."""
    sh("shopt -s dotglob; rm -rf -- *; cp -a ../before/. .")


def names_file(command):
    return command.split()[-1] in ("build.log", "local.json", "mal-2018.json",
                                   "callgraph.ndjson")


def with_operand(command, operand):
    return " ".join([*command.split()[:-1], operand])


def losses(rng, command, output):
    """Shell commands in place of one that writes this output, with a name.
    Only the last newline is no loss: a line is read without it."""
    n = len(output)
    if names_file(command):
        file = command.split()[-1]
        yield "cannot open", with_operand(command, "nosuch")
        yield "cannot open the second", command + " nosuch"
        yield "truncated gzip", f"{command} " \
            f"<(gzip -c {file} | head -c -{rng.randint(1, 60)})"
    yield "usage error", command + " --nosuch"
    yield "killed at the start", "sh -c 'kill -9 $$'"
    yield "full disk", command + " -o /dev/full"
    if n < 3:
        return
    at = rng.randrange(1, n - 1)
    yield f"{at} of {n} bytes", f"{command} | head -c {at}"
    yield f"without {at} bytes", f"{command} | tail -c +{at + 1}"
    lines = output.count(b"\n")
    if lines > 1:
        at = rng.randrange(1, lines)
        yield f"{at} of {lines} lines", f"{command} | head -n {at}"
        yield f"without {at} lines", f"{command} | tail -n +{at + 1}"
        yield "a bad line", f"{command} | sed '{at}s/$/\\nbad/'"


def is_marked(before, name, reader):
    """Whether what was stored since is marked.  A line may be rejected before a
    profile is made, which says so, or between profiles; a database has a table
    of what malparse rejected, and gets each trace when it has come."""
    return before == sh(STORES)[1] or name == "a bad line" and (
        reader in ("pidx-write -C other", "pidx-rm") or
        b'"lacks"' in sh("pidx-read --profiles HEAD")[1]) or \
        reader.startswith("malload") and \
        name in ("a bad line", "truncated gzip", "an empty operand")


def try_loss(what, commands, before):
    """Runs the commands as a pipeline; expects a status for the loss."""
    renew()
    text = " | ".join(f"({c})" for c in commands)
    status, _, err = sh(text)
    if status == 0 or status > 2:
        sys.exit(f"{what}: status {status}: {text}\n{err}")
    if not is_marked(before, what.rpartition(": ")[2], commands[-1]):
        sys.exit(f"{what}: stored something: {text}\n{err}")


def expect_whole(commands):
    renew()
    before = sh(STORES)[1]
    status, output, err = sh(" | ".join(commands))
    # What `lacks` more than the inputs have is not stored.
    if status != 0:
        sys.exit(f"status {status}: {' | '.join(commands)}\n{err}")
    return before, output


def chains(kind, depth):
    """All sequences of up to `depth` filters that read one after the other."""
    for command, writes in FILTERS.get(kind, []):
        yield [command]
        if writes is not None and depth > 1:
            for rest in chains(writes, depth - 1):
                yield [command, *rest]


def each(rng):
    n = 0
    for kind, sources in SOURCES.items():
        for rest in chains(kind, 2):
            commands = [sources[0], *rest]
            before, _ = expect_whole(commands)
            upstream = commands[:-1]
            output = sh(" | ".join(upstream))[1]
            for name, loss in losses(rng, upstream[-1], output):
                try_loss(name, [*upstream[:-1], loss, commands[-1]], before)
                n += 1
            # An operand without a byte, beside the stream
            if not rest[-1].startswith("pidx-r"):
                try_loss("an empty operand",
                         [*upstream, rest[-1] + " - /dev/null"], before)
                n += 1
    print(f"{n} losses")


def random_pipelines(rng, count):
    n = 0
    while n < count:
        kind = rng.choice(list(SOURCES))
        commands = [rng.choice(SOURCES[kind]),
                    *rng.choice(list(chains(kind, 4)))]
        before, _ = expect_whole(commands)
        at = rng.randrange(len(commands) - 1)
        output = sh(" | ".join(commands[:at + 1]))[1]
        name, loss = rng.choice(list(losses(rng, commands[at], output)))
        try_loss(f"seed {n}: {name}", [*commands[:at], loss,
                                       *commands[at + 1:]], before)
        n += 1
    print(f"{n} pipelines")


# --- Gates --------------------------------------------------------------------

# word: what is known of the path of 5 s and of the wall time of 9 s
KNOWN = {
    "rejected": ((5, 9), (9, 9)), "graph": ((5, 9), (9, 9)),
    "head": ((5, None), (9, None)), "tail": ((5, None), (9, None)),
    "unfinished": ((5, None), (9, None)), "failed": ((5, None), (9, None)),
    "deps": ((3, 9), (9, 9)),
    "runs": ((0, None), (0, None)), "times": ((0, None), (0, None)),
}


def bounds_of(words):
    """The bounds of both with all these words missing."""
    result = []
    for i, exact in enumerate((5, 9)):
        known = [KNOWN[w][i] for w in words]
        low = min([k[0] for k in known], default=exact)
        high = None if any(k[1] is None for k in known) else \
            max([k[1] for k in known], default=exact)
        result.append((low, high))
    return result


def gates():
    n = 0
    for k in range(4):
        for words in itertools.combinations(KNOWN, k):
            build = {"type": "build", "start_us": 0, "end_us": 9000000}
            if words:
                build["lacks"] = list(words)
            records = [
                {"type": "task", "id": "a", "start_us": 0, "end_us": 2000000,
                 "deps": []},
                {"type": "task", "id": "b", "start_us": 6000000,
                 "end_us": 9000000, "deps": ["a"]}, build]
            text = "".join(json.dumps(r) + "\n" for r in records)
            for option, (low, high) in zip(("", "wall="), bounds_of(words)):
                for seconds in (0, 4, 5, 8, 9, 100):
                    want = 1 if seconds < low else \
                        0 if high is not None and seconds >= high else 2
                    for other in ([], ["--summary"]):
                        got = subprocess.run(
                            ["critpath", f"--budget={option}{seconds}s",
                             *other], input=text, text=True,
                            capture_output=True, check=False)
                        if got.returncode != want:
                            sys.exit(f"{words} {option}{seconds}s {other}: "
                                     f"status {got.returncode}, not {want}")
                        n += 1
    print(f"{n} budgets")


def main():
    mode, *args = sys.argv[1:]
    rng = random.Random(int(args[0])) if args else None
    {"each": lambda: each(rng), "gates": gates,
     "random": lambda: random_pipelines(rng, int(args[1]))}[mode]()


main()
