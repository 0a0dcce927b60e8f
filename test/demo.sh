#!/bin/bash
# demo.sh BUILD - runs pipelines on the bundled samples, and prints each one
# before its result

set -u -o pipefail
build=$PWD/$1
samples=$PWD/test/data/demo
PATH=$build:$PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

bold='' normal=''
[ ! -t 1 ] || [ -n "${NO_COLOR:-}" ] || bold=$'\033[1m' normal=$'\033[0m'

# Reports fit a terminal by themselves.
[ -t 1 ] || export COLUMNS="${COLUMNS:-80}"

print_heading() {
	printf '\n%s%s%s\n' "$bold" "$*" "$normal"
}

# run_pipeline PIPELINE - prints the pipeline as a user types it, then runs it
run_pipeline() {
	printf '\n$ %s\n\n' "$1"
	bash -o pipefail -c "$1" || exit
}

# run_alarm PIPELINE - the same for a pipeline that must end with status 1; its
# message, which the report repeats, is omitted
run_alarm() {
	printf '\n$ %s\n\n' "$1"
	bash -o pipefail -c "$1" 2>/dev/null
	[ $? -eq 1 ] || exit 2
}

cd "$samples" || exit
print_heading "Where did the time of this distributed build go?  Its log has $(
	wc -l <build.log) events:"
run_pipeline 'head -n 3 build.log'
print_heading 'Filters turn it into records, one JSON object per line ...'
run_pipeline 'execlog-parse build.log | head -n 3'
run_pipeline 'buildgraph-parse graph.json | tail -n 2'
print_heading '... and answer questions about them.  The critical path:'
run_pipeline 'execlog-parse build.log |
    critpath --text -g <(buildgraph-parse graph.json)'
print_heading 'What if the slowest compilation took 5 s, and copies cost nothing?'
run_pipeline 'execlog-parse build.log | critpath -g <(buildgraph-parse graph.json) \
    --set cc-net-tls=5s --drop kind=copy | tail -n 2'
print_heading 'And a report on everything else:'
run_pipeline 'execlog-parse build.log |
    execlog-stat --text -g <(buildgraph-parse graph.json)'

print_heading 'Which operation of a database query costs most, and are the cores busy?'
run_pipeline 'malparse trace.json | malstat --text'
print_heading 'And its critical path, by the same filter as for builds:'
run_pipeline 'malparse --tasks trace.json | critpath --text'

command -v ninja >/dev/null || exit 0
cd "$samples" && cp project/* "$scratch" && cd "$scratch" || exit
print_heading 'The same for a real build by ninja, which runs now:'
run_pipeline 'ninja | tail -n 1; ninja -t graph >graph.dot; ninja -t deps >deps'
run_pipeline 'execlog-parse .ninja_log |
    critpath --text -g <(buildgraph-parse --deps deps graph.dot)'

print_heading 'One step becomes slower.  Which?  Ten builds of each version, in turn:'
run_alarm 'sed s/0.3/0.1/ table.sh >before.sh; cp table.sh after.sh
for run in {1..10}; do for version in before after; do
    cp $version.sh table.sh
    ninja -t clean >/dev/null; rm .ninja_log; ninja >/dev/null
    execlog-parse .ninja_log |
        critpath -g <(buildgraph-parse graph.dot) >>$version
done; done
for version in before after; do profile-make -o $version.perf $version; done
perf-diff --text --top 4 before.perf after.perf'
