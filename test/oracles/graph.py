#!/usr/bin/env python3
"""graph - a second implementation of graph-export, from its definitions

Usage: graph.py MODE SEED COUNT             many random plans and builds
       graph.py files N FILE...             records; N: the most nodes shown
       graph.py shuffle SEED COUNT PIPELINE FILE

The nodes and edges are computed from the sections "Folding" and "Selection" of
graph-export(1), without interning or sets of bits, and compared with what
graph-export writes as DOT.  Ids must not repeat within a run, and the input has
one run.  The filters are found in PATH.
"""

import importlib
import json
import re
import sys

from oracle import Differ, check, main, run_filter

groups = importlib.import_module("critpath-groups")

BOOKKEEPING = re.compile(r"language\.|mal\.|querylog\.|assignment$")
PASSED_MAX = 64


def placeholders(records):
    """Nodes that take no time, in the place of tasks and nodes."""
    deps = {}
    for r in records:
        deps.setdefault(r["id"], []).extend(r.get("deps", []))
    return [{"type": "node", "id": i, "rule": "phony", "deps": deps[i]}
            for i in deps]


def has_time(task):
    return groups.elapsed_of(task) is not None and \
        "total_time" not in task and \
        (task.get("kind") != "prepare" or "host" in task)


class Folded:
    """A node: a label, the set of nodes on which it depends, and its tasks."""

    def __init__(self, label, parents):
        self.label, self.parents, self.ids = label, parents, []

    def depth(self):
        return 1 + max((p.depth() for p in self.parents), default=-1)


class Graph:
    """A folded graph.  nodes: in the order of their numbers."""

    def __init__(self, records):
        self.rules = {r["id"]: r["rule"] for r in records
                      if r["type"] == "node" and "rule" in r}
        tasks = [r for r in records if r["type"] == "task" and has_time(r)]
        nodes = [r for r in records if r["type"] == "node" or
                 (r["type"] == "task" and not has_time(r) and
                  r.get("kind") != "copy")]
        self.build = groups.Build(tasks + placeholders(nodes))
        steps = [r for r in records if r["type"] == "critical"]
        steps.sort(key=lambda r: r["step"])
        self.path = [r["id"] for r in steps if r.get("path", 1) == 1]
        self.time = self.build.time
        self.set_times()
        self.fold()
        self.number()

    def label(self, i):
        task = self.build.tasks.get(i)
        if task is None:
            return "z" + i
        kind = task.get("kind", "run")
        rule = task.get("rule", self.rules.get(
            task.get("uid") if kind == "copy" else i))
        if kind in ("copy", "prepare"):
            return {"copy": "f", "prepare": "p"}[kind] + (rule or "")
        letter = {"call": "c", "instruction": "i"}.get(kind, "r")
        return "n" + task.get("name", i) if rule is None else letter + rule

    def set_times(self):
        self.of_label = {}
        for i, us in self.time.items():
            label = self.label(i)
            self.of_label[label] = self.of_label.get(label, 0) + us
        self.total = sum(us for label, us in self.of_label.items()
                         if label[0] != "c")

    def is_left_out(self, i):
        label = self.label(i)
        if i in self.path:
            return False
        return label[0] == "z" or (
            label[0] == "i" and BOOKKEEPING.match(label[1:]) is not None and
            1000 * self.of_label[label] < self.total)

    def fold(self):
        passed = {}         # by id: the nodes that stand for it
        found = {}
        for i in self.build.order:
            parents = frozenset(p for d in self.build.deps[i]
                                for p in passed[d])
            if self.is_left_out(i) and len(parents) <= PASSED_MAX:
                passed[i] = parents
                continue
            label = self.label(i)
            node = next((p for p in parents if p.label == label and
                         parents <= p.parents | {p}), None)
            if node is None:
                node = found.setdefault((label, parents),
                                        Folded(label, parents))
            node.ids.append(i)
            passed[i] = {node}
        self.nodes = list(found.values())
        self.node_of = {i: n for n in self.nodes for i in n.ids}

    def number(self):
        """By depth, label and the numbers of the parents."""
        self.nodes.sort(key=Folded.depth)
        by_depth = {}
        for n in self.nodes:
            by_depth.setdefault(n.depth(), []).append(n)
        self.nodes = []
        for _, level in sorted(by_depth.items()):
            level.sort(key=lambda n: (n.label.encode(), sorted(
                p.number for p in n.parents)))
            for n in level:
                n.number = len(self.nodes) + 1
                self.nodes.append(n)

    def us(self, node):
        return sum(self.time[i] for i in node.ids)

    def critical(self, node):
        return [i for i in node.ids if i in self.path]

    # --- what is shown -----------------------------------------------------

    def select(self, most):
        order = sorted(self.nodes, key=lambda n: (
            not self.critical(n), -self.us(n), n.number))
        return set(order[:most])

    def edges(self, shown):
        """{(from, to): (is it indirect, is it critical)}"""
        near = {}           # the shown nodes that a node reaches
        direct = {n: n.parents & shown for n in self.nodes}
        for n in self.nodes:
            near[n] = set(direct[n])
            for p in n.parents - shown:
                near[n] |= near[p]
        before = {}         # all shown nodes on which a shown node depends
        edges = {}
        for n in self.nodes:
            if n not in shown:
                continue
            before[n] = near[n].union(*(before[p] for p in near[n]))
            for p in near[n]:
                implied = any(p in before[q] for q in near[n])
                if (p in direct[n] and n.label[0] in "ic") or not implied:
                    edges[p, n] = (p not in direct[n], False)
        self.mark_path(shown, edges)
        return {(a.number, b.number): how for (a, b), how in edges.items()}

    def mark_path(self, shown, edges):
        steps = [self.node_of.get(i) for i in self.path]
        last, is_gap = None, False
        for n in steps:
            if n not in shown:
                is_gap = True
                continue
            if last is not None and last != n:
                was_indirect = edges.get((last, n), (True,))[0]
                edges[last, n] = (was_indirect and is_gap, True)
            last, is_gap = n, False

    def answer(self, most):
        """What must be in the picture: {number: facts}, edges, and what is
        said about the other nodes."""
        shown = self.select(most)
        nodes = {n.number: (
            self.first_line(n), len(n.ids), self.us(n),
            max(self.time[i] for i in n.ids), len(self.critical(n)),
            sum(self.time[i] for i in self.critical(n))) for n in shown}
        return nodes, self.edges(shown), len(self.nodes) - len(shown)

    @staticmethod
    def first_line(n):
        name = n.label[1:]
        if len(name) > 40:
            name = "..." + name[-37:] if n.label[0] in "nz" else \
                name[:37] + "..."
        if n.label[0] in "fp":
            name = {"f": "copy of ", "p": "prepare "}[n.label[0]] + name \
                if name else {"f": "copy", "p": "prepare"}[n.label[0]]
        return name if len(n.ids) == 1 else f"{name} x {len(n.ids)}"


