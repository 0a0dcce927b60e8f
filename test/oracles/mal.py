#!/usr/bin/env python3
"""mal - a second implementation of malparse, from the definitions

Usage: mal.py counts FILE          how many rows of each table
       mal.py rows FILE            all rows in canonical form
       mal.py canon ROWS-FILE      rows of malparse in that form
       mal.py prereqs FILE         compares stated and derived prerequisites
       mal.py critical FILE        the critical path of each execution
       mal.py literals FILE        the values that --mask must hide
       mal.py strip FILE           the trace without stmt and short
       mal.py reframe HOW FILE     the trace in another framing: lines,
                                   pretty, nested, several, glued, gzip

It reads the whole trace at once.  In canonical form a row is a line: its
table, then its columns sorted by name.  An id is replaced by the key of its
row: server, client and tag of an execution, also pc, state and iteration of an
event, and the name of a variable.  The lines are sorted, so that neither ids
nor the order of rows matter.
"""

import collections
import gzip
import json
import re
import sys

EPOCH_US = 10**15
STATES = {"start": 0, "done": 1, "pause": 2, "wait": 2}
LITERAL = r'"(?:[^"\\]|\\.)*"'
DELTAS = ["inblock", "oublock", "majflt", "nswap", "nvcsw"]
BASE_TYPES = [("bit", 1), ("bte", 1), ("sht", 2), ("int", 4), ("lng", 8),
              ("hge", 16), ("oid", 8), ("flt", 4), ("dbl", 8), ("str", -1),
              ("date", -1), ("void", 0), ("BAT", 0)]
SUBTYPES = ["bit", "bte", "sht", "int", "lng", "hge", "oid", "flt", "dbl",
            "str", "date"]


# --- Reading ---------------------------------------------------------------

def text_of(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    text = data.decode("utf-8-sig")
    # Heartbeats and nswap of old servers are not valid JSON.
    text = re.sub(r",(\s*})", r"\1", text)
    return re.sub(r'("nswap":\d+),s\n', r"\1,\n", text)


def tuple_of(line):
    """A line of the tuple format as an object of format E."""
    fields = re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s\[\]]+', line)
    if len(fields) != 14:
        raise ValueError("not 14 fields")
    program, pc, tag = re.fullmatch(r"(.*)\[(\d+)\](\d+)",
                                    json.loads(fields[2])).groups()
    keys = ["usec", "rss", "size"] + DELTAS
    o = {"event": fields[0], "time": json.loads(fields[1]),
         "function": program, "pc": int(pc), "tag": int(tag),
         "thread": fields[3], "state": json.loads(fields[4]).strip(),
         "stmt": json.loads(fields[13], strict=False)}
    o.update(zip(keys, fields[5:13]))
    return o


def objects_in(text):
    """Every object, in any framing."""
    decoder = json.JSONDecoder(strict=False)
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        line = text[at:].split("\n", 1)[0] if text[at] in "[#" else None
        if line is not None:
            at += len(line)
            if line[0] == "[":
                yield tuple_of(line)
            continue
        o, at = decoder.raw_decode(text, at)
        yield o


def read(path):
    return list(objects_in(text_of(path)))


