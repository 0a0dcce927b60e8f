#!/usr/bin/env python3
"""lint.py [BUILD] - checks the structure of the source

Includes: a layer of common/ includes only itself and those before it in LAYERS;
a domain may include all layers, but another domain only as in MAY_USE.  A
filter includes only common/, its own files and SHARED_HEADERS, and instrument/
only its own files.  Words: no identifier uses one of WORDS, for which there is
a standard term.  Width: no line is longer than WIDTH columns.  Declarations: a
function of common/ or of a filter that other files use is declared by the
header of its own file.  Cycles, if BUILD, the folder of the object files, is
given: the files of common/, of each filter and of instrument/ do not depend on
each other in cycles, by the symbols that they define and use.  Adapters: each
has at most ADAPTER_LINES, a test that its name begins, and a section of
weir-adapters(7).

Prints a line for each fault; exit status 1 if there is one.
"""

import collections
import functools
import pathlib
import re
import subprocess
import sys

LAYERS = ["base", "io", "json", "report", "filter"]
DOMAINS = ["stats", "build", "mal", "vcs", "perun", "program"]
MAY_USE = {("perun", "vcs")}    # (domain, another one that it may include)
# The layout of the memory that the instrument shares with its wrapper.
SHARED_HEADERS = {"instrument/layout.h"}
WIDTH = 80
ADAPTER_LINES = 90
# Functions that replace those of a library.
NOT_OURS = {"main", "error", "mbedtls_x509_crt_parse_file",
    "seccomp_syscall", "seccomp_result"}     # the last two: from assembly

