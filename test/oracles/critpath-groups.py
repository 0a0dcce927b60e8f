#!/usr/bin/env python3
"""critpath-groups - what groups of tasks and single dependencies cost a build

Usage: critpath-groups.py MODE SEED COUNT       many random builds
       critpath-groups.py files FILE... KEY...  records, one build or several

Everything follows from the definitions: the longest path by dynamic programming
over the dependencies as weir-records(5) defines them, then once more with the
times of a group set to 0, and once more without a dependency.  Ids must not
repeat within a run.  critpath itself is found in PATH.
"""

import json
import math
import subprocess
import sys

import oracle
from critpath import name_of
from oracle import Differ, check, lines_of, main, run_filter


class Build:
    """The graph of a build.  time: {id: us} of the vertices, which are tasks
    and phony nodes; deps: {id: set of ids}; ends: the ids that may end a path."""

    def __init__(self, records):
        self.records = [r for r in records if r["type"] in ("task", "node")]
        self.tasks = {r["id"]: r for r in records if r["type"] == "task"}
        check("number of ids", len(self.tasks),
              sum(r["type"] == "task" for r in records))
        self.nodes = {r["id"]: r for r in records if r["type"] == "node"}
        self.tasks = {i: t for i, t in self.tasks.items()
                      if elapsed_of(t) is not None and "total_time" not in t}
        self.time = {i: 0 for i, n in self.nodes.items()
                     if n.get("rule") == "phony"}
        self.time |= {i: max(0, elapsed_of(t)) for i, t in self.tasks.items()}
        self.ends = {i for i, t in self.tasks.items()
                     if t.get("kind") != "copy"}
        made_by = {o: i for i, t in self.tasks.items()
                   for o in t.get("outputs", [])}
        self.deps = {i: set() for i in self.time}
        for r in [*self.nodes.values(), *self.tasks.values()]:
            owner = self.vertex(r["id"], made_by)
            for d in r.get("deps", []):
                d = self.vertex(d, made_by)
                if owner in self.time and d in self.time:
                    self.deps[owner].add(d)
        for i, t in self.tasks.items():
            self.add_by_kind(i, t)
        self.order = self.topological()

    def vertex(self, i, made_by):
        return i if i in self.tasks else made_by.get(i, i)

    def add_by_kind(self, i, task):
        if task.get("kind") == "copy":
            if task.get("uid") in self.time:
                self.deps[i].add(task["uid"])
            consumer = self.tasks.get(task.get("consumer"))
            if consumer and consumer.get("kind", "run") == "run" and \
                    consumer.get("host") == task.get("host"):
                self.deps[consumer["id"]].add(i)
        if task.get("kind", "run") in ("run", "copy"):
            start, _ = times_of(task)
            start = math.inf if start is None else start
            prepares = [(-self.time[j], j.encode(), j)
                        for j, p in self.tasks.items()
                        if p.get("kind") == "prepare" and "host" in p and
                        p["host"] == task.get("host") and
                        (task.get("kind") == "copy" or
                         len({t["worker"] for t in (task, p)
                              if "worker" in t}) < 2) and
                        (times_of(p)[1] is None or times_of(p)[1] <= start)]
            if prepares:
                self.deps[i].add(min(prepares)[2])

    def topological(self):
        order, done, stack = [], set(), [(i, False) for i in self.deps]
        while stack:
            i, are_deps_done = stack.pop()
            if are_deps_done:
                order.append(i)
            elif i not in done:
                done.add(i)
                stack.append((i, True))
                stack += [(d, False) for d in self.deps[i]]
        return order

    def finishes(self, zero=(), without=None):
        """{id: (the length of the longest path that ends with it, the id before
        it)}, if the tasks in zero took no time, and without a dependency (from,
        to).  Ties as in weir-critical-path(7)."""
        finish = {}
        for i in self.order:
            deps = [d for d in self.deps[i] if (d, i) != without]
            before = self.best(deps, finish, zero)
            finish[i] = ((0 if i in zero else self.time[i]) +
                         (finish[before][0] if before is not None else 0),
                         before)
        return finish

    def best(self, ids, finish, zero=()):
        return min(ids, default=None, key=lambda i: (
            -finish[i][0], -(0 if i in zero else self.time[i]), i.encode()))

    def length(self, **change):
        finish = self.finishes(**change)
        return max(finish[i][0] for i in self.ends)

    def path(self):
        finish = self.finishes()
        i, path = self.best(self.ends, finish), []
        while i is not None:
            path.insert(0, i)
            i = finish[i][1]
        return path

    def value(self, task, key):
        """The text of a task's value of a key, or None."""
        copied = task.get("kind") == "copy"
        node = self.nodes.get(task.get("uid") if copied else task["id"], {})
        if key == "name":
            return self.name(task)
        if key == "kind":
            return task.get("kind", "run")
        sources = [task] if key == "host" else [task, node]
        for source in sources:
            text = text_of(source.get(key))
            if text:
                return text
        return None

    def name(self, task):
        """A copy without a name has that of what is copied."""
        about = [task["id"]]
        if task.get("kind") == "copy" and "uid" in task:
            about.append(task["uid"])
        names = (name_of(i, self.records) for i in about)
        return next(filter(None, names), about[-1])

    def groups(self, by):
        members = {}
        for i, t in self.tasks.items():
            value = self.value(t, by)
            if value is not None:
                members.setdefault(value, set()).add(i)
        length, path = self.length(), self.path()
        groups = []
        for value, ids in members.items():
            potential = 0 if ids.isdisjoint(path) else \
                length - self.length(zero=ids)
            groups.append({
                "type": "group", "by": by, "value": value, "tasks": len(ids),
                "work_us": sum(self.time[i] for i in ids),
                "path_us": sum(self.time[i] for i in path if i in ids),
                "potential_us": potential})
        return sorted(groups, key=lambda g: (
            -g["potential_us"], -g["path_us"], -g["work_us"],
            g["value"].encode()))

    def edges(self):
        path, length = self.path(), self.length()
        return [{"type": "edge", "from": a, "to": b, "potential_us":
                 length - self.length(without=(a, b))}
                for a, b in zip(path, path[1:])]