def number(value):
    """An integer, which older servers wrote as a string; else None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    return None


def format_of(o):
    if "phase" in o:
        return "P"
    if o.get("source") in ("trace", "heartbeat"):
        return "S" if o["source"] == "trace" else "heartbeat"
    if "mclk" in o:
        return "M"
    if "cpuload" in o:
        return "heartbeat"
    if "release" in o and "packages" in o:
        return "header"
    if all(key in o for key in ("clk", "ctime", "state")):
        return "U"
    if "event" in o and "time" in o:
        return "E" if o["state"] != "ping" else "heartbeat"
    return "unknown"


# --- One event, whatever its format ----------------------------------------

class Event:
    """What objects of all formats have in common."""

    def __init__(self, o):
        self.o, self.format = o, format_of(o)
        self.phase = o.get("phase") if self.format == "P" else None
        self.session = o.get("session")
        self.client = o.get("sessionid") if self.format == "P" else None
        self.tag, self.pc = number(o.get("tag")), number(o.get("pc"))
        self.thread = number(o.get("thread"))
        self.usec = number(o.get("usec"))
        self.state = 1 if self.format == "P" else STATES[o["state"]]
        self.relative, self.absolute = self.clocks()
        has_new_names = self.format in "MP"
        self.program = o.get("program" if has_new_names else "function")
        if self.format == "P":
            self.program = None
        self.module = o.get("module")
        self.instruction = o.get(
            "function" if has_new_names else "instruction")
        if self.format in "EU" and self.module is None:
            self.module, self.instruction = operation_in(o.get("stmt", ""))
        self.vars = [self.variable(v) for v in o.get("args", []) +
                     o.get("ret", []) + o.get("arg", [])]
        self.vars.sort(key=lambda v: v["index"])
        self.stated = o.get("prereq")

    def clocks(self):
        o = self.o
        if self.format == "E":
            return None, None
        if self.format == "M":
            pair = [number(o["clk"]), number(o["mclk"])]
        elif self.format == "U":
            pair = [number(o["clk"]), round(float(o["ctime"]) * 10**6)]
        else:
            pair = [number(o.get("clk")), number(o.get("ctime"))]
        known = [us for us in pair if us is not None]
        return (next((us for us in known if us < EPOCH_US), None),
                next((us for us in known if us >= EPOCH_US), None))

    def variable(self, v):
        """A copy with the keys `index`, `name`, `is_ret` and `is_eol`."""
        v = dict(v)
        if self.format in "MP":
            v["is_ret"] = "ret" in v
            v["index"] = number(v["ret"] if v["is_ret"] else v["arg"])
            v["name"] = v["var"]
            v["is_eol"] = number(v.get("eol")) == self.pc
        else:
            v["is_ret"] = any(v is r for r in self.o.get("ret", [])) or \
                v in self.o.get("ret", [])
            v["index"] = number(v["index"])
            v["is_eol"] = number(v.get("eol")) == 1
        return v

    def is_plan(self):
        return self.pc == 0

    def kind(self):
        if self.is_plan():
            return "plan"
        if (self.module, self.instruction) == ("language", "dataflow"):
            return "dataflow"
        return "call" if self.module == "user" else "work"

    def argument(self, index):
        for v in self.vars:
            if v["index"] == index and not v["is_ret"]:
                return v.get("value")
        return None


def operation_in(stmt):
    """Module and function from a statement: E and T do not state them."""
    if m := re.match(r"(?:unsafe )?(?:function|factory) (\w+)\.([^\s(]+)\(",
                     stmt):
        return m.groups()
    if stmt.startswith("end "):
        return None, None
    bare = re.sub(LITERAL, '""', stmt)
    m = re.search(r"(?:^|:= |^barrier |^redo |^leave |^catch )"
                  r"([A-Za-z]\w*)\.([^\s(]+)\(", bare)
    return m.groups() if m else (None, None)


def unquoted(text):
    """A MAL string without its quotes, its escapes decoded once."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    escapes = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "b": "\b"}
    return re.sub(r"\\([0-7]{3}|.)", lambda m: chr(int(m[1], 8))
                  if len(m[1]) == 3 else escapes.get(m[1], m[1]),
                  text[1:-1], flags=re.S)


# --- The rows --------------------------------------------------------------

def without_nones(row):
    return {key: value for key, value in row.items()
            if value is not None and value is not False and value != ""}


class Execution:
    def __init__(self, session, client, tag, serial):
        self.session, self.client, self.tag = session, client, tag
        self.name = "/".join([session or "", client or "",
                              str(tag) if tag else f"0#{serial}"])
        self.row = {}
        self.seen = collections.Counter()       # (pc, state) -> iteration
        self.open, self.linked = set(), set()   # pcs
        self.last_done = {}                     # pc -> the event's name
        self.assigned_at = collections.defaultdict(list)   # name -> pcs
        self.assigned = set()                   # names
        self.variables = {}                     # name -> row
        self.has_query = self.has_begun = False


