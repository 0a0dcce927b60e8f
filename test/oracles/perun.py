#!/usr/bin/env python3
"""perun.py COMMAND ... - reads and writes a Perun store without weir

    profiles SEED N         prints random profiles, one per line
    name|body [-u]          prints the name that Perun gives to the object of
                            the profile on standard input, or its body; -u: as
                            Perun before 0.17, which did not flatten profiles
    names [-u]              prints the names for many profiles, one per line
    index LAYOUT            writes an index of the entries on standard input,
                            one per line, in their order; LAYOUT is 1, 2, 2args
                            or 2label
    entries FILE [LAYOUT]   prints the entries of an index as `entry` records
                            without minor_version; LAYOUT is that of six
                            strings, by default 2label
    put STORE ID LAYOUT     writes the index and the objects of the version (the
                            commit) ID, from records with path, time and profile
                            on standard input; prints the names of the objects
    check STORE ID          verifies that the index is valid and sorted, and its
                            objects are valid; prints the number of entries
    written ID RUN...       verifies directories RUN in which pidx-write was
                            interrupted or failed: RUN/.perun has the entry
                            "before" and those that pidx-write acknowledged
                            (RUN/out), and pidx-read has found exactly what is
                            there (its output RUN/read) without a message
                            (RUN/complaints); prints RUN, the contents of
                            RUN/status and the number of entries
    malformed STORE OBJECT [all]  writes malformed indexes, each under one of the
                            ids on standard input; their entries name OBJECT.
                            They are truncated at every byte, or without `all`
                            at every third one after the header.  Prints for
                            each the id, what is wrong, and the offset of the
                            first wrong byte, or ? if several are possible
    damage STORE SEED ID    writes copies of the index ID with random damage for
                            the ids on standard input, and damages half of the
                            objects that the index ID refers to
    repaired STORE DIR      writes to DIR the repaired indexes of the ids on
                            standard input; prints for each the id, the number
                            of entries kept, and - if the index was malformed
    objects STORE...        prints the names of the valid objects of each store
    preserved BEFORE RUN... verifies directories RUN in which a repair of BEFORE
                            was interrupted or failed: each file of BEFORE is
                            unchanged or has been preserved in lost, and there
                            are no files but those that a repair makes

This program was written from the description of the store in weir-pidx(5).  It
shares nothing with weir but the names of members in records.
"""

import hashlib
import json
import os
import struct
import sys
import zlib

# The strings of an entry in each layout.
STRINGS = {"1": [],
    "2": ["profile_type", "cmd", "workload", "collector", "postprocessors"],
    "2args": ["profile_type", "cmd", "args", "workload", "collector",
        "postprocessors"],
    "2label": ["profile_type", "cmd", "workload", "label", "collector",
        "postprocessors"]}
# The members of a resource whose values a flattened profile has in arrays.
COLLECTABLE = {"amount", "structure-unit-size", "call-order", "order",
    "address", "timestamp", "exclusive"}
# The order of the members of a uid.
RANKS = [{"bin"}, {"file", "source", "package"}, {"module"},
    {"class", "struct", "structure"},
    {"function", "func", "method", "procedure"}, {"line"}, {"instruction"}]


# --- objects -----------------------------------------------------------------

def uid_text(uid):
    """A uid as text: of an object, the values in the order of RANKS.  The rank
    of any other member is the number that results if the code points of its
    key, each plus 6, are written one after another."""
    if not isinstance(uid, dict):
        return uid

    def rank(key):
        for i, names in enumerate(RANKS):
            if key in names:
                return i
        return int("".join(str(ord(c) + 6) for c in key))

    return ":".join(str(uid[key]) for key in sorted(uid, key=rank))


