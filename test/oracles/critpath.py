#!/usr/bin/env python3
"""critpath - second implementations, directly from the definitions

Usage: critpath.py MODE SEED COUNT         many small random graphs
       critpath.py shuffle SEED COUNT PIPELINE FILE
       critpath.py ninja NINJA-LOG DOT

The graphs have up to 12 tasks, so that all paths can be listed.  A chain is a
list of ids.  It begins with a task without dependencies, and each further task
depends on the one before.  A path is a chain that ends with a task that is not
a copy.  Every answer is computed from the list of paths.  critpath itself is
found in PATH.  If the two differ on a graph, it is printed and the exit status
is 1.
"""

import json
import re
import sys

from oracle import Differ, check, main, run_filter


# --- Random builds ---------------------------------------------------------

ID_PARTS = ["a", "b", "B", "t1", "t2", "t10", "0", "\u00e9", "\u4e2d", "z"]


def random_ids(rng, n):
    ids = set()
    while len(ids) < n:
        ids.add("".join(rng.choices(ID_PARTS, k=rng.randint(1, 3))))
    ids = list(ids)
    ids.sort()
    rng.shuffle(ids)
    return ids


def random_elapsed(rng, max_us):
    return 0 if rng.random() < 0.15 else rng.randint(0, max_us)


def random_build(rng, *, copies=0.0, untimed=0.0, all_timed=False):
    """Records of tasks, shuffled; a task depends on earlier ones only."""
    ids = random_ids(rng, rng.randint(1, 12))
    max_us = rng.choice([1, 3, 5, 1000])
    density = rng.choice([0.1, 0.25, 0.4])
    tasks = []
    for i, name in enumerate(ids):
        deps = [d for d in ids[:i] if rng.random() < density]
        if deps and rng.random() < 0.1:
            deps.append(rng.choice(deps))       # edges are a set
        task = {"type": "task", "id": name, "kind": "run",
                "host": rng.choice(["h1", "h2"]),
                "rule": rng.choice(["CC", "LD"]), "deps": deps}
        if rng.random() < copies:
            task["kind"] = "copy"
        elapsed = random_elapsed(rng, max_us)
        if rng.random() < untimed:
            if rng.random() < 0.5:
                task["start_us"] = rng.randint(0, 9)
        elif all_timed or rng.random() < 0.4:
            start = rng.randint(0, 5 * max_us)
            if rng.random() < 0.1:
                elapsed = -elapsed              # clock skew
            task["start_us"], task["end_us"] = start, start + elapsed
        else:
            task["elapsed_us"] = elapsed
        tasks.append(task)
    rng.shuffle(tasks)
    return tasks


def run_critpath(records, *options):
    out = run_filter("critpath", records, *options)
    return [json.loads(line) for line in out.splitlines()]


def elapsed_of(task):
    if "start_us" in task and "end_us" in task:
        return max(0, task["end_us"] - task["start_us"])
    return task.get("elapsed_us")


