#!/usr/bin/env python3
"""perf-diff.py MODE SEED COUNT - compares perf-diff with a second
implementation, in plain Python, that was written from the definitions of
weir-statistics(7): all pairs, all orders, every median and every window by
itself.  All that the filter writes must agree."""

import bisect
import collections
import functools
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
import types

sys.path.insert(0, os.path.dirname(__file__))
import oracle


# --- ranks and values ---

def midranks(x):
    order = sorted(x)
    return [(bisect.bisect_left(order, a) + bisect.bisect_right(order, a) + 1)
            / 2 for a in x]


def median(x):
    """That of the module statistics is slower, because it takes any numbers."""
    order, half = sorted(x), len(x) // 2
    return order[half] if len(x) % 2 else (order[half - 1] + order[half]) / 2


@functools.lru_cache(1000)
def orders_below(a, b, bound):
    """In how many orders of a and b values at most bound pairs are the wrong
    way round.  The ranks of the fewer are chosen one after the other; the
    v-th digit of ways[j] counts the choices of j with v such pairs."""
    few, bits = min(a, b), math.comb(a + b, b).bit_length()
    kept = (1 << bits * (bound + 1)) - 1
    ways = [1] + [0] * few
    for rank in range(1, a + b + 1):
        for j in range(min(few, rank), max(0, rank - bound - 1), -1):
            ways[j] += ways[j - 1] << bits * (rank - j) & kept
    return sum((ways[few] & kept) >> bits * v & (1 << bits) - 1
               for v in range(bound + 1))


def pairs_above(a, b):
    """U: in how many pairs b is above a; equal ones count half."""
    return sum(midranks([*a, *b])[len(a):]) - len(b) * (len(b) + 1) / 2


@functools.lru_cache(1000)
def rank_test(a, b, some=0):
    """p_ranks, counted for few values on a side or some on both, and z."""
    n, every = len(a) + len(b), len(a) * len(b)
    u = min(pairs_above(a, b), every - pairs_above(a, b))
    z = (every / 2 - u) / math.sqrt(every * (n + 1) / 12)
    if min(len(a), len(b)) > 12 and max(len(a), len(b)) > some:
        return math.erfc(z / math.sqrt(2)), z
    return min(1, 2 * orders_below(len(a), len(b), math.ceil(u)) /
               math.comb(n, len(b))), z


@functools.lru_cache(1000)
def tick_of(x):
    order, least = sorted(set(x)), 1e-9 * max(map(abs, x))
    found = min(next((b - a for b in order[i:] if b - a > least), math.inf)
                for i, a in enumerate(order))
    return found if math.isfinite(found) else 0


def residuals(parts):
    return [v - m for part, m in zip(parts, map(median, parts)) for v in part]


def autocorrelation(e, tiny, seam=None):
    """phi of residuals without the pair across a seam; None: all are equal."""
    order, equal = sorted(e), {}
    for i, v in enumerate(order):
        equal[v] = equal[order[i - 1]] if i and v - order[i - 1] <= tiny else v
    d = [r - (len(e) + 1) / 2 for r in midranks([equal[v] for v in e])]
    squares = sum(v * v for v in d)
    return sum(d[i] * d[i + 1] for i in range(len(d) - 1)
               if i + 1 != seam) / squares if squares else None


def worse(u, v, effect, sign=0):
    """Is v to this side of u, or to either, by the effect?"""
    d = (v - u) * sign if sign else abs(v - u)
    return d > 0 and d >= effect * abs(u) * (1 - 1e-9)


# --- two samples ---

def mann_whitney(b, t):
    m, n = len(b), len(t)
    if min(m, n) <= 12 or max(m, n) <= 20:
        return rank_test(b, t, 20)[0]
    ties = sum(c ** 3 - c for c in collections.Counter([*b, *t]).values())
    variance = m * n / 12 * (m + n + 1 - ties / ((m + n) * (m + n - 1)))
    return 1 if variance <= 1e-12 else max(
        2 / math.comb(m + n, n), math.erfc(max(
            0, abs(pairs_above(b, t) - m * n / 2) - .5) /
            math.sqrt(variance) / math.sqrt(2)))