def flatten(doc):
    """The profile in the form of Perun since 0.17: resources that differ only
    in COLLECTABLE members become one type, with an array of each such
    member."""
    flat = {"resources": {}, "resource_type_map": {}, "models": []}
    if isinstance(doc.get("global"), dict):
        flat["models"] = doc["global"].get("models", [])
    seen, counts = {}, {}

    def fold(resources, extra):
        for resource in resources:
            kept = {k: v for k, v in resource.items() if k not in COLLECTABLE}
            kept.update(extra)
            kept = dict(sorted(kept.items()))
            key = json.dumps(kept)
            if key not in seen:
                text = uid_text(resource["uid"])
                counts[text] = counts.get(text, -1) + 1
                seen[key] = "%s#%d" % (text, counts[text])
                flat["resource_type_map"][seen[key]] = kept
                flat["resources"][seen[key]] = {}
            for k, v in resource.items():
                if k in COLLECTABLE:
                    flat["resources"][seen[key]].setdefault(k, []).append(v)

    for key, value in doc.items():
        if key == "global":
            if value:
                fold(value["resources"], {"time": value.get("time", "0.0")})
        elif key == "snapshots":
            for i, region in enumerate(value):
                fold(region["resources"], {"snapshot": i,
                    "time": region.get("time", "0.0")})
        elif key == "resources" and isinstance(value, list):
            fold(value, {})
        elif key == "resources":
            flat["resources"].update(value)
        else:
            flat[key] = value
    return flat


def body_of(doc, is_flat):
    """The text of a profile in its object; is_flat: in flattened form."""
    doc = {k: v for k, v in doc.items() if k != "origin"}
    return json.dumps(flatten(doc) if is_flat else doc)


def object_of(doc, is_flat=True):
    """The name and the uncompressed bytes of an object."""
    body = body_of(doc, is_flat)
    text = b"profile %s %d\0%s" % (doc["header"]["type"].encode(), len(body),
        body.encode())
    return hashlib.sha1(text).hexdigest(), text


def entry_of(doc, path, time, name):
    """The entry by which an index registers a profile; name: its object's."""
    header = doc["header"]
    return {"path": path, "time": time, "object": name,
        "profile_type": header["type"], "cmd": header["cmd"],
        "args": header.get("args", ""),
        "workload": header.get("workload", ""),
        "label": header.get("label", ""),
        "collector": doc["collector_info"]["name"],
        "postprocessors": [p["name"] for p in doc["postprocessors"]]}


def read_object(store, name):
    """The profile in an object; ends the program if the object is damaged."""
    stream = zlib.decompressobj()
    with open(file_of(store, name), "rb") as f:
        text = stream.decompress(f.read())
    if not stream.eof or hashlib.sha1(text).hexdigest() != name:
        sys.exit("object %s is not what its name says" % name)
    header, body = text.split(b"\0")
    word, _, length = header.decode().split(" ")
    if word != "profile" or int(length) != len(body.decode()):
        sys.exit("object %s: header %r" % (name, header))
    return json.loads(body)


def file_of(store, name):
    return os.path.join(store, "objects", name[:2], name[2:])


# --- indexes -----------------------------------------------------------------

def index_of(entries, layout):
    """The bytes of an index."""
    out = [b"pidx", struct.pack("<ii", 1 if layout == "1" else 2,
        len(entries))]
    for e in entries:
        out.append(struct.pack("<I", e["time"]))
        out.append(bytes.fromhex(e["object"]))
        out.append(e["path"].encode("utf-8", "surrogateescape") + b"\0")
        for key in STRINGS[layout]:
            s = e.get(key, "")
            s = (" ".join(s) if isinstance(s, list) else s).encode()
            out.append(struct.pack("<I", len(s)) + s)
    return b"".join(out)