def times_of(task):
    """Start and end, completed by the elapsed time; None if not known."""
    start, end, took = (task.get(k) for k in
                        ("start_us", "end_us", "elapsed_us"))
    if took is not None and (start is None) != (end is None):
        start, end = (end - took, end) if start is None else \
            (start, start + took)
    return start, end


def elapsed_of(task):
    if "start_us" in task and "end_us" in task:
        return task["end_us"] - task["start_us"]
    return task.get("elapsed_us")


def text_of(value):
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return None


def compare(got, records, keys):
    """Compares what critpath wrote about one build."""
    build = Build(records)
    if not build.ends:
        check("output without a path", [], got)
        return
    check("length_us", build.length(),
          [r["length_us"] for r in got if r["type"] == "critpath"][0])
    check("steps", [i for i in build.path() if i in build.tasks],
          [r["id"] for r in got if r["type"] == "critical"])
    without = [{k: v for k, v in r.items()
                if k not in ("run", "from_name", "to_name")} for r in got]
    check("edges", build.edges(), [r for r in without if r["type"] == "edge"])
    for key in keys:
        check(f"groups by {key}", build.groups(key), [
            r for r in without if r["type"] == "group" and r["by"] == key])


def options_of(keys):
    return ["--edges", *(f"--by={key}" for key in keys)]


def files(*args):
    """Compares the builds in files of records, and prints what they agree on."""
    keys = [a for a in args if not a.startswith(("/", "./"))]
    for path in (a for a in args if a not in keys):
        with open(path, encoding="utf-8") as f:
            records = [json.loads(line) for line in f]
        oracle.last_run = ["critpath", path], []
        out = subprocess.run(["critpath", *options_of(keys), path], check=True,
                             capture_output=True, encoding="utf-8").stdout
        got = [json.loads(line) for line in out.splitlines()]
        for run in dict.fromkeys(r.get("run") for r in records
                                 if r["type"] == "task"):
            compare([r for r in got if r.get("run") == run and
                     r["type"] not in ("begin", "end")],
                    [r for r in records if r.get("run", run) == run], keys)
        n = sum(r["type"] in ("group", "edge") for r in got)
        print(f"{path}: {n} groups and dependencies agree")


