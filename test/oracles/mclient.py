#!/usr/bin/env python3
"""mclient - prints the table of TRACE as MonetDB's client does

Usage: mclient.py FORM [SEED] <STATEMENTS

FORM is csv, header (CSV with the names of columns), tab, expanded, or
box:WIDTH, a table for a terminal of WIDTH columns; box:0 is as wide as needed.
Each line of STATEMENTS is the text of an instruction.  Before the table comes
the query's own result, and after it the number of rows.  All forms are those of
MonetDB's documentation and of traces of 2020 that others have published.

With tuples as FORM, the statements are the ends of instructions as a server of
2012 writes them, format T of weir-mal(5).
"""

import json
import random
import sys


def quoted(text, separator):
    """A cell of CSV."""
    if not any(c in text for c in '"\\\n\r\t' + separator):
        return text
    for c, escape in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"),
                      ("\t", "\\t"), ('"', '""')):
        text = text.replace(c, escape)
    return f'"{text}"'


def csv(rows, separator, header=False):
    print("126\nhello, world")
    if header:
        print("usec", "statement", sep=separator)
    for usec, text in rows:
        print(f"{usec}{separator}{quoted(text, separator)}")


def border(widths, char):
    print("+" + "+".join(char * (width + 2) for width in widths) + "+")


def box(rows, width):
    print("operation successful")
    border([4], "-")
    print("| %1   |")
    border([4], "=")
    print("|  126 |")
    border([4], "-")
    print("1 tuple\nsql:0.964 opt:0.227 run:0.606 clk:6.435 ms")
    first = max(4, max(len(str(usec)) for usec, _ in rows))
    rest = max(len(text) for _, text in rows)
    if width:
        rest = max(9, min(rest, width - first - 7))
    border([first, rest], "-")
    print(f"| {'usec':{first}} | {'statement':{rest}} |")
    border([first, rest], "=")
    n_cropped = 0
    for usec, text in rows:
        lines = [text[i:i + rest] for i in range(0, len(text), rest)]
        n_lines = max(2, 3 * rest // 10)
        is_cropped = len(lines) > n_lines
        n_cropped += is_cropped
        for i, line in enumerate(lines[:n_lines]):
            left, right = ("|", "|") if i == 0 else (":", ":")
            cell = f" {line:{rest}} "
            if is_cropped and i == n_lines - 1:
                cell, right = f" {line[:rest - 2]}...", ">"
            print(f"{left} {usec if i == 0 else '':>{first}} {left}{cell}"
                  f"{right}")
    border([first, rest], "-")
    print(f"{len(rows)} tuple{'s' * (len(rows) != 1)}" +
          f" !{n_cropped} fields truncated!" * (n_cropped > 0))
    if n_cropped > 0:
        print("note: to disable dropping columns and/or truncating fields "
              "use \\w-1")
    print("sql:0.964 opt:0.227 run:0.606 clk:6.435 ms")


def expanded(rows):
    print("-[ RECORD 1 ]-\n%1 | 126")
    for i, (usec, text) in enumerate(rows):
        print(f"-[ RECORD {i + 1} ]".ljust(len(text) + 12, "-"))
        print(f"{'usec':9} | {usec}\nstatement | {text}")


def tuples(rows):
    for i, (usec, text) in enumerate(rows):
        fields = [i, "12:00:00.000500", f"user.s1_1[{i + 1}]31", 2, "done ",
                  usec] + [0] * 7 + [text]
        print("[ " + ",\t".join(json.dumps(f, ensure_ascii=False)
                                for f in fields) + "\t]")


def main():
    form, _, width = sys.argv[1].partition(":")
    rng = random.Random(sys.argv[2] if len(sys.argv) > 2 else "1")
    rows = [(rng.choice([0, 7, 1234567]), line.rstrip("\n"))
            for line in sys.stdin]
    {"csv": lambda: csv(rows, ","),
     "header": lambda: csv(rows, ";", header=True),
     "tab": lambda: csv(rows, "\t"),
     "box": lambda: box(rows, int(width or 0)),
     "expanded": lambda: expanded(rows),
     "tuples": lambda: tuples(rows)}[form]()


main()
