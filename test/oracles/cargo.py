#!/usr/bin/env python3
"""cargo - a second implementation of execlog-parse for cargo's log

Usage: cargo.py logs SEED COUNT
       cargo.py file FILE

Mode logs: random logs of one to three runs of cargo.  Mode file: a real log,
whose `unblocked` lists and times must agree with the dependencies as well.

In both modes the tasks must be those of the log, a task must depend, directly
or not, on those tasks on which it depends by the rules of cargo's job queue, and
critpath must find the length of the longest path.  The rules are applied here
to all pairs of units, without the phony nodes of execlog-parse.

The filters are found in PATH.  If their answers differ from those of this
program, the input is printed and the exit status is 1.
"""

import json
import subprocess
import sys
from decimal import ROUND_HALF_UP, Decimal

import oracle
from oracle import Differ, check, lines_of, without_boundaries


# --- The log, as it should be understood ------------------------------------

class Unit:
    def __init__(self, event):
        self.index = event["index"]
        self.package = event["package_id"]
        self.target = event["target"]["name"]
        self.kind = event["target"]["kind"]
        self.mode = event["mode"]
        self.deps = event.get("dependencies", [])
        self.fresh = False
        self.start = self.rmeta = self.end = None
        self.sections = {}

    def divided(self):
        """Whether the unit is two tasks."""
        return self.rmeta is not None and self.mode == "build"

    def needs_only_rmeta(self):
        """A library that did not finish is taken for one with metadata."""
        return self.divided() or (
            self.start is not None and self.end is None and
            self.mode == "build" and self.kind == "lib")

    def last(self):
        """The id of the task that ends with the unit."""
        return f"{self.index} codegen" if self.divided() else str(self.index)


def microseconds(seconds):
    return int((Decimal(repr(seconds)) * 1000000).to_integral_value(
        ROUND_HALF_UP))


def read_units(events):
    """The units of a run and its greatest time."""
    units, open_sections, last = {}, {}, None
    for e in events:
        us = microseconds(e["elapsed"]) if "elapsed" in e else None
        if us is not None:
            last = us if last is None else max(last, us)
        u = units.get(e.get("index"))
        match e["reason"]:
            case "unit-registered":
                units[e["index"]] = Unit(e)
            case "unit-fingerprint":
                u.fresh = e["status"] == "fresh"
            case "unit-started":
                u.start = us
            case "unit-rmeta-finished":
                u.rmeta = us
            case "unit-finished":
                u.end = us
            case "unit-section-started":
                open_sections[u, e["section"]] = us
            case "unit-section-finished":
                u.sections.setdefault(e["section"], []).append(
                    (open_sections.pop((u, e["section"])), us))
    return units, last


def package_of(text):
    source, _, rest = text.partition("#")
    name, at, version = rest.partition("@")
    if not at:
        name, version = source.split("?")[0].rstrip("/").split("/")[-1], rest
    return name, version


def task(unit, run, phase, start, end):
    """The record without deps."""
    package, version = package_of(unit.package)
    words = [package, version]
    script = unit.mode == "run-custom-build"
    if unit.kind != "lib" and not script:
        words.append(unit.kind)
    if unit.kind != "build-script" and \
            unit.target not in (package, package.replace("-", "_")):
        words.append(unit.target)
    if unit.mode not in ("build", unit.kind):
        words.append(unit.mode)
    if phase:
        words.append(phase)
    r = {"type": "task", "id": " ".join([str(unit.index)] + words[-1:])
         if phase else str(unit.index),
         "name": " ".join(words), "target": package, "kind": "run",
         "rule": phase or (unit.mode if script else unit.kind), "run": run}
    if start is None:
        r |= {"elapsed_us": 0, "from_cache": True}
    else:
        r["start_us"] = start
        if end is not None:
            r |= {"end_us": end, "elapsed_us": end - start}
    low = start if start is not None else 0
    high = end if end is not None else float("inf")
    parts = {name: sum(max(0, min(b, high) - max(a, low)) for a, b in list_)
             for name, list_ in unit.sections.items()}
    if any(parts.values()):
        r["parts_us"] = {k: v for k, v in parts.items() if v > 0}
    return r


def tasks_of(unit, run):
    if unit.divided():
        return [task(unit, run, "rmeta", unit.start, unit.rmeta),
                task(unit, run, "codegen", unit.rmeta, unit.end)]
    if unit.start is None and not unit.fresh:
        return []
    return [task(unit, run, "", unit.start, unit.end)]


def closure(units, index):
    """All units on which a unit depends, directly or not."""
    seen, todo = set(), [index]
    while todo:
        for d in units[todo.pop()].deps:
            if d not in seen:
                seen.add(d)
                todo.append(d)
    return seen


