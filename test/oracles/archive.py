#!/usr/bin/env python3
"""archive.py - what cost most on the critical paths, from the answers

Reads the files of answers/.  Prints for host, name and rule the five values
with the most time on critical paths, like reduce.sql: the value, the number of
builds, the time and the potential in seconds.  The times are those of the steps
of the paths; the potential is that of the groups.
"""

import collections
import json
import pathlib

cost = collections.defaultdict(lambda: [set(), 0, 0])
for path in pathlib.Path("answers").glob("*/*.ndjson"):
    for line in path.read_text().splitlines():
        r = json.loads(line)
        if r["type"] == "group":
            cost[r["by"], r["value"]][2] += r["potential_us"]
        if r["type"] != "critical":
            continue
        for by, value in (("name", r.get("name") or r["id"]),
                ("rule", r.get("rule")), ("host", r["host"])):
            if value is not None:
                cost[by, value][0].add(path)
                cost[by, value][1] += r["elapsed_us"]
for by in ("host", "name", "rule"):
    values = [(v, c) for (b, v), c in cost.items() if b == by and c[1] > 0]
    values.sort(key=lambda vc: (-vc[1][1], vc[0]))
    for value, (builds, path_us, potential_us) in values[:5]:
        print(by, value, len(builds), f"{path_us / 1e6:.3f}",
            f"{potential_us / 1e6:.3f}")
