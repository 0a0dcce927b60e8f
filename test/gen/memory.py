#!/usr/bin/env python3
"""memory.py PROGRAM SEED - a defective instrumented process: shares a memory with
callgraph-record, as instrument/layout.h describes it, in which any number may
be wrong, and goes on changing it.  Then it runs PROGRAM, which is not defective,
as a child."""
import array
import fcntl
import mmap
import os
import random
import socket
import struct
import subprocess
import sys
import time

# As in fcntl.h, which Python 3.8 does not have completely
F_ADD_SEALS, SEAL_SHRINK, SEAL_GROW = 1033, 2, 4
SIZE = 4 << 20

r = random.Random(int(sys.argv[2]))
fd = os.memfd_create("weir", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
os.ftruncate(fd, SIZE)
if r.random() < .95:
    fcntl.fcntl(fd, F_ADD_SEALS, SEAL_SHRINK | SEAL_GROW)


memory = memoryview(mmap.mmap(fd, SIZE)).cast("Q")


def number():
    """A number that may be valid, is a bit too large, or anything"""
    return r.choice((r.randrange(4), r.randrange(4096), 0x10000 + 8 *
                     r.randrange(SIZE // 8), r.randrange(1 << 64),
                     (1 << 64) - 1 - r.randrange(4096)))


# choices() takes one of these a hundred times as fast as number() makes one.
numbers = [number() for _ in range(5000)]


def write(count):
    """Writes half of COUNT numbers anywhere, and half to the first 32 places"""
    for places in range(SIZE // 8), range(32):
        for at, n in zip(r.choices(places, k=count // 2),
                         r.choices(numbers, k=count // 2)):
            # The first three numbers mostly stay as they are.
            if at >= 3 or r.random() < 1e-5:
                memory[at] = n


# Address, size and size of a node; then anything
memory[:3] = array.array("Q", (0x10000, SIZE, r.choice((80, 88))))
write(r.randrange(100000))
s = socket.socket(socket.AF_UNIX)
s.connect("\0" + os.environ["WEIR_SOCKET"][1:])
s.sendmsg([b"weir 4\n"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                           struct.pack("i", fd))])
s.close()
end = time.monotonic() + .02
while time.monotonic() < end:
    write(100)
subprocess.run([sys.argv[1]], check=False)
