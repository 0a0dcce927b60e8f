"""callgraph.py MODE SEED COUNT - an independent callgraph-merge and -fold

random	prints COUNT records of a few processes of two releases
named	the same with names
sum	adds up the records on standard input: {path from the root: measures},
	where a path consists of modules and offsets
fold	prints the records on standard input as folded stacks; SEED is the
	measure, and COUNT 1 to collapse recursion
unfold	prints the speedscope profile on standard input as folded stacks
"""

import json
import random
import sys

MEASURES = ("calls", "self_ns", "total_ns", "samples")


def random_record(draw, release):
    """Modules have other addresses in each process; the last may be missing."""
    sizes = {"app%d" % release: 0x3000, "a.so": 0x1000, "b.so": 0x2000}
    modules, at = [], draw.randrange(1, 1 << 30) << 12
    for name in draw.sample(sorted(sizes), 3):
        modules.append({"path": "/x/" + name, "base": hex(at),
            "start": hex(at + 0x100), "end": hex(at + sizes[name])})
        if name != "b.so":
            modules[-1]["build_id"] = "%02x" % len(name) * 4 + name[0] * 2
        at += sizes[name] + (draw.randrange(9) << 12)
    nodes = []
    for i in range(draw.randrange(40)):
        module = draw.choice(modules)
        node = {}
        if i > 0 and draw.random() < 0.9:
            node["parent"] = draw.randrange(i)
            caller = draw.choice(modules)
            # Also the address one past the end of a module.
            node["call_site"] = hex(int(caller["end"], 16) -
                draw.choice((0, 1, 2)))
        if draw.random() < 0.97:
            node["function"] = hex(int(module["base"], 16) + 0x100 +
                16 * draw.randrange(4))
        else:
            node["function"] = "0x7"
        for key in MEASURES:
            if key == "calls" or draw.random() < 0.5:
                node[key] = draw.randrange(1000)
        nodes.append(node)
    return {"type": "callgraph", "checksum": "c%d" % release,
        "program": "/x/app%d" % release, "pid": draw.randrange(99),
        "sequence": 0, "time_us": draw.randrange(10 ** 15),
        "modules": modules, "nodes": nodes}


def place(modules, address, inside):
    """The build id or path of the module, and the offset in it."""
    best = None
    for m in modules:
        start, end = int(m["start"], 16), int(m["end"], 16)
        if start <= inside < end and (best is None or start >= best[0]):
            best = start, m.get("build_id", m["path"]), (
                address - int(m["base"], 16))
    return best and best[1:]


def add_up(records):
    sums = {}
    for r in records:
        paths = []
        for n in r["nodes"]:
            function = site = None
            if "function" in n:
                a = int(n["function"], 16)
                function = place(r["modules"], a, a)
            if "call_site" in n:
                a = int(n["call_site"], 16)
                site = place(r["modules"], a, a - 1)
            above = paths[n["parent"]] if "parent" in n else ()
            paths.append(above + ((function, site),))
            numbers = sums.setdefault((r.get("checksum"), paths[-1]), {})
            for key in MEASURES:
                if key in n:
                    numbers[key] = numbers.get(key, 0) + n[key]
    return sums


def with_names(draw, record):
    for n in record["nodes"]:
        n["name"] = draw.choice(("main", "f<a, b>::g(int)", "h", "h;x", "k"))
        if draw.random() < 0.5:
            n["file"] = draw.choice(("/a/x.c", "/b \u00e4.c"))
            n["line"] = draw.randrange(1, 99)
    return record


def fold(records, measure, collapses):
    stacks = {}
    for r in records:
        paths = []
        for n in r["nodes"]:
            path = paths[n["parent"]] if "parent" in n else ()
            frame = n["name"].replace(";", ":"), n.get("file", "")
            if not (collapses and path[-1:] == (frame,)):
                path += (frame,)
            paths.append(path)
            names = ";".join(name for name, _ in path)
            stacks[names] = stacks.get(names, 0) + n.get(measure, 0)
    return stacks


def unfold(profile):
    """Checks that frames are closed in the reverse order of their opening."""
    frames = [f["name"].replace(";", ":") for f in profile["shared"]["frames"]]
    [p] = profile["profiles"]
    stacks, stack, at = {}, [], p["startValue"]
    for e in p["events"]:
        if stack:
            names = ";".join(frames[i] for i in stack)
            stacks[names] = stacks.get(names, 0) + e["at"] - at
        assert stack or e["at"] == at
        at = e["at"]
        if e["type"] == "O":
            stack.append(e["frame"])
        else:
            assert stack.pop() == e["frame"]
    assert not stack and at == p["endValue"]
    return stacks


def print_stacks(stacks):
    for names, weight in sorted(stacks.items()):
        if weight:
            print(names, weight)


if __name__ == "__main__":
    if sys.argv[1] in ("random", "named"):
        draw = random.Random(sys.argv[2])
        for _ in range(int(sys.argv[3])):
            record = random_record(draw, draw.randrange(2))
            if sys.argv[1] == "named":
                record = with_names(draw, record)
            print(json.dumps(record, separators=(",", ":")))
    elif sys.argv[1] == "fold":
        print_stacks(fold(map(json.loads, sys.stdin), sys.argv[2],
            sys.argv[3] == "1"))
    elif sys.argv[1] == "unfold":
        print_stacks(unfold(json.load(sys.stdin)))
    else:
        for key, numbers in sorted(add_up(map(json.loads,
                sys.stdin)).items(), key=repr):
            print(key, sorted(numbers.items()))