# --- What graph-export wrote -------------------------------------------------

def unquote(label):
    return re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1],
                  label).replace("&amp;", "&")


def read_dot(text):
    """The same as Graph.answer() of a graph in DOT, and its title."""
    nodes, edges, more = {}, {}, 0
    string = r'"((?:[^"\\]|\\.)*)"'
    for line in text.splitlines():
        node = re.match(rf"\tn(\d+) \[label={string}, (.*)\];$", line)
        edge = re.match(r"\tn(\d+) -> n(\d+) \[(.*)\];$", line)
        rest = re.match(rf"\tmore \[.*label={string}\];$", line)
        if node:
            facts = dict(re.findall(r"(\w+)=(\d+)", node[3]))
            check("outline", "critical" in facts, "#d55e00" in node[3])
            nodes[int(node[1])] = (unquote(node[2]).split("\n")[0], *(
                int(facts.get(key, 0)) for key in (
                    "tasks", "sum_us", "max_us", "critical", "critical_us")))
        elif edge:
            check("edge", None, edges.get((int(edge[1]), int(edge[2]))))
            edges[int(edge[1]), int(edge[2])] = (
                "style=dashed" in edge[3], "#d55e00" in edge[3])
        elif rest:
            more = int(re.match(r"\.\.\. (\d+) more", unquote(rest[1]))[1])
        else:
            check("other line", True, re.match(
                r"digraph plan \{$|\t(graph|node|edge) \[.*\];$|\}$",
                line) is not None)
    return nodes, edges, more


def read_mermaid(text):
    """The first lines of the nodes by number, and the edges."""
    nodes, edges = {}, {}
    critical = re.findall(r"^linkStyle ([\d,]+) .*#d55e00", text, re.M)
    critical = ",".join(critical).split(",")
    for node in re.finditer(r'^n(\d+)\["([^"]*)"\]:::heat\d$', text, re.M):
        nodes[int(node[1])] = re.sub(
            r"#(\d+);", lambda m: chr(int(m[1])), node[2].split("\n")[0])
    for edge in re.finditer(r"^n(\d+) (-->|-\.->) n(\d+)$", text, re.M):
        edges[int(edge[1]), int(edge[3])] = (
            edge[2] == "-.->", str(len(edges)) in critical)
    return nodes, edges


def compare(records, most):
    nodes, edges, more = Graph(records).answer(most)
    text = run_filter("graph-export", records, "-n", str(most))
    got = read_dot(text) if text else ({}, {}, 0)
    check("nodes", sorted(nodes.items()), sorted(got[0].items()))
    check("edges", sorted(edges.items()), sorted(got[1].items()))
    check("nodes that are not shown", more, got[2])
    text = run_filter("graph-export", records, "-n", str(most), "-f",
                      "mermaid")
    names, links = read_mermaid(text)
    check("Mermaid's nodes", sorted((i, n[0]) for i, n in nodes.items()),
          sorted(names.items()))
    check("Mermaid's edges", sorted(edges.items()), sorted(links.items()))


