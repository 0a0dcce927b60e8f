#!/usr/bin/env python3
"""critpath - second implementations, directly from the definitions

Usage: critpath.py MODE SEED COUNT         many small random graphs
       critpath.py shuffle SEED COUNT PIPELINE FILE
       critpath.py ninja NINJA-LOG DOT

The graphs have up to 12 tasks, so that all paths can be listed.  A chain is a
list of ids.  It begins with a task without dependencies, and each further task
depends on the one before.  A path is a chain that ends with a task that is not
a copy.  Every answer is computed from the list of paths.  critpath itself is
found in PATH.  If the two differ on a graph, the graph is printed and the exit
status is 1.
"""

import json
import re
import subprocess
import sys

from oracle import Differ, check, compare_runs, lines_of, main, run_filter


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
    """Records of tasks, shuffled.  The graph is acyclic: a task depends only on
    tasks made before it.  copies, untimed: shares of tasks that are copies, or
    have no elapsed time; all_timed: all others have a start and an end."""
    ids = random_ids(rng, rng.randint(1, 12))
    max_us = rng.choice([1, 3, 5, 1000])
    density = rng.choice([0.1, 0.25, 0.4])
    tasks = []
    for i, name in enumerate(ids):
        deps = [d for d in ids[:i] if rng.random() < density]
        if deps and rng.random() < 0.1:
            deps.append(rng.choice(deps))       # twice: still one edge
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


def is_timed(task):
    return elapsed_of(task) is not None or "start_us" in task


def latest_start(task):
    """If it ran without a break until its end."""
    return task["end_us"] - task["elapsed_us"] if "started_us" in task else \
        task.get("start_us")


def closed(tasks, end):
    """The tasks; those that did not end count until the end of the log, or of a
    task that depends on them, if that started first."""
    result = []
    for t in tasks:
        if is_timed(t) and elapsed_of(t) is None:
            us = [max(0, end - t["start_us"])]
            us += [latest_start(s) - t["start_us"] for s in tasks
                   if t["id"] in s["deps"] and latest_start(s) is not None]
            t = t | {"end_us": t["start_us"] + min(u for u in us if u >= 0),
                     "is_open": True}
        result.append(t)
    return result


class Brute:
    """Answers by brute force.

    end: of the log, if the tasks do not say it.  to: the only task that may end a path.  change: a function of a task and its
    elapsed time that returns the elapsed time to use.  bridge: if true, a task
    without a time is replaced by its dependencies; otherwise dependencies on it
    are ignored.  cut: the number of dependencies on such tasks.

    In the methods, i is the id of a task, and zero the id of a task whose
    elapsed time counts as 0.
    """

    def __init__(self, tasks, to=None, change=None, bridge=False, end=None):
        end = extent_of(tasks)[1] if end is None else end
        all_tasks = {t["id"]: t for t in closed(tasks, end)}
        self.tasks = {i: t for i, t in all_tasks.items()
                      if elapsed_of(t) is not None}
        self.elapsed = {i: elapsed_of(t) for i, t in self.tasks.items()}
        if change is not None:
            for i, t in self.tasks.items():
                self.elapsed[i] = change(t, self.elapsed[i])
        self.has_open = any("is_open" in t for t in all_tasks.values())
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
        """The nearest tasks with a time on which an untimed task depends."""
        found = set()
        for d in all_tasks[untimed]["deps"]:
            if d in self.tasks:
                found.add(d)
            elif d in all_tasks:
                found |= self.bridged(all_tasks, d)
        return found

    def list_chains(self, chain):
        """Lists a chain and all chains that continue it."""
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
        """The path that is reported first.  Paths are compared from the last
        step backwards: by the longest chain that ends with the step, then by
        its elapsed time, then by its id."""
        finish = {i: self.longest_to(i) for i in self.tasks}
        return min(self.paths, key=lambda p: [
            (-finish[i], -self.elapsed[i], i.encode()) for i in reversed(p)])

    def through(self, i):
        """The length of the longest path through i, or None."""
        return max((self.sum(p) for p in self.paths if i in p), default=None)

    def slack(self, i):
        through = self.through(i)
        return None if through is None else self.length() - through

    def is_before(self, a, b):
        """Whether b depends on a, directly or indirectly."""
        return any(a in c and b in c and c.index(a) < c.index(b)
                   for c in self.chains)

    def drag(self, i):
        """Devaux's measure: for a task on the path, its elapsed time or, if
        that is less, the least slack of the tasks parallel to it; else 0."""
        if i not in self.path():
            return 0
        parallel = [j for j in self.tasks if j != i and
                    not self.is_before(i, j) and not self.is_before(j, i)]
        slacks = [self.slack(j) for j in parallel]
        return min([self.elapsed[i]] + [s for s in slacks if s is not None])

    def potential(self, i):
        """By how much the longest path gets shorter if i takes no time."""
        return self.length() - self.length(zero=i)

    def length_from(self, i):
        """The length of the longest chain from i on, i included."""
        return max(self.sum(c[c.index(i):]) for c in self.chains if i in c)


