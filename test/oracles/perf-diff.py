#!/usr/bin/env python3
"""perf-diff.py MODE SEED COUNT - compares perf-diff with a second
implementation, in plain Python, that follows the definitions: all pairs, all
orders, every window sorted by itself.  Numbers must agree to 1e-9."""

import json
import math
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import oracle

# The thresholds are data; the oracle reads those that the filter uses.
TABLE = {}
for line in open(os.path.join(os.path.dirname(__file__), "..", "..", "common",
                              "stats", "rankscan-table.inc"),
                 encoding="utf-8"):
    if line.startswith("{"):
        m, *c = [float(x) for x in re.findall(r"[\d.]+", line)]
        TABLE[int(m)] = [z for z in c if z > 0]
LEVELS = [0.05, 0.01, 0.001, 0.0001]


def upper(z):
    return math.erfc(z / math.sqrt(2)) / 2


def upper_quantile(p):
    low, high = 0.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if upper(middle) > p else (low, middle)
    return low


def midranks(x):
    return [sum(b < a for b in x) + (sum(b == a for b in x) + 1) / 2
            for a in x]


def ties_of(x):
    return sum(x.count(v) ** 3 - x.count(v) for v in set(x))


# --- two samples ---

def count_below(m, n, bound):
    """How many of the orders of m and n values have at most this U: the
    recursion of Mann and Whitney, by dynamic programming over both sizes."""
    ways = {(0, j): [1] for j in range(n + 1)}
    for i in range(1, m + 1):
        ways[i, 0] = [1]
        for j in range(1, n + 1):
            row = [0] * (i * j + 1)
            for u, w in enumerate(ways[i, j - 1]):
                row[u] += w
            for u, w in enumerate(ways[i - 1, j]):
                row[u + j] += w
            ways[i, j] = row
    return sum(ways[m, n][:int(bound) + 1])


def mann_whitney(b, t):
    m, n = len(b), len(t)
    u = sum((y > x) + (y == x) / 2 for x in b for y in t)
    ties = ties_of(b + t)
    if ties == 0 and m <= 20 and n <= 20:
        return min(1, 2 * count_below(m, n, min(u, m * n - u)) /
                   math.comb(m + n, m))
    size = m + n
    variance = m * n / 12 * (size + 1 - ties / (size * (size - 1)))
    if variance <= 1e-12:
        return 1
    return math.erfc(max(0, abs(u - m * n / 2) - .5) /
                     math.sqrt(variance) / math.sqrt(2))


def hodges_lehmann(b, t):
    stride = 1
    while len(b[::stride]) * len(t[::stride]) > 10 ** 6:
        stride += 1
    b, t = b[::stride], t[::stride]
    d = sorted(y - x for x in b for y in t)
    mn = len(d)
    k = max(1, math.floor(mn / 2 - 1.959964 *
                          math.sqrt(mn * (len(b) + len(t) + 1) / 12)))
    return statistics.median(d), d[k - 1], d[mn - k]


def spread(*sides):
    return 1.4826 * statistics.median(
        abs(x - statistics.median(side)) for side in sides for x in side)


def visible(m, n, z):
    sd = math.sqrt((m + n + 1) / (12 * m * n))
    if z * sd >= .5:
        return math.inf
    low, high = .5, 1.0
    for _ in range(200):
        p = (low + high) / 2
        low, high = ((p, high) if p - .5 < z * sd + .8416 * sd * 2 *
                     math.sqrt(p * (1 - p)) else (low, p))
    return math.sqrt(2) * upper_quantile(1 - low) if low < 1 else math.inf


def holm(p):
    order = sorted(range(len(p)), key=lambda i: p[i])
    q, greatest = [0.0] * len(p), 0
    for rank, i in enumerate(order):
        greatest = max(greatest, min(1, (len(p) - rank) * p[i]))
        q[i] = greatest
    return q


def benjamini_hochberg(p):
    return [min([1] + [len(p) * x / sum(y <= x for y in p)
                       for x in p if x >= own]) for own in p]


# --- series ---

