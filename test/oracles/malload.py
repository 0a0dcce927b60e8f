"""malload.py - computes independently what malload makes of rows

    tables DB ROWS...   passes if the database holds the rows of the files ROWS,
                        loaded in this order, and nothing else, and its keys are
                        valid, and if the view `instructions` joins the events
                        correctly, in the order of their starts
    orders SEED COUNT ROWS
                        passes if malload makes these tables of the rows in each
                        of COUNT random orders, with the same ids of types
    csv DIR ROWS        passes if the CSV files hold the rows
    shuffle SEED ROWS   prints the rows in random order, trace records first

Several commands may be separated by the argument "--".
"""

import csv
import json
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

EXECUTION, EVENT, VARIABLE, TYPE = ("mal_execution", "profiler_event",
                                    "mal_variable", "mal_type")
# Foreign keys: (table, column) and the table to which the column refers.
PARENTS = {
    (EVENT, "mal_execution_id"): EXECUTION,
    (VARIABLE, "mal_execution_id"): EXECUTION,
    ("rejected_profiler_event", "mal_execution_id"): EXECUTION,
    ("query", "root_execution_id"): EXECUTION,
    ("initiates_executions", "parent_id"): EXECUTION,
    ("initiates_executions", "child_id"): EXECUTION,
    ("query_phase", "mal_execution_id"): EXECUTION,
    ("prerequisite_events", "prerequisite_event"): EVENT,
    ("prerequisite_events", "consequent_event"): EVENT,
    ("event_variable_list", "event_id"): EVENT,
    ("event_variable_list", "variable_id"): VARIABLE,
    ("cpuload", "heartbeat_id"): "heartbeat",
}
# Primary keys.
IDS = {
    "server": "server_id", EXECUTION: "execution_id", EVENT: "event_id",
    "prerequisite_events": "prerequisite_relation_id",
    VARIABLE: "variable_id", "query": "query_id",
    "initiates_executions": "initiates_executions_id",
    "query_phase": "query_phase_id", "heartbeat": "heartbeat_id",
    "cpuload": "cpuload_id",
}
# Columns that are false if a row does not have them.
FLAGS = {
    EVENT: {"derived"}, "rejected_profiler_event": {"derived"},
    "event_variable_list": {"created", "reassigned", "eol"},
    "query_phase": {"failed"},
    VARIABLE: {"is_persistent", "is_view", "is_constant", "is_sorted",
               "is_revsorted", "is_nonil", "has_nil", "is_key", "is_udf"},
}
# The types that every trace has, whose ids are 1, 2, ... in this order.
FIXED = ["bit", "bte", "sht", "int", "lng", "hge", "oid", "flt", "dbl", "str",
         "date", "void", "BAT"]
FIXED += ["bat[:%s]" % name for name in FIXED[:11]]


def rows_of(path):
    """The rows and trace records of a file, without its begin and end
    records."""
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [r for r in rows if r["type"] not in ("begin", "end")]


def with_defaults(row):
    table = row["type"]
    row = dict.fromkeys(FLAGS.get(table, ()), False) | row
    if table in (EVENT, "rejected_profiler_event"):
        row.setdefault("iteration", 1)
    return row


class Types:
    """The names of the types of a trace, by type_id."""

    def __init__(self, rows):
        self.names = dict(enumerate(FIXED, 1))
        self.names.update((r["type_id"], r["tname"]) for r in rows
                          if r["type"] == TYPE)

    def row(self, row):
        """A row of mal_type as (name, size, name of the subtype)."""
        return (row["tname"], row.get("base_size"),
                self.names.get(row.get("subtype_id")))


def stored(v):
    """A list is stored as JSON."""
    return (json.dumps(v, separators=(",", ":")) if isinstance(v, list)
            else v)


def shifted(row, shift, types):
    """The row as the database should have it: a set of (column, value).  shift:
    by how much the ids of each table are increased."""
    table = row["type"]
    row = with_defaults(row)
    for column, of in [(IDS.get(table), table)] + [
            (c, of) for (t, c), of in PARENTS.items() if t == table]:
        if column in row:
            row[column] += shift.get(of, 0)
    if table == VARIABLE and "type_id" in row:
        row["type_id"] = types.names[row["type_id"]]
    return frozenset((k, stored(v)) for k, v in row.items() if k != "type")


def expected(paths):
    """The tables, as {table: {row: count}}, and the set of types, of a database
    into which the files are loaded in order.  If the ids of a table in a file
    overlap those in the database, the highest id there is added to all of
    them."""
    tables, types, last = {}, set(), {}
    for path in paths:
        rows = [r for r in rows_of(path) if r["type"] != "trace"]
        names = Types(rows)
        first, highest = {}, {}
        for r in rows:
            t = r["type"]
            if t in IDS:
                first[t] = min(first.get(t, 1 << 60), r[IDS[t]])
                highest[t] = max(highest.get(t, 0), r[IDS[t]])
        shift = {t: last.get(t, 0) if first[t] <= last.get(t, 0) else 0
                 for t in first}
        last.update((t, highest[t] + shift[t]) for t in first)
        for r in rows:
            if r["type"] == TYPE:
                types.add(names.row(r))
            else:
                tables.setdefault(r["type"], Counter())[
                    shifted(r, shift, names)] += 1
    return tables, types