# --- Comparisons -----------------------------------------------------------

def split(records):
    """Tasks by id, steps and summaries by the number of their path.  Checks the
    order of records, as in the manual: unfinished, tasks, nodes, the build, steps,
    waits, clocks, then the
    summaries, of which that of path 1 is the last, gaps, and one verdict if
    there is a path."""
    order = {"unfinished": 0, "task": 1, "node": 2, "build": 3, "critical": 4,
             "wait": 5, "clock": 6, "critpath": 7, "gap": 8, "verdict": 9}
    kinds = [order[r["type"]] for r in records]
    check("order of records", sorted(kinds), kinds)
    tasks = {r["id"]: r for r in records if r["type"] == "task"}
    steps, summaries = {}, {}
    for r in records:
        if r["type"] == "critical":
            steps.setdefault(r.get("path", 1), []).append(r)
        elif r["type"] == "critpath":
            summaries[r.get("path", 1)] = r
    check("number of verdicts", 1 if summaries else 0,
          sum(r["type"] == "verdict" for r in records))
    if summaries:
        check("the last summary's path", 1,
              [r for r in records if r["type"] == "critpath"][-1]
              .get("path", 1))
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


def check_waits(brute, steps, summary, waits):
    """What ran while steps waited, recomputed from the times of all tasks."""
    waited = [s for s in steps if s.get("waiting_us", 0) > 0 and
              s["waiting_us"] * 100 >= summary.get("wall_us", 0)]
    waited.sort(key=lambda s: -s["waiting_us"])
    check("waits", [s["id"] for s in waited[:3]], [w["id"] for w in waits])
    for step, wait in zip(waited, waits):
        end = brute.tasks[step["id"]]["start_us"]
        start = end - step["waiting_us"]
        ran = {i: us for i, t in brute.tasks.items()
               if t["kind"] != "copy" and "start_us" in t and "end_us" in t and
               (us := min(end, t["end_us"]) - max(start, t["start_us"])) > 0}
        check("waiting_us", step["waiting_us"], wait["waiting_us"])
        check("tasks of a wait", len(ran), wait["tasks"])
        check("work_us of a wait", sum(ran.values()), wait["work_us"])
        check("longest_us", sorted(ran.values(), reverse=True)[:3],
              list(wait["longest_us"].values()))
        for i, us in wait["longest_us"].items():
            check(f"longest_us of {i}", ran[i], us)


def compare(records, brute, *options):
    """Compares everything about the first path, and all tasks.  Returns the
    summary of the path, or None if there is no path."""
    got = run_critpath(records, "--all", *options)
    tasks, steps, summaries = split(got)
    if not brute.paths:
        check("output without a path", {}, summaries)
        return None
    check_first_path(brute, steps[1], summaries[1])
    check_all(brute, tasks)
    check_waits(brute, steps[1], summaries[1],
                [r for r in got if r["type"] == "wait"])
    return summaries[1]


def mode_paths(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.2]),
                         untimed=rng.choice([0, 0.1]))
    brute = Brute(tasks)
    summary = compare(tasks, brute)
    if summary is not None:
        check("edges", brute.n_edges, summary["edges"])
        check("cut", brute.cut, summary["cut"])
        check("skewed", sum("end_us" in t and t["end_us"] < t["start_us"]
                            for t in tasks), summary["skewed"])