class Brute:
    """Answers by brute force.

    to: the only task that may end a path.  change: a function of a task and its
    elapsed time that returns the elapsed time to use.  bridge: if true, a task
    without a time is replaced by its dependencies; otherwise dependencies on it
    are cut and counted.
    """

    def __init__(self, tasks, to=None, change=None, bridge=False):
        all_tasks = {t["id"]: t for t in tasks}
        self.tasks = {i: t for i, t in all_tasks.items()
                      if elapsed_of(t) is not None}
        self.elapsed = {i: elapsed_of(t) for i, t in self.tasks.items()}
        if change is not None:
            for i, t in self.tasks.items():
                self.elapsed[i] = change(t, self.elapsed[i])
        self.deps = {}
        self.cut = 0
        for i, t in self.tasks.items():
            self.deps[i] = set()
            for d in t["deps"]:
                if d in self.tasks:
                    self.deps[i].add(d)
                elif bridge:
                    self.deps[i] |= self.bridged(all_tasks, d)
            self.cut += len({d for d in t["deps"] if d not in self.tasks})
        if to is not None:
            self.ends = {to}
        else:
            self.ends = {i for i, t in self.tasks.items()
                         if t["kind"] != "copy"}
        self.paths = []
        self.chains = []
        for i in self.tasks:
            if not self.deps[i]:
                self.list_chains([i])
        self.paths = [c for c in self.chains if c[-1] in self.ends]
        self.n_edges = sum(len(d) for d in self.deps.values())

    def bridged(self, all_tasks, untimed):
        found = set()
        for d in all_tasks[untimed]["deps"]:
            if d in self.tasks:
                found.add(d)
            elif d in all_tasks:
                found |= self.bridged(all_tasks, d)
        return found

    def list_chains(self, chain):
        self.chains.append(chain)
        for i in self.tasks:
            if chain[-1] in self.deps[i]:
                self.list_chains(chain + [i])

    def sum(self, path, zero=None):
        return sum(self.elapsed[i] for i in path if i != zero)

    def length(self, zero=None):
        return max((self.sum(p, zero) for p in self.paths), default=None)

    def longest_to(self, i):
        return max(self.sum(c) for c in self.chains if c[-1] == i)

    def path(self):
        """The first path: by length, then from the last step back by elapsed
        time and id."""
        finish = {i: self.longest_to(i) for i in self.tasks}
        return min(self.paths, key=lambda p: [
            (-finish[i], -self.elapsed[i], i.encode()) for i in reversed(p)])

    def through(self, i):
        return max((self.sum(p) for p in self.paths if i in p), default=None)

    def slack(self, i):
        through = self.through(i)
        return None if through is None else self.length() - through

    def is_before(self, a, b):
        return any(a in c and b in c and c.index(a) < c.index(b)
                   for c in self.chains)

    def drag(self, i):
        if i not in self.path():
            return 0
        parallel = [j for j in self.tasks if j != i and
                    not self.is_before(i, j) and not self.is_before(j, i)]
        slacks = [self.slack(j) for j in parallel]
        return min([self.elapsed[i]] + [s for s in slacks if s is not None])

    def potential(self, i):
        return self.length() - self.length(zero=i)

    def length_from(self, i):
        """The length of the longest chain from i on, i included."""
        return max(self.sum(c[c.index(i):]) for c in self.chains if i in c)


# --- Comparisons -----------------------------------------------------------

def split(records):
    """Tasks by id, steps by path, summaries by path.  Checks the order of the
    manual: tasks, steps, then the summaries, that of the first path last."""
    order = {"task": 0, "critical": 1, "critpath": 2}
    kinds = [order[r["type"]] for r in records]
    check("order of records", sorted(kinds), kinds)
    tasks = {r["id"]: r for r in records if r["type"] == "task"}
    steps, summaries = {}, {}
    for r in records:
        if r["type"] == "critical":
            steps.setdefault(r.get("path", 1), []).append(r)
        elif r["type"] == "critpath":
            summaries[r.get("path", 1)] = r
    if summaries:
        check("the last summary's path", 1, records[-1].get("path", 1))
    return tasks, steps, summaries


def check_first_path(brute, steps, summary):
    path = brute.path()
    check("length_us", brute.length(), summary["length_us"])
    check("path", path, [s["id"] for s in steps])
    check("step numbers", list(range(1, len(path) + 1)),
          [s["step"] for s in steps])
    check("steps", len(path), summary["steps"])
    check("elapsed_us of steps", [brute.elapsed[i] for i in path],
          [s["elapsed_us"] for s in steps])
    check("potential_us", [brute.potential(i) for i in path],
          [s["potential_us"] for s in steps])
    check("sum of by_kind", brute.length(), sum(summary["by_kind"].values()))
    for kind, us in summary["by_kind"].items():
        check(f"by_kind {kind}", us, sum(
            brute.elapsed[i] for i in path if brute.tasks[i]["kind"] == kind))
    check("tasks", len(brute.tasks), summary["tasks"])
    for s in steps:
        if brute.length() > 0:
            share = s["elapsed_us"] / brute.length()
            if abs(share - s["share"]) > 1e-6:
                check("share", share, s["share"])


