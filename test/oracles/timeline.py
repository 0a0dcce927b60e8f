"""timeline.py - checks the pictures that timeline draws

timeline.py tasks SEED N     prints random tasks of one build
timeline.py check TASKS PATH reads a picture of one build on standard input, and
                             compares it with the tasks and with the records of
                             critpath, whose path must be the one in the picture
timeline.py texts            prints all texts and tooltips of a picture

Every task must be in the picture once: by itself, at the place and with the
width of its times, or counted by a merged bar.  Bars of one row do not overlap,
and everything is within the picture.
"""

import json
import random
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
RIGHT = 1190


def print_tasks(seed, n):
    rng = random.Random(seed)
    start = rng.randrange(10 ** 6)
    for i in range(n):
        kind = rng.choice(["run"] * 8 + ["copy", "prepare"])
        elapsed = int(rng.choice([0, 10, 10 ** 4, 10 ** 6]) * rng.random())
        at = start + rng.randrange(10 ** 7)
        task = {"type": "task", "id": "task %d" % i, "kind": kind,
            "start_us": at, "end_us": at + elapsed, "elapsed_us": elapsed,
            "host": "host%d" % rng.randrange(4)}
        if kind == "run":
            task["rule"] = "R%d" % rng.randrange(9)
            task["deps"] = ["task %d" % rng.randrange(i) for _ in range(2)] \
                if i > 0 else []
        if rng.random() < 0.05:
            task["failed"] = True
        print(json.dumps(task))


def read(path):
    return [json.loads(line) for line in open(path)]


def bars(root):
    """Yields (row, x, right, title, step, in the row of the path) of each bar."""
    for group in root.iter(SVG + "g"):
        for bar in group.findall(SVG + "g"):
            if group.get("class") == "path" and bar.get("class"):
                yield place(bar) + (True,)
    for bar in root.findall(SVG + "g"):
        if bar.get("class", "").split()[:1] == ["bar"]:
            yield place(bar) + (False,)


def place(bar):
    rect = bar.find(SVG + "rect")
    x, y, width = (float(rect.get(k)) for k in ("x", "y", "width"))
    return (y, x, x + width, bar.find(SVG + "title").text,
        int(bar.get("data-step", 0)))


def check_inside(root):
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    for e in root.iter():
        assert not e.tag.endswith("script"), "a script"
        assert not any(k.startswith("on") or "href" in k for k in e.attrib)
        if e.tag == SVG + "rect" and e.get("x"):
            assert 0 <= float(e.get("x")), e.attrib
            assert float(e.get("x")) + float(e.get("width")) <= width, e.attrib
            assert float(e.get("y")) + float(e.get("height")) <= height


def check(tasks, path):
    root = ElementTree.parse(sys.stdin).getroot()
    check_inside(root)
    tasks = {t["id"]: t for t in tasks if t["type"] == "task"}
    begin = min(t["start_us"] for t in tasks.values())
    end = max(t["end_us"] for t in tasks.values())
    lines = [e for e in root.iter(SVG + "line") if e.get("class") == "grid"]
    left = min(float(e.get("x1")) for e in lines if e.get("x1") == e.get("x2"))
    scale = (RIGHT - left) / max(1, end - begin)
    seen, n_merged, rows, steps = set(), 0, {}, {}
    for y, x, right, title, step, is_path in bars(root):
        merged = re.match(r"(\d+) tasks, ", title)
        first = title.split("\n")[0]
        if merged:
            n_merged += int(merged.group(1))
        else:
            t = tasks[first]
            assert abs(x - left - (t["start_us"] - begin) * scale) < .11, title
            wide = (t["end_us"] - t["start_us"]) * scale
            marked = step or t.get("failed")
            assert abs(right - x - max(wide, 2 if marked else .5)) < .21, title
        if is_path:
            steps[step] = first
            continue
        if not merged:
            assert first not in seen, title
            seen.add(first)
            assert t.get("host", "") in title
            assert (", failed" in title) == t.get("failed", False)
            if not marked:
                rows.setdefault(y, []).append((x, right))
    for row in rows.values():
        row.sort()
        assert all(a[1] <= b[0] + .61 for a, b in zip(row, row[1:])), row
    assert len(seen) + n_merged == len(tasks), (len(seen), n_merged)
    wanted = [c["id"] for c in path if c["type"] == "critical"]
    assert [steps[k] for k in sorted(steps)] == wanted, (steps, wanted)
    print(len(seen), "bars,", n_merged, "merged,", len(steps), "steps")


def main():
    if sys.argv[1] == "tasks":
        print_tasks(int(sys.argv[2]), int(sys.argv[3]))
    elif sys.argv[1] == "check":
        check(read(sys.argv[2]), read(sys.argv[3]))
    else:
        for e in ElementTree.parse(sys.stdin).iter():
            if e.tag in (SVG + "text", SVG + "title"):
                print(json.dumps(e.text))


main()
