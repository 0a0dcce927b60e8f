#!/bin/bash
# bench.sh BUILD CFLAGS [REV...] - measures the filters beside floors, what people
# would use instead and, by turns, the filters of commits
#
# A group is a table of commands that run by turns, because a machine with other
# load is slower in some minutes than in others.  A figure is the least of RUNS
# runs: other load only adds to it.  Figures of different machines cannot be
# compared: read the ratios.  A floor is the least that a row could take, or what
# people would use in its place; a row is divided by the last floor before it.
# Above 1.05 times a commit it is red.
# Writes the tables to BUILD/bench.md, too.

set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
cflags=$2
revisions=("${@:3}")
runs=${RUNS:-7}
data=$build/bench
markdown=$build/bench.md
n_red=0
unset MAKEFLAGS MAKELEVEL MFLAGS WEIR_SOCKET
mkdir -p "$data"

# compile TREE BUILD - builds the filters of a tree
compile() {
	make -s -j"$(nproc)" -C "$1" OUT="$2" CFLAGS="$cflags" all \
		>"$data/make.log" 2>&1 || { tail "$data/make.log" >&2; exit 2; }
}

# compile_revision REV - builds the commit beside the tree
compile_revision() {
	local id=$(git -C "$here" rev-parse --verify --quiet "$1^{commit}")
	[ -n "$id" ] || { echo "bench: '$1' is no commit" >&2; exit 2; }
	programs[$1]=$data/trees/$id/build
	if [ ! -d "$data/trees/$id" ]; then
		rm -rf "$data/new" && mkdir -p "$data/trees" "$data/new" &&
			git -C "$here/.." archive "$id" | tar -xC "$data/new" &&
			mv "$data/new" "$data/trees/$id" || exit 2
	fi
	compile "$data/trees/$id" build
}

