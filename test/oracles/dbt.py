"""dbt - random run_results.json and manifest.json, and what they mean"""

import datetime
import json
import gzip
import subprocess
import sys

import oracle
from oracle import check, main

RUNS = {"model", "seed", "snapshot", "test", "unit_test", "operation",
        "function"}
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def us(text):
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    if time.tzinfo is None:
        time = time.replace(tzinfo=datetime.timezone.utc)
    return (time - EPOCH) // datetime.timedelta(microseconds=1)


def name(unique_id):
    kind, _, *rest = unique_id.split(".")
    last = rest[-1]
    if kind == "test" and len(rest) > 1 and len(last) == 10 and \
            all(c in "0123456789abcdef" for c in last):
        rest.pop()
    return ".".join(rest)


def tasks(results):
    run = results["metadata"]["invocation_id"]
    out = []
    for r in results["results"]:
        starts = [us(t["started_at"]) for t in r["timing"]
                  if t["started_at"]]
        ends = [us(t["completed_at"]) for t in r["timing"]
                if t["completed_at"]]
        task = {"type": "task", "id": r["unique_id"],
                "name": name(r["unique_id"]), "target": r["unique_id"],
                "rule": r["unique_id"].split(".")[0], "kind": "run",
                "run": run, "host": r["thread_id"], "status": r["status"]}
        if starts:
            task["start_us"] = min(starts)
        if ends:
            task["end_us"] = max(ends)
        if starts and ends:
            task["elapsed_us"] = max(ends) - min(starts)
        elif r["status"] != "skipped":
            task["elapsed_us"] = round(r["execution_time"] * 1e6)
        parts = {t["name"]: us(t["completed_at"]) - us(t["started_at"])
                 for t in r["timing"] if t["started_at"] and t["completed_at"]}
        parts = {k: v for k, v in parts.items() if v > 0}
        if parts:
            task["parts_us"] = parts
        if r["status"] in ("error", "fail", "runtime error",
                           "partial success"):
            task["failed"] = True
        if r["status"] == "skipped":
            task["skipped"] = True
        out.append(task)
    times = [t[k] for t in out for k in ("start_us", "end_us") if k in t]
    if out and results.get("args", {}).get("which") == "build":
        out += [{"type": "node", "id": f"build:{t['id']}", "run": run,
                 "deps": [t["id"]], "rule": "phony"} for t in out
                if t["rule"] in ("test", "unit_test") and "skipped" not in t]
    if out:
        out.append({"type": "build", "run": run, "format": "dbt"})
    if times:
        out[-1] |= {"start_us": min(times), "end_us": max(times),
                    "wall_us": max(times) - min(times)}
    if out and "threads" in results.get("args", {}):
        out[-1]["limit"] = results["args"]["threads"]
    return out


def kind_of(unique_id):
    return unique_id.split(".")[0]


def is_unit(unique_id, parents):
    return kind_of(unique_id) == "unit_test" and len(set(parents)) == 1


def nodes(manifest):
    """The nodes of parent_map, without what only `dbt build` waits for, and
    without unit tests of one model."""
    run = manifest["metadata"]["invocation_id"]
    for unique_id, parents in manifest["parent_map"].items():
        kind = kind_of(unique_id)
        if not is_unit(unique_id, parents):
            yield {"type": "node", "id": unique_id, "run": run,
                   "deps": parents, "rule": kind if kind in RUNS else "phony"}


def closure(deps):
    """By id: all that it waits for, directly or not."""
    found = {}

    def visit(i):
        if i not in found:
            found[i] = set()    # of cycles, there are none
            found[i] = {x for d in deps.get(i, []) for x in {d} | visit(d)}
        return found[i]

    for i in deps:
        visit(i)
    return found


def waits(manifest, is_build):
    """By id: what dbt makes it wait for.  Under `dbt build`, as Linker of dbt's
    compilation.py has it: a node that is not a test waits for each test whose
    parents are all upstream; and call_model_and_unit_tests_runner() of build.py
    runs the unit tests of a model before it."""
    parents = manifest["parent_map"]
    upstream = closure(parents)
    deps = {i: set(p) for i, p in parents.items()}
    for i in parents:
        if kind_of(i) in ("model", "seed", "snapshot", "operation") and is_build:
            deps[i] |= {t for t, p in parents.items() if p and
                        kind_of(t) == "test" and set(p) <= upstream[i]}
    units = [i for i, p in parents.items() if is_unit(i, p)]
    for i in units:
        deps[i] = set(deps[parents[i][0]])
    for i in units if is_build else []:
        deps[parents[i][0]].add(i)
    return deps


def waits_of(records):
    """The same, of records: without phony nodes of which only weir knows."""
    deps = {}
    for r in records:
        if r["type"] == "node":
            deps.setdefault(r["id"], []).extend(r.get("deps", []))
    return {i: {d for d in all_of if not d.startswith("build:")}
            for i, all_of in closure(deps).items()
            if not i.startswith("build:")}


def length(deps, tasks_and_others):
    """The length of the longest path, in microseconds, where nodes without a
    task are passed through."""
    took = {r["id"]: r.get("elapsed_us", 0) for r in tasks_and_others
            if r["type"] == "task"}
    longest = {}

    def visit(i):
        if i not in longest:
            longest[i] = took.get(i, 0) + max(map(visit, deps.get(i, [])),
                                              default=0)
        return longest[i]

    return max(map(visit, [*deps, *took]))


