"""profile-make - which resources a profile has, by the table of its page

The table is written again here, as a dictionary of functions; amounts are
fractions.
"""

import json
import re
from fractions import Fraction

from oracle import check, main, run_filter

NAMES = ["a", "b", "lib/x.o", "ü \" \\", "", "a#1"]


def task_uid(r):
    kind = r.get("kind")
    if kind == "copy":
        names = [r.get(k) for k in ("target", "name", "uid", "id")]
        return "copy of " + next(filter(None, names))
    if kind == "prepare":
        return "prepare " + (r.get("prepare") or r["id"].split(":", 2)[2])
    if kind in ("instruction", "call"):
        names = [r.get(k) for k in ("rule", "name", "id")]
    else:
        names = [r.get(k) for k in ("target", "name", "id")]
    return next(filter(None, names))


def task_time(r):
    if "elapsed_us" in r:
        return max(r["elapsed_us"], 0)
    if "start_us" in r and "end_us" in r:
        return max(r["end_us"] - r["start_us"], 0)
    return None


def best(uid, r):
    """The amount of a function: its time, or else samples, or else calls."""
    if "self_ns" in r:
        # The time on the CPU
        return [(uid, "time", None,
                 Fraction(r["self_ns"] - r.get("self_off_ns", 0), 1000))]
    for key in ("samples", "calls"):
        if key in r:
            return [(uid, "mixed", key, r[key])]
    return []


def fingerprint(text):
    """The text of a query without its constants, by regular expressions."""
    # What has no end ends with the text.
    token = (r"""(?P<space>(?:\s|--[^\n]*|/\*.*?(?:\*/|\Z))+)"""
        r"""|(?P<string>[rR]'(?:''|[^'])*(?:'|\Z)"""
        r"""|[eExX]?'(?:''|\\.|[^'\\])*(?:'|\\?\Z))"""
        r"""|(?P<name>"(?:""|[^"])*(?:"|\Z))"""
        r"""|(?P<number>(?:\.\d|\d)(?:[eE][-+]|[\w.])*)"""
        r"""|(?P<word>\w+)|(?P<other>.)""")
    out = ""
    for m in re.finditer(token, text, re.S):
        if m["space"]:
            out += "" if out.endswith(" ") or not out else " "
        elif m["string"] or m["number"]:
            out = re.sub(r"(^|[(,=<>+\-*/%|])( ?)-$", r"\1\2", out)
            out = re.sub(r"\?, ?$", "", out) + "?"
        elif m["word"]:
            out += m["word"].lower()
        else:
            out += m[0]
    return out.rstrip(" ;")


def us(*pairs):
    return [(uid, "time", None, us) for uid, us in pairs if us is not None]


def of_path(r):
    if r.get("path", 1) > 1:
        return []
    if r["type"] == "critical":
        uid = task_uid(r)
        return us(("step " + uid, r["elapsed_us"]),
                  ("drag of " + uid, r.get("potential_us")))
    return us(("critical path", r["length_us"]), ("build", r.get("wall_us")))


def of_group(r):
    uid = r["by"] + " " + r["value"]
    return us((uid, r["work_us"]), ("steps of " + uid, r["path_us"]),
              ("drag of " + uid, r["potential_us"]))


def of_exit(r):
    return us(("elapsed time", r["elapsed_us"]), ("user time", r["user_us"]),
              ("system time", r["system_us"])) + \
        [("memory", "memory", None, r["max_rss_bytes"])]


MEASURED = {
    "task": lambda r: us((task_uid(r), task_time(r))),
    "critical": of_path,
    "critpath": of_path,
    "group": of_group,
    "build": lambda r: us(("build", r.get("wall_us"))),
    "operation": lambda r: us((r["operation"], r["self_us"])),
    "exit": of_exit,
    "callgraph": lambda r: [m for node in r["nodes"]
                            for m in best(node["name"], node)],
    "stat": lambda r: best(r["name"], r) if r["stat"] == "function" else
    us(("type " + r["name"], r["elapsed_us"])) if r["stat"] == "type" else [],
}


