#!/usr/bin/env python3
"""trace - checks the traces that trace-export writes

Usage: trace.py MODE SEED COUNT | trace.py hostile | trace.py check FILE... |
       trace.py summary FILE

Mode builds: the trace of a random build obeys the rules of the format, and has
the tasks, the lanes and the counters that this program computes.  Mode merged:
the same with a low limit of events.  Mode again: execlog-parse reads the tasks
of a trace from it as trace-export got them.

hostile prints tasks with hostile names.  check checks files by the rules of the format.  summary does the same, and
prints the sum of the time of the slices of each process as JSON.
"""

import collections
import json
import subprocess
import sys

import oracle
from oracle import check, lines_of, main, run_filter

PHASES = {"M", "X", "i", "s", "f", "C"}
METADATA = {"process_name": "name", "thread_name": "name",
            "process_labels": "labels", "process_sort_index": "sort_index",
            "thread_sort_index": "sort_index"}
ORDER = ["ph", "ts", "dur", "pid", "tid", "name", "cat", "args"]


class Trace:
    """A trace that obeys the rules, or oracle.Differ is raised."""

    def __init__(self, text):
        def refuse(constant):
            raise oracle.Differ(f"{constant} is not JSON")

        check("has DEL", False, "\x7f" in text)
        document = json.loads(text, parse_constant=refuse)
        self.events = document["traceEvents"]
        self.metadata = document["metadata"]
        check("lines", text.count("\n"),
              len(self.events) + 2 + len(self.metadata["runs"]))
        self.slices = collections.defaultdict(list)
        self.names, self.threads = {}, {}
        self.counters = collections.defaultdict(list)
        for event in self.events:
            self.check_event(event)
        self.check_overlap()
        self.check_arrows()
        for values in self.counters.values():
            check("counter's last value", {0}, set(values[-1][1].values()))
            times = [at for at, _ in values]
            check("order of counter", sorted(set(times)), times)

    def check_event(self, event):
        check("phase", True, event["ph"] in PHASES)
        check("order", sorted(set(event) & set(ORDER), key=ORDER.index),
              [k for k in event if k in ORDER])
        for key in "pid", "tid":
            check(key, True, isinstance(event[key], int) and
                  0 < event[key] < 2 ** 32)
        check("name", str, type(event["name"]))
        check("cat", str, type(event["cat"]))
        if event["ph"] == "M":
            check("metadata", True, event["name"] in METADATA)
            check("args", [METADATA[event["name"]]], list(event["args"]))
            if event["name"] == "process_name":
                check("a second name", False, event["pid"] in self.names)
                self.names[event["pid"]] = event["args"]["name"]
            if event["name"] == "thread_name":
                self.threads[event["pid"], event["tid"]] = \
                    event["args"]["name"]
            return
        check("ts", True, event["ts"] >= 0)
        place = event["pid"], event["tid"]
        check("process has a name", True, event["pid"] in self.names)
        if event["ph"] == "X":
            check("dur", True, event["dur"] > 0)
            check("thread has a name", True, place in self.threads)
            self.slices[place].append(event)
        if event["ph"] == "C":
            for value in event["args"].values():
                check("counter", True, value >= 0)
            self.counters[event["pid"]].append((event["ts"], event["args"]))

    def check_overlap(self):
        for place, slices in self.slices.items():
            slices.sort(key=lambda e: e["ts"])
            for a, b in zip(slices, slices[1:]):
                check(f"overlap in {place}", True,
                      a["ts"] + a["dur"] <= b["ts"])

    def check_arrows(self):
        ends = collections.defaultdict(list)
        for event in self.events:
            if event["ph"] in "sf":
                ends[event["id"]].append(event)
        self.arrows = []
        for parts in ends.values():
            check("arrow", ["s", "f"], [e["ph"] for e in parts])
            s, f = parts
            check("names", [s["name"], s["cat"]], [f["name"], f["cat"]])
            check("bp", "e", f["bp"])
            source = [e for e in self.slices[s["pid"], s["tid"]]
                      if e["ts"] <= s["ts"] < e["ts"] + e["dur"]]
            target = [e for e in self.slices[f["pid"], f["tid"]]
                      if e["ts"] == f["ts"]]
            check("slices of an arrow", (1, 1), (len(source), len(target)))
            check("arrow goes forward", True,
                  source[0]["ts"] + source[0]["dur"] <= f["ts"])
            self.arrows.append((source[0]["args"]["id"],
                                target[0]["args"]["id"]))

    def sums(self):
        """The time of the slices of each process; of merged ones the time in
        which tasks ran."""
        sums = collections.Counter()
        for (pid, _), slices in self.slices.items():
            for event in slices:
                sums[self.names[pid]] += event["args"].get(
                    "busy_us", event["dur"])
        return dict(sums)

    def integral(self, pid):
        total = 0
        values = self.counters[pid]
        for (at, args), (until, _) in zip(values, values[1:]):
            total += sum(args.values()) * (until - at)
        return total


