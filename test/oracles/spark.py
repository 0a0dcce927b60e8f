"""spark - event logs of Spark: random ones, and what execlog-parse makes of them

Unlike the filter, this works on all events at once: what was known at a moment
is searched for among the events before it.
"""

import json
import subprocess
import sys

import oracle
from oracle import check, main


class Application:
    """A simulated application, whose events are collected with their times."""

    def __init__(self, rng):
        self.rng = rng
        self.events = []
        self.n_tasks = 0
        self.stages = []
        for i in range(rng.randint(1, 6)):
            parents = rng.sample(range(i), min(i, rng.choice([0, 1, 1, 2])))
            self.stages.append({"Stage ID": i, "Stage Attempt ID": 0,
                                "Stage Name": f"step {rng.randint(0, 9)}",
                                "RDD Info": [{"RDD ID": n, "Name": "x"} for n
                                             in rng.choices(range(9), k=2)],
                                "Number of Tasks": rng.randint(1, 4),
                                "Parent IDs": parents})
        self.ends = {}          # of the stages that have run

    def add(self, ms, name, **members):
        self.events.append((ms, len(self.events),
                            {"Event": "SparkListener" + name}
                            | {k.replace("_", " "): v
                               for k, v in members.items()}))

    def task(self, stage, attempt, index, start, end, reason, speculative):
        task_id = self.n_tasks
        self.n_tasks += 1
        info = {"Task ID": task_id, "Index": index, "Launch Time": start,
                "Executor ID": str(self.rng.randint(1, 3)),
                "Speculative": speculative, "Getting Result Time": 0,
                "Finish Time": 0, "Failed": False, "Killed": False}
        self.add(start, "TaskStart", Stage_ID=stage, Stage_Attempt_ID=attempt,
                 Task_Info=info)
        self.add(end, "TaskEnd", Stage_ID=stage, Stage_Attempt_ID=attempt,
                 Task_Type="ResultTask", Task_End_Reason={"Reason": reason},
                 Task_Info=info | {"Finish Time": end})

    def partition(self, stage, attempt, index, start, fails):
        """The tasks of a partition, to the end of the one that succeeds.  Of
        an attempt at a stage that fails, no task is repeated."""
        rng = self.rng
        while not fails and rng.random() < 0.2:
            end = start + rng.randint(1, 50)
            self.task(stage, attempt, index, start, end,
                      "ExceptionFailure", False)
            start = end + rng.randint(0, 3)
        end = start + rng.randint(1, 50)
        if end - start > 10 and rng.random() < 0.3:
            # A copy succeeds and the original is killed, or the reverse.
            results = ["Success", "TaskKilled"]
            rng.shuffle(results)
            copy = rng.randint(start + 1, end - 1)
            for begin, result in zip((start, copy), results):
                self.task(stage, attempt, index, begin,
                          end + (result == "TaskKilled") * 2, result,
                          begin == copy)
        else:
            self.task(stage, attempt, index, start, end, "Success", False)
        return end

    def attempt(self, info, number, indexes, start, fails):
        """An attempt at a stage.  Returns its end, and the partitions that it
        has not computed."""
        stage = info["Stage ID"]
        info = info | {"Stage Attempt ID": number}
        self.add(start, "StageSubmitted", Stage_Info=info)
        ends = [(self.partition(stage, number, i, start + 1, fails), i)
                for i in indexes[fails:]]
        end, left = max([start + 2] + [e for e, _ in ends]), []
        if fails:
            end = start + self.rng.randint(2, 60)
            self.task(stage, number, indexes[0], start + 1, end,
                      "FetchFailed", False)
            left = [indexes[0]] + [i for e, i in ends if e > end]
            info = info | {"Failure Reason": "FetchFailed"}
        # After the ends of its tasks at the same time.
        self.add(end + 0.5, "StageCompleted", Stage_Info=info)
        return end + 1, left

    def stage(self, info, start):
        everything = list(range(info["Number of Tasks"]))
        ran = [p for p in info["Parent IDs"] if p in self.ends]
        fails = bool(ran) and self.rng.random() < 0.4
        end, left = self.attempt(info, 0, everything, start, fails)
        if not fails:
            return end
        parent = self.rng.choice(ran)
        self.retries[parent] = self.retries.get(parent, 0) + 1
        end, _ = self.attempt(self.stages[parent], self.retries[parent], [0],
                              end + 1, False)
        self.retries[info["Stage ID"]] = 1
        return self.attempt(info, 1, left, end + 1, False)[0]

    def run(self):
        self.retries = {}
        self.add(1000, "ApplicationStart", App_ID="app-7", Timestamp=1000)
        self.add(1001, "JobStart", Job_ID=0, Stage_Infos=self.stages)
        end = 1002
        for info in self.stages:
            stage = info["Stage ID"]
            if self.rng.random() < 0.25 and stage != len(self.stages) - 1:
                continue
            start = max([1002] + [self.ends[p] for p in info["Parent IDs"]
                                  if p in self.ends]) + 1
            # A stage whose parents may be retried runs alone.
            start = max(start, end)
            self.ends[stage] = end = self.stage(info, start)
        last = max(e[0] for e in self.events)
        self.add(last + 1, "ApplicationEnd", Timestamp=int(last + 1))
        return [e for _, _, e in sorted(self.events, key=lambda e: e[:2])]


