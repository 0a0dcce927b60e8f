#!/usr/bin/env python3
"""mal - a second implementation of malparse, from the definitions

Usage: mal.py same FILE...         compares all rows with those of malparse
       mal.py canon ROWS-FILE      rows of malparse in canonical form
       mal.py prereqs FILE         compares the prerequisites that the server
                                   stated with those derived from variables
       mal.py paths FILE...        compares the critical path of each run with
                                   that of critpath
       mal.py calls SEED COUNT     writes random traces with calls of plans to
                                   the files calls.0, calls.1, ...
       mal.py literals FILE        the values that --mask must hide
       mal.py strip FILE           the trace without stmt and short
       mal.py reframe FILE         writes the trace in other framings to the
                                   files FILE.lines, FILE.pretty, FILE.nested,
                                   FILE.several, FILE.glued and FILE.gzip

It reads the whole trace at once.  In canonical form a row is a line: its
table, then its columns sorted by name.  Instead of an id it has a key: for an
execution, its server, client and tag; for an event, also its pc, state and
iteration; for a variable, also its name.  The lines are sorted, so that neither
ids nor the order of rows matter.

The letters of formats (T, E, U, S, M, P) are those of weir-mal(5).
"""

import collections
import difflib
import gzip
import json
import random
import re
import subprocess
import sys

EPOCH_US = 10**15       # times from here on (2001) are since 1970
STATES = {"start": 0, "done": 1, "pause": 2, "wait": 2}
LITERAL = r'"(?:[^"\\]|\\.)*"'
COUNTERS = ["inblock", "oublock", "majflt", "nswap", "nvcsw"]
# Types and their sizes in bytes; -1: the size varies.
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
    """A line of the tuple format, T, as an object of format E.  Its fields:
    event, time, "FUNCTION[PC]TAG", thread, state, usec, rss, size, the
    COUNTERS, and the statement."""
    fields = re.findall(r'"(?:[^"\\]|\\.)*"|[^,\s\[\]]+', line)
    if len(fields) != 14:
        raise ValueError("not 14 fields")
    program, pc, tag = re.fullmatch(r"(.*)\[(\d+)\](\d+)",
                                    json.loads(fields[2])).groups()
    keys = ["usec", "rss", "size"] + COUNTERS
    o = {"event": fields[0], "time": json.loads(fields[1]),
         "function": program, "pc": int(pc), "tag": int(tag),
         "thread": fields[3], "state": json.loads(fields[4]).strip(),
         "stmt": json.loads(fields[13], strict=False)}
    o.update(zip(keys, fields[5:13]))
    return o


