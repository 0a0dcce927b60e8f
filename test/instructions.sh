#!/bin/bash
# instructions.sh BUILD - prints how many instructions filters take for small
# inputs, as multiples of those of test/programs/loop.c
#
# test/instructions.bats compares them with test/data/instructions.txt.  They do
# not depend on the load of the machine, but on its compiler and libraries: the
# file is for Debian 12 on x86-64.  What a filter takes to start is not counted.

set -eu -o pipefail
build=$(cd "$1" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
PATH=$build:$build/test/gen:$build/test/programs:$PATH
# The C library has functions for newer processors; these run on all.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2_Usable,-AVX2,-AVX,-ERMS,-SSE4_2

# count COMMAND... - prints the instructions of a command, without its children
count() {
	{ valgrind --tool=cachegrind --cache-sim=no \
		--cachegrind-out-file=/dev/null "$@" 2>&1 >/dev/null </dev/null ||
		[ $? -eq 1 ]; } | sed -n 's/.*I *refs: *//p' | tr -d ,
}

# row NAME FILTER ARGUMENT... - prints a line
row() {
	local name=$1 start all
	shift
	start=$(count "$1" --version)
	all=$(count "$@")
	awk "BEGIN { printf \"%s %.3f\n\", \"$name\", ($all - $start) / $loop }"
}

distbuild 1500 log graph 2>/dev/null
builds ninja 200000 >ninja.log
builds chrome 500000 >chrome.json
mal S 600 >mal.json 2>/dev/null
execlog-parse log >tasks 2>/dev/null
buildgraph-parse graph >nodes
critpath -g nodes tasks >path
malparse mal.json >rows
for i in {1..3000}; do
	printf '{"type":"sample","uid":"f%d","value":%d,"unit":"us"}\n' \
		$((i % 20)) $((i * 7919 % 1000 + 1000))
done >old
sed 's/,"value":1/,"value":3/' old >new
{
	printf '{"type":"callgraph","program":"p","nodes":[{"name":"main","calls":1}'
	for i in {1..3000}; do
		printf ',{"parent":%d,"name":"f%d","calls":%d}' $((i / 2)) \
			$((i % 97)) $i
	done
	printf ']}\n'
} >calls
mkdir store
git init -q store
git -C store -c user.name=n -c user.email=e commit -q --allow-empty -m c
pidx-init store >/dev/null
for i in {1..40}; do
	printf '{"type":"profile","path":"%d.perf","time":%d,"profile":{"header":{"type":"time","cmd":"c","workload":"w%d"},"collector_info":{"name":"t","params":{}},"postprocessors":[],"global":{"resources":[' $i $i $i
	for j in {1..40}; do
		printf '{"amount":%d.5,"uid":"f%d","type":"time"},' $((j * i)) $j
	done
	printf '{"amount":1,"uid":"g","type":"time"}]}}}\n'
done >profiles
pidx-write -C store profiles >/dev/null

loop=$(count loop)
row 'execlog-parse, distbuild' execlog-parse log
row 'execlog-parse, ninja' execlog-parse ninja.log
row 'execlog-parse, chrome' execlog-parse chrome.json
row buildgraph-parse buildgraph-parse graph
row 'critpath' critpath -g nodes tasks
row 'critpath --by host' critpath -g nodes --by host tasks
row 'critpath --summary' critpath -g nodes --summary tasks
row 'timeline' timeline -g nodes -p path tasks
row 'malparse' malparse mal.json
row 'malstat' malstat rows
row 'pidx-read' pidx-read -C store -p HEAD
row 'pidx-fsck' pidx-fsck -C store
row 'perf-diff' perf-diff old new
row 'callgraph-stat' callgraph-stat calls
