#!/bin/bash
# viewers.sh BUILD - checks that speedscope opens what callgraph-fold and
# trace-export write
#
# The call graphs of programs are recorded, symbolized by a release (the symbols
# and lines of a program, stored in a file) and folded into each format.  A
# browser opens the result in speedscope and exports what speedscope has read.
# The oracle converts the export to stacks, which must be those that it computes
# from the records.  A truncated file shows that the test can fail.  Screenshots
# stay in BUILD/viewers.  Pictures and pages, also those of timeline, are opened
# by the browser itself, and pprof's profiles by go, if it is installed.
#
# What graph-export writes is drawn by graphviz and by Mermaid.

set -eu -o pipefail
build=$PWD/$1
here=$(cd "$(dirname "$0")" && pwd)
oracle=$here/oracles/callgraph.py
programs=$build/test/programs/instrument
out=$build/viewers
packages='ajv@8.20.0 mermaid@12.3.0 playwright-core@1.61.1 speedscope@1.25.0'
PATH=$build:$build/test/gen:$PATH

skip() {
	echo "skipped: $1"
	exit 0
}

chromium --version >/dev/null 2>&1 || skip 'there is no chromium'
CHROMIUM=$(command -v chromium)
export CHROMIUM
npm --version >/dev/null 2>&1 || skip 'there is no npm'
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] ||
	skip "playwright-core needs node 18, and this is $(node --version)"
mkdir -p "$out"
if [ "$(cat "$out/installed" 2>/dev/null)" != "$packages" ]; then
	# shellcheck disable=SC2086 # each word of $packages is an argument
	npm install --prefix "$out" --no-save --no-package-lock --no-audit \
		--no-fund --ignore-scripts $packages >"$out/npm.log" 2>&1 ||
		skip "$(grep -m 1 err "$out/npm.log")"
	echo "$packages" >"$out/installed"
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# record NAME PROGRAM ARGUMENT... - records NAME, a stripped copy of PROGRAM,
# with the $options of callgraph-record; writes its call graphs, with the names
# of functions, to the file `named`.  All names come from the release, since the
# copy is stripped.
record() {
	strip -o "$1" "$programs/$2"
	callgraph-release -r releases -d "$programs/$2" "$1"
	callgraph-record $options -o rec "./$1" "${@:3}" >/dev/null
	callgraph-symbolize -r releases rec |
		jq -c 'select(.type == "callgraph")' >named
	[ -s named ]
}

# check_opened FILE TITLE UNIT MEASURE [0|1] - checks that speedscope opens FILE
# as a profile with TITLE and UNIT, and reads from it the stacks of the file
# `named` with their values of MEASURE; 1: with recursion collapsed.
# viewers.mjs stores what speedscope exports in FILE.opened.
check_opened() {
	node "$here/viewers.mjs" "$out" "$1" "$2" &&
		python3 "$oracle" fold "$4" "${5:-0}" <named >want &&
		[ -s want ] &&
		python3 "$oracle" unfold 0 0 <"$1.opened" | diff want - &&
		jq -r '.profiles[].unit' "$1.opened" | diff <(echo "$3") -
}

# fold NAME SUFFIX OPTION... - folds the file `named` by callgraph-fold with
# these options; prints the path of the result
fold() {
	callgraph-fold "${@:3}" named >"$out/$1.$2"
	echo "$out/$1.$2"
}

options=--time
record threads cases threads
check_opened "$(fold threads folded)" threads.folded none self_ns
check_opened "$(fold threads json -f speedscope)" 'threads: time' \
	nanoseconds self_ns
check_opened "$(fold threads callgrind -f callgrind)" \
	'threads.callgrind -- self_ns' none self_ns

# A callgrind file does not contain stacks: speedscope guesses them, correctly
# if there is no recursion.
options=
record throw throw
check_opened "$(fold throw folded)" throw.folded none calls
check_opened "$(fold throw json -f speedscope)" 'throw: calls' none calls
check_opened "$(fold throw callgrind -f callgrind -c)" 'throw.callgrind -- calls' \
	none calls 1

# check_trace NAME OPTION... - checks that speedscope has all slices of a trace
check_trace() {
	trace-export "${@:2}" >"$out/$1.json" 2>/dev/null || [ $? = 1 ]
	python3 "$here/oracles/trace.py" check "$out/$1.json"
	node "$here/viewers.mjs" "$out" "$out/$1.json"
}