class Trace:
    def __init__(self):
        self.rows = []
        self.executions, self.untagged, self.ended_untagged = {}, {}, []
        self.serials = collections.Counter()
        self.types = {}
        self.header = {}
        self.n_heartbeats = 0
        self.open_calls = collections.defaultdict(list)
        self.ended_plans = collections.defaultdict(list)
        self.supervisors, self.registered = {}, []
        self.plans_of = collections.defaultdict(list)

    def add(self, table, **row):
        self.rows.append((table, without_nones(row)))

    def execution_of(self, e):
        key = (e.session, e.client)
        if e.tag:
            known = self.executions.setdefault(key, {})
            if e.tag not in known:
                known[e.tag] = Execution(*key, e.tag, 0)
            return known[e.tag]
        if key not in self.untagged or e.is_plan() and e.state == 0:
            self.serials[key] += 1
            if key in self.untagged:
                self.ended_untagged.append(self.untagged[key])
            self.untagged[key] = Execution(*key, None, self.serials[key])
        return self.untagged[key]

    def describe(self, x, e):
        """The execution's row, from its first event."""
        version = e.o.get("version", self.header.get("version"))
        user = next((e.o[key] for key in ("user_id", "user") if key in e.o),
                    None)
        if not x.row:
            x.row = dict(server_session=x.session, client=x.client,
                         tag=x.tag, server_version=version,
                         user_id=None if user is None else str(user))
            if e.program is not None:
                x.row["user_function"] = e.program.split(".", 1)[-1]
        if e.pc == 0 and e.instruction and "user_function" not in x.row:
            x.row["user_function"] = e.instruction

    def type_name(self, name):
        if name not in self.types:
            base = re.fullmatch(r"bat\[:(.+)\]", name)
            sizes = {t: size for t, size in BASE_TYPES
                     if not base or t in SUBTYPES}
            if base:
                self.type_name(base[1])
            self.types[name] = dict(
                tname=name, base_size=sizes.get(base[1] if base else name),
                subtype=base[1] if base else None)
        return name

    # Prerequisites

    def derived(self, x, e):
        pcs = []
        for v in e.vars:
            if v["is_ret"] or number(v.get("const")):
                continue
            pcs.append(max((pc for pc in x.assigned_at[v["name"]]
                            if 0 < pc < e.pc), default=0))
        return sorted({pc for pc in pcs if pc > 0})

    def add_prerequisites(self, x, e, name):
        pcs = e.stated if e.stated is not None else self.derived(x, e)
        for pc in dict.fromkeys(map(number, pcs)):
            self.add("prerequisite_events", consequent_event=name,
                     prerequisite_event=x.last_done.get(pc),
                     prerequisite_pc=pc)

    # Variables

    def add_variables(self, x, e, name):
        for v in e.vars:
            first = v["is_ret"] and e.state == 1 and \
                v["name"] not in x.assigned
            again = v["is_ret"] and e.state == 1 and not first
            if first:
                x.assigned.add(v["name"])
            self.add("event_variable_list", event=name,
                     variable_list_index=v["index"],
                     variable=f"{x.name} {v['name']}", created=first,
                     reassigned=again, eol=v["is_eol"] and e.state == 1)
            if v["is_ret"] and e.pc not in x.assigned_at[v["name"]]:
                x.assigned_at[v["name"]].append(e.pc)
            self.set_variable(x, e, v)

    def set_variable(self, x, e, v):
        """A variable has the values of its last use; the start of an
        instruction does not set those of its results."""
        if v["name"] in x.variables and v["is_ret"] and e.state != 1:
            return
        row = without_nones(columns_of(v))
        if v.get("type"):
            row["type"] = self.type_name(v["type"])
        x.variables[v["name"]] = row

    # Links

    def link(self, parent, child, remote=False):
        self.rows.append(("initiates_executions",
                          {"parent": parent.name, "child": child.name,
                           "remote": remote}))

    def add_links(self, x, e):
        if e.format == "P":
            self.link_by_time(x, e)
        else:
            self.link_by_calls(x, e)
        if (e.module, e.instruction) == ("remote", "register_supervisor"):
            self.register(x, e)

    def link_by_calls(self, x, e):
        where = (e.session, e.thread)
        calls = self.open_calls[where]
        if not x.has_begun:
            x.has_begun = True
            caller = number(e.o.get("caller"))
            known = self.executions.get((e.session, e.client), {})
            if caller and caller in known:
                self.link(known[caller], x)
            elif calls:
                self.link(calls[-1][1], x)
            else:
                self.plans_of[where].append(x)
        if e.kind() == "call" and e.state == 0:
            calls.append((e.pc, x))
        elif e.kind() == "call" and (e.pc, x) in calls:
            del calls[calls.index((e.pc, x)):]

    def link_by_time(self, x, e):
        ended = self.ended_plans[(e.client, e.thread)]
        start = e.relative - e.usec
        if e.is_plan():
            ended.append((start, e.relative, x))
        elif e.kind() == "call":
            for plan in list(ended):
                if plan[0] >= start and plan[1] <= e.relative:
                    self.link(x, plan[2])
                    ended.remove(plan)

    def register(self, x, e):
        pair = tuple(unquoted(str(e.argument(i))) for i in (1, 2))
        if e.session == pair[0]:
            self.supervisors.setdefault(pair, x)
        elif (pair, x, (e.session, e.thread)) not in self.registered:
            self.registered.append((pair, x, (e.session, e.thread)))

    def link_remotes(self):
        """The supervisor initiates the plans of the thread from the one that
        registers, until another registers or runs a client's query."""
        for pair, x, where in self.registered:
            if pair not in self.supervisors:
                continue
            plans = self.plans_of[where]
            others = [other[1] for other in self.registered
                      if other[2] == where and other[1] is not x]
            for plan in plans[plans.index(x):]:
                if plan in others or plan.has_query:
                    break
                self.link(self.supervisors[pair], plan, remote=True)

    # Objects

    def add_query(self, x, text):
        if x.has_query:
            return
        x.has_query = True
        self.add("query", query_text=text, root=x.name)
        self.link(x, x)

    def add_instruction(self, e):
        x = self.execution_of(e)
        self.describe(x, e)
        x.seen[e.pc, e.state] += 1
        iteration = x.seen[e.pc, e.state]
        name = f"{x.name} {e.pc} {e.state} {iteration}"
        self.add_event(x, e, iteration)
        # A start begins an instance, and so does a done without a start,
        # except the second done of a `return`.
        if e.state == 0 or e.state == 1 and e.pc not in x.open and \
                (e.format == "P" or e.pc not in x.linked):
            self.add_prerequisites(x, e, name)
            x.linked.add(e.pc)
        if e.state == 0:
            x.open.add(e.pc)
        elif e.state == 1:
            x.open.discard(e.pc)
        self.add_variables(x, e, name)
        if e.state == 1:
            x.last_done[e.pc] = name
        self.add_links(x, e)
        if e.is_plan() and e.state == 1 and not e.tag:
            self.ended_untagged.append(self.untagged.pop((e.session,
                                                          e.client)))
        if (e.module, e.instruction) == ("querylog", "define"):
            text = e.argument(1)
            if text is None:        # formats E and T have no arguments
                first = re.search(LITERAL, e.o.get("stmt", ""))
                text = first and first[0]
            self.add_query(x, text if e.format == "P" else
                           unquoted(text or ""))

    def add_event(self, x, e, iteration):
        o = e.o
        self.add("profiler_event", execution=x.name, pc=e.pc,
                 execution_state=e.state,
                 iteration=iteration if iteration > 1 else None,
                 relative_time=e.relative, absolute_time=e.absolute,
                 local_time=o.get("time") if e.format == "E" else None,
                 thread=e.thread, mal_function=e.program, usec=e.usec,
                 rss=number(o.get("rss")), type_size=number(o.get("size")),
                 **{key: number(o.get(key)) for key in DELTAS},
                 caller=number(o.get("caller")) or None,
                 barrier=o.get("barrier"), operator=o.get("operator"),
                 algorithm=o.get("algorithm"), numa=o.get("numa"),
                 server_event=number(o.get("event")),
                 long_statement=o.get("stmt"),
                 short_statement=o.get("short"),
                 instruction=e.instruction, mal_module=e.module)

    def add_phase(self, e):
        o = e.o
        x = self.execution_of(e) if e.tag else None
        if x is not None:
            self.describe(x, e)
        self.add("query_phase", execution=x and x.name, client=e.client,
                 phase=e.phase, relative_time=e.relative, usec=e.usec,
                 thread=e.thread, tstart=number(o.get("tstart")),
                 tend=number(o.get("tend")),
                 failed=o.get("state") == "error")
        if x is not None and "query" in o:
            self.add_query(x, o["query"])

    def add_heartbeat(self, o):
        clocks = sorted(us for us in (number(o.get("clk")),
                                      number(o.get("ctime")))
                        if us is not None)
        relative = next((us for us in clocks if us < EPOCH_US), None)
        epoch = next((us for us in clocks if us >= EPOCH_US), None)
        self.n_heartbeats += 1
        self.add("heartbeat", number=self.n_heartbeats,
                 server_session=o.get("session"), clk=relative, ctime=epoch,
                 rss=number(o.get("rss")),
                 **{key: number(o.get(key)) for key in DELTAS})
        load = o.get("cpuload", [])
        if isinstance(load, str):
            load = re.findall(r"[\d.]+", load)
        for core, value in enumerate(load):
            self.add("cpuload", heartbeat=self.n_heartbeats, core=core,
                     val=float(value))

    def add_header(self, o):
        self.header = o
        self.add("server", release=o.get("release"), version=o.get("version"),
                 host=o.get("host"), threads=number(o.get("threads")),
                 memory=o.get("memory"), oid=number(o.get("oid")),
                 packages=o.get("packages"))

    def add_object(self, o):
        kind = format_of(o)
        if kind == "heartbeat":
            self.add_heartbeat(o)
        elif kind == "header":
            self.add_header(o)
        elif kind == "P" and o["phase"] != "mal_engine":
            self.add_phase(Event({**o, "state": o.get("state", "done")}))
        elif kind != "unknown":
            self.add_instruction(Event(o))

    def finish(self):
        self.link_remotes()
        executions = [x for known in self.executions.values()
                    for x in known.values()] + self.ended_untagged + \
            list(self.untagged.values())
        for x in executions:
            self.add("mal_execution", name=x.name, **x.row)
            for name, row in x.variables.items():
                self.add("mal_variable", name=name, execution=x.name, **row)
        for row in self.types.values():
            self.rows.append(("mal_type", {k: v for k, v in row.items()
                                           if v is not None}))


