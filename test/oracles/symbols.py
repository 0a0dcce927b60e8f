"""symbols.py MODE ... - compares symbolization with addr2line

addresses FILE COUNT SEED	prints random addresses in the functions of the
				ELF file FILE, one per line; all of them if
				there are no more than COUNT
compare FILE COUNT SEED		compares programs/symbols with addr2line on such
				addresses
record FILE COUNT SEED BASE	prints a callgraph record of such addresses;
				FILE is loaded at the address BASE
check FILE BASE			checks such a record on standard input, to which
				callgraph-symbolize has added names and lines
callers FILE			checks the callgraphs that an instrumented FILE
				has left, which callgraph-symbolize has copied
				to standard input: a call has a line exactly if
				its call site is in its caller
damage FILE RECORD COUNT SEED	runs callgraph-symbolize and callgraph-release
				on COUNT damaged copies of FILE
"""

import hashlib
import json
import os
import random
import re
import subprocess
import sys


def output_of(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True,
        check=True).stdout


def addresses(path, count, seed):
    """Addresses chosen uniformly from the bytes of symbols with a size; all
    bytes if there are no more than count."""
    pattern = r"^([0-9a-f]+) ([0-9a-f]+) [tTwWiI] (.*)$"
    found = re.findall(pattern, output_of("nm", "-S", path), re.M)
    spans = [(int(a, 16), int(n, 16)) for a, n, _ in found]
    total = sum(n for _, n in spans)
    rng = random.Random(seed)
    if total <= count:
        return [a + i for a, n in spans for i in range(n)]
    chosen = rng.choices(spans, weights=[n for _, n in spans], k=count)
    return [rng.randrange(a, a + n) for a, n in chosen]


def frames(tool, path, wanted):
    """The frames at each of the wanted addresses, a list of (name, file:line),
    innermost first, by the command `tool`."""
    text = "".join("0x%x\n" % a for a in wanted)
    lines = output_of(*tool, path, text=text).split("\n")
    answers = []
    for line in lines:
        line = re.sub(r" \(discriminator \d+\)$", "", line)
        if re.fullmatch(r"0x[0-9a-f]+", line):
            answers.append([])
        elif line:
            answers[-1].append(line)
    assert len(answers) == len(wanted), (tool, len(answers), len(wanted))
    # Names and places alternate.
    return [list(zip(a[::2], a[1::2])) for a in answers]


# In these functions, ours is what weir finds, and theirs what addr2line prints,
# which is a part of binutils.

def same_place(ours, theirs):
    # addr2line prints an unknown line as 0 or ?.
    if theirs.endswith(":0") or theirs.endswith(":?"):
        theirs = theirs[:-2] + ":?"
    # binutils 2.40 takes file 1 of DWARF 5 for file 0, the file of the unit.
    # So where it prints a .c or .cc file, only the line is compared.
    if re.search(r"(\.cc?|<artificial>):\d+$", theirs) and (
            theirs.split(":")[-1] == ours.split(":")[-1]):
        return True
    # For code without lines binutils prints the name in a file symbol of ELF,
    # which has no directory.
    if ours == "??:?":
        return "/" not in theirs
    return ours == theirs


def last_name(name):
    """The name of a function without its namespaces, arguments and result."""
    before = None
    while name != before:
        before, name = name, re.sub(r"<[^<>]*>|\([^()]*\)| const$", "", name)
    return re.split(r"::| ", name.strip())[-1]


def same_name(ours, theirs, is_function):
    """binutils may print either the linkage name or the plain name of a static
    C++ function, and for an inlined one without a linkage name the name of the
    function around it.  is_function: it is not an inlined one."""
    return ours == theirs or last_name(ours) == last_name(theirs) or (
        not is_function and "(" not in ours.replace("operator()", ""))


def same(ours, theirs):
    # After a function's last instruction, binutils still prints its name, but
    # weir does not.
    if ours[-1][0] == "??":
        return True
    return len(ours) == len(theirs) and all(
        same_name(a[0], b[0], i == len(ours) - 1) and same_place(a[1], b[1])
        for i, (a, b) in enumerate(zip(ours, theirs)))


ADDR2LINE = ["addr2line", "-f", "-i", "-C", "-a", "-e"]


def compare(path, count, seed):
    chosen = addresses(path, int(count), seed)
    all_ours = frames(["symbols"], path, chosen)
    all_theirs = frames(ADDR2LINE, path, chosen)
    wrong = unknown = 0
    for address, ours, theirs in zip(chosen, all_ours, all_theirs):
        unknown += ours[-1][0] == "??"
        if not same(ours, theirs):
            wrong += 1
            if wrong <= 5:
                print("0x%x\n  ours   %s\n  theirs %s" % (address, ours,
                    theirs))
    deepest = max(map(len, all_ours))
    print("%d addresses, %d wrong, %d unknown, up to %d functions each" % (
        len(chosen), wrong, unknown, deepest))
    # At most 1 % of the addresses may be without a function.
    if wrong or unknown * 100 > len(chosen):
        sys.exit(1)


def build_id(path):
    found = re.search(r"Build ID: (\w+)", output_of("readelf", "-nW", path))
    return found and found[1]