def objects_in(text):
    """Every object, however objects and lines are related, and every tuple."""
    decoder = json.JSONDecoder(strict=False)
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        # A tuple or a comment is a whole line.
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
    """The value as an integer, even if it is written as a string, as by older
    servers; None if it is not an integer."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value):
        return int(value)
    return None


def real(value):
    """The number that an estimate is, perhaps as a string such as 1.5e+06."""
    if value is None:
        return None
    return int(float(value)) if float(value).is_integer() else float(value)


def format_of(o):
    """The format of an event, or what other kind of object it is."""
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
        if self.format == "E":
            self.vars = variables_in(o.get("stmt", ""))
        self.vars.sort(key=lambda v: v["index"])
        self.stated_prereqs = o.get("prereq")

    def clocks(self):
        """The times since the server's start and since 1970, in us; None if
        unknown."""
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
            v["is_ret"] = v in self.o.get("ret", [])
            v["index"] = number(v["index"])
            v["is_eol"] = number(v.get("eol")) == 1
        return v

    def is_plan(self):
        """Whether it is the start or the end of the whole plan."""
        return self.pc == 0

    def kind(self):
        if self.is_plan():
            return "plan"
        if (self.module, self.instruction) == ("language", "dataflow"):
            return "dataflow"
        return "call" if self.module == "user" else "work"

    def argument(self, index):
        """The value of the argument with this index."""
        for v in self.vars:
            if v["index"] == index and not v["is_ret"]:
                return v.get("value")
        return None


def operation_in(stmt):
    """Module and function from a statement: in formats T, E and U no key
    states them."""
    if m := re.match(r"(?:unsafe )?(?:function|factory) (\w+)\.([^\s(]+)\(",
                     stmt):
        return m.groups()
    if stmt.startswith("end "):
        return None, None
    bare = re.sub(LITERAL, '""', stmt)
    m = re.search(r"(?:^|:= |^barrier |^redo |^leave |^catch )"
                  r"([A-Za-z]\w*)\.([^\s(]+)\(", bare)
    return m.groups() if m else (None, None)


OPERAND = rf"""(?x) (?P<name>[A-Za-z_]\w*(?=[=:]))? =?
    (?P<value>{LITERAL}|(?:<tmp_[0-7]+>)?\[\d+\]|[\w@.+-]+)?
    (?: : (?P<type>\w+(?:\[[^\]]*\])?))"""


def variables_in(stmt):
    """The results and arguments in a statement, as Event.variable() has them;
    constants have the name None."""
    bare = re.sub(LITERAL, lambda m: "_" * len(m[0]), stmt)
    at = bare.find(":=")
    call = re.compile(r"\b\w+\.[^\s(;]+\(").search(bare, max(at, 0))
    if bare.startswith("end "):
        return []
    ret, arg = (stmt[:at], stmt[at + 2:]) if at >= 0 else \
        ("", stmt) if call else (stmt, "")
    if call:
        arg = stmt[call.end():]
    found = []
    for is_ret, text in (True, ret), (False, arg):
        for m in re.finditer(OPERAND, text):
            name, value, of_type = m["name"], m["value"], m["type"]
            if name in ("nil", "true", "false"):
                name, value = None, name
            v = dict(index=len(found), name=name, is_ret=is_ret, is_eol=False,
                     type=of_type)
            bat = re.fullmatch(r"(?:<tmp_(\d+)>)?\[(\d+)\]", value or "")
            if bat:
                v["count"] = int(bat[2])
                v.update({"bid": int(bat[1], 8)} if bat[1] else {})
            elif value == "nil" and of_type.lower().startswith("bat"):
                v["bid"] = 0
            elif value is not None:
                v["value"] = value if of_type == "str" else value.strip('"')
            found.append(v)
    return found


def unquoted(text):
    """What a MAL literal stands for, without quotes and escapes."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    escapes = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"f": b"\f"}
    return re.sub(rb"\\([0-3][0-7][0-7]|[ntrf\\\"'])", lambda m:
                  bytes([int(m[1], 8)]) if len(m[1]) == 3 else
                  escapes.get(m[1], m[1]),
                  text.encode()).decode(errors="replace")


def unescaped(text, server_escapes):
    """Without the backslash that the SQL front end puts before each quote and
    backslash, if the text looks as if it had done so.  A text in which only
    backslashes have one looks so if the server always does it
    (server_escapes)."""
    if not re.fullmatch(r"(?:[^'\\]|\\['\"\\])*", text):
        return text
    pairs = re.findall(r"\\.", text)
    if all(pair == r"\\" for pair in pairs) and not server_escapes:
        return text
    return re.sub(r"\\(.)", r"\1", text)


def connections_in(plans):
    """Splits the plans of a thread that no other plan calls into those of each
    connection.  A connection begins with the plan whose pc 1 is
    remote.bintype, or with the plan just before it if its pc 1 is
    sql.set_protocol.  A client's query belongs to no connection.  (That the
    beginning of a connection may be missing is not considered.)"""
    connections, before = [[]], None
    for plan in plans:
        begins = plan.first_operation == ("sql", "set_protocol") or \
            plan.first_operation == ("remote", "bintype") and \
            before != ("sql", "set_protocol")
        before = plan.first_operation
        if begins or plan.has_query:
            connections.append([])
        if not plan.has_query:
            connections[-1].append(plan)
    return connections


# --- The rows --------------------------------------------------------------

def without_defaults(row):
    """The row without values that malparse leaves out."""
    return {key: value for key, value in row.items()
            if value is not None and value is not False and value != ""}


class Execution:
    """serial: the number of an execution without a tag; 0 if it has a tag."""

    def __init__(self, session, client, tag, serial):
        self.session, self.client, self.tag = session, client, tag
        self.name = "/".join([session or "", client or "",
                              str(tag) if tag else f"0#{serial}"])
        self.row = {}
        self.seen = collections.Counter()       # (pc, state) -> iteration
        self.open = set()                       # pcs that have started
        self.with_prereqs = set()               # pcs
        self.last_done = {}                     # pc -> the event's name
        # Name of a variable -> pcs of the instructions that assign it.
        self.assigned_at = collections.defaultdict(list)
        # Of variables, by their names:
        self.assigned = set()
        self.variables = {}                     # name -> row
        self.with_values = set()                # an event stated a value
        self.has_query = self.has_begun = False
        self.first_operation = None     # (module, instruction) of pc 1
        self.initiator = None           # the execution that initiates it
        self.call_pc = None             # of the initiator's call, if known
        self.is_remote = False          # the initiator is of another server
        self.before = None      # if remote: the plan before on its connection

    def root(self):
        return self if self.initiator is None else self.initiator.root()


