#!/bin/bash
# demo.sh BUILD - answers three questions about recorded inputs, and draws a
# picture, in the folder BUILD/demo; BUILD contains the filters
#
# build.log, graph.json and trace.json are made up.  history.ndjson is what
# `vcs-log | pidx-read --profiles` printed of 20 commits of project/ that
# keep-builds.sh of weir-history(7) had built.

set -u -o pipefail
mkdir -p "$1/demo" && cp "$(dirname "$0")"/data/demo/{build.log,graph.json} \
	"$(dirname "$0")"/data/demo/{trace.json,history.ndjson} "$1/demo" || exit
build=$(realpath "$1")
PATH=$build:$PATH
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

bold='' normal=''
[ ! -t 1 ] || [ -n "${NO_COLOR:-}" ] || bold=$'\033[1m' normal=$'\033[0m'
export COLUMNS=80

# run_step NAME STATUS PIPELINE - prints a pipeline as a user types it, and runs
# it: its output is in $output.  It must exit with STATUS.
run_step() {
	local status=0
	printf '\n%s%s%s\n\n    $ %s\n\n' "$bold" "$1" "$normal" \
		"${3//$'\n'/$'\n'    }"
	output=$(bash -o pipefail -c "$3" 2>"$errors") || status=$?
	[ "$status" -eq "$2" ] && return
	cat "$errors"
	printf '%s\n' "The step \"$1\" failed.  To run it again:" \
		"cd $(printf %q "$PWD")" "PATH=$(printf %q "$build"):\$PATH" "$3"
	exit 1
} >&3

# ask QUESTION STATUS PIPELINE LINES ANSWER - runs a pipeline, and prints the
# first LINES lines of its output and a sentence on what to read in them
ask() {
	run_step "$1" "$2" "$3"
	# Some reports begin with an empty line.
	sed '1{/^$/d}' <<<"$output" | sed "$4q"
	printf '\n%s\n' "$5"
}

exec 3>&1
cd "$build/demo" || exit

ask '1. Why does this build take 52 seconds?' 0 \
'execlog-parse build.log |
  critpath --text -g <(buildgraph-parse graph.json)' 12 \
'Each step of the path waited for the one before, so no number of workers makes
this build faster.  Compiling tls.o is worth the most: nothing ran beside it for
8.61 s.'

ask '2. What costs most in this database query?' 0 \
'malparse trace.json | malstat --text' 20 \
'One selection is a third of the work.  Of three threads only 1.1 worked at once,
on average.'

ask '3. Which commit made the build slower?' 1 \
'perf-diff --history --text --top 3 history.ndjson' 19 \
'Commit 88aaf69c2d did, by its step table.h: a build took 581 ms before, and
1.041 s since.  The profiles are kept beside the commits, by pidx-write.'

run_step 'The picture of the build, with its path' 0 \
'(execlog-parse build.log; buildgraph-parse graph.json) >records
critpath records | timeline -p - records >build.svg'
echo "$1/demo/build.svg shows it, in any browser.  The inputs are beside it."