# measure COMMAND SIDE - runs a shell command with the programs of a side, now or
# a commit, and sets figure: CPU milliseconds, or what it prints if $unit is not s
measure() {
	local TIMEFORMAT='%3U %3S' user system
	figure=
	if [ "$unit" != s ]; then
		figure=$(side=$2; PATH=${programs[$2]}:$tools:$PATH; eval "$1")
		return
	fi
	figure=$({ time {
		(side=$2; PATH=${programs[$2]}:$tools:$PATH
			eval "$1") >/dev/null 2>&1
	}; } 2>&1) || return
	read -r user system <<<"$figure"
	figure=$((10#${user/./} + 10#${system/./}))
}

# less A B - whether A is a smaller number than B, or B is empty
less() {
	[ -z "$2" ] || awk "BEGIN { exit !($1 < $2) }"
}

# group TITLE [UNIT] - ends the table before it, and begins another
group() {
	end_group
	title=$1 unit=${2:-s}
	names=() commands=() prepares=() kinds=() floors=() floor=
}

# add KIND NAME COMMAND [PREPARE] - adds a command; PREPARE runs before each run
# of it, and is not measured
add() {
	[ "$1" != floor ] || floor=${#names[@]}
	kinds+=("$1") names+=("$2") commands+=("$3") prepares+=("${4:-:}")
	floors+=("$floor")
}
floor() { add floor "$@"; }
row() { add row "$@"; }
peer() { add peer "$@"; }

# take SIDE I - measures command I, and keeps the least figure in best[SIDE.I]
take() {
	eval "${prepares[$2]}" >/dev/null 2>&1
	if ! measure "${commands[$2]}" "$1"; then
		[ "$1" != now ] || { echo "bench: '${names[$2]}' fails:" \
			"${commands[$2]}" >&2; exit 2; }
		best[$1.$2]=-
	elif less "$figure" "${best[$1.$2]:-}"; then
		best[$1.$2]=$figure
	fi
}

# has_time I ROUND - peers that take long run once
has_time() {
	[ "${kinds[$1]}" != peer ] || [ "$2" = 0 ] ||
		! less 700 "${best[now.$1]}"
}

# end_group - measures the commands of the table, and prints it
end_group() {
	local i round rev
	declare -A best=()
	[ ${#names[@]} -gt 0 ] || return 0
	for ((round = 0; round < runs; round++)); do
		for i in "${!names[@]}"; do
			has_time "$i" $round || continue
			take now "$i"
			[ "${kinds[i]}" = row ] || continue
			for rev in "${revisions[@]}"; do
				[ "${best[$rev.$i]:-}" = - ] || take "$rev" "$i"
			done
		done
	done
	printf '\n%s\n\n| %-44s | %8s | %7s |' "$title" '' "$unit" /floor
	for rev in "${revisions[@]}"; do
		printf ' %8s |    ratio |' "$rev"
	done
	printf '\n|%046d|%09d:|%08d:|' 0 0 0 | tr 0 -
	for rev in "${revisions[@]}"; do
		printf '%09d:|%09d:|' 0 0 | tr 0 -
	done
	echo
	for i in "${!names[@]}"; do
		print_row "$i"
	done
	names=()
}

# print_row I - prints a row of a table
print_row() {
	local name=${names[$1]} then=() rev
	case ${kinds[$1]} in
	floor) name="floor: $name" ;;
	peer) name="  $name" ;;
	esac
	for rev in "${revisions[@]}"; do
		then+=("${best[$rev.$1]:-}")
	done
	awk -v name="$name" -v unit="$unit" -v now="${best[now.$1]}" \
		-v floor="${floors[$1]:+${best[now.${floors[$1]}]}}" '
	function figure(n) {
		if (n + 0 == 0)
			return n
		return unit == "s" ? sprintf("%.3f", n / 1000) : sprintf("%.1f", n)
	}
	BEGIN {
		printf "| %-44s | %8s | %7s |", name, figure(now),
			(floor > 0 ? sprintf("%.2f", now / floor) : "")
		for (i = 1; i < ARGC; i++) {
			ratio = ARGV[i] + 0 > 0 ? sprintf("%.2f", now / ARGV[i]) : ""
			red = red || ratio > 1.05
			printf " %8s | %8s |", figure(ARGV[i]),
				(ratio > 1.05 ? "**" ratio "**" : ratio)
		}
		printf "\n"
		exit red
	}' "${then[@]}" || n_red=$((n_red + 1))
}

# once FILE COMMAND... - makes a file, unless it is there from an earlier run
once() {
	local file=$1
	shift
	[ -e "$file" ] || { "$@" >"$file.new" 2>/dev/null; mv "$file.new" "$file"; }
}

# peak COMMAND... - prints the peak memory of a command, in MB
peak() {
	command time -f %M -o peak "$@" >/dev/null 2>&1
	awk 'END { print $1 / 1024 }' peak
}

all_groups() {
	local part
	for part in builds queries stores programs; do
		. "$here/bench-$part.sh"
	done
	end_group
}

declare -A programs=([now]=$data/build)
compile "$here/.." "${programs[now]}"
for revision in "${revisions[@]}"; do
	compile_revision "$revision"
done
cd "$data" || exit 2
tools=$build/test/programs:$build/test/gen:$data
PATH=${programs[now]}:$tools:$PATH
names=()
g++ -O3 -o json-floor "$here/programs/json-floor.cc" -lsimdjson || exit 2
if [ -t 1 ]; then
	red=$'s/\\*\\*\\(.*\\)\\*\\*/\033[31m\\1\033[m/'
fi
{
	printf '%s, %s, %s\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo |
		head -n 1)" "$(nproc) cores" "$(date +%F)"
	all_groups
	[ ${#revisions[@]} -eq 0 ] || printf '\n%d rows are above 1.05\n' $n_red
	exit $((n_red > 0))
} | tee "$markdown" | sed -u "${red:-}"
