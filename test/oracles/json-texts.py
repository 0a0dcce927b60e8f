#!/usr/bin/env python3
"""json-texts - what is JSON, by the file data/json/cases and by Python

Usage: json-texts.py cases FILE PROGRAM N   every Nth text of the file
       json-texts.py edits FILE PROGRAM N   every Nth text that differs from one
                                            of them by one byte, or ends early

A text is the value of a member, or itself a record if it is an object.
PROGRAM, unit/parse, must accept what the grammar of RFC 8259 allows and nothing
else.  Python's json is stricter than its defaults here: NaN and Infinity are
not JSON; bytes that are not UTF-8, and a byte order mark, are not either.
Half a surrogate pair, written with \\u, is JSON by the grammar, and so it is in
Python.  An object with equal keys is JSON but not a record.
"""

import json
import re
import subprocess
import sys

# What takes the place of a byte or is inserted before it: what the grammar
# gives a meaning, and other bytes like it.
BYTES = [bytes([c]) for c in b'{}[],:"\\/0159+-.eEuxtn\' \t\n\0\x0b\x7f'
         b'\x80\xa0\xbf\xc3\xe2\xed\xf0\xf4\xff']


def read_cases(path):
    with open(path, encoding="ascii") as f:
        for line in f:
            if line.rstrip() and not line.startswith("#"):
                text = line[2:].rstrip("\n").encode()
                yield line[0] == "y", re.sub(
                    rb"%(..)", lambda m: bytes([int(m[1], 16)]), text)


def refuse(constant):
    raise ValueError(constant)


def unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError("equal keys")
    return dict(pairs)


def parsed(text, **options):
    """What the text is, or None if it is not JSON."""
    try:
        return [json.loads(text.decode(), parse_constant=refuse,
                           parse_int=str, parse_float=str, **options)]
    except ValueError:
        return None


def as_record(text):
    return text if text.lstrip(b" \t\r\n").startswith(b"{") else \
        b'{"a":' + text + b"}"


def is_record(text):
    value = parsed(text, object_pairs_hook=unique)
    return value is not None and isinstance(value[0], dict)


def edits(text):
    for i in range(len(text) + 1):
        yield text[:i]
        yield text[:i] + text[i + 1:]
        for b in BYTES:
            yield text[:i] + b + text[i:]
            yield text[:i] + b + text[i + 1:]


def main(mode, path, program, stride):
    cases = list(read_cases(path))
    texts = [text for _, text in cases]
    for valid, text in cases if mode == "cases" else ():
        assert valid == (parsed(text) is not None), f"Python: {text}"
    if mode == "edits":
        texts = dict.fromkeys(e for text in texts for e in edits(text))
    texts = list(dict.fromkeys(map(as_record, texts)))[::int(stride)]
    run = subprocess.run([program], check=True, stdout=subprocess.PIPE,
                         input="".join(t.hex() + "\n" for t in texts),
                         encoding="utf-8")
    answers = run.stdout.splitlines()
    assert len(answers) == len(texts), len(answers)
    differ = [(text, answer) for text, answer in zip(texts, answers)
              if is_record(text) != (answer == "record")]
    print(len(texts), "texts,", answers.count("record"), "records")
    for text, answer in differ[:20]:
        print(text, answer)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
