#!/usr/bin/env python3
"""malstat - a second implementation of malstat, from the definitions

Usage: malstat.py trace FILE...             traces of formats S and P
       malstat.py nested SEED COUNT         random rows: instances nest
       malstat.py overlapping SEED COUNT    random rows: instances overlap
       malstat.py tables SEED COUNT         tables mixed in different orders

An instance is one run of an instruction of a plan, from its start event to its
done event.  (weir-mal(5) lists the formats; events of format P have no starts.)
The instances of one thread of a session are a lane.  The time of a session is
divided into periods, each with the innermost instance of each lane, and
everything is computed from these periods.  For random rows each microsecond is
a period.  malparse and malstat are found in PATH.  If the two implementations
differ, this one prints a message and the exit status is 1.
"""

import collections
import json
import random
import subprocess
import sys
from fractions import Fraction

KINDS = ["work", "call", "dataflow", "plan"]
RATIOS = {"share", "utilisation", "average_parallelism",
          "utilisation_of_workers", "utilisation_of_cores"}
RATIOS |= {"query_" + key for key in RATIOS}


class Differ(Exception):
    pass


# --- Events, from rows or from what a server wrote -------------------------

class Session(collections.namedtuple("Session", "name trace")):
    """trace: the number of the trace that the session is part of; None if the
    session is that of a server, which may be in several traces."""

    def order(self):
        return (b"" if self.name is None else self.name.encode(),
                float("inf") if self.trace is None else self.trace)


class Execution:
    """key: (number of the trace, execution_id) if made from rows, (session,
    tag, serial number) if from what a server wrote.  has_only_ends: it is of
    format P.  clock: which of the two clocks of its events counts, 0 (relative)
    or 1 (absolute)."""

    def __init__(self, key, trace):
        self.key, self.trace, self.tag = key, trace, None
        self.session, self.has_only_ends = Session(None, trace), False
        self.parent = self.query = self.clock = self.function = None
        self.is_query = False


Event = collections.namedtuple(
    "Event", "execution pc state us thread usec name statement")


class Trace:
    """Executions, and the events in their order."""

    def __init__(self):
        self.executions, self.events = {}, []
        self.untimed = []       # ends without a clock
        # workers[number of a trace]: the numbers that its server rows state.
        self.workers, self.n_no_clock = collections.defaultdict(set), 0
        # The session of each heartbeat, and its rows of cpuload.
        self.heartbeats, self.loads = {}, collections.Counter()

    def execution(self, key, trace):
        return self.executions.setdefault(key, Execution(key, trace))

    def workers_of(self, session):
        """The number of workers that the server rows of the session's traces
        state; 0 if there are none, or they differ."""
        numbers = {n for x in self.executions.values() if x.session == session
                for n in self.workers[x.trace]}
        return numbers.pop() if len(numbers) == 1 else 0

    def cores_of(self, session):
        return max((self.loads[key] for key, name in self.heartbeats.items()
                    if name == session.name and session.trace is None),
                   default=0)

    def add(self, execution, pc, state, clocks, **rest):
        """Adds an event.  clocks: its times on the relative and the absolute
        clock; the first event of an execution decides which is used."""
        if execution.clock is None:
            execution.clock = next(
                (i for i, us in enumerate(clocks) if us is not None), None)
        us = clocks[execution.clock or 0]
        event = Event(execution, pc, state, us, **rest)
        if us is None:
            self.n_no_clock += 1
            if state == 1 and event.usec is not None:
                self.untimed.append(event)
        else:
            self.events.append(event)

    def root_of(self, execution):
        while execution.parent is not None:
            execution = execution.parent
        return execution


