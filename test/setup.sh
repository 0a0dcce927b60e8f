#!/bin/sh
# setup.sh build|demo|test|powercut|viewers|bench... - installs the packages
# that the named targets need; if it cannot, prints which ones are missing

set -u

packages_for() {
	case $1 in
	build) echo gcc libc6-dev libdw-dev libelf-dev libgit2-dev libiberty-dev libsqlite3-dev libyajl-dev libyaml-dev nettle-dev zlib1g-dev ;;
	demo) echo ninja-build ;;
	test) echo bats bats-assert binutils g++ git jq mandoc ninja-build parallel procps python3 python3-yaml sqlite3 strace valgrind ;;
	powercut) echo e2fsprogs git mount procps python3 strace ;;
	viewers) echo chromium; command -v npm >/dev/null || echo npm ;;
	bench) echo elfutils g++ git hyperfine jq llvm mawk miller python3 time uftrace valgrind ;;
	*) echo "setup.sh: unknown set of packages: $1" >&2; exit 2 ;;
	esac
}

is_installed() {
	dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
		grep -q '^install ok installed$'
}

missing=
for set in "$@"; do
	for package in $(packages_for "$set"); do
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