class Trace:
    def __init__(self):
        self.rows = []          # (table, row)
        # By session and client: executions by tag, the running execution
        # without a tag, and the number of those so far.
        self.executions, self.untagged = {}, {}
        self.serials = collections.Counter()
        self.ended_untagged = []
        self.types = {}
        self.header = {}
        self.n_heartbeats = 0
        # By session and thread: (pc, execution) of calls of user functions.
        self.open_calls = collections.defaultdict(list)
        # By client and thread: (start, end, execution), not yet linked.
        self.ended_plans = collections.defaultdict(list)
        # By the arguments of register_supervisor: the supervisor's execution;
        # and (arguments, execution, (session, thread)) of its workers.
        self.supervisors, self.registered = {}, []
        # By session and thread: the executions that no call initiated.
        self.plans_of = collections.defaultdict(list)

    def add(self, table, **row):
        self.rows.append((table, without_defaults(row)))

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

    # (x is the execution of the event e, and v a variable that e uses.)

    def derived(self, x, e):
        """The pcs of the last instructions before e that assigned its
        arguments."""
        pcs = []
        for v in e.vars:
            if v["is_ret"] or not v["name"] or number(v.get("const")):
                continue
            pcs.append(max((pc for pc in x.assigned_at[v["name"]]
                            if 0 < pc < e.pc), default=0))
        return sorted({pc for pc in pcs if pc > 0})

    def add_prerequisites(self, x, e, name):
        pcs = e.stated_prereqs if e.stated_prereqs is not None \
            else self.derived(x, e)
        for pc in dict.fromkeys(map(number, pcs)):
            self.add("prerequisite_events", consequent_event=name,
                     prerequisite_event=x.last_done.get(pc),
                     prerequisite_pc=pc)

    # Variables

    def add_variables(self, x, e, name):
        for v in e.vars:
            if not v["name"]:
                continue
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
        instruction does not set those of its results.  Only an assignment
        changes a string."""
        if v["name"] in x.variables and v["is_ret"] and e.state != 1:
            return
        if v["name"] in x.with_values and v.get("type") == "str" and \
                not v["is_ret"]:
            return
        bid = number(v.get("bid"))
        if bid is not None and bid <= 0 and \
                "bid" in x.variables.get(v["name"], {}):
            return                      # nil does not erase a BAT
        if not v["is_ret"] or e.state == 1:
            x.with_values.add(v["name"])
        row = without_defaults(columns_of(v))
        if v.get("type"):
            row["type"] = self.type_name(v["type"])
        x.variables[v["name"]] = row

    # Links: which execution initiates which.  One that has a query initiates
    # itself.

    def link(self, parent, child, call_pc=None, remote=False):
        if parent is not child:
            child.initiator, child.call_pc = parent, call_pc
            child.is_remote = remote
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
        """An execution is initiated by its stated caller, or else by the call
        of a user function that is open on its thread."""
        where = (e.session, e.thread)
        calls = self.open_calls[where]
        if e.pc == 1 and x.first_operation is None:
            x.first_operation = e.module, e.instruction
        if not x.has_begun:
            x.has_begun = True
            caller = number(e.o.get("caller"))
            known = self.executions.get((e.session, e.client), {})
            if caller and caller in known:
                pcs = [pc for pc, y in calls if y is known[caller]]
                self.link(known[caller], x, pcs[-1] if pcs else None)
            elif calls:
                self.link(calls[-1][1], x, calls[-1][0])
            else:
                self.plans_of[where].append(x)
        if e.kind() == "call" and e.state == 0:
            calls.append((e.pc, x))
        elif e.kind() == "call" and (e.pc, x) in calls:
            del calls[calls.index((e.pc, x)):]

    def link_by_time(self, x, e):
        """In format P, which has no start events, an execution is initiated by
        the call whose time contains that of its plan."""
        ended = self.ended_plans[(e.client, e.thread)]
        start = e.relative - e.usec
        if e.is_plan():
            ended.append((start, e.relative, x))
        elif e.kind() == "call":
            for plan in list(ended):
                plan_start, plan_end, called = plan
                if plan_start >= start and plan_end <= e.relative:
                    self.link(x, called, e.pc)
                    ended.remove(plan)

    def register(self, x, e):
        """The supervisor and its workers, on other servers, all call
        remote.register_supervisor(session of the supervisor, UUID)."""
        pair = tuple(unquoted(str(e.argument(i))) for i in (1, 2))
        if e.session == pair[0]:
            self.supervisors.setdefault(pair, x)
        elif (pair, x, (e.session, e.thread)) not in self.registered:
            self.registered.append((pair, x, (e.session, e.thread)))

    def link_remotes(self):
        """A supervisor initiates the plans of the connection in which a worker
        registers with it."""
        for where, plans in self.plans_of.items():
            for connection in connections_in(plans):
                self.link_connection(where, connection)

    def link_connection(self, where, plans):
        supervisor = None
        for pair, x, _ in self.registered:
            if x in plans and supervisor is None:
                supervisor = self.supervisors.get(pair)
        before = None
        for plan in plans if supervisor else []:
            self.link(supervisor, plan, remote=True)
            plan.before, before = before, plan

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
        # A start has prerequisites, and so has a done without a start, in
        # formats with starts only the first of its pc: the second done of a
        # `return` has none.
        if e.state == 0 or e.state == 1 and e.pc not in x.open and \
                (e.format == "P" or e.pc not in x.with_prereqs):
            self.add_prerequisites(x, e, name)
            x.with_prereqs.add(e.pc)
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
            if e.format != "P":
                text = unquoted(text or "")
            self.add_query(x, unescaped(text, e.format == "P" or
                                        self.escapes(x, e)))

    def escapes(self, x, e):
        """Whether the server escapes the texts of queries: see unescaped()."""
        version = re.match(r"11\.(\d+)\.", x.row.get("server_version") or "")
        return bool(re.match(r"user\.s\d", e.program or "") or
                    version and int(version[1]) >= 39)

    def add_event(self, x, e, iteration):
        o = e.o
        self.add("profiler_event", execution=x.name, pc=e.pc,
                 execution_state=e.state,
                 iteration=iteration if iteration > 1 else None,
                 relative_time=e.relative, absolute_time=e.absolute,
                 local_time=o.get("time") if e.format == "E" else None,
                 thread=e.thread, mal_function=e.program, usec=e.usec,
                 rss=number(o.get("rss")), type_size=number(o.get("size")),
                 **{key: number(o.get(key)) for key in COUNTERS},
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
        absolute = next((us for us in clocks if us >= EPOCH_US), None)
        self.n_heartbeats += 1
        self.add("heartbeat", number=self.n_heartbeats,
                 server_session=o.get("session"), clk=relative, ctime=absolute,
                 rss=number(o.get("rss")),
                 **{key: number(o.get(key)) for key in COUNTERS})
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


# The keys of a variable's flags in events, and their columns in rows.
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
    bid = bid if bid and bid > 0 else None      # None: it is not a BAT
    parent = number(v.get("parent"))
    row = dict(alias=v.get("alias"), is_persistent=mode == "persistent",
               bid=bid, var_count=count if bid or "bid" not in v else None,
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
               nestimate=real(v.get("nestimate")),
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


def sorted_lines(rows):
    return sorted(table + " " + json.dumps(row, sort_keys=True,
                                           ensure_ascii=False)
                  for table, row in rows)


def expect(what, want, got):
    """Ends with a message if a filter gives something else."""
    if want != got or not want:
        print(f"{what}:", *difflib.unified_diff(want, got, "oracle", "filter",
                                                n=0, lineterm=""), sep="\n")
        sys.exit(1)


def output_of(*command, text=None):
    return subprocess.run(command, input=text, check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


# --- Rows of malparse -------------------------------------------------------

class Written:
    """Rows with their ids, without the begin and end records; named() replaces
    the ids by keys."""

    def __init__(self, text):
        self.tables = collections.defaultdict(list)
        for line in text.splitlines():
            row = json.loads(line)
            if row["type"] not in ("begin", "end"):
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

def mode_same(*paths):
    for path in paths:
        expect(path, sorted_lines(rows_of(path)),
               sorted_lines(Written(output_of("malparse", path)).rows()))


def mode_canon(path):
    print("\n".join(sorted_lines(Written(text_of(path)).rows())))


def mode_prereqs(path):
    trace, differences, n = Trace(), 0, 0       # n: events compared
    for o in read(path):
        if format_of(o) not in "SUEMP" or o.get("phase",
                                                "mal_engine") != "mal_engine":
            continue
        e = Event(o)
        x = trace.execution_of(e)
        if e.stated_prereqs is not None:
            stated, derived = set(e.stated_prereqs), trace.derived(x, e)
            n += 1
            if stated != set(derived):
                differences += 1
                print(f"{x.name} {e.pc}: stated {sorted(stated)}, "
                      f"derived {derived}")
        for v in e.vars:
            if v["is_ret"]:
                x.assigned_at[v["name"]].append(e.pc)
    print(f"{n} events with prerequisites, {differences} differ")
    sys.exit(differences > 0)


class Timed:
    """An instruction with the sum of the times of its runs, and the times of
    its first run."""

    def __init__(self, kind):
        self.kind, self.sum_us, self.n_runs, self.prereqs = kind, 0, 0, set()
        self.from_us = self.to_us = self.open_since = None

    def add_run(self, from_us, to_us):
        if self.n_runs == 0:
            self.from_us, self.to_us = from_us, to_us
        self.sum_us += to_us - from_us
        self.n_runs += 1


class Paths:
    """The lengths of the longest paths.  A path to a task is as long as the
    longest path to what the task waits for, and the task's own time."""

    def __init__(self, path):
        self.trace = Trace()
        # By execution, in the order of their ends: instructions by pc.
        self.timed = collections.defaultdict(
            lambda: collections.defaultdict(lambda: Timed(None)))
        self.ended = []         # executions in the order in which pc 0 ended
        for o in read(path):
            self.trace.add_object(o)
            if format_of(o) in "SUM" or o.get("phase") == "mal_engine":
                self.add_event(Event(o))
        self.trace.finish()
        # By execution and pc of a call: the called plans that have tasks.
        self.called = collections.defaultdict(list)
        for x in self.ended:
            if self.is_called(x) and self.instructions(x):
                self.called[x.initiator, x.call_pc].append(x)
        self.length_of = collections.Counter()   # by run
        self.sum_of = collections.Counter()      # the same, of all tasks
        self.end_of = {}        # remote plan -> length when its last task ends

    def add_event(self, e):
        x = self.trace.execution_of(e)
        i = self.timed[x][e.pc]
        i.kind = i.kind or e.kind()
        i.prereqs |= set(e.stated_prereqs if e.stated_prereqs is not None
                         else self.trace.derived(x, e))
        if e.state == 0:
            i.open_since = e.relative
        elif e.format == "P":
            i.add_run(e.relative - e.usec, e.relative)
        elif e.state == 1 and i.open_since is not None:
            i.add_run(i.open_since, e.relative)
            i.open_since = None
        if e.pc == 0 and e.state == 1:
            self.ended.append(x)

    def instructions(self, x):
        return [(pc, i) for pc, i in sorted(self.timed[x].items())
                if pc > 0 and i.n_runs > 0]

    def is_called(self, x):
        """Whether x takes the place of a call: both have ended."""
        return x.initiator is not None and x.call_pc is not None and \
            self.timed[x][0].n_runs > 0 and \
            self.timed[x.initiator][x.call_pc].n_runs > 0

    def run_of(self, x):
        return x.session or x.client, x.root().name

    def add_task(self, x, pc, i, before_us):
        """Returns the length of the path to the end of the instruction: the
        plans that it called have their own tasks, one after the other."""
        called = self.called[x, pc]
        own_us = max(i.sum_us - sum(self.timed[y][0].sum_us
                                    for y in called), 0)
        end_us = before_us + own_us
        self.length_of[self.run_of(x)] = max(
            self.length_of[self.run_of(x)], end_us)
        self.sum_of[self.run_of(x)] += own_us
        for y in called:
            end_us = self.walk_in_order(y, end_us)
        return end_us

    def waits(self, i, pc, ends):
        return max((ends[p] for p in i.prereqs if p in ends and p < pc),
                   default=0)

    def walk_by_prereqs(self, x):
        ends = {}
        for pc, i in self.instructions(x):
            if i.kind != "dataflow":
                ends[pc] = self.add_task(x, pc, i, self.waits(i, pc, ends))

    def walk_in_order(self, x, now_us):
        """Instructions run in their order, except those in a block, which
        starts and ends at a point of this order."""
        ends, block, block_end_us = {}, None, 0
        for pc, i in self.instructions(x):
            if block is not None and i.from_us >= block.to_us:
                block, now_us = None, max(now_us, block_end_us)
            if block is None and i.kind == "dataflow":
                block, block_end_us = i, now_us
            if i.kind == "dataflow":
                continue
            ends[pc] = self.add_task(x, pc, i, max(
                now_us, self.waits(i, pc, ends)))
            if block is None:
                now_us = ends[pc]
            else:
                block_end_us = max(block_end_us, ends[pc])
        return now_us if block is None else max(now_us, block_end_us)

    def walk_remote(self, x):
        """Walks through a plan that a supervisor initiates, after the plans
        before it on the connection."""
        if x not in self.end_of:
            before_us = self.walk_remote(x.before) if x.before else 0
            self.end_of[x] = self.walk_in_order(x, before_us)
        return self.end_of[x]

    def walk(self):
        for x in list(self.timed):
            if x.is_remote:
                self.walk_remote(x)
            elif not self.is_called(x):
                self.walk_by_prereqs(x)