def check_all(brute, tasks):
    check("ids", sorted(brute.tasks), sorted(tasks))
    for i in brute.tasks:
        check(f"slack_us of {i}", brute.slack(i), tasks[i].get("slack_us"))
        check(f"drag_us of {i}", brute.drag(i), tasks[i]["drag_us"])
        check(f"elapsed_us of {i}", brute.elapsed[i], tasks[i]["elapsed_us"])
        check(f"start_us of {i}", brute.tasks[i].get("start_us"),
              tasks[i].get("start_us"))


def compare(records, brute, *options):
    """Compares everything about the first path, and all tasks."""
    tasks, steps, summaries = split(run_critpath(records, "--all", *options))
    if not brute.paths:
        check("output without a path", {}, summaries)
        return None
    check_first_path(brute, steps[1], summaries[1])
    check_all(brute, tasks)
    return summaries[1]


def mode_paths(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.2]),
                         untimed=rng.choice([0, 0.1]))
    brute = Brute(tasks)
    summary = compare(tasks, brute)
    if summary is not None:
        check("edges", brute.n_edges, summary["edges"])
        if all(len(set(t["deps"])) == len(t["deps"]) for t in tasks):
            check("cut", brute.cut, summary["cut"])
        check("skewed", sum("end_us" in t and t["end_us"] < t["start_us"]
                            for t in tasks), summary["skewed"])


def mode_bridge(rng):
    """Compares numbers only: which of two equal paths is the first depends on
    the bridged tasks."""
    tasks = random_build(rng, untimed=0.3)
    brute = Brute(tasks, bridge=True)
    got, steps, summaries = split(run_critpath(tasks, "--all", "--bridge"))
    if not brute.paths:
        check("output without a path", {}, summaries)
        return
    check("length_us", brute.length(), summaries[1]["length_us"])
    path = [s["id"] for s in steps[1]]
    for before, after in zip(path, path[1:]):
        check(f"does {after} depend on {before}", True,
              before in brute.deps[after])
    check("sum of the path", brute.length(), brute.sum(path))
    for s in steps[1]:
        check("potential_us", brute.potential(s["id"]), s["potential_us"])
    for i in brute.tasks:
        check(f"slack_us of {i}", brute.slack(i), got[i].get("slack_us"))
    check("cut", 0, summaries[1]["cut"])


def mode_top(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.2]))
    brute = Brute(tasks)
    k = rng.randint(2, 6)
    _, steps, summaries = split(run_critpath(tasks, "--top", str(k)))
    if not brute.paths:
        check("output without a path", {}, summaries)
        return
    check_first_path(brute, steps[1], summaries[1])
    covered, number = set(brute.path()), 1
    while number < k:
        left = {i: brute.through(i) for i in brute.tasks
                if i not in covered and brute.through(i) is not None}
        if not left:
            break
        number += 1
        check(f"is there a path {number}", True, number in steps)
        path = [s["id"] for s in steps[number]]
        check(f"is path {number} a path", True, path in brute.paths)
        check(f"length of path {number}", max(left.values()),
              summaries[number]["length_us"])
        check(f"sum of path {number}", max(left.values()), brute.sum(path))
        check(f"slack of path {number}",
              brute.length() - max(left.values()),
              summaries[number]["slack_us"])
        new = [i for i in path if left.get(i) == max(left.values())]
        check(f"is there a new task in path {number}", True, len(new) > 0)
        covered |= set(path)
    check("number of paths", list(range(1, number + 1)), sorted(steps))


def mode_to(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.2]))
    to = rng.choice(tasks)["id"]
    compare(tasks, Brute(tasks, to=to), "--to", to)


def compare_what_if(tasks, change, *options):
    brute = Brute(tasks, change=change)
    summary = compare(tasks, brute, *options)
    if summary is None:
        return
    recorded = Brute(tasks).length()
    check("recorded_us", recorded, summary["recorded_us"])
    check("saved_us", recorded - brute.length(), summary["saved_us"])
    for key in "waiting_us", "overlap_us", "after_us":
        check(f"is there {key} in a what-if", False, key in summary)


TIMES = [("0", 0), ("7us", 7), ("3ms", 3000), ("0.5ms", 500), ("1us", 1),
         ("2.5s", 2500000), ("3m", 180000000), ("1h", 3600000000)]


