#!/usr/bin/env python3
"""bazel-graph - a second reader of Bazel's execution graph log

Usage: bazel-graph.py records FILE      prints the records of a raw log
       bazel-graph.py path FILE         prints the length of its longest path
       bazel-graph.py random SEED COUNT
       bazel-graph.py lookalikes SEED COUNT
       bazel-graph.py text WORD...      writes protoc's text form as a log

Mode random: execlog-parse must give what this program does for random logs,
whole and damaged ones.  Mode lookalikes: random text is not taken for a log.
Mode text: a word "2=5" is a field with a number, "3='x'" one with a text,
"6=[1,2]" one with packed numbers, "5={1=7,2=3}" a message, and ";" ends a
message.
"""

import ast
import gzip
import json
import os
import random
import re
import subprocess
import sys

from oracle import Differ, check, main, without_boundaries

PHASES = {3: "parse", 4: "fetch", 5: "network", 6: "upload", 7: "process",
          8: "setup", 9: "process_outputs", 10: "queue", 11: "retry",
          13: "other", 14: "discover_inputs"}


# --- Reading -----------------------------------------------------------------

class Truncated(Exception):
    pass


class Fault(Exception):
    pass


def read_varint(data, at):
    """A number and where it ends."""
    value = 0
    for i in range(10):
        if at + i >= len(data):
            raise Truncated
        value |= (data[at + i] & 127) << 7 * i
        if data[at + i] < 128:
            if value >= 1 << 64:
                raise Fault("more than 64 bits")
            return value, at + i + 1
    raise Fault("more than 64 bits")


def fields(message):
    """(number, wire type, value) for each field."""
    at = 0
    try:
        while at < len(message):
            tag, at = read_varint(message, at)
            number, wire = tag >> 3, tag & 7
            if number == 0:
                raise Fault("the number 0")
            if wire == 0:
                value, at = read_varint(message, at)
            else:
                if wire not in (1, 2, 5):
                    raise Fault("wire type")
                n = {1: 8, 5: 4}.get(wire)
                if wire == 2:
                    n, at = read_varint(message, at)
                if at + n > len(message):
                    raise Truncated
                value, at = message[at:at + n], at + n
            yield number, wire, value
    except Truncated as why:
        raise Fault("beyond its message") from why


def int32(value):
    low = value & 0xffffffff
    number = low - (1 << 32) if low >> 31 else low
    if value not in (low, number % (1 << 64)):
        raise Fault("more than 32 bits")
    return number


def read_node(message):
    """A dict by field number; 5 is a dict, 6 a list."""
    node = {5: {}, 6: []}
    for number, wire, value in fields(message):
        if number <= 11 and (wire not in (0, 2) if number == 6 else
                             wire != (0 if number in (2, 9) else 2)):
            raise Fault("another wire type than the definition's")
        if number == 5:
            for metric, metric_wire, v in fields(value):
                if metric <= 14 and metric != 12 and metric_wire != 0:
                    raise Fault("a metric is no number")
                if metric == 1:
                    if v > 9007199254740 - 2**31 + 1:
                        raise Fault("negative or too large")
                    node[5][1] = v
                elif metric <= 14 and metric != 12:
                    node[5][metric] = int32(v)
        elif number == 6 and wire == 0:
            node[6].append(int32(value))
        elif number == 6:
            at = 0
            try:
                while at < len(value):
                    v, at = read_varint(value, at)
                    node[6].append(int32(v))
            except Truncated as why:
                raise Fault("a packed number is cut") from why
        elif number in (2, 9):
            node[number] = int32(value)
        elif number <= 11:
            try:
                node[number] = value.decode()
            except UnicodeDecodeError as why:
                raise Fault("no UTF-8") from why
    if node.get(2, 0) < 0:
        raise Fault("negative index")
    return node


def task(ident, node):
    r = {"type": "task", "id": str(ident)}
    name = node.get(1) or node.get(3) or node.get(4)
    if name:
        r["name"] = name
    r["kind"] = "run"
    start, duration = (node[5].get(i, 0) * 1000 for i in (1, 2))
    if start:
        r["start_us"], r["end_us"] = start, start + duration
    r["elapsed_us"] = duration
    for number, key in (3, "target"), (4, "rule"), (7, "host"):
        if node.get(number):
            r[key] = node[number]
    deps = list(node[6])
    if 9 in node and node[9] not in deps:
        deps.append(node[9])
    if deps:
        r["deps"] = [str(i) for i in deps]
    if "cache hit" in node.get(7, ""):
        r["from_cache"] = True
    parts = {PHASES[i]: ms * 1000 for i, ms in sorted(node[5].items())
             if i in PHASES and ms > 0}
    if parts:
        r["parts_us"] = parts
    for number, key in (8, "runner_subtype"), (10, "rule_class"), \
            (11, "identifier"):
        if node.get(number):
            r[key] = node[number]
    return r


def split(data):
    """The messages, each as a node or None if it is faulty, and whether the
    data end within a message."""
    at, nodes = 0, []
    while at < len(data):
        try:
            n, start = read_varint(data, at)
        except Truncated:
            return nodes, True
        if start + n > len(data):
            return nodes, True
        at = start + n
        try:
            nodes.append(read_node(data[start:at]))
        except Fault:
            nodes.append(None)
    return nodes, False


