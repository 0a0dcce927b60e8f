#!/usr/bin/env python3
"""malstat-diff - random traces of two runs, and what changed between them

Usage: malstat-diff.py diff SEED COUNT

A side is a list of runs of queries, and of plans that are linked to none, whose
times are chosen first; so what malstat --diff has to answer follows from sums
of these.  Of some runs the trace lacks the end, some fail, and some have no
instance in their own session or none at all: they must not count.  malstat
itself is found in PATH.
"""

import collections
import json
import os
import re
import subprocess
import tempfile
from fractions import Fraction

import oracle
from oracle import Differ, check, lines_of, main, without_boundaries

OPERATIONS = ["algebra.join", "algebra.select", "bat.append", "aggr.sum"]
TIMES = [0, 1, 50, 50, 50, 700, 12000, 3 * 10**6]
UNITS = {"ns": Fraction(1, 1000), "us": 1, "ms": 1000, "s": 10**6}
LEFT_OUT = ["interrupted", "failed", "elsewhere", "silent"]

Run = collections.namedtuple("Run", "name is_query how times")


def rounded(x):
    """To an integer, as C does."""
    return int(x + Fraction(1, 2)) if x >= 0 else -rounded(-x)


def random_run(rng, name, is_query):
    how = "whole" if not is_query or rng.random() < 0.75 else \
        rng.choice(LEFT_OUT)
    return Run(name, is_query, how, [
        (rng.choice(OPERATIONS), rng.choice(TIMES))
        for _ in range(rng.randint(1, 4))])


def random_sides(rng):
    names = [f"select a from t{i} where b = ?"
             for i in range(rng.choice([1, 1, 2, 4]))]
    sides = []
    for side in range(2):
        runs = [random_run(rng, name, True) for name in names
                for _ in range(rng.choice([0, 1, 1, 3]))]
        if len(names) == 1 and rng.random() < 0.3:
            # The only query has another text.
            runs = [r._replace(name=f"select {'xy'[side]}") for r in runs]
        runs += [random_run(rng, f"p{i}", False)
                 for i in range(rng.choice([0, 0, 1, 2]))]
        rng.shuffle(runs)
        if rng.random() < 0.2 and sides:
            runs = list(sides[0])
        sides.append(runs)
    return sides


def rows_of(rng, runs):
    """The rows of a side: each run has a session of its own, as it has when
    each is recorded by itself."""
    rows, now = [], rng.randint(-10**6, 10**9)
    for number, run in enumerate(runs):
        root, child = 2 * number + 1, 2 * number + 2
        owner = "client" if run.how == "failed" else "server_session"
        rows.append({"type": "mal_execution", "execution_id": root,
                     "user_function": "main" if run.is_query else run.name,
                     owner: f"s{number}"})
        if run.is_query:
            text = run.name.replace("?", str(rng.randint(0, 99)))
            rows.append({"type": "query", "root_execution_id": root,
                         "query_text": text.upper()})
        execution = root
        if run.how == "elsewhere":
            execution = child
            rows += [{"type": "mal_execution", "execution_id": child,
                      "server_session": f"w{number}"},
                     {"type": "initiates_executions", "parent_id": root,
                      "child_id": child}]
        if run.how == "failed":
            rows.append({"type": "query_phase", "mal_execution_id": root,
                         "phase": "mal_engine", "failed": True})

        def event(pc, state, operation, execution=execution):
            rows.append({"type": "profiler_event", "pc": pc, "thread": 1,
                         "mal_execution_id": execution, "usec": 7,
                         "execution_state": state, "relative_time": now,
                         "mal_module": operation.split(".")[0],
                         "instruction": operation.split(".")[1]})

        has_plan = run.how == "interrupted" or rng.random() < 0.7
        if has_plan:
            event(0, 0, "user.main")
        for pc, (operation, us) in enumerate(run.times, 1):
            event(pc, 0, operation)
            now += us
            if run.how != "silent":
                event(pc, 1, operation)
        if has_plan and run.how not in ("interrupted", "silent"):
            event(0, 1, "user.main")
        now += 10**7
    return rows


class Side:
    """What the runs of one query, or of one plan, are on one side."""

    def __init__(self, runs):
        self.whole = [r for r in runs if r.how == "whole"]
        self.left_out = len(runs) - len(self.whole)
        self.n = len(self.whole)
        self.is_unknown = self.n == 0 < self.left_out
        self.us = Fraction(sum(us for r in self.whole for _, us in r.times),
                           max(self.n, 1))


def pairs_of(sides):
    """(text in the new trace, is_query): (the new side, the old one)"""
    names = [{(r.name, r.is_query): None for r in runs} for runs in sides]
    single = [[k for k in n if k[1]] for n in names]
    other = {k: k for k in [*names[0], *names[1]]}
    if len(single[0]) == len(single[1]) == 1:
        other[single[1][0]] = single[0][0]
    return {k: [Side([r for r in runs if other[r.name, r.is_query] == k])
                for runs in sides] for k in other.values()}