def mode_set(rng):
    tasks = random_build(rng)
    chosen = {t["id"]: rng.choice(TIMES)
              for t in rng.sample(tasks, rng.randint(1, min(3, len(tasks))))}
    options = [f"--set={i}={text}" for i, (text, _) in chosen.items()]
    compare_what_if(tasks, lambda t, us: chosen[t["id"]][1]
                    if t["id"] in chosen else us, *options)


def mode_drop(rng):
    tasks = random_build(rng, copies=0.4)
    key, value = rng.choice([("kind", "copy"), ("kind", "run"),
                             ("host", "h1"), ("rule", "CC")])
    if not any(t[key] == value for t in tasks):
        return            # critpath would warn
    compare_what_if(tasks, lambda t, us: 0 if t[key] == value else us,
                    "--drop", f"{key}={value}")


# --- Workers ---------------------------------------------------------------

def simulate(brute, workers):
    """An idle worker takes the ready task with the longest path to go."""
    ended, running, now = set(), {}, 0
    while True:
        while True:     # copies need no worker, and may end at once
            ended |= {i for i, at in running.items() if at == now}
            for i in [i for i in running if i in ended]:
                del running[i]
            ready = [i for i in brute.tasks if i not in ended and
                     i not in running and brute.deps[i] <= ended]
            copies = [i for i in ready if brute.tasks[i]["kind"] == "copy"]
            if not copies:
                break
            for i in copies:
                running[i] = now + brute.elapsed[i]
        ready.sort(key=lambda i: (-brute.length_from(i), i.encode()))
        busy = sum(brute.tasks[i]["kind"] != "copy" for i in running)
        for i in ready[:workers - busy]:
            running[i] = now + brute.elapsed[i]
        if not running:
            break
        now = min(running.values())
    check("all have run", set(brute.tasks), ended)
    return now


def simulated(tasks, workers):
    _, _, summaries = split(run_critpath(tasks, "--workers", str(workers)))
    if not summaries:
        return None
    check("workers", workers, summaries[1]["workers"])
    return summaries[1]["simulated_us"]


def mode_workers(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.3]))
    brute = Brute(tasks)
    workers = rng.randint(1, 4)
    if brute.paths:
        check("simulated_us", simulate(brute, workers),
              simulated(tasks, workers))


def mode_bounds(rng):
    """The bounds of list scheduling (Graham)."""
    tasks = random_build(rng)
    brute = Brute(tasks)
    length, total = brute.length(), sum(brute.elapsed.values())
    check("with one worker", total, simulated(tasks, 1))
    check("with enough workers", length, simulated(tasks, len(tasks)))
    workers = rng.randint(2, 4)
    us = simulated(tasks, workers)
    if not max(length, total / workers) <= us <= length + total / workers:
        raise Differ(f"{workers} workers: {us} is out of bounds "
                     f"({length}, {total})")


# --- The wall time ---------------------------------------------------------

def mode_account(rng, *options):
    tasks = random_build(rng, all_timed=True)
    by_id = {t["id"]: t for t in tasks}
    times = [t[key] for t in tasks for key in ("start_us", "end_us")]
    start, end = min(times), max(times)
    records = list(tasks)
    if rng.random() < 0.5:      # as execlog-parse writes it
        start, end = start - rng.randint(0, 9), end + rng.randint(0, 9)
        records.append({"type": "build", "start_us": start, "end_us": end})
    _, steps, summaries = split(run_critpath(records, *options))
    for k, summary in summaries.items():
        check("wall_us", end - start, summary["wall_us"])
        check("wall = length + waiting - overlap + after",
              summary["wall_us"], summary["length_us"] +
              summary["waiting_us"] - summary["overlap_us"] +
              summary["after_us"])
        now, waiting, overlap = start, 0, 0
        for s in steps[k]:
            check("both waiting and overlap", False,
                  "waiting_us" in s and "overlap_us" in s)
            gap = s.get("waiting_us", 0) - s.get("overlap_us", 0)
            check(f"start_us of {s['id']}", now + gap, s["start_us"])
            check("start_us", by_id[s["id"]]["start_us"], s["start_us"])
            now = by_id[s["id"]]["end_us"]
            check("elapsed_us", max(0, now - s["start_us"]), s["elapsed_us"])
            waiting += s.get("waiting_us", 0)
            overlap += s.get("overlap_us", 0) + max(0, s["start_us"] - now)
        check("waiting_us", waiting, summary["waiting_us"])
        check("overlap_us", overlap, summary["overlap_us"])
        check("after_us", end - now, summary["after_us"])


