#!/usr/bin/env python3
"""vcs.py MODE SEED COUNT - compares the vcs filters with git itself

Creates random histories in the current directory, asks git and the filters the
same questions, and stops at the first difference.

    log      ids and their order, for heads, ranges and --first-parent
    text     parents, names, times and messages of every commit
    resolve  ids of names; that unknown names have none
    heads    branches and HEAD
    graph    ranges with a damaged commit-graph
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys

# What commits name as their encoding, and Python's codec for it; None: the text
# is not converted.
ENCODINGS = {b"ISO-8859-1": "latin-1", b"latin1": "latin-1",
    b"KOI8-R": "koi8-r", b"EUC-JP": "euc-jp", b"UTF-8": None,
    b"no-such-code": None}
ALPHABET = [b"a", b"b", b" ", b"\n", b"\t", b"\r", b'"', b"\\", b"\x01",
    b"\x7f", "\u00e9".encode(), "\u65e5".encode(), "\U0001f600".encode(),
    b"\xe9", b"\xc3", b"\xed\xa0\x80", b"<", b">"]


def run(*command):
    p = subprocess.run(command, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    return p.returncode, p.stdout, p.stderr


def git(*args):
    status, out, err = run("git", "-C", "repo", *args)
    if status != 0:
        sys.exit("git %s: %s" % (" ".join(args), err.decode()))
    return out


def weir(name, *args):
    """Runs a filter; returns its status, its records without the begin and end
    records, and its messages."""
    status, out, err = run(name, "-C", "repo", *args)
    if status not in (0, 1, 2):
        sys.exit("%s %r ends in %d\n%s" % (name, args, status, err))
    records = [json.loads(line) for line in out.splitlines()]
    records = [r for r in records if r["type"] not in ("begin", "end")]
    return status, records, err


def differ(what, ours, theirs):
    sys.exit("%s\nweir: %r\ngit:  %r" % (what, ours, theirs))


def text(rng, limit):
    """Random bytes: fewer than `limit` items of ALPHABET."""
    return b"".join(rng.choice(ALPHABET)
        for _ in range(rng.randrange(limit)))


def person(rng):
    """A name, which may be empty, an address and a time zone."""
    name = text(rng, 8)
    for bad in b"<", b">", b"\n":
        name = name.replace(bad, b"")
    email = name.replace(b" ", b"") if rng.random() < .5 else b"a@b.example"
    zone = rng.choice([b"+0000", b"-0330", b"+1245", b"+0200", b"-1200"])
    return name.strip(), email, zone


def put_person(out, rng, who, time):
    name, email, zone = person(rng)
    out.append(b"%s %s<%s> %d %s\n" % (who, name and name + b" ", email, time,
        zone))


def make_history(rng, n):
    """Creates a history of n commits by git fast-import.  Returns the ids of
    the commits and the names of the references."""
    shutil.rmtree("repo", ignore_errors=True)
    run("git", "init", "-q", "--bare", "-b", "b0", "repo")
    out = []            # what fast-import reads
    # Seconds from commit to commit, and the deviation: clocks may go backwards.
    step, spread = rng.choice([0, 1, 10]), rng.choice([0, 0, 3, 50, 100000])
    branches = ["b%d" % i for i in range(rng.randrange(1, 5))] + ["topic/x"]
    for i in range(1, n + 1):
        out.append(b"commit refs/heads/%s\nmark :%d\n" % (
            rng.choice(branches).encode(), i))
        time = 1000000 + step * i + rng.randrange(-spread, spread + 1)
        put_person(out, rng, b"author", time + rng.randrange(100))
        put_person(out, rng, b"committer", time)
        if rng.random() < .2:
            out.append(b"encoding %s\n" % rng.choice(list(ENCODINGS)))
        message = text(rng, 40)
        out.append(b"data %d\n%s\n" % (len(message), message))
        parents = rng.sample(range(max(1, i - 12), i), min(i - 1,
            rng.choice([0, 1, 1, 1, 1, 1, 1, 2, 2, 3, 5]), 11))
        # Without "from", the parent is the last commit of the branch; with
        # zeros, there is no parent.
        if parents or rng.random() < .5:
            out.append(b"from %s\n" % (b":%d" % parents[0] if parents
                else b"0" * 40))
        out += [b"merge :%d\n" % p for p in parents[1:]]
        out.append(b"M 644 inline f\ndata %d\n%s\n" % (len(message), message))
    for i in range(rng.randrange(5)):
        mark = rng.randrange(1, n + 1)
        out.append(b"reset refs/tags/light%d\nfrom :%d\n\n" % (i, mark))
        out.append(b"tag annotated%d\nfrom :%d\ntagger T <t@x> 1 +0000\n"
            b"data 1\nt\n" % (i, mark))
    p = subprocess.run(["git", "-C", "repo", "fast-import", "--quiet",
        "--force"], input=b"".join(out), stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE)
    if p.returncode != 0:
        sys.exit(p.stderr.decode())
    heads = git("for-each-ref", "--format=%(refname:short)",
        "refs/heads").decode().split()
    git("symbolic-ref", "HEAD", "refs/heads/" + rng.choice(heads))
    if rng.random() < .5:
        git("pack-refs", "--all")
    if rng.random() < .3:
        git("repack", "-qad")
    write_graph(rng)
    commits = git("rev-list", "--all").decode().split()
    refs = git("for-each-ref", "--format=%(refname:short)").decode().split()
    return commits, refs


def write_graph(rng):
    """Writes no commit-graph, or one, or a chain of them."""
    kind = rng.choice(["none", "one", "chain"])
    if kind == "one":
        git("commit-graph", "write", "--reachable")
    for ref in git("for-each-ref", "refs/heads", "--format=%(objectname)"
                   ).split() if kind == "chain" else ():
        subprocess.run(["git", "-C", "repo", "commit-graph", "write",
            "--stdin-commits", "--split=no-merge"], input=ref + b"\n",
            stderr=subprocess.DEVNULL, check=True)


def random_rev(rng, commits, refs):
    """The name of a commit, which may not exist."""
    name = rng.choice([rng.choice(commits), rng.choice(refs), "HEAD"])
    if rng.random() < .3:
        name += rng.choice(["~", "~2", "~5", "^", "^2", "^0", "^{}", "~1^2"])
    return name


def random_tip(rng, commits, refs):
    """A commit, an excluded commit or a range."""
    a, b = random_rev(rng, commits, refs), random_rev(rng, commits, refs)
    return rng.choice([a, a, "^" + a, a + ".." + b, a + "..", ".." + a])


def rev_parse(name):
    """The id of a name, or None, and git's messages."""
    status, out, err = run("git", "-C", "repo", "rev-parse", "--verify",
        "--end-of-options", name)
    return (out.decode().strip() if status == 0 else None), err


