"""callgraph-oracle.py MODE SEED COUNT - callgraph-merge, a second time

random	so many records of a few processes of two releases
sum	on standard input: records, as {path from the root: numbers}, added up;
	a path is made of places in modules, and addresses are gone
"""

import json
import random
import sys

MEASURES = ("calls", "self_ns", "total_ns", "samples")


def random_record(draw, release):
    """Modules lie elsewhere in each process; the last may be missing."""
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
            # Also the address behind the last of a module.
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
    """A module by its build id or path, and the offset in it."""
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


if __name__ == "__main__":
    if sys.argv[1] == "random":
        draw = random.Random(sys.argv[2])
        for _ in range(int(sys.argv[3])):
            print(json.dumps(random_record(draw, draw.randrange(2)),
                separators=(",", ":")))
    else:
        for key, numbers in sorted(add_up(map(json.loads,
                sys.stdin)).items(), key=repr):
            print(key, sorted(numbers.items()))
