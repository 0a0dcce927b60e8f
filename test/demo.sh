#!/bin/bash
# demo.sh BUILD - the main job on bundled samples, each pipeline before its
# result

set -u -o pipefail
build=$PWD/$1
samples=$PWD/test/data/demo
PATH=$build:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

say() {
	printf '\n\033[1m%s\033[0m\n' "$*"
}

# run PIPELINE - shows it as one would type it, then runs it
run() {
	printf '\n$ %s\n\n' "$1"
	bash -o pipefail -c "$1" || exit
}

cd "$samples" || exit
say "Where did the time of this distributed build go?  Its log has $(
	wc -l <build.log) events, in any order."
run 'head -n 3 build.log'
say 'Filters turn it into records, one JSON object a line ...'
run 'execlog-parse build.log | head -n 2'
run 'buildgraph-parse graph.json | tail -n 1'
say '... and answer questions about them.  The critical path:'
run 'execlog-parse build.log | critpath --text -g <(buildgraph-parse graph.json)'
say 'What if the slowest compilation took 5 s, and copies cost nothing?'
run 'execlog-parse build.log | critpath -g <(buildgraph-parse graph.json) \
    --set cc-net-tls=5s --drop kind=copy | tail -n 1'
say 'And all the rest that one wants to know:'
run 'execlog-parse build.log | execlog-stat --text -g <(buildgraph-parse graph.json)'

cd "$samples/../examples" || exit
say 'Which operation of a database query costs most, and are the cores used?'
run 'malparse mal-2018.json | malstat --text'
say 'And its critical path, by the code that was written for builds:'
run 'malparse --tasks mal-2018.json | critpath --text'

command -v ninja >/dev/null || exit 0
cd "$samples" && cp project/* "$scratch" && cd "$scratch" || exit
say 'The same for a real build by ninja, run just now:'
run 'ninja | tail -n 1; ninja -t graph >graph.dot; ninja -t deps >deps'
run 'execlog-parse .ninja_log |
    critpath --text -g <(buildgraph-parse --deps deps graph.dot)'