def slow_runs(b, t, more):
    """The limit, how many are beyond it on both sides, p and the excess."""
    m, n, sign = len(b), len(t), -1 if more else 1
    every = sorted(sign * v for v in b + t)
    q1, q2 = every[(m + n - 1) // 4], median(every)
    limit = q2 + max(8 * (q2 - q1),
                     min(4 * tick_of(tuple(every)), abs(q2) / 2))
    slow = [v for v in every if v > limit]
    hb, ht = (sum(sign * v > limit for v in side) for side in (b, t))

    def at_least(drawn, x):
        return sum(math.comb(len(slow), k) *
                   math.comb(m + n - len(slow), drawn - k)
                   for k in range(x, min(len(slow), drawn) + 1)
                   ) / math.comb(m + n, drawn)
    share = ht / n - hb / m
    excess = (0 if ht * m == hb * n else math.copysign(math.inf, share)
              if q2 == 0 else share * (median(slow) - q2) / abs(q2))
    return (sign * limit, hb, ht,
            min(1, 2 * min(at_least(n, ht), at_least(m, hb))), excess)


def hodges_lehmann(b, t):
    """The shift, its interval, and from every how many values they are."""
    stride = 1
    while len(b[::stride]) * len(t[::stride]) > 10 ** 6:
        stride += 1
    b, t = b[::stride], t[::stride]
    d, mn = sorted(y - x for x in b for y in t), len(b) * len(t)
    k = max(1, math.floor(mn / 2 - 1.959964 *
                          math.sqrt(mn * (len(b) + len(t) + 1) / 12)))
    return {"shift": median(d), "low": d[k - 1], "high": d[mn - k],
            "stride": stride if stride > 1 else None}


def visible_of_sides(b, t, effect, keys):
    m, n, base = len(b), len(t), abs(median(b))
    tick, e = tick_of(b + t), []
    for side in (b, t):     # equal values are spread over a tick
        for v, c in collections.Counter(side).items():
            e += [v - median(side) + tick * ((k + .5) / c - .5)
                  for k in range(c)]
    e = sorted(e)[::-(-(m + n) // 500)]
    left, sd = len(e), math.sqrt((m + n + 1) / (12 * m * n))
    z = -statistics.NormalDist().inv_cdf(.02 / keys)
    i = next((i for i in range(500, 1000) if i / 1000 - .5 >= z * sd + .8416 *
              sd * 2 * math.sqrt(i / 1000 * (1 - i / 1000))), None)
    if i is None or tick == 0 or base == 0:
        return None
    delta = sorted(v - u for u in e for v in e)[-(-i * left ** 2 // 1000) - 1]
    error = [(e[math.ceil(left / 2 + away) - 1] -
              e[math.floor(left / 2 - away)]) / 2
             for away in (left / 2 / math.sqrt(k) for k in (m, n))]
    v = max(delta * (1 + 3 / min(m, n)), max(effect * base, .75 * tick) +
            .8416 * math.hypot(*error)) / base
    return v if v <= 1 else None


def phi_of_sides(b, t):
    b, t = b[:2000], t[:2000]
    phi = autocorrelation(residuals([b, t]), 1e-12 * max(b + t), len(b))
    return phi if phi and phi > 2 / math.sqrt(len(b) + len(t)) else None


def adjust(p):
    """For {key: p}, equal ones by key, {key: (q, fdr, a function)}: Holm,
    Benjamini and Hochberg, and the q of another p of the key."""
    found, q = {}, 0
    for rank, key in enumerate(sorted(p, key=lambda k: (p[k], k))):
        def adjusted(part, factor=len(p) - rank, least=q):
            return max(least, min(1, factor * part))
        q = adjusted(p[key])
        found[key] = q, min(len(p) * x / sum(y <= x for y in p.values())
                            for x in p.values() if x >= p[key]), adjusted
    return found


# --- series: splits.  A split is the number K of points before it; a series
# is a tuple ---

def scan(x):
    """The greatest z of a window, and where it is."""
    m, sums = len(x), list(itertools.accumulate(midranks(x), initial=0))
    z = {k: abs(sums[k] - k * (m + 1) / 2) /
         math.sqrt(k * (m - k) * (m + 1) / 12) for k in range(4, m - 3)}
    return max(z.values()), min(k for k in z if z[k] > max(z.values()) - 1e-9)


def candidates(x, low, high):
    """Splits of x[low:high], none of which needs to be true."""
    w = n = high - low
    found, chosen = [], []
    while w >= 12 or w == n >= 8:
        m = math.ceil(4 * (n - w) / w)
        for at in [low + (n - w) * i // max(m, 1) for i in range(m + 1)]:
            z, k = scan(x[at:at + w])
            found += [(-z, at + k, at, at + w)] * (z >= 2.7 - 1e-9)
        w //= 2
    for _, k, first, end in sorted(found):
        if not any(first < other < end for other in chosen):
            chosen.append(k)
    bounds = [low, *sorted(chosen), high]
    return [] if not chosen else bounds[1:-1] + [
        k for a, b in zip(bounds, bounds[1:]) for k in candidates(x, a, b)]


@functools.lru_cache(1000)
def costs(y):
    tiny = 1e-12 * len(y) * max(y)
    every = {k: sum(map(abs, residuals([y[:k], y[k:]])))
             for k in range(1, len(y))}
    return {k: 0 if c < tiny else c for k, c in every.items()}


def cheapest(cost):
    """The first place of least cost."""
    least = (1 + 1e-9) * min(cost.values())
    return min(k for k, c in cost.items() if c <= least)


def segments(x, cuts):
    return [x[a:b] for a, b in zip([0, *cuts], [*cuts, len(x)])]


def sigma_of(parts, tick):
    e = sorted(map(abs, residuals(parts)))
    q = len(e) * 9 // 10
    return max(tick / 2, 1.52 * sum(e[:q]) / max(1, q - 2 * len(parts))) \
        if any(e) else 0


def dependence(x, cuts):
    n, phi = len(x), autocorrelation(residuals(segments(x, cuts)),
                                     1e-12 * max(x))
    phi = 0 if phi is None else min(max(
        0, phi + (1 + 3 * phi) * (len(cuts) + 1) / n), 1 - 1 / n)
    return phi, math.sqrt((1 + phi) / (1 - phi))


def size(difference, error, old, new):
    """D of two parts."""
    error *= math.sqrt(1 / len(old) + 1 / len(new))
    return abs(difference) / error if error else \
        math.inf if difference else 0


def is_jump(x, step):
    return step != 0 and abs(step) >= 12 * max(
        tick_of(x), median([abs(b - a) for a, b in zip(x, x[1:])]))


def step_of(at, first, last, p, d):
    """A step of levels; p is None if it is only suspected, D if it grows."""
    return {"at": at, "first": first, "last": last, "p": p, "D": d}


def suspected_step(c):
    return step_of(c["at"], c["at"], c["at"], None, c["D"])


def tests(x, cuts):
    """The steps at splits; p is not yet times the number of points."""
    found, parts, f = [], segments(x, cuts), dependence(x, cuts)[1]
    for k, a, b in zip(cuts, parts, parts[1:]):
        p, z = rank_test(a, b)
        error = sigma_of([a, b], tick_of(x)) * f
        d = size(median(b) - median(a), error, a, b)
        if not is_jump(x, median(b[:4]) - median(a[-4:])):
            p = max(p, min(math.erfc(d / 2), math.erfc(z / f / math.sqrt(2))))
        cost, n = costs(a + b), len(a) + len(b)
        if any(c < (1 - 1e-9) * cost[len(a)] for j, c in cost.items() if
               len(a) == 4 and j < 4 or len(b) == 4 and j > n - 4):
            p = 1               # fewer than 4 points have changed
        near = [k - len(a) + j for j, c in cost.items() if 4 <= j <= n - 4 and
                c <= (1 + 1e-9) * (cost[len(a)] + 3 * error)]
        found.append(step_of(k, min(near), max(near), p, d))
    return found


def prove(x, cuts):
    """Places splits; of neighbours that fail only the weaker goes, of equal
    ones the later."""
    while True:
        for i, k in enumerate(cuts):
            low, high = [0, *cuts][i], [*cuts, len(x)][i + 1]
            cost = {low + j: c for j, c in costs(x[low:high]).items()
                    if 4 <= j <= high - low - 4}
            if cost[k] > (1 + 1e-9) * min(cost.values()):
                cuts[i] = cheapest(cost)
        p = [s["p"] for s in tests(x, cuts)]
        fails, last = [v * len(x) > .01 for v in p], len(cuts) - 1
        if not any(fails):
            return cuts
        cuts = [k for i, k in enumerate(cuts) if not fails[i] or
                i > 0 and fails[i - 1] and p[i - 1] > p[i] * (1 + 1e-9) or
                i < last and fails[i + 1] and p[i + 1] * (1 + 1e-9) >= p[i]]


def search(x):
    cuts, new = None, []
    while cuts is None or len(new) > len(cuts):
        cuts, bounds = new, [0, *new, len(x)]
        new = prove(x, sorted(cuts + [k for a, b in zip(bounds, bounds[1:])
                                      for k in candidates(x, a, b)]))
    return cuts


# --- series: what is suspected, what would have been seen ---

def nearer(values, to):
    """The median; of two middle values the one nearer to what is given."""
    order, n = sorted(values), len(values)
    return min(order[(n - 1) // 2], order[n // 2], key=lambda v: abs(v - to))


def compare(x, cuts, at, low, high):
    """Two parts of a segment: do they differ by D, or also if it is a jump,
    and also if a middle value is doubted?"""
    old, new = x[low:at], x[at:high]
    error = sigma_of([old, new], tick_of(x)) * dependence(
        x, sorted([*cuts, at]))[1]
    before, base = median(old), median(old[-4:])
    d, surely = (size(v - before, error, old, new)
                 for v in (median(new), nearer(new, before)))
    few = rank_test(old, new)[0] <= (1 + 1e-9) * max(
        .02, 2 / math.comb(high - low, len(new)))
    jump = is_jump(x, nearer(new[:4], base) - base)
    return {"k": len(new), "before": before, "after": median(new), "D": d,
            "at": at, "large": few and d >= 6 - 1e-9,
            "counts": few and (d >= 6 - 1e-9 or jump),
            "sure": jump or surely >= 6 - 1e-9}


def best_of(found, cost, low):
    """Of what counts, that of least cost; of equal ones the first."""
    return found[cheapest({at: cost[at - low] for at in found})]


def newest_of(x, cuts):
    low, n = [0, *cuts][-1], len(x)
    cost, few = costs(x[low:]), n - low < 16
    places = [at for at in range(n - 7, n) if at >= low + 8] + (
        [] if few else [low + cheapest({
            j: c for j, c in cost.items() if 8 <= j < n - low - 7})])
    found = {at: c for at in places
             for c in [compare(x, cuts, at, low, n)] if c["counts"]}
    best = best_of(found, cost, low) if found else None
    sure = {at: c for at, c in found.items() if c["k"] > 1 and c["sure"]}
    return best_of(sure, cost, low) if best and best["k"] == 1 and sure else \
        best


def blocks(part):
    """The medians of the 8 blocks of a segment that grows."""
    m = [median(part[len(part) * i // 8:len(part) * (i + 1) // 8])
         for i in range(8 if len(part) >= 16 else 0)]
    d = [b - a for a, b in zip(m, m[1:])]
    return m if all(v > 0 for v in d) or all(v < 0 for v in d) else None


def visible_of(x, cuts, f, effect):
    part, tick = segments(x, cuts)[-1], tick_of(x)
    m, base = len(part) - 10, abs(median(part))
    if m < 10 or 2 * len(x) / math.comb(m + 10, 10) > .01 or base == 0 or \
            blocks(part) or min(part) == max(part):
        return None
    s = sigma_of([part], tick) * f * math.sqrt(1 / 10 + 1 / m)
    v = max(7 * s, max(effect * base, .75 * tick) + 1.055 * s) / base
    return v if v <= 1 else None


# --- series: the state.  A level is (value, K where it begins) ---

def levels_from(x, splits, base, accepted):
    """The levels and steps from a segment on, in which the accepted commit may
    be."""
    ends, levels, steps = [0, *(s["at"] for s in splits), len(x)], [], []
    for low, high, step in zip(ends[base:], ends[base + 1:],
                               [None, *splits[base:]]):
        steps += [step] if step else []
        grows, a = blocks(x[low:high]), 0 if step else accepted
        if not grows:
            levels.append((median(x[low:high]), low))
            continue
        block = max([i for i in range(8)
                     if low + (high - low) * i // 8 <= a], default=0)
        levels.append((grows[block], low))
        if block < 7:
            first = max(low, a) + 1
            at = max((low + high) // 2, first)
            levels.append((grows[7], at))
            steps.append(step_of(at, first, high - 1, 2 / 40320, None))
    return levels, steps


def base_of(splits, accepted):
    """The number of the segment with which the levels begin."""
    base = max([i + 1 for i, s in enumerate(splits)
                if s["first"] <= accepted], default=0)
    later = splits[base]["first"] - accepted if base < len(splits) else 4
    return base + (later <= 3 and (
        base == 0 or accepted - splits[base - 1]["last"] > later))


def divide_head(x, cuts, base, accepted, levels, steps):
    """Nothing that comes after an accepted commit is accepted with it."""
    low, high = [0, *cuts, len(x)][base:base + 2]
    found = {at: c for at in range(low + 1, min(low + 7, high - 8) + 1)
             for c in [compare(x, cuts, at, low, high)] if c["large"]}
    c = best_of(found, costs(x[low:high]), low) if found else {"at": 0}
    if base == 0 or blocks(x[low:high]) or c["at"] <= accepted:
        return levels, steps
    return [(c["before"], low), (c["after"], c["at"]), *levels[1:]], [
        suspected_step(c), *steps]


def is_dip(levels, i, effect, sign):
    before, later = ([j for j in those if worse(
        levels[i][0], levels[j][0], effect, sign)]
        for those in (range(i), range(i + 1, len(levels))))
    return bool(before and later) and \
        levels[later[0]][1] - levels[before[-1] + 1][1] < 10


def degraded(x, levels, steps, effect, sign, exact):
    """None, or before, after and the steps between."""
    value, present = [v for v, _ in levels], levels[-1][0]
    bases = [i for i in range(len(levels))
             if not is_dip(levels, i, effect, sign)]
    best = min(bases, key=lambda i: value[i] * sign)
    if not worse(value[best], present, effect, sign):
        return None
    i = max(i for i in bases
            if not worse(value[best], value[i], effect / 2, sign) and
            worse(value[i], present, effect, sign))
    steps = [s for s, u, v in zip(steps[i:], value[i:], value[i + 1:])
             if (v - u) * sign > 0]
    k = steps[0]["at"]
    if exact and k > 8 and abs(present - value[i]) < 8 * (1 - 1e-9) * median(
            [abs(b - a) for a, b in zip(x, x[1:k])]):
        return None             # that comes and goes
    return value[i], present, steps


def judge(x, levels, steps, newest, *how):
    """The state, before, after and the steps; and whether the newest points
    look repaired."""
    effect, sign, exact = how
    found, split = degraded(x, levels, steps, *how), False
    if newest and newest["k"] >= 2:
        split = degraded(x, [*levels[:-1], (newest["before"], levels[-1][1]),
                             (newest["after"], newest["at"])],
                         [*steps, suspected_step(newest)], *how)
    if found and any(s["p"] is not None for s in found[2]):
        return ("degraded", *found), split is None
    if found or split:
        return ("suspected", *(found or split)), False
    found = worse(levels[0][0], levels[-1][0], effect, -sign) and \
        degraded(x, levels, steps, effect, -sign, exact)
    return ("improved", *found) if found else ("same", None, None, []), False


def history(x, lines, effect, more, exact):
    """All about a series.  lines: of the accepted commits, how many points are
    before each, and whether the key is named there."""
    n, sign, newest, phi, f, seen = len(x), -1 if more else 1, *[None] * 4
    if exact:
        levels = [(v, i) for i, v in enumerate(x)]
        steps, seen = [step_of(i, i, i, 0, None) for i in range(1, n)], effect
    else:
        cuts = search(x)
        phi, f = dependence(x, cuts)
        splits = [{**s, "p": min(1, s["p"] * n)} for s in tests(x, cuts)]
        levels, steps = levels_from(x, splits, 0, 0)
        newest, seen = newest_of(x, cuts), visible_of(x, cuts, f, effect)
    changes = [{**step, "before": u, "after": v, "number": i,
                "old": x[at:step["at"]], "new": x[step["at"]:end], "past": any(
                    not worse(u, w, effect, 1 if v > u else -1)
                    for w, _ in levels[i + 2:])}
               for i, (step, (u, at), (v, _), end) in enumerate(zip(
                   steps, levels, levels[1:],
                   [*(k for _, k in levels[2:]), n]))
               if worse(u, v, effect)]
    last, n_steps = levels[-1][0], len(steps)
    accepted = max([0] + [a for a, named in lines if named or any(
        c["first"] <= a <= c["last"] for c in changes) or
        newest and newest["k"] > 1 and a == newest["at"]])
    if exact:
        base = min(accepted, n - 1)
        levels, steps = levels[base:], steps[base:]
    else:
        base = base_of(splits, accepted)
        levels, steps = levels_from(x, splits, base, accepted)
    for c in changes:
        c["accepted"] = c["number"] < n_steps - len(steps)
    if newest and newest["at"] <= accepted:
        levels, steps, newest = [(newest["after"], newest["at"])], [], None
    elif not exact and accepted:
        levels, steps = divide_head(x, cuts, base, accepted, levels, steps)
    state, repairing = judge(x, levels, steps, newest, effect, sign, exact)
    return types.SimpleNamespace(
        state=state, repairing=repairing, changes=changes, phi=phi, f=f,
        newest=newest or {}, seen=seen, last=last)


def mark_clusters(keys):
    """Sets the cluster of changes, which have first and last commits, of the
    keys of one machine; returns how many there are.  Of commits at which as
    many keys may have changed, that at which most changes are is taken."""
    for found in itertools.count():
        left = [(i, c) for i, k in enumerate(keys) for c in k.h.changes
                if not c["accepted"] and "cluster" not in c]
        at = collections.defaultdict(set)
        for i, c in left:
            for commit in range(c["first"], c["last"] + 1):
                at[commit].add(i)
        places = collections.Counter(
            keys[i].at[c["step"]["at"]] for i, c in left)
        best = min(at, key=lambda k: (-len(at[k]), -places[k], k),
                   default=None)
        if len(at[best]) < max(3, len(keys) / 3):
            return found
        for _, c in left:
            if c["first"] <= best <= c["last"]:
                c["cluster"] = best


# --- what the filter writes ---

PARTS = ["uid", "resource_type", "subtype", "unit", "cmd", "workload",
         "machine"]
# The base of a unit, and how much of it the unit is: times / per.
UNITS = {"": ("", 1, 1), "s": ("s", 1, 1), "ms": ("s", 1, 1e3),
         "us": ("s", 1, 1e6), "B": ("B", 1, 1), "KiB": ("B", 1024, 1),
         "B/s": ("B/s", 1, 1), "KiB/s": ("B/s", 1024, 1)}


def collect(records, o, sides):
    """The keys of samples, in their order."""
    keys = {}
    for r in records:
        parts = dict(zip(PARTS, parts_of(r)))
        base, times, per = UNITS[parts["unit"]]
        if sides:
            program, blank, rest = parts["cmd"].partition(" ")
            parts["cmd"] = program.rpartition("/")[2] + blank + rest
            parts["machine"] = ""
        name = tuple({**parts, "unit": base}.values())
        k = keys.setdefault(name, types.SimpleNamespace(
            name=name, parts=parts, exact=True, more=base == "B/s",
            samples=collections.defaultdict(list)))
        v, (_, to, to_per) = r["value"], UNITS[k.parts["unit"]]
        if parts["unit"] != k.parts["unit"]:
            v = v * (times * to_per) / (per * to)
        k.samples[r["minor_version"]].append((v, r.get("run")))
        named = {k.parts["uid"], k.parts["unit"]}
        k.more |= "better" in r or bool(named & set(o.more))
        k.exact &= "exact" in r or bool(named & set(o.exact))
        k.value = median if not o.best else max if k.more else min
    return [k for _, k in sorted(keys.items())]


def runs_of(k, version, within):
    """The values of the runs; a sample without a run is one."""
    runs = {}
    for i, (v, run) in enumerate(k.samples[version]):
        runs.setdefault(i if within or run is None else run, []).append(v)
    return tuple(k.value(r) for r in runs.values())


def record(k, kind, verdict, before=math.nan, after=math.nan, **others):
    """A record without what does not apply, and by how much its sides
    differ."""
    found = {"type": kind, "verdict": verdict, **k.parts, **others,
             "better": "more" if k.more else "less", "exact": k.exact,
             "before": before, "after": after, "difference": after - before,
             "ratio": after / before if before else None}
    if others.get("old") and others.get("new"):
        found.update(hodges_lehmann(found.pop("old"), found.pop("new")))
    return {name: v for name, v in found.items()
            if not (v is None or v is False or v == "" or
                    isinstance(v, float) and not math.isfinite(v))}


def parts_of(r):
    return tuple(r.get(name, "") for name in PARTS)


def magnitude(before, after):
    return abs(math.log(after / before)) if before and after else math.inf


def total_of(states, changes, keys, p, o, **others):
    """The last record; p: of the tested keys."""
    count = collections.Counter(r["verdict"] for r in states)
    seen = [k.seen for k in keys if k.name in p and k.seen is not None]
    found = {"type": "changes", "keys": len(keys), "tested": len(p),
             "judged": len(seen), "alarms": count["degraded"],
             "accepted": sum("accepted" in r for r in changes),
             "min_effect": o.effect, **{name: count[name] for name in (
                 "improved", "suspected", "unverified", "gone")}, **others}
    return found | ({"smallest_effect": max(seen)} if seen else {})


def verdict_of(k, q_ranks, q_slow, effect):
    (before, after), excess = k.medians, k.slow[4]
    by_ranks = (k.exact or q_ranks <= .05) and worse(before, after, effect)
    by_slow = not k.exact and q_slow <= .05 and excess != 0 and \
        abs(excess) >= effect
    if by_ranks and (after > before) != k.more or by_slow and excess > 0:
        return "degraded"
    return "improved" if by_ranks or by_slow else "same"


def compare_sides(k, o):
    """Sets what is known of a key without the other keys."""
    k.pair, k.all = ([runs_of(k, side, within) for side in ("old", "new")]
                     for within in (o.within, True))
    k.n, k.seen = [len(v) for v in k.pair], None
    k.within = all(k.n) and min(k.n) < 5 <= min(map(len, k.all))
    k.used = b, t = k.all if k.within else k.pair
    if all(k.n):
        k.exact &= min(b) == max(b) and min(t) == max(t)
        k.within &= not k.exact
        k.medians, k.ranks = (median(b), median(t)), mann_whitney(b, t)
        k.slow = slow_runs(b, t, k.more)
        k.p = 0 if k.exact else min(1, 1.25 * k.ranks, 5 * k.slow[3])


def one_side(k, keys):
    """The verdict, median and share of a key on one side only."""
    verdict, name, side = [("gone", "before", "old"), ("new", "after", "new")][
        k.n[0] == 0]
    keys = [other for other in keys if other.name[3] == k.name[3]]
    total, own = (sum(v * UNITS[other.parts["unit"]][1] /
                      UNITS[other.parts["unit"]][2]
                      for other in those for v, _ in other.samples[side])
                  for those in (keys, [k]))
    share = own / total if total else None
    return {"verdict": verdict, name: median(sum(k.pair, ())), "share": share}


def both_sides(k, o, adjusted, n_within):
    q, fdr, of = adjusted.get(k.name, (None, None, lambda p: n_within * p))
    verdict = verdict_of(k, of(1.25 * k.ranks), of(5 * k.slow[3]), o.effect)
    if q is None:
        verdict = "suspected" if k.within and verdict != "same" else \
            "unverified"
    else:
        k.seen = o.effect if k.exact else visible_of_sides(
            *k.pair, o.effect, len(adjusted))
    names = ("limit", "slow_before", "slow_after", "p_slow", "excess")
    return {"verdict": verdict, "q": q, "fdr": fdr, "within_run": k.within,
            "smallest_effect": k.seen, "before": k.medians[0],
            "after": k.medians[1], "old": k.used[0], "new": k.used[1],
            **({} if k.exact else {
                "p": k.p, "p_ranks": k.ranks, "phi": phi_of_sides(*k.used),
                "mean_before": statistics.fmean(k.used[0]),
                "mean_after": statistics.fmean(k.used[1]),
                **dict(zip(names, k.slow))})}


def expect_sides(records, o):
    keys = collect(records, o, True)
    for k in keys:
        compare_sides(k, o)

    def p_of_tested(n):
        return {k.name: k.p for k in keys if all(k.n) and (
            k.exact or min(k.n) >= 5 and
            50 * n <= math.comb(sum(k.n), k.n[0]))}

    p = p_of_tested(len(p_of_tested(1)))
    adjusted, n_within = adjust(p), sum(k.within for k in keys)
    for k in keys:
        k.record = record(
            k, "change", n=sum(k.n), n_before=k.n[0], n_after=k.n[1],
            **(both_sides(k, o, adjusted, n_within) if all(k.n) else
               one_side(k, keys)))
        size_ = -1 if not all(k.n) else magnitude(*k.medians) \
            if "q" in k.record else abs(k.record["shift"])
        k.order = -1, k.record.get("q", math.inf), -size_, k.name
    found = [k.record for k in keys]
    return keys, found, total_of(found, found, keys, p, o, new=sum(
        r["verdict"] == "new" for r in found))


def places_of(k, path, order, merged):
    """Where steps are, and the noise."""
    first, last = path[0], path[-1]
    at, good = k.at[last["at"]], k.at[last["at"] - 1]
    return {"minor_version": order[at], "last_good": order[good],
            "untested": order[good + 1:at], "phi": k.h.phi, "factor": k.h.f,
            "first_possible": order[k.at[first["first"] - 1] + 1],
            "last_possible": order[k.at[last["last"]]],
            "growth": not k.exact and last["D"] is None,
            "merged": merged.get(order[at]), "size": max(
                [s["D"] for s in path if s["D"] is not None], default=None)}


def records_of_key(k, q, fdr, order, merged):
    """The state of a key, if it is not the same, and its changes."""
    (verdict, before, after, steps), found, new = k.h.state, [], k.h.newest
    if verdict != "degraded":
        q = fdr = None
    elif q > .05:
        verdict = "suspected"
    if steps:
        found.append(record(
            k, "key", verdict, before, after, q=q, fdr=fdr,
            **places_of(k, steps, order, merged), repairing=k.h.repairing,
            steps=[order[k.at[s["at"]]] for s in steps], newest=new.get("k"),
            newest_before=new.get("before"), newest_after=new.get("after"),
            p=None if k.exact else least_p(steps), smallest_effect=k.seen))
    for c in k.h.changes:
        both = {} if c["D"] is None else {
            "old": c["old"], "new": c["new"], "n_before": len(c["old"]),
            "n_after": len(c["new"]), "n": len(c["old"] + c["new"])}
        found.append(record(
            k, "change", "degraded" if (c["after"] > c["before"]) != k.more
            else "improved", c["before"], c["after"], p=c["p"], **both,
            **places_of(k, [c["step"]], order, merged), past=c["past"],
            accepted=c["accepted"],
            cluster=order[c["cluster"]] if "cluster" in c else None))
    return found


def least_p(steps):
    return min([s["p"] for s in steps if s["p"] is not None], default=None)


def search_key(k, order, lines, o):
    position = {c: i for i, c in enumerate(order)}
    k.at = sorted(position[c] for c in k.samples.keys() & position.keys())
    k.lines = [(position[c], uid) for c, uid in lines
               if uid in (None, k.parts["uid"])]
    if not k.at:
        return
    x = tuple(k.value(runs_of(k, order[i], o.within)) for i in k.at)
    k.h = history(x, [(bisect.bisect_left(k.at, c), uid is not None)
                      for c, uid in k.lines], o.effect, k.more, k.exact)
    k.tested = len(x) >= (2 if k.exact else 14)
    k.seen = k.h.seen if k.tested else None
    k.h.changes = [{**c, "step": c, "first": k.at[c["first"] - 1] + 1,
                    "last": k.at[c["last"]]}
                   for c in k.h.changes if not k.exact]


def expect_history(records, o, order, merged, lines):
    """lines: the accepted (commit, uid or None)."""
    keys, past, found = collect(records, o, False), 0, []
    for k in keys:
        search_key(k, order, lines, o)
    keys = [k for k in keys if k.at]
    clusters = sum(mark_clusters([
        k for k in keys if k.parts["machine"] == machine])
        for machine in {k.parts["machine"] for k in keys})
    p = {k.name: least_p(k.h.state[3]) if k.h.state[0] == "degraded" else 1
         for k in keys if k.tested}
    adjusted = adjust(p)
    for k in keys:
        (_, before, after, steps), (q, fdr) = k.h.state, adjusted.get(
            k.name, (math.inf, None))[:2]
        mine = records_of_key(k, q, fdr, order, merged)
        now = mine[0]["verdict"] if steps else "same"
        past += now not in ("degraded", "suspected") and any(
            "past" in r and r["verdict"] == "degraded" for r in mine)
        if k.at[-1] < max(other.at[-1] for other in keys):
            mine.append(record(
                k, "change", "gone", k.h.last, last_good=order[k.at[-1]],
                untested=[], accepted=any(c > k.at[-1] and uid
                                          for c, uid in k.lines)))
        k.order = (0, q, -magnitude(before, after), k.name) if steps else \
            (1 if mine else 2, q, 1, k.name)
        found += mine
    states = [r for r in found if r["type"] == "key" or
              r["verdict"] == "gone" and "accepted" not in r]
    return keys, found, total_of(
        states, found, keys, p, o, past=past, clusters=clusters,
        commits=len(order), blind=3, unverified=len(keys) - len(p),
        ignored=len({r["minor_version"] for r in records} - set(order)))


def check_order(keys, got):
    """Those of two sides whose q differ by rounding may be in any order."""
    orders = {tuple(k.parts.values()): k.order for k in keys}
    found = [orders[parts_of(r)] for r in got]
    for a, b in zip(found, found[1:]):
        if a > b and not (a[0] == -1 and abs(a[1] - b[1]) < 1e-9):
            raise oracle.Differ(f"order: {a} comes before {b}")


def check_record(w, g):
    what = " ".join([w["type"], *parts_of(w), w.get("verdict", "")])
    oracle.check(f"{what}: fields", sorted(w), sorted(g))
    small = 1e-12 * max(1, w.get("before", 0), w.get("after", 0))
    for name in w:
        far = 1e-9 * abs(w[name]) + small * (name not in (
            "p", "q", "fdr", "p_ranks", "p_slow")) \
            if isinstance(w[name], float) else 0
        if w[name] != g[name] and not (far and abs(w[name] - g[name]) <= far):
            raise oracle.Differ(
                f"{what}: {name} should be {w[name]!r}, is {g[name]!r}")


def run(o, want, *arguments, records=()):
    """Compares what the filter writes, and its status."""
    keys, found, total = want
    command = ["perf-diff", *o.words, *arguments]
    oracle.last_run = command, records
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8",
        input=oracle.lines_of(records), check=False)
    *got, last = [r for r in map(json.loads, done.stdout.splitlines())
                  if r["type"] not in ("begin", "end")]
    oracle.check("records", *(sorted(
        [*parts_of(r), r["type"] == "change", r.get("minor_version", "~"),
         r["verdict"]] for r in those) for those in (found, got)))
    check_order(keys, got)
    for w, g in zip(sorted(found, key=parts_of), sorted(got, key=parts_of)):
        check_record(w, g)
    check_record(total, last)
    looks_worse = any(
        r["verdict"] == "suspected" and (r["after"] > r["before"]) ==
        (r["better"] == "less") for r in found)
    oracle.check("status", 2 if not total["tested"] and not (
        o.unjudged and total["keys"]) else
                 int(total["alarms"] > 0 or o.improvements and
                     total["improved"] > 0 or o.suspected and looks_worse),
                 done.returncode)


# --- random inputs ---

def options(rng, records):
    """Random ones, some of them for some uids and units."""
    flags = {"best": "--value best", "within": "--within-run",
             "improvements": "-i", "suspected": "--suspected fail",
             "unjudged": "--unjudged pass"}
    names = sorted({r[n] for r in records for n in ("uid", "unit") if n in r})
    on = {flag: rng.random() < .15 for flag in flags}
    percent = rng.choice([2, 2, 0, 5])
    more, exact = ([n for n in names if rng.random() < .06] for _ in "ab")
    words = [*(flags[f] for f in flags if on[f]), f"--effect {percent}",
             *("--more " + n for n in more), *("--exact " + n for n in exact)]
    return types.SimpleNamespace(**on, effect=percent / 100, more=more,
                                 exact=exact, words=" ".join(words).split())


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


def random_keys(rng, n, places):
    """Functions that make a sample of a key from a value and a version.
    places: choices of folders and machines."""
    def sample(key, units, runs, folders, machines, value, version):
        unit = rng.choice(units)
        if len(units) > 1:      # it is converted without an error
            value = round(value * 2 ** 20) / 2 ** 20
        r = {"type": "sample", **key, "unit": unit,
             "machine": rng.choice(machines), "minor_version": version,
             "value": value * UNITS[unit][2] / UNITS[unit][1],
             "cmd": key["cmd"] and rng.choice(folders) + key["cmd"],
             "run": f"r{rng.randrange(runs)}" if runs else ""}
        return {name: v for name, v in r.items() if v != ""}
    for i in rng.sample(range(n), n):
        base = rng.choice(["", "", "", "s", "B", "B/s"])
        key = {"uid": f"k{i // 2}", "workload": rng.choice(["", "w"]) +
               str(i % 2), "resource_type": rng.choice(["", "time"]),
               "cmd": rng.choice(["", "x", "x -y z"]), **rng.choice(
                   [{}] * 12 + [{"exact": True}, {"better": "more"}])}
        yield functools.partial(
            sample, key, rng.choice([[base], [
                u for u in UNITS if UNITS[u][0] == base]]),
            rng.choice([0, 0, 2, 5, 9, 30]), *rng.choice(places))


def mode_sides(rng):
    records = []
    for make in random_keys(rng, rng.randint(1, 8), [
            (["/a/b/", "./", ""], ["", "m", "n"])]):
        draw, factor = level(rng), rng.choice([1, 1, 1.01, 1.1, .8])
        slow, drifts = rng.choice([0, 0, .3]), rng.choice([0, 0, .05])
        for side, now in (("old", 1), ("new", factor)):
            for _ in range(rng.choice([0, 1, 4, 5, 6, 10, 15, 20, 21, 40])):
                now += .1 * (factor - now) + rng.gauss(0, drifts)
                records.append(make(draw(now) * (
                    3 if side == "new" and rng.random() < slow else 1), side))
    if len({r["minor_version"] for r in records}) == 2:
        run_sides(options(rng, records), records)


def run_sides(o, records):
    for side in ("old", "new"):
        with open(side, "w", encoding="utf-8") as out:
            out.write(oracle.lines_of([{"type": "other"}] + [
                r for r in records if r["minor_version"] == side]))
    run(o, expect_sides(records, o), "old", "new")


def random_line(rng, n, kind):
    """A history of n commits: the commits, the oldest first, what merges
    bring in, and the records of versions."""
    order = [f"{rng.getrandbits(160):040x}" for _ in range(n)]
    if kind == "dates":
        order = [f"20{i // 12:02}-{i % 12 + 1:02}-01" for i in range(n)]
    merged, versions = {}, []
    for i in range(n if kind == "versions" else 0):
        side = [f"{rng.getrandbits(160):040x}" for _ in range(
            rng.choice([0, 0, 0, 1, 3]) if i > 0 else 0)]
        versions.append((order[i], order[:i][-1:] + side[:1]))
        if side:
            merged[order[i]] = side
            versions += [(c, [parent]) for c, parent in zip(
                side, [*side[1:], order[rng.randrange(i)]])]
    head = [v for v in versions if v[0] == order[-1]]
    rng.shuffle(versions)
    return order, merged, [{"type": "version", "id": c, "parents": parents}
                           for c, parents in head + versions]


def random_points(rng, n, places, make, order):
    """The samples of a key, which has changed at some places."""
    draw, factor, carried = level(rng), 1, 0
    phi, growth = rng.choice([0, 0, .7]), rng.choice([0, 0, 0, .002])
    first, end = rng.choice([(0, n)] * 4 + [(n // 3, n), (0, n - n // 4)])
    newest, now = n - rng.randint(1, 7), rng.choice([None, None, None, 1, 1.5])
    gaps = rng.choice([0, 0, .2])
    for i in range(n):
        factor = places.get(i, factor) + growth
        if rng.random() < .02:
            factor = rng.choice([1, 1.01, 1.05, 1.1, .8])
        factor = now or factor if i == newest else factor
        carried = phi * carried + rng.gauss(0, .02)
        if first <= i < end and rng.random() >= gaps:
            for _ in range(rng.choice([1, 1, 3])):
                yield make(abs(draw(factor) * (1 + carried * (phi > 0))),
                           order[i])


def mode_history(rng):
    n = rng.choice([8, 13, 14, 20, 27, 40, 60, 90, 120, 160])
    kind = rng.choice(["versions", "versions", "dates", "--oldest-first",
                       "--newest-first", "unknown"])
    order, merged, versions = random_line(rng, n, kind)
    places = {i: rng.choice([1, 1.03, 1.1, 1.3, .7]) for at in rng.sample(
        [n // 2, *range(n)], rng.choice([0, 1, 1, 2, 4]))
        for i in (at, at + rng.choice([0, 0, 0, 2, 3, 6]))}
    makers = list(random_keys(rng, rng.choice([1, 2, 4, 8]), [
        ([""], ["m"])] * 3 + [(["./"], ["n"]), ([""], [""])]))
    records = [r for make in makers
               for r in random_points(rng, n, places, make, order)]
    records += [makers[0](1, c) for side in merged.values() for c in side
                if rng.random() < .02]
    if not versions:
        measured = {r["minor_version"] for r in records}
        order = [c for c in order if c in measured]
    if kind in ("versions", "dates"):
        rng.shuffle(records)
    else:
        records.sort(key=lambda r: order.index(r["minor_version"]),
                     reverse=kind == "--newest-first")
    o = options(rng, records)
    o.words += ["-H"] + [kind] * kind.startswith("--")
    near = [order[i + d] for i in [*places, len(order) - 3]
            for d in (-2, -1, 0, 1, 2) if 0 <= i + d < len(order)]
    lines = [(rng.choice([*near, rng.choice(order)]),
              rng.choice([None, None, *(r["uid"] for r in records[:2])]))
             for _ in range(rng.choice([0, 1, 1, 3]))]
    with open("accepted", "w", encoding="utf-8") as out:
        out.writelines(f"{c[:rng.choice([10, 40])]} {uid or ''}\n"
                       for c, uid in lines)
    o.words += ["--accept", "accepted"] if lines else []
    run(o, expect_history(records if kind != "unknown" else [], o, order,
                          merged, lines), records=[*versions, *records])


def mode_pairs(rng):
    """More than a million pairs: the samples are thinned."""
    run_sides(options(rng, []), [
        {"uid": "a", "value": round(rng.gauss(100 + i, 5), 2),
         "minor_version": side} for i, side in enumerate(("old", "new"))
        for _ in range(rng.choice([1001, 1600, 2300]))])


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
    for words in ("-H", "-H --oldest-first", "-H --newest-first --svg",
                  "-H --oldest-first --text", "damaged", "--text damaged"):
        command = ["perf-diff", *words.split(), "damaged"]
        oracle.last_run = command, []
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode not in (0, 1, 2):
            raise oracle.Differ(f"status {done.returncode}: {done.stderr!r}")


if __name__ == "__main__":
    oracle.main(globals(), None)