# A regular expression for each word, and what to use instead.
WORDS = {
    r"\w+_MOST": "_MAX", r"\w+_LEAST": "_MIN", r"EXIT_WELL": "EXIT_OK",
    r"EXIT_TROUBLE": "EXIT_FATAL", r"(?i)\w*brim": "overflow",
    r"stand_ins?": "placeholder", r"NEVER": "UNLIKELY", r"RARE": "COLD",
    r"nobody": "nil", r"\w*circles?": "cycle", r"(un)?settled?\w*": "resolve",
    r"mend(ed|s|_\w+)?": "repair", r"(is_)?good": "in what way? valid, whole",
    r"mess": "state", r"capped_\w+": "saturating", r"turn": "a turn of what?",
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
        return (there[0] == "common" or len(here) > 2 and
            here[:2] == there[:2] or included in SHARED_HEADERS)
    if there[0] != "common" or len(there) != 3:
        return False
    mine, its = here[1], there[1]       # layers or domains
    if its in LAYERS:
        return mine in DOMAINS or LAYERS.index(its) <= LAYERS.index(mine)
    return mine == its or (mine, its) in MAY_USE


def check_includes(path, text):
    for n, line in enumerate(text.split("\n"), 1):
        m = re.match(r'\s*#\s*include\s+"(.*)"', line)
        if m and not may_include(path, m[1]):
            report(f"{path}:{n}: {path.parent}/ must not include {m[1]}")


# The source uses each name about ten times.
@functools.cache
def better_words(name):
    return [instead for word, instead in WORDS.items()
        if re.fullmatch(word, name)]


def check_words(path, text):
    # Comments and strings become spaces; the newlines in them stay, so that
    # line numbers are right.
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"', blank, text, flags=re.S)
    for n, line in enumerate(text.split("\n"), 1):
        for name in re.findall(r"[A-Za-z_]\w*", line):
            for instead in better_words(name):
                report(f"{path}:{n}: '{name}': {instead}")


def check_width(path, text):
    for n, line in enumerate(text.split("\n"), 1):
        width = len(line.expandtabs(8))
        if width > WIDTH:
            report(f"{path}:{n}: {width} columns")


def check_keys(path, text):
    if re.search(r'\bkeys\[\w*\] = \{\s*"type",\s*"', text):
        report(f"{path}: the keys are not listed with their indexes: see "
            "KEY_LIST in common/json/rec.h")


def check_declarations(path, text):
    # The header of the file, or its section of the filter's one header
    header = path.with_suffix(".h")
    shared = path.parent / f"{path.parent.name}.h"
    declared = header.read_text() if header.exists() else ""
    if not header.exists() and shared.exists():
        for section in shared.read_text().split("\n/* --- ")[1:]:
            if section.startswith(f"{path.name} -"):
                declared = section
    for m in re.finditer(r"^(?!static)[a-z][\w *]*\n(\w+)\(", text, re.M):
        if m[1] not in NOT_OURS and not re.search(rf"\b{m[1]}\(", declared):
            report(f"{path}: {m[1]}() is not declared by {header}")


def check_adapter(path, tests, page):
    text = path.read_text()
    check_width(path, text)
    if text.count("\n") > ADAPTER_LINES:
        report(f"{path}: {text.count(chr(10))} lines")
    if not re.search(rf'^@test "{path.stem}: ', tests, re.M):
        report(f"{path}: no test in test/adapters.bats")
    if not re.search(rf"^\.Ss {path.stem}$", page, re.M):
        report(f"{path}: no section in man/weir-adapters.7")


def symbols(objects):
    """{symbol: the object that defines it}, {object: symbols that it uses}"""
    defined, used = {}, collections.defaultdict(set)
    out = subprocess.run(["gcc-nm", "-A", "-g", *objects], check=True,
        capture_output=True, text=True).stdout
    for line in out.splitlines():
        # OBJECT:[ADDRESS] TYPE SYMBOL; types U and w: undefined here
        m = re.match(r"(.*?):\s*[0-9a-f]*\s+(\w) (\S+)$", line)
        if m[2] in "Uw":
            used[m[1]].add(m[3])
        else:
            defined[m[3]] = m[1]
    return defined, used


def check_names(objects):
    """No two modules export one name, not even in programs of their own."""
    out = subprocess.run(["gcc-nm", "-A", "-g", "--defined-only", *objects],
        check=True, capture_output=True, text=True).stdout
    modules = collections.defaultdict(list)
    for name, symbol in re.findall(r"^(.*?):.* (\S+)$", out, re.M):
        modules[symbol].append(name)
    for symbol, names in modules.items():
        if len(names) > 1 and symbol not in NOT_OURS:
            report(f"{symbol} is defined in " + " and ".join(names))


def reachable(graph, start):
    """The nodes to which a path leads; start only if it is in a cycle."""
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
    """The source of an object file: the last three parts of its path."""
    return "/".join(pathlib.PurePath(path).with_suffix(".c").parts[-3:])


def objects_of(build, folder):
    """The object files of a folder's sources, as far as they are built."""
    return [str(o) for s in sorted(pathlib.Path(folder).rglob("*.c"))
        if (o := pathlib.Path(build, s.with_suffix(".o"))).exists()]


def main():
    for folder in ("common", "filters", "instrument"):
        for path in sorted(pathlib.Path(folder).rglob("*.[ch]")):
            text = path.read_text()
            check_includes(path, text)
            check_words(path, text)
            check_width(path, text)
            check_keys(path, text)
            if path.suffix == ".c":
                check_declarations(path, text)
    tests = pathlib.Path("test/adapters.bats").read_text()
    page = pathlib.Path("man/weir-adapters.7").read_text()
    for path in sorted(pathlib.Path("filters/adapters").glob("*.jq")):
        check_adapter(path, tests, page)
    if len(sys.argv) > 1:
        folders = ["common", "instrument", *(str(p)
            for p in sorted(pathlib.Path("filters").iterdir()) if p.is_dir())]
        for folder in folders:
            objects = objects_of(sys.argv[1], folder)
            if objects:
                check_cycles(folder, objects)
        check_names(objects_of(sys.argv[1], "common") +
            objects_of(sys.argv[1], "filters"))
    sys.exit(faults > 0)


main()
