#!/usr/bin/env python3
"""execlog-stat - a second implementation, directly from the definitions

Usage: execlog-stat.py MODE SEED COUNT       many small random builds
       execlog-stat.py shuffle SEED COUNT PIPELINE FILE
       execlog-stat.py ninja NINJA-LOG

The starts and ends of all tasks split the time of a build into intervals.
Each interval has a list of the tasks that cover it, and every answer is
computed from these lists, in fractions.  The weight of a task is the time that
it took if tasks that run at the same time share that time equally.
execlog-stat itself is found in PATH.  If the two differ on a build, the build
is printed and the exit status is 1.
"""

import json
import math
import random
import re
import subprocess
from collections import Counter
from fractions import Fraction

from oracle import (Differ, check, compare_runs, main, run_filter,
                    without_boundaries)


def check_near(what, want, got, tolerance=2e-6):
    """check() for numbers that may be rounded; ratios in records have six
    decimals."""
    if got is None or abs(want - got) > tolerance + abs(want) * 1e-12:
        raise Differ(f"{what}: should be {float(want)!r}, is {got!r}")


def check_ratio(what, part, whole, record, key):
    """A ratio to 0 is left out."""
    if whole > 0:
        check_near(what, Fraction(part) / whole, record.get(key))
    else:
        check(f"is there a {what}", False, key in record)


# --- Random builds ---------------------------------------------------------

EXTENSIONS = ["", "", ".o", ".cpp.o", ".a", ".", ".d/x"]
NAMES = ["some task", "$(B)/lib/x.cc", "\u4e2d.o"]
RULES = ["CC", "LD", "AR", "PY", "\u4e2d"]


def random_ids(rng, n):
    ids = set()
    while len(ids) < n:
        ids.add(rng.choice(["", "", "lib/", "a.b/"]) +
                "".join(rng.choices("abB10\u00e9z", k=rng.randint(1, 3))) +
                rng.choice(EXTENSIONS))
    ids = sorted(ids)
    rng.shuffle(ids)
    return ids


