#!/bin/sh
# setup.sh SET... - installs the packages of these sets; if it cannot, prints
# which ones are missing.  The sets are build, demo, test, powercut, viewers,
# bench, hosts and slurm; the targets of the Makefile name those that they need.

set -u

packages_for() {
	case $1 in
	build) echo gcc libc6-dev libdw-dev libelf-dev libgit2-dev libiberty-dev libsqlite3-dev libutf8proc-dev libyajl-dev libyaml-dev libzstd-dev nettle-dev zlib1g-dev ;;
	demo) echo ninja-build ;;
	test) echo bats bats-assert binutils g++ git jq mandoc ninja-build parallel pkg-config procps python3 python3-yaml sqlite3 strace valgrind zstd ;;
	powercut) echo e2fsprogs git mount procps python3 strace ;;
	viewers) echo chromium golang-go graphviz; command -v npm >/dev/null || echo npm ;;
	bench) echo elfutils g++ git hyperfine jq llvm mawk miller python3 time uftrace valgrind ;;
	hosts) echo iproute2 openssh-client openssh-server parallel python3 rsync util-linux ;;
	slurm) echo munge slurm-client slurmctld slurmd ;;
	*) echo "setup.sh: unknown set of packages: $1" >&2; exit 2 ;;
	esac
}

is_installed() {
	dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
		grep -q '^install ok installed$'
}

missing=
for set in "$@"; do
	packages=$(packages_for "$set") || exit
	for package in $packages; do
		is_installed "$package" || missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
if command -v apt-get >/dev/null && { [ -z "$as_root" ] ||
	command -v sudo >/dev/null; }; then
	echo "installing$missing"
	export DEBIAN_FRONTEND=noninteractive
	log=$(mktemp)
	# shellcheck disable=SC2086 # one word for each package
	$as_root apt-get update -qq >"$log" 2>&1 &&
		$as_root apt-get install -y -qq --no-install-recommends \
			$missing >>"$log" 2>&1 && rm "$log" && exit 0
	cat "$log" >&2
	rm "$log"
fi
echo "these packages are missing and could not be installed:$missing" >&2
exit 1