# --- Random builds ---------------------------------------------------------

KEYS = ["kind", "host", "rule", "target", "name", "colour", "size", "uid",
        "from_cache", "id"]


def random_record(rng, kind, i):
    """A task or node with some of the keys that groups are made of."""
    record = {"type": kind, "id": i}
    if rng.random() < 0.3:
        record["name"] = rng.choice(["n1", "n2", "n3"])
    if rng.random() < 0.5:
        record["target"] = rng.choice(["//t", "//u", "//v", ""])
    if rng.random() < 0.5:
        record["colour"] = rng.choice(
            ["red", "blue", 7, -2.5, True, False, None, ["red"], "7"])
    if rng.random() < 0.3:
        record["rule"] = rng.choice(["CC", "LD"])
    return record


def random_build(rng, n, n_sizes):
    """Records of n tasks and of nodes, shuffled.  Edges go to tasks that are
    made earlier, most of them shortly before.  size: one of n_sizes numbers."""
    max_us = rng.choice([1, 4, 100, 10 ** 9])
    density, reach = rng.choice([0.5, 1, 2]), rng.choice([3, 10, n])
    records, ids = [], []
    for k in range(n):
        i = f"t{rng.randint(0, 9)}.{k}"
        deps = [rng.choice(ids[-reach:]) for _ in range(4)
                if ids and rng.random() < density / 2]
        task = random_record(rng, "task", i) | {
            "kind": rng.choice(["run"] * 6 + ["copy", "prepare"]),
            "host": f"h{rng.randint(1, 3)}", "size": rng.randint(1, n_sizes)}
        if task["kind"] == "prepare":
            deps = []
        if task["kind"] == "copy" and deps:
            task["uid"] = deps.pop()
        if rng.random() < 0.9:
            task["elapsed_us"] = 0 if rng.random() < 0.1 else \
                rng.randint(0, max_us)
            if rng.random() < 0.8:
                key = rng.choice(["start_us", "end_us"])
                task[key] = rng.randint(max_us + 1, 3 * max_us + 1)
        if rng.random() < 0.7:
            task["worker"] = rng.randint(1, 3)
        if rng.random() < 0.1:
            task["from_cache"] = rng.choice([True, False])
        node = random_record(rng, "node", i)
        (task if rng.random() < 0.7 else node)["deps"] = deps
        if len(node) > 2:
            records.append(node)
        records.append(task)
        ids.append(i)
        if rng.random() < 0.1:      # passes on what it depends on
            phony = f"phony{k}"
            records.append({"type": "node", "id": phony, "rule": "phony",
                            "deps": rng.sample(ids, min(3, len(ids)))})
            ids.append(phony)
    rng.shuffle(records)
    return records


def compare_random(rng, records):
    keys = rng.sample(KEYS, 3)
    oracle.last_run = ("critpath", *options_of(keys)), records
    run = subprocess.run(["critpath", *options_of(keys)],
                         input=lines_of(records), capture_output=True,
                         encoding="utf-8", check=False)
    check("status", 0, run.returncode)
    got = [json.loads(line) for line in
           oracle.without_boundaries(run.stdout).splitlines()]
    compare(got, records, keys)


def mode_small(rng):
    compare_random(rng, random_build(rng, rng.randint(1, 12), 3))


def mode_large(rng):
    """More groups on the path than are computed at once."""
    compare_random(rng, random_build(rng, rng.randint(100, 300),
                                     rng.choice([5, 20, 60])))


def mode_drop(rng):
    """A group that is dropped saves what it could save."""
    records = random_build(rng, rng.randint(1, 30), 3)
    build = Build(records)
    key = rng.choice(KEYS)
    if not build.ends or not build.groups(key):
        return
    for group in build.groups(key):
        out = run_filter("critpath", records,
                         f"--drop={key}={group['value']}")
        got = [json.loads(line) for line in out.splitlines()]
        check(f"saved_us by {key} {group['value']}", group["potential_us"],
              next(r["saved_us"] for r in got if r["type"] == "critpath"))


if __name__ == "__main__":
    if sys.argv[1] == "files":
        try:
            files(*sys.argv[2:])
        except Differ as why:
            print(why)
            sys.exit(1)
    else:
        main(globals(), None)
