#!/usr/bin/env python3
"""perun-generations.py COMMAND ... - does what each generation of Perun does to
the indexes of a store

A GENERATION is named by its first release: see GENERATIONS.

    profiles GENERATION SEED N AGE
                            prints random `profile` records as its users have
                            them; AGE is old, new or newer, and those of
                            different ages never have the same time
    add GENERATION STORE VERSION [joined|untruncated]
                            registers the profiles of the records on standard
                            input with a version, in their order; joined: the
                            index has their args at the end of the command;
                            untruncated: as 0.25, which does not truncate an
                            index in which an entry becomes shorter
    fill GENERATION STORE SEED N AGE VERSION...
                            registers N random profiles with each version;
                            prints their records, with minor_version
    rm GENERATION STORE VERSION NAME...
                            removes all entries with these names, one by one
    status GENERATION STORE VERSION
                            prints the entries that it shows, in its order or
                            that of the settings; like Perun, converts an index
                            of version 1
    listing STORE VERSION...
                            prints the entries as they are meant, in the order
                            of each index, whoever wrote them
    forget STORE SEED       removes some of the objects
    untouched STRINGS BEFORE AFTER
                            verifies that the entries of the index BEFORE which
                            are still in AFTER are there in the same order, byte
                            for byte; prints how many are gone and how many are
                            new; STRINGS is the number of strings of an entry

The program exits with 3, and a message, if the generation cannot read an index.

It was written from the description of the store and of what each version of
Perun does.  It shares nothing with weir but the names of members in records.
Perun compares times as texts in local time, which is the same as to compare
them as numbers if the time zone is UTC, as it is here.
"""

import hashlib
import io
import json
import os
import random
import re
import struct
import sys
import zlib

HEADER_SIZE = 12
STRINGS = {"1": [],
    "2args": ["profile_type", "cmd", "args", "workload", "collector",
        "postprocessors"],
    "2": ["profile_type", "cmd", "workload", "collector", "postprocessors"],
    "2label": ["profile_type", "cmd", "workload", "label", "collector",
        "postprocessors"]}


class Generation:
    """layout       of the entries that it writes, and assumes in version 2
    overwrites      whether a new profile replaces one of the same name;
                    otherwise entries are sorted by time as well, and a profile
                    is dropped if there is one of the same name and time
    descending      whether its status is sorted in descending order
    keys            by which its status is sorted without settings; none if it
                    is not sorted at all
    """

    def __init__(self, layout, overwrites, descending, keys):
        self.layout = layout
        self.overwrites = overwrites
        self.descending = descending
        self.keys = keys

    def version(self):
        return 1 if self.layout == "1" else 2


GENERATIONS = {
    "0.10": Generation("1", False, True, []),
    "0.14.2": Generation("1", False, True, ["time"]),
    "0.16.6": Generation("2args", False, True, ["time"]),
    "0.22": Generation("2", False, True, ["time"]),
    "0.23.8": Generation("2label", False, False, ["time"]),
    "0.25": Generation("2label", True, False, ["time", "stem", "copy"])}


class Unreadable(Exception):
    pass


# --- files -------------------------------------------------------------------

def file_of(store, name):
    return os.path.join(store, "objects", name[:2], name[2:])


def read_file(path):
    with open(path, "rb") as f:
        return f.read()


