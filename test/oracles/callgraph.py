"""callgraph.py MODE ... - an independent callgraph-merge and -fold

random SEED COUNT	prints COUNT random records, each of a process of one of
			two releases
named SEED COUNT	the same with names of functions, and some files
sum			adds up the records on standard input: prints the sums
			of the measures of each path from the root, in which a
			function or call site is a module and an offset
fold MEASURE 0|1	prints the records on standard input as folded stacks;
			1: a function that calls itself directly is one frame
unfold			prints the speedscope profile on standard input as
			folded stacks
"""

import json
import random
import sys

MEASURES = ("calls", "self_ns", "total_ns", "samples", "self_off_ns")


def random_record(rng, release):
    """Modules have other addresses in each process; b.so has no build id."""
    sizes = {"app%d" % release: 0x3000, "a.so": 0x1000, "b.so": 0x2000}
    modules, at = [], rng.randrange(1, 1 << 30) << 12
    for name in rng.sample(sorted(sizes), 3):
        modules.append({"path": "/x/" + name, "base": hex(at),
            "start": hex(at + 0x100), "end": hex(at + sizes[name])})
        if name != "b.so":
            # In hexadecimal: the names begin with a.
            modules[-1]["build_id"] = "%02x" % len(name) * 4 + name[0] * 2
        at += sizes[name] + (rng.randrange(9) << 12)
    nodes = []
    for i in range(rng.randrange(40)):
        module = rng.choice(modules)
        node = {}
        if i > 0 and rng.random() < 0.9:
            node["parent"] = rng.randrange(i)
            caller = rng.choice(modules)
            # Also the address one past the end of a module.
            node["call_site"] = hex(int(caller["end"], 16) -
                rng.choice((0, 1, 2)))
        if rng.random() < 0.97:
            node["function"] = hex(int(module["base"], 16) + 0x100 +
                16 * rng.randrange(4))
        else:
            node["function"] = "0x7"    # in no module
        for key in MEASURES:
            if key == "calls" or rng.random() < 0.5:
                node[key] = rng.randrange(1000)
        if "self_ns" in node and "self_off_ns" in node:
            node["self_ns"] += node["self_off_ns"]
        nodes.append(node)
    return {"type": "callgraph", "checksum": "c%d" % release,
        "program": "/x/app%d" % release, "pid": rng.randrange(99),
        "sequence": 0, "time_us": rng.randrange(10 ** 15),
        "modules": modules, "nodes": nodes}


def place(modules, address, inside):
    """The build id or path of the module that contains the address `inside`,
    and the offset of `address` from the base of that module.  If several
    contain it, the one with the greatest start counts."""
    best = None
    for m in modules:
        start, end = int(m["start"], 16), int(m["end"], 16)
        if start <= inside < end and (best is None or start >= best[0]):
            best = start, m.get("build_id", m["path"]), (
                address - int(m["base"], 16))
    return best and best[1:]


def add_up(records):
    """{(checksum, path): {measure: sum}}.  A path is the (function, call site)
    of each node from the root on."""
    sums = {}
    for r in records:
        paths = []
        for n in r["nodes"]:
            function = site = None
            if "function" in n:
                a = int(n["function"], 16)
                function = place(r["modules"], a, a)
            if "call_site" in n:
                a = int(n["call_site"], 16)     # the return address
                site = place(r["modules"], a, a - 1)
            above = paths[n["parent"]] if "parent" in n else ()
            paths.append(above + ((function, site),))
            numbers = sums.setdefault((r.get("checksum"), paths[-1]), {})
            for key in MEASURES:
                if key in n:
                    numbers[key] = numbers.get(key, 0) + n[key]
    return sums


def read(file):
    """The records in a file, without begin and end records."""
    return [r for r in map(json.loads, file) if
        r["type"] not in ("begin", "end")]


def with_names(rng, record):
    """Adds names of functions and files, as callgraph-symbolize does.  Each
    module has two functions, one of them with a file that is not always
    known."""
    names = {"app0": "main", "app1": "f<a, b>::g(int)", "a.so": "h",
        "b.so": "h;x"}
    for n in record["nodes"]:
        module = [m for m in record["modules"] if int(m["start"], 16) <=
            int(n["function"], 16) < int(m["end"], 16)]
        n["name"] = names[module[0]["path"][3:]] if module else "k"
        if rng.random() < 0.5:
            n["name"] += "2"
            if rng.random() < 0.5:
                n["file"] = "/b \u00e4.c"
                n["line"] = 7
    return record


def fold(records, measure, collapses):
    """{stack: sum of the measure}.  collapses: whether a frame that equals the
    one above it is left out."""
    stacks = {}
    for r in records:
        paths = []
        for n in r["nodes"]:
            path = paths[n["parent"]] if "parent" in n else ()
            frame = n["name"].replace(";", ":")
            if not (collapses and path[-1:] == (frame,)):
                path += (frame,)
            paths.append(path)
            names = ";".join(path)
            value = n.get(measure, 0)
            if measure == "self_ns" and "self_ns" in n:
                # That on the CPU
                value -= n.get("self_off_ns", 0)
            stacks[names] = stacks.get(names, 0) + value
    return stacks


def unfold(profile):
    """{stack: weight} of a speedscope profile, whose frames must be closed in
    the reverse order of their opening."""
    frames = [f["name"].replace(";", ":") for f in profile["shared"]["frames"]]
    [p] = profile["profiles"]
    stacks, stack, at = {}, [], p["startValue"]
    for e in p["events"]:
        if stack:
            names = ";".join(frames[i] for i in stack)
            stacks[names] = stacks.get(names, 0) + e["at"] - at
        assert stack or e["at"] == at
        at = e["at"]
        if e["type"] == "O":        # the frame opens; otherwise it closes
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
        rng = random.Random(sys.argv[2])
        for _ in range(int(sys.argv[3])):
            record = random_record(rng, rng.randrange(2))
            if sys.argv[1] == "named":
                record = with_names(rng, record)
            print(json.dumps(record, separators=(",", ":")))
    elif sys.argv[1] == "fold":
        print_stacks(fold(map(json.loads, sys.stdin), sys.argv[2],
            sys.argv[3] == "1"))
    elif sys.argv[1] == "unfold":
        print_stacks(unfold(json.load(sys.stdin)))
    else:
        for key, numbers in sorted(add_up(read(sys.stdin)).items(), key=repr):
            print(key, sorted(numbers.items()))
