#!/bin/bash
# packages.sh ARCHIVE - builds Debian packages of the source archive, and tries
# them, on bare systems
#
# On one bare system of each release in SUITES, `make deb' builds the packages and
# lintian checks them.  On another they are installed and purged, which must leave
# nothing; then they are installed again, and the commands of the README and of
# all pages run on the installed inputs.

set -eu -o pipefail
. "$(dirname "$0")/bare.bash"

why=$(why_no_system)
[ -z "$why" ] || { echo "skipped: $why"; exit 0; }
archive=$(realpath "$1")
packages='weir libweir-instrument0 libweir-instrument-dev'
dir=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null && wait; rm -rf --one-file-system "$dir"' EXIT
trap 'exit 1' INT TERM

# make_with_source SUITE NAME - makes a bare system in $dir/NAME, with the unpacked
# source archive
make_with_source() {
	make_system "$1" "$dir/$2" >"$dir/log" 2>&1 ||
		{ tail "$dir/log"; return 1; }
	tar -xzf "$archive" -C "$dir/$2/srv"
}

# in_source NAME COMMANDS - runs shell commands in the unpacked source there; prints
# the end of what they print if they fail
in_source() {
	in_system "$dir/$1" "cd weir-*; $2" >"$dir/log" 2>&1 ||
		{ tail -n 100 "$dir/log"; return 1; }
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
	make_with_source "$1" building
	in_source building 'make deb'
	! grep warning: "$dir/log" || return
	echo "$1: make deb builds the packages without a warning"
	in_source building "apt-get install -y --no-install-recommends lintian
		lintian --fail-on error,warning build/deb/*.changes"
	echo "$1: lintian reports nothing"

	make_with_source "$1" using
	mkdir "$dir/using/srv/packages"
	cp "$dir"/building/srv/weir-*/build/deb/*.deb "$dir/using/srv/packages"
	rm -rf "$dir/building"
	list_files using >"$dir/before"
	in_source using "$install
		for program in \$(dpkg -L weir | grep ^/usr/bin/); do
			\$program --version
		done
		apt-get purge -y --auto-remove $packages"
	list_files using | diff "$dir/before" - ||
		{ echo "$1: purging has left files"; return 1; }
	echo "$1: installed and purged, nothing is left"

	in_source using "$install
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