def found(db):
    """Like expected(): what the database has."""
    names = [n for n, in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'")]
    type_names = dict(db.execute("SELECT type_id, tname FROM mal_type"))
    tables, types = {}, set()
    for table in set(names) - {"trace"}:
        cursor = db.execute('SELECT * FROM "%s"' % table)
        columns = [c[0] for c in cursor.description]
        for row in cursor:
            row = {c: v for c, v in zip(columns, row) if v is not None}
            if table == TYPE:
                types.add((row["tname"], row.get("base_size"),
                           type_names.get(row.get("subtype_id"))))
                continue
            if table == VARIABLE and "type_id" in row:
                row["type_id"] = type_names[row["type_id"]]
            tables.setdefault(table, Counter())[frozenset(row.items())] += 1
    return tables, types


def show(what, rows):
    for row in list(rows)[:3]:
        print("%s: %s" % (what, dict(sorted(row))))


def same_tables(path, *paths):
    db = sqlite3.connect(path)
    want, want_types = expected(paths)
    got, got_types = found(db)
    ok = sum(map(len, want.values())) > 0
    for table in sorted(set(want) | set(got)):
        w, g = want.get(table, Counter()), got.get(table, Counter())
        if w != g:
            ok = False
            show("missing in " + table, w - g)
            show("unexpected in " + table, g - w)
    if not want_types <= got_types or any(
            t[0] not in FIXED for t in got_types - want_types):
        ok = False
        print("types:", sorted(map(str, want_types ^ got_types)))
    for pragma in "foreign_key_check", "integrity_check":
        answer = db.execute("PRAGMA " + pragma).fetchall()
        if answer not in ([], [("ok",)]):
            ok = False
            print(pragma, answer[:3])
    return same_view(db) and ok


def joined(events):
    """The rows of the view: each done event, joined with its start event.  A
    missing start time is the end time minus usec."""
    starts = {(e["mal_execution_id"], e["pc"], e["iteration"]): e
              for e in events if e["execution_state"] == 0}
    for e in events:
        if e["execution_state"] != 1:
            continue
        s = starts.get((e["mal_execution_id"], e["pc"], e["iteration"]), {})

        def start(clock):
            if s.get(clock) is not None:
                return s[clock]
            if e[clock] is None or e["usec"] is None:
                return None
            return e[clock] - e["usec"]

        began, ended = start("relative_time"), e["relative_time"]
        yield (e["pc"], e["short_statement"] if e["short_statement"]
               is not None else s.get("short_statement"), began, ended,
               start("absolute_time"), e["absolute_time"],
               None if began is None else ended - began, e["thread"],
               e["mal_execution_id"], s.get("event_id"), e["event_id"],
               e["mal_module"], e["instruction"], e["usec"])


def same_view(db):
    events = db.execute("SELECT * FROM profiler_event")
    columns = [c[0] for c in events.description]
    want = Counter(joined([dict(zip(columns, e)) for e in events]))
    got = [tuple(r) for r in db.execute("SELECT * FROM instructions")]
    if want != Counter(got):
        print("view:", list((want - Counter(got)).items())[:2],
              list((Counter(got) - want).items())[:2])
        return False
    starts = [r[2] for r in got if r[2] is not None]
    return starts == sorted(starts)


def text(v):
    """A value as it is written in CSV."""
    if isinstance(v, bool):
        return "true" if v else "false"
    if v is None:
        return ""
    if isinstance(v, float):
        return "%.17g" % v
    return str(stored(v)).replace("\0", "\ufffd")


def same_csv(directory, path):
    want, ok = {}, True
    for row in rows_of(path):
        want.setdefault(row["type"], []).append(with_defaults(row))
    want.pop("trace", None)
    for file in Path(directory).glob("*.csv"):
        with open(file, encoding="utf-8", newline="") as lines:
            reader = csv.reader(lines)
            columns = next(reader)
            got = list(reader)
        rows = want.pop(file.stem, [])
        used = set().union(*rows) - {"type"}
        listed = [[text(r.get(c)) for c in columns] for r in rows]
        if not used <= set(columns) or len(set(columns)) != len(columns):
            ok = False
            print(file.stem, "has the columns", columns)
        for g, w in zip(got, listed):
            if g != w:
                ok = False
                print(file.stem, g, w)
                break
        if len(got) != len(listed):
            ok = False
            print(file.stem, "has", len(got), "rows, not", len(listed))
    if want:
        print("no file:", list(want))
    return ok and not want


def shuffled(rng, path):
    with open(path, encoding="utf-8") as lines:
        lines = list(lines)
    head = [line for line in lines if line.startswith('{"type":"trace"')]
    rest = [line for line in lines if not line.startswith('{"type":"trace"')]
    rng.shuffle(rest)
    return "".join(head + rest)


def shuffle(seed, path):
    sys.stdout.write(shuffled(random.Random(int(seed)), path))
    return True


def orders(seed, count, path):
    """tables compares the names of types but not their ids."""
    def load(text):
        Path("ordered").unlink(missing_ok=True)
        subprocess.run(["malload", "ordered"], input=text, encoding="utf-8",
                       stdout=subprocess.DEVNULL, check=True)
        return sqlite3.connect("ordered").execute(
            "SELECT * FROM mal_type").fetchall()

    rng = random.Random(int(seed))
    types = load(Path(path).read_text(encoding="utf-8"))
    return all(load(shuffled(rng, path)) == types and
               same_tables("ordered", path) for _ in range(int(count)))


if __name__ == "__main__":
    commands = {"tables": same_tables, "csv": same_csv, "shuffle": shuffle,
                "orders": orders}
    arguments = sys.argv[1:]
    while arguments:
        n = arguments.index("--") if "--" in arguments else len(arguments)
        if not commands[arguments[0]](*arguments[1:n]):
            sys.exit("not so: " + " ".join(arguments[:n]))
        arguments = arguments[n + 1:]