def entries_of(data, layout=None, six="2label"):
    """The entries of an index, whose layout is found out if it is None, except
    for what six strings mean; raises an error if the index is malformed."""
    if data[:4] != b"pidx":
        raise ValueError("magic")
    version, count = struct.unpack_from("<ii", data, 4)
    if layout is None:
        if version == 1:
            return entries_of(data, "1")
        try:
            return entries_of(data, "2")
        except (ValueError, struct.error):
            return entries_of(data, six)
    at, entries = 12, []
    for _ in range(count):
        time, = struct.unpack_from("<I", data, at)
        name = data[at + 4:at + 24].hex()
        end = data.index(b"\0", at + 24)
        e = {"path": data[at + 24:end].decode(), "time": time,
            "object": name}
        at = end + 1
        for key in STRINGS[layout]:
            n, = struct.unpack_from("<I", data, at)
            s = data[at + 4:at + 4 + n]
            if len(s) != n:
                raise ValueError("a string is truncated")
            e[key] = s.decode()
            at += 4 + n
        if layout != "1":
            e["postprocessors"] = e["postprocessors"].split(" ") \
                if e["postprocessors"] else []
        for key in "args", "label":
            if e.get(key) == "":
                del e[key]
        entries.append(e)
    if at != len(data):
        raise ValueError("trailing bytes")
    return entries


def put(store, version, layout):
    entries = []
    for line in sys.stdin:
        r = json.loads(line)
        name, text = object_of(r["profile"])
        print(name)
        write(file_of(store, name), zlib.compress(text))
        e = entry_of(r["profile"], r["path"], r["time"], name)
        if layout in ("2", "2label") and e["args"]:
            e["cmd"] += " " + e["args"]
        entries.append(e)
    entries.sort(key=lambda e: (e["path"].encode(), e["time"]))
    write(file_of(store, version), index_of(entries, layout))


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def verified_entries(store, version):
    """The entries of an index, after verifying it and its objects."""
    path = file_of(store, version)
    entries = []
    if os.path.exists(path):
        with open(path, "rb") as f:
            entries = entries_of(f.read())
    order = [(e["path"].encode(), e["time"]) for e in entries]
    if order != sorted(order):
        sys.exit("%s: the index is not sorted" % store)
    for e in entries:
        doc = read_object(store, e["object"])
        header = doc["header"]
        joined = "%s %s" % (header["cmd"], header.get("args"))
        if "cmd" in e and e["cmd"] not in (header["cmd"], joined):
            sys.exit("%s: %s: an entry of another object" %
                (store, e["path"]))
    return entries


def records_of(path, kind):
    """The paths and objects in the records of a type, without a truncated last
    line."""
    with open(path, encoding="utf-8") as f:
        records = [json.loads(line) for line in f if line.endswith("}\n")]
    return {(r["path"], r["object"]) for r in records if r["type"] == kind}


def written(version, *runs):
    """A pidx-write that is interrupted or fails must leave a valid store."""
    for run in runs:
        entries = {(e["path"], e["object"]) for e in
            verified_entries(os.path.join(run, ".perun"), version)}
        if not records_of(run + "/out", "entry") <= entries:
            sys.exit(run + ": an acknowledged entry is lost")
        if "before" not in {path for path, _ in entries}:
            sys.exit(run + ": the entry from before is lost")
        if records_of(run + "/read", "profile") != entries or \
                os.path.getsize(run + "/complaints") > 0:
            sys.exit(run + ": pidx-read does not find the entries")
        with open(run + "/status") as f:
            print(run, f.read().strip(), len(entries))


# --- random profiles ---------------------------------------------------------

def random_text(rng):
    return "".join(rng.choice(["a", "b", "Z", "0", " ", "/", "\\", '"', "\n",
        "\t", "\x00", "\x01", "\x1f", "\x7f", "\u00e9", "\u2028", "\ufeff",
        "\ud7ff", "\U0001f600", "\u20ac", "#", "%"])
        for _ in range(rng.randrange(6)))


def random_number(rng):
    kind = rng.randrange(7)
    if kind == 0:
        return rng.randrange(-5, 100)
    if kind == 1:
        return rng.randrange(10 ** rng.randrange(1, 40))
    if kind == 2:
        return rng.random()
    if kind == 3:
        return rng.uniform(-1, 1) * 10 ** rng.randrange(-330, 308)
    if kind == 4:
        return round(rng.random() * 1000, rng.randrange(8))
    if kind == 5:
        return rng.choice([0.0, -0.0, 1e16, 1e15, 1e22, 1e5, 5e-324, 0.0001,
            0.00001, 1.7976931348623157e308, 2.2250738585072014e-308,
            9007199254740993.0, 0.1 + 0.2, 123456789012345680.0])
    # Any positive double that is finite: all bit patterns are equally likely.
    return struct.unpack("<d", struct.pack("<Q",
        rng.getrandbits(63) % 0x7ff0000000000000))[0]