def decode(data):
    """The records, the numbers of the messages with faults, and whether the
    log is one without indexes."""
    nodes, truncated = split(data)
    sound = [n for n in nodes if n is not None]
    first = [2 in n or n[6] != [] for n in sound[:2]]
    bare = len(first) == 2 and not any(first)
    records, faults, seen = [], [], set()
    for i, node in enumerate(nodes, 1):
        if node is None or (bare and (2 in node or node[6])) or \
                (not bare and node.get(2, 0) in seen):
            faults.append(i)
            continue
        if node.get(2, 0) == 0:  # the first node, or all of a bare log
            node.pop(9, None)
        ident = len(records) if bare else node.get(2, 0)
        seen.add(ident)
        records.append(task(ident, node))
    if truncated:
        faults.append(len(nodes) + 1)
    times = [r for r in records if "start_us" in r]
    if times:
        start = min(r["start_us"] for r in times)
        end = max(max(r["start_us"], r["end_us"]) for r in times)
        records.append({"type": "build", "format": "bazel-graph",
                        "start_us": start, "end_us": end,
                        "wall_us": end - start})
    return records, faults, bare


def longest(records):
    """The length of the longest path, in us."""
    tasks = {r["id"]: r for r in records if r["type"] == "task"}
    ends = {}
    while len(ends) < len(tasks):
        for i, r in tasks.items():
            deps = [d for d in r.get("deps", []) if d in tasks]
            if i not in ends and all(d in ends for d in deps):
                ends[i] = max([ends[d] for d in deps], default=0) + \
                    max(r["elapsed_us"], 0)
    return max(ends.values(), default=0)


# --- Writing -----------------------------------------------------------------

def varint(value, longer=0):
    value %= 1 << 64
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    for _ in range(min(longer, 10 - len(out))):
        out[-1] |= 128
        out.append(0)
    return bytes(out)