def edges_of(units):
    """Which task must wait for which, for all pairs of units."""
    edges = {}
    for u in units.values():
        first = f"{u.index} rmeta" if u.divided() else str(u.index)
        edges[first] = set()
        if u.divided():
            edges[u.last()] = {first}
        for d in u.deps:
            edges[first].add(f"{d} rmeta" if u.needs_only_rmeta() and
                             units[d].divided() else units[d].last())
        if not u.needs_only_rmeta():
            edges[first] |= {units[d].last() for d in closure(units, u.index)}
    return edges


# --- Comparison with the filters ---------------------------------------------

def run(command, text, status=0):
    process = subprocess.run(command, input=text, capture_output=True,
                             encoding="utf-8", check=False)
    check(f"status of {command[0]}", status, process.returncode)
    return process.stdout


def reachable(edges, tasks):
    """For each task the tasks on which it depends, directly or not."""
    result = {}

    def visit(name):
        if name not in result:
            result[name] = set()
            for dep in edges.get(name, ()):
                result[name] |= {dep} | visit(dep)
        return result[name]

    return {t: visit(t) & tasks for t in tasks}


def longest(edges, elapsed):
    """The length of the longest path."""
    finish = {}

    def visit(name):
        if name not in finish:
            finish[name] = elapsed[name] + max(
                (visit(d) for d in edges[name] if d in elapsed), default=0)
        return finish[name]

    return max(map(visit, elapsed), default=0)


def compare_run(name, events, records, paths):
    units, last = read_units(events)
    want = [t for u in units.values() for t in tasks_of(u, name)]
    got = [r for r in records if r["type"] == "task"]
    check("tasks", want, [{k: v for k, v in t.items() if k != "deps"}
                          for t in got])
    build = {"type": "build", "run": name, "format": "cargo", "start_us": 0,
             "end_us": last, "wall_us": last}
    build |= {"limit": e["jobs"] for e in events
              if e["reason"] == "build-started" and "jobs" in e}
    if any("start_us" in t and "elapsed_us" not in t for t in want):
        build["lacks"] = ["unfinished"]
    check("build records", [build] if last is not None else [],
          [r for r in records if r["type"] == "build"])
    nodes = [r for r in records if r["type"] == "node"]
    check("rules of nodes", {"phony"}, {r["rule"] for r in nodes} | {"phony"})
    divided = [u for u in units.values() if u.divided()]
    check("ids of nodes", [f"{u.index} all" for u in divided],
          [r["id"] for r in nodes])
    check("dependencies of nodes", len(divided) +
          sum(len(u.deps) for u in divided), sum(len(r["deps"]) for r in nodes))
    ids = {t["id"] for t in want}
    edges = edges_of(units)
    check("dependencies", reachable(edges, ids), reachable(
        {r["id"]: r.get("deps", []) for r in got + nodes}, ids))
    elapsed = {t["id"]: t["elapsed_us"] for t in want if "elapsed_us" in t}
    # What did not end counts until the end of the log, or of a task that
    # depends on it.
    starts = {t["id"]: t["start_us"] for t in want if "start_us" in t}
    for i, start in starts.items():
        if i not in elapsed:
            elapsed[i] = min(at - start for at in [last] + [
                starts[j] for j in starts if i in edges[j]] if at >= start)
    if elapsed:
        check("length of the path", longest(edges, elapsed), paths[name])
    return units, edges


def compare(text):
    """Compares everything for the text of a log; yields each run's events,
    units and edges."""
    runs = {}
    for line in text.splitlines():
        event = json.loads(line)
        runs.setdefault(event["run_id"], []).append(event)
    out = run(["execlog-parse"], text)
    paths = {r.get("run"): r["length_us"] for r in map(
        json.loads, run(["critpath", "--json"], out).splitlines())
        if r["type"] == "critpath"}
    by_run = {name: [] for name in runs}
    for line in without_boundaries(out).splitlines():
        record = json.loads(line)
        by_run[record["run"]].append(record)
    for name, events in runs.items():
        yield events, *compare_run(name, events, by_run[name], paths)


def check_unblocked(events, units, edges):
    """No task started before the tasks on which it depends had ended, and the
    event that `unblocked` a unit is the last of their ends."""
    tasks = {t["id"]: t for u in units.values() for t in tasks_of(u, "")}
    last_of = {}
    for name, t in tasks.items():
        if "start_us" not in t:
            continue
        ends = [(tasks[d].get("end_us", 0), d) for d in edges[name]]
        last_of[name] = max(ends, default=(0, None))[1]
        if ends and max(ends)[0] > t["start_us"]:
            raise Differ(f"{name} starts before the end of {max(ends)[1]}")
    for e in events:
        unit = units.get(e.get("index"))
        for index in e.get("unblocked", []):
            first = f"{index} rmeta" if units[index].divided() else str(index)
            if first in last_of:
                check(f"what unblocked {first}", f"{unit.index} rmeta"
                      if e["reason"] == "unit-rmeta-finished" else unit.last(),
                      last_of[first])