def mode_bridge(rng):
    """Compares numbers but not paths: which of two equally long paths is the
    first depends on the bridged tasks."""
    tasks = random_build(rng, untimed=0.3)
    for t in tasks:
        if elapsed_of(t) is None:       # else it would not be untimed
            t.pop("start_us", None)
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
    """Each further path is a longest one through a task on no path so far."""
    tasks = random_build(rng, copies=rng.choice([0, 0.2]))
    brute = Brute(tasks)
    top = rng.randint(2, 6)
    _, steps, summaries = split(run_critpath(tasks, "--top", str(top)))
    if not brute.paths:
        check("output without a path", {}, summaries)
        return
    check_first_path(brute, steps[1], summaries[1])
    covered, number = set(brute.path()), 1
    while number < top:
        # For each task on no path so far, the length of the longest path
        # through it.
        through = {i: brute.through(i) for i in brute.tasks
                   if i not in covered and brute.through(i) is not None}
        if not through:
            break
        length = max(through.values())
        number += 1
        check(f"is there a path {number}", True, number in steps)
        path = [s["id"] for s in steps[number]]
        check(f"is path {number} a path", True, path in brute.paths)
        check(f"length of path {number}", length,
              summaries[number]["length_us"])
        check(f"sum of path {number}", length, brute.sum(path))
        check(f"slack of path {number}", brute.length() - length,
              summaries[number]["slack_us"])
        new = [i for i in path if through.get(i) == length]
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


# --- Names -----------------------------------------------------------------

NAMES = ["", "x", "$(B)/x", "dir/x.o", "y", "\u4e2d/y", "a"]


def name_of(i, records):
    """The name of an id that differs from the id, or None."""
    def smallest(names):
        return min((n for n in names if n not in ("", i)),
                   key=lambda n: n.encode(), default=None)

    own = [r for r in records if r["id"] == i]
    nodes = [r for r in own if r["type"] == "node"]
    outputs = [n["outputs"] for n in nodes if n.get("outputs")]
    name = smallest(r.get("name", "") for r in own if r["type"] == "task") or \
        smallest(n.get("name", "") for n in nodes)
    if name is None and not any(i in o for o in outputs):
        name = smallest(o[0] for o in outputs)
    return name


def target_of(task, records):
    """That of the task, else of its node; a copy has the node of its uid."""
    about = task.get("uid") if task["kind"] == "copy" else task["id"]
    for kind, i in ("task", task["id"]), ("node", about):
        targets = [r["target"] for r in records if r["type"] == kind and
                   r["id"] == i and "target" in r]
        if targets:
            return min(targets)
    return None


def random_names(rng):
    """A build whose tasks and nodes have names, targets and outputs."""
    tasks = random_build(rng, copies=0.3)
    records = list(tasks)
    for t in tasks:
        if t["kind"] == "copy" and t["deps"]:
            t["uid"] = rng.choice(t["deps"])
        for _ in range(rng.choice([0, 1, 1, 2])):
            node = {"type": "node", "id": t["id"]}
            if rng.random() < 0.8:
                node["outputs"] = rng.choices(NAMES + [t["id"]],
                                              k=rng.randint(0, 3))
            records.append(node)
    for r in records:
        if rng.random() < 0.3:
            r["name"] = rng.choice(NAMES + [r["id"]])
        if rng.random() < 0.3:
            r["target"] = rng.choice(["//t", "//u"])
    rng.shuffle(records)
    return records


def mode_names(rng):
    records = random_names(rng)
    for r in run_critpath(records, "--all"):
        if r["type"] not in ("task", "critical"):
            continue
        i = r["id"]
        # A copy has the name and target of what is copied.
        about = [i, r["uid"]] if "uid" in r else [i]
        check(f"name of {i}", next(filter(None, (
            name_of(x, records) for x in about)), None), r.get("name"))
        check(f"target of {i}", target_of(r, records), r.get("target"))