def field(number, value):
    """A number, a text or bytes, a list of packed numbers, a dict of fields."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    elif isinstance(value, list):
        value = b"".join(varint(v) for v in value)
    elif isinstance(value, dict):
        value = b"".join(field(i, v) for i, v in value.items())
    return varint(number << 3 | 2) + varint(len(value)) + value


def framed(message, longer=0):
    return varint(len(message), longer) + message


def unknown(rng):
    number = rng.choice([12, 15, 16, 99, 1 << 20, (1 << 29) - 1])
    wire = rng.choice([0, 1, 2, 5])
    tag = varint(number << 3 | wire)
    return tag + {0: varint(rng.getrandbits(64)), 1: rng.randbytes(8),
                  2: framed(rng.randbytes(rng.choice([0, 3, 200]))),
                  5: rng.randbytes(4)}[wire]


def random_deps(rng, indexes):
    """Pieces that together are the field of dependencies."""
    deps = rng.sample(indexes, min(rng.choice([0, 0, 1, 3, 9]), len(indexes)))
    if rng.random() < 0.05:
        deps.append(rng.choice([-1, 1 << 20, 2**31 - 1, -2**31]))
    match rng.choice(["packed", "unpacked", "mixed"]):
        case "packed":
            return [field(6, deps)] if deps or rng.random() < 0.1 else []
        case "unpacked":
            return [field(6, d) for d in deps]
    at = rng.randint(0, len(deps))
    return [field(6, deps[:at])] + [field(6, d) for d in deps[at:]]


def random_metrics(rng):
    parts = []
    if rng.random() < 0.9:
        parts.append(field(1, rng.choice([0, 1, 1785361825246,
                                          1785361825246 + rng.randint(0, 9999),
                                          9007199254740 - 2**32])))
    if rng.random() < 0.9:
        parts.append(field(2, rng.choice([0, 1, -1, -2**31, 2**31 - 1,
                                          rng.randint(0, 9999)])))
    for i in rng.sample(range(3, 15), rng.randint(0, 6)):
        parts.append(field(i, {1: 5, 2: 7} if i == 12 else
                           rng.choice([0, -3, rng.randint(1, 999)])))
    if rng.random() < 0.2:
        # Above the known fields of Metrics
        parts.append(varint(16 << 3) + varint(rng.getrandbits(64)))
    rng.shuffle(parts)
    at = rng.choice([0, 0, rng.randint(0, len(parts))])
    return [varint(5 << 3 | 2) + framed(b"".join(p))
            for p in ([parts[:at], parts[at:]] if at else [parts])]


def random_node(rng, index, indexes):
    pieces = random_deps(rng, indexes) + random_metrics(rng)
    if index is not None and (index > 0 or rng.random() < 0.2):
        pieces.append(field(2, index))
    texts = {1: "action 'x'", 3: "//a:b", 4: "Genrule", 7: "remote",
             8: "\u00fc", 10: "cc_library", 11: "a\tb"}
    for i, text in texts.items():
        if rng.random() < 0.6:
            pieces.append(field(i, rng.choice([text, text, "", "\"q\\"])))
    if rng.random() < 0.3:
        pieces.append(field(7, rng.choice(["remote cache hit", "worker",
                                           "disk cache hit", "cache hi"])))
    if rng.random() < 0.2:
        pieces.append(field(9, rng.choice([0, *indexes])))
    for _ in range(rng.choice([0, 0, 1, 2])):
        pieces.append(unknown(rng))
    rng.shuffle(pieces)
    return b"".join(pieces)


def damaged(rng, message):
    match rng.choice(["wire", "beyond", "zero", "index", "varint", "packed",
                      "noise"]):
        case "wire":
            return message + varint(rng.choice([1, 20]) << 3 |
                                    rng.choice([3, 4, 6, 7]))
        case "beyond":
            return message + varint(1 << 3 | 2) + varint(
                rng.choice([1, 100, 2**40, 2**64 - 1]))
        case "zero":
            return message + b"\0\0"
        case "index":
            return message + field(2, rng.choice([-1, 2**33, -2**40]))
        case "varint":
            return message + varint(99 << 3) + b"\xff" * 9 + b"\x02"
        case "packed":
            return message + varint(6 << 3 | 2) + framed(b"\1\x80")
    return rng.randbytes(rng.randint(1, 30))


def random_log(rng):
    n = rng.choice([1, 2, 3, 10, 40])
    indexes = list(range(n))
    if rng.random() < 0.2:
        indexes = rng.sample(range(200 * n), n)
    if rng.random() < 0.2:
        # --experimental_execution_graph_log_dep_type=none
        messages = [random_node(rng, None, []) for _ in indexes]
    else:
        messages = [random_node(rng, i, indexes) for i in indexes]
    rng.shuffle(messages)
    if rng.random() < 0.3:
        messages.insert(rng.randint(0, n), rng.choice(messages))
    if rng.random() < 0.3:
        at = rng.randint(0, len(messages) - 1)
        messages.insert(at, damaged(rng, messages[at]))
    log = b"".join(framed(m, rng.choice([0, 0, 0, 2])) for m in messages)
    if rng.random() < 0.2:
        log = log[:rng.randint(0, len(log))]
    return log


# --- Comparing ---------------------------------------------------------------

def packed(rng, log):
    match rng.choice(["raw", "raw", "gzip", "zstd"]):
        case "gzip":
            return gzip.compress(log, mtime=0)
        case "zstd":
            return subprocess.run(["zstd", "-qc"], input=log, check=True,
                                  capture_output=True).stdout
    return log


def read_log(log, *options):
    with open("log", "wb") as f:
        f.write(log)
    return subprocess.run(["execlog-parse", *options, "log"], check=False,
                          capture_output=True, encoding="utf-8")


def mode_random(rng):
    log = random_log(rng)
    run = read_log(packed(rng, log), "--format", "bazel-graph")
    records, faults, bare = decode(log)
    try:
        got = [json.loads(line) for line in
               without_boundaries(run.stdout).splitlines()]
        if faults and records:
            check("lacks", True, "rejected" in got[-1].pop("lacks", []))
        if got and got[-1] == {"type": "build", "format": "bazel-graph"}:
            got.pop()           # it says only what is missing
        check("records", records, got)
        check("status", 1 if faults else 0, run.returncode)
        check("messages with faults", faults[:10],
              [int(n) for n in re.findall("^execlog-parse: log:([0-9]+): ",
                                          run.stderr, flags=re.M)][:10])
        check("warned of missing indexes", bare, "dep_type" in run.stderr)
    except Differ as why:
        raise SystemExit(f"{why}\n{run.stderr}{log.hex()}") from why


def mode_lookalikes(rng):
    """Text whose first bytes are lengths and tags, with no other sense."""
    alphabet = rng.choice(["09 \n", "\n\t {}[]\"*2:BRZ0123456789abc",
                           "".join(map(chr, [*range(32, 127), 9, 10, 13]))])
    text = "".join(rng.choices(alphabet, k=rng.choice([5, 50, 300])))
    if rng.random() < 0.5:
        text = rng.choice("{[#0123456789") + rng.choice("\n \"2:") + text
    run = read_log(text.encode())
    if "bazel-graph" in run.stdout or re.search("message", run.stderr):
        raise SystemExit(f"{text!r} was taken for a log")


def value_of(text):
    """'x', 5, [1,2] or {1=7,2=3}"""
    return ast.literal_eval(text.replace("=", ":") if text[0] == "{" else text)


def write_text(*words):
    message = b""
    for word in [*words, ";"]:
        if word == ";":
            sys.stdout.buffer.write(framed(message))
            message = b""
        else:
            number, value = word.split("=", 1)
            message += field(int(number), value_of(value))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["records", path]:
            with open(path, "rb") as raw:
                for record in decode(raw.read())[0]:
                    print(json.dumps(record, ensure_ascii=False,
                                     separators=(",", ":")))
        case ["path", path]:
            with open(path, "rb") as raw:
                print(longest(decode(raw.read())[0]))
        case ["text", *words]:
            write_text(*words)
        case _:
            main(globals(), None)
