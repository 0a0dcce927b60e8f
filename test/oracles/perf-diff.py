#!/usr/bin/env python3
"""perf-diff.py MODE SEED COUNT - compares perf-diff with a second
implementation, in plain Python, that follows the definitions: all pairs, all
orders, every median and every window by itself.  Numbers must agree to 1e-9."""

import bisect
import collections
import itertools
import json
import math
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import oracle

def upper(z):
    return math.erfc(z / math.sqrt(2)) / 2


def upper_quantile(p):
    low, high = 0.0, 40.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if upper(middle) > p else (low, middle)
    return low


def midranks(x):
    order = sorted(x)
    return [(bisect.bisect_left(order, a) + bisect.bisect_right(order, a) + 1)
            / 2 for a in x]


def ties_of(x):
    return sum(n ** 3 - n for n in collections.Counter(x).values())


def median(x):
    """That of the module statistics is slower, because it takes any numbers."""
    order, half = sorted(x), len(x) // 2
    return order[half] if len(x) % 2 else (order[half - 1] + order[half]) / 2


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
    order = sorted(t)
    u = sum(n - (bisect.bisect_left(order, x) +
                 bisect.bisect_right(order, x)) / 2 for x in b)
    ties = ties_of(b + t)
    if ties == 0 and m <= 20 and n <= 20:
        return min(1, 2 * count_below(m, n, min(u, m * n - u)) /
                   math.comb(m + n, m))
    size = m + n
    variance = m * n / 12 * (size + 1 - ties / (size * (size - 1)))
    if variance <= 1e-12:
        return 1
    return max(2 / math.comb(size, n),
               math.erfc(max(0, abs(u - m * n / 2) - .5) /
                         math.sqrt(variance) / math.sqrt(2)))


