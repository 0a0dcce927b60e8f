#!/bin/bash
# packages.sh ARCHIVE - builds Debian packages of the source archive, and tries
# them, on bare systems
#
# A bare system is what debootstrap makes of each release in SUITES.  On one,
# `make deb' builds the packages and lintian checks them.  On another they are
# installed and purged, which must leave nothing; then they are installed again,
# and the commands of the README and of all pages run on the installed inputs.
# BASES is a folder that keeps the bare systems for the next run.

set -eu -o pipefail

skip() {
	echo "skipped: $1"
	exit 0
}

[ "$(id -u)" -eq 0 ] || skip 'only root may make bare systems'
PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || skip 'there is no debootstrap'
unshare --mount --pid --fork true 2>/dev/null ||
	skip 'no namespaces can be made here'
archive=$(realpath "$1")
packages='weir libweir-instrument0 libweir-instrument-dev'
dir=$(mktemp -d)
bases=${BASES:-$dir}
trap 'kill -KILL $(jobs -p) 2>/dev/null && wait; rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

# make_system SUITE NAME - makes a bare system in $dir/NAME, with the unpacked
# source archive in /srv
make_system() {
	local base=$bases/base-$1
	if [ ! -d "$base" ]; then
		debootstrap --variant=minbase --include=make "$1" "$base.part" \
			>"$dir/log" 2>&1 || { tail "$dir/log"; return 1; }
		mv "$base.part" "$base"
	fi
	cp -a "$base" "$dir/$2"
	cp /etc/resolv.conf "$dir/$2/etc"
	tar -xzf "$archive" -C "$dir/$2/srv"
	in_system "$2" 'apt-get update'
}

# in_system NAME COMMANDS - runs shell commands in the unpacked source there; prints
# the end of what they print if they fail.  Mounts and processes end with the
# namespaces, and a signal ends the wait for them.
in_system() {
	unshare --mount --pid --fork --kill-child bash -eu -c '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		exec chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			DEBIAN_FRONTEND=noninteractive \
			bash -eu -o pipefail -c "cd /srv/weir-*; $2"' \
		- "$dir/$1" "$2" >"$dir/log" 2>&1 &
	wait $! || { tail -n 100 "$dir/log"; return 1; }
}

# list_files NAME - prints the files of the system, without those of apt and dpkg
list_files() {
	(cd "$dir/$1" && find . -path ./srv -prune -o -path ./var/cache -prune -o \
		-path ./var/lib/apt -prune -o -path ./var/lib/dpkg -prune -o \
		-path ./var/log -prune -o -print | sort)
}

# try_suite SUITE
try_suite() {
	local install="apt-get install -y --no-remove /srv/packages/*.deb"
	make_system "$1" building
	in_system building 'make deb'
	! grep warning: "$dir/log" || return
	echo "$1: make deb builds the packages without a warning"
	in_system building "apt-get install -y --no-install-recommends lintian
		lintian --fail-on error,warning build/deb/*.changes"
	echo "$1: lintian reports nothing"

	make_system "$1" using
	mkdir "$dir/using/srv/packages"
	cp "$dir"/building/srv/weir-*/build/deb/*.deb "$dir/using/srv/packages"
	rm -rf "$dir/building"
	list_files using >"$dir/before"
	in_system using "$install
		for program in \$(dpkg -L weir | grep ^/usr/bin/); do
			\$program --version
		done
		apt-get purge -y --auto-remove $packages"
	list_files using | diff "$dir/before" - ||
		{ echo "$1: purging has left files"; return 1; }
	echo "$1: installed and purged, nothing is left"

	in_system using "$install
		sh test/setup.sh test
		mkdir /srv/nothing
		touch /srv/nothing/tests
		WEIR_PREFIX=/usr WEIR_BUILD=/srv/nothing \
			bats test/readme.bats test/examples.bats"
	echo "$1: the README and the pages run as printed"
	rm -rf "$dir/using"
}

for suite in ${SUITES:-bookworm trixie}; do
	try_suite "$suite"
done