class Clock:
    """Random times, in us, in a build whose start and length are random."""
    def __init__(self, rng, small):
        self.rng = rng
        sizes = [(0, 8), (0, 100)]
        if not small:
            sizes += [(0, 10 ** 7), (1700000000000000, 10 ** 10)]
        self.origin, self.span = rng.choice(sizes)

    def time(self):
        return self.origin + self.rng.randint(0, self.span)

    def length(self):
        return 0 if self.rng.random() < 0.1 else \
            self.rng.randint(0, max(1, self.span // 3))


def random_times(rng, clock, kind):
    start, took = clock.time(), clock.length()
    # start+, end+: one time and the elapsed time; open: only a start; total:
    # the times are a sum over several intervals, not one interval
    shapes = ["both"] * 12 + ["start+", "end+", "open", "elapsed", "total",
                            "skewed", "none", "zero"]
    if kind != "run":
        shapes.append("end")
    shape = rng.choice(shapes)
    if shape in ("both", "total"):
        times = {"start_us": start, "end_us": start + took}
    elif shape == "start+":
        times = {"start_us": start, "elapsed_us": took}
    elif shape == "end+":
        times = {"end_us": start + took, "elapsed_us": took}
    elif shape == "open":
        times = {"start_us": start}
    elif shape == "end":
        times = {"end_us": start}
    elif shape == "elapsed":
        times = {"elapsed_us": took}
    elif shape == "skewed":
        times = {"start_us": start + took, "end_us": start}
    elif shape == "zero":
        times = {"start_us": start, "end_us": start}
    else:
        times = {}
    if shape == "total":
        times["total_time"] = True
    return times


def random_task(rng, clock, name):
    kind = rng.choice(["run", "run", "run", None, "copy", "prepare"])
    task = {"type": "task", "id": name}
    if kind is not None:
        task["kind"] = kind
    if rng.random() < 0.2:
        task["name"] = rng.choice(NAMES)
    if rng.random() < 0.3:
        task["rule"] = rng.choice(RULES)
    if kind == "prepare" and rng.random() < 0.5:
        task["rule"] = "get it from dist cache, now"
    if kind == "copy" and rng.random() < 0.8:
        task["size_bytes"] = rng.randint(0, 3) * 10 ** rng.choice([0, 9])
    task.update(random_times(rng, clock, kind or "run"))
    if kind in ("run", None):
        if rng.random() < 0.2:
            task["failed"] = True
        if rng.random() < 0.2:
            task = {"type": "task", "id": name, rng.choice(
                ["from_cache", "dynamically_resolved_cache"]): True}
            if rng.random() < 0.5:
                task["start_us"] = task["end_us"] = clock.time()
        elif rng.random() < 0.1:
            task = {"type": "task", "id": name} | rng.choice(
                [{"skipped": True}, {"deploy_us": clock.time()}])
    return task


def random_attempts(rng, clock, tasks):
    """Further records of an id, each with a host of its own."""
    for first in rng.sample(tasks, rng.randint(0, len(tasks) // 3)):
        if set(first) & {"from_cache", "dynamically_resolved_cache",
                         "total_time"} or \
                "elapsed_us" in first or \
                "start_us" not in first and "end_us" not in first:
            continue        # execlog-parse does not write such attempts
        first["host"] = "h0"
        for i in range(rng.randint(1, 3)):
            start = clock.time()
            again = {k: v for k, v in first.items()
                     if not k.endswith("_us") and k != "failed"}
            again["host"] = f"h{i + 1}"
            again["start_us"] = start
            again["end_us"] = start + clock.length()
            if first.get("kind", "run") == "run":
                if rng.random() < 0.3:
                    again["failed"] = True
                elif rng.random() < 0.3:
                    again["from_cache"] = True
                    again["end_us"] = start
            tasks.append(again)


def random_contents(rng, tasks):
    """Lets some tasks contain others, or wait; the others may be anywhere."""
    ids = Counter(t["id"] for t in tasks)
    some = [t for t in tasks if ids[t["id"]] == 1 and "total_time" not in t and
            "from_cache" not in t and
            t.get("end_us", 0) > t.get("start_us", math.inf)]
    some = rng.sample(some, rng.randint(0, len(some)))
    for t in some:
        t["started_us"] = t.pop("start_us")
        t["elapsed_us"] = rng.randint(0, t["end_us"] - t["started_us"] - 1)
    for t in tasks:
        if rng.random() < 0.3:
            t["parent"] = rng.choice(some or tasks)["id"]


def random_nodes(rng, tasks):
    nodes = []
    for name in sorted({t["id"] for t in tasks} | {"not/run", "all", "more"}):
        if rng.random() < 0.4:
            continue
        node = {"type": "node", "id": name, "deps": []}
        if rng.random() < 0.7:
            node["rule"] = rng.choice(RULES)
        if rng.random() < 0.1:
            node["name"] = "a node.x"
        if rng.random() < 0.4:
            node["outputs"] = rng.choice([[], ["$(B)/o.o", "p"], ["p", name]])
        node.update(rng.choice([
            {}, {"test": True}, {"node_type": "test"}, {"test": False},
            {"node_type": "download"}, {"node_type": "x"}]))
        if name == "all":
            node["rule"] = "phony"
        nodes.append(node)
    return nodes


def random_records(rng, small=False):
    clock = Clock(rng, small)
    tasks = [random_task(rng, clock, name)
             for name in random_ids(rng, rng.randint(0, 12))]
    random_attempts(rng, clock, tasks)
    if rng.random() < 0.3:
        random_contents(rng, tasks)
    records = list(tasks)
    if rng.random() < 0.6:
        records += random_nodes(rng, tasks)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        start, end = sorted([clock.time(), clock.time()])
        records.append({"type": "build", "start_us": start, "end_us": end})
    rng.shuffle(records)
    return records


def with_times(task):
    """Computes start, end or elapsed time from the other two."""
    t = dict(task)
    if "start_us" in t and "end_us" in t:
        t["elapsed_us"] = t["end_us"] - t["start_us"]
    elif "start_us" in t and "elapsed_us" in t:
        t["end_us"] = t["start_us"] + t["elapsed_us"]
    elif "end_us" in t and "elapsed_us" in t:
        t["start_us"] = t["end_us"] - t["elapsed_us"]
    if "elapsed_us" in t:
        t["elapsed_us"] = max(0, t["elapsed_us"])
    return t


def with_names(tasks):
    """The tasks that count.  Records with the same id are attempts at a task,
    named id, id#2 and so on; n is 0, 1 and so on.

    A record from the cache counts only if no attempt that ran has ended, and of
    several only the earliest.
    """
    def order(t):
        return (t.get("end_us", math.inf), t.get("start_us", -1),
                t.get("elapsed_us", -1), t.get("host", ""))

    named = []
    for i in {t["id"] for t in tasks}:
        own = [t for t in tasks if t["id"] == i]
        ran = [t for t in own if "from_cache" not in t]
        cached = [t for t in own if "from_cache" in t]
        if cached and not any("end_us" in t for t in ran):
            ran.append(min(cached, key=order))
        ran.sort(key=order)
        for n, t in enumerate(ran):
            t["n"] = n
            t["number"] = i if n == 0 else f"{i}#{n + 1}"
        named += ran
    return named


# The kinds of work of tasks.  A stage is the time in which a kind of work is
# done alone, or with others that come later in this list.
WORK = ["tests", "build", "download", "service"]
STAGES = ["tests_only", "tests_with_other", "build_only", "build_with_other",
          "download_only", "download_with_other", "service_only", "idle"]


class Build:
    def __init__(self, records):
        self.nodes = {r["id"]: r for r in records if r["type"] == "node"}
        self.tasks = with_names([with_times(r) for r in records
                                 if r["type"] == "task"])
        self.find_extent([r for r in records if r["type"] == "build"])
        for t in self.tasks:
            t["until_us"] = t.get("end_us")
            if is_unfinished(t):    # it runs until the build ends
                t["until_us"] = max(self.end_us, t["start_us"])
                t["elapsed_us"] = t["until_us"] - t["start_us"]
        if self.wall_us is not None:
            self.find_intervals()

    def find_extent(self, builds):
        """The start and end of the build: as its records say, or else from the
        first to the last time of a task."""
        placed = [t for t in self.tasks if "total_time" not in t]
        if not builds:
            builds = placed
        times = [t[key] for t in builds
                 for key in ("start_us", "started_us", "end_us") if key in t]
        self.wall_us = None
        if times:       # by clock skew, an end may be the earliest time
            self.start_us, self.end_us = min(times), max(times)
            self.wall_us = self.end_us - self.start_us

    def find_intervals(self):
        placed = [t for t in self.tasks if "total_time" not in t and
                  "start_us" in t and t["until_us"] is not None]
        bounds = {self.start_us, self.end_us}
        for t in placed:
            t["from_us"] = t.get("started_us", t["start_us"])
            bounds |= {t["from_us"], t["until_us"]}
        bounds = sorted(us for us in bounds
                        if self.start_us <= us <= self.end_us)
        # (start, end, tasks that run from this start to this end)
        self.intervals = []
        for a, b in zip(bounds, bounds[1:]):
            is_open = [t for t in placed
                       if t["from_us"] <= a and b <= t["until_us"]]
            self.intervals.append((a, b, [
                t for t in is_open if "started_us" not in t or
                t["elapsed_us"] > 0 and
                not any(o.get("parent") == t["id"] and o is not t
                        for o in is_open)]))
        for t in self.tasks:
            t["weight"] = Fraction(0)
        for a, b, running in self.intervals:
            for t in running:
                t["weight"] += Fraction(b - a, len(running))

    def sum_of(self, factor_of):
        """The sum over all intervals of their length, each times what
        factor_of() returns for the list of the tasks running in it."""
        return sum((b - a) * factor_of(running)
                   for a, b, running in self.intervals)

    def rule(self, t):
        if "rule" in t:
            return t["rule"]
        i = t.get("uid") if t.get("kind") == "copy" else t["id"]
        return self.nodes.get(i, {}).get("rule")

    def name(self, t):
        """Its name, unless that is its id; all its records have the same."""
        if "name" in t:
            return t["name"]
        i = t["id"]
        node = self.nodes.get(i, {})
        outputs = node.get("outputs", [])
        if "name" in node:
            return node["name"]
        return outputs[0] if outputs and i not in outputs else None

    def work(self, t):
        kind, node = t.get("kind", "run"), self.nodes.get(t["id"], {})
        if kind == "prepare" and "from dist cache" in t.get("rule", ""):
            return "download"
        if kind in ("copy", "prepare"):
            return "service"
        if node.get("test") is True or node.get("node_type") == "test":
            return "tests"
        return "download" if node.get("node_type") == "download" else "build"

    def type(self, t):
        kind = t.get("kind", "run")
        if kind in ("copy", "prepare"):
            return kind
        if self.rule(t) is not None:
            return self.rule(t)
        extension = re.search(r"(?<=[^/])\.[^./]+$", self.name(t) or t["id"])
        return extension[0] if extension else kind

    def stage(self, running):
        works = {self.work(t) for t in running}
        if not works:
            return "idle"
        first = min(works, key=WORK.index)
        if first == "service":
            return "service_only"
        return first + ("_only" if len(works) == 1 else "_with_other")

    def timed(self):
        return [t for t in self.tasks if t.get("elapsed_us", 0) > 0]

    def longest(self):
        return sorted(self.timed(), key=lambda t: (
            -t["elapsed_us"], t["id"].encode(), t["n"]))

    def biggest(self):
        return sorted([t for t in self.tasks if t.get("kind") == "copy" and
                       "size_bytes" in t and "elapsed_us" in t],
                      key=lambda t: (-t["size_bytes"], t["id"].encode(),
                                     t["n"]))

    def runs(self):
        """By id, the attempts at each task of kind run."""
        runs = {}
        for t in self.tasks:
            if t.get("kind", "run") == "run":
                runs.setdefault(t["id"], []).append(t)
        return runs


def from_cache(t):
    return "from_cache" in t or "dynamically_resolved_cache" in t


def is_unfinished(t):
    return "start_us" in t and "end_us" not in t and \
        "from_cache" not in t and "total_time" not in t


def outcome_of(attempts):
    """What became of a run, of which these are the attempts."""
    if is_executed(attempts):
        return "executed"
    if any(map(from_cache, attempts)):
        return "from_cache"
    for key, outcome in ("start_us", "unfinished"), ("skipped", "skipped"), \
            ("deploy_us", "queued"):
        if any(key in t for t in attempts):
            return outcome
    return "untimed"


def is_executed(attempts):
    return any(not from_cache(t) and not is_unfinished(t) and
               ("end_us" in t or "elapsed_us" in t)
               for t in attempts)


# --- Comparisons -----------------------------------------------------------

def ask(records, *options):
    """A Build, and the answers of execlog-stat by name; None instead of the
    answers if no task has a time."""
    build = Build(records)
    out = run_filter("execlog-stat", records, *options)
    if build.wall_us is None:
        check("output without a time", "", out)
        return build, None
    unfinished = sorted([(t["start_us"], t["id"].encode()) for t in build.tasks
                         if is_unfinished(t)])
    answers = [json.loads(line) for line in out.splitlines()]
    check("unfinished", unfinished, [
        (r["start_us"], r["id"].split("#")[0].encode())
        for r in answers if r["type"] == "unfinished"])
    records, answers = answers[len(unfinished):], {}
    for answer in records:
        check("type", "stat", answer["type"])
        answers.setdefault(answer["stat"], []).append(answer)
    for name in "wall", "cache", "failed", "tests":
        check(f"number of {name} records", 1, len(answers[name]))
    return build, answers


def compare_wall(build, answers):
    wall = answers["wall"][0]
    running_us = build.sum_of(len)
    busy_us = build.sum_of(bool)
    check("start_us", build.start_us, wall["start_us"])
    check("end_us", build.end_us, wall["end_us"])
    check("wall_us", build.wall_us, wall["wall_us"])
    check("busy_us", busy_us, wall["busy_us"])
    check("idle_us", build.wall_us - busy_us, wall["idle_us"])
    check("tasks", sum("deploy_us" not in t for t in build.tasks),
          wall["tasks"])
    check("running_us", running_us, wall["running_us"])
    check("most_running", max((len(r) for _, _, r in build.intervals),
                              default=0), wall["most_running"])
    check_ratio("average_parallelism", running_us, build.wall_us, wall,
                "average_parallelism")


def compare_weighted(build, answers):
    """Compares the weights of all tasks, if --top lists all of them."""
    by_name = {t["number"]: t for t in build.tasks}
    got = answers.get("longest", []) + answers.get("biggest_copy", [])
    for t in got:
        check_near(f"weighted_us of {t['id']}", by_name[t["id"]]["weight"],
                   t["weighted_us"], 0.500001)
    check("tasks with a weight",
          sorted(t["number"] for t in build.tasks if t["weight"] > 0),
          sorted(t["id"] for t in answers.get("longest", [])
                 if by_name[t["id"]]["weight"] > 0))


def compare_types(build, answers):
    types = {}
    for t in build.timed():
        types.setdefault(build.type(t), []).append(t)
    sums = {name: sum(t["elapsed_us"] for t in tasks)
            for name, tasks in types.items()}
    got = answers.get("type", [])
    check("types", sorted(types, key=lambda i: (-sums[i], i.encode())),
          [t["name"] for t in got])
    for t in got:
        tasks, name = types[t["name"]], t["name"]
        check(f"tasks of {name}", len(tasks), t["tasks"])
        check(f"elapsed_us of {name}", sums[name], t["elapsed_us"])
        check(f"mean_us of {name}", sums[name] // len(tasks), t["mean_us"])


def compare_type_weights(build, answers):
    """Weights are rounded by the largest remainder method: their sum is right,
    and those with the largest remainders are rounded up."""
    weights = {}
    for t in build.timed():
        name = build.type(t)
        weights[name] = weights.get(name, 0) + t["weight"]
    up, down = [], []       # remainders of the weights so rounded
    got = answers.get("type", [])
    for t in got:
        weight = weights[t["name"]]
        check_near(f"weighted_us of {t['name']}", weight, t["weighted_us"],
                   0.999999)
        if weight != int(weight):
            (up if t["weighted_us"] > weight else down).append(
                weight - math.floor(weight))
    check("sum of weighted_us", build.sum_of(bool),
          sum(t["weighted_us"] for t in got))
    if up and down and min(up) < max(down) - Fraction(1, 10 ** 4):
        raise Differ("a smaller remainder is rounded up, a larger one down")


def compare_stages(build, answers):
    got = answers["stage"]
    check("stages", STAGES, [s["name"] for s in got])
    for s in got:
        us = build.sum_of(lambda r, s=s: build.stage(r) == s["name"])
        check(f"wall_us of {s['name']}", us, s["wall_us"])
        check_ratio(f"share of {s['name']}", us, build.wall_us, s, "share")
    check("sum of stages", build.wall_us, sum(s["wall_us"] for s in got))


def overlap(a, b, c, d):
    """The length of what is both from a to b and from c to d."""
    return max(0, min(b, d) - max(a, c))


def compare_bins(build, answers, n):
    got = answers["parallelism"]
    check("number of bins", n, len(got))
    width = Fraction(build.wall_us, n)
    edges = [build.start_us + width * i for i in range(n + 1)]
    for i, s in enumerate(got):
        check("from_us", math.floor(edges[i]), s["from_us"])
        check("to_us", math.floor(edges[i + 1]), s["to_us"])
        running_us = sum(len(r) * overlap(a, b, edges[i], edges[i + 1])
                         for a, b, r in build.intervals)
        check_near(f"average of bin {i + 1}",
                   running_us / width if width > 0 else 0, s["average"])
    check_near("sum of the bins", build.sum_of(len),
               sum(Fraction(s["average"]) for s in got) * width,
               float(build.wall_us) * 1e-6)


def compare_list(name, build, want, got):
    """Compares tasks with the records of a list, in order."""
    check(name, [t["number"] for t in want], [t["id"] for t in got])
    for i, (t, s) in enumerate(zip(want, got)):
        check("rank", i + 1, s["rank"])
        check("kind", t.get("kind", "run"), s["kind"])
        check("rule", build.rule(t), s.get("rule"))
        check("name", build.name(t), s.get("name"))
        for key in "host", "start_us", "size_bytes":
            check(f"{key} of {s['id']}", t.get(key), s.get(key))
        check("elapsed_us", t["elapsed_us"], s["elapsed_us"])


def compare_lists(build, answers, top):
    compare_list("longest", build, build.longest()[:top],
                 answers.get("longest", []))
    compare_list("biggest copies", build, build.biggest()[:top],
                 answers.get("biggest_copy", []))


def compare_cache(build, answers):
    cache, runs = answers["cache"][0], build.runs()
    counts = Counter(map(outcome_of, runs.values()))
    check("run_tasks", len(runs), cache["run_tasks"])
    check("executed", counts["executed"], cache["executed"])
    for key in "from_cache", "unfinished", "skipped", "queued", "untimed":
        check(key, counts[key] or None, cache.get(key))
    # If none came from the cache, the log may be one that cannot say so.
    looked_up = counts["executed"] + counts["from_cache"]
    check_ratio("efficiency", counts["from_cache"],
                looked_up if counts["from_cache"] else 0, cache, "efficiency")
    ids = {t["id"] for t in build.tasks}
    check("nodes_not_in_log", sum(
        i not in ids and n.get("rule") != "phony"
        for i, n in build.nodes.items()) if build.nodes else None,
        cache.get("nodes_not_in_log"))


def compare_failed(build, answers):
    failed, tests = answers["failed"][0], answers["tests"][0]
    runs = build.runs()
    attempts = [t for own in runs.values() for t in own
                if not is_unfinished(t)]

    def us(which):
        return sum(t.get("elapsed_us", 0) for t in attempts if which(t))

    run_us = us(lambda t: True)
    failed_us = us(lambda t: "failed" in t)
    test_us = us(lambda t: build.work(t) == "tests")
    check("run_us", run_us, failed["run_us"])
    n_failed = sum(any("failed" in t for t in own) for own in runs.values())
    check("failed_us", failed_us if n_failed > 0 else None,
          failed.get("failed_us"))
    check("failed", n_failed or None, failed.get("tasks"))
    check_ratio("failed ratio", failed_us, run_us if n_failed > 0 else 0,
                failed, "ratio")
    check("tests", sum(is_executed(own) and build.work(own[0]) == "tests"
                       for own in runs.values()), tests["tasks"])
    check("test_us", test_us, tests["test_us"])
    check_ratio("tests ratio", test_us, run_us, tests, "ratio")


def mode_of(compare, *options):
    """A mode that compares the answers about random records."""
    def mode(rng):
        build, answers = ask(random_records(rng), *options)
        if answers is not None:
            compare(build, answers)
    return mode


mode_wall = mode_of(compare_wall)
mode_weighted = mode_of(compare_weighted, "--top", "1000")
mode_types = mode_of(compare_types)
mode_type_weights = mode_of(compare_type_weights)
mode_stages = mode_of(compare_stages)
mode_cache = mode_of(compare_cache)
mode_failed = mode_of(compare_failed)
mode_full_lists = mode_of(lambda b, a: compare_lists(b, a, 10))


def mode_bins(rng):
    n = rng.choice([1, 2, 3, 7, 10, 60])
    build, answers = ask(random_records(rng), "--bins", str(n))
    if answers is not None:
        compare_bins(build, answers, n)


def mode_lists(rng):
    top = rng.randint(1, 6)
    build, answers = ask(random_records(rng), "--top", str(top))
    if answers is not None:
        compare_lists(build, answers, top)


def mode_clip(rng):
    """Logs with a `build` record, whose time may be shorter or longer than that
    of the tasks."""
    while True:
        records = random_records(rng)
        if any(r["type"] == "build" for r in records):
            break
    build, answers = ask(records, "--top", "1000")
    compare_wall(build, answers)
    compare_weighted(build, answers)
    compare_stages(build, answers)
    compare_bins(build, answers, 60)


def mode_order(rng):
    """Shuffled records give the same output.  Many tasks run at once, so that
    their weights are fractions."""
    records = random_records(rng)
    clock = Clock(rng, small=False)
    for i in range(rng.randint(0, 20)):
        start = clock.time()
        records.append({"type": "task", "id": f"x/{i}",
                        "rule": rng.choice(RULES), "start_us": start,
                        "end_us": start + clock.length()})
    options = rng.choice([(), ("--text",)])
    first = None
    for _ in range(4):
        rng.shuffle(records)
        out = run_filter("execlog-stat", records, "--top", "3", "--bins", "5",
                         *options)
        first = out if first is None else first
        check("output of the records shuffled", first, out)


def mode_runs(rng):
    def make_records():
        return [r for r in random_records(rng) if r["type"] != "node"] or \
            [{"type": "task", "id": "only"}]
    compare_runs(rng, "execlog-stat", make_records)


# --- Local logs -------------------------------------------------------------

def random_local_log(rng):
    """A local log of ya and the nodes of its graph; times are in us here."""
    origin = rng.choice([0, 1700000000000000])
    log, nodes = {}, []
    for i in range(rng.randint(1, 8)):
        start = origin + rng.randint(1, 20) * 500000
        entry = {"timing": [start, start + rng.randint(0, 9) * 250000]}
        if rng.random() < 0.4:
            entry["prepare"] = rng.choice(["", "x"])
            entry["type"] = rng.choice(["get from dist cache", "clean"])
        entry.update(rng.choice([{}] * 8 + [{"total_time": True},
                                            {"cached": True}]))
        log[f"u{i}"] = entry
        nodes.append({"type": "node", "id": f"u{i}", "deps": [],
                      "node_type": rng.choice(["test", "download", "x"])})
    return log, nodes


def stages_of_ya(log, nodes):
    """The time of each stage, by the algorithm of ya's statistics.py: it counts
    the running works, here by the index of their kind in WORK."""
    types = {n["id"]: n["node_type"] for n in nodes}
    changes = []
    for uid, entry in log.items():
        start, end = entry["timing"]
        if start == end or "total_time" in entry or "cached" in entry:
            continue
        if "prepare" in entry:
            work = 2 if "from dist cache" in entry["type"] else 3
        else:
            work = {"test": 0, "download": 2}.get(types[uid], 1)
        changes += [(start, work, 1), (end, work, -1)]
    running, last_us, stages = [0] * 4, None, {name: 0 for name in STAGES}
    for us, work, change in sorted(changes):
        # The first of these names is the stage up to this change.
        names = [(name + ("_only" if sum(running) == running[i]
                          else "_with_other"))
                 for i, name in enumerate(["tests", "build", "download"])
                 if running[i] > 0]
        names += ["service_only"] if running[3] > 0 else ["idle"]
        if last_us is not None:
            stages[names[0]] += us - last_us
        last_us = us
        running[work] += change
    return stages if changes else None


def mode_local(rng):
    log, nodes = random_local_log(rng)
    want = stages_of_ya(log, nodes)
    in_seconds = {uid: entry | {"timing": [t / 1e6 for t in entry["timing"]]}
                  for uid, entry in log.items()}
    tasks = [json.loads(line)
             for line in run_filter("execlog-parse", [in_seconds]).splitlines()]
    if want is not None:
        out = run_filter("execlog-stat", nodes + tasks)
        answers = [json.loads(line) for line in out.splitlines()]
        check("stages", want, {a["name"]: a["wall_us"] for a in answers
                               if a["stat"] == "stage"})


# --- The report ------------------------------------------------------------

def rows(text, heading):
    """The rows of a table of the report: the indented lines after a heading."""
    found = re.search(rf"^{heading}\n((?:  .*\n)*)", text, re.M)
    return found[1].splitlines() if found else []


def mode_report(rng):
    """Times are below a millisecond: the report shows them exactly."""
    records = random_records(rng, small=True)
    build = Build(records)
    text = run_filter("execlog-stat", records, "--text", "--top", "1000")
    if build.wall_us is None:
        check("report", "No task has a time.\n", text)
        return
    stages = [re.match(r" +(\d+) us +([\d.]+) %", row)
              for row in rows(text, "Stages")]
    check("do all stages have times", True, all(stages))
    check("sum of the stages", build.wall_us,
          sum(int(m[1]) for m in stages))
    if build.wall_us > 0:
        check_near("percentages of the stages", 100,
                   sum(float(m[2]) for m in stages), 0.06 * len(stages))
    longest = [re.match(r" +(\d+) us ", row)
               for row in rows(text, "Longest tasks")]
    check("longest", [t["elapsed_us"] for t in build.longest()],
          [int(m[1]) for m in longest if m])
    types = [re.match(r" +(\d+)(?: us)? +(\d+)(?: us)? ", row)
             for row in rows(text, "Time by type")]
    types = [m for m in types if m]
    check("sum over types", sum(t["elapsed_us"] for t in build.timed()),
          sum(int(m[1]) for m in types))
    check("weighted sum over types", build.sum_of(bool),
          sum(int(m[2]) for m in types))
    items = re.findall(r"(\d+) (?:executed|from the cache|unfinished|skipped|"
                       r"queued|of\s+which\s+the\s+log\s+has)", text)
    check("run tasks", len(build.runs()), sum(map(int, items)))


# --- ninja -----------------------------------------------------------------

def read_ninja_log(path):
    """The commands of the last run.  A command is named by the first of its
    outputs: relative paths before absolute ones, then in byte order."""
    commands, end_before = {}, 0
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#"):
                continue
            start, end, _, output, command = line.rstrip("\n").split("\t")
            if int(end) < end_before:   # times begin at 0 again: a new run
                commands = {}
            end_before = int(end)
            commands.setdefault((int(start), int(end), command),
                                []).append(output)
    return [{"type": "task", "start_us": start * 1000, "end_us": end * 1000,
             "id": min(outputs, key=lambda o: (o[0] == "/", o.encode()))}
            for (start, end, _), outputs in commands.items()]


def ninja(path):
    """Compares with execlog-stat's answers on the output of execlog-parse, with
    the default of 10 tasks in each list and 60 bins."""
    build = Build(read_ninja_log(path))
    out = subprocess.run(["bash", "-c", "set -o pipefail; "
                          'execlog-parse "$1" | execlog-stat', "-", path],
                         capture_output=True, encoding="utf-8", check=True)
    answers = {}
    for line in without_boundaries(out.stdout).splitlines():
        answer = json.loads(line)
        answers.setdefault(answer["stat"], []).append(answer)
    compare_wall(build, answers)
    compare_lists(build, answers, 10)
    compare_types(build, answers)
    compare_type_weights(build, answers)
    compare_stages(build, answers)
    compare_bins(build, answers, 60)
    compare_cache(build, answers)
    print(f"{len(build.tasks)} tasks agree")


if __name__ == "__main__":
    main(globals(), ninja)