def mode_account_top(rng):
    mode_account(rng, "--top", "3")


# --- Order -----------------------------------------------------------------

def mode_order(rng):
    """Shuffled records give the same output, even if ids are repeated."""
    tasks = random_build(rng, copies=0.2, untimed=0.1)
    for t in rng.sample(tasks, rng.randint(0, len(tasks))):
        again = {"type": "task", "id": t["id"], "kind": t["kind"],
                 "host": rng.choice(["h1", "h2"]), "rule": t["rule"],
                 "deps": []}
        for key in rng.choice([("start_us",), ("end_us",),
                               ("start_us", "end_us")]):
            again[key] = rng.randint(0, 9)
        if again.get("start_us", 0) > again.get("end_us", 99):
            again["end_us"] = again["start_us"]
        tasks.append(again)
    first = None
    for _ in range(3):
        rng.shuffle(tasks)
        out = run_critpath(tasks, "--all", "--top", "4")
        check("output of the records shuffled", first or out, out)
        first = out


def mode_attempts(rng):
    """The same, if only the elapsed times of repeated ids are known."""
    tasks = random_build(rng, copies=0.2)
    for t in rng.sample(tasks, rng.randint(0, len(tasks))):
        tasks.append({"type": "task", "id": t["id"], "kind": t["kind"],
                      "host": t["host"], "rule": t["rule"], "deps": [],
                      "elapsed_us": rng.randint(0, 9)})
    tasks = [{k: v for k, v in t.items() if k not in ("start_us", "end_us")}
             for t in tasks]
    first = None
    for _ in range(3):
        rng.shuffle(tasks)
        out = run_critpath(tasks, "--all")
        check("output of the records shuffled", first or out, out)
        first = out


# --- ninja -----------------------------------------------------------------

def read_dot(path):
    """{output: (rule, [input, ...])}"""
    label, rule, edges, made_by = {}, {}, [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if m := re.match(r'"(\w+)" -> "(\w+)"(?: \[label=" (.*)"\])?',
                             line):
                edges.append(m.groups())
            elif m := re.match(r'"(\w+)" \[label="(.*)", shape=ellipse\]',
                               line):
                rule[m[1]] = m[2]
            elif m := re.match(r'"(\w+)" \[label="(.*)"\]', line):
                label[m[1]] = m[2]
    inputs = {command: [] for command in rule}
    for a, b, _ in edges:
        if b in rule:
            inputs[b].append(label[a])
    for a, b, name in edges:
        if b not in label:
            continue        # a command, or an implicit output without a name
        if a in rule:
            made_by[label[b]] = (rule[a], inputs[a])
        elif name is not None:
            made_by[label[b]] = (name, [label[a]])
    return made_by


def read_ninja_log(path):
    elapsed_ms = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                start, end, _, output, _ = line.rstrip("\n").split("\t")
                elapsed_ms[output] = int(end) - int(start)
    return elapsed_ms


def ninja(log_path, dot_path):
    """Prints the length of the longest path, in us."""
    sys.setrecursionlimit(100000)
    made_by, elapsed_ms = read_dot(dot_path), read_ninja_log(log_path)
    known = {}

    def longest(output):
        if output not in known:
            rule, inputs = made_by.get(output, (None, []))
            if output in elapsed_ms or rule == "phony":
                known[output] = elapsed_ms.get(output, 0) + max(
                    map(longest, inputs), default=0)
            else:
                known[output] = 0       # a source, or it did not run
        return known[output]

    print(max(map(longest, elapsed_ms)) * 1000)


if __name__ == "__main__":
    main(globals(), ninja)
