"""flame.py FOLDED - checks a flame graph against folded stacks

Reads the SVG file on standard input.  Each box must lie within its caller's,
and its width and its first number must be the sum of all stacks that begin with
the functions above it and its own.  Of these sums, all that are at least two
pixels wide must be drawn, down to 200 levels.  Prints the number of boxes.
"""

import re
import sys
import unicodedata
import xml.etree.ElementTree as ElementTree

WIDTH, MARGIN, ROW = 1180, 10, 18
SVG = "{http://www.w3.org/2000/svg}"



def cells(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


wanted = {}
for line in open(sys.argv[1]):
    stack, value = line.rstrip("\n").rsplit(" ", 1)
    names = stack.split(";")
    for i in range(len(names)):
        key = tuple(names[:i + 1])
        wanted[key] = wanted.get(key, 0) + int(value)
total = sum(v for key, v in wanted.items() if len(key) == 1)

rows, found, n = {}, {}, 0
for g in ElementTree.parse(sys.stdin).iter(SVG + "g"):
    if g.get("class") != "box":
        continue
    title, rect = g.find(SVG + "title").text, g.find(SVG + "rect")
    x, y, width = (float(rect.get(k)) for k in ("x", "y", "width"))
    value = int(re.search(r"(\d+) (call|sample)s?", title).group(1))
    above = [box for box in rows.get(y - ROW, [])
        if box[0] <= x + 1e-6 and x + width <= box[1] + 1e-6]
    assert len(above) == (y > 50), title
    path = above[0][2] + (title.split("\n")[0].replace(";", ":"),) if above \
        else ()
    rows.setdefault(y, []).append((x, x + width, path))
    if "smaller" in title or not above:
        continue
    n += 1
    assert abs(width - value / total * WIDTH) < 0.11, title
    found[path] = found.get(path, 0) + value
    text = g.find(SVG + "text")
    assert text is None or 7.3 * cells(text.text) + 4 <= width, text.text
for boxes in rows.values():
    boxes.sort()
    assert all(a[1] <= b[0] + 0.11 for a, b in zip(boxes, boxes[1:]))
for path, value in found.items():
    assert value <= wanted[path], path
for path, value in wanted.items():
    if value / total * WIDTH >= 2 and len(path) <= 200:
        assert found.get(path) is not None, path
        assert wanted[path] - found[path] <= 4 * total / WIDTH, path
print(n, "boxes")
