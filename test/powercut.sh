#!/bin/bash
# powercut.sh BUILD - what pidx-write acknowledged survives a power cut, also
# beside pidx-fsck --repair --prune
#
# The store is in a disk image, mounted by a loop device.  The writer is killed
# at a random moment and the image is copied: the copy contains what a disk
# would contain after a power failure.  The copy is mounted and verified.  As a
# control, all this is repeated with fsync() and syncfs() replaced by calls that
# do nothing: then at least one of five power cuts must lose entries.

set -eu -o pipefail
build=$PWD/$1
oracle=$(cd "$(dirname "$0")" && pwd)/oracles/perun.py
cuts=${CUTS:-30}
PATH=$build:/usr/bin:/usr/sbin:$PATH
export GIT_CONFIG_NOSYSTEM=1

[ "$(id -u)" -eq 0 ] || { echo "skipped: only root may mount"; exit 0; }
dir=$(mktemp -d)
cd "$dir"
export HOME=$dir
mkdir disk copy
trap 'cd /; umount -q "$dir"/disk "$dir"/copy || true; rm -rf "$dir"' EXIT

# attach IMAGE DIR - mounts an image, whose journal is committed only by syncs
# for the next 300 seconds
attach() {
	mount -o loop,commit=300 "$1" "$2"
}

# profile NAME - prints a `profile` record whose workload has a random length,
# up to 9999 digits
profile() {
	printf '{"type":"profile","path":"%s","time":1,"profile":{"header":{"type":"time","cmd":"%s","workload":"%0*d"},"collector_info":{"name":"time"},"postprocessors":[],"resources":[]}}\n' \
		"$1" "$1" $((RANDOM % 9999 + 1)) 7
}

truncate -s 48M base.img
mkfs.ext4 -q -F base.img
attach base.img disk 2>mount.err || {
	echo "skipped: $(cat mount.err)"
	exit 0
}
(cd disk && git init -q && git -c user.name=jo -c user.email=jo@x commit \
	-q --allow-empty -m first && pidx-init && profile before | pidx-write) \
	>/dev/null
id=$(git -C disk rev-parse HEAD)
umount disk

# maintain [COMMAND...] - repairs and prunes under COMMAND again and again; the
# files look old enough to be pruned
maintain() {
	while :; do
		find disk/.perun/objects -type f -exec \
			touch -c -d '3 hours ago' {} + || true
		"$@" pidx-fsck -C disk --prune --repair || true
	done
}

# write [COMMAND...] - runs pidx-write under COMMAND again and again, with two
# new profiles each time, beside `maintain`, until the whole group of processes
# is killed; prints the records by which pidx-write acknowledges them
write() {
	local n=0
	maintain "$@" >/dev/null &
	while n=$((n + 1)); do
		(profile "a$n" && profile "b$n") | "$@" pidx-write -C disk
	done
}

# power_cut [COMMAND...] - simulates a power cut while pidx-write runs under
# COMMAND; fails if acknowledged entries are lost
power_cut() {
	local writer
	cp base.img disk.img
	attach disk.img disk
	: >acks
	set -m		# The writer gets a process group of its own.
	write "$@" >acks 2>/dev/null &
	writer=$!
	set +m
	sleep "$(printf '0.%03d' $((RANDOM % 400 + 100)))"
	kill -KILL -- -$writer
	wait $writer 2>/dev/null || true
	# A killed process ends only after a sync that it is in: before copying
	# the image, wait for the whole group to end (zombies do not count).
	while pgrep -g $writer -r DRST >/dev/null; do
		:
	done
	cp disk.img copy.img
	umount disk
	attach copy.img copy
	# The oracle reads these files.  It only prints the status, which may be
	# any word.
	mv acks copy/out
	echo cut >copy/status
	pidx-read -C copy --profiles HEAD >copy/read 2>copy/complaints || true
	python3 "$oracle" written "$id" copy >verdict 2>&1
}

acknowledged=0
for ((i = 1; i <= cuts; i++)); do
	power_cut || { echo "cut $i: $(cat verdict copy/complaints)"; exit 1; }
	acknowledged=$((acknowledged + $(grep -c '"type":"entry"' copy/out || true)))
	umount copy
done
echo "$cuts power cuts: none of $acknowledged acknowledged entries was lost"

lost=0
for ((i = 1; i <= 5; i++)); do
	power_cut strace -o /dev/null -e trace=fsync,syncfs \
		-e inject=fsync,syncfs:retval=0 || lost=$((lost + 1))
	umount copy
done
echo "5 power cuts without syncs: after $lost of them entries were lost"
[ "$lost" -gt 0 ] && [ "$acknowledged" -gt 0 ]