def mode_paths(*names):
    """Compares for each run its name, the length of its critical path and the
    sum of the times of its tasks, both in us.  See weir-mal(5).  Of several
    paths of one length, critpath may choose another one than the oracle, but
    each step depends on the one before it."""
    for name in names:
        written = Written(output_of("malparse", name))
        ids = {x: i for i, x in written.executions.items()}
        want = Paths(name)
        want.walk()
        text = output_of("malparse", "--tasks", name)
        answers = [json.loads(line) for line in output_of(
            "critpath", text=text).splitlines()]
        sums, deps, got, before = collections.Counter(), {}, [], {}
        for line in text.splitlines():
            task = json.loads(line)
            if task["type"] == "task":
                sums[task["run"]] += task["elapsed_us"]
                deps[task["id"]] = task["deps"]
        for r in answers:
            if r["type"] == "critpath":
                got.append(f"{r['run']} {r['length_us']} {sums[r['run']]}")
            elif r["type"] == "critical":
                step = before.get(r["run"])
                if step is not None and step not in deps[r["id"]]:
                    sys.exit(f"{name}: {r['id']} does not depend on {step}")
                before[r["run"]] = r["id"]
        expect(name, sorted(f"{session}/{ids[root]} {us} "
                            f"{want.sum_of[session, root]}" for
                            (session, root), us in want.length_of.items()),
               sorted(got))