def slow_runs(b, t, more):
    """The limit, how many are beyond it on both sides, p and the excess."""
    m, n, sign = len(b), len(t), -1 if more else 1
    every = sorted(sign * v for v in b + t)
    q1, q2 = every[(m + n - 1) // 4], median(every)
    limit = q2 + 4 * (q2 - q1)
    slow = [v for v in every if v > limit]
    hb, ht = (sum(sign * v > limit for v in side) for side in (b, t))

    def at_least(drawn, x):
        return sum(math.comb(len(slow), k) *
                   math.comb(m + n - len(slow), drawn - k)
                   for k in range(x, min(len(slow), drawn) + 1)
                   if drawn - k <= m + n - len(slow)) / math.comb(m + n, drawn)
    share = ht / n - hb / m
    excess = (0 if share == 0 else math.copysign(math.inf, share) if q2 == 0
              else share * (median(slow) - q2) / abs(q2))
    return (sign * limit, hb, ht,
            min(1, 2 * min(at_least(n, ht), at_least(m, hb))), excess)


def hodges_lehmann(b, t):
    stride = 1
    while len(b[::stride]) * len(t[::stride]) > 10 ** 6:
        stride += 1
    b, t = b[::stride], t[::stride]
    d = sorted(y - x for x in b for y in t)
    mn = len(d)
    k = max(1, math.floor(mn / 2 - 1.959964 *
                          math.sqrt(mn * (len(b) + len(t) + 1) / 12)))
    return median(d), d[k - 1], d[mn - k]


def spread(*sides):
    return 1.4826 * median([abs(x - m) for side, m in
                            zip(sides, map(median, sides)) for x in side])


def visible(m, n, z):
    sd = math.sqrt((m + n + 1) / (12 * m * n))
    if z * sd >= .5:
        return math.inf
    low, high = .5, 1.0
    for _ in range(200):
        p = (low + high) / 2
        low, high = ((p, high) if p - .5 < z * sd + .8416 * sd * 2 *
                     math.sqrt(p * (1 - p)) else (low, p))
    return math.sqrt(2) * upper_quantile(1 - low) * (
        1 + 3 / min(m, n)) if low < 1 else math.inf


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

def is_effect(before, after, effect):
    return before != after and \
        abs(after - before) >= effect * abs(before) * (1 - 1e-9)


def scan(x):
    m, ranks = len(x), midranks(x)
    sums = list(itertools.accumulate(ranks, initial=0))
    z = {k: abs(sums[k] - k * (m + 1) / 2) /
         math.sqrt(k * (m - k) * (m + 1) / 12) for k in range(4, m - 3)}
    best = max(z.values())
    return best, min(k for k in z if z[k] > best - 1e-9)


def candidates(x, low, high):
    """Splits of x[low:high], none of which needs to be true."""
    n, found, w = high - low, [], high - low
    while w >= 12 or (w == n and w >= 8):
        starts = math.ceil(4 * (n - w) / w)
        for i in range(starts + 1):
            at = low + ((n - w) * i // starts if starts else 0)
            z, k = scan(x[at:at + w])
            if z >= 2.7 - 1e-9:
                found.append((-z, at + k, at, at + w))
        w //= 2
    chosen = []
    for _, k, first, end in sorted(found):
        if not any(first < other < end for other in chosen):
            chosen.append(k)
    bounds = [low, *sorted(chosen), high]
    return [] if not chosen else bounds[1:-1] + [
        k for a, b in zip(bounds, bounds[1:]) for k in candidates(x, a, b)]


def deviation(x):
    m = median(x)
    return sum(abs(v - m) for v in x)


def costs(x):
    tiny = 1e-12 * len(x) * max(x)
    every = {k: deviation(x[:k]) + deviation(x[k:])
             for k in range(1, len(x))}
    return {k: 0 if c < tiny else c for k, c in every.items()}


def place(x, cuts, given):
    cuts = list(cuts)
    for i, k in enumerate(cuts):
        low = cuts[i - 1] if i else 0
        high = cuts[i + 1] if i + 1 < len(cuts) else len(x)
        if k in given:
            continue
        c = {low + j: v for j, v in costs(x[low:high]).items()
             if 4 <= j <= high - low - 4}
        least = (1 + 1e-9) * min(c.values())
        if c[k] > least:
            cuts[i] = min(j for j in c if c[j] <= least)
    return cuts


def sides(x, cuts):
    ends = [0, *cuts, len(x)]
    return [(x[a:b], x[b:c]) for a, b, c in zip(ends, ends[1:], ends[2:])]


def rank_p(a, b):
    least, size = 2 / math.comb(len(a) + len(b), len(b)), len(a) + len(b)
    if max(a) < min(b) or max(b) < min(a):
        return least
    z = (sum(midranks(a + b)[len(a):]) - len(b) * (size + 1) / 2) / \
        math.sqrt(len(a) * len(b) * (size + 1) / 12)
    return max(least, math.erfc(abs(z) / math.sqrt(2)))


def noise(parts):
    e = sorted(abs(v - m) for part, m in zip(parts, map(median, parts))
               for v in part)
    kept = len(e) * 9 // 10
    return 1.52 * sum(e[:kept]) / max(1, kept - 2 * len(parts))


def dependence(x, cuts):
    n, ends = len(x), [0, *cuts, len(x)]
    e = [v - m for a, b in zip(ends, ends[1:])
         for m in [median(x[a:b])] for v in x[a:b]]
    order, rank = sorted(e), {}
    for i, v in enumerate(order):
        rank[v] = rank[order[i - 1]] if i and \
            v - order[i - 1] <= 1e-12 * max(x) else i
    d = [r - (n + 1) / 2 for r in midranks([rank[v] for v in e])]
    squares = sum(v * v for v in d)
    if not squares:
        return 0, 1
    phi = sum(a * b for a, b in zip(d, d[1:])) / squares
    phi = min(max(0, phi + (1 + 3 * phi) * (len(cuts) + 1) / n), 1 - 1 / n)
    return phi, math.sqrt((1 + phi) / (1 - phi)) if phi > n ** -.5 else 1


def quantum(x):
    order = sorted(x)
    return min([b - a for a, b in zip(order, order[1:])
                if b - a > 1e-9 * order[-1]], default=0)


def size(difference, sigma, a, b):
    error = sigma * math.sqrt(1 / a + 1 / b)
    return difference / error if error else math.inf if difference else 0


def sizes(x, cuts, f, floor):
    return [size(abs(median(b) - median(a)),
                 max(floor, noise([a, b])) * f, len(a), len(b))
            for a, b in sides(x, cuts)]


def drop_weakest(cuts, fails, strength):
    """Equal strengths: the later one is weaker."""
    last = len(cuts) - 1
    return [k for i, k in enumerate(cuts) if not fails[i] or
            i > 0 and fails[i - 1] and strength[i - 1] < strength[i] or
            i < last and fails[i + 1] and strength[i + 1] <= strength[i]]


def splits(x, given):
    n, bounds = len(x), [0, *given, len(x)]
    cuts = sorted(given + [k for a, b in zip(bounds, bounds[1:])
                           for k in candidates(x, a, b)])
    before = None
    while before != len(cuts):
        cuts = place(x, cuts, given)
        before = len(cuts)
        fails = [True]
        while any(fails):
            p = [rank_p(a, b) for a, b in sides(x, cuts)]
            fails = [k not in given and v * n > .01 for k, v in zip(cuts, p)]
            cuts = drop_weakest(cuts, fails, [-v for v in p])
        if len(cuts) < before:
            continue
        phi, f = dependence(x, cuts)
        floor = quantum(x) if f > 1 else 0
        all_sizes, fails = sizes(x, cuts, f, floor), [f > 1]
        while any(fails):
            now = sizes(x, cuts, f, floor)
            fails = [k not in given and v < 5 for k, v in zip(cuts, now)]
            cuts = drop_weakest(cuts, fails, now)
    if f > 1:
        p = [max(v, math.erfc(d / math.sqrt(math.pi)))
             for v, d in zip(p, all_sizes)]
    return cuts, phi, f, floor, [min(1, v * n) for v in p]


def level_pair(part):
    m = [median(part[len(part) * i // 8:len(part) * (i + 1) // 8])
         for i in range(8)] if len(part) >= 16 else [0, 0]
    d = [b - a for a, b in zip(m, m[1:])]
    if all(v > 0 for v in d) or all(v < 0 for v in d):
        return m[0], m[-1]
    return (median(part),) * 2


def changes_of(x, given, effect):
    """The changes of a series, as tuples of (kind, at, first, last, before,
    after, p, accepted), and (phi, f, what is suspected, what is visible)."""
    cuts, phi, f, floor, p = splits(x, given)
    ends = [0, *cuts, len(x)]
    parts = [x[a:b] for a, b in zip(ends, ends[1:])]
    pairs, steps = [level_pair(part) for part in parts], []
    for i, (low, high) in enumerate(pairs):
        if low != high:
            steps.append(("growth", ends[i + 1] - 1, ends[i] + 1,
                          ends[i + 1] - 1, low, high, 2 / 40320, False))
        if i < len(cuts):
            k = cuts[i]
            c = costs(parts[i] + parts[i + 1])
            limit = c[k - ends[i]] * (1 + 1e-9) + \
                3 * max(floor, noise(parts[i:i + 2])) * f
            near = [k] if k in given else [
                ends[i] + j for j in c if c[j] <= limit and
                4 <= j <= ends[i + 2] - ends[i] - 4]
            steps.append(("step", k, min(near), max(near), high,
                          pairs[i + 1][0], p[i], k in given))
    return gather(steps, effect), phi, f, newest_of(
        parts[-1], f, floor, effect), visible_of(x, parts[-1], f, floor)


def accepted_of(x, places, effect):
    """Those of the places that are in the range of a change that is found
    without them, or that have no change within three points."""
    found = changes_of(x, [], effect)[0]
    return [k for k in places if any(c[2] <= k <= c[3] for c in found) or
            all(abs(c[1] - k) >= 4 for c in found)]


def gather(steps, effect):
    found, run, level = [], [], steps[0][4] if steps else 0

    def reaches():
        return any(is_effect(level, s[5], effect) for s in run)

    def close(accepted=False):
        if reaches():
            if len(run) > 1 or run[0][0] == "growth":
                found.append(("gradual", run[-1][1], run[0][2], run[-1][3],
                              level, run[-1][5], min(s[6] for s in run),
                              accepted))
            else:
                found.append(run[0][:7] + (accepted,))
        run.clear()
    for s in steps:
        alone = s[0] == "step" and is_effect(s[4], s[5], effect)
        onward = bool(run) and (s[5] > s[4]) == (run[-1][5] > level)
        if s[7] and onward and not alone:
            run.append(s)
            close(True)
            level = s[5]
        elif s[7] or alone:
            close()
            found.append(s)
            level = s[5]
        else:
            if reaches() and not onward:
                after = run[-1][5]
                close()
                level = after
            run.append(s)
    close()
    return found


def newest_of(part, f, floor, effect):
    best = None
    for k in range(1, 8):
        old, new = part[:-k], part[-k:]
        if len(old) < 12:
            break
        u, v = median(old), median(new)
        if (min(new) > max(old) or max(new) < min(old)) and \
                is_effect(u, v, effect) and (min(old) == max(old) or size(
                    abs(v - u), f * max(floor, noise([old])), len(old),
                    k) >= 5):
            best = k, u, v
    return best


def visible_of(x, part, f, floor):
    m = len(part) - 10
    low, high = level_pair(part)
    if m < 12 or 2 * len(x) / math.comb(m + 10, 10) > .01 or low != high or \
            low == 0:
        return None
    v = 7 * f * max(floor, noise([part])) * math.sqrt(.1 + 1 / m) / low
    return v if v <= 1 else None


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
    found = [json.loads(line) for line in done.stdout.splitlines()]
    found = [r for r in found if r["type"] in ("change", "changes")]
    oracle.check("status", 2 if not found[-1]["tested"] else
                 int(found[-1]["alarms"] > 0), done.returncode)
    return found[:-1], found[-1]


def mode_sides(rng):
    both, records = {}, {"old": [], "new": []}
    more = rng.random() < .2
    for key in range(rng.randint(1, 8)):
        draw = level(rng)
        counts = [rng.choice([0, 1, 4, 5, 6, 10, 15, 20, 21, 40])
                  for _ in "ab"]
        factor = rng.choice([1, 1, 1.01, 1.1, .8])
        both[f"k{key}"] = [[draw(f) for _ in range(n)]
                           for n, f in zip(counts, (1, factor))]
        if rng.random() < .3:
            both[f"k{key}"][1] = [v * (3 if rng.random() < .3 else 1)
                                  for v in both[f"k{key}"][1]]
    if not any(b or t for b, t in both.values()):
        return
    for uid, (b, t) in both.items():
        records["old"] += [{"uid": uid, "value": v} for v in b]
        records["new"] += [{"uid": uid, "value": v} for v in t]
    for name, list_ in records.items():
        list_.append({"type": "other"})
        with open(name, "w", encoding="utf-8") as out:
            out.write(oracle.lines_of(list_))
    options = [o for u in both for o in ("--more", u)] if more else []
    found, total = run(*options, "old", "new")
    both = {u: s for u, s in both.items() if s[0] or s[1]}
    enough = [u for u, s in both.items() if min(map(len, s)) >= 5]
    tested = [u for u in enough if len(enough) * 2.5 / math.comb(
        sum(map(len, both[u])), len(both[u][0])) <= .05]
    slow = {u: slow_runs(*s, more) for u, s in both.items() if all(s)}
    ranks = {u: mann_whitney(*s) for u, s in both.items() if all(s)}
    p = {u: min(1, 1.25 * ranks[u], 5 * slow[u][3]) for u in ranks}
    q = dict(zip(tested, holm([p[u] for u in tested])))
    fdr = dict(zip(tested, benjamini_hochberg([p[u] for u in tested])))
    order = sorted(tested, key=lambda u: (p[u], u))
    oracle.check("keys", sorted(both), sorted(c["uid"] for c in found))
    oracle.check("tested", len(tested), total["tested"])
    for c in found:
        uid = c["uid"]
        b, t = both[uid]
        oracle.check("n", [len(b), len(t)], [c["n_before"], c["n_after"]])
        if not b or not t:
            oracle.check("verdict", "new" if t else "gone", c["verdict"])
            near("median", median(b or t),
                 c["after" if t else "before"])
            near("share", sum(b or t) / sum(
                sum(s[1 if t else 0]) for s in both.values())
                if sum(b or t) else 0, c.get("share", 0))
            continue
        before, after = median(b), median(t)
        limit, hb, ht, p_slow, excess = slow[uid]
        for name, want in (
                ("before", before), ("after", after), ("p", p[uid]),
                ("p_ranks", ranks[uid]), ("p_slow", p_slow),
                ("limit", limit), ("slow_before", hb), ("slow_after", ht),
                ("excess", excess), ("mean_before", statistics.fmean(b)),
                ("mean_after", statistics.fmean(t)),
                *zip(("shift", "low", "high"), hodges_lehmann(b, t)),
                ("q", q.get(uid)), ("fdr", fdr.get(uid))):
            near(f"{uid}: {name}", want, c.get(name))
        if uid not in tested:
            oracle.check("verdict", "unverified", c["verdict"])
            continue
        if before > 0:
            s = spread(b, t)
            near("smallest_effect", 0 if s == 0 else s / before * visible(
                len(b), len(t), upper_quantile(.02 / len(tested))),
                c.get("smallest_effect"))
        if before and abs(abs(after / before - 1) - .02) < 1e-9 or \
                abs(abs(excess) - .02) < 1e-9:
            continue            # decided by rounding
        factor = len(tested) - order.index(uid)
        by_ranks = max(q[uid], min(1, factor * 1.25 * ranks[uid])) <= .05 \
            and is_effect(before, after, .02)
        by_slow = max(q[uid], min(1, factor * 5 * p_slow)) <= .05 and \
            abs(excess) >= .02
        worse = by_ranks and (after > before) != more or by_slow and excess > 0
        oracle.check("verdict", "degraded" if worse else "improved"
                     if by_ranks or by_slow else "same", c["verdict"])
    order = [c["q"] for c in found if "q" in c]
    oracle.check("order", sorted(order), order)


def mode_history(rng):
    n = rng.choice([8, 13, 14, 20, 27, 40, 60, 90, 120, 160])
    effect = rng.choice([0, 2, 5])
    series, records = {}, []
    for key in range(rng.randint(1, 3)):
        draw, factor = level(rng), 1
        phi, carried = rng.choice([0, 0, .7]), 0
        growth = rng.choice([0, 0, 0, .001])
        values = []
        for i in range(n):
            if rng.random() < .05:
                factor = rng.choice([1, 1.01, 1.05, 1.1, .8])
            carried = phi * carried + rng.gauss(0, .02)
            factor += growth
            samples = [draw(factor) * (1 + (carried if phi else 0))
                       for _ in range(rng.choice([1, 1, 3]))]
            values.append([abs(v) for v in samples])
        series[f"k{key}"] = values
    order = [f"{i:040x}" for i in range(n)]
    for i in range(n - 1, -1, -1):
        for uid, values in series.items():
            records += [{"type": "sample", "uid": uid, "value": v,
                         "minor_version": order[i]} for v in values[i]]
    accepted = sorted(rng.sample(range(1, n), rng.choice([0, 0, 1, 2])))
    with open("accepted", "w", encoding="utf-8") as out:
        out.writelines(f"{order[i]} {uid}\n" for i in accepted
                       for uid in series)
    of_samples = rng.choice(["median", "min"])
    found, total = run("--history", "--effect", str(effect), "--accept",
                       "accepted", "--value", of_samples, records=records)
    points = {u: [(median if of_samples == "median" else min)(v)
                  for v in values] for u, values in series.items()}
    tested = sorted(u for u in points if n >= 14)
    answers = {u: changes_of(points[u], accepted_of(
        points[u], accepted, effect / 100), effect / 100) for u in tested}
    least = [min([1] + [c[6] for c in answers[u][0]]) for u in tested]
    q = dict(zip(tested, holm(least)))
    ranks = sorted(tested, key=lambda u: (least[tested.index(u)], u))
    oracle.check("tested", len(tested), total["tested"])
    for uid in tested:
        changes, phi, factor, newest, seen = answers[uid]
        mine = [c for c in found if c["uid"] == uid]
        suspected = [c for c in mine if "p" not in c]
        mine = [c for c in mine if "p" in c]
        oracle.check(f"{uid}: commits", [order[c[1]] for c in changes],
                     [c["minor_version"] for c in mine])
        for c, (kind, at, first, last, before, after, p, given) in zip(
                mine, changes):
            oracle.check(f"{uid}: places", [order[i] for i in (
                at - 1, first, last)], [c["last_good"],
                                        c["first_possible"],
                                        c["last_possible"]])
            oracle.check("gradual", kind == "gradual", "gradual" in c)
            oracle.check("accepted", given, "accepted" in c)
            for name, want in (("before", before), ("after", after),
                               ("p", p), ("phi", phi), ("factor", factor)):
                near(f"{uid}: {name}", want, c[name])
            worst = max(q[uid], min(1, p * (len(tested) - ranks.index(uid))))
            near("q", worst, c["q"])
            oracle.check("verdict", "suspected" if worst > .05 and not given
                         else "degraded" if after > before else "improved",
                         c["verdict"])
        if newest is None or newest[0] == 1:
            oracle.check("suspected", [], suspected)
        else:
            near("newest", newest[0], suspected[0]["n_after"])
            near("newest before", newest[1], suspected[0]["before"])
            near("newest after", newest[2], suspected[0]["after"])
    judged = [answers[u][4] for u in tested if answers[u][4] is not None]
    oracle.check("judged", len(judged), total["judged"])
    if judged:
        near("smallest_effect", max([effect / 100, *judged]),
             total["smallest_effect"])


def mode_pairs(rng):
    """More than a million pairs: the samples are thinned."""
    counts = [rng.randint(900, 1600) for _ in "ab"]
    pair = [[round(rng.gauss(100 + i, 5), 2) for _ in range(n)]
             for i, n in enumerate(counts)]
    for name, values in zip(("old", "new"), pair):
        with open(name, "w", encoding="utf-8") as out:
            out.write(oracle.lines_of({"uid": "a", "value": v}
                                      for v in values))
    found, _ = run("old", "new")
    for name, want in zip(("shift", "low", "high"), hodges_lehmann(*pair)):
        near(name, want, found[0][name])
    near("p_ranks", mann_whitney(*pair), found[0]["p_ranks"])


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