# The keys of a variable's flags, and their columns.
FLAGS = {"sorted": "is_sorted", "revsorted": "is_revsorted",
         "nonil": "is_nonil", "nil": "has_nil", "key": "is_key"}


def text_of_value(v):
    if v["value"] is None:
        return "nil"
    return v["value"] if isinstance(v["value"], str) else \
        json.dumps(v["value"])


def columns_of(v):
    """The columns of mal_variable that a use sets, except the type."""
    bid, count = number(v.get("bid")), number(v.get("count"))
    is_view = v.get("view") == "true"
    seqbase, hghbase = number(v.get("seqbase")), number(v.get("hghbase"))
    if is_view and hghbase is None and None not in (seqbase, count):
        hghbase = seqbase + count
    mode = v.get("kind", v.get("persistence", v.get("mode")))
    bid = bid if bid and bid > 0 else None      # else it is not a BAT
    parent = number(v.get("parent"))
    row = dict(alias=v.get("alias"), is_persistent=mode == "persistent",
               bid=bid, var_count=count if bid else None,
               var_size=number(v.get("size")) if bid else None,
               seqbase=seqbase, hghbase=hghbase,
               mal_value=text_of_value(v) if "value" in v else None,
               parent=parent if parent and parent > 0 else None,
               is_view=is_view,
               is_constant=bool(number(v.get("const"))),
               width=number(v.get("width")), hash_size=number(v.get("hash")),
               vheap_size=number(v.get("vheap")),
               imprints_size=number(v.get("imprints")), file=v.get("file"),
               minpos=number(v.get("minpos")), maxpos=number(v.get("maxpos")),
               nestimate=number(v.get("nestimate")),
               is_udf=bool(number(v.get("udf"))))
    row.update({column: bool(number(v.get(key)))
                for key, column in FLAGS.items()})
    return row


