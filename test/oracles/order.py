"""Checks the order in which pidx-read counts 0@i, 1@i and so on.

order.py SEED COUNT makes COUNT random indexes and settings in the store of the
current directory, and compares the path of each N@i with the answer of Perun's
rules: one stable sort for each key, from the last key to the first.
"""

import json
import random
import re
import subprocess
import sys

import perun

KEYS = ["time", "stem", "copy", "realpath", "source", "type", "cmd",
        "workload", "collector", "checksum"]
NAMES = ["a.perf", "a(1).perf", "a(2).perf", "a(10).perf", "a(x).perf",
         "a().perf", "(3).perf", "b", "b(7)", "a(1)(2).perf", ".perf", "c)"]


def stem_and_copy(path):
    """The stem and the copy of "stem(copy).perf"."""
    stem = path[:-5] if path.endswith(".perf") and len(path) > 5 else path
    match = re.fullmatch(r"(.*)\(([0-9]+)\)", stem)
    return (match[1], int(match[2])) if match else (stem, 0)


def value(entry, key):
    """What an entry is sorted by."""
    if key in ("stem", "copy"):
        return stem_and_copy(entry["path"])[key == "copy"]
    name = {"realpath": "path", "source": "path", "checksum": "object",
            "type": "profile_type"}.get(key, key)
    return entry[name]


def expected(entries, keys, orders, is_new):
    """The paths of the entries in the order of Perun's status."""
    keys = keys or (["time", "stem", "copy"] if is_new else ["time"])
    rest = "asc" if is_new else "desc"
    orders = orders + [rest] * len(keys)
    for key, order in reversed(list(zip(keys, orders))):
        entries = sorted(entries, key=lambda e, k=key: value(e, k),
                         reverse=order == "desc")
    return [e["path"] for e in entries]


def random_setting(rng, choices):
    """A list of texts and its YAML: nothing, a text or a list."""
    form = rng.choice(["none", "text", "list"])
    if form == "none":
        return [], None
    texts = [rng.choice(choices) for _ in range(rng.randint(1, 4))]
    if form == "text":
        return texts[:1], texts[0]
    return texts, "[" + ", ".join(texts) + "]"


def write_settings(rng):
    """Writes local.yml; returns the keys, the orders and whether it is new."""
    keys, keys_text = random_setting(rng, KEYS)
    orders, orders_text = random_setting(rng, ["asc", "desc"])
    with open(".perun/local.yml", "w", encoding="utf-8") as out:
        out.write("vcs:\n  type: git\n  url: ..\nformat:\n  x: y\n")
        if keys_text:
            out.write(f"  sort_profiles_by: {keys_text}\n")
        if orders_text:
            out.write(f"  sort_profiles_order: {orders_text}\n")
    return keys, orders, bool(orders or (keys_text or "").startswith("["))


def write_index(rng, commit):
    """Writes a random index of version 2 and returns its entries."""
    entries = [{"path": path, "time": rng.randint(1, 2),
                "object": "%040x" % rng.getrandbits(160),
                "profile_type": rng.choice(["time", "memory"]),
                "cmd": rng.choice("xy"), "workload": rng.choice(["", "w"]),
                "collector": rng.choice("cd"), "postprocessors": []}
               for path in sorted(rng.sample(NAMES, rng.choice([1, 9, 12])))]
    perun.write(f".perun/objects/{commit[:2]}/{commit[2:]}",
                perun.index_of(entries, "2"))
    return entries


def answer(number, options):
    """The path of N@i, as pidx-read finds it."""
    done = subprocess.run(["pidx-read", "-f", f"{number}@i"] + options +
                          ["HEAD"], stdout=subprocess.PIPE, check=True)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return [r["path"] for r in records if r["type"] == "entry"]


def main():
    """Checks random cases; prints the first one that differs."""
    rng = random.Random(int(sys.argv[1]))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    for _ in range(int(sys.argv[2])):
        keys, orders, is_new = write_settings(rng)
        entries = write_index(rng, commit)
        options = []
        if rng.random() < 0.3:
            keys = [rng.choice(KEYS) for _ in range(rng.randint(1, 3))]
            options = ["--sort", ",".join(keys)]
        wanted = expected(entries, keys, orders, is_new)
        found = [answer(n, options) for n in range(len(entries))]
        if found != [[path] for path in wanted]:
            sys.exit(f"{keys} {orders} {is_new}\n{wanted}\n{found}")


main()