def expected_changes(pairs):
    changes = []
    for (text, _), sides in pairs.items():
        want = {"type": "query_change", "query_text": text}
        for side, prefix in zip(sides, ["", "before_"]):
            if side.left_out:
                want[prefix + "left_out"] = side.left_out
            if side.n:
                want[prefix + "runs"] = side.n
                want[prefix + "elapsed_us"] = rounded(side.us)
        if not any(side.is_unknown for side in sides):
            want["change_us"] = rounded(sides[0].us) - rounded(sides[1].us)
        changes.append(want)
    return changes


def expected_operations(pairs):
    sums = collections.defaultdict(lambda: [0, 0])
    for sides in pairs.values():
        if any(side.is_unknown for side in sides):
            continue
        for i, side in enumerate(sides):
            for r in side.whole:
                for operation, us in r.times:
                    sums[operation][i] += Fraction(us, side.n)
    return {operation: rounded(now) - rounded(before)
            for operation, (now, before) in sums.items()}


def amount(text):
    number, unit = text.split() if text != "0" else ("0", "us")
    return Fraction(number) * UNITS[unit]


def check_amount(what, want, text):
    """A report shows three digits."""
    if abs(amount(text) - want) > want / 100 + Fraction(1, 1000):
        raise Differ(f"{what}: should be {float(want)} us, is {text}")


def check_title(pairs, line):
    sides = [s for (_, is_query), s in pairs.items() if is_query]
    both = [s for s in sides if s[0].n and s[1].n]
    unknown = [s for s in sides if any(x.is_unknown for x in s)]
    now, before = (sum(s[i].us for s in both) for i in range(2))
    counts = {"slower": sum(s[0].us > s[1].us for s in both),
              "faster": sum(s[0].us < s[1].us for s in both),
              "new": sum(s[0].n > 0 == s[1].n + s[1].left_out for s in sides),
              "gone": sum(s[1].n > 0 == s[0].n + s[0].left_out for s in sides),
              "not compared": len(unknown)}
    if not (counts["slower"] and counts["faster"]):
        del counts["slower"], counts["faster"]
    head, _, rest = line.partition("; " if both else ": ")
    check("counts", ", ".join(f"{n} {what}" for what, n in counts.items() if n),
          rest)
    if not both:
        check("title", "No query can be compared" if unknown else
              "The two have no query in common", head)
        return
    if len(sides) > 1:
        n, _, head = head.partition(": ")
        check("common queries",
              f"{len(both)} {'query' if len(both) == 1 else 'queries'}", n)
    m = re.fullmatch(r"(Slower by|Faster by|As fast)(?: ([\d.]+ \w+))?"
                     r"(?: \(([+-][\d.]+) %\))?: ([\d.]+ \w+|0)"
                     r"(?:, it was ([\d.]+ \w+|0))?", head)
    if m is None:
        raise Differ(f"no title: {head}")
    check("verdict", "Slower by" if now > before else "Faster by"
          if now < before else "As fast", m[1])
    check_amount("now", now, m[4])
    if now == before:
        return
    check_amount("difference", abs(now - before), m[2])
    check_amount("before", before, m[5])
    if before > 0 and abs(float(m[3]) - float((now / before - 1) * 100)) > 0.051:
        raise Differ(f"growth: {m[3]}")


def mode_diff(rng):
    sides = random_sides(rng)
    rows = [rows_of(rng, runs) for runs in sides]
    if not all(any(r["type"] == "profiler_event" for r in x) for x in rows):
        return
    oracle.last_run = ("malstat", "--diff", "(what follows ---)"), [
        *rows[0], {"type": "---"}, *rows[1]]
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, name) for name in ("now", "before")]
        for path, x in zip(paths, rows):
            with open(path, "w", encoding="utf-8") as f:
                f.write(lines_of(x))
        outputs = []
        for options in ([], ["--text"]):
            run = subprocess.run(["malstat", *options, "--diff", paths[1],
                                  paths[0]], capture_output=True,
                                 encoding="utf-8", check=False)
            check("status and messages", (0, ""), (run.returncode, run.stderr))
            outputs.append(without_boundaries(run.stdout))
        compare(pairs_of(sides), *outputs)


def compare(pairs, records, text):
    got = [json.loads(line) for line in records.splitlines()]

    def sortable(changes):
        return sorted([{k: v for k, v in r.items() if k not in (
            "growth", "before_busy_us", "busy_us")} for r in changes], key=str)

    check("queries", sortable(expected_changes(pairs)),
          sortable(r for r in got if r["type"] == "query_change"))
    check("operations", expected_operations(pairs), {
        r["operation"]: r["change_us"] for r in got
        if r["type"] == "operation_change"})
    # Further lines of the title are indented.
    check_title(pairs, re.match(r".*(?:\n  .+)*", text)[0].replace("\n ", ""))


if __name__ == "__main__":
    main(globals(), None)