def trace_of_rows(rows):
    trace, number = Trace(), 0

    def execution(i):
        return trace.execution((number, i), number)

    for r in rows:
        if r["type"] == "trace":
            number += 1
        elif r["type"] == "server":
            trace.workers[number].add(r["threads"])
        elif r["type"] == "heartbeat":
            trace.heartbeats[number, r["heartbeat_id"]] = r.get(
                "server_session")
        elif r["type"] == "cpuload":
            trace.loads[number, r["heartbeat_id"]] += 1
        elif r["type"] == "mal_execution":
            x = execution(r["execution_id"])
            x.has_only_ends = "server_session" not in r and "client" in r
            x.session = Session(r["client"], number) if x.has_only_ends else \
                Session(r["server_session"], None)
            x.tag, x.function = r.get("tag"), r.get("user_function")
        elif r["type"] == "query":
            x = execution(r["root_execution_id"])
            x.is_query, x.query = True, r.get("query_text", x.query)
        elif r["type"] == "initiates_executions":
            parent, child = (execution(r[key])
                             for key in ("parent_id", "child_id"))
            if parent is not child and child.parent is None:
                child.parent = parent
        elif r["type"] == "profiler_event":
            trace.add(execution(r["mal_execution_id"]),
                     r["pc"], r["execution_state"],
                     [r.get("relative_time"), r.get("absolute_time")],
                     thread=r.get("thread"), usec=r.get("usec"),
                     name=(r.get("mal_module", ""), r.get("instruction", "")),
                     statement=r.get("short_statement",
                                     r.get("long_statement")))
    return trace


