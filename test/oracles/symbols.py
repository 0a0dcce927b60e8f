"""symbols.py MODE ... - compares symbolization with addr2line

addresses FILE COUNT SEED	prints addresses of its functions, one per line
compare FILE COUNT SEED		compares the program `symbols' with addr2line
record FILE COUNT SEED BASE	prints a callgraph record of such addresses
check FILE BASE			checks the symbolized record on standard input
damage FILE RECORD COUNT SEED	runs callgraph-symbolize and callgraph-release
				on damaged copies of a file
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
    """Addresses chosen uniformly from the bytes of symbols with a size; all of
    them if there are no more than count."""
    pattern = r"^([0-9a-f]+) ([0-9a-f]+) [tTwWiI] (.*)$"
    found = re.findall(pattern, output_of("nm", "-S", path), re.M)
    spans = [(int(a, 16), int(n, 16)) for a, n, _ in found]
    total = sum(n for _, n in spans)
    rng = random.Random(seed)
    if total <= count:
        return [a + i for a, n in spans for i in range(n)]
    chosen = rng.choices(spans, weights=[n for _, n in spans], k=count)
    return [rng.randrange(a, a + n) for a, n in chosen]


def frames(tool, path, where):
    """The frames of each address as (name, file:line), innermost first."""
    text = "".join("0x%x\n" % a for a in where)
    lines = output_of(*tool, path, text=text).split("\n")
    answers = []
    for line in lines:
        line = re.sub(r" \(discriminator \d+\)$", "", line)
        if re.fullmatch(r"0x[0-9a-f]+", line):
            answers.append([])
        elif line:
            answers[-1].append(line)
    assert len(answers) == len(where), (tool, len(answers), len(where))
    return [list(zip(a[::2], a[1::2])) for a in answers]


def same_place(ours, theirs):
    # addr2line prints an unknown line as 0 or ?.
    if theirs.endswith(":0") or theirs.endswith(":?"):
        theirs = theirs[:-2] + ":?"
    # binutils 2.40 takes file 1 of DWARF 5 for file 0, which is the unit's.
    if re.search(r"(\.cc?|<artificial>):\d+$", theirs) and (
            theirs.split(":")[-1] == ours.split(":")[-1]):
        return True
    # For code without lines binutils prints the file of a file symbol.
    if ours == "??:?":
        return "/" not in theirs
    return ours == theirs


def same_name(ours, theirs, is_function):
    """binutils prints a static C++ function by either of its names, and an
    inlined one without a linkage name by the name of the function around it."""
    def bare(name):
        return re.sub(r"\(.*", "", name).split("::")[-1]
    return ours == theirs or bare(ours) == bare(theirs) or (
        not is_function and "(" not in ours)


def same(ours, theirs):
    # After a function's last instruction, binutils still prints its name.
    if ours[-1][0] == "??":
        return True
    return len(ours) == len(theirs) and all(
        same_name(a[0], b[0], i == len(ours) - 1) and same_place(a[1], b[1])
        for i, (a, b) in enumerate(zip(ours, theirs)))


ADDR2LINE = ["addr2line", "-f", "-i", "-C", "-a", "-e"]


def compare(path, count, seed):
    where = addresses(path, int(count), seed)
    ours = frames(["symbols"], path, where)
    theirs = frames(ADDR2LINE, path, where)
    wrong = unknown = 0
    for a, x, y in zip(where, ours, theirs):
        unknown += x[-1][0] == "??"
        if not same(x, y):
            wrong += 1
            if wrong <= 5:
                print("0x%x\n  ours   %s\n  theirs %s" % (a, x, y))
    deepest = max(map(len, ours))
    print("%d addresses, %d wrong, %d unknown, up to %d functions each" % (
        len(where), wrong, unknown, deepest))
    if wrong or unknown * 100 > len(where):
        sys.exit(1)


def build_id(path):
    found = re.search(r"Build ID: (\w+)", output_of("readelf", "-nW", path))
    return found and found[1]


def record(path, count, seed, base):
    base = int(base, 16)
    rng = random.Random(seed)
    where = addresses(path, int(count), seed)
    nodes = []
    for i, a in enumerate(where):
        node = {"function": "0x%x" % (base + a), "calls": i}
        if i > 0:
            node["parent"] = rng.randrange(i)
            node["call_site"] = "0x%x" % (base + rng.choice(where) + 1)
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
    return "%s:%s" % (node.get(file, "??"), node.get(line, "?"))


def check(path, base):
    """The chain of inlined calls of each call must agree with addr2line."""
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
        names = [c.get("name", "??") for c in chain] + [want[-1][0]]
        assert same(list(zip(names, places)), want), (n, want)
    for n, want in zip(nodes, named):
        assert "name" not in n or same_name(n["name"], want[-1][0], True), (
            n, want)
    print(len(nodes), sum("name" in n for n in nodes),
        sum("call_inlined" in n for n in nodes))
    if sum("name" in n for n in nodes) * 100 < 99 * len(nodes):
        sys.exit("too few names")


def damaged(original, rng):
    data = bytearray(original)
    if rng.random() < 0.3:
        del data[rng.randrange(len(data)):]
        return data
    # The first 64 bytes, the ELF header, are damaged only in half of the files.
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
            done = subprocess.run(command, capture_output=True, timeout=60)
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
            "damage": damage}[mode](*arguments)