def random_value(rng, depth=2):
    kind = rng.randrange(7 if depth else 5)
    if kind < 2:
        return random_number(rng)
    if kind == 2:
        return random_text(rng)
    if kind < 5:
        return rng.choice([True, False, None])
    if kind == 5:
        return [random_value(rng, depth - 1) for _ in range(rng.randrange(3))]
    return {random_text(rng): random_value(rng, depth - 1)
        for _ in range(rng.randrange(3))}


def random_uid(rng):
    """A uid of known and unknown members: the ranks of the latter have various
    numbers of digits."""
    keys = [key for names in RANKS for key in sorted(names)]
    keys += ["a", "b", "z", "aa", "zz", "column", "col\u00fcmn", "\u20ac",
        "\U0001f600", "Bin"]
    return {key: rng.choice([7, key, True, None, 1.5])
        for key in rng.sample(keys, rng.randrange(1, 7))}


def random_resource(rng):
    uid = rng.choice(["main", "f", random_text(rng),
        {"line": rng.randrange(3), "function": "g", "source": "a.c"},
        {"function": rng.choice("gh"), "struct": "S"},
        {"instruction": 7, "bin": "b", "class": "C", "module": "m"},
        random_uid(rng)])
    r = {"amount": random_number(rng), "uid": uid,
        "type": rng.choice(["mixed", "memory"]),
        "subtype": rng.choice(["time delta", "malloc"])}
    for key in "order", "address", "timestamp", "exclusive", "call-order":
        if rng.random() < .3:
            r[key] = random_number(rng)
    if rng.random() < .2:
        r["z" + random_text(rng)] = random_value(rng)
    items = list(r.items())
    rng.shuffle(items)
    return dict(items)


def random_region(rng):
    region = {"resources": [random_resource(rng)
        for _ in range(rng.randrange(6))]}
    if rng.random() < .6:
        region["time"] = rng.choice(["0.616000", "1", random_text(rng)])
    return region


def random_profile(rng):
    doc = {"header": {"type": rng.choice(["memory", "mixed", "time"]),
            "units": {"time": "ms"}, "cmd": random_text(rng),
            "workload": random_text(rng)},
        "collector_info": {"name": rng.choice(["trace", "time", "x y"]),
            "params": random_value(rng)},
        "postprocessors": [{"name": n, "params": {}} for n in rng.choice(
            [[], ["regression-analysis"], ["clusterizer", "filter"]])]}
    kind = rng.randrange(4)
    if kind == 0:
        doc["global"] = random_region(rng)
        if rng.random() < .5:
            doc["global"]["models"] = [random_value(rng)]
    elif kind == 1:
        doc["snapshots"] = [random_region(rng)
            for _ in range(rng.randrange(4))]
        # Repeated measurements differ only in the snapshot.
        doc["snapshots"] += rng.sample(doc["snapshots"], len(doc["snapshots"]))
    elif kind == 2:
        doc["resources"] = random_region(rng)["resources"]
    else:
        doc = flatten(dict(doc, snapshots=[random_region(rng)]))
    if rng.random() < .3:
        doc["header"]["args"] = "-x"
    if rng.random() < .5:
        doc["k" + random_text(rng)] = random_value(rng)
    items = list(doc.items())
    if kind != 3:
        rng.shuffle(items)
    return dict(items)


# --- malformed indexes -------------------------------------------------------