def rows_of(path):
    trace = Trace()
    for o in read(path):
        trace.add_object(o)
    trace.finish()
    return trace.rows


def print_sorted(rows):
    lines = [table + " " + json.dumps(row, sort_keys=True,
                                      ensure_ascii=False)
             for table, row in rows]
    print("\n".join(sorted(lines)))


# --- Rows of malparse -------------------------------------------------------

class Written:
    """Rows with their ids; named() replaces the ids by keys."""

    def __init__(self, path):
        self.tables = collections.defaultdict(list)
        for line in text_of(path).splitlines():
            row = json.loads(line)
            self.tables[row.pop("type")].append(row)
        self.executions, serials = {}, collections.Counter()
        for row in sorted(self.tables["mal_execution"],
                          key=lambda r: r["execution_id"]):
            key = (row.get("server_session", ""), row.get("client", ""))
            if "tag" not in row:
                serials[key] += 1
            tag = row.get("tag", f"0#{serials[key]}")
            self.executions[row["execution_id"]] = f"{key[0]}/{key[1]}/{tag}"
        self.types = {row["type_id"]: row["tname"]
                      for row in self.tables["mal_type"]}
        self.events = {row["event_id"]: self.event_name(row)
                       for row in self.tables["profiler_event"]}
        self.variables = {
            row["variable_id"]:
            f"{self.executions[row['mal_execution_id']]} {row['name']}"
            for row in self.tables["mal_variable"]}
        self.heartbeats = {row["heartbeat_id"]: i + 1 for i, row in
                           enumerate(self.tables["heartbeat"])}

    def event_name(self, row):
        return " ".join([self.executions[row["mal_execution_id"]],
                         str(row["pc"]), str(row["execution_state"]),
                         str(row.get("iteration", 1))])

    def named(self, table, row):
        """The row with keys in place of ids, and without its own id."""
        row = dict(row)
        own = {"prerequisite_events": "prerequisite_relation_id",
               "event_variable_list": None, "profiler_event": "event_id",
               "mal_execution": "execution_id", "mal_type": "type_id",
               "mal_variable": "variable_id",
               "initiates_executions": "initiates_executions_id"}
        own_id = own.get(table, table + "_id")
        if table == "mal_execution":
            row["name"] = self.executions[row["execution_id"]]
        if table == "heartbeat":
            row["number"] = self.heartbeats[row["heartbeat_id"]]
        row.pop(own_id, None)
        for key, new, names in (
                ("mal_execution_id", "execution", self.executions),
                ("root_execution_id", "root", self.executions),
                ("parent_id", "parent", self.executions),
                ("child_id", "child", self.executions),
                ("prerequisite_event", "prerequisite_event", self.events),
                ("consequent_event", "consequent_event", self.events),
                ("event_id", "event", self.events),
                ("variable_id", "variable", self.variables),
                ("type_id", "type", self.types),
                ("subtype_id", "subtype", self.types),
                ("heartbeat_id", "heartbeat", self.heartbeats)):
            if key in row:
                row[new] = names[row.pop(key)]
        return row

    def rows(self):
        return [(table, self.named(table, row))
                for table, rows in self.tables.items()
                if table != "trace" for row in rows]


