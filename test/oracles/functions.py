"""functions.py MODE ... - an independent common/program/functions

random SEED N	writes callgraphs of N pairs of runs, of few names in many files
	and modules, to the files old1, new1, old2 ..., and to want1 ... the
	functions whose calls differ in the two: their name, file and module,
	and the calls in both runs

This program compares each function of a run with each other one.
"""

import json
import random
import re
import sys

NAMES = ("main", "init", "f[abi:v1]()", "f[abi:v2]()", "f()",
    "g(std::__cxx11::list)", "g(std::list)")
FILES = ("x/a.c", "y/a.c", "x/b.c", "x/../y/a.c", "./a.c", "z/x/a.c", "x/a.c-2")
PROGRAMS = ("app-1.0", "app-1.1")
LIBRARIES = ("libz-1.2.so.1", "libz-1.10.so.2", "plug.so")


def random_records(rng):
    roots = rng.sample(["/b1/", "/home/u/b2/", ""], 2)
    with_files = rng.random() < 0.8
    for _ in range(rng.randrange(1, 5)):
        root, names = rng.choice(roots), [rng.choice(PROGRAMS)]
        names += rng.sample(LIBRARIES, 2)
        modules = [{"path": "/l/" + name, "base": hex(i << 12),
            "start": hex(i << 12), "end": hex(i + 1 << 12)}
            for i, name in enumerate(names)]
        nodes = []
        for _ in range(rng.randrange(12)):
            node = {"name": rng.choice(NAMES), "calls": rng.randrange(1, 10000)}
            if rng.random() < 0.9:
                node["function"] = hex(rng.randrange(3 << 12))
            if with_files and rng.random() < 0.9:
                node["file"] = root + rng.choice(FILES)
            nodes.append(node)
        yield {"type": "callgraph", "program": "/l/" + names[0],
            "modules": modules, "nodes": nodes}


class Function:
    """A name with a file and a module.  In `calls`, by run, or absent."""

    def __init__(self, name, file, module, is_program):
        self.name, self.file, self.module = name, file, module
        self.group = re.sub(r"\[abi:[^]]*\]|__cxx11::", "", name)
        self.path = []
        for part in (file or "").split("/"):
            if part == "..":
                self.path = self.path[:-1]
            elif part not in ("", "."):
                self.path.append(part)
        self.unversioned = "program" if is_program else \
            re.sub(r"[-_][\d.]+$", "", module.split(".so")[0])
        self.calls, self.records = {}, set()


def common_end(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[-1 - n] == b[-1 - n]:
        n += 1
    return n


def tell_apart(functions):
    """Adds to all functions of one name what tells them apart."""
    runs = {run for f in functions for run in f.calls}
    if any(not any(f.path for f in functions if run in f.calls)
            for run in runs):
        for f in functions:
            f.path = []
    pairs = [(a, b) for a in functions for b in functions
        if set(a.calls) & set(b.calls)]
    components = max((common_end(a.path, b.path) + 1 for a, b in pairs
        if a.path and b.path and a.path != b.path and
        (a.path[-1] != b.path[-1] or a.records & b.records)), default=0)
    for f in functions:
        f.path = f.path[-components:] if components else []
    modules = max((1 + (a.unversioned == b.unversioned) for a, b in pairs
        if a.path == b.path and a.module != b.module), default=0)
    for f in functions:
        f.key = f.path, (None, f.unversioned, f.module)[modules]


def changes(runs):
    functions = {}
    for run, records in enumerate(runs):
        for record in records:
            for node in record["nodes"]:
                at = int(node.get("function", "0x9000"), 16) >> 12
                path = record["modules"][at]["path"] if at < 3 else ""
                f = functions.setdefault((node["name"], node.get("file"),
                    path), Function(node["name"], node.get("file"),
                    path.split("/")[-1], path == record["program"]))
                f.calls[run] = f.calls.get(run, 0) + node["calls"]
                f.records.add((run, id(record)))
    groups = {}
    for f in functions.values():
        groups.setdefault(f.group, []).append(f)
    for group in groups.values():
        tell_apart(group)
        for key in {json.dumps(f.key) for f in group}:
            same = [f for f in group if json.dumps(f.key) == key]
            shown = max(same, key=lambda f: (1 in f.calls, f.file or "",
                f.module, f.name))
            calls = [sum(f.calls.get(run, 0) for f in same)
                for run in range(len(runs))]
            if calls[0] != calls[1]:
                yield [shown.name, shown.file or "", shown.module] + calls


def write(name, values):
    """Returns the values as they are read again."""
    with open(name, "w", encoding="utf-8") as out:
        lines = [json.dumps(v, separators=(",", ":"), ensure_ascii=False)
            for v in values]
        out.writelines(line + "\n" for line in lines)
    return list(map(json.loads, lines))


if __name__ == "__main__":
    _, mode, seed, count = sys.argv
    assert mode == "random"
    for n in range(1, int(count) + 1):
        runs = [write(side + str(n), random_records(random.Random(
            f"{seed}{side}{n}"))) for side in ("old", "new")]
        write(f"want{n}", changes(runs))