def write_file(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def read_object(store, name):
    """The profile in an object; None if there is none."""
    try:
        data = read_file(file_of(store, name))
    except FileNotFoundError:
        return None
    return json.loads(zlib.decompress(data).split(b"\0")[1])


def write_object(store, doc):
    """Returns the name.  The members of doc are in the order that they have in
    an object of any generation: see random_profile()."""
    body = json.dumps(doc)
    text = ("profile %s %d\0%s" % (doc["header"]["type"], len(body),
        body)).encode()
    name = hashlib.sha1(text).hexdigest()
    if not os.path.exists(file_of(store, name)):
        write_file(file_of(store, name), zlib.compress(text))
    return name


# --- reading -----------------------------------------------------------------

def strings_of(doc):
    """What an index may say about a profile, as strings."""
    header = doc["header"]
    return {"profile_type": header["type"], "cmd": header["cmd"],
        "args": header.get("args", ""),
        "workload": header.get("workload", ""),
        "label": header.get("label", ""),
        "collector": doc["collector_info"]["name"],
        "postprocessors": " ".join(p["name"] for p in doc["postprocessors"])}


def read_int(f, form):
    data = f.read(4)
    if len(data) < 4:
        raise Unreadable("an integer is truncated")
    return struct.unpack(form, data)[0]


def decode(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Unreadable("a string is not UTF-8")


def read_path(f):
    """Perun decodes each byte of a path by itself."""
    path = b""
    while True:
        byte = f.read(1)
        if not byte or byte > b"\x7f":
            raise Unreadable("a path is not terminated or not ASCII")
        if byte == b"\0":
            return path.decode()
        path += byte


def read_string(f):
    """Perun does not notice that a string is shorter than its length says; to
    read -1 bytes means to read all."""
    n = read_int(f, "<i")
    if n < -1:
        raise Unreadable("a length is negative")
    return decode(f.read(n))


def walk(generation, data, store):
    """Yields the entries of an index as a generation reads them, with the
    offset of each; raises Unreadable when Perun would fail."""
    f = io.BytesIO(data)
    if f.read(4) != b"pidx":
        raise Unreadable("it is not an index")
    version, count = read_int(f, "<i"), read_int(f, "<i")
    if version > generation.version():
        raise Unreadable("version %d" % version)
    n = 0
    # Version 1 was read to its end, whatever the count said.
    while f.tell() + 24 < len(data) and \
            (n < count or generation.layout == "1"):
        e = {"offset": f.tell(), "time": read_int(f, "<I"),
            "object": f.read(20).hex(), "path": read_path(f)}
        if version == 2:
            for key in STRINGS[generation.layout]:
                e[key] = read_string(f)
        elif generation.layout != "1":
            doc = read_object(store, e["object"])
            if doc is None:
                raise Unreadable("object %s is missing" % e["object"])
            strings = strings_of(doc)
            e.update((k, strings[k]) for k in STRINGS[generation.layout])
        n += 1
        yield e
    if n != count:
        raise Unreadable("%d entries, not %d" % (n, count))


# --- writing -----------------------------------------------------------------

def header_bytes(generation, count):
    return b"pidx" + struct.pack("<ii", generation.version(), count)


def entry_bytes(generation, e):
    out = struct.pack("<I", e["time"]) + bytes.fromhex(e["object"]) + \
        e["path"].encode() + b"\0"
    for key in STRINGS[generation.layout]:
        s = e[key].encode()
        out += struct.pack("<I", len(s)) + s
    return out


def inserted(generation, data, store, new):
    """The index after a profile was registered, by an entry without offset."""
    def key(e):
        return e["path"] if generation.overwrites else (e["path"], e["time"])

    start = end = len(data)
    added = 1
    for e in walk(generation, data, store):
        if key(e) >= key(new):
            start = end = e["offset"]
            if key(e) == key(new):
                if not generation.overwrites or \
                        (e["time"], e["label"]) == (new["time"], new["label"]):
                    return data
                added, end = 0, start + len(entry_bytes(generation, e))
            break
    count, = struct.unpack_from("<i", data, 8)
    return header_bytes(generation, count + added) + \
        data[HEADER_SIZE:start] + entry_bytes(generation, new) + data[end:]


def register(generation, store, version, records, mode=None):
    path = file_of(store, version)
    data = header_bytes(generation, 0)
    if os.path.exists(path):
        data = read_file(path)
    for r in records:
        new = dict(strings_of(r["profile"]), path=r["path"], time=r["time"],
            object=write_object(store, r["profile"]))
        if mode == "joined" and new["args"]:
            new["cmd"] += " " + new["args"]
        old, data = data, inserted(generation, data, store, new)
        if mode == "untruncated":
            data += old[len(data):]
    write_file(path, data)


def add(generation, store, version, mode=None):
    register(generation, store, version, map(json.loads, sys.stdin), mode)


def removed(generation, data, store, name):
    """The index without the first entry of this name; None if there is none.
    The version in the header stays, whatever the entries become."""
    entries = list(walk(generation, data, store))
    for i, e in enumerate(entries):
        if e["path"] == name:
            rest = entries[:i] + entries[i + 1:]
            return data[:8] + struct.pack("<i", len(rest)) + \
                b"".join(entry_bytes(generation, e) for e in rest)
    return None


def rm(generation, store, version, *names):
    path = file_of(store, version)
    for name in names:
        data = read_file(path)
        while data is not None:
            write_file(path, data)
            data = removed(generation, data, store, name)


# --- showing -----------------------------------------------------------------

def show(e, names=None, mark=None):
    """Prints an entry; names: of the postprocessors."""
    if "postprocessors" in e and names is None:
        names = e["postprocessors"].split(" ") if e["postprocessors"] else []
    e = {k: v for k, v in e.items() if k not in ("offset", "postprocessors")}
    for key in "args", "label":
        if e.get(key) == "":
            del e[key]
    if names is not None:
        e["postprocessors"] = names
    if mark is not None:
        e[mark] = True
    print(json.dumps(e, ensure_ascii=False, sort_keys=True,
        separators=(",", ":")))


def setting(store, key):
    """The values of a setting, a text or a list in brackets; [] without it."""
    found = re.search(r"^ *%s: *\[?([^]\n]*)" % key,
        read_file(os.path.join(store, "local.yml")).decode(), re.M)
    return found[1].split(", ") if found else []


def value_of(e, key):
    """The value by which entries are sorted."""
    name = e["path"][:-len(".perf")]
    copy = re.fullmatch(r"(.*)\(([0-9]+)\)", name)
    if key == "stem":
        return copy[1] if copy else name
    if key == "copy":
        return int(copy[2]) if copy else 0
    return e[{"source": "path", "realpath": "object",
        "type": "profile_type"}.get(key, key)]


def status(generation, store, version):
    path = file_of(store, version)
    data = read_file(path)
    entries = list(walk(generation, data, store))
    if data[4] < generation.version():
        write_file(path, header_bytes(generation, len(entries)) +
            b"".join(entry_bytes(generation, e) for e in entries))
    keys = generation.keys and \
        (setting(store, "sort_profiles_by") or generation.keys)
    orders = [] if generation.descending else \
        setting(store, "sort_profiles_order")
    orders += ["desc" if generation.descending else "asc"] * len(keys)
    for key, order in reversed(list(zip(keys, orders))):
        entries.sort(key=lambda e: value_of(e, key), reverse=order == "desc")
    for e in entries:
        show(e)


# --- what entries mean -------------------------------------------------------

def string_count(data):
    """The number of strings of each entry, from where the last one ends."""
    if data[4] == 1:
        return 0
    return 5 if split(data, 5) is not None else 6


def split(data, n_strings):
    """The entries of an index as [bytes, strings]; None if they do not have
    n_strings strings.  Bytes may follow entries of six strings: see add."""
    entries, at = [], HEADER_SIZE
    for _ in range(struct.unpack_from("<i", data, 8)[0]):
        start, at = at, data.find(b"\0", at + 24) + 1
        if at == 0:
            return None
        strings = []
        for _ in range(n_strings):
            if at + 4 > len(data):
                return None
            n, = struct.unpack_from("<I", data, at)
            strings.append(data[at + 4:at + 4 + n])
            at += 4 + n
        entries.append([data[start:at], strings])
    return entries if at == len(data) or n_strings == 6 else None


def kinds(doc, strings):
    """The layouts that six strings of an entry of a profile may have."""
    if doc is None:
        return set()
    known = strings_of(doc)
    return {layout for layout in ("2args", "2label")
        if [s.decode() for s in strings[2:4]] ==
            [known[key] for key in STRINGS[layout][2:4]]}


def kinds_of_index(store, data):
    """The layouts of those entries that have only one possible layout."""
    if string_count(data) != 6:
        return set()
    found = [kinds(read_object(store, raw[4:24].hex()), strings)
        for raw, strings in split(data, 6)]
    return {kind for both in found if len(both) == 1 for kind in both}


def kinds_of_others(store, version):
    found = set()
    for folder in os.listdir(os.path.join(store, "objects")):
        for rest in os.listdir(os.path.join(store, "objects", folder)):
            data = read_file(os.path.join(store, "objects", folder, rest))
            if data[:4] == b"pidx" and folder + rest != version:
                found |= kinds_of_index(store, data)
    return found


def likely_layout(store, version, data):
    """The layout of the entries whose objects are missing, and whether it is a
    mere assumption."""
    settings = read_file(os.path.join(store, "local.yml")).decode()
    if re.search(r"type: *svs", settings):
        return "2label", False
    for found in kinds_of_index(store, data), kinds_of_others(store, version):
        if len(found) == 1:
            return found.pop(), False
    if re.search(r"^args:", settings, re.M):
        return "2args", False
    return "2label", True


def listing(store, *versions):
    for version in versions:
        list_index(store, version)


def list_index(store, version):
    data = read_file(file_of(store, version))
    n_strings = string_count(data)
    for raw, strings in split(data, n_strings):
        e = {"time": struct.unpack_from("<I", raw)[0],
            "object": raw[4:24].hex(), "path": raw[24:raw.index(b"\0",
            24)].decode()}
        doc = read_object(store, e["object"])
        mark = None
        if n_strings == 6:
            possible = kinds(doc, strings)
            layout = min(possible) if possible else None
            if layout is None:
                layout, is_undecided = likely_layout(store, version, data)
                mark = "undecided" if is_undecided else "assumed"
        else:
            layout = "2" if n_strings == 5 else "1"
        e.update(zip(STRINGS[layout], [s.decode() for s in strings]))
        if layout == "1" and doc is not None:
            e.update(strings_of(doc))
        names = None
        if doc is not None:
            names = [p["name"] for p in doc["postprocessors"]]
        show(e, names, mark)


def untouched(n_strings, before, after):
    old, new = [[raw for raw, _ in split(read_file(path), int(n_strings))]
        for path in (before, after)]
    kept = [raw for raw in old if raw in new]
    if kept != [raw for raw in new if raw in old]:
        sys.exit("the order of the entries has changed")
    print(len(old) - len(kept), len(new) - len(kept))


# --- random stores -----------------------------------------------------------

AGES = ["old", "new", "newer"]
TEXTS = ["", "-v", "big", "a b", "\u017elu\u0165", "x=\"1\"", "--all -n 3"]


def random_profile(rng, layout):
    """A profile whose members are in the order in which Perun stores them, with
    or without flattening, which another oracle does.  Perun before 0.16.6 shows
    no profile without params and workload."""
    header = {"type": rng.choice(["time", "memory", "mixed"]), "units": {},
        "cmd": rng.choice(["./app", "sort -n", "\u00e9cho", "make all"])}
    # No text twice: if args, workload and label are equal but not empty, no
    # generation can be told.
    args, workload, label = rng.sample(TEXTS, 3)
    if layout == "1":
        header["params"] = args
    if layout == "1" or rng.random() < .8:
        header["workload"] = workload
    if layout == "2args" and rng.random() < .8:
        header["args"] = args
    if layout == "2label" and rng.random() < .8:
        header["label"] = label
    return {"resources": {}, "resource_type_map": {},
        "models": [{"r_square": rng.random()}], "header": header,
        "collector_info": {"name": rng.choice(["time", "kperf", "\u010das"]),
            "params": {}},
        "postprocessors": [{"name": name, "params": {}} for name in
            rng.sample(["fold", "kernel regression", "clusterizer"],
                rng.randrange(3))]}


def random_names(generation, age):
    """0.23.8 does not overwrite, but nothing in its files tells it from 0.25,
    which does, and sorts copies: its profiles have names for which this makes
    no difference."""
    names = ["a.perf", "b.perf", "B.perf", "c d.perf", "z.perf"]
    if generation.layout != "2label" or generation.overwrites:
        return names + ["a(2).perf", "a(10).perf", "a(x).perf", "a-b.perf"]
    return [age + name for name in names]


def random_records(generation, seed, n, age):
    """Only old profiles have equal names, and those of any age few times."""
    rng = random.Random("%s %s" % (seed, age))
    names = random_names(generation, age)
    unique = rng.sample(names, len(names))
    for i in range(int(n)):
        name = unique[i % len(unique)]
        if age == "old" and generation.layout != "2label":
            name = rng.choice(names)
        time = 1600000000 + 3 * rng.randrange(5) + AGES.index(age)
        yield {"type": "profile", "path": name, "time": time,
            "profile": random_profile(rng, generation.layout)}


def profiles(generation, seed, n, age):
    for r in random_records(generation, seed, n, age):
        print(json.dumps(r))


def fill(generation, store, seed, n, age, *versions):
    for version in versions:
        records = list(random_records(generation, seed + " " + version, n,
            age))
        register(generation, store, version, records)
        for r in records:
            print(json.dumps(dict(r, minor_version=version)))


def forget(store, seed):
    rng = random.Random(int(seed))
    for folder in sorted(os.listdir(os.path.join(store, "objects"))):
        for rest in sorted(os.listdir(os.path.join(store, "objects", folder))):
            path = os.path.join(store, "objects", folder, rest)
            if read_file(path)[:4] != b"pidx" and rng.random() < .5:
                os.remove(path)


def main():
    commands = {f.__name__: f for f in (profiles, add, fill, rm, status,
        listing, forget, untouched)}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    command, args = sys.argv[1], sys.argv[2:]
    if command in ("profiles", "add", "fill", "rm", "status"):
        args[0] = GENERATIONS[args[0]]
    try:
        commands[command](*args)
    except Unreadable as e:
        print("unreadable: %s" % e, file=sys.stderr)
        sys.exit(3)


sys.stdin.reconfigure(encoding="utf-8")
sys.stdout.reconfigure(encoding="utf-8")
main()