def malformed(store, object_name, amount="some"):
    entry = dict(path="p.perf", time=1700000000, object=object_name,
        profile_type="time", cmd="c", args="-a", workload="w", label="l",
        collector="t", postprocessors="q")
    versions = sys.stdin.read().split()

    def add(name, data, offset="?"):
        """Writes a malformed index; offset: of its first wrong byte."""
        version = versions.pop()
        write(file_of(store, version), data)
        print(version, name, offset)

    for i, layout in enumerate(STRINGS):
        valid = index_of([entry, dict(entry, path="q.perf")], layout)
        second_at = len(index_of([entry], layout))      # the second entry
        for n in range(len(valid)):
            # Which third of the bytes depends on the layout.
            if n > 12 and (n + i) % 3 != 0 and amount != "all":
                continue
            # Without its last string (4 + 1 bytes), six may be a valid "2".
            if len(STRINGS[layout]) < 6 or n != len(valid) - 5:
                add("%s-truncated-%03d" % (layout, n), valid[:n])
        # Six strings may be followed by bytes that are no entry.
        for n in (1, 4, 20, 24, 1000) if len(STRINGS[layout]) < 6 else ():
            add("%s-trailing-%d" % (layout, n), valid + b"\1" * n,
                len(valid) if layout == "1" or n < 4 else "?")
            add("%s-zeros-%d" % (layout, n), valid + bytes(n),
                len(valid) if layout == "1" else "?")
        for count in 0, 1, 3, 1000, 0x7fffffff, -1, -0x80000000:
            add("%s-count-%d" % (layout, count),
                valid[:8] + struct.pack("<i", count) + valid[12:],
                8 if count < 0 else
                {0: 12, 1: second_at}.get(count, len(valid))
                if layout == "1" else "?")
        # A path follows the time and the object (24 bytes) of its entry; the
        # first entry follows the header (12 bytes).
        add(layout + "-no-end-of-path", valid[:second_at + 24] +
            b"q.perf", second_at + 24 if len(STRINGS[layout]) < 6 else "?")
        add(layout + "-empty-path", index_of([dict(entry, path="")], layout),
            36)
        for version in 0, 3, 256, -1, 0x7fffffff:
            add("%s-version-%d" % (layout, version),
                valid[:4] + struct.pack("<i", version) + valid[8:], 4)
    # The length of the first string is at 43: after the header (12 bytes), the
    # time and the object (24) and the path (7).  The last string takes 4 + 1
    # bytes.
    for layout in "2", "2args", "2label":
        valid = index_of([entry], layout)
        for n in 5, 0x7fffffff, 0x80000000, 0xffffffff:
            add("%s-length-%u" % (layout, n),
                valid[:43] + struct.pack("<I", n) + valid[47:],
                43 if n > 5 else "?")
            add("%s-last-length-%u" % (layout, n),
                valid[:-5] + struct.pack("<I", n) + valid[-1:],
                len(valid) - 5 if layout == "2" else "?")
    valid = index_of([entry], "1")
    for name, magic in (("upper", b"PIDX"), ("swapped", b"xdip"),
            ("zlib", b"\x78\x9c\x01\x02"), ("text", b"{\"a\"")):
        add("magic-" + name, magic + valid[4:], 0)
    add("big-endian", b"pidx" + struct.pack(">ii", 1, 1) + valid[12:], 4)
    add("empty", b"", 0)
    add("zeros", bytes(64), 0)


