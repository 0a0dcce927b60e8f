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
from collections import Counter

import oracle
from oracle import check, main, without_boundaries

CONTAINERS = ("build phase marker", "complete action execution",
              "critical path component")
ROLES = ("build", "cmakeBuild", "cmakeInstall", "ctest")


def ns(number):
    """Microseconds as nanoseconds, the decimals after the third cut."""
    return int(decimal.Decimal(number) * 1000)


def lane_of(event):
    return str(event.get("pid", "")) + \
        (f".{event['tid']}" if "tid" in event else "")


def hosts_of(events):
    """The host of each lane: its first name or its number, and both if another
    lane that was seen earlier has the name."""
    lanes = {}
    for event in events:
        lane = lane_of(event)
        if event["ph"] in "XBEbeSF" and lane:
            lanes.setdefault(lane, None)
        elif event["ph"] == "M" and event["name"] == "thread_name" and lane:
            lanes[lane] = lanes.get(lane) or event["args"]["name"]
    hosts = {}
    for lane, name in lanes.items():
        hosts[lane] = lane if not name else \
            f"{name} {lane}" if name in hosts.values() else name
    return hosts


def task_of(slice_, hosts, inner):
    """inner: the time of the tasks in it, which is not its own."""
    event, args = slice_["event"], slice_["event"].get("args", {})
    task = {"type": "task", "id": str(slice_["number"])}
    rule = args.get("mnemonic") or event.get("cat")
    for key, value in [("name", event.get("name")),
                       ("target", args.get("target")), ("rule", rule),
                       ("host", hosts.get(lane_of(event)))]:
        if value:
            task[key] = value
    task["kind"] = "merged" if is_merged(event) else "run"
    start, end = slice_["start"], slice_["end"]
    task["started_us" if inner else "start_us"] = start // 1000
    if end is not None:
        task["end_us"] = end // 1000
        task["elapsed_us"] = max(0, (end - start - inner) // 1000) \
            if inner else end // 1000 - start // 1000
    if slice_.get("parent"):
        task["parent"] = str(slice_["parent"]["number"])
    status = args.get("result")
    if status is not None:
        task["status"] = str(status)
        if status != 0:
            task["failed"] = True
    if "out" in event:
        task["outputs"] = [event["out"]]
    return task


def is_merged(event):
    return event.get("cat") == "unknown event" and \
        event.get("name", "").startswith("merged ")


def is_task(event, is_bazel):
    if is_bazel:
        return event.get("cat") == "action processing" or is_merged(event)
    return event.get("cat") not in CONTAINERS and \
        event.get("args", {}).get("role") not in ROLES


def scope_of(event):
    """Where an event looks for its partner."""
    if event["ph"] in "BE":
        return lane_of(event)
    id2 = event.get("id2", {})
    return (event["ph"] in "be", event.get("cat", ""), event.get("scope", ""),
            event.get("id", ""), *sorted(id2.items()),
            "local" in id2 and event.get("pid"))


def slices_of(events):
    """The intervals of a trace, and how many ends have no beginning."""
    slices, stacks, n_ends = [], {}, 0
    marks = []
    for number, event in enumerate(events):
        if event["ph"] == "X":
            start = ns(event["ts"])
            end = start + ns(event["dur"]) if "dur" in event else None
            slices.append({"number": number, "event": event, "start": start,
                           "end": end, "scope": lane_of(event)})
        elif event["ph"] in "BEbeSF":
            marks.append((ns(event["ts"]), number, event))
    for at, number, event in sorted(marks, key=lambda m: m[:2]):
        stack = stacks.setdefault(scope_of(event), [])
        if event["ph"] in "BbS":
            stack.append({"number": number, "event": event, "start": at,
                          "end": None, "scope": scope_of(event)})
            slices.append(stack[-1])
        elif stack:
            stack.pop()["end"] = at
        else:
            n_ends += 1
    return sorted(slices, key=lambda s: s["number"]), n_ends


def rank(s):
    return s["start"], -s["end"], s["number"]


def is_within(s, around):
    if s is around or not s["scope"] or s["scope"] != around["scope"] or \
            around["end"] is None:
        return False
    if s["end"] is None:
        return around["start"] <= s["start"] < around["end"]
    return rank(around) < rank(s) and s["start"] < around["end"] and \
        s["end"] <= around["end"]


def set_parents(slices):
    for s in slices:
        s["parent"] = max([o for o in slices if is_within(s, o)], key=rank,
                          default=None)


def nest(slices):
    """Sets the slice around each that has ended, or is of a thread."""
    sync = [s for s in slices if s["event"]["ph"] in "XB"]
    ended = [s for s in slices if s["end"] is not None]
    set_parents(sync)
    tops = [s for s in sync if s["parent"] is None and s["end"] is not None]
    for s in ended:
        thread = dict(s, scope=lane_of(s["event"]))
        if s["event"]["ph"] in "bS" and any(
                t["scope"] == thread["scope"] and t["start"] <= s["start"] and
                s["end"] <= t["end"] for t in tops):
            s["scope"] = thread["scope"]
    set_parents([s for s in slices if s in ended or s in sync])


def records_of(trace, nested=False):
    events, is_bazel = trace, False
    if isinstance(trace, dict):
        events = trace["traceEvents"]
        is_bazel = "build_id" in trace.get("otherData", {})
    hosts = hosts_of(events)
    slices, n_ends = slices_of(events)
    moments = [s[k] // 1000 for s in slices for k in ("start", "end")
               if s[k] is not None]
    moments += [ns(e["ts"]) // 1000 for e in events if e["ph"] in "EeF"]
    slices = [s for s in slices if is_task(s["event"], is_bazel)]
    nest(slices)
    tasks, n_nested = [], 0
    for s in slices:
        if s.get("parent") and not nested:
            n_nested += 1
            continue
        tasks.append(task_of(s, hosts, nested and sum(
            o["end"] - o["start"] for o in slices
            if o.get("parent") is s and o["end"] is not None)))
    if not moments:
        return tasks
    build = {"type": "build", "format": "chrome", "start_us": min(moments),
             "end_us": max(moments), "wall_us": max(moments) - min(moments)}
    left_out = Counter(sorted(e["ph"] for e in events
                              if e["ph"] not in "XBEbeSFM"))
    left_out.update({"ends": n_ends, "nested": n_nested})
    if +left_out:
        build["left_out"] = dict(+left_out)
    if any("start_us" in t and "end_us" not in t for t in tasks):
        build["lacks"] = ["unfinished"]
    return tasks + [build]


def random_number(rng, least):
    whole = rng.randint(least, rng.choice([10, 10 ** 6, 10 ** 13]))
    return decimal.Decimal(whole) + rng.choice(
        [0, decimal.Decimal(rng.randrange(10 ** 4)) / 10 ** rng.randint(1, 4)])


def random_event(rng):
    event = {"ph": rng.choice("XXXXXMiCBEbeSFsn"), "name": rng.choice(
        ["a.o, b.o", "action '//:a'", "\u00e4\"\\\t\u2028",
         "merged 3 events"])}
    if event["ph"] == "M":
        event |= {"name": rng.choice(["thread_name", "process_name"]),
                  "args": {"name": rng.choice(["main", "pool \"1\"", ""])}}
    else:
        event["ts"] = random_number(rng, -50)
    if event["ph"] in "beSF":
        event |= rng.choice([
            {"id": "0x1"}, {"id": "2"}, {"id": "2", "scope": "s"},
            {"id2": {"local": "2"}}, {"id2": {"global": "2"}}])
    if event["ph"] in "XBbS":
        if event["ph"] == "X" and rng.random() < 0.9:
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
                                       "unknown event", *CONTAINERS])
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
    nested = rng.random() < 0.5
    command = "execlog-parse", "--format", "chrome", *["--nested"] * nested
    oracle.last_run = command, [text]
    done = subprocess.run(command, input=text, capture_output=True,
                          encoding="utf-8", check=False)
    is_empty = not slices_of(events)[0]
    check("status", int(is_empty), done.returncode)
    got = [json.loads(line)
           for line in without_boundaries(done.stdout).split("\n")[:-1]]
    want = records_of(trace, nested)
    if is_empty and want:
        want[-1]["lacks"] = ["rejected", *want[-1].get("lacks", [])]
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
