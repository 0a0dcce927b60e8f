# weir-make.bats - the makefiles of weir-make(7) do what the page says

# bats file_tags=normal

load helper
load members

setup() {
	enter_test
	cp "$DATA"/demo/{build.log,graph.json,Makefile} . &&
		extract_files "$ROOT/man/weir-make.7"
}

# answer NAME [OPTION...] - makes with NAME.mk
answer() {
	run make -f "$1.mk" "${@:2}"
}

# expect_end FILE - the file must be a complete stream
expect_end() {
	[[ $(tail -n 1 "$1") == '{"type":"end",'* ]]
}

# expect_failure - make must have failed, and path.ndjson must not be there
expect_failure() {
	[ "$status" -eq 2 ] && [ ! -e path.ndjson ] &&
		[ -z "$(find . -name 'path.ndjson*')" ]
}

@test "a rule makes the answer that the pipeline gives, and makes it once" {
	answer answer
	[ "$status" -eq 0 ]
	cmp path.ndjson <(execlog-parse build.log |
		critpath -g <(buildgraph-parse graph.json))
	run -0 make -q -f answer.mk
	answer answer
	assert_output "make: 'path.ndjson' is up to date."
	touch -d '1 minute' build.log
	run -1 make -q -f answer.mk
}

@test "a filter that is killed, missing or cannot read fails the rule" {
	local parse
	mkdir bin
	for parse in 'exec "$REAL" "$@" | head -n 3' 'kill -9 $$' 'exit 127' \
		'"$REAL" "$@" | head -n 1; kill -9 $$' \
		'exec "$REAL" /nonexistent'; do
		lines '#!/bin/sh' "$parse" >bin/execlog-parse
		chmod +x bin/execlog-parse
		PATH=$PWD/bin:$PATH REAL=$BUILD/execlog-parse answer answer
		expect_failure
	done
}

@test "a graph or a log that is truncated upstream fails the rule" {
	make -f answer.mk nodes.ndjson
	head -n -1 nodes.ndjson >short && mv short nodes.ndjson
	answer answer
	expect_failure
	gzip -c build.log | head -c -20 >short && mv short build.log
	for makefile in answer tolerant; do
		rm -f nodes.ndjson
		answer $makefile
		expect_failure
	done
}

@test "an interrupted make leaves no answer" {
	mkfifo pipe
	sed 's/execlog-parse build.log/cat build.log pipe | execlog-parse/' \
		answer.mk >wait.mk
	for signal in TERM KILL; do
		set -m		# make gets a process group of its own.
		make -f wait.mk >out 2>&1 3>&- &
		set +m
		exec 9>pipe
		wait_until compgen -G 'path.ndjson.*'
		kill -$signal -- -$!
		status=0
		wait $! || status=$?
		[ "$status" -gt 1 ]
		exec 9>&-
		[ ! -e path.ndjson ]
	done
	answer answer
	[ "$status" -eq 0 ]
	expect_end path.ndjson
}

@test "a bad line fails the rule, and the answer is removed, unless tolerated" {
	echo 'what is this?' >>build.log
	answer answer
	expect_failure
	[[ $output == *'build.log:'*'critpath: input was rejected by'* ]]
	answer tolerant
	[ "$status" -eq 0 ]
	[[ $output == *'build.log:'*'critpath: input was rejected by'* ]]
	[[ $(tail -n 1 path.ndjson) == *'"rejected":1'* ]]
	assert_equal "$(cat rejected)" 'what is this?'
	run -0 make -q -f tolerant.mk
	# Without .DELETE_ON_ERROR, make takes the answer for up to date.
	sed -i /DELETE/d answer.mk
	touch -d '1 minute' build.log
	answer answer
	[ "$status" -eq 2 ]
	touch -d '2 minutes' path.ndjson
	run -0 make -q -f answer.mk
}

@test "the gate judges an incremental build of ninja" {
	lines 'rule r' '  command = sleep .05; touch $out' 'build a: r' 'build b: r a' \
		'build c: r b' >build.ninja
	ninja >out
	buildgraph-parse -o nodes.ndjson <(ninja -t graph)
	sleep .02
	touch -d '1 hour ago' a
	sed -i 's/sleep .05/sleep .06/' build.ninja
	rm c
	ninja c >>out
	execlog-parse -o tasks .ninja_log
	assert_equal "$(members -w type=build earlier_runs <tasks)" 1
	run -0 critpath --budget 5m --budget wall=5m -g nodes.ndjson tasks
	run -1 critpath --budget 1ms -g nodes.ndjson tasks
}

@test "a log that is empty or of another kind fails even the tolerant rule" {
	: >build.log
	sed -i 's/execlog-parse/false | cat/' tolerant.mk
	answer tolerant
	expect_failure
	extract_files "$ROOT/man/weir-make.7"
	lines 'this is' 'no log' >build.log
	answer tolerant
	expect_failure
}

@test "an archive is processed by parallel jobs, and again only what changed" {
	local log
	mkdir logs
	for log in a b c; do cp build.log logs/$log.log; done
	gzip <build.log >logs/d.log.gz
	gzip <build.log | head -c 100 >logs/e.log.gz
	answer archive -j4 -k
	[ "$status" -eq 2 ]
	for log in a.log b.log c.log d.log.gz; do
		cmp logs/$log.path logs/a.log.path
		expect_end logs/$log.path
	done
	[ ! -e logs/e.log.gz.path ]
	gzip <build.log >logs/e.log.gz
	cp build.log logs/new.log
	answer archive -j4 -k
	[ "$status" -eq 0 ]
	assert_equal "$(grep -c '^execlog-parse' <<<"$output")" 2
	answer archive -j4
	[[ $output == *"Nothing to be done for 'all'"* ]]
}

@test "the gate fails by its budget, not by bad lines, and keeps the answer" {
	echo 'what is this?' >>build.log
	answer gate
	[ "$status" -eq 0 ]
	rm path.ndjson
	answer gate BUDGET=1s
	[ "$status" -eq 2 ]
	[[ $output == *'longer than the budget of 1.00 s'* ]]
	expect_end path.ndjson
}

@test "make is recorded, with its status, and shares the jobs" {
	answer record -j2
	[ "$status" -eq 0 ]
	[[ $output != *jobserver* ]]
	jq -es 'map(.target // empty) | unique == ["all", "make", "words"]' build.ndjson
	expect_end path.ndjson
	rm path.ndjson
	lines 'all: ; @exit 3' >Makefile
	answer record
	[ "$status" -eq 2 ]
	expect_end build.ndjson
	[ ! -e path.ndjson ]
	lines 'all: ; @echo x' >Makefile
	answer record BUDGET=1us
	[ "$status" -eq 2 ]
	[[ $output == *'longer than the budget of 1 us'* ]]
}
