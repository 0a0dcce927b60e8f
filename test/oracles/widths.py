#!/usr/bin/env python3
"""widths.py - counts the cells of reports, independently of common/report

    widths.py rename SEED       replaces the names in records by difficult ones,
                                equal names by equal ones
    widths.py check FILE...     fails if a line of a file is wider than the
                                number at the start of the file's name
    widths.py markdown          fails if a name is not in a code span, a table
                                follows a line of text, or rows of a table
                                differ in their number of cells
"""

import json
import random
import re
import sys
import unicodedata

# Keys whose values are words of weir, numbers or hashes.
KEPT = {"type", "by", "kind", "status", "checksum", "build_id", "base",
        "start", "end", "function", "call_site", "version", "state", "mal_module",
        "instruction"}
PIECES = [
    "\u7f16\u8bd1/\u5e93/", "e\u0301o\u0308\u0323", "\U0001f600\U0001f680",
    "\u2764\ufe0f", "\u1100\u1161", "\u0915\u093e", "\u200b", "\u202e", "\t",
    "lib/net/", "std::map<int, std::pair<A, B> >::find(int const&) const",
    "ns::Class<A, (B)3>::operator()(std::vector<int>&&)", "->", "  ", " ",
    "@everyone", "<img src=x>", "https://weir.example/a", "[a](b)", "a|b",
    "`", "``", "\\|", "\\", "#12", "$x$", "&lt;", "*_~", ":tada:"]
ACTIVE = re.compile(r"@|<(?!\d)|http|\]\(|:tada:|\$|&|#12|_~|`")


def cells(text):
    width = 0
    for c in text:
        if unicodedata.category(c) not in ("Mn", "Me", "Cf"):
            width += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return width


def difficult(seed, name):
    rng = random.Random(f"{seed}/{name}")
    text = "".join(rng.choice(PIECES)
                   for _ in range(rng.choice([1, 2, 3, 5, 9])))
    if rng.random() < 0.1:
        text = "n" * 1000
    return (text + f"::f{rng.randrange(1000)}(int)" if rng.random() < 0.3
            else text + name)


def renamed(seed, value, key=None):
    if isinstance(value, dict):
        return {k: renamed(seed, v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [renamed(seed, v, key) for v in value]
    if not isinstance(value, str) or key in KEPT or value == "":
        return value
    return difficult(seed, value)


def rename(seed):
    for line in sys.stdin:
        record = json.loads(line)
        if record["type"] not in ("begin", "end"):
            record = renamed(seed, record)
        print(json.dumps(record))


def check(*files):
    for file in files:
        width = int(re.match(r"\d+", file)[0])
        with open(file, "rb") as f:
            lines = f.read().decode().split("\n")
        for line in lines:
            if cells(line) > width:
                sys.exit(f"{file}: {cells(line)} cells, not {width}: {line!r}")
            if re.search(r"[\x00-\x1f\x7f-\x9f]", line):
                sys.exit(f"{file}: a control character: {line!r}")
        if len(lines) < 3:
            sys.exit(f"{file}: there is no report")


def without_code(line):
    """Removes code spans: a run of backticks ends at the next equal run."""
    rest, out = line, ""
    while m := re.search(r"`+", rest):
        run = m[0]
        end = re.search(rf"(?<!`){run}(?!`)", rest[m.end():])
        if not end:
            break
        out += rest[:m.start()] + "code"
        rest = rest[m.end() + end.end():]
    return out + rest


def markdown():
    n_cells = n_code = 0
    previous = ""
    for line in sys.stdin.buffer.read().decode().split("\n"):
        n_code += "`" in line
        if ACTIVE.search(without_code(line)):
            sys.exit(f"active: {line!r}")
        if not line.startswith("|"):
            n_cells, previous = 0, line
            continue
        if n_cells == 0 and previous != "":
            sys.exit(f"a table after {previous!r}: {line!r}")
        n = len(re.findall(r"(?<!\\)\|", line))
        if n_cells not in (0, n):
            sys.exit(f"{n} cells, not {n_cells}: {line!r}")
        n_cells = n
    if n_code < 3:
        sys.exit("there are no names")


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