class Project:
    def __init__(self, rng):
        self.rng = rng
        self.ids = []
        for i in range(rng.randint(1, 25)):
            kind = rng.choice(["model", "model", "test", "seed", "source",
                               "metric", "exposure", "unit_test"])
            tail = rng.choice(["", ".0123abcdef", ".v2", ".0123ABCDEF"])
            self.ids.append(f"{kind}.shop.{rng.choice('xyz')}é{i}{tail}")
        # Nothing waits for tests but by `dbt build`.
        self.parents = {}
        for x in self.ids:
            some = [y for y in self.parents if "test" not in kind_of(y)]
            self.parents[x] = rng.sample(some, min(len(some),
                                                   rng.randint(0, 3)))

    def manifest(self):
        member = {"name": "}]\"{[", "deps": {"nodes": []}}
        return {"metadata": {"dbt_schema_version": "https://schemas.getdbt.com"
                             "/dbt/manifest/v12.json", "env": {},
                             "invocation_id": "run-1"},
                "nodes": {x: member for x in self.ids}, "macros": {},
                "parent_map": self.parents, "child_map": {"a": []},
                "disabled": {}, "list": [1, None]}

    def time(self, at):
        text = (EPOCH + datetime.timedelta(
            days=20000, microseconds=at)).isoformat(timespec="microseconds")
        return text.replace("+00:00", self.rng.choice(["Z", "+00:00", ""]))

    def result(self, unique_id):
        rng = self.rng
        if rng.random() < 0.2:
            timing, status = [], rng.choice(["skipped", "error"])
        else:
            at = sorted(rng.randint(0, 10**7) for _ in range(4))
            timing = [{"name": phase, "started_at": self.time(a),
                       "completed_at": self.time(b)}
                      for phase, a, b in (("compile", *at[:2]),
                                          ("execute", *at[2:]))]
            if rng.random() < 0.1:
                timing[1]["completed_at"] = None
            status = rng.choice(["success", "error", "pass", "fail", "warn",
                                 "no-op", "partial success", "runtime error"])
        return {"status": status, "timing": timing, "message": None,
                "thread_id": f"Thread-{rng.randint(1, 4)}",
                "execution_time": rng.choice([0, 0.5, 3.25]), "unique_id": unique_id}

    def results(self):
        ran = [x for x in self.ids if x.split(".")[0] in RUNS
               and self.rng.random() < 0.8]
        self.rng.shuffle(ran)
        return {"metadata": {"dbt_schema_version": "https://schemas.getdbt.com"
                             "/dbt/run-results/v6.json", "env": {"x": "y"},
                             "invocation_id": "run-1"},
                "results": [self.result(x) for x in ran],
                "elapsed_time": 1.5, "args": {
                    "select": [], "results": [], "which":
                    self.rng.choice(["build", "build", "run", "test"])} |
                self.rng.choice([{}, {"threads": 4}])}


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True,
                          encoding="utf-8", check=False)
    check("status", 0, done.returncode)
    return done.stdout


def records(command, document, rng):
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5,
                      indent=rng.choice([None, 2]))
    oracle.last_run = (command,), [document]
    out = run([command], text)
    return out, [json.loads(line) for line in
                 oracle.without_boundaries(out).splitlines()]


def mode_projects(rng):
    project = Project(rng)
    manifest, results = project.manifest(), project.results()
    graph, got_nodes = records("buildgraph-parse", manifest, rng)
    check("nodes", list(nodes(manifest)), [
        r | {"deps": [d for d in r["deps"] if not d.startswith("build:")]}
        for r in got_nodes if not r["id"].startswith("build:") and
        not is_unit(r["id"], manifest["parent_map"][r["id"]])])
    log, got_tasks = records("execlog-parse", results, rng)
    check("tasks", tasks(results), got_tasks)
    is_build = results["args"]["which"] == "build"
    deps = waits(manifest, is_build)
    ran = {f"build:{r['unique_id']}" for r in results["results"]}
    gates = [{"type": "node", "id": r["id"], "deps": [r["id"][6:]]}
             for r in got_nodes if r["id"].startswith("build:")]
    check("gates", True, all(g["id"] in ran for g in got_tasks
                             if g["type"] == "node"))
    check("waits", closure(deps), waits_of(got_nodes +
                                           (gates if is_build else [])))
    if any("elapsed_us" in t for t in got_tasks):
        answer = run(["critpath", "--bridge"], graph + log).splitlines()
        path = next(r for r in map(json.loads, answer)
                    if r["type"] == "critpath")
        check("length", length(deps, got_tasks), path["length_us"])


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path) as f:
        return json.load(f)


if __name__ == "__main__":
    if sys.argv[1] in ("length", "records"):
        results, manifest = load(sys.argv[2]), load(sys.argv[3])
        if sys.argv[1] == "length":
            print(length(waits(manifest, results["args"]["which"] == "build"),
                         tasks(results)))
        else:
            for record in tasks(results) + list(nodes(manifest)):
                print(json.dumps(record))
    else:
        main(globals(), None)