# --- Modes -----------------------------------------------------------------

def mode_counts(path):
    counts = collections.Counter(table for table, _ in rows_of(path))
    for table in sorted(counts):
        print(table, counts[table])


def mode_rows(path):
    print_sorted(rows_of(path))


def mode_canon(path):
    print_sorted(Written(path).rows())


def mode_prereqs(path):
    trace, differences, n = Trace(), 0, 0
    for o in read(path):
        if format_of(o) not in "SUEMP" or o.get("phase",
                                                "mal_engine") != "mal_engine":
            continue
        e = Event(o)
        x = trace.execution_of(e)
        if e.stated is not None:
            n += 1
            if set(e.stated) != set(trace.derived(x, e)):
                differences += 1
                print(f"{x.name} {e.pc}: stated {sorted(set(e.stated))}, "
                      f"derived {trace.derived(x, e)}")
        for v in e.vars:
            if v["is_ret"]:
                x.assigned_at[v["name"]].append(e.pc)
    print(f"{n} events with prerequisites, {differences} differ")
    sys.exit(differences > 0)


def mode_critical(path):
    """For each execution: name, length, sum, and the pcs of the path."""
    trace = Trace()
    weight = collections.defaultdict(lambda: collections.defaultdict(int))
    edges = collections.defaultdict(lambda: collections.defaultdict(set))
    started = {}
    for o in read(path):
        if format_of(o) not in "SUM" and o.get("phase") != "mal_engine":
            continue
        e = Event(o)
        x = trace.execution_of(e)
        if e.kind() in ("work", "call"):
            edges[x.name][e.pc] |= set(
                e.stated if e.stated is not None else trace.derived(x, e))
            if e.state == 0:
                started[x.name, e.pc] = e.relative
            elif e.format == "P":
                weight[x.name][e.pc] += e.usec
            elif (x.name, e.pc) in started:
                weight[x.name][e.pc] += \
                    e.relative - started.pop((x.name, e.pc))
        for v in e.vars:
            if v["is_ret"]:
                x.assigned_at[v["name"]].append(e.pc)
    for name in sorted(weight):
        longest = {}
        for pc in sorted(weight[name]):
            before = [(-longest[p][0], p) for p in edges[name][pc]
                      if p in longest]
            best = min(before, default=(0, None))
            longest[pc] = (weight[name][pc] - best[0], best[1])
        end = min(longest, key=lambda pc: (-longest[pc][0], pc))
        pcs, pc = [], end
        while pc is not None:
            pcs.append(pc)
            pc = longest[pc][1]
        print(name, longest[end][0], sum(weight[name].values()),
              *reversed(pcs))


