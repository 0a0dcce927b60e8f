# help.bats - the examples that --help of each filter shows run as printed

# bats file_tags=normal

load helper
find_filters

# write_inputs - writes into this directory what the examples read: inputs of each
# kind, a program with the instrument, and a repository with a store, in which each
# of fifteen commits has a profile
write_inputs() {
	cp "$DATA"/demo/* . 2>/dev/null
	execlog-parse build.log >tasks && buildgraph-parse graph.json >nodes &&
		critpath -g nodes tasks >path &&
		lines 'all: ; @true' >Makefile &&
		lines 'int main(void) { return 0; }' >app.c &&
		gcc -g -finstrument-functions -o app app.c -L"$BUILD" \
			-l:libweir-instrument.a && strip -o app.stripped app &&
		callgraph-release -r releases app &&
		malparse trace.json | malload traces.db &&
		callgraph-record -o calls ./app && cp calls calls-1 &&
		git init -q && git config user.name Jo &&
		git config user.email jo@example.org && pidx-init &&
		lines 'cmds: [./sort]' 'collectors: [{name: time}]' \
			'workloads: [big]' >>.perun/local.yml &&
		printf '{"uid":"sort","value":%d,"unit":"ms"}\n' 1{0..9} \
			>samples &&
		profile-make -b ./sort samples >sort.perf &&
		profile-make -b ./sort -w small samples >small.perf || return
	for n in {1..15}; do
		git commit -q --allow-empty -m "$n" &&
			pidx-write sort.perf small.perf || return
	done
	git tag -a -m first v1.0 HEAD~9
}

@test "both examples run, and name the filter" {
	mkdir inputs && cd inputs
	write_inputs >../log 2>&1 || { cat ../log; false; }
	for f in "${FILTERS[@]}"; do
		rm -rf ../work && cp -R . ../work && cd ../work
		"$f" --help | sed -n '/^Examples:$/,/^$/s/^  //p' >examples
		[ "$(grep -cw -e "$f" examples)" -eq 2 ]
		while IFS= read -r example; do
			# The clock of files ticks each 4 or 10 ms.
			touch stamp && sleep .02
			bash -o pipefail -c "$example" </dev/null 2>err >out ||
				{ echo "status $?: $example"; cat err; false; }
			[ -s out ] || find . -newer stamp -not -name err -not -name out \
				-type f | grep -q . ||
				{ echo "writes nothing: $example"; false; }
		done <examples
		cd ../inputs
	done
}
