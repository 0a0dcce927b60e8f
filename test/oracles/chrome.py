#!/usr/bin/env python3
"""chrome - a second implementation of the reader of traces in Chrome's format

Usage: chrome.py MODE SEED COUNT | chrome.py records FILE

Mode traces: random traces of Bazel, of CMake and of other programs.  The
records must be those that this program computes.

records prints the task and build records of a trace.
"""

import decimal
import json
import subprocess
import sys

import oracle
from oracle import check, main, without_boundaries

CONTAINERS = ("build phase marker", "complete action execution",
              "critical path component")
ROLES = ("build", "cmakeBuild", "cmakeInstall", "ctest")


def ns(number):
    """Microseconds as nanoseconds, the decimals after the third cut."""
    return int(decimal.Decimal(number) * 1000)


def host_of(event, lanes, name):
    """The host of an event; its lane may be new, and then has this name."""
    lane = ".".join(str(event[k]) for k in ("pid", "tid") if k in event)
    if lane and lane not in lanes:
        host = name or lane
        lanes[lane] = f"{host} {lane}" \
            if name and host in lanes.values() else host
    return lanes.get(lane)


def task_of(number, event, host):
    args = event.get("args", {})
    task = {"type": "task", "id": str(number)}
    rule = args.get("mnemonic") or event.get("cat")
    for key, value in [("name", event.get("name")),
                       ("target", args.get("target")), ("rule", rule),
                       ("host", host)]:
        if value:
            task[key] = value
    task["kind"] = "run"
    start = ns(event["ts"])
    task["start_us"] = start // 1000
    if "dur" in event:
        task["end_us"] = (start + ns(event["dur"])) // 1000
        task["elapsed_us"] = task["end_us"] - task["start_us"]
    status = args.get("result")
    if status is not None:
        task["status"] = str(status)
        if status != 0:
            task["failed"] = True
    if "out" in event:
        task["outputs"] = [event["out"]]
    return task


def records_of(trace):
    events, is_bazel = trace, False
    if isinstance(trace, dict):
        events = trace["traceEvents"]
        is_bazel = "build_id" in trace.get("otherData", {})
    lanes, tasks, moments = {}, [], []
    for number, event in enumerate(events):
        args = event.get("args", {})
        if event["ph"] == "M" and event["name"] == "thread_name":
            host_of(event, lanes, args["name"])
        if event["ph"] != "X":
            continue
        host = host_of(event, lanes, None)
        task = task_of(number, event, host)
        moments += [task[k] for k in ("start_us", "end_us") if k in task]
        if event.get("cat") == "action processing" if is_bazel else \
                event.get("cat") not in CONTAINERS and \
                args.get("role") not in ROLES:
            tasks.append(task)
    if not moments:
        return tasks
    return tasks + [{"type": "build", "format": "chrome",
                     "start_us": min(moments), "end_us": max(moments),
                     "wall_us": max(moments) - min(moments)}]


def random_number(rng, least):
    whole = rng.randint(least, rng.choice([10, 10 ** 6, 10 ** 13]))
    return decimal.Decimal(whole) + rng.choice(
        [0, decimal.Decimal(rng.randrange(10 ** 4)) / 10 ** rng.randint(1, 4)])


def random_event(rng):
    event = {"ph": rng.choice("XXXXXMiC"), "name": rng.choice(
        ["a.o, b.o", "action '//:a'", "\u00e4\"\\\t\u2028"])}
    if event["ph"] == "M":
        event |= {"name": rng.choice(["thread_name", "process_name"]),
                  "args": {"name": rng.choice(["main", "pool \"1\"", ""])}}
    else:
        event["ts"] = random_number(rng, -50)
    if event["ph"] == "X":
        if rng.random() < 0.9:
            event["dur"] = random_number(rng, 0)
        args = {}
        for key, value in [
                ("target", rng.choice(["", "//:a", "\u00e4\"\\\n"])),
                ("role", rng.choice(["compile", "build", "ctest", "link"])),
                ("result", rng.choice([0, 0, 1, -9])),
                ("mnemonic", "CppCompile"), ("x", [{"target": "no"}, None])]:
            if rng.random() < 0.4:
                args[key] = value
        if args or rng.random() < 0.5:
            event["args"] = args
        if rng.random() < 0.8:
            event["cat"] = rng.choice(["action processing", "targets", "",
                                       *CONTAINERS])
        if rng.random() < 0.2:
            event["out"] = "bin/\u00e4.o"
    for key, values in ("pid", [0, 1, "p"]), ("tid", [0, 1, 22]):
        if rng.random() < 0.9:
            event[key] = rng.choice(values)
    return event


def text_of(trace, **options):
    """The trace as JSON, with the decimals as they are."""
    numbers = []

    def placeholder(number):
        numbers.append(format(number, "f"))
        return f"@{len(numbers) - 1}@"

    text = json.dumps(trace, default=placeholder, **options)
    for i, number in enumerate(numbers):
        text = text.replace(f'"@{i}@"', number)
    return text


def mode_traces(rng):
    events = [random_event(rng) for _ in range(rng.randint(1, 15))]
    trace = events
    if rng.random() < 0.6:
        trace = {"displayTimeUnit": "ms", "traceEvents": events}
        if rng.random() < 0.6:
            trace = {"otherData": rng.choice([{"build_id": "x"}, {}])} | trace
    text = text_of(trace, indent=rng.choice([None, 1]),
                   ensure_ascii=rng.random() < 0.5)
    if trace is events and rng.random() < 0.3:
        text = text[:-1].rstrip() + rng.choice(["", ",", "\n,\n"])
    command = "execlog-parse", "--format", "chrome"
    oracle.last_run = command, [text]
    done = subprocess.run(command, input=text, capture_output=True,
                          encoding="utf-8", check=False)
    check("status", 0, done.returncode)
    got = [json.loads(line)
           for line in without_boundaries(done.stdout).split("\n")[:-1]]
    want = records_of(trace)
    check("records", want, got)
    for a, b in zip(want, got):
        check("order of keys", list(a), list(b))


if __name__ == "__main__":
    if sys.argv[1] == "records":
        with open(sys.argv[2], encoding="utf-8") as f:
            print(*(json.dumps(r, ensure_ascii=False, separators=(",", ":"))
                    for r in records_of(
                        json.load(f, parse_float=decimal.Decimal))), sep="\n")
    else:
        main(globals(), None)
