#!/usr/bin/env python3
"""archive.py LOG COUNT FOLDER - makes an archive of builds from one log

Writes COUNT logs to FOLDER, in a folder for each day of November 2026, by
changing LOG, a log of distbuild: each build has a speed of its own, its runs end earlier by a
random part of their time, so that the critical path is not always the same, and
its hosts have other names.  No task begins before what it waits for has ended.
The same arguments give the same bytes.
"""

import pathlib
import random
import sys

START_MS, MONTH_MS = 1793491200000, 30 * 24 * 3600 * 1000
DAY_MS = 24 * 3600 * 1000
HOSTS = ["ash-01", "ash-02", "elm-03", "elm-04", "oak-07", "oak-08"]


def times_of_starts(events):
    return {e[2]: int(e[0]) for e in events if e[1] == "started"}


def changed(events, rng, start_ms):
    """The events of another build, which begins at start_ms."""
    # Only random() gives the same numbers in all versions of Python.
    hosts = sorted({e[3] for e in events if e[1] == "started"})
    names = dict(zip(hosts, sorted(HOSTS, key=lambda _: rng.random())))
    speed = 0.5 + rng.random()
    began = times_of_starts(events)
    share = {uid: 0.3 + 0.7 * rng.random() for uid in began}
    first_ms = min(int(e[0]) for e in events)
    for time, event, *fields in events:
        ms = int(time)
        if event == "finished":
            uid = fields[0]
            ms = began[uid] + (ms - began[uid]) * share[uid]
        ms = start_ms + int((ms - first_ms) / speed)
        yield " ".join([str(ms), event, *(names.get(f, f) for f in fields)])


def main():
    log, count, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(log) as f:
        events = [line.rstrip("\n").split(" ") for line in f]
    for i in range(count):
        start_ms = START_MS + i * MONTH_MS // count
        day = 1 + (start_ms - START_MS) // DAY_MS
        path = pathlib.Path(folder, f"2026-11-{day:02}", f"{i:04}.log")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n"
            for line in changed(events, random.Random(i), start_ms)))


main()
