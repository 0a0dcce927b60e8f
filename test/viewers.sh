#!/bin/bash
# viewers.sh BUILD - what callgraph-fold writes opens in speedscope
#
# Programs are recorded, named by a release and folded in each form.  A browser
# opens that, and has speedscope export what it has read: the oracle unfolds it
# into the stacks that it makes of the records itself.  The same is done with a
# form that is cut off, to show that the test can fail.  Pictures stay in
# BUILD/viewers.

set -eu -o pipefail
build=$PWD/$1
here=$(cd "$(dirname "$0")" && pwd)
oracle=$here/oracles/callgraph.py
programs=$build/test/programs/instrument
out=$build/viewers
packages='ajv@8.20.0 playwright-core@1.61.1 speedscope@1.25.0'
PATH=$build:$PATH

skip() {
	echo "skipped: $1"
	exit 0
}

chromium --version >/dev/null 2>&1 || skip 'there is no chromium'
CHROMIUM=$(command -v chromium)
export CHROMIUM
npm --version >/dev/null 2>&1 || skip 'there is no npm'
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] ||
	skip "playwright-core wants node 18, and this is $(node --version)"
mkdir -p "$out"
if [ "$(cat "$out/installed" 2>/dev/null)" != "$packages" ]; then
	# shellcheck disable=SC2086 # one word a package
	npm install --prefix "$out" --no-save --no-package-lock --no-audit \
		--no-fund --ignore-scripts $packages >"$out/npm.log" 2>&1 ||
		skip "$(grep -m 1 err "$out/npm.log")"
	echo "$packages" >"$out/installed"
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

# record NAME PROGRAM ARGUMENT... - into the file named, with $options; what
# runs is stripped, so that no name comes but from its release
record() {
	strip -o "$1" "$programs/$2"
	callgraph-release -r releases -d "$programs/$2" "$1"
	callgraph-record $options -o rec "./$1" "${@:3}" >/dev/null
	callgraph-symbolize -r releases rec |
		jq -c 'select(.type == "callgraph")' >named
	[ -s named ]
}

# opens FILE TITLE UNIT MEASURE [0|1] - speedscope has the stacks of `named`
# for MEASURE, those of a recursion as one if told so
opens() {
	node "$here/viewers.mjs" "$out" "$1" "$2" &&
		python3 "$oracle" fold "$4" "${5:-0}" <named >want &&
		[ -s want ] &&
		python3 "$oracle" unfold 0 0 <"$1.opened" | diff want - &&
		jq -r '.profiles[].unit' "$1.opened" | diff <(echo "$3") -
}

# form NAME SUFFIX OPTION... - the path of `named` in that form
form() {
	callgraph-fold "${@:3}" named >"$out/$1.$2"
	echo "$out/$1.$2"
}

options=--time
record threads cases threads
opens "$(form threads folded)" threads.folded none self_ns
opens "$(form threads json -f speedscope)" 'threads: time' \
	nanoseconds self_ns
opens "$(form threads callgrind -f callgrind)" \
	'threads.callgrind -- self_ns' none self_ns

# Speedscope makes stacks up for callgrind, which are right without recursion.
options=
record throw throw
opens "$(form throw folded)" throw.folded none calls
opens "$(form throw json -f speedscope)" 'throw: calls' none calls
opens "$(form throw callgrind -f callgrind -c)" 'throw.callgrind -- calls' \
	none calls 1

head -c -9 "$out/throw.json" >cut.json
node "$here/viewers.mjs" "$out" "$PWD/cut.json" 'throw: calls' \
	>said 2>&1 || true
grep '^cut.json: Unrecognized format' said || {
	echo "a document that is cut off is not refused: $(cat said)"
	exit 1
}
echo "pictures are in ${out#"$OLDPWD/"}"