def profile_of(streams):
    """The resources, in the order of the input, and the units."""
    sums, units, query = {}, {}, ""
    for number, records in enumerate(streams):
        for r in records:
            sample_run = None
            if "uid" in r and r.get("type", "sample") == "sample":
                sample_run = r.get("run")
                kind = {"ms": "time", "kB": "memory"}.get(r["unit"], "mixed")
                subtype = r["unit"] if kind == "mixed" else None
                unit = r["unit"]
                found = [(r["uid"], kind, subtype, r["value"])]
                run = ("sample", len(sums))
            elif r.get("type") == "query_cost":
                text = r.get("query_text") or r["user_function"]
                found = us(("query " + fingerprint(text),
                            r.get("elapsed_us")))
                run, unit = ("query", len(sums)), None
            else:
                found = MEASURED.get(r["type"], lambda r: [])(r)
                run = r.get("run", number)
                unit = None
            if r.get("type") == "query_stat":
                query = fingerprint(r.get("query_text", ""))
            if r.get("type") == "operation" and "query" in r:
                found = us((f"{r['operation']} in {query}", r["self_us"]))
            for uid, kind, subtype, amount in found:
                key = (uid, kind, subtype, sample_run, run)
                sums[key] = sums.get(key, 0) + amount
                name = f"{kind}({subtype})" if subtype else kind
                units[name] = unit or {"time": "us", "memory": "bytes"}.get(
                    kind, subtype)
    return [(*key[:4], amount) for key, amount in sums.items()], units


def random_query(rng):
    """Pieces of SQL, also with what looks like a comment or a string."""
    pieces = ["select", "A1", "1", "-2.5e-3", ".5", "'it''s'", "'\\\\'",
              "r'\\'", "e'x'", '"T""2"', " ", "\n", "-- c'\n", "/* ' */",
              "-", ",", ", ", "(", ")", "=", "<", "x", "_", ";", "'--'"]
    return "".join(rng.choice(pieces) for _ in range(rng.randint(1, 12)))


def maybe(rng, record, key, value):
    if rng.random() < 0.7:
        record[key] = value


def random_task(rng, kind):
    r = {"type": kind, "id": rng.choice("pqr")}
    r["kind"] = rng.choice(["run", "copy", "prepare", "instruction", "call"])
    if r["kind"] == "prepare":
        r["id"] = f"prepare:{rng.randint(1, 12)}:{rng.choice(['w:x', 'w'])}"
    if r["kind"] == "copy":
        r["uid"] = rng.choice("uv")
    for key in ("name", "target", "rule"):
        maybe(rng, r, key, rng.choice(NAMES))
    if kind == "critical":
        r["elapsed_us"] = rng.randint(0, 99)
        maybe(rng, r, "potential_us", rng.randint(0, 99))
        if rng.random() < 0.3:
            r["path"] = rng.randint(1, 2)
        return r
    for key in ("elapsed_us", "start_us", "end_us"):
        maybe(rng, r, key, rng.randint(-5 if key == "elapsed_us" else 0, 99))
    return r


def random_function(rng):
    r = {"name": rng.choice(["f", "g(int)", "ü"]), "calls": rng.randint(0, 9)}
    key = rng.choice(["self_ns", "samples", "none"])
    if key != "none":
        r[key] = rng.randint(0, 5000)
    if key == "self_ns" and rng.random() < 0.5:
        r["self_off_ns"] = rng.randint(0, r[key])
    return r