# --- Random plans and builds -------------------------------------------------

FUNCTIONS = ["algebra.join", "algebra.select", "sql.bind", "mat.pack",
             "language.pass", "mal.x", "querylog.define", "assignment",
             "languages.x"]


def random_us(rng):
    return rng.choice([0, 0, 1, 7, 20, 1000, 10**6 + rng.randint(0, 9)])


def random_deps(rng, ids):
    """Mostly recent ids, so that there are chains, and some twice."""
    deps = [d for d in ids[-4:] if rng.random() < 0.4]
    deps += rng.choices(ids, k=rng.choice([0, 0, 1, 3])) if ids else []
    return deps


def random_plan(rng, n):
    records = []
    functions = rng.sample(FUNCTIONS, rng.randint(1, len(FUNCTIONS)))
    for i in range(n):
        records.append({
            "type": "task", "id": f"1:{i}", "kind": "instruction",
            "rule": rng.choice(functions), "elapsed_us": random_us(rng),
            "deps": random_deps(rng, [r["id"] for r in records])})
        if rng.random() < 0.1:
            records[-1] |= {"kind": "call", "rule": "user.f"}
    return records


def random_build(rng, n):
    """Runs with rules of their own or of their nodes, copies, prepares, phony
    nodes, and tasks without a time."""
    tasks, nodes = [], []
    for i in range(n):
        ids = [r["id"] for r in tasks + nodes if r.get("kind") != "copy"]
        runs = [r["id"] for r in tasks if r.get("kind") == "run"]
        record = {"type": "task", "id": f"t{i}", "kind": "run",
                  "host": rng.choice("ab"), "elapsed_us": random_us(rng),
                  "deps": random_deps(rng, ids)}
        draw = rng.random()
        if draw < 0.15:
            record = {"type": "node", "id": f"n{i}", "rule": "phony",
                      "deps": random_deps(rng, ids)}
        elif draw < 0.3 and runs:
            record |= {"kind": "copy", "uid": rng.choice(runs), "deps": []}
        elif draw < 0.35:
            record |= {"kind": "prepare", "deps": []}
        elif draw < 0.5:
            del record["elapsed_us"]
        if draw > 0.35 and rng.random() < 0.8:
            node = {"type": "node", "id": record["id"], "deps":
                    random_deps(rng, ids), "rule": rng.choice(["CC", "LD"])}
            nodes.append(node)
        elif draw > 0.35 and rng.random() < 0.5:
            record["rule"] = "CC"
        (nodes if record["type"] == "node" else tasks).append(record)
    return tasks + nodes


def with_path(rng, records):
    """The records and their critical path, in any order; sometimes no path."""
    critical = []
    if rng.random() < 0.7:
        options = ["--bridge"] if rng.random() < 0.5 else []
        lines = run_filter("critpath", records, *options).splitlines()
        critical = [r for r in map(json.loads, lines)
                    if r["type"] == "critical"]
    records = records + critical
    rng.shuffle(records)
    return records


def mode_plans(rng):
    records = random_plan(rng, rng.choice([1, 5, 20, 40]))
    compare(with_path(rng, records), rng.choice([1, 2, 5, 15, 200]))


def mode_builds(rng):
    records = random_build(rng, rng.choice([2, 8, 20, 40]))
    if any(r["type"] == "task" for r in records):
        compare(with_path(rng, records), rng.choice([1, 2, 5, 15, 200]))


def mode_passed(rng):
    """A phony node passes on all that it depends on, or not if it is much."""
    n = PASSED_MAX + rng.choice([-1, 0, 1, 20])
    records = [{"type": "task", "id": f"t{i}", "rule": f"R{i}",
                "elapsed_us": 5} for i in range(n)]
    records.append({"type": "node", "id": "all", "rule": "phony",
                    "deps": [r["id"] for r in records]})
    for i in range(3):
        records.append({"type": "task", "id": f"after{i}", "rule": "X",
                        "elapsed_us": 1, "deps": ["all"]})
    compare(with_path(rng, records), rng.choice([20, 200]))


def files(most, *paths):
    """Compares the records of files, given as one stream."""
    records = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            records += [json.loads(line) for line in f]
    records = [r for r in records
               if r["type"] in ("task", "node", "critical")]
    compare(records, int(most))
    print(f"{len(records)} records agree")


if __name__ == "__main__":
    if sys.argv[1] == "files":
        try:
            files(*sys.argv[2:])
        except Differ as why:
            print(why)
            sys.exit(1)
    else:
        main(globals(), None)