def random_task(rng, i, hosts):
    start = rng.randrange(10 ** rng.choice([1, 3, 6]))
    task = {"type": "task", "id": f"t{i}", "start_us": 10 ** 9 + start,
            "end_us": 10 ** 9 + start + rng.choice(
                [0, 1, 2, rng.randrange(1, 10 ** rng.randint(1, 6))])}
    for key, values in [
            ("host", hosts), ("kind", ["run", "run", "copy", "prepare"]),
            ("rule", ["CC", "LD"]), ("status", ["0", "1"]),
            ("name", ["a/b.o", "c", "\x7f\"\\\u202e\x01", "x" * 300]),
            ("size_bytes", [0, 7]), ("failed", [True, False])]:
        if rng.random() < 0.6:
            task[key] = rng.choice(values)
    return task


def random_build(rng):
    hosts = [f"host-{i}" for i in range(rng.choice([1, 2, 12]))]
    tasks = [random_task(rng, i, hosts) for i in range(rng.randint(1, 80))]
    path, at = [], 0
    for task in sorted(tasks, key=lambda t: t["start_us"]):
        if task["start_us"] >= at and rng.random() < 0.5:
            at = task["end_us"] - rng.choice([0, 0, 3])
            path.append({"type": "critical", "step": len(path) + 1,
                         "id": task["id"], "waiting_us": 0,
                         "potential_us": 1})
    return tasks, path


def elapsed(task):
    return task["end_us"] - task["start_us"]


def kind(task):
    return task.get("kind", "run")


def most_running(tasks):
    changes = [(t["start_us"], 1) for t in tasks if elapsed(t) > 0]
    changes += [(t["end_us"], -1) for t in tasks if elapsed(t) > 0]
    most = running = 0
    for _, change in sorted(changes):
        running += change
        most = max(most, running)
    return most


def export(rng, records, *options):
    """The trace of the records in a random order, the same in another one."""
    records = rng.sample(records, len(records))
    text = run_filter("trace-export", records, *options)
    again = run_filter("trace-export", records[::-1], *options)
    check("trace of another order of lines", text, again)
    return Trace(text)


def check_totals(trace, tasks, path, tolerance=0):
    by_host = collections.Counter()
    for task in tasks:
        if elapsed(task) > 0:
            by_host[task.get("host", "build")] += elapsed(task)
    sums = trace.sums()
    if path:
        sums.pop("critical path", None)
    check("time by host", dict(by_host), sums)
    close = abs(trace.integral(1) - sum(by_host.values())) <= tolerance
    check("integral of the counter", True, close)
    for pid, name in trace.names.items():
        if pid > 1 and pid in trace.counters:
            close = abs(trace.integral(pid) - by_host[name]) <= tolerance
            check(f"integral of the counter of {name}", True, close)


def check_lanes(trace, tasks):
    lanes = collections.Counter()
    for (pid, _), name in trace.threads.items():
        lanes[trace.names[pid], name.split()[0]] += 1
    lanes.pop(("critical path", "critical"), None)
    want = {}
    for task in tasks:
        key = task.get("host", "build"), kind(task)
        want[key[0], {"run": "slot"}.get(key[1], key[1])] = max(
            1, most_running([t for t in tasks if key == (
                t.get("host", "build"), kind(t))]))
    check("lanes", want, dict(lanes))


def mode_builds(rng):
    tasks, path = random_build(rng)
    trace = export(rng, tasks + path)
    check_totals(trace, tasks, path)
    check_lanes(trace, tasks)
    by_id = {t["id"]: t for t in tasks}
    steps = [by_id[s["id"]] for s in path]
    check("arrows", [(a["id"], b["id"]) for a, b in zip(steps, steps[1:])
                     if elapsed(a) and elapsed(b) and
                     a["end_us"] <= b["start_us"]], trace.arrows)
    start = min(t["start_us"] for t in tasks)
    shown = {e["args"]["id"]: e for e in trace.events
             if e["ph"] in "Xi" and e["pid"] > 1 and "args" in e}
    check("ids", set(by_id), set(shown))
    for task in tasks:
        event = shown[task["id"]]
        check("host", task.get("host", "build"), trace.names[event["pid"]])
        check("times", (task["start_us"] - start, elapsed(task)),
              (event["ts"], event.get("dur", 0)))
        check("critical", task in steps, "critical" in event["cat"])
        check("failed", task.get("failed", False),
              event["args"].get("failed", False))
        check("name", task.get("name", task["id"]),
              event["args"].get("name", task["id"]))
    names = [trace.names[pid] for pid in sorted(trace.names)][1:]
    check("order of hosts", sorted(names, key=lambda n: int(
        n.removeprefix("host-").replace("build", "-1"))), names)