# Traces: a distributed build with its path, a query, and names that try to be
# something else.
execlog-parse "$here/data/demo/build.log" >tasks
buildgraph-parse "$here/data/demo/graph.json" >graph
critpath -g graph tasks >path
check_trace build-trace -g graph -p path tasks
execlog-parse "$here/data/demo/ninja_log" >tasks 2>/dev/null
check_trace ninja-trace tasks
malparse --tasks "$here/data/demo/mal-2023.json" >tasks
check_trace query-trace tasks
python3 "$here/oracles/trace.py" hostile >tasks
check_trace hostile-trace tasks

# A picture is checked by its own rules.
node "$here/pictures.mjs" "$out" "$(fold throw svg --svg)" main

# draw NAME TASKS [OPTION]... - draws tasks with their critical path, and checks
# the picture
draw() {
	critpath "${@:3}" "$2" >path 2>err
	timeline -p path "${@:3}" "$2" >"$out/$1.svg"
	node "$here/pictures.mjs" "$out" "$out/$1.svg"
}
examples=$here/data/demo
execlog-parse "$examples/build.log" >tasks
buildgraph-parse "$examples/graph.json" >nodes
draw distributed tasks -g nodes
execlog-parse "$examples/ninja_log" >tasks 2>err
draw ninja tasks
malparse --tasks "$examples/mal-2018.json" >tasks
draw query tasks
distbuild 1000 log graph 2>err
execlog-parse log >tasks 2>err
draw thousand tasks
head -n 9 tasks | timeline --partial >"$out/few.svg"
node "$here/pictures.mjs" "$out" "$out/few.svg"
distbuild 400000 log graph 2>err
execlog-parse log 2>err >tasks	# a million with copies
draw million tasks
if go version >/dev/null 2>&1; then
	go tool pprof -top "$(fold throw pb.gz -f pprof)" | grep -w main
else
	echo "go tool pprof was not tried: there is no go"
fi

# check_plan NAME TASKS... - the records of a run, and its critical path, must
# give the same picture by graphviz and by Mermaid
check_plan() {
	critpath "${@:2}" >path
	graph-export -p path "${@:2}" >"$out/$1.dot"
	graph-export -f mermaid -p path "${@:2}" >"$out/$1.mmd"
	dot -Tpng -o "$out/$1.png" "$out/$1.dot"
	dot -Tsvg -o "$out/$1.svg" "$out/$1.dot"
	node "$here/flowcharts.mjs" "$out" "$out/$1.mmd" "$out/$1.svg"
}

malparse --tasks "$here/data/demo/mal-2018.json" >query
execlog-parse "$here/data/demo/build.log" >build-tasks
buildgraph-parse "$here/data/demo/graph.json" >build-nodes
if dot -V 2>/dev/null; then
	check_plan query query
	check_plan build build-nodes build-tasks
	check_plan hostile "$here/data/graph-export/hostile.ndjson"
else
	echo "graphs were not drawn: there is no graphviz"
fi

# check_page NAME TASK - checks the page of the records of standard input, in
# which TASK is the name of a task
check_page() {
	timeline --html >"$out/$1.html" && node "$here/pages.mjs" "$out" \
		"$out/$1.html" "$2"
}

page=$here/oracles/timeline-page.py
execlog-parse "$examples/build.log" >tasks
buildgraph-parse "$examples/graph.json" | critpath --json tasks - |
	cat tasks - | check_page build core
malparse --tasks "$examples/mal-2018.json" >tasks
critpath --json tasks | cat tasks - | check_page query algebra.projection
python3 "$page" make 1 20000 | check_page tasks file0.o
python3 "$page" hostile | check_page hostile '<img src=x onerror=alert(1)>'

head -c -9 "$out/throw.json" >truncated.json
node "$here/viewers.mjs" "$out" "$PWD/truncated.json" 'throw: calls' \
	>log 2>&1 || true
grep '^truncated.json: Unrecognized format' log || {
	echo "a truncated document is not refused: $(cat log)"
	exit 1
}
echo "pictures are in ${out#"$OLDPWD/"}"