def mode_to_name(rng):
    """A name is as good as an id if no other task has it."""
    records = random_names(rng)
    ids = [r["id"] for r in records if r["type"] == "task"]
    runs = sorted({r["id"] for r in records
                   if r["type"] == "task" and r["kind"] == "run"})
    named = {}
    for i in runs:
        named.setdefault(name_of(i, records), []).append(i)
    for name, own in named.items():
        if name is None or name in ids:
            continue
        if len(own) == 1:
            for options in (["--to={}"], ["--set={}=7us"]):
                want, got = (run_critpath(
                    records, *[o.format(x) for o in options])
                    for x in (own[0], name))
                check(f"answer about {name}", want, got)
            continue
        own.sort(key=lambda i: i.encode())
        run = subprocess.run(["critpath", "--to", name], check=False,
                             input=lines_of(records), capture_output=True,
                             encoding="utf-8")
        check("status", 2, run.returncode)
        check("message", f"critpath: '{name}' is the name of several tasks, "
              f"such as '{own[0]}' and '{own[1]}': use an id\n", run.stderr)


# --- Workers ---------------------------------------------------------------

def simulate(brute, workers):
    """How long the build takes with this number of workers, in us.  An idle
    worker takes the ready task from which the longest chain begins.  It has a
    task until that ends or, if another task gets its worker, until that ends.
    A pool without a limit has one worker, and uses those that it is part of."""
    tasks = brute.tasks
    limits = {t["pool"]: t.get("limit") for t in tasks.values()
              if "pool" in t} | {None: workers}
    heir = {t["worker_of"]: i for i, t in tasks.items() if "worker_of" in t}
    needs_worker = {i for i, t in tasks.items()
                    if t["kind"] != "copy" and "worker_of" not in t}
    # A pool is named by the task whose recipe it is.
    outer = {p: tasks[p].get("pool") for p in limits if p is not None}
    started = set()

    def has_worker(i):
        while i in ended and i in heir:
            i = heir[i]
        return i not in ended

    def root(pool):
        return pool if limits[pool] is not None else root(outer[pool])

    def is_worker_idle(task):
        """A pool without a limit uses its own worker, and for all but one of
        its tasks those of its root."""
        at_work = {p: sum(tasks[i].get("pool") == p and has_worker(i)
                          for i in started) for p in limits}
        pool = task.get("pool")
        if limits[pool] is None and at_work[pool] == 0:
            return True
        return limits[root(pool)] > sum(
            n if limits[p] is not None else max(0, n - 1)
            for p, n in at_work.items() if root(p) == root(pool))

    ended, running, now = set(), {}, 0
    while True:
        while True:     # copies need no worker, and may end at once
            ended |= {i for i, at in running.items() if at == now}
            for i in [i for i in running if i in ended]:
                del running[i]
            ready = [i for i in tasks if i not in ended and
                     i not in running and brute.deps[i] <= ended]
            at_once = [i for i in ready if i not in needs_worker]
            if not at_once:
                break
            for i in at_once:
                running[i] = now + brute.elapsed[i]
        ready.sort(key=lambda i: (-brute.length_from(i), i.encode()))
        for i in ready:
            if is_worker_idle(tasks[i]):
                started.add(i)
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


def saved_without(tasks, workers, is_free):
    """What workers save if the tasks for which is_free() is true take 0."""
    return simulate(Brute(tasks), workers) - simulate(
        Brute(tasks, change=lambda t, us: 0 if is_free(t) else us), workers)


def mode_savings(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.3]))
    workers = rng.randint(1, 3)
    records = run_critpath(tasks, "--workers", str(workers), "--by", "rule",
                           "--by", "id")
    for r in records:
        if r["type"] == "critical":
            check(f"saved_us of {r['id']}", saved_without(
                tasks, workers, lambda t: t["id"] == r["id"]), r["saved_us"])
        elif r["type"] == "group":
            check(f"saved_us of {r['by']}={r['value']}", saved_without(
                tasks, workers, lambda t: t[r["by"]] == r["value"]),
                  r["saved_us"])
    if all(t["rule"] != "CC" or not is_timed(t) for t in tasks):
        return
    records = run_critpath(tasks, "--workers", str(workers), "--drop",
                           "rule=CC")
    for r in records:
        if r["type"] == "critpath":
            check("simulated_saved_us", saved_without(
                tasks, workers, lambda t: t["rule"] == "CC"),
                  r["simulated_saved_us"])


