"""callgraph-stat.py MODE ... - an independent callgraph-stat

random SEED COUNT	prints records of a few processes of two releases, with
	names in the module b.so only
profile LEVEL	the measures of each function, file, module or callsite in the
	records on standard input
calls NAME	likewise: a function, its callers and its callees
change LEVEL OLD	likewise: the difference to the records in the file OLD
normal	normalizes the output of callgraph-stat, to compare it with the above

It follows the definitions: the stack of a node is found by walking up to its
root, and the total time of a function is the self time of all nodes with the
function anywhere on their stack.
"""

import json
import random
import sys

MEASURES = ("calls", "self_ns", "total_ns", "samples")


def random_record(draw, release):
    """Modules move between processes; functions are few, so that they recur."""
    modules, at = [], draw.randrange(1, 1 << 30) << 12
    for name in draw.sample(["app%d" % release, "b.so", "c.so"], 3):
        modules.append({"path": "/x/" + name, "base": hex(at),
            "start": hex(at + 0x100), "end": hex(at + 0x1000)})
        if name != "b.so":
            modules[-1]["build_id"] = name.encode().hex()
        at += 0x1000 + (draw.randrange(9) << 12)
    is_timed, is_sampled = draw.random() < 0.7, draw.random() < 0.5
    nodes = []
    for i in range(draw.randrange(60)):
        node = {}
        if i > 0 and draw.random() < 0.95:
            # Often the node before, so that the tree is deep.
            node["parent"] = draw.choice((i - 1, i - 1, draw.randrange(i)))
            add_call_site(draw, node, draw.choice(modules))
        add_function(draw, node, draw.choice(modules))
        node["calls"] = draw.randrange(1000)
        if is_timed:
            node["self_ns"] = node["total_ns"] = draw.randrange(10 ** 6)
        if is_sampled:
            node["samples"] = draw.randrange(9)
        nodes.append(node)
    for n in reversed(nodes):
        if is_timed and "parent" in n:
            nodes[n["parent"]]["total_ns"] += n["total_ns"]
    return {"type": "callgraph", "checksum": "c%d" % release,
        "modules": modules, "nodes": nodes}


def add_call_site(draw, node, module):
    place = draw.randrange(1, 4)
    # A return address may be one past the end of its module.
    offset = 0x1000 if place == 3 else 0x100 + place
    node["call_site"] = hex(int(module["base"], 16) + offset)
    if "build_id" not in module and place < 3:
        node["call_file"], node["call_line"] = "/s/b \u00e4.c", place


def add_function(draw, node, module):
    place = draw.randrange(4)
    if draw.random() < 0.03:
        node["function"] = "0x7"
        return
    node["function"] = hex(int(module["base"], 16) + 0x100 + 16 * place)
    if "build_id" not in module:
        node["name"] = ("f<a, b>::g(int)", "h", 'k"', "k")[place]
        if place < 3:
            # The two functions named k are in different files.
            node["file"], node["line"] = "/s/%d.c" % place, place + 1


def module_at(record, address):
    for m in record["modules"]:
        if int(m["start"], 16) <= address < int(m["end"], 16):
            return m, address - int(m["base"], 16)
    return None, None


def base_name(m):
    return m["path"].split("/")[-1]


def function_of(record, n):
    """The members that identify the function, as a key."""
    m, offset = module_at(record, int(n.get("function", "-1"), 16))
    shown = {}
    if m:
        shown["module"] = base_name(m)
        if "name" not in n:
            shown["function"] = hex(offset)
    for key in ("name", "file", "line"):
        if key in n:
            shown[key] = n[key]
    return tuple(sorted(shown.items())), m and m.get("build_id", m["path"]) \
        if "name" not in n else None


def label(function):
    shown = dict(function[0])
    if "name" in shown:
        return shown["name"]
    return "%s+%s" % (shown["module"], shown["function"]) \
        if "function" in shown else "??"


def call_site_of(record, n, caller, callee):
    shown = {"callee": label(callee)}
    if caller:
        shown["caller"] = label(caller)
    m = None
    if "call_file" in n:
        shown["call_file"], shown["call_line"] = n["call_file"], n["call_line"]
    elif "call_site" in n:
        m, _ = module_at(record, int(n["call_site"], 16) - 1)
        if m:
            shown["module"] = base_name(m)
            shown["call_site"] = hex(int(n["call_site"], 16) -
                int(m["base"], 16))
    return tuple(sorted(shown.items())), (caller, callee,
        m and m.get("build_id", m["path"]))


