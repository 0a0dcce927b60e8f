#!/bin/sh
# setup.sh [--dry-run] SET... - installs the missing packages of these sets as
# root; for another user, or with --dry-run, prints the command that does, changes
# nothing, and fails.  The sets are build, test, powercut, viewers, databases,
# bench, hosts, slurm, packages and systems; the targets of the Makefile name those
# that they need.

set -u

# The compiler is the clang or gcc-N in CC, whose package has the same name, or
# else gcc.
compiler=gcc
for word in ${CC:-}; do
	case ${word##*/} in
	clang* | gcc-[0-9]*) compiler=$word ;;
	esac
done

# has_sanitizers - whether the compiler, clang, has them; gcc always does
has_sanitizers() {
	echo 'int main(void) { return 0; }' | "$compiler" -x c \
		-fsanitize=address -o /dev/null - 2>/dev/null
}

packages_for() {
	case $1 in
	build)
		command -v "$compiler" >/dev/null || echo "${compiler##*/}"
		echo libc6-dev libdw-dev libelf-dev libgit2-dev libiberty-dev libsqlite3-dev libutf8proc-dev libyajl-dev libyaml-dev libzstd-dev nettle-dev zlib1g-dev ;;
	test)
		case ${compiler##*/} in
		clang*)
			has_sanitizers ||
				echo "libclang-rt${compiler##*clang}-dev"
			# Without it, reports of sanitizers have no lines.
			command -v llvm-symbolizer >/dev/null || echo llvm ;;
		esac
		echo bash-completion bats bats-assert binutils fish g++ git hyperfine jq mandoc miller ninja-build parallel pkg-config procps python3 python3-yaml sqlite3 strace valgrind zsh zstd ;;
	powercut) echo e2fsprogs git mount procps python3 strace ;;
	viewers) echo chromium golang-go graphviz; command -v npm >/dev/null || echo npm ;;
	databases) echo postgresql; command -v npm >/dev/null || echo npm ;;
	bench) echo elfutils g++ git jq libsimdjson-dev llvm mawk miller python3 time uftrace ;;
	hosts) echo iproute2 openssh-client openssh-server parallel python3 rsync util-linux ;;
	packages) echo build-essential debhelper ;;
	systems) echo debootstrap ;;
	slurm) echo munge slurm-client slurmctld slurmd ;;
	*) echo "setup.sh: unknown set of packages: $1" >&2; exit 2 ;;
	esac
}

is_installed() {
	dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
		grep -q '^install ok installed$'
}

user=$(id -u) missing=
[ "$1" != --dry-run ] || { user=none; shift; }
for set in "$@"; do
	packages=$(packages_for "$set") || exit
	for package in $packages; do
		is_installed "$package" || missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0

command="apt-get update && apt-get install -y --no-install-recommends$missing"
if ! command -v apt-get >/dev/null; then
	echo "weir needs what Debian calls$missing; if this system has it, \`make' works" >&2
	exit 1
fi
if [ "$user" != 0 ]; then
	printf '%s\n' "These packages are missing:$missing" \
		"Install them as root, and run the command again:" "$command" >&2
	exit 1
fi

echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
sh -c "$command -qq -o DPkg::Lock::Timeout=600" >"$log" 2>&1 && exit
cat "$log" >&2
printf '%s\n' "The installation failed.  To run it again:" "$command" >&2
exit 1