class Calls:
    """A random trace of format S: a query whose plan calls others, in loops and
    in blocks, and the plans of a connection by which a worker serves it."""

    def __init__(self, seed):
        self.rng, self.events = random.Random(seed), []
        self.next_tag, self.n_plans, self.next_thread = 1, 0, 10
        self.session = "aaaa"

    def event(self, us, state, plan, pc, thread, name, **more):
        module, _, instruction = name.rpartition(".")
        self.events.append((us, {
            "source": "trace", "clk": us, "ctime": EPOCH_US + us,
            "thread": thread, "function": plan["name"], "pc": pc,
            "tag": plan["tag"], "module": module, "instruction": instruction,
            "session": self.session, "state": state, "usec": 0, **more}))

    def gap(self):
        return self.rng.choice([0, 0, 1, 3])

    def instruction(self, plan, pc, thread, us, depth):
        """Returns when it ends.  It may call a plan, and may run again."""
        is_call = depth < 3 and self.n_plans < 25 and self.rng.random() < 0.35
        name = "user.f" if is_call else self.rng.choice(["a.b", "c.d", "."])
        prereq = self.rng.choices(range(1, pc + 2), k=self.rng.randint(0, 3))
        for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
            us += self.gap()
            self.event(us, "start", plan, pc, thread, name, prereq=prereq)
            us += self.rng.randint(0, 9)
            if is_call:
                us = self.plan(name, thread, us, depth + 1) + self.gap()
            self.event(us, "done", plan, pc, thread, name, prereq=prereq)
        return us

    def block(self, plan, pc, thread, us, depth):
        """Returns when it ends, and the next pc."""
        self.event(us, "start", plan, pc, thread, "language.dataflow")
        workers = {self.next_thread + i: us for i in range(3)}
        self.next_thread += 3
        first_pc, pc = pc, pc + 1
        for _ in range(self.rng.randint(0, 5)):
            worker = self.rng.choice(list(workers))
            workers[worker] = self.instruction(plan, pc, worker,
                                               workers[worker], depth)
            pc += 1
        us = max(workers.values()) + 1 + self.gap()
        self.event(us, "done", plan, first_pc, thread, "language.dataflow")
        return us, pc + self.rng.randint(0, 1)

    def plan(self, name, thread, us, depth=0, first=None, **more):
        """Returns when it ends.  Some starts and ends are lost."""
        self.n_plans += 1
        plan, pc = {"name": name, "tag": self.next_tag}, 1
        self.next_tag += 1
        if self.rng.random() < 0.95:
            self.event(us, "start", plan, 0, thread, name)
        if first:
            self.event(us, "start", plan, 1, thread, first, **more)
            us += 2
            self.event(us, "done", plan, 1, thread, first, **more)
            pc = 2
        for _ in range(self.rng.randint(0 if depth else 3, 5)):
            us += self.gap()
            if self.rng.random() < 0.3:
                us, pc = self.block(plan, pc, thread, us, depth)
            else:
                us = self.instruction(plan, pc, thread, us, depth)
                pc += 1
        # The server knows that it is no query when pc 2 has begun.
        self.event(us, "start", plan, pc + 1, thread, ".")
        us += 1
        if self.rng.random() < 0.8:
            self.event(us, "done", plan, pc + 1, thread, ".")
        if self.rng.random() < 0.95:
            self.event(us, "done", plan, 0, thread, name)
        return us

    def in_order(self):
        self.events.sort(key=lambda e: e[0])    # stable
        events, self.events = self.events, []
        return [o for _, o in events]

    def connection(self):
        names = {"arg": [{"index": 1, "name": "A", "value": '"aaaa"'},
                         {"index": 2, "name": "B", "value": '"uuid"'}]}
        us = self.plan("user.main", 7, 5, 2, "remote.bintype")
        us = self.plan("user.main", 7, us, 2)
        us = self.plan("user.main", 7, us + 9, 2,
                       "remote.register_supervisor", **names)
        for _ in range(self.rng.randint(0, 3)):
            us = self.plan("user.main", 7, us + 9, 1)
        return names

    def trace(self):
        """The events of the worker come before or after the supervisor's."""
        self.session, self.n_plans = "b", 15
        names = self.connection()
        worker = self.in_order()
        self.session, self.n_plans = "aaaa", 0
        for state in "start", "done":
            self.event(0, state, {"name": "user.s1_1", "tag": self.next_tag},
                       90, 1, "remote.register_supervisor", **names)
        query = {"index": 1, "name": "Q", "value": '"select 1"'}
        self.plan("user.s1_1", 1, 1, 0, "querylog.define", arg=[query])
        traces = [worker, self.in_order()]
        self.rng.shuffle(traces)
        return traces[0] + traces[1]


def mode_calls(seed, count):
    for i in range(int(count)):
        with open(f"calls.{i}", "w", encoding="utf-8") as f:
            f.writelines(json.dumps(o) + "\n"
                         for o in Calls(int(seed) + i).trace())


def mode_literals(path):
    """Prints queries, and those values that are too long to occur in the output
    by chance."""
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


def mode_reframe(path):
    objects = read(path)
    lines = [json.dumps(o, separators=(",", ":"), ensure_ascii=False)
             for o in objects]
    texts = {
        "lines": "\n".join(lines) + "\n",
        "pretty": "".join(map(pretty, objects)),
        "nested": "".join(json.dumps(o, indent=2, ensure_ascii=False) + "\n"
                          for o in objects),
        # Three on a line
        "several": "".join(line + "\n "[i % 3 > 0]
                           for i, line in enumerate(lines)),
        "glued": "".join(lines),
    }
    texts = {how: text.encode() for how, text in texts.items()}
    texts["gzip"] = gzip.compress(texts["lines"], mtime=0)
    for how, text in texts.items():
        with open(f"{path}.{how}", "wb") as f:
            f.write(text)


def main():
    sys.stdout.reconfigure(encoding="utf-8")
    globals()["mode_" + sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
