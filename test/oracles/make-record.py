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
        top.append("%s: %s\n\t@%s -s -C %s last" %
                   (run, previous, rng.choice(["$(MAKE)", "$(MAKE)", "make",
                                               "$(MAKE) -j2"]), name))
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


class Make:
    """Passes over its targets in order, and starts those that are ready.  It
    waits for a worker, and after a pass for one of its targets to end."""

    def __init__(self, build, pool, targets):
        self.build, self.pool, self.targets = build, pool, targets
        self.at = self.running = self.lent = 0
        self.is_passed = self.waits = self.has_released = False
        self.limit = targets[0].get("limit")
        self.idle = self.limit or 1
        self.lender = None

    def next(self):
        return next((r["index"] for r in self.targets[self.at:]
                     if self.build.is_ready(r)), None)

    def start(self):
        """Starts the next target; False if it cannot."""
        if self.is_passed:
            return False
        index = self.next()
        if index is None:
            self.at, self.is_passed = 0, self.running > 0
            index = self.next()
            if self.is_passed or index is None:
                return False
        target = self.build.tasks[index]
        self.at = self.targets.index(target)
        self.waits = True
        if self.idle > 0:
            self.idle -= 1
        elif self.lender is not None and self.lender.idle > 0:
            self.lender.idle -= 1
            self.lent += 1
        else:
            return False
        self.waits = False
        self.at += 1
        self.running += 1
        self.build.run(target)
        return True

    def end(self):
        """A target has ended: GNU make keeps its own job until the last."""
        self.running -= 1
        self.has_released = True
        self.is_passed = False
        if self.lent > 0:
            self.lent -= 1
            self.lender.idle += 1
        else:
            self.idle += 1


class Build:
    def __init__(self, records, workers):
        self.tasks = [r for r in records if r["type"] == "task"]
        self.nodes = {r["id"]: r["deps"] for r in records
                      if r["type"] == "node"}
        self.index = {r["id"]: i for i, r in enumerate(self.tasks)}
        self.heir = {r["worker_of"]: r for r in self.tasks
                     if "worker_of" in r}
        self.now, self.running, self.done = 0, {}, set()
        of_pool = {None: []}
        for i, r in enumerate(self.tasks):
            r["index"] = i
            of_pool.setdefault(r.get("pool"), []).append(r)
        self.makes = {p: Make(self, p, t) for p, t in of_pool.items()}
        self.makes[None].idle = workers
        for make in self.makes.values():
            # The owner of a pool is the task of that name.
            pool = make.pool
            while pool is not None and self.makes[pool].limit is None:
                owner = pool.split(" (make ")[0]
                pool = self.tasks[self.index[owner]].get("pool")
            if pool != make.pool:
                make.lender = self.makes[pool]

    def is_done(self, dep):
        if dep in self.index:
            return dep in self.done
        return all(self.is_done(d) for d in self.nodes.get(dep, ()))

    def is_ready(self, r):
        return r["id"] not in self.done and r["id"] not in self.running and \
            "worker_of" not in r and all(self.is_done(d) for d in r["deps"])

    def run(self, r):
        self.running[r["id"]] = self.now + r["elapsed_us"]

    def end(self):
        """All that ends next; what a recipe goes on with starts at once."""
        self.now = min(self.running.values())
        while True:
            ended = [i for i, at in self.running.items() if at == self.now]
            for i in ended:
                del self.running[i]
                self.done.add(i)
                if i not in self.heir:
                    task = self.tasks[self.index[i]]
                    self.makes[task.get("pool")].end()
            heirs = [(i, r) for i, r in self.heir.items() if i in self.done and
                     r["id"] not in self.done and r["id"] not in self.running
                     and all(self.is_done(d) for d in r["deps"])]
            for _, r in heirs:
                self.run(r)
            if not ended and not heirs:
                return

    def start(self):
        """Makes that wait are the first, but not if they have released the
        worker."""
        makes = list(self.makes.values())
        while makes:
            make = min(makes, key=lambda m: (
                not m.waits, m.has_released, len(self.tasks) if m.next() is None
                else m.next()))
            if not make.start():
                make.has_released = False
                makes.remove(make)


def simulate(path, workers):
    build = Build([json.loads(line) for line in open(path)], workers)
    build.start()
    while build.running:
        build.end()
        build.start()
    assert len(build.done) == len(build.tasks)
    print(build.now)


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