# --- Random logs ---------------------------------------------------------------

SOURCES = ["path+file:///src/{0}#{1}", "path+file:///src/x#{0}@{1}",
           "registry+https://github.com/rust-lang/crates.io-index#{0}@{1}",
           "git+https://example.org/u/{0}?branch=a/b#{1}"]


def random_units(rng):
    """The units' registrations, and which of them are fresh or never end."""
    n = rng.randint(1, 12)
    numbers = rng.sample(range(rng.choice([n, 2 * n, 1 << 50])), n)
    units, stopped, fresh = [], set(), set()
    for i, index in enumerate(numbers):
        usable = [x for x in numbers[:i] if x not in stopped]
        deps = rng.sample(usable, min(len(usable), rng.choice([0, 1, 2, 4])))
        package = rng.choice(["a", "b-c", "serde", 'q"\\é'])
        e = {"reason": "unit-registered", "index": index,
             "package_id": rng.choice(SOURCES).format(
                 package, f"{rng.randint(0, 3)}.1.0+x"),
             "target": {"name": rng.choice([package.replace("-", "_"), "t"]),
                        "kind": rng.choice(["lib", "lib", "lib", "bin", "test",
                                            "build-script"])},
             "mode": rng.choice(["build"] * 6 + ["check", "test", "doc",
                                                 "run-custom-build"])}
        if deps or rng.random() < 0.5:
            e["dependencies"] = deps
        units.append(e)
        if all(d in fresh for d in deps) and rng.random() < 0.3:
            fresh.add(index)
        elif rng.random() < 0.1:
            stopped.add(index)
    return units, stopped, fresh


def random_seconds(rng):
    return rng.choice([rng.random() * 1e-5, rng.random(), rng.random() * 50,
                       rng.randint(0, 50), round(rng.random(), 6)])


def random_run(rng, name):
    units, stopped, fresh = random_units(rng)
    events = []
    for e in units:
        index = e["index"]
        if index in fresh or (index in stopped and rng.random() < 0.3):
            continue
        events_of = ["unit-started"]
        if e["target"]["kind"] == "lib" and rng.random() < 0.8:
            events_of.append("unit-rmeta-finished")
        events_of.append("unit-finished")
        times = sorted(random_seconds(rng) for _ in range(len(events_of) + 4))
        first, last = times[0], times[-1]
        middle = times[1:-1]
        list_ = [(first, 0, {"reason": "unit-started"})]
        if len(events_of) == 3:
            list_.append((rng.choice(middle), 2,
                          {"reason": "unit-rmeta-finished"}))
        for section in rng.sample(["codegen", "link", 'x"'],
                                  rng.choice([0, 0, 1, 2])):
            a, b = sorted(rng.sample(middle, 2))
            for at, order, word in (a, 1, "started"), (b, 3, "finished"):
                list_.append((at, order, {"reason": f"unit-section-{word}",
                                          "section": section}))
        list_.append((last, 4, {"reason": "unit-finished", "unblocked": [1]}))
        # A unit that was stopped has only the first of its events.
        list_.sort(key=lambda x: x[:2])
        if index in stopped:
            list_ = [x for x in list_ if x[1] == 0]
        events += [(at, order, x | {"index": index, "elapsed": at})
                   for at, order, x in list_]
    events.sort(key=lambda x: x[:2])
    log = [{"reason": "build-started", "command": ["cargo", "build"]} |
           rng.choice([{}, {"jobs": 4}]),
           {"reason": "resolution-started", "elapsed": 0.0},
           *units,
           *({"reason": "unit-fingerprint", "index": e["index"],
              "status": "fresh" if e["index"] in fresh else "dirty"}
             for e in units),
           *(x for _, _, x in events), {"reason": "of-the-future", "index": 9}]
    return [{"run_id": name, "timestamp": "2026-11-22T04:32:56Z"} | e
            for e in log]


def mode_logs(rng):
    log = [e for i in range(rng.choice([1, 1, 2, 3]))
           for e in random_run(rng, f"run {i}")]
    oracle.last_run = ("execlog-parse",), log
    for _ in compare(lines_of(log)):
        pass


def main():
    if sys.argv[1] != "file":
        oracle.main(globals(), None)
        return
    with open(sys.argv[2], encoding="utf-8") as f:
        text = f.read()
    try:
        for run_ in compare(text):
            check_unblocked(*run_)
    except Differ as why:
        print(why)
        sys.exit(1)


main()