def mode_merged(rng):
    tasks, path = random_build(rng)
    limit = rng.choice([1, 20, 100])
    run = subprocess.run(["trace-export", "--limit", str(limit)],
                         input=lines_of(tasks + path), encoding="utf-8",
                         capture_output=True, check=True)
    trace = Trace(run.stdout)
    everything = run_filter("trace-export", tasks + path, "--all")
    wall = trace.metadata["runs"][0]["wall_us"]
    is_merged = run.stderr != ""
    check("something is merged without a message", False,
          not is_merged and run.stdout != everything)
    check_totals(trace, tasks, path, (wall + 2000) * 0.002 if is_merged else 0)
    shown = {e["args"].get("id"): e for e in trace.events
             if e["ph"] in "Xi" and e["pid"] > 1 and "args" in e}
    merged = sum(e["args"].get("tasks", 0) for e in trace.events
                 if e["cat"] == "merged")
    ids = {t["id"] for t in tasks}
    check("tasks", len(ids), len(ids & set(shown)) + merged)
    check("of merged tasks", is_merged and merged > 0,
          "are merged into" in run.stderr)
    for i in [s["id"] for s in path] + [t["id"] for t in tasks
                                        if t.get("failed")]:
        check("a task that never merges", True, i in shown)


def mode_again(rng):
    def comparable(records):
        return sorted(([r.get(k) for k in ("name", "rule", "target",
                                           "elapsed_us", "failed")] +
                       [r["start_us"] - start]
                       for r in records if r["type"] == "task" and
                       r["elapsed_us"] > 0), key=str)

    events = []
    for i in range(rng.randint(1, 40)):
        args = {k: v for k, v in (("target", "//:t"), ("result", 1),
                                  ("mnemonic", "CC")) if rng.random() < 0.5}
        events.append({"ph": "X", "name": rng.choice(["a.o", "b \"c\""]),
                       "cat": "run", "pid": rng.randint(0, 3), "tid": 1,
                       "ts": rng.randrange(1000),
                       "dur": rng.randrange(1, 100), "args": args})
    oracle.last_run = ("execlog-parse", "-f", "chrome"), events
    text = subprocess.run(["execlog-parse", "-f", "chrome"], check=True,
                          input=json.dumps(events), encoding="utf-8",
                          stdout=subprocess.PIPE).stdout
    first = [json.loads(line) for line in text.splitlines()]
    trace = subprocess.run(["trace-export"], input=text, check=True,
                           encoding="utf-8", stdout=subprocess.PIPE).stdout
    check("hosts", {r["host"] for r in first if r["type"] == "task"},
          set(Trace(trace).names.values()) - {"running tasks"})
    text = subprocess.run(["execlog-parse", "-f", "chrome"], check=True,
                          input=trace, encoding="utf-8",
                          stdout=subprocess.PIPE).stdout
    second = [json.loads(line) for line in text.splitlines()]
    start = min(r["start_us"] for r in first if r["type"] == "task")
    want = comparable(first)
    start = 0
    check("tasks", want, comparable(second))


HOSTILE = ["</script><script>alert(1)</script>", "]]>", "\"'\\`",
           "<img src=x onerror=alert(1)>", "&amp;", "", "漢字" * 200,
           "".join(map(chr, range(32))) + "\x7f", "a\u202eb\u2066c", "\\N",
           "end", "__proto__", "x" * 2 ** 20, "\u2028"]


def hostile():
    for i, name in enumerate(HOSTILE):
        for key in "id", "name", "host", "rule", "status", "run":
            task = {"type": "task", "id": str(i), "start_us": i,
                    "end_us": i + 5}
            print(json.dumps(task | {key: name}))
    sys.stdout.flush()
    sys.stdout.buffer.write(b'{"type":"task","id":"\xff\xfe","name":"\xc0",'
                            b'"start_us":1,"end_us":2}\n')


if __name__ == "__main__":
    if sys.argv[1] == "hostile":
        hostile()
    elif sys.argv[1] in ("check", "summary"):
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as file:
                checked = Trace(file.read())
            if sys.argv[1] == "summary":
                print(json.dumps(checked.sums(), sort_keys=True))
    else:
        main(globals(), None)
