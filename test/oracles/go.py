#!/usr/bin/env python3
"""go - a second implementation of the reader of Go's action graphs

Usage: go.py MODE SEED COUNT | go.py records FILE | go.py length FILE

Mode graphs: random action graphs, with the times of Go in every form.  The
records must be those that this program computes, and the critical path of a
graph in which all times are known must be as long.

records prints the task and build records of a graph, length the length of its
critical path in microseconds.
"""

import datetime
import json
import re
import subprocess
import sys

import oracle
from oracle import check, main, without_boundaries

NEVER = "0001-01-01T00:00:00Z"


def time_us(text):
    """A time of RFC 3339 as microseconds, those after the sixth decimal cut;
    None if it never came."""
    if text == NEVER:
        return None
    whole, fraction, zone = re.fullmatch(
        r"([^.Z+]{10}T[\d:]{8})(?:\.(\d+))?(Z|[-+]\d\d:\d\d)", text).groups()
    moment = datetime.datetime.fromisoformat(
        whole + zone.replace("Z", "+00:00"))
    return int(moment.timestamp()) * 1000000 + \
        int(((fraction or "") + "000000")[:6])


def task_of(action):
    mode, package = action["Mode"], action["Package"]
    start, end = (time_us(action[k]) for k in ("TimeStart", "TimeDone"))
    task = {"type": "task", "id": str(action["ID"]),
            "name": " ".join(filter(None, (mode, package)))}
    if package:
        task["target"] = package
    task |= {"rule": mode, "kind": "run"}
    if start is not None:
        task["start_us"] = start
    if end is not None:
        task["end_us"] = end
    if None not in (start, end):
        task["elapsed_us"] = end - start
    if action.get("Deps") is not None:
        task["deps"] = [str(d) for d in action["Deps"]]
    if mode in ("build", "link") and "CmdReal" not in action and \
            action.get("BuildID"):
        task["from_cache"] = True
    if action.get("Failed"):
        task["failed"] = True
    if "CmdUser" in action or "CmdSys" in action:
        task["cpu_us"] = (action.get("CmdUser", 0) +
                          action.get("CmdSys", 0)) // 1000
    return task


def records_of(graph):
    tasks = [task_of(a) for a in graph]
    moments = [t[k] for t in tasks for k in ("start_us", "end_us") if k in t]
    if not moments:
        return tasks
    start, end = min(moments), max(moments)
    return tasks + [{"type": "build", "format": "go", "start_us": start,
                     "end_us": end, "wall_us": end - start}]


def length_of(graph):
    tasks = {t["id"]: t for t in map(task_of, graph)}
    done = {}

    def length(uid):
        if uid not in done:
            task = tasks[uid]
            done[uid] = max(task["elapsed_us"], 0) + \
                max((length(d) for d in task.get("deps", [])), default=0)
        return done[uid]

    return max(map(length, tasks))


def random_time(rng, base, zone):
    """A time in seconds and nanoseconds after base, as Go writes it."""
    ns = rng.choice([0, rng.randrange(10 ** 9), rng.randrange(10 ** 3) * 10 ** 6])
    moment = base + datetime.timedelta(seconds=rng.randint(0, 3))
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{ns:09}".rstrip("0")
    return text + ("." + fraction if fraction else "") + zone


def random_graph(rng):
    n = rng.randint(1, 12)
    ids = list(range(n)) if rng.random() < 0.7 else \
        rng.sample(range(2 ** rng.choice([6, 31, 53])), n)
    zone = rng.choice(["Z", "+01:00", "-03:30"])
    base = datetime.datetime(rng.choice([1970, 2000, 2026]),
                             rng.randint(1, 12), 28, rng.randint(0, 23), 59, 58)
    never = rng.choice([0, 0, 0.3, 1])
    graph = []
    for i in range(n):
        action = {"ID": ids[i],
                  "Mode": rng.choice(["build", "link", "nop", "vet",
                                      "built-in package"]),
                  "Package": rng.choice(["", "a/b", "a/b [a/b.test]",
                                         "\u00e4\"\\\t\u2028", "fmt"])}
        if rng.random() < 0.8:
            # An action needs only those after it, so there is no cycle.
            action["Deps"] = rng.sample(ids[i + 1:],
                                        rng.randint(0, n - i - 1))
        for key, value in [("Failed", True), ("Priority", 7),
                           ("Objdir", "/tmp/b001/"), ("BuildID", "x/y"),
                           ("Args", ["a", {"b": [None, 1.5e3]}]),
                           ("CmdReal", rng.randrange(10 ** 10)),
                           ("CmdUser", rng.randrange(10 ** 10)),
                           ("CmdSys", rng.randrange(10 ** 4))]:
            if rng.random() < 0.5:
                action[key] = value
        for key in "TimeReady", "TimeStart", "TimeDone":
            action[key] = NEVER if rng.random() < never else \
                random_time(rng, base, zone)
        action["Cmd"] = rng.choice([None, ["cc -o \"x\"", "[{"]])
        graph.append(action)
    return graph


def run(*command, text):
    oracle.last_run = command, [text]
    done = subprocess.run(command, input=text, capture_output=True,
                          encoding="utf-8", check=False)
    check("status", 0, done.returncode)
    return [json.loads(line)
            for line in without_boundaries(done.stdout).split("\n")[:-1]], done


def mode_graphs(rng):
    graph = random_graph(rng)
    text = json.dumps(graph, indent=rng.choice([None, "\t"]),
                      ensure_ascii=rng.random() < 0.5)
    got, done = run("execlog-parse", text=text)
    want = records_of(graph)
    check("records", want, got)
    for a, b in zip(want, got):
        check("order of keys", list(a), list(b))
    check("a warning that there are no times", want[-1]["type"] == "task",
          "no action has times" in done.stderr)
    if all("elapsed_us" in t for t in want if t["type"] == "task"):
        answer, _ = run("critpath", text=done.stdout)
        path = next(r for r in answer if r["type"] == "critpath")
        check("length", length_of(graph), path["length_us"])


if __name__ == "__main__":
    if sys.argv[1] in ("records", "length"):
        with open(sys.argv[2], encoding="utf-8") as f:
            actions = json.load(f)
        if sys.argv[1] == "length":
            print(length_of(actions))
        else:
            print(*(json.dumps(r, ensure_ascii=False, separators=(",", ":"))
                    for r in records_of(actions)), sep="\n")
    else:
        main(globals(), None)