def threshold(m, level):
    lengths = sorted(TABLE)
    if m < lengths[0]:
        return None
    i = max(i for i, length in enumerate(lengths) if length <= m)
    if len(TABLE[lengths[i]]) <= level:
        return None
    if i == len(lengths) - 1:
        i -= 1
    if lengths[i] == m:
        return TABLE[m][level]
    a, b = lengths[i], lengths[i + 1]
    share = (math.log(m) - math.log(a)) / (math.log(b) - math.log(a))
    return TABLE[a][level] + share * (TABLE[b][level] - TABLE[a][level])


def probability(m, z):
    c = [(threshold(m, i), LEVELS[i]) for i in range(4)
         if threshold(m, i) is not None]
    least = 2 / math.comb(m, m // 2)
    if len(c) < 2:
        return 1
    for t, level in c:
        if abs(z - t) <= 5e-5:      # the table has four decimals
            return max(level, least)
    i = 0
    while i < len(c) - 2 and z > c[i + 1][0]:
        i += 1
    (z0, p0), (z1, p1) = c[i], c[i + 1]
    log_p = math.log(p0) + (math.log(p1) - math.log(p0)) * (
        z * z - z0 * z0) / (z1 * z1 - z0 * z0)
    return max(min(1, math.exp(log_p)), least)


def scan(x):
    m = len(x)
    ranks, ties = midranks(x), ties_of(x)
    if m < 8 or ties == m ** 3 - m:
        return 0, 0
    z = {k: abs(sum(ranks[:k]) - k * (m + 1) / 2) /
         math.sqrt(k * (m - k) * (m + 1) / 12 * (1 - ties / (m ** 3 - m)))
         for k in range(4, m - 3)}
    best = max(z.values())
    return best, min(k for k in z if z[k] > best - 1e-9)


def windows(n):
    found, j = [], 1
    while j == 1 or n // j >= 28:
        w = n // j
        found += [(i * w // 2, i * w // 2 + w) for i in range(2 * j - 1)]
        j *= 2
    return found


def is_effect(before, after, effect):
    return after != before and abs(after - before) >= effect * before


def split(x, a, b, f, effect):
    """The changes in x[a:b] and the least p of its own windows."""
    all_windows, candidates, least = windows(b - a), [], 1
    for start, end in all_windows:
        part = x[a + start:a + end]
        z, k = scan(part)
        if z == 0:
            continue
        p = min(1, probability(len(part), z / f) * len(all_windows))
        least = min(least, p)
        c = threshold(len(part), 2)
        if p <= .001 and c is not None and z / f >= c - 5e-5 and is_effect(
                statistics.median(part[:k]), statistics.median(part[k:]),
                effect):
            candidates.append((end - start, p, a + start + k))
    if not candidates:
        return [], least
    # Rounded, because equal probabilities may differ in their last digit.
    w, p, at = min(candidates,
                   key=lambda c: (c[0], float(f"{c[1]:.9e}"), c[2]))
    return (split(x, a, at, f, effect)[0] + [(at, p, w)] +
            split(x, at, b, f, effect)[0], least)


def residuals(x, changes):
    bounds = [0, *(at for at, _, _ in changes), len(x)]
    return [v - statistics.median(x[a:b]) for a, b in zip(bounds, bounds[1:])
            for v in x[a:b]]


def changes_of(x, effect):
    f = 1
    found, least = split(x, 0, len(x), 1, effect)
    d = [r - (len(x) + 1) / 2 for r in midranks(residuals(x, found))]
    squares = sum(v * v for v in d)
    phi = max(0, sum(a * b for a, b in zip(d, d[1:])) / squares
              if squares > 0 else 0)
    if phi > 2 / math.sqrt(len(x)):
        f = math.sqrt((1 + phi) / (1 - phi))
        found, least = split(x, 0, len(x), f, effect)
    return found, least, phi, f


# --- random inputs ---

def near(what, want, got):
    if want is None or isinstance(want, float) and not math.isfinite(want):
        oracle.check(what, None, got)
    elif got is None or abs(want - got) > 1e-9 * max(1, abs(want)):
        raise oracle.Differ(f"{what}: should be {want!r}, is {got!r}")


def level(rng):
    """A function that draws samples of one kind."""
    base, noise = 10 ** rng.uniform(-2, 4), rng.choice([0, .002, .01, .05])
    kind = rng.choice(["normal", "rounded", "integers", "constant", "skewed"])
    return lambda factor: abs({
        "normal": lambda: base * factor * rng.gauss(1, noise),
        "rounded": lambda: round(base * factor * rng.gauss(1, noise), 1),
        "integers": lambda: rng.randint(0, 6) + round(factor),
        "constant": lambda: base * factor,
        "skewed": lambda: base * factor * math.exp(rng.gauss(0, .5)),
    }[kind]())


def run(*arguments, records=None):
    oracle.last_run = ("perf-diff", *arguments), records or []
    text = None if records is None else oracle.lines_of(records)
    done = subprocess.run(["perf-diff", *arguments], input=text,
                          capture_output=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise oracle.Differ(f"status {done.returncode}: {done.stderr}")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    found = [r for r in found if r["type"] in ("change", "changes")]
    oracle.check("status", int(found[-1]["alarms"] > 0), done.returncode)
    return found[:-1], found[-1]


def mode_sides(rng):
    sides, records = {}, {"old": [], "new": []}
    for key in range(rng.randint(1, 8)):
        draw = level(rng)
        sizes = [rng.choice([0, 1, 5, 9, 10, 15, 20, 21, 40]) for _ in "ab"]
        factor = rng.choice([1, 1, 1.01, 1.1, .8])
        sides[f"k{key}"] = [[draw(f) for _ in range(n)]
                            for n, f in zip(sizes, (1, factor))]
    if not any(b or t for b, t in sides.values()):
        return
    for uid, (b, t) in sides.items():
        records["old"] += [{"uid": uid, "value": v} for v in b]
        records["new"] += [{"uid": uid, "value": v} for v in t]
    for name, list_ in records.items():
        list_.append({"type": "other"})
        with open(name, "w", encoding="utf-8") as out:
            out.write(oracle.lines_of(list_))
    found, total = run("old", "new")
    sides = {u: s for u, s in sides.items() if s[0] or s[1]}
    tested = [u for u, s in sides.items() if min(map(len, s)) >= 10]
    p = {u: mann_whitney(*s) for u, s in sides.items() if s[0] and s[1]}
    q = dict(zip(tested, holm([p[u] for u in tested])))
    fdr = dict(zip(tested, benjamini_hochberg([p[u] for u in tested])))
    oracle.check("keys", sorted(sides), sorted(c["uid"] for c in found))
    oracle.check("tested", len(tested), total["tested"])
    for c in found:
        uid = c["uid"]
        b, t = sides[uid]
        oracle.check("n", [len(b), len(t)], [c["n_before"], c["n_after"]])
        if not b or not t:
            oracle.check("verdict", "new" if t else "gone", c["verdict"])
            near("median", statistics.median(b or t),
                 c["after" if t else "before"])
            near("share", sum(b or t) / sum(
                sum(s[1 if t else 0]) for s in sides.values())
                if sum(b or t) else 0, c.get("share", 0))
            continue
        before, after = statistics.median(b), statistics.median(t)
        near(f"{uid}: before", before, c["before"])
        near(f"{uid}: after", after, c["after"])
        near(f"{uid}: p", p[uid], c["p"])
        for name, want in zip(("shift", "low", "high"),
                              hodges_lehmann(b, t)):
            near(f"{uid}: {name}", want, c[name])
        near("q", q.get(uid), c.get("q"))
        near("fdr", fdr.get(uid), c.get("fdr"))
        if uid in tested and before > 0:
            s = spread(b, t)
            near("smallest_effect", 0 if s == 0 else s / before * visible(
                len(b), len(t), upper_quantile(.025 / len(tested))),
                c.get("smallest_effect"))
        if abs(abs(after / before - 1) - .02) < 1e-9 if before else False:
            continue            # decided by rounding
        oracle.check("verdict", "unverified" if uid not in tested else
                     "same" if q[uid] > .05 or
                     not is_effect(before, after, .02) else
                     "degraded" if after > before else "improved",
                     c["verdict"])
    order = [c["fdr"] for c in found if "fdr" in c]
    oracle.check("order", sorted(order), order)


def mode_history(rng):
    n = rng.choice([8, 13, 14, 20, 27, 28, 40, 60, 90, 120, 120])
    effect = rng.choice([0, 2, 5])
    series, records = {}, []
    for key in range(rng.randint(1, 3)):
        draw, factor = level(rng), 1
        phi, carried = rng.choice([0, 0, .7]), 0
        values = []
        for _ in range(n):
            if rng.random() < .05:
                factor = rng.choice([1, 1.01, 1.05, 1.1, .8])
            carried = phi * carried + rng.gauss(0, .02)
            samples = [draw(factor) * (1 + (carried if phi else 0))
                       for _ in range(rng.choice([1, 1, 3]))]
            values.append([abs(v) for v in samples])
        series[f"k{key}"] = values
    order = [f"{i:040x}" for i in range(n)]
    for i in range(n - 1, -1, -1):
        for uid, values in series.items():
            records += [{"type": "sample", "uid": uid, "value": v,
                         "minor_version": order[i]} for v in values[i]]
    found, total = run("--history", "--effect", str(effect), records=records)
    points = {u: [statistics.median(v) for v in values]
              for u, values in series.items()}
    tested = sorted(u for u in points if n >= 14)
    answers = {u: changes_of(points[u], effect / 100) for u in tested}
    q = dict(zip(tested, holm([answers[u][1] for u in tested])))
    oracle.check("tested", len(tested), total["tested"])
    for uid in tested:
        changes, _, phi, factor = answers[uid]
        mine = [c for c in found if c["uid"] == uid]
        oracle.check(f"{uid}: commits", [order[at] for at, _, _ in changes],
                     [c["minor_version"] for c in mine])
        bounds = [0, *(at for at, _, _ in changes), n]
        x = points[uid]
        for i, (c, (at, p, w)) in enumerate(zip(mine, changes)):
            b, t = x[bounds[i]:at], x[at:bounds[i + 2]]
            oracle.check("last_good", order[at - 1], c["last_good"])
            oracle.check("window", w, c["window"])
            near("p", p, c["p"])
            near("q", q[uid], c["q"])
            near("phi", phi, c["phi"])
            near("factor", factor, c["factor"])
            near("before", statistics.median(b), c["before"])
            near("after", statistics.median(t), c["after"])
            near("shift", hodges_lehmann(b, t)[0], c["shift"])


def mode_pairs(rng):
    """More than a million pairs: the samples are thinned."""
    sizes = [rng.randint(900, 1600) for _ in "ab"]
    sides = [[round(rng.gauss(100 + i, 5), 2) for _ in range(n)]
             for i, n in enumerate(sizes)]
    for name, values in zip(("old", "new"), sides):
        with open(name, "w", encoding="utf-8") as out:
            out.write(oracle.lines_of({"uid": "a", "value": v}
                                      for v in values))
    found, _ = run("old", "new")
    for name, want in zip(("shift", "low", "high"), hodges_lehmann(*sides)):
        near(name, want, found[0][name])
    near("p", mann_whitney(*sides), found[0]["p"])


def mode_damage(rng):
    """Whatever is in a file, the filter ends by itself."""
    tokens = [b"1e308", b"0", b"1e-320", b"1e17", b"9" * 20, b'"', b"{", b"}",
              b",", b"[", b"]", b"null", b"#", b"\\u0000", b"\xff", b"<&"]
    text = bytearray(oracle.lines_of(
        {"type": "sample", "uid": f"k{i % 3}", "unit": rng.choice(["s", "<"]),
         "value": 10 ** rng.choice([0, 0, 2, 17, 300]) * rng.random(),
         "minor_version": f"c{i // 3}"} for i in range(90)).encode())
    for _ in range(rng.randint(0, 30)):
        at = rng.randrange(len(text))
        text[at:at + rng.choice([0, 1, 3, 20])] = rng.choice(tokens)
    with open("damaged", "wb") as out:
        out.write(text)
    for options in (["-H"], ["-H", "--svg"], ["-H", "--text"],
                    ["damaged"], ["--text", "damaged"]):
        command = ["perf-diff", *options, "damaged"]
        oracle.last_run = command, []
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode not in (0, 1, 2):
            raise oracle.Differ(f"status {done.returncode}: {done.stderr!r}")


if __name__ == "__main__":
    oracle.main(globals(), None)