def mode_workers(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.3]))
    brute = Brute(tasks)
    workers = rng.randint(1, 4)
    if brute.paths:
        check("simulated_us", simulate(brute, workers),
              simulated(tasks, workers))


def random_pools(rng, tasks, depth=0):
    """Replaces some tasks by what they run: a part, tasks that depend on it
    and need other workers, and the rest, on the worker of the first part."""
    result = []
    for t in tasks:
        if depth == 2 or rng.random() < 0.6:
            result.append(t)
            continue
        first = dict(t, id=t["id"] + " (part 1)")
        own = {"pool": t["id"]}
        if rng.random() < 0.6:
            own["limit"] = rng.randint(1, 3)
        inner = []
        for n in range(rng.randint(1, 4)):
            deps = [first["id"]] + [x["id"] for x in inner
                                    if rng.random() < 0.2]
            inner.append({"type": "task", "kind": "run", "deps": deps,
                          "id": f"{t['id']}.{n}", "elapsed_us":
                          rng.randint(0, 9)} | own)
        last = dict(t, deps=[x["id"] for x in inner], worker_of=first["id"],
                    elapsed_us=rng.randint(0, 3))
        result += [first, *random_pools(rng, inner, depth + 1), last]
    return result


def mode_pools(rng):
    """Some tasks need workers of other pools than the build's."""
    tasks = []
    for n in range(rng.randint(1, 6)):
        tasks.append({"type": "task", "kind": "run", "id": f"t{n}",
                      "elapsed_us": rng.randint(0, 9),
                      "deps": [t["id"] for t in tasks if rng.random() < 0.3]})
    tasks = random_pools(rng, tasks)
    workers = rng.randint(1, 4)
    check("simulated_us", simulate(Brute(tasks), workers),
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


# --- The verdict -----------------------------------------------------------

def started(task):
    return task.get("started_us", task.get("start_us"))


class Recorded:
    """What the recorded times of tasks say, microsecond by microsecond."""

    def __init__(self, brute):
        timed = [t for t in brute.tasks.values() if elapsed_of(t) > 0]
        self.is_known = all(started(t) is not None and "end_us" in t
                            for t in timed)
        self.most = self.busy = 0
        if not self.is_known or not timed:
            return
        spread = {t["id"] for t in brute.tasks.values() if "started_us" in t}
        for moment in range(min(map(started, timed)),
                            max(t["end_us"] for t in timed)):
            self.busy += any(started(t) <= moment < t["end_us"] for t in timed)
            running = [t for t in timed if t["kind"] != "copy" and
                       started(t) <= moment < t["end_us"]]
            self.most = max(
                self.most, sum("started_us" not in t for t in running),
                sum(t.get("parent") not in spread - {t["id"]}
                    for t in running))


def is_tenth_faster(us, than):
    return 10 * us < 9 * than


def more_workers(brute, verdict):
    """How long four and eight times as many workers take, if that is faster."""
    best, more = verdict.get("simulated_us"), {}
    for n in 4 * verdict["workers"], 8 * verdict["workers"]:
        us = simulate(brute, n)
        if best is None or us < best:
            more[str(n)] = us
        best = us
    return more


def knows_deps(brute):
    return brute.n_edges > 0 or len(brute.tasks) <= 1 or \
        any("deps" in t for t in brute.tasks.values())


def expected_verdict(brute, workers, what_if, wall):
    want = judge(brute, workers, what_if, wall)
    if brute.has_open and want.get("limit") in ("order", "workers"):
        want["reason"] = "did not end"
        del want["limit"]
    elif "limit" not in want:
        want["reason"] = "no task took time" \
            if "wall_us" not in want and not any(brute.elapsed.values()) else \
            "no dependencies are known" \
            if not knows_deps(brute) else \
            "--workers N simulates N workers"
    elif want["limit"] == "workers" and knows_deps(brute):
        more = more_workers(brute, want)
        if more:
            want["more_workers_us"] = more
    return want


def judge(brute, workers, what_if, wall):
    """As weir-critical-path(7), "The verdict", defines it."""
    recorded = Recorded(brute)
    runs = [i for i, t in brute.tasks.items() if t["kind"] != "copy"]
    want = {"type": "verdict",
            "work_us": sum(brute.elapsed[i] for i in runs),
            "path_us": max(map(brute.longest_to, runs))}
    n = workers or recorded.most
    if n == 0:
        return want
    work, path = want["work_us"], want["path_us"]
    share = -(-work // n)
    want |= {"workers": n, "bound_us": max(path, share)}
    if workers:
        want["simulated_us"] = simulate(brute, workers)
    has_deps = knows_deps(brute)
    is_nothing = not any(brute.elapsed.values())
    if recorded.is_known and recorded.most > 0 and not what_if and \
            n >= recorded.most and recorded.busy <= wall:
        compared = dict(want, wall_us=wall, idle_us=wall - recorded.busy)
        busy = recorded.busy
        if 2 * (wall - busy) > wall:
            return compared | {"limit": "idle"}
        if not has_deps and n == 1:
            return compared
        if path >= share and not is_tenth_faster(path, busy):
            return compared | {"limit": "path"}
        if share > path and not is_tenth_faster(share, busy):
            return compared | {"limit": "workers"}
        # The larger of the two decides; both were too small here.
        if not has_deps:
            return compared
        compared["simulated_us"] = simulate(brute, n)
        if not is_tenth_faster(compared["simulated_us"], busy):
            return compared | {"limit": "workers"}
        if n == recorded.most or \
                is_tenth_faster(simulate(brute, recorded.most), busy):
            return compared | {"limit": "order"}
    if workers and has_deps and not is_nothing:
        us = want["simulated_us"]
        want["limit"] = "path" if path >= share and \
            not is_tenth_faster(path, us) else "workers"
    return want


def in_order(rng, tasks):
    """Gives the tasks, which are not skewed, recorded times: some workers take
    random tasks that are ready, and sometimes wait before that."""
    brute, now = Brute(tasks), 0
    workers, slow = rng.randint(1, 4), rng.random() < 0.4
    ended, running = set(), {}
    while len(ended) < len(tasks):
        ready = [i for i in sorted(brute.tasks) if i not in ended and
                 i not in running and brute.deps[i] <= ended]
        rng.shuffle(ready)
        for i in ready[:max(0, workers - len(running))]:
            if slow and rng.random() < 0.5 and running:
                continue
            running[i] = now + brute.elapsed[i]
            brute.tasks[i]["start_us"] = now
            brute.tasks[i]["end_us"] = running[i]
        if not running:
            continue
        now = min(running.values())
        if slow and rng.random() < 0.2:
            now += rng.randint(0, 2)
        for i in [i for i, end in running.items() if end <= now]:
            ended.add(i)
            del running[i]


def mode_verdict_in_order(rng):
    """A build as it may happen.  What the verdict says is checked by what it
    means, beside its rules: no schedule is shorter than the bound, and tasks
    that all waited for their dependencies took no less."""
    tasks = random_build(rng, copies=rng.choice([0, 0.3]))
    for t in tasks:
        t["elapsed_us"] = elapsed_of(t)
        t.pop("start_us", None)
        t.pop("end_us", None)
    in_order(rng, tasks)
    brute = Brute(tasks)
    workers = rng.choice([0, 0, 0, 1, 2, 3, 5])
    got = run_critpath(tasks, *(["-w", str(workers)] if workers else []))
    _, _, summaries = split(got)
    if not summaries:
        return
    wall = summaries[1]["wall_us"]
    verdict = got[-1]
    check("verdict", expected_verdict(brute, workers, False, wall), verdict)
    if "wall_us" in verdict:
        check("bound_us <= wall_us", True, verdict["bound_us"] <= wall)
        if workers == 0:
            check("bound_us <= busy time", True, verdict["bound_us"] <=
                  wall - verdict["idle_us"])


def extent_of(records):
    """The start and the end of the build; 0 if no time is known."""
    extents = [r for r in records if r["type"] == "build"] or \
        [r for r in records if r["type"] == "task"]
    moments = [r[k] for r in extents
               for k in ("start_us", "started_us", "end_us") if k in r]
    return min(moments, default=0), max(moments, default=0)


def expected_gaps(records):
    """The three longest times in which nothing ran: length, start and the task
    after it.  All tasks that took time have a start and an end, or have not
    ended."""
    tasks = closed([t for t in records if t["type"] == "task" and
                    started(t) is not None], extent_of(records)[1])
    tasks = [t for t in tasks if elapsed_of(t) > 0 or "is_open" in t]
    moments = {m for t in tasks for m in (started(t), t["end_us"])
               if t["end_us"] > started(t)}
    first, last = extent_of(records)
    moments = sorted(moments | {first, last})
    gaps = []
    for start, end in zip(moments, moments[1:]):
        if start < first or end > last or any(
                started(t) <= start and t["end_us"] >= end for t in tasks):
            continue
        after = [t["id"] for t in tasks if started(t) == end]
        gaps.append((end - start, start,
                     min(after, key=str.encode) if after else None))
    gaps.sort(key=lambda g: (-g[0], g[1]))
    return gaps[:3]


def spread(rng, tasks):
    """Lets some tasks contain others, or wait; the others may be anywhere."""
    some = [t for t in tasks if t.get("end_us", 0) > t.get("start_us", 0) and
            t["kind"] == "run"]
    some = rng.sample(some, rng.randint(0, len(some)))
    for t in some:
        t["started_us"] = t.pop("start_us")
        t["elapsed_us"] = rng.randint(0, t["end_us"] - t["started_us"] - 1)
    for t in tasks:
        if rng.random() < 0.3:
            t["parent"] = rng.choice(some or tasks)["id"]


def mode_verdict(rng):
    tasks = random_build(rng, copies=rng.choice([0, 0.3]),
                         untimed=rng.choice([0, 0.1]),
                         all_timed=rng.random() < 0.8)
    if rng.random() < 0.4:
        spread(rng, tasks)
    records, wall = list(tasks), None
    if rng.random() < 0.3:
        start, end = rng.randint(-9, 3), rng.randint(3, 6000)
        records.append({"type": "build", "start_us": start, "end_us": end})
        wall = end - start
    workers = rng.choice([0, 0, 1, 2, 3, 5])
    change, options, what_if = None, [], False
    if rng.random() < 0.2 and any(
            t["rule"] == "CC" and is_timed(t) for t in tasks):
        what_if, options = True, ["--drop", "rule=CC"]
        change = lambda t, us: 0 if t["rule"] == "CC" else us
    if workers:
        options += ["--workers", str(workers)]
    brute = Brute(tasks, change=change, end=extent_of(records)[1])
    got = run_critpath(records, *options)
    _, _, summaries = split(got)
    if not summaries:
        return
    wall = summaries[1].get("wall_us", 0) if wall is None else wall
    want = expected_verdict(brute, workers, what_if, wall)
    if want.get("reason") == "did not end" and want["reason"] in \
            got[-1].get("reason", ""):
        got[-1]["reason"] = want["reason"]
    check("verdict", want, got[-1])
    gaps = [r for r in got if r["type"] == "gap"]
    check("gaps", expected_gaps(records) if want.get("limit") == "idle" else [],
          [(r["gap_us"], r["start_us"], r.get("id")) for r in gaps])
    if "limit" in want and "wall_us" not in want:
        check("bound <= simulated", True,
              want["bound_us"] <= want["simulated_us"])


def mode_many(rng):
    """Workers and idle time of a build of thousands of tasks."""
    first = rng.choice([0, -5000, 1700000000000000])
    last = first + rng.choice([10000, 10 ** 7, 10 ** 13])
    tasks, changes = [], {}
    for i in range(rng.randint(3000, 6000)):
        start = rng.randint(first, last)
        end = start + rng.choice([0, 1, 5, rng.randint(0, last - first)])
        kind = rng.choice(["run", "run", "copy"])
        tasks.append({"type": "task", "id": f"t{i}", "kind": kind,
                      "start_us": start, "end_us": end})
        if end > start:
            for moment, change in (start, 1), (end, -1):
                work, all_ = changes.get(moment, (0, 0))
                changes[moment] = (work + change * (kind == "run"),
                                   all_ + change)
    most = working = running = busy = before = 0
    for moment in sorted(changes):
        busy += (moment - before) * (running > 0)
        working += changes[moment][0]
        running += changes[moment][1]
        most, before = max(most, working), moment
    wall = max(t["end_us"] for t in tasks) - min(t["start_us"] for t in tasks)
    verdict = run_critpath(tasks)[-1]
    check("workers", most, verdict["workers"])
    check("wall_us", wall, verdict["wall_us"])
    check("idle_us", wall - busy, verdict["idle_us"])


# --- The wall time ---------------------------------------------------------

def mode_account(rng, *options):
    """The wall time is accounted for: by the steps of the path, the waiting
    before them (less overlaps) and the time after the last one."""
    tasks = random_build(rng, all_timed=True)
    by_id = {t["id"]: t for t in tasks}
    times = [t[key] for t in tasks for key in ("start_us", "end_us")]
    start, end = min(times), max(times)
    records = list(tasks)
    if rng.random() < 0.5:      # as execlog-parse writes it
        start, end = start - rng.randint(0, 9), end + rng.randint(0, 9)
        records.append({"type": "build", "start_us": start, "end_us": end})
    _, steps, summaries = split(run_critpath(records, *options))
    for number, summary in summaries.items():
        check("wall_us", end - start, summary["wall_us"])
        check("wall = length + waiting - overlap + after",
              summary["wall_us"], summary["length_us"] +
              summary["waiting_us"] - summary["overlap_us"] +
              summary["after_us"])
        now, waiting, overlap = start, 0, 0
        for s in steps[number]:
            check("both waiting and overlap", False,
                  "waiting_us" in s and "overlap_us" in s)
            gap = s.get("waiting_us", 0) - s.get("overlap_us", 0)
            check(f"start_us of {s['id']}", now + gap, s["start_us"])
            check("start_us", by_id[s["id"]]["start_us"], s["start_us"])
            now = by_id[s["id"]]["end_us"]
            check("elapsed_us", max(0, now - s["start_us"]), s["elapsed_us"])
            waiting += s.get("waiting_us", 0)
            # By clock skew, a step may end (now) before it starts.
            overlap += s.get("overlap_us", 0) + max(0, s["start_us"] - now)
        check("waiting_us", waiting, summary["waiting_us"])
        check("overlap_us", overlap, summary["overlap_us"])
        check("after_us", end - now, summary["after_us"])


def mode_account_top(rng):
    mode_account(rng, "--top", "3")


# --- Order -----------------------------------------------------------------

def mode_order(rng):
    """Shuffled records give the same output, even if several records, the
    attempts at a task, have the same id."""
    tasks = random_build(rng, copies=0.2, untimed=0.1)
    for t in rng.sample(tasks, rng.randint(0, len(tasks))):
        again = {"type": "task", "id": t["id"], "kind": t["kind"],
                 "host": rng.choice(["h1", "h2"]), "rule": t["rule"],
                 "deps": []}
        for key in rng.choice([("start_us",), ("end_us",),
                               ("start_us", "end_us")]):
            again[key] = rng.randint(0, 9)
        # No end is before its start; 99: there is no end.
        if again.get("start_us", 0) > again.get("end_us", 99):
            again["end_us"] = again["start_us"]
        tasks.append(again)
    first = None
    for _ in range(3):
        rng.shuffle(tasks)
        out = run_critpath(tasks, "--all", "--top", "4")
        check("output of the records shuffled", first or out, out)
        first = out


def mode_runs(rng):
    compare_runs(rng, "critpath", lambda: random_build(rng, untimed=0.1),
                 "--all")


def mode_attempts(rng):
    """As mode_order(), with records that have elapsed times, but neither starts
    nor ends."""
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
    """{output: (rule, [input, ...])} from the output of ninja -t graph.  There,
    a command is an ellipse, or an arrow with the name of the rule if it has one
    input and one output."""
    # By the id of a node in the graph: the name of a file, the rule of a
    # command.  edges: (source's id, target's id, rule or None)
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
    for source, target, _ in edges:
        if target in rule:
            inputs[target].append(label[source])
    for source, target, name in edges:
        if target not in label:
            continue        # a command, or an implicit output without a name
        if source in rule:
            made_by[label[target]] = (rule[source], inputs[source])
        elif name is not None:
            made_by[label[target]] = (name, [label[source]])
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
