"""make-record.py - what make-record writes, by another implementation

    make-record.py generate SEED   writes makefiles, and the tasks that their
                                   recipes are to `expected`
    make-record.py sum FILE        sums records of single recipe lines, and
                                   prints the length of the longest path
    make-record.py simulate FILE N ...
                                   how long make -jN takes for the tasks of
                                   FILE, for each N
    make-record.py replay FILE     logs those lines as make does when
                                   make-record runs it
"""

import json
import os
import random
import sys


def generate(seed):
    """Makefiles in random directories, whose targets use earlier ones."""
    rng = random.Random(seed)
    expected = {}
    top = ["SUBS :="]
    for d in range(rng.randint(1, 4)):
        name = "d%d" % d
        os.mkdir(name)
        made, text = [], []
        n = rng.randint(1, 8)
        text.append("last: t%d" % (n - 1))
        text.append("\t@echo last")
        for t in range(n):
            deps = rng.sample(made, rng.randint(0, len(made)))
            order = rng.sample(deps, rng.randint(0, len(deps)))
            normal = [x for x in deps if x not in order]
            text.append("t%d: %s | %s" % (t, " ".join(normal),
                                          " ".join(order)))
            for line in range(rng.randint(1, 3)):
                text.append(rng.choice([
                    "\t@echo $@ $^", "\t-@exit 3", "\t@: '|' \"$@\"",
                    "\t@echo %d; true" % line, "\t@echo $(shell echo x)"]))
            made.append("t%d" % t)
            expected[name + "/t%d" % t] = deps
        # Only what `last` needs is made.
        needed, todo = set(), ["t%d" % (n - 1)]
        while todo:
            t = todo.pop()
            if t not in needed:
                needed.add(t)
                todo += expected[name + "/" + t]
        for t in made:
            deps = expected.pop(name + "/" + t)
            if t in needed:
                expected[name + "/" + t] = [name + "/" + x for x in deps]
        expected[name + "/last"] = [name + "/t%d" % (n - 1)]
        subs = [x for x in expected if x.startswith(name + "/")]
        # What waits for nothing in its make waits for the recipe's start.
        run = name + ".run"
        for s in subs:
            if not expected[s]:
                expected[s] = [run + " (part 1)"]
        expected[run + " (part 1)"] = []
        expected[run] = [name + "/last"]
        previous = ""
        if d > 0 and rng.random() < .5:
            previous = "d%d.run" % (d - 1)
            expected[run + " (part 1)"] = [previous]
        top.append("%s: %s\n\t@$(MAKE) -s -C %s last" %
                   (run, previous, name))
        with open(name + "/Makefile", "w") as f:
            f.write("\n".join(text) + "\n")
    runs = [x for x in expected if x.endswith(".run")]
    top.append("all: %s\n\t@echo all" % " ".join(runs))
    expected["all"] = runs
    with open("Makefile", "w") as f:
        f.write(".DEFAULT_GOAL := all\n" + "\n".join(top) + "\n")
    with open("expected", "w") as f:
        for task in sorted(expected):
            f.write("%s: %s\n" % (task, " ".join(sorted(expected[task]))))


def longest(path):
    """The longest path when the lines of each target are summed."""
    time, deps = {}, {}
    for line in open(path):
        r = json.loads(line)
        if r.get("type") != "task" or not r.get("id"):
            continue
        time[r["id"]] = time.get(r["id"], 0) + r["elapsed_us"]
        deps.setdefault(r["id"], set()).update(r.get("deps", ()))
    length = {}

    def visit(task):
        if task not in length:
            length[task] = time[task] + max(
                [visit(d) for d in deps[task] if d in time], default=0)
        return length[task]

    sys.setrecursionlimit(100000)
    print(max(visit(t) for t in time))


def simulate(path, workers):
    """make passes over the targets in order, and starts those that are ready.
    It waits for a job to end if all are running, and after each pass."""
    records = [json.loads(line) for line in open(path)]
    tasks = [r for r in records if r["type"] == "task"]
    nodes = {r["id"]: r["deps"] for r in records if r["type"] == "node"}
    index = {r["id"]: i for i, r in enumerate(tasks)}
    now, running, done, started = 0, [], set(), set()

    def is_done(dep):
        if dep in index:
            return index[dep] in done
        return all(is_done(d) for d in nodes.get(dep, ()))

    def wait():
        nonlocal now, running
        now = min(end for end, _ in running)
        done.update(i for end, i in running if end == now)
        running = [r for r in running if r[0] > now]

    while len(started) < len(tasks):
        for i, r in enumerate(tasks):
            if i not in started and all(is_done(d) for d in r["deps"]):
                while len(running) == workers:
                    wait()
                running.append((now + r["elapsed_us"], i))
                started.add(i)
        if running:
            wait()
    print(max([now] + [end for end, _ in running]))


def replay(path):
    """The records of the log: see filters/make-record/library/recorder.c."""
    records = [["M", "1.1", "0", os.getcwd()]]
    for n, line in enumerate(open(path)):
        r = json.loads(line)
        if r.get("type") != "task" or not r.get("id"):
            continue
        deps = " ".join(r["deps"])
        records.append(["S", "1.1", n, n, r["start_us"], r["id"], deps, ""])
        records.append(["E", "1.1", n, r["end_us"], 0,
                        int(r["status"]) << 8])
    # The library has removed the variable, but not from what the kernel has.
    start = open("/proc/self/environ").read()
    directory = start.split("WEIR_MAKE_RECORD=")[1].split("\0")[0].split()[2]
    with open(directory + "/log", "ab") as f:
        for record in records:
            f.write(b"".join(str(x).encode() + b"\0" for x in record) +
                    b"\n")


if sys.argv[1] == "replay":
    replay(sys.argv[2])
elif sys.argv[1] == "simulate":
    for workers in sys.argv[3:]:
        simulate(sys.argv[2], int(workers))
elif sys.argv[1] == "generate":
    generate(int(sys.argv[2]))
else:
    longest(sys.argv[2])