class Names:
    """
    Resolves names by a single git process.  Some names, such as @{u}, would end
    that process: use rev_parse() for them.
    """

    def __init__(self):
        self.git = subprocess.Popen(["git", "-C", "repo", "cat-file",
            "--batch-check=%(objectname)"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def id(self, name):
        self.git.stdin.write(name.encode() + b"\n")
        self.git.stdin.flush()
        answer = self.git.stdout.readline().decode().rstrip("\n")
        return answer if re.fullmatch("[0-9a-f]{40}", answer) else None

    def end(self):
        self.git.communicate()


def as_ids(names, tips):
    """
    The tips as ids, for git, or unchanged if one has no id.  Given a name such
    as x~2, git parses the commit x~1 before its walk begins, and if clocks went
    backwards, that changes which commits git excludes, as does the order of
    tips with the same time.
    """
    full = []           # ("^" if the commit is excluded, its name)
    for tip in tips:
        start, dots, end = tip.rpartition("..")
        if dots:
            full += [("^", start or "HEAD"), ("", end or "HEAD")]
        else:
            full += [("^" * tip.startswith("^"), tip.lstrip("^"))]
    ids = [(mark, names.id(name + "^{commit}")) for mark, name in full]
    return [mark + id for mark, id in ids] if all(id for _, id in ids) \
        else tips


def check_log(rng, commits, refs):
    names = Names()
    for _ in range(20):
        tips = [random_tip(rng, commits, refs)
            for _ in range(rng.choice([1, 1, 2, 3, 6]))]
        options = []
        if rng.random() < .3:
            options += ["--first-parent"]
        if rng.random() < .2:
            options += ["-n", str(rng.randrange(1, 9))]
        args = options + tips
        status, out, err = run("git", "-C", "repo", "rev-list", *options,
            *as_ids(names, tips))
        our_status, records, our_err = weir("vcs-log", *args)
        if our_status != (0 if status == 0 else 2):
            differ("vcs-log %r" % args, (our_status, our_err), (status, err))
        ids = [r["id"] for r in records]
        if ids != out.decode().split():
            differ("vcs-log %r" % args, ids, out.decode().split())
    names.end()


def decode(raw, encoding):
    """Bytes as the text that weir writes: converted from the encoding if
    possible; else each byte that is not part of valid UTF-8 becomes U+FFFD."""
    codec = ENCODINGS.get(encoding)
    if codec is not None:
        try:
            return raw.decode(codec)
        except UnicodeDecodeError:
            pass
    out = ""
    while raw:
        for n in range(1, 5):
            try:
                out += raw[:n].decode()
                break
            except UnicodeDecodeError:
                pass
        else:
            out, n = out + "\ufffd", 1
        raw = raw[n:]
    return out


def raw_commits(ids):
    """The bytes of each commit object."""
    out = subprocess.run(["git", "-C", "repo", "cat-file", "--batch"],
        input="".join(id + "\n" for id in ids).encode(),
        stdout=subprocess.PIPE, check=True).stdout
    for id in ids:
        header, _, out = out.partition(b"\n")
        n = int(header.split()[2])
        yield out[:n]
        out = out[n + 1:]


def shown_commits(ids):
    """The fields that git log prints for each commit."""
    out = git("log", "--no-walk=unsorted", "-z",
        "--format=%ct%x00%at%x00%cd%x00%P%x00%an%x00%ae", "--date=format:%z",
        *ids).split(b"\0")
    return zip(*[iter(out)] * 6)


def expected(commit, raw, shown):
    """The record of a commit, from its raw bytes and what git log shows: the
    times of the committer (ct) and author (at) in seconds, the committer's time
    zone, the parents, the author's name (an) and address (ae)."""
    header, message = raw.split(b"\n\n", 1)
    encoding = b""
    for line in header.split(b"\n"):
        if line.startswith(b"encoding "):
            encoding = line[9:]
    # A commit that is not valid in its encoding is not converted at all.
    codec = ENCODINGS.get(encoding)
    if codec is not None:
        try:
            raw.decode(codec)
        except UnicodeDecodeError:
            encoding = b""
    ct, at, zone, parents, an, ae = shown
    minutes = int(zone[1:3]) * 60 + int(zone[3:5])
    return {"type": "version", "id": commit,
        "parents": parents.decode().split(), "author": decode(an, b""),
        "email": decode(ae, b""), "time": int(ct),
        "utc_offset_minutes": -minutes if zone[:1] == b"-" else minutes,
        "author_time": int(at), "message": decode(message, encoding)}


def check_text(rng, commits, refs):
    status, records, err = weir("vcs-log", *refs)
    if status != 0:
        sys.exit("vcs-log: %s" % err)
    ids = [record["id"] for record in records]
    for record, raw, shown in zip(records, raw_commits(ids),
        shown_commits(ids), strict=True):
        theirs = expected(record["id"], raw, shown)
        if record != theirs:
            differ("commit " + record["id"], record, theirs)


def random_name(rng, commits, refs):
    name = random_rev(rng, commits, refs)
    return rng.choice([name, name,
        rng.choice(commits)[:rng.randrange(1, 12)],
        rng.choice(commits)[:rng.randrange(4, 8)] + "~1",
        rng.choice(commits).upper(), name + "^{commit}", name + "^{tree}",
        name + "^{tree}~1", name + ":f", name + ":g", name + ":",
        name + "^{blob}", name + "^{tag}", name + "~1000", name + "^9",
        name + "^{", name + "^{}", name + "^{/a}",
        "heads/" + name, "refs/heads/" + name, "tags/" + name, ":/a", ":/zz",
        "annotated0-3-g" + rng.choice(commits)[:9], "", " ", "@", "@~1", "-",
        "no such thing", "0" * 40, name + "..", name + "~-1", "HEAD^^^",
        "@{-1}", "@{u}"])


def search(text):
    """
    What ":/text" names: the first commit whose message contains the text, in a
    walk from HEAD and then from all references, the last one first.  git 2.47
    cannot be asked: by mistake it starts at the oldest reference.
    """
    refs = git("for-each-ref", "--format=%(refname)").decode().split()
    ids = git("rev-list", "HEAD", *reversed(refs)).decode().split()
    for id, raw in zip(ids, raw_commits(ids)):
        if text.encode() in raw.split(b"\n\n", 1)[1]:
            return id
    return None


def resolve(name):
    """What "^{kind}" can be appended to, for the object of this name; None if
    there is none."""
    if name.startswith(":/"):
        return search(name[2:])
    # Everything after a colon is a path, so "^{kind}" needs the id.
    return rev_parse(name)[0] if ":" in name else name


def check_resolve(rng, commits, refs):
    for kind, count in ("commit", 16), ("tree", 8), ("blob", 8), ("tag", 8):
        names = [random_name(rng, commits, refs) for _ in range(count)]
        theirs = [(name, rev_parse("%s^{%s}" % (resolve(name) or "none",
            kind))[0]) for name in names]
        status, records, err = weir("vcs-resolve", "-t", kind, "--", *names)
        # Status 1 says that there is no object of some of the names.
        ours = [(r["name"], r["id"]) for r in records]
        found = [(name, id) for name, id in theirs if id]
        if status != (ours != theirs) or ours != found:
            differ("vcs-resolve -t %s %r" % (kind, names), (status, ours, err),
                found)


def check_graph(rng, commits, refs):
    """A graph that is truncated, or whose header or first chunks, of ids and
    data, have other sizes than it says, is not used.  Any other damage may
    mislead, but not crash."""
    shutil.rmtree("repo/objects/info/commit-graphs", ignore_errors=True)
    path = "repo/objects/info/commit-graph"
    if os.path.exists(path):
        os.remove(path)     # it is read-only
    git("commit-graph", "write", "--reachable")
    with open(path, "rb") as f:
        whole = f.read()
    os.remove(path)
    for i in range(20):
        tips = [rng.choice(commits), "^" + rng.choice(commits)]
        data, is_table = bytearray(whole), i % 2 == 0
        table = 8 + 12 * 3      # the header, and the first chunks
        if i % 4 == 0:
            del data[rng.randrange(len(data) - 20):]
        else:
            at = rng.randrange(table if is_table else len(data))
            data[at] ^= 1 << rng.randrange(8)
        wanted = git("-c", "core.commitGraph=false", "rev-list",
            *tips).decode().split()
        with open(path, "wb") as f:
            f.write(data)
        status, records, err = weir("vcs-log", *tips)
        os.remove(path)
        ids = [r["id"] for r in records]
        if is_table and (status != 0 or ids != wanted):
            differ("vcs-log %r" % tips, (status, ids, err), wanted)
        if status == 2 and b"cannot read commit" not in err and \
                b"commit-graph" not in err:
            sys.exit("vcs-log %r: %s" % (tips, err.decode()))


def check_heads(rng, commits, refs):
    theirs = []
    head = git("symbolic-ref", "--short", "HEAD").decode().strip()
    for line in git("for-each-ref", "--format=%(refname:short) %(objectname)",
        "refs/heads").decode().splitlines():
        name, id = line.split()
        theirs.append({"type": "head", "name": name, "id": id})
        if name == head:
            theirs[-1]["head"] = True
    records = weir("vcs-heads")[1]
    if records != theirs:
        differ("vcs-heads", records, theirs)


def main():
    mode, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    print("SEED=%d" % seed, flush=True)
    rng = random.Random(seed)
    for _ in range(count):
        commits, refs = make_history(rng, rng.choice([1, 2, 10, 40, 150]))
        globals()["check_" + mode](rng, commits, refs)


main()
