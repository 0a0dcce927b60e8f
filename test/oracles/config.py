#!/usr/bin/env python3
"""A second implementation of config and pidx-jobs, for random input.

config.py MODE SEED COUNT PROGRAM
  read    random documents, written as JSON (which is YAML) and by PyYAML, if it
          is installed, are read with the same values; PROGRAM: unit/config
  jobs    the jobs of random job matrices are those that jobs() yields;
          PROGRAM: pidx-jobs
  mutate  files with random damage give status 0 or 2, and errors have a line
          and column; PROGRAM: unit/config
"""

import itertools
import json
import os
import random
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    yaml = None

WORDS = ["a", "B", "name", "x y", "", "true", "~", "null", "0x1f", "010",
         "1e3", "-", "- a", "#c", "a: b", "[", "{", "&a", "*a", "!t", "%d",
         "@", "`", "'", '"', "\\", "é", "𝄞", "line\nline", " lead", "trail ",
         "\ttab", "<<", "=", "yes", "|", ">", "?", "a\n\n b\n", "\u2028x"]


def random_text(rng):
    return rng.choice(WORDS) + rng.choice(["", "", str(rng.randrange(100))])


def random_value(rng, depth, pool):
    """A random value; sometimes one from the pool of earlier values: PyYAML
    writes the second use of an object as an alias."""
    kind = rng.randrange(6 if depth < 5 else 2)
    if kind < 2:
        return random_text(rng)
    if kind == 2 and pool:
        return rng.choice(pool)
    if kind < 4:
        v = [random_value(rng, depth + 1, pool)
             for _ in range(rng.randrange(4))]
    else:
        v = {random_text(rng): random_value(rng, depth + 1, pool)
             for _ in range(rng.randrange(4))}
    pool.append(v)
    return v


def random_document(rng):
    pool = []
    return {random_text(rng): random_value(rng, 0, pool)
            for _ in range(rng.randrange(6))}


def as_yaml(rng, doc):
    """The document as PyYAML writes it, in a random style."""
    return yaml.safe_dump(
        doc, default_flow_style=rng.choice([True, False, None]),
        default_style=rng.choice([None, "'", '"', "|", ">"]),
        allow_unicode=rng.choice([True, False]), sort_keys=False,
        indent=rng.choice([2, 4]), width=rng.choice([20, 80]))


def run(*command, env=None):
    return subprocess.run(command, capture_output=True, timeout=600, env=env)


def write(path, content):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(content)


def as_json(doc):
    """The document as JSON.  If it has U+2028, which ends a line in YAML, all
    characters that are not ASCII are escaped."""
    plain = json.dumps(doc, ensure_ascii=False)
    return plain if "\u2028" not in plain else json.dumps(doc)


def is_yaml(json_text):
    """Whether the output of as_json() is YAML, which has no surrogate pairs:
    as_json() may escape U+1D11E as one."""
    return "\\ud8" not in json_text


def check(program, content, doc):
    write("in.yml", content)
    got = run(program, "in.yml")
    assert got.returncode == 0, got.stderr
    assert json.loads(got.stdout) == doc, (content, got.stdout, doc)


def read(rng, program):
    # All values are strings: config and BaseLoader read scalars as such.
    doc = random_document(rng)
    content = as_json(doc)
    if is_yaml(content):
        check(program, content, doc)
    if yaml is not None:
        content = as_yaml(rng, doc)
        check(program, content, yaml.load(content, yaml.BaseLoader))


def random_unit(rng, name):
    """A collector or postprocessor."""
    u = {"name": name}
    if rng.random() < 0.7:
        u["params"] = {random_text(rng): random_value(rng, 3, [])
                       for _ in range(rng.randrange(3))}
    return u


