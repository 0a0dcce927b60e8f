"""callgraph-stat.py MODE ... - an independent callgraph-stat

random SEED COUNT	prints records of a few processes of two releases, with
	names in the module b.so only
profile LEVEL	prints the measures of each group of nodes in the records on
	standard input; LEVEL says what the nodes of a group have in common:
	function, file, module or callsite
calls NAME	likewise for one function, its callers and its callees
change LEVEL OLD	prints how the measures differ between the records in
	the file OLD and those on standard input
normal	sorts the output of callgraph-stat and rounds its ratios, to compare it
	with the above

This program follows the definitions: the stack of a node is found by walking up
to its root, and the total time of a function is the self time of all nodes with
the function anywhere on their stack.
"""

import json
import random
import sys

MEASURES = ("calls", "self_ns", "total_ns", "samples", "self_off_ns",
    "total_off_ns")
GROWTHS = ("growth_calls", "growth_self", "growth_total", "growth_samples",
    "growth_self_off", "growth_total_off")
OFF = {"self_ns": "self_off_ns", "total_ns": "total_off_ns"}


def random_record(rng, release, off_chance):
    """Modules have other addresses in each process.  Functions are few, so that
    there is recursion."""
    modules, at = [], rng.randrange(1, 1 << 30) << 12
    for name in rng.sample(["app%d" % release, "b.so", "c.so"], 3):
        modules.append({"path": "/x/" + name, "base": hex(at),
            "start": hex(at + 0x100), "end": hex(at + 0x1000)})
        if name != "b.so":
            modules[-1]["build_id"] = name.encode().hex()
        at += 0x1000 + (rng.randrange(9) << 12)
    is_timed, is_sampled = rng.random() < 0.7, rng.random() < 0.5
    has_off = is_timed and rng.random() < off_chance
    nodes = []
    for i in range(rng.randrange(60)):
        node = {}
        if i > 0 and rng.random() < 0.95:
            # Often the node before, so that the tree is deep.
            node["parent"] = rng.choice((i - 1, i - 1, rng.randrange(i)))
            add_call_site(rng, node, rng.choice(modules))
        add_function(rng, node, rng.choice(modules))
        node["calls"] = rng.randrange(1000)
        if is_timed:
            node["self_ns"] = node["total_ns"] = rng.randrange(10 ** 6)
        if has_off:
            node["self_off_ns"] = node["total_off_ns"] = rng.randrange(
                node["self_ns"] + 1)
        if is_sampled:
            node["samples"] = rng.randrange(9)
        nodes.append(node)
    for n in reversed(nodes):
        if is_timed and "parent" in n:
            nodes[n["parent"]]["total_ns"] += n["total_ns"]
        if has_off and "parent" in n:
            nodes[n["parent"]]["total_off_ns"] += n["total_off_ns"]
    return {"type": "callgraph", "checksum": "c%d" % release,
        "modules": modules, "nodes": nodes}


def add_call_site(rng, node, module):
    place = rng.randrange(1, 4)         # one of three in the module
    # A return address may be one past the end of its module.
    offset = 0x1000 if place == 3 else 0x100 + place
    node["call_site"] = hex(int(module["base"], 16) + offset)
    if "build_id" not in module and place < 3:
        node["call_file"], node["call_line"] = "/s/b \u00e4.c", place


def add_function(rng, node, module):
    place = rng.randrange(4)            # one of four in the module
    if rng.random() < 0.03:
        node["function"] = "0x7"        # in no module
        return
    node["function"] = hex(int(module["base"], 16) + 0x100 + 16 * place)
    if "build_id" not in module:
        node["name"] = ("f<a, b>::g(int)", "h", 'k"', "k")[place]
        if place < 3:
            # The file of the function named k is unknown.
            node["file"], node["line"] = "/s/%d.c" % place, place + 1


def module_at(record, address):
    for m in record["modules"]:
        if int(m["start"], 16) <= address < int(m["end"], 16):
            return m, address - int(m["base"], 16)
    return None, None


def base_name(module):
    return module["path"].split("/")[-1]


def function_of(record, n):
    """The function of a node as a pair: its members in the output, and, if it
    has no name, the module, which distinguishes it from others."""
    m, offset = module_at(record, int(n.get("function", "-1"), 16))
    members = {}
    if m:
        members["module"] = base_name(m)
        if "name" not in n:
            members["function"] = hex(offset)
    for key in ("name", "file", "line"):
        if key in n:
            members[key] = n[key]
    return tuple(sorted(members.items())), m and m.get("build_id", m["path"]) \
        if "name" not in n else None


