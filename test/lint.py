#!/usr/bin/env python3
"""lint.py [BUILD] - checks the structure of the source

The layers: the #include lines of common/ follow the order of LAYERS; the domains
do not include each other, except as in MAY_USE; a filter includes only common/
and its own files, and instrument/ only its own.  The words: identifiers do not
use private words for which the field has a term.  With BUILD, the folder of the
object files: the files of common/, of each filter and of instrument/ do not
depend on each other in cycles, by the symbols that they define and use.

Prints a line for each fault; exit status 1 if there is one.
"""

import collections
import pathlib
import re
import subprocess
import sys

LAYERS = ["base", "io", "json", "frame"]
DOMAINS = ["build", "mal", "vcs", "perun", "program"]
MAY_USE = {("perun", "vcs")}

# The word, and what to use instead.
WORDS = {
    r"\w+_MOST": "_MAX", r"\w+_LEAST": "_MIN", r"EXIT_WELL": "EXIT_OK",
    r"EXIT_TROUBLE": "EXIT_FATAL", r"(?i)\w*brim": "overflow",
    r"stand_ins?": "placeholder", r"NEVER": "UNLIKELY", r"RARE": "COLD",
    r"nobody": "nil", r"\w*circles?": "cycle", r"(un)?settled?\w*": "resolve",
    r"mend(ed|s|_\w+)?": "repair", r"(is_)?good": "say of what: valid, whole",
    r"mess": "state", r"capped_\w+": "saturating", r"turn": "say of what",
    r"\w*_?told": "reported", r"weigh": "compare", r"behind": "after",
}

faults = 0


def report(message):
    global faults
    faults += 1
    print(message)


def may_include(path, included):
    here, there = path.parts, pathlib.PurePath(included).parts
    if here[0] == "instrument":
        return there[0] == "instrument"
    if here[0] == "filters":
        return there[0] == "common" or len(here) == 3 and here[:2] == there[:2]
    if there[0] != "common" or len(there) != 3:
        return False
    here, there = here[1], there[1]
    if there in LAYERS:
        return here in DOMAINS or LAYERS.index(there) <= LAYERS.index(here)
    return here == there or (here, there) in MAY_USE


def check_includes(path, text):
    for n, line in enumerate(text.split("\n"), 1):
        m = re.match(r'\s*#\s*include\s+"(.*)"', line)
        if m and not may_include(path, m[1]):
            report(f"{path}:{n}: {path.parent}/ must not include {m[1]}")


def check_words(path, text):
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"', blank, text, flags=re.S)
    for n, line in enumerate(text.split("\n"), 1):
        for name in re.findall(r"[A-Za-z_]\w*", line):
            for word, instead in WORDS.items():
                if re.fullmatch(word, name):
                    report(f"{path}:{n}: '{name}': {instead}")


def symbols(objects):
    """{symbol: the object that defines it}, {object: symbols that it uses}"""
    defined, used = {}, collections.defaultdict(set)
    out = subprocess.run(["gcc-nm", "-A", "-g", *objects], check=True,
        capture_output=True, text=True).stdout
    for line in out.splitlines():
        m = re.match(r"(.*?):\s*[0-9a-f]*\s+(\w) (\S+)$", line)
        if m[2] == "U":
            used[m[1]].add(m[3])
        else:
            defined[m[3]] = m[1]
    return defined, used


def reachable(graph, start):
    seen, stack = set(), list(graph[start])
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += graph[node]
    return seen


def check_cycles(name, objects):
    defined, used = symbols(objects)
    graph = {o: {defined[s] for s in used[o] if s in defined} for o in objects}
    reach = {o: reachable(graph, o) for o in objects}
    cyclic = {frozenset(p for p in reach[o] if o in reach[p])
        for o in objects if o in reach[o]}
    for cycle in sorted(map(sorted, cyclic)):
        report(f"{name}: a cycle: {', '.join(map(source_of, cycle))}")


def source_of(path):
    return "/".join(pathlib.PurePath(path).with_suffix(".c").parts[-3:])


def objects_of(build, folder):
    return [str(o) for s in sorted(pathlib.Path(folder).rglob("*.c"))
        if (o := pathlib.Path(build, s.with_suffix(".o"))).exists()]


def main():
    for folder in ("common", "filters", "instrument"):
        for path in sorted(pathlib.Path(folder).rglob("*.[ch]")):
            text = path.read_text()
            check_includes(path, text)
            check_words(path, text)
    if len(sys.argv) > 1:
        folders = ["common", "instrument", *(str(p)
            for p in sorted(pathlib.Path("filters").iterdir()) if p.is_dir())]
        for folder in folders:
            objects = objects_of(sys.argv[1], folder)
            if objects:
                check_cycles(folder, objects)
    sys.exit(faults > 0)


main()
