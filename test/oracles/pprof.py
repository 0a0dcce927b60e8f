"""pprof.py TYPE - an independent reader of pprof's profiles

Prints the samples of the profile on standard input as folded stacks, with the
values of a sample type.  An inlined function is in brackets, behind the one
that it was inlined into; each location ends with its line numbers.  Fails if
the profile breaks a rule of profile.proto.
"""

import gzip
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """{number: [value]}: integers and byte strings, in order."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            assert key & 7 == 2
            n, at = varint(data, at)
            assert at + n <= len(data)
            value, at = data[at:at + n], at + n
        found.setdefault(key >> 3, []).append(value)
    return found


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def number(message, field):
    return message.get(field, [0])[-1]


def table(profile, field):
    """{id: message}, whose ids are positive and different."""
    messages = [fields(m) for m in profile.get(field, [])]
    ids = {number(m, 1): m for m in messages}
    assert 0 not in ids and len(ids) == len(messages)
    return ids


raw = sys.stdin.buffer.read()
assert raw[4:8] == bytes(4)     # gzip's time of writing
profile = fields(gzip.decompress(raw))
strings = [s.decode() for s in profile[6]]
assert strings[0] == "" and len(set(strings)) == len(strings)
types = [strings[number(fields(t), 1)] for t in profile[1]]
assert strings[number(profile, 14)] in types
mappings, locations, functions = (table(profile, n) for n in (3, 4, 5))


def name_of(location):
    mapping = number(location, 2)
    assert mapping == 0 or (number(mappings[mapping], 2) <= number(location, 3)
        < number(mappings[mapping], 3))
    names, lines = [], []
    for line in map(fields, location.get(4, [])):
        function = functions[number(line, 1)]
        names.append(strings[number(function, 2)].replace(";", ":"))
        lines.append(number(line, 2))
    if not names:
        return "%#x" % number(location, 3)
    return "".join([names.pop()] + ["[%s]" % n for n in reversed(names)] +
        [":%s" % n for n in reversed(lines)] * with_lines)


with_lines = len(sys.argv) > 2
samples = {}
for s in map(fields, profile.get(2, [])):
    values = packed(s[2][0])
    assert len(values) == len(types) and any(values)
    ids = packed(s[1][0])
    key = ";".join(name_of(locations[i]) for i in reversed(ids))
    samples[key] = samples.get(key, 0) + values[types.index(sys.argv[1])]
for stack, value in sorted(samples.items()):
    if value > 0:
        print(stack, value)