class Log:
    """What a log means."""

    def __init__(self, events):
        self.events = [(e["Event"].removeprefix("SparkListener"), e)
                       for e in events]
        self.infos = {}
        for name, e in self.events:
            submitted = [e["Stage Info"]] if name == "StageSubmitted" else []
            for info in e.get("Stage Infos", []) + submitted:
                self.infos.setdefault(info["Stage ID"], info)

    def submitted(self, before):
        """{stage: its last attempt}, of the first events."""
        last = {}
        for name, e in self.events[:before]:
            if name == "StageSubmitted":
                info = e["Stage Info"]
                last[info["Stage ID"]] = info["Stage Attempt ID"]
        return last

    def reference(self, stage, last):
        if stage not in last:
            self.skipped.add(stage)
            return f"stage {stage} skipped"
        return f"stage {stage}" + (f".{last[stage]}" if last[stage] else "")

    def parents(self, stage, before):
        last = self.submitted(before)
        return [self.reference(p, last)
                for p in self.infos[stage]["Parent IDs"] if p in self.infos]

    def position(self, name, stage, attempt):
        for i, (n, e) in enumerate(self.events):
            if n == name and (e["Stage Info"]["Stage ID"],
                              e["Stage Info"]["Stage Attempt ID"]) == (
                                  stage, attempt):
                return i
        return None

    def ends(self, before):
        return [(e["Stage ID"], e["Stage Attempt ID"], e["Task Info"],
                 e["Task End Reason"]["Reason"])
                for n, e in self.events[:before] if n == "TaskEnd"]

    def task(self, e):
        info, stage = e["Task Info"], e["Stage ID"]
        start = next(i for i, (n, s) in enumerate(self.events)
                     if n == "TaskStart" and s["Task Info"]["Task ID"] ==
                     info["Task ID"])
        deps = self.parents(stage, self.position(
            "StageSubmitted", stage, e["Stage Attempt ID"]))
        # Failures count until the stage is completed, and after that those
        # of its next attempts.
        whole = [(i, c["Stage Info"]["Stage Attempt ID"])
                 for i, (n, c) in enumerate(self.events[:start])
                 if n == "StageCompleted" and c["Stage Info"]["Stage ID"]
                 == stage and "Failure Reason" not in c["Stage Info"]]
        at, attempt = whole[-1] if whole else (0, -1)
        done = len(self.ends(at))
        failures = [t for s, a, t, why in self.ends(start)[done:]
                    if s == stage and t["Index"] == info["Index"]
                    and why != "Success" and a > attempt]
        fetches = [t for s, _, t, why in self.ends(start)
                   if why == "FetchFailed"
                   and stage in self.infos[s]["Parent IDs"]]
        for earlier in failures, fetches:
            if earlier and earlier[-1]["Finish Time"] <= info["Launch Time"]:
                if str(earlier[-1]["Task ID"]) not in deps:
                    deps.append(str(earlier[-1]["Task ID"]))
        us = [info["Launch Time"] * 1000, info["Finish Time"] * 1000]
        reason = e["Task End Reason"]["Reason"]
        label = self.infos[stage]["Stage Name"]
        delay = {"parts_us": {"scheduler_delay": us[1] - us[0]}} \
            if "Task Metrics" in e else {}
        return {"type": "task", "id": str(info["Task ID"]),
                "name": f"{label} {info['Index']}", "target": label,
                "kind": "run", "run": "app-7", "start_us": us[0],
                "end_us": us[1], "elapsed_us": us[1] - us[0],
                "host": info["Executor ID"], "rule": e["Task Type"],
                "status": reason} | delay | (
                    {"deps": deps} if deps else {}) | (
                    {"failed": True} if reason not in
                    ("Success", "TaskKilled") else {})

    def node(self, name, stage, deps):
        return {"type": "node", "id": name, "run": "app-7", "deps": deps,
                "name": self.infos[stage]["Stage Name"], "rule": "phony"}

    def stage_nodes(self):
        written = set()         # (stage, index) of earlier nodes
        for i, (n, e) in enumerate(self.events):
            if n != "StageCompleted":
                continue
            info = e["Stage Info"]
            stage, attempt = info["Stage ID"], info["Stage Attempt ID"]
            first = {}
            for s, a, t, why in self.ends(i):
                key = stage, t["Index"]
                if s == stage and why == "Success" and key not in first \
                        and (key not in written or a == attempt):
                    first[key] = str(t["Task ID"])
            deps = sorted(first.values())
            written |= set(first)
            if not deps:
                deps = self.parents(stage, self.position(
                    "StageSubmitted", stage, attempt))
            last = self.submitted(self.position("StageSubmitted", stage,
                                                attempt))
            if attempt:
                deps.append(self.reference(stage, last))
            yield self.node(self.reference(stage, {stage: attempt}), stage,
                            deps)

    def records(self):
        self.skipped, unknown = set(), 0
        out = [self.task(e) for n, e in self.events if n == "TaskEnd"]
        out += self.stage_nodes()
        todo, seen = sorted(self.skipped), set()
        while todo:
            stage = todo.pop()
            if stage in seen:
                continue
            seen.add(stage)
            # What it waits for, when the first stage that needs it starts.
            when = next(i for i, (n, e) in enumerate(self.events)
                        if n == "StageSubmitted" and self.needs(e, stage, i))
            maker = self.maker(stage, when)
            deps = self.parents(stage, when) if maker is None else \
                [self.reference(maker, self.submitted(when))]
            unknown += maker is None and not self.infos[stage]["Parent IDs"]
            todo += [int(d.split()[1]) for d in deps if d.endswith("skipped")]
            out.append(self.node(f"stage {stage} skipped", stage, deps))
        times = [e["Timestamp"] * 1000 for _, e in self.events
                 if "Timestamp" in e]
        times += [t["end_us"] for t in out if t["type"] == "task"]
        out.append({"type": "build", "run": "app-7", "format": "spark",
                    "start_us": min(times), "end_us": max(times),
                    "wall_us": max(times) - min(times)} |
                   ({"unknown_deps": unknown} if unknown else {}))
        return out

    def maker(self, stage, at):
        """The first stage submitted before an event, which submits another,
        that computed the first RDD of a skipped stage."""
        def rdd(i):
            return self.infos[i]["RDD Info"][0]["RDD ID"]

        first = next((e["Stage Info"]["Stage ID"] for n, e in self.events[:at]
                      if n == "StageSubmitted" and
                      rdd(e["Stage Info"]["Stage ID"]) == rdd(stage)), None)
        own = self.events[at][1]["Stage Info"]["Stage ID"]
        return None if first == own else first

    def needs(self, event, stage, at):
        """Whether a skipped stage is above the one that is submitted."""
        last = self.submitted(at)
        todo = list(event["Stage Info"]["Parent IDs"])
        while todo:
            parent = todo.pop()
            if parent == stage and parent not in last:
                return True
            if parent not in last and self.maker(parent, at) is None:
                todo += self.infos[parent]["Parent IDs"]
        return False