def objects_of(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    decoder, at = json.JSONDecoder(strict=False), 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        else:
            o, at = decoder.raw_decode(text, at)
            yield o


def trace_of_server(paths):
    """What the files have together, as the trace number 0."""
    trace, serials = Trace(), collections.Counter()
    for o in (o for path in paths for o in objects_of(path)):
        is_p = "phase" in o
        if "packages" in o:
            trace.workers[0].add(int(o["threads"]))
        if "cpuload" in o:
            key = 0, len(trace.heartbeats)
            trace.heartbeats[key] = o.get("session")
            trace.loads[key] = len(o["cpuload"])
        # Skip heartbeats, headers, and phases that belong to no execution.
        if not o.get("tag") and not (o.get("source") == "trace" or
                                     o.get("phase") == "mal_engine"):
            continue
        session, tag = o.get("sessionid" if is_p else "session"), o["tag"]
        is_start = o.get("state") == "start"
        if not tag:     # then each plan that starts is another execution
            tag = None
            serials[session] += o["pc"] == 0 and is_start
        x = trace.execution((session, tag, tag or serials[session]), 0)
        x.session = Session(session, 0 if is_p else None)
        x.tag, x.has_only_ends = tag, is_p
        if is_p and o["phase"] != "mal_engine":
            continue
        # Of the two clocks, the relative one has the smaller value.
        relative_us = min((o[key] for key in ("clk", "ctime") if key in o),
                          default=None)
        trace.add(x, o["pc"], 0 if is_start else 1, [relative_us, None],
                 thread=o.get("thread"), usec=o.get("usec"),
                 name=(o.get("module", ""),
                       o.get("function" if is_p else "instruction", "")),
                 statement=o.get("short", o.get("stmt")))
    return trace


# --- Instances -------------------------------------------------------------

class Instance:
    def __init__(self, done, start_us):
        self.execution, self.pc = done.execution, done.pc
        self.session, self.thread = done.execution.session, done.thread
        self.start_us, self.end_us = min(start_us, done.us), done.us
        self.usec, self.statement = done.usec, done.statement
        self.operation = (".".join(done.name) if any(done.name)
            else "assignment")
        self.is_timed = True
        self.kind = "plan" if done.pc == 0 else \
            "dataflow" if done.name == ("language", "dataflow") else \
            "call" if done.name[0] == "user" else "work"
        self.self_us = 0

    def elapsed_us(self):
        return self.end_us - self.start_us

    def text(self):
        """The last sort key of instances."""
        return self.operation, -1 if self.usec is None else self.usec, \
            self.statement is not None, self.statement or ""

    def is_open(self, us):
        return self.start_us <= us < self.end_us


class Answers:
    """by_us: each microsecond is a period; otherwise each time between two
    events is."""

    def __init__(self, trace, by_us):
        self.trace, self.counts = trace, collections.Counter()
        self.instances = list(self.match_events())
        self.lanes = collections.defaultdict(list)
        for i in self.timed(self.instances):
            self.lanes[i.session, i.thread].append(i)
        # A period is (session, from, to, the innermost instances of lanes).
        self.periods = [s for session in {i.session for i in self.instances}
                        for s in self.periods_of(session, by_us)]

    def match_events(self):
        """Yields an instance for each end that has a start, or needs none."""
        started = {}
        for e in self.trace.events:
            key = e.execution, e.pc
            if e.state == 0:
                self.counts["restarted"] += key in started
                started[key] = e.us
            elif e.state == 1 and key in started:
                yield Instance(e, started.pop(key))
            elif e.state == 1 and e.execution.has_only_ends:
                yield Instance(e, e.us - (e.usec or 0))
            elif e.state == 1:
                self.counts["done_without_start"] += 1
        self.counts["unfinished"] = len(started)
        for e in self.trace.untimed:
            if e.execution.clock is None and e.execution.has_only_ends:
                i = Instance(e._replace(us=e.usec), 0)
                i.is_timed, i.self_us = False, e.usec
                yield i
            elif e.execution.clock is None:
                self.counts["done_without_start"] += 1

    def timed(self, instances):
        return [i for i in instances if i.is_timed]

    def periods_of(self, session, by_us):
        lanes = [lane for (s, _), lane in self.lanes.items() if s == session]
        bounds = {us for lane in lanes for i in lane
                  for us in (i.start_us, i.end_us)}
        if by_us and bounds:
            bounds = range(min(bounds), max(bounds) + 1)
        bounds = sorted(bounds)
        for from_us, to_us in zip(bounds, bounds[1:]):
            top = [innermost(lane, from_us) for lane in lanes]
            top = [i for i in top if i is not None]
            for i in top:
                i.self_us += to_us - from_us
            yield session, from_us, to_us, top

    # The records

    def records(self, top):
        """All records that malstat --queries --top TOP should write."""
        self.top = top
        places = list(self.trace.executions.values())
        roots = {self.trace.root_of(i.execution) for i in self.instances}
        # Queries in the order of their ids, which are in the keys of rows;
        # malparse numbers the executions of a server as they first occur.
        roots = sorted(roots, key=lambda x: x.key if isinstance(
            x.key[0], int) else (0, places.index(x)))
        if roots:
            yield from self.uses(roots)
        yield from self.records_of(None)
        for root in roots:
            yield from self.records_of(root)
        yield dict(type="malstat",
                   events=len(self.trace.events) + self.trace.n_no_clock,
                   executions=len(self.trace.executions),
                   instances=len(self.instances),
                   without_clock=self.trace.n_no_clock,
                   done_without_start=self.counts["done_without_start"],
                   restarted=self.counts["restarted"],
                   unfinished=self.counts["unfinished"])

    def own(self, root):
        return [i for i in self.instances
                if self.trace.root_of(i.execution) is root]

    def uses(self, roots):
        """What each root used: first the queries, then the plans that are
        linked to no query; of each kind the slowest first."""
        uses = [self.use_of(root) for root in roots]
        for kind in ("query_cost", "unlinked_plan"):
            yield from sorted((u for u in uses if u["type"] == kind),
                              key=lambda u: -u.get("elapsed_us", -1))

    def use_of(self, root):
        own = self.own(root)
        timed = self.timed(own)
        here = [i for i in timed if i.session == root.session]
        work = [i for i in own if i.kind == "work"]
        busy_us, cost = sum(i.self_us for i in work), collections.Counter()
        for i in work:
            cost[i.operation] += i.self_us
        row = dict(type="query_cost" if root.is_query else "unlinked_plan",
                   session=root.session.name, tag=root.tag,
                   user_function=root.function, query_text=root.query,
                   busy_us=busy_us,
                   threads_seen=len({(i.session, i.thread) for i in work})
                   if timed == own else None)
        if here:
            start_us, end_us = extent(here)
            row.update(start_us=start_us, elapsed_us=end_us - start_us,
                       average_parallelism=ratio(busy_us, end_us - start_us))
        if cost:
            name = min(cost, key=lambda n: (-cost[n], n.encode()))
            row.update(operation=name, operation_us=cost[name],
                       share=ratio(cost[name], busy_us))
        return row

    def while_queries_ran(self, session):
        """The members about the periods that are within the time of a query,
        from its first start to its last end in the session."""
        roots = {self.trace.root_of(i.execution) for i in self.instances}
        parts = [[i for i in self.timed(self.own(root))
                  if i.session == session]
                 for root in roots if root.is_query]
        times = [extent(part) for part in parts if part]
        if not times:
            return {}
        wall_us, threads, with_us = 0, set(), collections.Counter()
        for s, a, b, top in self.periods:
            if s == session and any(x <= a and b <= y for x, y in times):
                work = [i for i in top if i.kind == "work"]
                threads |= {i.thread for i in work}
                with_us[len(work)] += b - a
                wall_us += b - a
        busy_us = sum(n * us for n, us in with_us.items())
        row = dict(query_wall_us=wall_us, query_busy_us=busy_us,
                   query_threads_seen=len(threads),
                   query_utilisation=ratio(busy_us, wall_us * len(threads)),
                   query_average_parallelism=ratio(busy_us, wall_us),
                   query_idle_us=with_us[0], query_serial_us=with_us[1])
        workers = self.trace.workers_of(session)
        if workers > 0:
            row["query_utilisation_of_workers"] = ratio(busy_us,
                                                        wall_us * workers)
        cores = self.trace.cores_of(session)
        if cores > 0:
            row["query_utilisation_of_cores"] = ratio(busy_us, wall_us * cores)
        return row

    def records_of(self, root):
        """The records of a query, or of all if the root is None."""
        own = self.instances if root is None else self.own(root)
        work = [i for i in own if i.kind == "work"]
        busy_us = sum(i.self_us for i in work)
        if root is not None:
            yield dict(type="query_stat", session=root.session.name,
                       tag=root.tag, query_text=root.query, busy_us=busy_us,
                       instances=len(own))
        yield from self.operations(own, busy_us, root)
        work.sort(key=lambda i: (-i.self_us, i.session.order(),
                                 -1 if i.execution.tag is None else
                                 i.execution.tag, i.pc, i.start_us,
                                 i.execution.key, not i.is_timed,
                                 -1 if i.thread is None else
                                 i.thread, -i.end_us, i.text()))
        for i in work[:self.top]:
            yield dict(type="instance", query=root, operation=i.operation,
                       session=i.session.name, tag=i.execution.tag, pc=i.pc,
                       thread=i.thread,
                       start_us=i.start_us if i.is_timed else None,
                       elapsed_us=i.elapsed_us(), self_us=i.self_us,
                       share=ratio(i.self_us, busy_us), usec=i.usec,
                       statement=i.statement)
        for session in {i.session for i in self.timed(own)}:
            here = [i for i in self.timed(own) if i.session == session]
            yield self.cores(session, here, root)
            for block in here:
                if block.kind == "dataflow":
                    yield self.block(session, here, block, root)

    def operations(self, own, busy_us, root):
        groups = collections.defaultdict(list)
        for i in own:
            groups[KINDS.index(i.kind), i.operation].append(i)
        rows = [(kind, name, sum(i.self_us for i in group), group)
                for (kind, name), group in groups.items()]
        rows.sort(key=lambda r: (r[0], -r[2] if r[0] == 0 else 0,
                                 r[1].encode()))
        for kind, name, self_us, group in rows:
            row = dict(type="container" if kind else "operation", query=root,
                       operation=name, instances=len(group),
                       elapsed_us=sum(i.elapsed_us() for i in group),
                       longest_us=max(i.elapsed_us() for i in group))
            row.update(dict(kind=KINDS[kind]) if kind else dict(
                self_us=self_us, share=ratio(self_us, busy_us)))
            yield row

    def use(self, session, here, from_us, to_us):
        """The number of threads with a work instance wholly between from_us and
        to_us, and the members of a record about that time.  here: the instances
        that count.  with_us[n]: how long exactly n threads worked."""
        here, with_us = set(here), collections.Counter()
        for s, a, b, top in self.periods:
            a, b = max(a, from_us), min(b, to_us)
            if s == session and a < b:
                with_us[sum(i in here and i.kind == "work"
                            for i in top)] += b - a
        threads = {i.thread for i in here if i.kind == "work" and
                   from_us <= i.start_us and i.end_us <= to_us}
        busy_us, wall_us = sum(n * us for n, us in with_us.items()), \
            to_us - from_us
        return len(threads), dict(
            session=session.name, wall_us=wall_us, busy_us=busy_us,
            utilisation=ratio(busy_us, wall_us * len(threads)),
            average_parallelism=ratio(busy_us, wall_us),
            idle_us=with_us[0], serial_us=with_us[1],
            parallelism_histogram_us=[
                with_us[n] for n in range(max(with_us, default=0) + 1)])

    def cores(self, session, here, root):
        from_us, to_us = extent(here)
        n_threads, row = self.use(session, here, from_us, to_us)
        workers = self.trace.workers_of(session)
        if workers > 0:
            row.update(workers=workers, utilisation_of_workers=ratio(
                row["busy_us"], row["wall_us"] * workers))
        cores = self.trace.cores_of(session)
        if cores > 0:
            row.update(cores=cores, utilisation_of_cores=ratio(
                row["busy_us"], row["wall_us"] * cores))
        if root is None:
            row.update(self.while_queries_ran(session))
        return dict(type="cores", query=root, threads_seen=n_threads, **row)

    def block(self, session, here, block, root):
        n_threads, row = self.use(session, here, block.start_us, block.end_us)
        return dict(type="dataflow", query=root, pc=block.pc,
                    start_us=block.start_us, workers=n_threads, **row)

    def check(self):
        """Checks what must be true however instances overlap."""
        for lane in self.lanes.values():
            wall_us = max(i.end_us for i in lane) - \
                min(i.start_us for i in lane)
            if sum(i.self_us for i in lane) > wall_us:
                raise Differ("a thread works longer than its wall time")


def extent(instances):
    return (min(i.start_us for i in instances),
            max(i.end_us for i in instances))


def innermost(lane, us):
    """The open instance of a lane that started last; if several did, the
    shortest of them; then the one with the greatest execution, then pc; then
    work rather than a call, a dataflow block or a plan, which contain work."""
    return max((i for i in lane if i.is_open(us)), default=None,
               key=lambda i: (i.start_us, -i.end_us, i.execution.key, i.pc,
                              -KINDS.index(i.kind), i.text()))


def ratio(part, whole):
    return Fraction(part, whole) if whole > 0 else 0


# --- Comparing -------------------------------------------------------------

def normalized(records):
    """The records without ids and unknown values.  The order of `cores` and
    `dataflow` records does not matter: they are sorted, and put after the other
    records of their query."""
    others, uses = [], []
    for r in records:
        r = {key: value for key, value in r.items() if value is not None}
        r["query"] = "query" in r and r["type"] != "query_cost"
        r.pop("execution_id", None)
        r.pop("root_execution_id", None)
        if r["type"] == "query_stat":
            del r["query"]
            others += sorted(uses, key=order_of_use)
            uses = []
        (uses if r["type"] in ("cores", "dataflow") else others).append(r)
    return others + sorted(uses, key=order_of_use)


def order_of_use(r):
    """The sort key of a record about the use of cores."""
    return [r["type"], r.get("session", ""), r.get("start_us", 0),
            r["wall_us"], r.get("pc", 0), r["busy_us"], r["idle_us"],
            r.get("workers", 0), r.get("threads_seen", 0)]


def compare(want, got):
    want, got = normalized(want), normalized(got)
    for a, b in zip(want, got):
        for key in sorted(set(a) | set(b)):
            x, y = a.get(key), b.get(key)
            # Ratios are written with six decimals.
            near = key in RATIOS and None not in (x, y) and \
                abs(x - y) <= 1e-6
            if x != y and not near:
                raise Differ(f"{key} should be {x}\n  in {a}\n  is {y}\n"
                             f"  in {b}")
    if len(want) != len(got):
        raise Differ(f"{len(got)} records, not {len(want)}")


def records_of(command, text):
    """What a filter writes for this input, without the begin and end
    records."""
    done = subprocess.run(command, input=text, capture_output=True)
    if done.returncode != 0:
        raise Differ(f"{command}: status {done.returncode}: {done.stderr}")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [r for r in records if r["type"] not in ("begin", "end")]


# --- Random rows -----------------------------------------------------------

NAMES = [("algebra", "join"), ("algebra", "select"), ("sql", "bind"), ("", ""),
         ("user", "f"), ("language", "dataflow"), ("bat", "\u00e9")]


class Rows:
    def __init__(self, rng):
        self.rng, self.tables = rng, collections.defaultdict(list)
        self.events = []        # (us, row)
        self.n_executions = rng.randint(1, 4)
        self.has_only_ends = rng.random() < 0.3
        self.sessions = rng.sample(["a", "b", "\u00e9"], rng.randint(1, 2))
        self.session_of, self.next_pc = {}, collections.Counter()
        # The executions whose events have only the absolute clock.
        self.absolute = {i for i in range(1, self.n_executions + 1)
                         if self.rng.random() < 0.2}
        for i in range(1, self.n_executions + 1):
            self.add_execution(i)
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            self.tables["server"].append(
                {"type": "server", "threads": rng.randint(0, 3)})

    def add_execution(self, i):
        session = self.rng.choice(self.sessions)
        row = {"type": "mal_execution", "execution_id": i,
               "client" if self.has_only_ends else "server_session": session}
        if self.rng.random() < 0.5:
            row["user_function"] = f"f{i % 2}"
        if self.rng.random() < 0.8:
            row["tag"] = 50 - i         # not in the order of ids
        self.session_of[i] = session
        self.tables["mal_execution"].append(row)
        if i > 1 and self.rng.random() < 0.5:
            self.tables["initiates_executions"].append(
                {"type": "initiates_executions", "remote": False,
                 "parent_id": self.rng.randint(1, i - 1), "child_id": i})
        elif self.rng.random() < 0.5:
            row = {"type": "query", "root_execution_id": i}
            if self.rng.random() < 0.9:         # the text may be masked
                row["query_text"] = f"select {i}"
            self.tables["query"].append(row)

    def event(self, us, state, **row):
        # An event has both clocks, or in some executions only the absolute
        # one.  One event in 20 lacks one of these.
        clock = {"relative_time": us, "absolute_time": us}
        if row["mal_execution_id"] in self.absolute:
            del clock["relative_time"]
        if self.rng.random() < 0.05:
            del clock[self.rng.choice(sorted(clock))]
        self.events.append((us, dict(row, type="profiler_event",
                                     execution_state=state, **clock)))

    def instance(self, execution, thread, from_us, to_us, pc=None):
        if pc is None:
            pc = self.next_pc[execution]
            self.next_pc[execution] += 1
        module, name = self.rng.choice(NAMES)
        row = {"mal_execution_id": execution, "pc": pc}
        if thread is not None:
            row["thread"] = thread
        if not self.has_only_ends:
            # The usec of a start event has no meaning.
            self.event(from_us, 0, **row, usec=9)
        if module:
            row.update(mal_module=module, instruction=name)
        if self.rng.random() < 0.5:
            row["short_statement"] = f"X := {name}"
        self.event(to_us, 1, **row, usec=to_us - from_us)

    def nest(self, session, thread, from_us, to_us, depth=0):
        """Adds instances one after the other, and others inside of them."""
        executions = [i for i, s in self.session_of.items() if s == session]
        times = sorted(self.rng.choices(range(from_us, to_us + 1),
                                        k=2 * self.rng.randint(1, 3)))
        for a, b in zip(times[::2], times[1::2]):
            self.instance(self.rng.choice(executions), thread, a, b)
            if a < b and depth < 4 and self.rng.random() < 0.6:
                self.nest(session, thread, a, b, depth + 1)

    def odd_event(self):
        """Adds an event without a counterpart or a clock, or a pause."""
        row = {"mal_execution_id": self.rng.randint(1, self.n_executions),
               "pc": self.rng.randint(0, 9)}
        us = self.rng.randint(0, 60)
        if self.has_only_ends:
            self.event(us, 2, **row)
        elif self.rng.random() < 0.5:
            self.events.append((us, dict(row, type="profiler_event",
                                         execution_state=1)))
        else:
            self.event(us, self.rng.choice([0, 0, 1, 2]), thread=1,
                       usec=1, **row)

    def merged(self):
        """All rows as one stream, in which those of a table are in order."""
        self.events.sort(key=lambda e: e[0])
        lists = [list(rows) for rows in self.tables.values()] + \
            [[row for _, row in self.events]]
        out = []
        while any(lists):
            out.append(self.rng.choice([rows for rows in lists
                                        if rows]).pop(0))
        return out


def random_rows(rng, how):
    rows = Rows(rng)
    if how == "nested":
        for session in sorted(set(rows.session_of.values())):
            for thread in rng.sample([1, 2, 3, None], rng.randint(1, 3)):
                rows.nest(session, thread, 0, rng.choice([3, 20, 60]))
    else:
        for _ in range(rng.randint(1, 20)):
            a = rng.randint(0, 60)
            rows.instance(rng.randint(1, rows.n_executions),
                          rng.choice([1, 1, 2, None]), a,
                          a + rng.randint(0, 30), rng.randint(0, 9))
        for _ in range(rng.choice([0, 0, 3])):
            rows.odd_event()
    return rows


def text_of(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n"
                   for row in rows).encode()


def many(how, seed, count):
    rng = random.Random(int(seed))
    for n in range(int(count)):
        rows = random_rows(rng, "overlapping" if how == "tables" else how)
        stream, top = rows.merged(), rng.choice([0, 1, 3, 10**6])
        if how != "tables" and rng.random() < 0.2:
            stream = [{"type": "trace"}] + stream + [{"type": "trace"}] + \
                random_rows(rng, how).merged()
        text = text_of(stream)
        command = ["malstat", "--queries", "--top", str(top)]
        try:
            got = records_of(command, text)
            if how == "tables":
                # Another merged() mixes the tables in another order.
                if records_of(command, text_of(rows.merged())) != got:
                    raise Differ("the order of the rows changes the answer")
                continue
            answers = Answers(trace_of_rows(stream), by_us=True)
            answers.check()
            compare(answers.records(top), got)
        except Differ as e:
            print(f"SEED={seed}, case {n + 1}: {e}\n" + text.decode())
            sys.exit(1)


def compare_traces(*paths):
    trace = trace_of_server(paths)
    rows = subprocess.run(["malparse", *paths], stdout=subprocess.PIPE).stdout
    # The queries of a trace and their plans are known only to malparse.
    got = [{key: value for key, value in r.items()
            if not key.startswith("query_")}
           for r in records_of(["malstat", "--top", str(10**6)], rows)
           if r["type"] not in ("query_cost", "unlinked_plan")]
    records = [r for r in Answers(trace, by_us=False).records(10**6)
               if r.get("query") is None and
               r["type"] not in ("query_stat", "unlinked_plan")]
    try:
        compare(records, got)
    except Differ as e:
        print(f"{' '.join(paths)}: {e}")
        sys.exit(1)
    print(len(got), "records")


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    if sys.argv[1] == "trace":
        compare_traces(*sys.argv[2:])
    else:
        many(*sys.argv[1:])


if __name__ == "__main__":
    main()
