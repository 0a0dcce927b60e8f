#!/usr/bin/env python3
"""instrument.py RECORDS... - checks callgraph records

The files counts.PID beside RECORDS are those in which programs counted their
own calls, in lines of "LINE FUNCTION NUMBER" (see count.h).  Checks that each
record is well-formed, that each call site is in the function of the parent
node, that the end record has the number of records between the begin and the
end record, and that each process called each function from each line as often
as its own count says.
Names come from nm and lines from addr2line, independently of weir.  Prints one
line for each callgraph record.  If the environment variable COROUTINES is set,
call sites may be in other functions.
"""

import bisect
import collections
import functools
import glob
import json
import os
import re
import subprocess
import sys


@functools.cache
def symbols(path):
    """The names of functions, by address, in the order of addresses."""
    text = subprocess.run(["nm", "-Cn", path], capture_output=True,
        text=True).stdout
    return {int(m[1], 16): m[2].split("(")[0] for m in
        re.finditer(r"^([0-9a-f]+) [tTwW] (.*)$", text, re.M)}


@functools.cache
def starts_of(path):
    return list(symbols(path))


def function_at(path, address):
    starts = starts_of(path)
    i = bisect.bisect_right(starts, address)
    return starts[i - 1] if i > 0 else None


line_memo = collections.defaultdict(dict)       # path -> address -> line


def lines(path, addresses):
    """The source lines of calls, by return address."""
    memo = line_memo[path]
    addresses = [a for a in addresses if a not in memo]
    if not addresses:
        return memo
    # The call is before its return address.  addr2line prints FILE:LINE, "?"
    # for an unknown line, and sometimes more after a space.
    out = subprocess.run(["addr2line", "-e", path] + [hex(a - 1) for a in
        addresses], capture_output=True, text=True).stdout.split("\n")
    memo.update({a: int(re.sub(r" .*|[^0-9 ]", "", line.rsplit(":", 1)[-1]) or
        0) for a, line in zip(addresses, out)})
    return memo


def module(record, address):
    """The path of the module that contains the address, and the address in that
    file; or None."""
    memo = record.setdefault("memo", {})
    if address not in memo:
        memo[address] = next(((m["path"], address - int(m["base"], 16))
            for m in record["modules"] if
            int(m["start"], 16) <= address < int(m["end"], 16)), None)
    return memo[address]


def check_form(r):
    """Checks that the nodes of the record are in pre-order (a node's parent is
    the preceding node or one of that node's ancestors), and that no two
    siblings are the same call."""
    assert re.fullmatch("[0-9a-f]{56}", r["checksum"]), r["checksum"]
    nodes = r["nodes"]
    children = [(n["parent"], n["function"], n["call_site"]) for n in nodes if
        "parent" in n]
    assert len(set(children)) == len(children)
    for i, n in enumerate(nodes):
        parent = n.get("parent")
        assert parent is None or 0 <= parent < i, (i, parent)
        above = i - 1 if i > 0 else None
        while above is not None and above != parent:
            above = nodes[above].get("parent")
        assert above == parent, ("not in pre-order", i)
        assert n["calls"] >= 0
        assert module(r, int(n["function"], 16)), n
    used = {int(a, 16) for a in {n[k] for n in nodes for k in ("function",
        "call_site")}}
    for m in r["modules"]:
        assert any(int(m["start"], 16) <= a < int(m["end"], 16)
            for a in used), m


def check_stacks(r):
    """Checks that the call site of a node is in the function of its parent."""
    nodes = r["nodes"]
    # A place is the path of a module and an address in that file.
    places = [module(r, int(n["function"], 16)) for n in nodes]
    known = set(places)
    for n, place in zip(nodes, places):
        site = module(r, int(n["call_site"], 16))
        caller = site and (site[0], function_at(site[0], site[1] - 1))
        if caller not in known:         # not an instrumented function
            continue
        parent = places[n["parent"]] if "parent" in n else None
        names = [symbols(p[0]).get(p[1]) for p in (place, parent) if p]
        # In programs/instrument/cases.c, built_in() is inlined into jump_to():
        # it has no call site there, and calls jump_from() from a site there.
        if names[0] == "built_in" or names == ["jump_from", "built_in"]:
            continue
        assert parent == caller, (names, symbols(site[0])[caller[1]], n)


def add_calls(r, sums):
    """Adds the calls of a record to sums[pid][line, function]; the line is that
    of the call, or 0 if it is unknown."""
    sites = collections.defaultdict(set)        # path -> call sites
    for n in r["nodes"]:
        site = module(r, int(n["call_site"], 16))
        if site:
            sites[site[0]].add(site[1])
    # Lines in libraries are left out: they count as unknown.
    line_of = {path: lines(path, sorted(a)) for path, a in sites.items()
        if not re.search(r"/lib[^/]*\.so|/ld-", path)}
    for n in r["nodes"]:
        path, address = module(r, int(n["function"], 16))
        name = symbols(path).get(address, hex(address))
        site = module(r, int(n["call_site"], 16))
        line = line_of.get(site[0], {}).get(site[1], 0) if site else 0
        sums[r["pid"]][line, name] += n["calls"]


def check(records):
    """Whether the counts of one recording agree."""
    sums = collections.defaultdict(collections.Counter)
    final = set()           # processes that have left their last record
    sequence = collections.Counter()
    begin, *inner, end = map(json.loads, open(records))
    assert begin["type"] == "begin", begin
    assert (end["type"], end["records"]) == ("end", len(inner)), end
    for r in inner:
        if r["type"] != "callgraph":
            continue
        assert r["sequence"] == sequence[r["pid"]], r["sequence"]
        sequence[r["pid"]] += 1
        assert r["pid"] not in final, "a callgraph after the final one"
        if r.get("final"):
            final.add(r["pid"])
        check_form(r)
        if not os.environ.get("COROUTINES"):
            check_stacks(r)
        add_calls(r, sums)
        print(r["pid"], r["sequence"], len(r["nodes"]), "nodes",
            sum(n["calls"] for n in r["nodes"]), "calls")
    agree = True
    for path in glob.glob(os.path.join(os.path.dirname(records), "counts.*")):
        pid = int(path.rsplit(".", 1)[-1])
        for text in open(path):
            line, name, n = text.split()
            got = sums[pid][int(line), name]
            if got != int(n):
                print("%s: line %s calls %s %s times, not %d" % (path, line,
                    name, n, got))
                agree = False
    return agree


assert len(sys.argv) > 1
sys.exit(not all([check(path) for path in sys.argv[1:]]))