def canonical(records):
    for r in records:
        if "deps" in r:
            r["deps"] = sorted(r["deps"])
    return sorted(json.dumps(r, sort_keys=True) for r in records)


def length(records):
    """The length of the longest path, in microseconds."""
    deps, took = {}, {}
    for r in records:
        if r["type"] in ("task", "node"):
            deps[r["id"]] = r.get("deps", [])
            took[r["id"]] = r.get("elapsed_us", 0)
    longest = {}
    for start in deps:
        stack = [start]
        while stack:
            at = stack[-1]
            missing = [d for d in deps[at] if d in deps and d not in longest]
            if missing:
                stack += missing
                continue
            longest[at] = took[at] + max([longest[d] for d in deps[at]
                                          if d in deps], default=0)
            stack.pop()
    return max(longest.values())


def mode_applications(rng):
    events = Application(rng).run()
    oracle.last_run = ("execlog-parse",), events
    text = oracle.lines_of(events).replace('{"Event": ', '{"Event":')
    run = subprocess.run(["execlog-parse"], input=text, capture_output=True,
                         encoding="utf-8", check=False)
    check("standard error", "", run.stderr)
    check("status", 0, run.returncode)
    got = [json.loads(line) for line in
           oracle.without_boundaries(run.stdout).splitlines()]
    want = Log(events).records()
    check("records", canonical(want), canonical(got))
    answer = subprocess.run(["critpath"], input=run.stdout, encoding="utf-8",
                            capture_output=True, check=False)
    check("status of critpath", 0, answer.returncode)
    path = next(r for r in map(json.loads, answer.stdout.splitlines())
                if r["type"] == "critpath")
    check("length", length(want), path["length_us"])
    check("dependencies of nothing", 0, path["cut"])


if __name__ == "__main__":
    if sys.argv[1] == "length":
        with open(sys.argv[2], encoding="utf-8") as f:
            print(length(Log([json.loads(line) for line in f]).records()))
    else:
        main(globals(), None)