def label(function):
    """How callgraph-stat refers to a function."""
    members = dict(function[0])
    if "name" in members:
        return members["name"]
    return "%s+%s" % (members["module"], members["function"]) \
        if "function" in members else "??"


def is_inlined(record, n, site):
    """Whether a call is at the call site of its caller, which is not in the
    caller's module, or would have a line."""
    if "parent" not in n:
        return False
    caller = record["nodes"][n["parent"]]
    return caller.get("call_site") == n["call_site"] and ("file" in caller or
        module_at(record, int(caller["function"], 16))[0] is not site)


def call_site_of(record, n, caller, callee):
    """The call site of a node, as a pair like that of function_of(): its
    members in the output, and what else distinguishes it."""
    members = {"callee": label(callee)}
    if caller:
        members["caller"] = label(caller)
    m = None
    if "call_file" in n:
        members["call_file"] = n["call_file"]
        members["call_line"] = n["call_line"]
    elif "call_site" in n:
        # A call site is the return address: the call is before it.
        m, _ = module_at(record, int(n["call_site"], 16) - 1)
        if m and is_inlined(record, n, m):
            m = None
        if m:
            members["module"] = base_name(m)
            members["call_site"] = hex(int(n["call_site"], 16) -
                int(m["base"], 16))
    return tuple(sorted(members.items())), (caller, callee,
        m and m.get("build_id", m["path"]))


def group_of(level, record, n, functions):
    """The group of a node, also as such a pair.  functions: those of all nodes
    of the record."""
    mine = function_of(record, n)
    if level == "function":
        return mine
    if level == "pair":
        return call_site_of({"modules": []}, {}, functions[n["parent"]]
            if "parent" in n else None, mine)
    if level == "callsite":
        return call_site_of(record, n, functions[n["parent"]]
            if "parent" in n else None, mine)
    members = dict(mine[0])
    return tuple((k, v) for k, v in members.items() if k == level), None


def add(sums, key, value):
    if value is not None:
        sums[key] = sums.get(key, 0) + value


def add_up(level, records):
    """{group: {measure: sum}}; the group None has the totals.  The sum `outer`
    counts the calls that are not made, even indirectly, by the same group."""
    groups = {None: {"records": 0, "nodes": 0, "depth": 0, "elapsed": 0}}
    totals = groups[None]
    for r in records:
        nodes = r["nodes"]
        functions = [function_of(r, n) for n in nodes]
        mine = [group_of(level, r, n, functions) for n in nodes]
        totals["records"] += 1
        totals["nodes"] += len(nodes)
        totals["elapsed"] += any("self_ns" in n and "self_off_ns" not in n
            for n in nodes)
        for i, n in enumerate(nodes):
            above, at = [], n
            while "parent" in at:
                above.append(mine[at["parent"]])
                at = nodes[at["parent"]]
            timed = n["calls"] if "self_ns" in n else None
            sums = groups.setdefault(mine[i], {"outer": 0})
            for key in ("calls", "self_ns", "samples", "self_off_ns"):
                add(sums, key, n.get(key))
                add(totals, key, n.get(key))
            add(sums, "timed", timed)
            add(totals, "timed", timed)
            for total, self in ("total_ns", "self_ns"), ("total_off_ns",
                    "self_off_ns"):
                for group in set(above + [mine[i]]):
                    add(groups[group], total, n.get(self))
                add(totals, total, n.get(self))
            if mine[i] not in above:
                sums["outer"] += n["calls"]
                add(sums, "timed_outer", timed)
            totals["depth"] = max(totals["depth"], len(above) + 1)
    return groups


def on_cpu(sums, key, elapsed):
    """A time that is shown: that on the CPU, unless some record (of their
    number `elapsed`) does not have the time off it."""
    if key not in sums or elapsed:
        return sums.get(key)
    return sums[key] - sums.get(OFF.get(key), 0)


def per_call(sums, elapsed, prefix=""):
    answer = {}
    for key, calls in ("self", "timed"), ("total", "timed_outer"):
        time = on_cpu(sums, key + "_ns", elapsed)
        if sums.get(calls) and time is not None:
            answer[prefix + key + "_per_call_ns"] = time // sums[calls]
    return answer


def measures(sums):
    answer = {k: sums[k] for k in MEASURES if k in sums}
    if "timed" in sums and sums["timed"] != sums["calls"]:
        answer["timed_calls"] = sums["timed"]
    return answer