def mode_literals(path):
    """Only values that are too long to occur in the output by chance."""
    found = set()
    for o in read(path):
        if isinstance(o.get("query"), str):
            found.add(o["query"])
        for v in o.get("args", []) + o.get("ret", []) + o.get("arg", []):
            value = v.get("value")
            if isinstance(value, str) and len(value) >= 5:
                found.add(unquoted(value))
    found -= {"false", "true", "nil", "0@0"}
    for text in sorted(found):
        print(json.dumps(text, ensure_ascii=False)[1:-1])


def mode_strip(path):
    for o in read(path):
        o.pop("stmt", None)
        o.pop("short", None)
        print(json.dumps(o, separators=(",", ":"), ensure_ascii=False))


def pretty(o):
    """One key per line, as servers write it; an array is one line."""
    lines = [f"{json.dumps(key)}:" + json.dumps(
        value, separators=(",", ":"), ensure_ascii=False)
        for key, value in o.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def mode_reframe(how, path):
    lines = [json.dumps(o, separators=(",", ":"), ensure_ascii=False)
             for o in read(path)]
    if how == "pretty":
        text = "".join(pretty(o) for o in read(path))
    elif how == "nested":
        text = "".join(json.dumps(o, indent=2, ensure_ascii=False) + "\n"
                       for o in read(path))
    elif how == "several":
        text = "".join(line + "\n "[i % 3 > 0] for i, line in
                       enumerate(lines))
    elif how == "glued":
        text = "".join(lines)
    else:
        text = "\n".join(lines) + "\n"
    data = text.encode()
    if how == "gzip":
        data = gzip.compress(data, mtime=0)
    sys.stdout.buffer.write(data)


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    globals()["mode_" + sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
