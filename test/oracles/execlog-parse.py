#!/usr/bin/env python3
"""execlog-parse - a second implementation, directly from the definitions

Usage: execlog-parse.py MODE SEED COUNT

Mode retries: random logs of distbuild in which tasks are retried, lines occur
twice and many events have the same time.  The attempts that critpath and
execlog-stat see must be those that follow from the sorted lines, and every
order of the lines must give the same answers byte for byte.

Mode histories: logs of random histories of builds by ninja, in which it is
known which run wrote which line.  A run is an invocation of ninja.

Mode strange: the same, with many file times that are not those of the run, of
ninja and samurai.

Mode logs: several such logs, one after another.

The filters are found in PATH.  If their answers differ from those of this
program, the input is printed and the exit status is 1.
"""

import json
import math
import re
import subprocess

import oracle
from oracle import check, main, without_boundaries


# --- Logs of distbuild -----------------------------------------------------

HOSTS = ["h1", "h2"]


def random_log(rng):
    """Lines as tuples: the time in ms, the event and its words.

        deployed, started       uid host
        finished                uid host status size
        dep_wait, dep_start     uid host dependency 1
        dep_finished            uid host dependency source size
        deploy                  uid worker 1
        finished_from_cache     uid host-or-worker status 1
        prepare_start, resources_prepared       "" worker
    """
    span = rng.choice([6, 30, 1000])
    lines = []
    queue = ["deploy", "cached", "prepare"] * rng.choice([1, 5])

    def add(event, *words):
        lines.append((rng.randint(1, span), event, *map(str, words)))

    for _ in range(rng.randint(1, 40)):
        uid = rng.choice("uvw")
        host = rng.choice(HOSTS)
        dep = rng.choice("xy")
        size = rng.choice([1, 1, 2, "-"])
        match rng.choice(["run"] * 8 + ["copy"] * 6 + queue):
            case "run":
                event = rng.choice(["deployed", "started", "finished"])
                more = [rng.choice(["OK", "OK", "ERR"]), size] \
                    if event == "finished" else []
                add(event, uid, host, *more)
            case "copy":
                event = rng.choice(["dep_wait", "dep_start", "dep_finished"])
                more = ["h9", size] if event == "dep_finished" else [1]
                add(event, uid, host, dep, *more)
            case "deploy":
                add("deploy", uid, rng.randint(1, 3), 1)
            case "cached":
                add("finished_from_cache", rng.choice(["u", "c"]),
                    rng.choice(["h1", "1", "2"]), "OK", 1)
            case "prepare":
                add(rng.choice(["prepare_start", "resources_prepared"]), "",
                    rng.randint(1, 2))
    for line in rng.sample(lines, rng.randint(0, len(lines) // 4)):
        lines.append(line)
    return lines


def times(lines, *events):
    return sorted({l[0] for l in lines if l[1] in events})


def pair(starts, deployments, ends):
    """The attempts at a task on one host, as pairs of a start and one of the
    ends, which are tuples that begin with a time.  A start or end that is not
    known is None.

    The start of an end is the first start since the end before; if there is
    none, the first deployment since then; if there is none, the earliest start
    that is still unused.  An end without any of these gets a start (or
    deployment) after all ends; otherwise such a start has no end.
    """
    attempts, unused, last_end = [], [], -math.inf
    for end in sorted(ends):
        recent = [s for s in starts if last_end < s <= end[0]]
        deployed = [d for d in deployments if last_end < d <= end[0]]
        start = None
        if recent:
            start, *rest = recent
            unused += rest
        elif deployed:
            start = deployed[0]
        elif unused:
            start = unused.pop(0)
        attempts.append([start, end])
        last_end = end[0]
    late = [s for s in starts if s > last_end]
    late_deployments = [d for d in deployments if d > last_end]
    for a in attempts:
        if a[0] is None and (late or late_deployments):
            a[0] = (late or late_deployments).pop(0)
    if late:
        attempts.append([late[0], None])
    elif not attempts and deployments:
        attempts.append([deployments[0], None])
    return attempts


def hosts_of_workers(lines):
    """{worker: host}.  A host that ran a task is that of the worker to which
    the task was deployed last before that, or else first after it.  If this
    gives several hosts for a worker, the one with the least time between the
    two counts, and first those with the deployment before."""
    seen = {}
    for uid, host in {l[2:4] for l in lines
                      if l[1] in ("deployed", "started", "finished")}:
        at = min(l[0] for l in lines if l[2:4] == (uid, host) and
                 l[1] in ("deployed", "started", "finished"))
        deploys = [(l[0], int(l[3])) for l in lines
                   if l[1] == "deploy" and l[2] == uid]
        if not deploys:
            continue
        deploy_at, worker = min(deploys, key=lambda d: (
            d[0] > at, abs(at - d[0]), d[1]))
        seen.setdefault(worker, []).append(
            (deploy_at > at, abs(at - deploy_at), host))
    return {worker: min(found)[2] for worker, found in seen.items()}


def size_of(word):
    return int(word) if word.isdigit() else -1


def attempts_of(lines):
    """{id: [(end, start, host, ...), ...]}, each list in the order of the
    attempts' numbers.  An end that is not known is math.inf, a start -1.  The
    host of a run or copy that is not from the cache is followed by its size and
    whether it failed."""
    tasks, cached = {}, {}
    workers = hosts_of_workers(lines)

    def add(name, host, found):
        for start, end in found:
            tasks.setdefault(name, []).append((
                end[0] if end else math.inf, -1 if start is None else start,
                host, *(end[1:] if end else (-1, False))))

    for uid, host in {l[2:4] for l in lines
                      if l[1] in ("deployed", "started", "finished")}:
        own = [l for l in lines if l[2:4] == (uid, host)]
        add(uid, host, pair(
            times(own, "started"), times(own, "deployed"),
            {(l[0], size_of(l[5]), l[4] != "OK") for l in own
             if l[1] == "finished"}))
    for key in {l[2:5] for l in lines if l[1].startswith("dep_")}:
        own = [l for l in lines if l[2:5] == key]
        add(("copy", *key), key[1], pair(
            times(own, "dep_wait", "dep_start"), [],
            {(l[0], size_of(l[6]), False) for l in own
             if l[1] == "dep_finished"}))
    for l in lines:
        if l[1] == "finished_from_cache":
            host = workers.get(int(l[3]), f"worker-{l[3]}") \
                if l[3].isdigit() else l[3]
            cached.setdefault(l[2], []).append((l[0], l[0], host))
    for name, found in cached.items():
        if all(a[0] == math.inf for a in tasks.get(name, [])):
            tasks.setdefault(name, []).append(min(found))
    for at, _, _, worker in {l for l in lines if l[1] == "resources_prepared"}:
        starts = [l[0] for l in lines if l[1] == "prepare_start" and
                  l[3] == worker and l[0] <= at]
        host = workers.get(int(worker), f"worker-{worker}")
        tasks.setdefault(f"prepare:{worker}:resources", []).append(
            (at, max(starts, default=-1), host))
    return {name: sorted(found) for name, found in tasks.items()}


def run_pipeline(lines, pipeline):
    text = "".join(" ".join(map(str, line)) + "\n" for line in lines)
    oracle.last_run = (("bash", "-c", pipeline),
                       [list(line) for line in lines])
    done = subprocess.run(["bash", "-c", "set -o pipefail; " + pipeline],
                          input=text, capture_output=True, encoding="utf-8",
                          check=False)
    check("status", 0, done.returncode)
    check("messages", [], [line for line in done.stderr.splitlines()
                           if "warning: " not in line])
    return without_boundaries(done.stdout)


ATTEMPTS_MAX = 8        # of a task; critpath leaves the others out


def dependents(tasks, name, host):
    """When attempts started that depend on a task: those of a copy's consumer
    on its host, or copies of what the task made."""
    is_copy = isinstance(name, tuple)
    for other, found in tasks.items():
        if (other == name[1] if is_copy else
                isinstance(other, tuple) and other[3] == name):
            yield from (a[1] for a in found[:ATTEMPTS_MAX]
                        if (a[0] != math.inf or is_open(found, a)) and
                        (not is_copy or a[2] == host))


def is_open(found, attempt):
    """Whether no attempt at the task ended after this one had started."""
    return all(a[0] == math.inf or a[0] < attempt[1] for a in found)


def compare_attempts(lines, out):
    """Compares with the tasks that critpath writes.  For a copy, the label is
    "copy", and the id is not compared."""
    records = [json.loads(line) for line in out.splitlines()]
    tasks = attempts_of(lines)
    build = json.loads(run_pipeline(lines, "execlog-parse").splitlines()[-1])
    log_end = build["end_us"] // 1000
    want = []
    for name, found in tasks.items():
        for n, (end, start, host, *_) in enumerate(found[:ATTEMPTS_MAX], 1):
            # What did not end counts until the end of the log.
            if end == math.inf and not str(name).startswith("prepare:") and \
                    is_open(found, (end, start)):
                end = min(at for at in [log_end, *dependents(
                    tasks, name, host)] if at >= start)
            if end != math.inf and start >= 0:
                label = "copy" if isinstance(name, tuple) else name
                suffix = f"#{n}" if n > 1 else ""
                want.append((label + suffix, host, start * 1000,
                             max(0, end - start) * 1000))
    got = [((t["kind"] if t["kind"] == "copy" else t["id"].split("#")[0]) +
            ("#" + t["id"].split("#")[1] if "#" in t["id"] else ""),
            t["host"], t["start_us"], t["elapsed_us"])
           for t in records if t["type"] == "task"]
    check("attempts", sorted(want), sorted(got))
    for r in records:
        if "retries" in r:
            check("retries", sum(len(found) - 1 for found in tasks.values()),
                  r["retries"])


def mode_retries(rng):
    lines = random_log(rng)
    first = None
    for _ in range(3):
        rng.shuffle(lines)
        answers = [run_pipeline(lines, "execlog-parse | " + reader)
                   for reader in ("critpath --all --top 3", "execlog-stat")]
        if first is None and any('"critpath"' in a for a in answers):
            compare_attempts(lines, answers[0])
        first = first or answers
        check("answers for the lines shuffled", first, answers)


# --- Logs of ninja ----------------------------------------------------------

class History:
    """Runs of ninja: `log` has a tuple (run, start, end, file time, output) for
    each line.  Start and end are in ms since the run began, file times in units
    of unit_ms since 1970."""

    def __init__(self, rng):
        self.rng = rng
        self.version, self.unit_ms = rng.choice(
            [(5, 1000), (5, 1e-6), (6, 1e-6), (7, 1e-6)])
        self.now = 1700000000000 + rng.randint(0, 10 ** 6)
        self.outputs = [f"o{i}" for i in range(rng.choice([3, 12, 60]))]
        self.log, self.n_runs, self.is_recompacted = [], 0, False

    def file_time(self, began, start, end):
        """The file time that ninja of this version records for a command.  It
        may be up to 10 ms early, and some files have the time of an input, or
        do not exist."""
        taken = began + start if self.version > 5 else \
            began + self.rng.randint(max(start, end - 3), end)
        if self.version > 5 and self.rng.random() < 0.1:
            taken = began + end         # a restat or generator command
        early = self.rng.choice([0, 0, self.rng.random() * 10])
        # In a small log, execlog-parse would give a strange time as much weight
        # as the others together.
        strange = self.version == 5 and not self.is_recompacted and \
            len(self.log) > 8 and self.rng.random() < 0.04
        if strange:
            # 0: there is no file; 1600...: an old input, see is_strange()
            return self.rng.choice([0, int(1600000000000 / self.unit_ms)])
        return int((taken - early) / self.unit_ms)

    def run(self, outputs):
        """Adds a run that makes these outputs.  jobs: when the last command of
        each parallel job ends."""
        began, jobs = self.now, [0] * self.rng.randint(1, 4)
        lines = []
        for output in outputs:
            start = min(jobs) + self.rng.randint(1, 9)
            end = start + self.rng.choice([1, 30, 800]) + \
                self.rng.randint(0, 20)
            jobs[jobs.index(min(jobs))] = end
            lines.append((end, start, output))
        for end, start, output in sorted(lines):
            self.log.append((self.n_runs, start, end,
                             self.file_time(began, start, end), output))
        self.n_runs += 1
        # File times do not distinguish runs that are nearer to each other:
        # they have a tolerance of 12 ms, or a second, to both sides, and since
        # version 6 they are not more exact than the shortest command is long,
        # which is at most 820 ms.
        nearest = 3100 if self.unit_ms == 1000 else \
            30 if self.version == 5 else 850
        self.now = began + max(jobs) + self.rng.randint(
            nearest, 10 ** self.rng.randint(4, 6))

    def recompact(self):
        """Keeps the last line of each output, in random order, but in none
        that may look as if the lines were appended: of 12 lines, one order in
        fifty has only two that cannot have been.  If none of 100 orders is
        suitable, as when all commands were short, the log remains as it is."""
        lines = list({line[4]: line for line in self.log}.values())
        for _ in range(100):
            self.rng.shuffle(lines)
            if sum(map(self.contradicts, lines, lines[1:])) >= len(lines) / 4:
                self.log, self.is_recompacted = lines, True
                return

    def contradicts(self, above, line):
        """Whether two lines of a run are surely not in the order of their
        ends, as their file times show despite their tolerance."""
        tolerance_ms = 2100 if self.unit_ms == 1000 else 40
        took = line[2] - line[1] if self.version == 5 else 0
        return line[2] < above[2] and above[2] - took > tolerance_ms

    def text(self):
        return f"# ninja log v{self.version}\n" + "".join(
            f"{start}\t{end}\t{file_time}\t{output}\t{run:x}{output[1:]}\n"
            for run, start, end, file_time, output in self.log)


def is_strange(line):
    """Whether the file time says nothing about the run."""
    return line[3] == 0 or str(line[3]).startswith("16")


def without_doubts(text):
    """Records without what depends on the runs before: whether all was made
    anew, and whether the run may have begun earlier."""
    return re.sub(r',"(incremental":true|lacks":\[[^]]*\])', "", text)


def check_all_runs(history, text, last_run):
    """Expects that --runs all ends with what is written without it and, if the
    log is as ninja appended to it and has no strange file times, that it
    writes every run."""
    done = subprocess.run(["execlog-parse", "--runs", "all"], input=text,
                          capture_output=True, encoding="utf-8", check=True)
    runs = {}
    for line in done.stdout.splitlines():
        if '"run":"' in line:
            run = json.loads(line)["run"]
            runs.setdefault(run, []).append(
                without_doubts(line.replace(f',"run":"{run}"', "")))
    check("names of the runs", [str(i + 1) for i in range(len(runs))],
          list(runs))
    left_out = len(runs) - 1
    key = f',"earlier_runs":{left_out}' if left_out > 0 else ""
    check("last run of all", without_doubts(last_run).splitlines()[1:-1],
          [line[:-1] + key + "}" if '"type":"build"' in line else line
           for line in (list(runs.values())[-1] if runs else [])])
    if history.is_recompacted or any(map(is_strange, history.log)):
        return
    check("earlier runs", history.n_runs - 1, left_out)
    want = [[] for _ in range(history.n_runs)]
    for run, start, end, _, output in history.log:
        want[run].append((output, start * 1000, end * 1000))
    got = [[(task["id"], task["start_us"], task["end_us"])
            for task in map(json.loads, lines) if task["type"] == "task"]
           for lines in runs.values()]
    check("tasks of each run", list(map(sorted, want)),
          list(map(sorted, got)))


def random_history(rng):
    history = History(rng)
    history.run(history.outputs)
    for _ in range(rng.randint(0, 12)):
        n = rng.choice([1, 2, len(history.outputs)])
        history.run(rng.sample(history.outputs,
                               min(n, len(history.outputs))))
        # Not in a log so small that all lines may be within the tolerance:
        # nothing in it would show that their order is random.
        if rng.random() < 0.1 and len(history.outputs) > (
                3 if history.unit_ms < 1 else 12):
            history.recompact()
    return history


def mode_histories(rng):
    history = random_history(rng)
    text = history.text()
    oracle.last_run = ("execlog-parse",), [text]
    done = subprocess.run(["execlog-parse"], input=text, capture_output=True,
                          encoding="utf-8", check=False)
    check("status", 0, done.returncode)
    last = {line[4]: line for line in history.log
            if line[0] == history.n_runs - 1}
    if history.is_recompacted:
        # Only its time says to which run a line belongs.
        last = {i: line for i, line in last.items() if not is_strange(line)}
    else:
        check("standard error", "", re.sub(
            r"execlog-parse: warning: the log has \d+ runs of ninja, of which "
            r"only the last is read: see --runs\n", "", done.stderr))
    check_all_runs(history, text, done.stdout)
    # Indexes of lines that are known to be of the last run.
    certain = [i for i, line in enumerate(history.log)
              if line[0] == history.n_runs - 1 and not is_strange(line)]
    if not certain:
        return
    # A strange line before these may or may not be of the last run, so its
    # output is not compared.
    unknown = {line[4] for line in history.log[:certain[0]]
               if is_strange(line)} - \
        {line[4] for line in history.log[certain[0]:]}
    want = [(output, start * 1000, end * 1000)
            for output, (_, start, end, _, _) in last.items()
            if output not in unknown]
    tasks = [json.loads(line) for line in done.stdout.splitlines()]
    got = [(t["id"], t["start_us"], t["end_us"])
           for t in tasks if t["type"] == "task" and t["id"] not in unknown]
    check("tasks of the last run", sorted(want), sorted(got))


class StrangeHistory:
    """Runs of ninja whose commands start when others end, and whose file times
    are often not those of the run: outputs have the time of a source (cp -p) or
    of an archive (tar), restat keeps them, some do not exist, and the clock of
    another file system differs by 5 s.  Some commands fail, and are not in the
    log.  `log` is as that of History; lines of samurai have no times."""

    def __init__(self, rng):
        self.rng, self.log, self.n_runs = rng, [], 0
        self.version = rng.choice([5, 5, 6, 7])     # ninja 1.10, 1.11, 1.12
        self.now = 1700000000000 + rng.randint(0, 10 ** 9)
        self.archive = self.now - 10 ** rng.uniform(6, 11)
        self.clock = rng.choice([-5000, 5000])
        self.fails = rng.choice([0, 0, 0.03])
        self.is_incremental = self.is_samurai = False
        n = rng.choice([rng.randint(6, 20), rng.randint(6, 80),
                        rng.randint(80, 500)])
        share = {kind: rng.choice([0, 0, 0.02, 0.1, 0.3])
                 for kind in ("source", "archive", "none", "clock")}
        restat = rng.choice([0, 0, 0.1, 0.5])
        # kind, elapsed ms, dependencies, time of the source, whether restat
        self.commands = [
            (next((k for k in share if rng.random() < share[k]), ""),
             rng.choice([rng.randint(2, 12), rng.randint(10, 300),
                         rng.randint(300, 4000)]),
             {rng.randrange(i) for _ in range(rng.choice([0, 1, 2])) if i},
             self.now - 10 ** rng.uniform(3.5, 10),
             rng.random() < restat) for i in range(n)]
        self.times = {}         # the last file time of each command

    def file_time(self, i, began, start, end):
        kind, elapsed, deps, source, restat = self.commands[i]
        made = {"source": source, "archive": self.archive, "none": 0}.get(
            kind, began + max(start, end - self.rng.choice(
                [0, 1, self.rng.randint(0, elapsed)])) -
            self.rng.choice([0, self.rng.random() * 4]) +
            (self.clock if kind else 0))
        kept = restat and self.is_incremental and self.rng.random() < 0.5
        if self.version > 5:
            return began + start if kept or not restat else \
                max(began + start, made)
        if not kept:
            return made
        edited = began - 10 ** self.rng.uniform(1, 4)
        return max([self.rng.choice([source, edited])] +
                   [self.times[d] for d in deps if d in self.times])

    def run(self, which):
        rng, began, time = self.rng, self.now, self.rng.randint(1, 30)
        jobs, running = rng.choice([1, 2, 4, 8, 16]), []
        waiting = {i: self.commands[i][2] & which for i in sorted(which)}
        while waiting or running:
            for i in [i for i, deps in waiting.items() if not deps][
                    :jobs - len(running)]:
                del waiting[i]
                running.append((time + max(1, int(
                    self.commands[i][1] * rng.uniform(0.7, 1.4))), time, i))
                time += rng.choice([0, 0, 1])
            running.sort()
            if not running:
                break                   # all others wait for what failed
            end, start, i = running.pop(0)
            time = max(time, end)
            if rng.random() < self.fails and self.log:
                continue
            for deps in waiting.values():
                deps.discard(i)
            self.times[i] = self.file_time(i, began, start, time)
            self.log.append((
                self.n_runs, *((0, 0) if self.is_samurai else (start, time)),
                int(1e6 * self.times[i]), f"o{i}"))
        self.n_runs += 1
        self.now = began + time + 10 ** rng.uniform(3.5, 8)
        self.is_incremental = True

    def change(self):
        """Makes some commands again, and what depends on them."""
        n = len(self.commands)
        which = set(self.rng.sample(range(n), self.rng.choice(
            [1, 1, 2, 3, max(1, n // 4), n])))
        for i in range(n):
            if which & self.commands[i][2]:
                which.add(i)
        self.run(which)

    def recompact(self):
        self.log = list({line[4]: line for line in self.log}.values())
        self.rng.shuffle(self.log)

    def answer(self):
        """Whether execlog-parse finds the last run, and whether in doubt."""
        text = f"# ninja log v{self.version}\n" + "".join(
            f"{start}\t{end}\t{file_time}\t{output}\t{output[1:]}\n"
            for _, start, end, file_time, output in self.log)
        records = [json.loads(line) for line in parse(text).splitlines()]
        last = self.log and max(line[0] for line in self.log)
        lacks = set(records[-1].get("lacks", []))
        made = {line[4]: line[2] for line in self.log if line[0] == last}
        return made == {t["id"]: t.get("end_us", 0) / 1000 for t in records
                        if t["type"] == "task"} if any(made.values()) else \
            "times" in lacks, bool(lacks & {"runs", "times"})


def strange_answers(rng):
    """Yields a name, whether the last run was found, and whether in doubt for
    the logs of a random history."""
    history = StrangeHistory(rng)
    history.run(set(range(len(history.commands))))
    yield ("only", *history.answer())
    name = ""
    if rng.random() < 0.2:
        history.is_samurai = True
        history.change()
        yield ("samurai", *history.answer())
        history.is_samurai, name = False, "after samurai, "
    for _ in range(rng.randint(1, 4)):
        if rng.random() < 0.4:
            for _ in range(rng.choice([0, 1, 4])):
                history.change()
            history.recompact()
            name += "" if "recompacted" in name else "recompacted, "
            yield (name, *history.answer())
        for _ in range(rng.randint(1, 3)):
            history.change()
        yield (name + "appended", *history.answer())


n_answers = n_wrong = 0         # of mode_strange() since the beginning


def mode_strange(rng):
    """Of all answers, at most one and one in two hundred are wrong without
    saying that they are in doubt.  Some cannot be known: if the clocks of two
    runs differ by as much as was between the runs, they are one."""
    global n_answers, n_wrong
    for _, is_right, in_doubt in strange_answers(rng):
        n_answers += 1
        n_wrong += not is_right and not in_doubt
        check(f"whether at most 0.5 % of {n_answers} answers are wrong", True,
              n_wrong <= 1 + n_answers // 200)


def parse(text, *options):
    command = "execlog-parse", *options
    oracle.last_run = command, [text]
    return without_boundaries(subprocess.run(
        command, input=text, capture_output=True, encoding="utf-8",
        check=True).stdout)


def mode_logs(rng):
    """Of several logs the last run of the last one is written, and the runs of
    all of them are counted."""
    def n_runs(text):
        return parse(text, "--runs", "all").count('"type":"build"')

    logs = [random_history(rng).text() for _ in range(rng.randint(2, 4))]
    left_out = sum(map(n_runs, logs)) - 1
    check("number of runs", left_out + 1, n_runs("".join(logs)))
    want = re.sub(r'(,"earlier_runs":\d+)?}\n$',
                  f',"earlier_runs":{left_out}}}\n',
                  without_doubts(parse(logs[-1])))
    check("last run of the logs", want,
          without_doubts(parse("".join(logs))))


if __name__ == "__main__":
    main(globals(), None)