def group_of(level, record, n, functions):
    mine = function_of(record, n)
    if level == "function":
        return mine
    if level == "callsite":
        return call_site_of(record, n, functions[n["parent"]]
            if "parent" in n else None, mine)
    shown = dict(mine[0])
    return tuple((k, v) for k, v in shown.items() if k == level), None


def add(sums, key, n):
    if n is not None:
        sums[key] = sums.get(key, 0) + n


def add_up(level, records):
    """{group: {measure: sum}}; the group None has the totals."""
    groups = {None: {"records": 0, "nodes": 0, "depth": 0}}
    whole = groups[None]
    for r in records:
        nodes = r["nodes"]
        functions = [function_of(r, n) for n in nodes]
        mine = [group_of(level, r, n, functions) for n in nodes]
        whole["records"] += 1
        whole["nodes"] += len(nodes)
        for i, n in enumerate(nodes):
            above, at = [], n
            while "parent" in at:
                above.append(mine[at["parent"]])
                at = nodes[at["parent"]]
            sums = groups.setdefault(mine[i], {"outer": 0})
            for key in ("calls", "self_ns", "samples"):
                add(sums, key, n.get(key))
                add(whole, key, n.get(key))
            for group in set(above + [mine[i]]):
                add(groups[group], "total_ns", n.get("self_ns"))
            add(whole, "total_ns", n.get("self_ns"))
            if mine[i] not in above:
                sums["outer"] += n["calls"]
            whole["depth"] = max(whole["depth"], len(above) + 1)
    return groups


def per_call(sums, prefix=""):
    answer = {}
    if sums.get("calls") and "self_ns" in sums:
        answer[prefix + "self_per_call_ns"] = sums["self_ns"] // sums["calls"]
    if sums.get("outer") and "total_ns" in sums:
        answer[prefix + "total_per_call_ns"] = (
            sums["total_ns"] // sums["outer"])
    return answer


def entry(stat, group, sums, whole):
    answer = {"type": "stat", "stat": stat, **dict(group[0]), **per_call(sums)}
    answer.update({k: sums[k] for k in MEASURES if k in sums})
    if sums["calls"] > sums["outer"]:
        answer["recursive_calls"] = sums["calls"] - sums["outer"]
    for key, part, of in (("self_share", "self_ns", "self_ns"),
            ("total_share", "total_ns", "self_ns"),
            ("samples_share", "samples", "samples")):
        if part in sums and whole.get(of):
            answer[key] = sums[part] / whole[of]
    return answer


def program(whole, old=None):
    answer = {"type": "stat", "stat": "program", **whole}
    for key in MEASURES:
        if old and key in old:
            answer["before_" + key] = old[key]
            if key in whole:
                answer["change_" + key] = whole[key] - old[key]
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
        if group and (label(group) + "(").startswith(name + "("):
            yield entry("function", group, sums, functions[None])
            for site, site_sums in sites.items():
                for i, stat in enumerate(("callee", "caller")):
                    if site and site[1][i] == group:
                        yield entry(stat, site, site_sums, sites[None])
    yield program(functions[None])


def change(level, records, old_records):
    now, old = add_up(level, records), add_up(level, old_records)
    for group in set(now) | set(old):
        if not group:
            continue
        a, b = now.get(group), old.get(group)
        answer = {"type": "stat", "stat": "change", "of": level,
            **dict(group[0]), **per_call(a or {}),
            **per_call(b or {}, "before_")}
        answer.update({} if b else {"new": True})
        answer.update({} if a else {"vanished": True})
        for key in MEASURES:
            x = a.get(key) if a else 0 if key in now[None] else None
            y = b.get(key) if b else 0 if key in old[None] else None
            if a and x is not None:
                answer[key] = x
            if b and y is not None:
                answer["before_" + key] = y
            if x is not None and y is not None:
                answer["change_" + key] = x - y
                if b and y:
                    answer["growth_" + key.replace("_ns", "")] = (x - y) / y
        if not (a and b) or any(v for k, v in answer.items()
                if k.startswith("change_")):
            yield answer
    yield program(now[None], old[None])


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
        draw = random.Random(sys.argv[2])
        for _ in range(int(sys.argv[3])):
            print(json.dumps(random_record(draw, draw.randrange(2))))
        sys.exit()
    records = list(map(json.loads, sys.stdin))
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