def damaged(rng, data):
    """The data with random damage, as a bad disk or copy may cause it."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(len(data) or 1)
        n = rng.choice([1, 1, 2, 4, 7, 20, 40])
        kind = rng.randrange(7)
        if kind < 2 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at:at + n]
        elif kind == 4:
            data[at:at] = rng.randbytes(n)
        elif kind == 5:
            data[at:at + n] = bytes(n)
        else:
            data[at:at] = data[:n * 4]
    return bytes(data)


def damage(store, seed, version):
    import random   # only here, as it takes as long as all of the rest

    rng = random.Random(int(seed))
    with open(file_of(store, version), "rb") as f:
        index = f.read()
    for other in sys.stdin.read().split():
        write(file_of(store, other), damaged(rng, index))
    names = {e["object"] for e in entries_of(index)}
    for name in sorted(names)[::2]:
        with open(file_of(store, name), "rb") as f:
            data = f.read()
        write(file_of(store, name), damaged(rng, data))


# --- repairing ---------------------------------------------------------------

def valid_objects(store):
    """The names of the objects that are what their names say."""
    names = set()
    for folder in os.listdir(os.path.join(store, "objects")):
        for rest in os.listdir(os.path.join(store, "objects", folder)):
            try:
                read_object(store, folder + rest)
                names.add(folder + rest)
            except (Exception, SystemExit):
                pass
    return names


def raw_entry(data, at, layout):
    """The entry at an offset, as [path, time, object, strings], and its end;
    None if there is none, or its path is empty or has 4096 bytes or more."""
    end = data.find(b"\0", at + 24)
    if end <= at + 24 or end >= at + 24 + 4096:
        return None
    entry = [data[at + 24:end], struct.unpack_from("<I", data, at)[0],
        data[at + 4:at + 24].hex(), []]
    at = end + 1
    for _ in STRINGS[layout]:
        if at + 4 > len(data):
            return None
        n, = struct.unpack_from("<I", data, at)
        if at + 4 + n > len(data):
            return None
        entry[3].append(data[at + 4:at + 4 + n])
        at += 4 + n
    return entry, at


def raw_entries(data, layout):
    """All entries of a valid index, or None."""
    if len(data) < 12 or data[:4] != b"pidx" or \
            struct.unpack_from("<i", data, 4)[0] != (1 if layout == "1" else 2):
        return None
    at, entries = 12, []
    for _ in range(struct.unpack_from("<i", data, 8)[0]):
        found = raw_entry(data, at, layout)
        if found is None:
            return None
        entries.append(found[0])
        at = found[1]
    count, = struct.unpack_from("<i", data, 8)
    # Six strings may be followed by bytes that are no entry.
    ends = at == len(data) or (count > 0 and len(STRINGS[layout]) == 6 and
        (at + 24 >= len(data) or raw_entry(data, at, layout) is None))
    return entries if ends and count >= 0 else None


def best_chain(data, layout, objects):
    """The best choice of entries that do not overlap, as (number of entries,
    number of joints, entries).

    Of choices with the same number of entries, the best is the one whose last
    entry starts last; then the one whose last but one does, and so on.  A joint
    is where an entry begins right after the header or another entry, or ends
    with the data.  See filters/pidx-fsck/salvage.h.
    """
    chains = []     # the best that ends with each entry
    for at in range(len(data) - 24):
        if data[at + 4:at + 24].hex() not in objects:
            continue
        found = raw_entry(data, at, layout)
        if found is None:
            continue
        entry, end = found
        chain = (1, (at,), at == 12, [entry], end)
        for n, starts, joints, entries, last_end in chains:
            if last_end <= at:
                chain = max(chain, (1 + n, (at,) + starts,
                    joints + (last_end == at), entries + [entry], end),
                    key=lambda c: c[:2])
        chains.append(chain)
    n, _, joints, entries, end = max(chains, key=lambda c: c[:2],
        default=(0, (), 0, [], -1))
    return n, joints + (end == len(data)), entries


def layouts_of(data):
    """The layouts to try, the likeliest first; fewer if the header is valid."""
    version = struct.unpack_from("<i", data, 4)[0] if len(data) >= 8 else 0
    order = ["1", "2", "2args"] if version == 1 else ["2", "2args", "1"]
    if len(data) >= 8 and data[:4] == b"pidx" and version in (1, 2):
        return order[:1] if version == 1 else order[:2]
    return order


def repair(data, objects):
    """The repaired index, its entries, and whether it was well-formed before;
    objects: the names of the valid ones."""
    for layout in STRINGS:
        entries = raw_entries(data, layout)
        if entries is not None:
            break
    was_well_formed = entries is not None
    if not was_well_formed:
        layout, best = None, None
        for other in layouts_of(data):
            chain = best_chain(data, other, objects)
            if best is None or chain[:2] > best[:2]:
                layout, best = other, chain
        entries = best[2]
    kept = []
    for e in entries:
        if e[2] in objects and e not in kept:
            kept.append(e)
    kept.sort(key=lambda e: e[:2])
    if was_well_formed and kept == entries:
        return data, kept, True
    out = [b"pidx", struct.pack("<ii", 1 if layout == "1" else 2, len(kept))]
    for path, time, name, strings in kept:
        out.append(struct.pack("<I", time) + bytes.fromhex(name) + path +
            b"\0")
        out.extend(struct.pack("<I", len(s)) + s for s in strings)
    return b"".join(out), kept, was_well_formed


def repaired(store, folder):
    objects = valid_objects(store)
    for version in sys.stdin.read().split():
        with open(file_of(store, version), "rb") as f:
            data, kept, was_well_formed = repair(f.read(), objects)
        write(os.path.join(folder, version), data)
        print(version, len(kept), "" if was_well_formed else "-")


def content_name(data):
    """The name that an object file with these bytes should have; None if it is
    damaged."""
    try:
        return hashlib.sha1(zlib.decompress(data)).hexdigest()
    except zlib.error:
        return None


def files_below(folder):
    """{path relative to the folder: contents}"""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(where, name), "rb") as f:
                found[os.path.relpath(os.path.join(where, name),
                    folder)] = f.read()
    return found


def preserved(before, *runs):
    """Verifies that each file is unchanged, or is repaired with the old version
    in lost; that there are no other files but staged ones and misnamed objects
    under their right names; and that those in lost are as they were.  The names
    in lost are the 40 digits of the file and a suffix."""
    store = os.path.join(before, ".perun")
    old = files_below(os.path.join(store, "objects"))
    # Misnamed objects are repaired before the indexes, so right names count.
    objects = {content_name(data) for data in old.values()} - {None}
    for run in runs:
        new = files_below(os.path.join(run, ".perun/objects"))
        lost = files_below(os.path.join(run, ".perun/lost"))
        for path, data in old.items():
            if new.get(path) == data:
                continue
            name = path.replace("/", "")
            if data not in [contents for path_in_lost, contents in
                    lost.items() if path_in_lost.split(".")[0] == name]:
                sys.exit("%s: %s is lost" % (run, path))
            if path in new and new[path] != repair(data, objects)[0] and \
                    name not in valid_objects(run + "/.perun"):
                sys.exit("%s: %s is neither unchanged nor repaired" %
                    (run, path))
        for path, data in new.items():
            if path not in old and not path.startswith(".new-") and \
                    data not in old.values():
                sys.exit("%s: %s is a new file" % (run, path))
        for path, data in lost.items():
            if data != old.get(path[:2] + "/" + path[2:40]):
                sys.exit("%s: %s in lost has changed" % (run, path))
        print(run, len(lost))


def main():
    command, args = sys.argv[1], sys.argv[2:]
    is_flat = "-u" not in args
    if command == "profiles":
        import random

        rng = random.Random(int(args[0]))
        for _ in range(int(args[1])):
            print(json.dumps(random_profile(rng),
                ensure_ascii=rng.random() < .5))
    elif command == "name":
        print(object_of(json.load(sys.stdin), is_flat)[0])
    elif command == "names":
        for line in sys.stdin:
            print(object_of(json.loads(line), is_flat)[0])
    elif command == "body":
        sys.stdout.write(body_of(json.load(sys.stdin), is_flat))
    elif command == "index":
        sys.stdout.buffer.write(index_of([json.loads(line)
            for line in sys.stdin], args[0]))
    elif command == "entries":
        with open(args[0], "rb") as f:
            for e in entries_of(f.read(), None, *args[1:]):
                print(json.dumps(dict({"type": "entry"}, **e),
                    ensure_ascii=False))
    elif command == "put":
        put(*args)
    elif command == "check":
        print(len(verified_entries(*args)))
    elif command == "written":
        written(*args)
    elif command == "malformed":
        malformed(*args)
    elif command == "damage":
        damage(*args)
    elif command == "repaired":
        repaired(*args)
    elif command == "objects":
        for store in args:
            print("\n".join(sorted(valid_objects(store))))
    elif command == "preserved":
        preserved(*args)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogatepass",
        newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogatepass")
    main()
