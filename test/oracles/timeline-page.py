"""timeline-page.py - checks the pages that timeline --html writes

timeline-page.py make SEED TASKS - prints records of an invented build, among
them some that failed, and a path.

timeline-page.py hostile - prints records whose texts try to become markup,
scripts and control characters.

timeline-page.py check PAGE [RECORDS]

The page is read as a browser does: elements by html.parser, the data of the
scripts by json.  It must have only the elements that the filter writes, and a
policy with the hash of its script and nothing else.  With RECORDS, what the
data says must be the tasks: each task that is listed has its id, its times, and
its host; those listed and those merged are together all; those listed are at
least as long as all others, but for the path and the failed; no two tasks
overlap in a lane that was not merged.  Prints the number of tasks listed.
"""

import base64
import collections
import hashlib
import html.parser
import json
import random
import re
import sys

HTML = set("html head meta title style body h1 figure section h2 p script div "
           "table caption thead tbody tr th td details summary".split())
SVG = set("svg title desc style g rect line path text tspan defs pattern use "
          "clippath lineargradient stop".split())


class Page(html.parser.HTMLParser):
    """The elements of a page, its texts and the contents of its scripts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.scripts, self.policy = [], [], None
        self.texts = []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        allowed = SVG if "svg" in self.stack or tag == "svg" else HTML
        assert tag in allowed, f"foreign element {tag}"
        assert not [a for a in attrs if a.startswith("on")], attrs
        assert "src" not in attrs and "href" not in attrs, attrs
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]
        if tag == "script":
            self.scripts.append([attrs.get("type"), ""])
        if tag != "meta":
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag != "meta":
            self.stack.pop()

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag, f"</{tag}> ends another element"

    def handle_data(self, text):
        if self.stack and self.stack[-1] == "script":
            self.scripts[-1][1] += text
        else:
            self.texts.append(text)

    def handle_comment(self, text):
        raise AssertionError(f"comment {text}")


def make(seed, n):
    rng = random.Random(seed)
    hosts = [f"host-{i}.example.net" for i in range(rng.randint(1, 9))]
    ends = [0] * (3 * len(hosts))
    for i in range(n):
        slot = rng.randrange(len(ends))
        start = ends[slot] + rng.choice([0, 0, 0, 1, 1000, 90000])
        ends[slot] = start + int(10 ** rng.uniform(0, 6))
        folder = "\U0001f600" + chr(0x1f600 + i % 7) if i % 5 == 4 else "d"
        task = {"type": "task", "id": f"lib/{folder}{i % 97}/file{i}.o",
                "kind": rng.choice(["run", "run", "run", "copy", "prepare"]),
                "host": hosts[slot % len(hosts)],
                "rule": rng.choice("CC LD TS AR PY GO JV RS CP".split()),
                "start_us": 10 ** 15 + start,
                "end_us": 10 ** 15 + ends[slot]}
        if rng.random() < 0.5:
            task["slack_us"] = rng.randrange(10 ** 7)
        if rng.random() < 0.01:
            task["failed"] = True
        print(json.dumps(task))
        if i % (n // 7 + 1) == 0:
            print(json.dumps({"type": "critical", "step": i // (n // 7 + 1) + 1,
                              "id": task["id"], "kind": task["kind"],
                              "start_us": task["start_us"],
                              "elapsed_us": ends[slot] - start}))


def hostile():
    for i, text in enumerate([
            "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>",
            "\"><svg onload=alert(3)>", "]]><!--", "--><b>bold</b>", "&amp;&#60;",
            "</title></text></g><g>", "'\\N\\\"`${alert(4)}", "javascript:alert(5)",
            "".join(map(chr, range(32))) + "\x7f\x85\u2028\u202eabc\u2066\u200f",
            "\ufffe\uffff", "", "\U0001f600\U0001f601", "x" * 10000]):
        print(json.dumps({
            "type": "task", "id": text, "name": text, "target": text,
            "host": text, "rule": text, "run": text, "failed": i % 2 == 0,
            "start_us": 10, "end_us": 1000 + i}))
        print(json.dumps({
            "type": "critical", "run": text, "step": 1, "id": text,
            "start_us": 10, "elapsed_us": 990 + i}))


def check_policy(page):
    kinds = [kind for kind, _ in page.scripts]
    assert kinds.count(None) == 1 and kinds[-1] is None, kinds
    digest = hashlib.sha256(page.scripts[-1][1].encode()).digest()
    rules = dict(rule.split(" ", 1) for rule in page.policy.split("; "))
    assert rules == {
        "default-src": "'none'", "style-src": "'unsafe-inline'",
        "script-src": f"'sha256-{base64.b64encode(digest).decode()}'",
        "img-src": "data:", "base-uri": "'none'",
        "form-action": "'none'"}, rules


def check_text(text):
    """No control character, and none that reverses the direction of text."""
    bad = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028\u2029"
                    "\u202a-\u202e\u2066-\u2069]", text)
    assert not bad, f"character {ord(bad.group()):x}"


def strings_of(data):
    units, strings = b"", []
    flat = data["strings"]
    for shared, rest in zip(flat[::2], flat[1::2]):
        units = units[:2 * shared] + rest.encode("utf-16-le")
        strings.append(units.decode("utf-16-le"))
    return strings


def places(part, unit):
    lane = at = 0
    for step, gap, length in zip(part["lane"], part["gap"], part["length"]):
        at = 0 if step else at
        lane += step
        start = at + gap
        at = start + length
        yield lane, start * unit, at * unit


def check_data(data, tasks, steps):
    strings = strings_of(data)
    hosts = [strings[k] for k in data["hosts"]]
    lanes = list(zip(*[iter(data["lanes"])] * 3))
    types = list(zip(*[iter(data["types"])] * 2))
    origin = min(t["start_us"] for t in tasks)
    wanted = collections.Counter(
        (t["id"], t["start_us"] - origin, t["end_us"] - origin,
         t.get("host", "")) for t in tasks)
    columns, reach, listed = data["tasks"], {}, []
    slacks = {t["id"]: t["slack_us"] for t in tasks if "slack_us" in t}
    assert data["attempts"] == [], "tasks that were not retried"
    for i, (lane, start, end) in enumerate(places(columns, data["unit_us"])):
        ident = strings[columns["name"][i] + columns["id"][i]]
        host = hosts[lanes[lane][0]]
        key = (ident, start, end, host)
        assert wanted[key] > 0, f"there is no task {key}"
        wanted[key] -= 1
        listed.append((ident, end - start, columns["flags"][i]))
        if slacks:
            assert data["slack"][i] == slacks.get(ident, -1), ident
        assert lanes[lane][2] > 1 or start >= reach.get(lane, 0), key
        reach[lane] = end
        assert 0 <= types[columns["type"][i]][1] < 7
    rest = [key for key in wanted.elements()]
    merged = data["merged"]
    assert sum(merged["n"]) == len(rest), "the tasks are not complete"
    assert data["n_tasks"] == len(tasks)
    busy = sum(end - start for _, start, end, _ in rest)
    got = sum(merged["busy"]) * merged["unit_us"]
    assert got <= busy <= got + len(merged["n"]) * merged["unit_us"], busy
    path = [listed[k][0] for k in data["steps"][::3]]
    assert path == steps[:len(path)], (path, steps)
    first = set(steps) | {t["id"] for t in tasks if t.get("failed")}
    if not first.issuperset(ident for ident, _, _ in listed):
        assert first.isdisjoint(ident for ident, _, _, _ in rest), "merged"
    longest = max((end - start for _, start, end, _ in rest), default=0)
    for ident, length, flags in listed:
        assert length >= longest or ident in steps or flags & 2, ident
    return len(listed)


def check(path, records_path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    page = Page()
    page.feed(text)
    page.close()
    assert page.stack == [], page.stack
    assert text.index("charset") < 1024
    check_policy(page)
    for part in page.texts:
        check_text(part)
    for kind, content in page.scripts[:-1]:
        assert kind == "application/json"
        assert not re.search("[<>&]", content)
        for string in strings_of(json.loads(content)):
            check_text(string)
    if records_path is None:
        return
    with open(records_path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    tasks = [r for r in records if r["type"] == "task"]
    steps = [r["id"] for r in records if r["type"] == "critical"]
    print(check_data(json.loads(page.scripts[0][1]), tasks, steps))


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == "hostile":
    hostile()
else:
    check(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