def random_matrix(rng):
    # pidx-jobs rejects a name that is empty or null.
    names = [w for w in WORDS if w not in ("", "~", "null")]
    words = lambda: [rng.choice(WORDS) for _ in range(rng.randrange(4))]
    m = {"cmds": words(), "collectors": [
        random_unit(rng, rng.choice(names)) for _ in range(rng.randrange(4))]}
    if rng.random() < 0.7:
        m["workloads"] = words()
    if rng.random() < 0.3:
        m["args"] = list(dict.fromkeys(words()))
    if rng.random() < 0.7:
        m["postprocessors"] = [random_unit(rng, rng.choice(names))
                               for _ in range(rng.randrange(3))]
    if rng.random() < 0.3:
        m["generators"] = {"workload": [
            {"id": rng.choice(WORDS), "type": "t", "n": str(i)}
            for i in range(rng.randrange(3))]}
    return m


def jobs(m):
    """The jobs of a job matrix, according to Perun's documentation."""
    generators = {g["id"]: g for g in
                  m.get("generators", {}).get("workload", [])}
    posts = m.get("postprocessors", [])
    for cmd, workload, collector, args in itertools.product(
            dict.fromkeys(m["cmds"]), dict.fromkeys(m.get("workloads", [""])),
            m["collectors"], m.get("args") or [""]):
        job = {"type": "job", "cmd": cmd, "workload": workload,
               "collector": collector["name"],
               "collector_params": collector.get("params", {}),
               "postprocessors": [p["name"] for p in posts],
               "postprocessor_params": [p.get("params", {}) for p in posts]}
        if args:
            job["args"] = args
        if workload in generators:
            job["generator"] = generators[workload]
        else:
            job["command"] = cmd + "".join(
                " " + w for w in (args, workload) if w)
        yield job


def check_jobs(rng, program):
    m = random_matrix(rng)
    content = as_json(m)
    if yaml is not None and rng.random() < 0.7:
        content = as_yaml(rng, m)
        m = yaml.load(content, yaml.BaseLoader)
    elif not is_yaml(content):
        return
    os.makedirs("store/.perun/objects", exist_ok=True)
    write("store/.perun/local.yml", content)
    # There is no directory "none", and therefore no shared.yml.
    got = run(program, "-C", "store",
              env=dict(os.environ, PERUN_CONFIG_DIR="none"))
    assert got.returncode == 0, got.stderr
    # The first and the last line are the begin and end records.
    got = [json.loads(line) for line in got.stdout.splitlines()[1:-1]]
    assert got == list(jobs(m)), (content, got)


# Documents to damage.
DOCUMENTS = ["a: &x {b: [1, *x]}\n", "a: &x\n  - 1\n  - b: c\nd: *x\n",
             "- a\n- b: |\n    x\n", "{a: 'b', \"c\": [d, e]}\n",
             "a: {<<: [*x, {}]}\n? b\n: c\n",
             "%YAML 1.1\n---\na: !!str b\n...\n"]


def mutate(rng, program):
    texts = rng.sample(DOCUMENTS, rng.randrange(1, 4))
    data = bytearray("".join(texts).encode())
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(data) + 1)
        if rng.random() < 0.5:
            data[at:at] = rng.choice(
                [b"\0", b"\xff", b"\t", b": ", b"- ", b"&x ", b"*x", b"\n", b"{",
                 b"]", b"\"", b"<<: *x\n", b"\xfe\xff", b"#", b"? ", b"!", b"|"])
        else:
            del data[at:at + rng.randrange(4)]
    with open("in.yml", "wb") as f:
        f.write(data)
    got = run(program, "in.yml")
    assert got.returncode in (0, 2), (got, bytes(data))
    if got.returncode == 2:
        assert re.match(rb"in\.yml:\d+:\d+: .", got.stderr), (got, bytes(data))


def main():
    mode, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    program = sys.argv[4]
    print("SEED=" + seed, "without PyYAML" if yaml is None else "")
    rng = random.Random(int(seed))
    run_mode = {"read": read, "jobs": check_jobs, "mutate": mutate}[mode]
    for _ in range(count):
        run_mode(rng, program)


main()
