"""failures.py [OPTION...] COMMAND... - makes the calls of a command fail

Runs the command in copies of the current directory, each time with one call
failing as on a machine without memory, descriptors, space or disks that work:
once, and from then on.  The library that FAILING names, data/failing.c, makes
calls fail, and says what a site is.  Fails unless each run ends with

- the command's usual status and the same files and output as without a failure,
  because the call does not matter; or
- status 2, a message with the machine's reason, and all files as they were.
"""

import argparse
import errno
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

REASONS = [os.strerror(n) for n in (
    errno.ENOMEM, errno.EMFILE, errno.EIO, errno.EACCES, errno.ENOSPC,
    errno.EAGAIN, errno.ENOBUFS)] + [
        "memory", "disk I/O error", "unable to open database file",
        # SQLite opens a file for reading that it cannot open for writing.
        "readonly database"]


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--sites", default="", metavar="RE",
                   help="only calls at sites that match")
    p.add_argument("--crash", default="$.", metavar="RE",
                   help="a failure at sites that match may end in a crash")
    p.add_argument("--calls", type=int, default=1, metavar="N",
                   help="only the first N calls of each site, and the last")
    p.add_argument("--sample", type=int, metavar="N",
                   help="only N failures, chosen at random")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lasting", action="store_true",
                   help="no call fails only once")
    p.add_argument("--errno", type=lambda name: getattr(errno, name),
                   help="this error, as in errno.h, instead of the usual one")
    p.add_argument("--writes", action="store_true",
                   help="after status 2 a file may also be as after a run "
                   "without a failure")
    p.add_argument("--varies", action="store_true",
                   help="files and output differ from run to run")
    p.add_argument("--input", default=os.devnull, metavar="FILE",
                   help="standard input")
    p.add_argument("command", nargs=argparse.REMAINDER)
    return p.parse_args()


def read(path):
    if os.path.islink(path):
        return os.readlink(path)
    with open(path, "rb") as f:
        return f.read()


def tree(top):
    """The contents of all files below a directory, by path."""
    paths = (os.path.join(parent, name)
             for parent, _, names in os.walk(top) for name in names)
    return {os.path.relpath(p, top): read(p) for p in paths
            if not p.endswith("/weir.lock")}


class Command:
    def __init__(self, args, top):
        self.args = args
        self.work = os.path.join(top, "work")
        self.start = os.getcwd()
        self.restore()
        self.before = tree(self.work)
        self.list = os.path.join(top, "list")
        open(self.list, "w").close()
        self.want = self.run(FAIL_LIST=self.list)
        self.after = tree(self.work)
        self.restore()

    def restore(self):
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.start, self.work, symlinks=True)

    def run(self, **variables):
        # LD_PRELOAD cannot contain a path with a space.
        folder, name = os.path.split(os.environ["FAILING"])
        env = dict(os.environ, LD_PRELOAD=name, LD_LIBRARY_PATH=folder,
                   FAIL_IN=self.args.command[0], **variables)
        with open(self.args.input) as stdin:
            try:
                got = subprocess.run(self.args.command, cwd=self.work, env=env,
                                     stdin=stdin, capture_output=True,
                                     timeout=100)
            except subprocess.TimeoutExpired:
                return "none", b"", "it hangs"
        return got.returncode, got.stdout, got.stderr.decode("utf-8", "replace")

    def failures(self):
        """All failures to try, as (site, call, variables of failing.c)."""
        counts = {}
        with open(self.list) as f:
            for site in f.read().splitlines():
                if re.search(self.args.sites, site):
                    counts[site] = counts.get(site, 0) + 1
        found = []
        for site, n in counts.items():
            calls = set(range(1, min(n, self.args.calls) + 1)) | {n}
            for call in sorted(calls):
                for mode in [{}] if self.args.lasting else [
                        {}, {"FAIL_ONCE": "1"}]:
                    found.append((site, call, mode))
        if self.args.sample and self.args.sample < len(found):
            found = random.Random(self.args.seed).sample(
                found, self.args.sample)
        return found

    def changed(self, now, can_remove):
        """The first file that is not as it should be after status 2."""
        for path in sorted(now.keys() | self.before.keys()):
            if path not in self.before and not can_remove:
                continue
            allowed = [self.before.get(path)]
            if self.args.writes:
                allowed.append(self.after.get(path))
            if now.get(path) not in allowed and not self.args.varies:
                return path
        return None

    def judge(self, got, can_remove):
        """What is wrong with a run; None if nothing is."""
        status, output, message = got
        now = tree(self.work)
        if now != self.before:
            self.restore()
        if status == 2 and self.want[0] != 2:
            if not any(reason in message for reason in REASONS):
                return "the message has no reason"
            path = self.changed(now, can_remove)
            return path and path + " has changed"
        if status != self.want[0]:
            return "the status is %s" % status
        if self.args.varies:
            return None
        if output != self.want[1]:
            return "the output differs"
        return None if now == self.after else "files differ"


def main():
    args = options()
    n_fatal = n_wrong = 0
    with tempfile.TemporaryDirectory(prefix="failures.") as top:
        command = Command(args, top)
        failures = command.failures()
        for site, call, mode in failures:
            if args.errno:
                mode = dict(mode, FAIL_ERRNO=str(args.errno))
            got = command.run(FAIL_SITE=site, FAIL_CALL=str(call), **mode)
            # Then temporary files are left.
            can_remove = not site.startswith("unlink") or "FAIL_ONCE" in mode
            wrong = command.judge(got, can_remove)
            if got[0] in (-6, -11) and re.search(args.crash, site):
                wrong = None
            n_fatal += got[0] == 2 and wrong is None
            n_wrong += wrong is not None
            if wrong:
                print("%s, call %d%s: %s: %s" % (
                    site, call, " once" if mode.get("FAIL_ONCE") else "",
                    wrong, " | ".join(got[2].splitlines())[-200:]))
    print("%s: %d sites, %d failures: %d end it, %d do not matter, %d are "
          "wrong" % (" ".join(args.command), len({f[0] for f in failures}),
                     len(failures), n_fatal, len(failures) - n_fatal - n_wrong,
                     n_wrong))
    sys.exit(n_wrong > 0 or not failures)


main()