def entry(stat, group, sums, totals):
    """The record about a group."""
    elapsed = totals["elapsed"]
    answer = {"type": "stat", "stat": stat, **dict(group[0]),
        **per_call(sums, elapsed), **measures(sums)}
    if sums["calls"] > sums["outer"]:
        answer["recursive_calls"] = sums["calls"] - sums["outer"]
    for key, part, of in (("self_share", "self_ns", "self_ns"),
            ("total_share", "total_ns", "self_ns"),
            ("samples_share", "samples", "samples")):
        if part in sums and on_cpu(totals, of, elapsed):
            answer[key] = (on_cpu(sums, part, elapsed) /
                on_cpu(totals, of, elapsed))
    return answer


def program(totals, old=None):
    """The last record; old: the totals before, if it is about a change."""
    answer = {"type": "stat", "stat": "program", **measures(totals)}
    for key in "records", "nodes", "depth":
        answer[key] = totals[key]
    if totals["elapsed"]:
        answer["elapsed_records"] = totals["elapsed"]
    for key in MEASURES:
        if old and key in old:
            answer["before_" + key] = old[key]
            if key in totals:
                answer["change_" + key] = totals[key] - old[key]
    return answer


def profile(level, records):
    groups = add_up(level, records)
    for group, sums in groups.items():
        if group:
            yield entry(level, group, sums, groups[None])
    yield program(groups[None])


def calls(name, records):
    functions, sites = add_up("function", records), add_up("callsite", records)
    for group, sums in functions.items():
        # NAME is a whole name, with or without the parameters.
        if group and (label(group) + "(").startswith(name + "("):
            yield entry("function", group, sums, functions[None])
            # site[1] begins with the caller and the callee.  Where this
            # function is the caller, the entry is about one of its callees,
            # and vice versa.
            for site, site_sums in sites.items():
                for i, stat in enumerate(("callee", "caller")):
                    if site and site[1][i] == group:
                        yield entry(stat, site, site_sums, sites[None])
    yield program(functions[None])


def change(level, records, old_records):
    # Lines and addresses of calls differ between two versions.
    by = "pair" if level == "callsite" else level
    new_groups, old_groups = add_up(by, records), add_up(by, old_records)
    elapsed = new_groups[None]["elapsed"] + old_groups[None]["elapsed"]
    for group in set(new_groups) | set(old_groups):
        if not group:
            continue
        new_sums, old_sums = new_groups.get(group), old_groups.get(group)
        answer = {"type": "stat", "stat": "change", "of": level,
            **dict(group[0]), **measures(new_sums or {}),
            **per_call(new_sums or {}, elapsed),
            **per_call(old_sums or {}, elapsed, "before_")}
        answer.update({} if old_sums else {"new": True})
        answer.update({} if new_sums else {"vanished": True})
        for key, growth in zip(MEASURES, GROWTHS):
            new = sum_of(key, new_sums, new_groups[None])
            old = sum_of(key, old_sums, old_groups[None])
            if old_sums and old is not None:
                answer["before_" + key] = old
            if new is None or old is None:
                continue
            answer["change_" + key] = new - old
            before = old_sums and on_cpu(old_sums, key, elapsed)
            if before:
                answer[growth] = (on_cpu(new_sums or {key: 0}, key, elapsed) -
                    before) / before
        if not (new_sums and old_sums) or any(v for k, v in answer.items()
                if k.startswith("change_")):
            yield answer
    yield program(new_groups[None], old_groups[None])


def sum_of(measure, sums, totals):
    """The measure of a group in one run, None if it is unknown.  A group that
    has no nodes in the run has 0 if the measure is known of other groups."""
    if sums:
        return sums.get(measure)
    return 0 if measure in totals else None


def read(file):
    """The records in a file, without begin and end records."""
    return [r for r in map(json.loads, file) if
        r["type"] not in ("begin", "end")]


def print_sorted(answers):
    lines = []
    for answer in answers:
        for key, value in answer.items():
            if "share" in key or "growth" in key:
                answer[key] = "%.6f" % value
        lines.append(json.dumps(answer, sort_keys=True))
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    mode = sys.argv[1]
    if mode == "random":
        rng = random.Random(sys.argv[2])
        off_chance = rng.choice((0, .5, 1))
        for _ in range(int(sys.argv[3])):
            print(json.dumps(random_record(rng, rng.randrange(2),
                off_chance)))
        sys.exit()
    records = read(sys.stdin)
    if mode == "profile":
        print_sorted(profile(sys.argv[2], records))
    elif mode == "calls":
        print_sorted(calls(sys.argv[2], records))
    elif mode == "change":
        with open(sys.argv[3]) as old:
            print_sorted(change(sys.argv[2], records,
                list(map(json.loads, old))))
    else:
        print_sorted(records)