def random_record(rng, sample_units):
    kind = rng.choice([*MEASURED, "task", "critical", "sample", "query_cost",
                       "query_stat", "other"])
    if kind == "sample":
        r = {"uid": rng.choice(NAMES), "unit": rng.choice(sample_units),
             "value": rng.choice([0, 7, 2.5, 1e-3])}
        return {"type": "sample"} | r if rng.random() < 0.5 else r
    if kind in ("task", "critical"):
        return random_task(rng, kind)
    r = {"type": kind}
    if kind == "query_cost":
        r["user_function"] = rng.choice("fg")
        maybe(rng, r, "query_text", rng.choice(["select 1", "SELECT 2;",
                                                random_query(rng)]))
        maybe(rng, r, "elapsed_us", rng.randint(0, 9))
    elif kind == "callgraph":
        r["nodes"] = [random_function(rng) | {"function": hex(i)}
                      for i in range(rng.randint(0, 5))]
        r |= {"checksum": "0" * 56, "program": "/p", "time_us": 1,
              "modules": []}
    elif kind == "stat":
        r["stat"] = rng.choice(["function", "type", "other"])
        r |= random_function(rng) | {"elapsed_us": rng.randint(0, 99)}
    elif kind == "group":
        r |= {"by": rng.choice(["rule", "name"]), "value": rng.choice(NAMES)}
        r |= {k: rng.randint(0, 99)
              for k in ("work_us", "path_us", "potential_us")}
    else:
        r |= {k: rng.randint(0, 99) for k in (
            "self_us", "length_us", "elapsed_us", "user_us", "system_us",
            "max_rss_bytes", "wall_us")}
        r["operation"] = rng.choice(["algebra.join", "."])
        if kind == "query_stat":
            maybe(rng, r, "query_text", rng.choice(["select 1",
                                                    random_query(rng)]))
        if rng.random() < 0.5:
            r["query"] = rng.randint(1, 3)
    return r


def random_streams(rng):
    # A profile has one unit for each type.
    units = rng.choice([["rows", "MB/s"], ["rows"]])
    streams = []
    for _ in range(rng.randint(1, 4)):
        runs = rng.choice([[None], [None, "1"], ["1", "2", "3"]])
        records = []
        for _ in range(rng.randint(0, 12)):
            r = random_record(rng, units)
            run = rng.choice(runs)
            if run is not None:
                r["run"] = run
            records.append(r)
        streams.append(records)
    return streams


def with_boundaries(streams):
    for records in streams:
        yield {"type": "begin", "by": "x", "version": "1"}
        yield from records
        yield {"type": "end", "by": "x", "records": len(records),
               "rejected": 0}


def resources_of(text):
    profile = json.loads(text, parse_float=Fraction)
    return profile["header"], [
        (r["uid"], r["type"], r.get("subtype"), r.get("run"), r["amount"])
        for r in profile["global"]["resources"]]


def mode_records(rng):
    streams = random_streams(rng)
    want, units = profile_of(streams)
    if not want:
        return
    want = [(*w[:4], Fraction(str(w[4])) if isinstance(w[4], float) else w[4])
            for w in want]
    header, got = resources_of(
        run_filter("profile-make", list(with_boundaries(streams))))
    check("resources", want, got)
    check("units", units, header["units"])
    kinds = {w[1] for w in want}
    check("type", kinds.pop() if len(kinds) == 1 else "mixed",
          header["type"])


def mode_profiles(rng):
    """A profile of the profiles of each part has all their samples."""
    parts = [s for s in random_streams(rng) if profile_of([s])[0]]
    if not parts:
        return
    options = ("--cmd", "c")
    profiles = [json.loads(run_filter("profile-make", s, *options),
                           parse_float=float) for s in parts]
    records = [p if rng.random() < 0.5 else {"type": "profile", "profile": p}
               for p in profiles]
    want = [resource for p in profiles
            for resource in resources_of(json.dumps(p))[1]]
    got = resources_of(run_filter("profile-make", records, *options))[1]
    # Flattening sorts the resources of a profile by uid and type.
    check("resources", sorted(want, key=str), sorted(got, key=str))


if __name__ == "__main__":
    main(globals(), None)