def record(path, count, seed, base):
    base = int(base, 16)
    rng = random.Random(seed)
    chosen = addresses(path, int(count), seed)
    nodes = []
    for i, a in enumerate(chosen):
        node = {"function": "0x%x" % (base + a), "calls": i}
        if i > 0:
            node["parent"] = rng.randrange(i)
            # Not the call site of the parent: the node would be an inlined
            # call.
            site = None
            while site in (None, nodes[node["parent"]].get("call_site")):
                site = "0x%x" % (base + rng.choice(chosen) + 1)
            node["call_site"] = site
        nodes.append(node)
    full = os.path.realpath(path)
    module = {"path": full, "base": "0x%x" % base, "start": "0x%x" % base,
        "end": "0x%x" % (base + (1 << 30))}
    if build_id(path):
        module["build_id"] = build_id(path)
    with open(path, "rb") as file:
        checksum = hashlib.new("sha512_224", file.read()).hexdigest()
    print(json.dumps({"type": "callgraph", "checksum": checksum,
        "program": full, "pid": 7, "sequence": 0, "time_us": 1,
        "modules": [module], "nodes": nodes}, separators=(",", ":")))


def place(node, file, line):
    """FILE:LINE from the members of a node with these keys."""
    return "%s:%s" % (node.get(file, "??"), node.get(line, "?"))


def check(path, base):
    """The chain of inlined calls of each call must agree with addr2line, and so
    must the names of functions."""
    base = int(base, 16)
    nodes = json.load(sys.stdin)["nodes"]
    calls = [n for n in nodes if "call_site" in n]
    theirs = frames(ADDR2LINE, path,
        [int(n["call_site"], 16) - base - 1 for n in calls])
    named = frames(ADDR2LINE, path,
        [int(n["function"], 16) - base for n in nodes])
    for n, want in zip(calls, theirs):
        chain = n.get("call_inlined", [])
        places = [place(n, "call_file", "call_line")] + [
            place(c, "file", "line") for c in chain]
        # The chain does not name the outermost function, the caller.
        names = [c.get("name", "??") for c in chain] + [want[-1][0]]
        assert same(list(zip(names, places)), want), (n, want)
    for n, want in zip(nodes, named):
        assert "name" not in n or same_name(n["name"], want[-1][0], True), (
            n, want)
    print(len(nodes), sum("name" in n for n in nodes),
        sum("call_inlined" in n for n in nodes))
    if sum("name" in n for n in nodes) * 100 < 99 * len(nodes):
        sys.exit("too few names")


def callers(path):
    """A call must have a line exactly if, by addr2line, the frames at its call
    site include the function of its parent: otherwise the call was inlined, and
    its call site is that of the function into which it was inlined."""
    n_lines = n_inlined = 0
    for r in map(json.loads, sys.stdin):
        if r["type"] != "callgraph":
            continue
        base, end = next((int(m["base"], 16), int(m["end"], 16))
            for m in r["modules"] if m["path"] == r["program"])
        # Calls by libraries, as by qsort(), are not in an instrumented caller.
        calls = [n for n in r["nodes"] if "parent" in n and
            base < int(n["call_site"], 16) <= end]
        chains = frames(ADDR2LINE, path,
            [int(n["call_site"], 16) - base - 1 for n in calls])
        for n, chain in zip(calls, chains):
            caller = last_name(r["nodes"][n["parent"]]["name"])
            is_in_caller = caller in [last_name(name) for name, _ in chain]
            assert is_in_caller == ("call_line" in n), (n, caller, chain)
            n_lines += is_in_caller
            n_inlined += not is_in_caller
    print(n_lines, "calls with a line,", n_inlined, "without")
    if not n_lines or not n_inlined:
        sys.exit(1)


def damaged(original, rng):
    data = bytearray(original)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)):]
        return data
    # The first 64 bytes, the ELF header, may be damaged in half of the files.
    first = 64 * rng.randrange(2)
    for _ in range(rng.choice((1, 3, 30, 300))):
        at = rng.randrange(first, 4096) if rng.random() < 0.1 else \
            rng.randrange(64, len(data))
        data[at] = rng.choice((0, 0xff, 0x7f, 0x80, rng.randrange(256)))
    return data


def damage(path, record_path, count, seed):
    rng = random.Random(seed)
    with open(path, "rb") as file:
        original = file.read()
    statuses = {}
    for i in range(int(count)):
        with open("damaged", "wb") as file:
            file.write(damaged(original, rng))
        for command in (["callgraph-symbolize", "--executable", "damaged",
                record_path], ["callgraph-release", "damaged"]):
            done = subprocess.run(command, capture_output=True, timeout=600)
            key = command[0], done.returncode
            statuses[key] = statuses.get(key, 0) + 1
            assert done.returncode in (0, 1, 2), (i, command,
                done.returncode, done.stderr)
            for line in done.stdout.split(b"\n")[:-1]:
                json.loads(line.decode())
    print(statuses)


if __name__ == "__main__":
    mode, arguments = sys.argv[1], sys.argv[2:]
    if mode == "addresses":
        for found in addresses(arguments[0], int(arguments[1]), arguments[2]):
            print("0x%x" % found)
    else:
        {"compare": compare, "record": record, "check": check,
            "callers": callers, "damage": damage}[mode](*arguments)
