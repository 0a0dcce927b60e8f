load helper
load members
load oracle

# agree logs N (oracle.bash) compares execlog-parse with ORACLE, a second
# implementation, on N random logs.
ORACLE=$TEST/oracles/cargo.py
SAMPLE=$DATA/execlog-parse/sample-cargo.jsonl
SECTIONS=$DATA/demo/cargo.jsonl
REAL=$RECORDED/cargo.jsonl

# log_of EVENT... - writes the file `log`.  An event is "REASON INDEX ELAPSED",
# without ELAPSED "REASON INDEX", followed by further members as JSON; REASON is
# without the prefix unit-.
log_of() {
	local reason index rest
	for event in "$@"; do
		read -r reason index rest <<<"$event"
		[[ $rest != [0-9-]* ]] || rest="\"elapsed\":$rest"
		echo "{\"run_id\":\"${RUN-r}\",\"reason\":\"unit-$reason\",\"index\":$index${rest:+,$rest}}"
	done >log
}

# registered INDEX NAME [DEPS [KIND [MODE]]] - prints an event for log_of
registered() {
	echo "registered $1 \"package_id\":\"path+file:///src/$2#0.1.0\",\"target\":{\"name\":\"$2\",\"kind\":\"${4:-lib}\"},\"mode\":\"${5:-build}\",\"dependencies\":[${3:-}]"
}

# read_log EVENT... - reads a log of these events; there must be no message
read_log() {
	log_of "$@" &&
	run -0 --separate-stderr execlog-parse log &&
	[ -z "$stderr" ]
}

# rejects LINE MESSAGE EVENT... - the line of the log, and no other, must be
# rejected with this message; there may be warnings, and that no task came
rejects() {
	local line=$1 message=$2
	shift 2
	log_of "$@" &&
	run -1 --separate-stderr execlog-parse log &&
	assert_equal "$(grep -v ': warning: \|: no task came' <<<"$stderr")" \
		"execlog-parse: log:$line: $message"
}

# deps ID - prints the dependencies of a task or node
deps() {
	found "select(.id == \"$1\") | .deps | join(\",\")" | tr -d '"'
}

# Tasks

@test "a library is two tasks, up to its metadata and from there on" {
	read_log "$(registered 0 a)" 'started 0 1.5' 'rmeta-finished 0 2.25' \
		'finished 0 4'
	assert_line -n 0 '{"type":"task","id":"0 rmeta","name":"a 0.1.0 rmeta","target":"a","rule":"rmeta","kind":"run","run":"r","start_us":1500000,"end_us":2250000,"elapsed_us":750000}'
	assert_line -n 1 '{"type":"task","id":"0 codegen","name":"a 0.1.0 codegen","target":"a","rule":"codegen","kind":"run","run":"r","start_us":2250000,"end_us":4000000,"elapsed_us":1750000,"deps":["0 rmeta"]}'
	assert_line -n 2 '{"type":"node","id":"0 all","run":"r","rule":"phony","deps":["0 codegen"]}'
	assert_line -n 3 '{"type":"build","run":"r","format":"cargo","start_us":0,"end_us":4000000,"wall_us":4000000}'
	[ "${#lines[@]}" = 4 ]
}

@test "a unit without metadata is one task, whose rule is its kind" {
	read_log "$(registered 0 a '' bin)" "$(registered 1 b)" \
		"$(registered 2 c '' build-script run-custom-build)" \
		'started 0 0' 'finished 0 1' 'started 1 1' 'finished 1 2' \
		'started 2 2' 'finished 2 3'
	assert_equal "$(fields -w id id rule name)" \
		'["0","bin","a 0.1.0 bin"]
["1","lib","b 0.1.0"]
["2","run-custom-build","c 0.1.0 run-custom-build"]'
}

@test "cargo check logs metadata, but the unit stays one task" {
	read_log "$(registered 0 a '' lib check)" "$(registered 1 b 0 lib check)" \
		'started 0 0' 'rmeta-finished 0 1' 'finished 0 2' \
		'started 1 2' 'rmeta-finished 1 3' 'finished 1 4'
	assert_equal "$(fields -w id id name elapsed_us deps)" \
		'["0","a 0.1.0 check",2000000,null]
["1","b 0.1.0 check",2000000,["0"]]'
}

@test "a fresh unit is a task from the cache that took no time" {
	read_log "$(registered 0 a)" "$(registered 1 b 0)" \
		'fingerprint 0 "status":"fresh"' \
		'fingerprint 1 "status":"dirty"' 'started 1 1' 'finished 1 2'
	assert_line -n 0 '{"type":"task","id":"0","name":"a 0.1.0","target":"a","rule":"lib","kind":"run","run":"r","elapsed_us":0,"from_cache":true}'
	assert_equal "$(deps 1)" 0
}

@test "a unit that was neither fresh nor started is not a task" {
	read_log "$(registered 0 a)" "$(registered 1 b)" \
		'fingerprint 0 "status":"new"' 'started 1 0' 'finished 1 1'
	assert_equal "$(fields -w id id)" '"1"'
}

@test "a unit that did not finish has no end, and there is a warning" {
	log_of "$(registered 0 a)" "$(registered 1 b)" 'started 0 1' \
		'started 1 1' 'rmeta-finished 1 2'
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w type=task id start_us end_us elapsed_us \
		failed)" \
		'["0",1000000,null,null,null]
["1 rmeta",1000000,2000000,1000000,null]
["1 codegen",2000000,null,null,null]'
	assert_equal "$stderr" "execlog-parse: warning: 2 units started but did not finish: cargo's log does not say whether they failed or were stopped"
}

@test "times are rounded to microseconds" {
	local seconds us index=0 events=() want=()
	while read -r seconds us; do
		events+=("$(registered $index a '' bin)" "started $index 0" \
			"finished $index $seconds")
		want+=("[$((index++)),$us]")
	done <<-'END'
		0.29 290000
		4.1 4100000
		11.722602374000001 11722602
		0.0000019999 2
		0.000000999 1
		1e-7 0
		1.4e-6 1
		2.5E+1 25000000
		2e0 2000000
		0e999 0
		900719925.740991 900719925740991
	END
	read_log "${events[@]}"
	assert_equal "$(found 'select(.id) | [(.id | tonumber), .elapsed_us]')" \
		"$(lines "${want[@]}")"
}

@test "a time that is negative, too large or not a number is bad input" {
	for seconds in -1 -0.5 9007199254.740993 1e400 1e999999999999999999999; do
		rejects 3 'elapsed is not a number of seconds, or is negative or too large' \
			"$(registered 0 a)" 'started 0 0' "finished 0 $seconds" ||
			return
	done
	rejects 2 'elapsed is missing' "$(registered 0 a)" 'started 0'
}

@test "the sections of a unit become parts_us, divided at its metadata" {
	read_log "$(registered 0 a)" 'started 0 0' \
		'section-started 0 1,"section":"codegen"' 'rmeta-finished 0 3' \
		'section-finished 0 7,"section":"codegen"' \
		'section-started 0 7,"section":"link"' \
		'section-finished 0 7.5,"section":"link"' 'finished 0 8'
	assert_equal "$(fields -w type=task id parts_us)" \
		'["0 rmeta",{"codegen":2000000}]
["0 codegen",{"codegen":4000000,"link":500000}]'
}

@test "names are those of package, version, kind, target and mode" {
	local id kind target mode name package index=0 want=()
	while IFS='|' read -r id kind target mode name package; do
		log_of "registered $index \"package_id\":\"$id\",\"target\":{\"name\":\"$target\",\"kind\":\"$kind\"},\"mode\":\"$mode\"" \
			"started $index 0" "finished $index 1"
		cat log >>all
		want+=("[$((index++)),\"$name\",\"$package\"]")
	done <<-'END'
		path+file:///src/a#0.1.0|lib|a|build|a 0.1.0|a
		path+file:///src/x#b-c@0.2.0|lib|b_c|build|b-c 0.2.0|b-c
		registry+https://github.com/rust-lang/crates.io-index#serde@1.0.1|lib|serde|check|serde 1.0.1 check|serde
		git+https://example.org/u/g?branch=a/b#1.2.3|lib|g|build|g 1.2.3|g
		path+file:///src/a/#0.1.0|bin|tool|build|a 0.1.0 bin tool|a
		path+file:///src/a#0.1.0|test|smoke|test|a 0.1.0 test smoke|a
		path+file:///src/a#0.1.0|lib|a|test|a 0.1.0 test|a
		path+file:///src/a#0.1.0|build-script|build-script-build|build|a 0.1.0 build-script|a
		path+file:///src/a|lib|a|build|a|a
	END
	run -0 --separate-stderr execlog-parse all
	assert_equal "$(found 'select(.type == "task") |
		[(.id | tonumber), .name, .target]')" "$(lines "${want[@]}")"
}

# Dependencies

@test "a library waits for metadata, a program for all ends" {
	read_log "$(registered 0 a)" "$(registered 1 b 0)" \
		"$(registered 2 c 1 bin)" 'started 0 0' 'rmeta-finished 0 1' \
		'started 1 1' 'finished 0 3' 'rmeta-finished 1 4' 'finished 1 5' \
		'started 2 5' 'finished 2 6'
	assert_equal "$(deps '1 rmeta') $(deps 2)" '0 rmeta 1 all'
	assert_equal "$(deps '0 all') | $(deps '1 all')" \
		'0 codegen | 1 codegen,0 all'
}

@test "a procedural macro waits for ends, and a library for its end" {
	read_log "$(registered 0 a)" "$(registered 1 macro 0)" \
		"$(registered 2 b 1,0)" 'started 0 0' 'rmeta-finished 0 1' \
		'finished 0 2' 'started 1 2' 'finished 1 3' 'started 2 3' \
		'rmeta-finished 2 4' 'finished 2 5'
	assert_equal "$(deps 1) | $(deps '2 rmeta')" '0 all | 1,0 rmeta'
}

@test "a program waits for the end of a library that it does not name" {
	run -0 --separate-stderr execlog-parse "$REAL"
	[ -z "$stderr" ]
	# The program names only `report`.
	critpath --json <<<"$output" >path
	assert_equal "$(members -r -w type=critical name <path)" \
		"$(lines 'unit 0.1.0 rmeta' 'table 0.1.0 rmeta' \
			'table 0.1.0 codegen' 'app 0.1.0 bin')"
	assert_equal "$(members -w length_us cut <path)" 0
}

@test "dependencies and phony nodes stay linear in a chain of programs" {
	# 50 libraries in a chain, and 50 programs that need the last one.
	local i events=("$(registered 0 l0)")
	for i in {1..49}; do
		events+=("$(registered "$i" "l$i" $((i - 1)))")
	done
	for i in {50..99}; do
		events+=("$(registered "$i" "p$i" 49 bin)")
	done
	for i in {0..99}; do
		events+=("started $i $i")
		((i > 49)) || events+=("rmeta-finished $i $i.5")
		events+=("finished $i $i.9")
	done
	read_log "${events[@]}"
	assert_equal "$(jq -s 'map(.deps // [] | length) | add' <<<"$output")" \
		$((49 + 50 + 49 + 50 + 50))
}

@test "a dependency on a unit that is not registered is cut and counted" {
	read_log "$(registered 1 b 7)" 'started 1 0' 'finished 1 1'
	assert_equal "$(deps 1)" 7
	critpath --json <<<"$output" >path
	assert_equal "$(members -w length_us cut <path)" 1
}

# Runs

@test "each run of the log has its records and its build" {
	log_of "$(registered 0 a)" 'started 0 0' 'finished 0 1'
	mv log first
	RUN=s log_of "$(registered 0 a)" 'started 0 0' 'finished 0 2'
	run -0 --separate-stderr execlog-parse first log
	assert_equal "$(fields type run end_us)" \
		'["task","r",1000000]
["build","r",1000000]
["task","s",2000000]
["build","s",2000000]'
	critpath --json <<<"$output" >path
	assert_equal "$(members -w length_us run length_us <path)" \
		$'["r",1000000]\n["s",2000000]'
	cat first log >both
	execlog-parse both | cmp - <(execlog-parse first log)
}

@test "a version without unit-registered has tasks, and a warning" {
	local unit='"package_id":"path+file:///src/a#0.1.0","target":{"name":"a","kind":"lib"},"mode":"build"'
	log_of "started 0 0,$unit" 'rmeta-finished 0 1' 'finished 0 2' \
		"started 1 2,${unit//a#/b#}" 'finished 1 3'
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w type=task id name deps)" \
		'["0 rmeta","a 0.1.0 rmeta",null]
["0 codegen","a 0.1.0 codegen",["0 rmeta"]]
["1","b 0.1.0 a",null]'
	assert_equal "$stderr" 'execlog-parse: warning: 1 run has no dependencies, because this version of cargo writes no unit-registered'
}

@test "the second run with the same id is numbered" {
	run -0 --separate-stderr execlog-parse "$SAMPLE" "$SAMPLE"
	[ -z "$stderr" ]
	execlog-parse "$SAMPLE" | records >once
	sed 's/\("run":"[^"]*\)"/\1#2"/' once >twice
	assert_equal "$output" "$(cat once twice)"
}

# Bad input

@test "an event that cannot be is rejected, and the rest is read" {
	local a b
	a=$(registered 0 a)
	rejects 2 'unit 0 is registered twice' "$a" "$a"
	rejects 2 'unit 1 is not registered' "$a" 'started 1 0'
	rejects 2 'unit 0 has not started' "$a" 'finished 0 0'
	rejects 3 'unit 0 starts twice' "$a" 'started 0 0' 'started 0 1' \
		'finished 0 1'
	rejects 4 'unit 0 has already finished' "$a" 'started 0 0' \
		'finished 0 1' 'finished 0 2'
	assert_equal "$(fields -w id elapsed_us)" 1000000
	rejects 3 'elapsed is before the previous event of unit 0' "$a" \
		'started 0 1' 'finished 0 0.5' 'finished 0 2'
	rejects 4 'the metadata of unit 0 is finished twice' "$a" \
		'started 0 0' 'rmeta-finished 0 1' 'rmeta-finished 0 2' \
		'finished 0 3'
	rejects 3 'a section ends before it starts' "$a" 'started 0 0' \
		'section-finished 0 1,"section":"x"' 'finished 0 2'
	rejects 3 'section is missing' "$a" 'started 0 0' \
		'section-started 0 1' 'finished 0 2'
	rejects 4 'a section starts twice' "$a" 'started 0 0' \
		'section-started 0 1,"section":"x"' \
		'section-started 0 1,"section":"x"' 'finished 0 2'
}

@test "a member of the wrong type is bad input" {
	for index in -1 1.5 '"0"' 9007199254740992 null; do
		rejects 1 'index is not the number of a unit' \
			"registered $index" || return
	done
	for deps in '[-1]' '[1.5]' '["1"]' '[9007199254740992]' '{}' '[1,[2]]'; do
		rejects 1 'dependencies is not an array of the numbers of units' \
			"registered 0 \"dependencies\":$deps" || return
	done
	rejects 1 'target is not an object' 'registered 0 "target":"a"'
	rejects 1 'target.kind is not a string' 'registered 0 "target":{"kind":["lib"]}'
	rejects 1 'package_id is not a string' 'registered 0 "package_id":1'
	rejects 1 'mode is not a string' 'registered 0 "mode":1'
	lines '{"run_id":1,"reason":"x"}' '{"run_id":"r"}' >log
	run -1 --separate-stderr execlog-parse log
	assert_equal "$stderr" 'execlog-parse: log:1: run_id is not a string
execlog-parse: log:2: reason is missing or not a string
execlog-parse: no task came: is this the execution log of a build?'
}

@test "unknown events and keys are skipped silently" {
	read_log "$(registered 0 a),\"new\":{\"x\":[null]}" 'of-the-future 0' \
		'of-the-future 1 0.5' 'started 0 0' 'finished 0 1'
	assert_equal "$(fields type)" $'"task"\n"build"'
}

# A last line without its newline is read if it is complete.
# truncated_at_every N - truncates the sample at every N-th byte, and expects that
# its whole lines are read
truncated_at_every() {
	local step=$(stride "$1")
	python3 - "$SAMPLE" $(($(seed) % step)) $step <<-'END'
		import json, subprocess, sys
		log = open(sys.argv[1], "rb").read()
		for n in range(int(sys.argv[2]), len(log), int(sys.argv[3])):
		    whole, _, rest = log[:n].rpartition(b"\n")
		    try:
		        want = 0 if not rest or json.loads(rest) else 1
		    except ValueError:
		        want = 1
		    p = subprocess.run(["execlog-parse", "-f", "cargo"],
		                       input=log[:n], capture_output=True)
		    line = whole.count(b"\n") + (2 if whole else 1)
		    fault = b"execlog-parse: <stdin>:%d: " % line
		    assert p.returncode == want, (n, p)
		    assert (fault in p.stderr) == bool(want), (n, p)
	END
}

@test "a truncated log gives its whole lines, and status 0 or 1" {
	truncated_at_every 151
}

# bats test_tags=exhaustive
@test "a log truncated at any byte gives its whole lines, and status 0 or 1" {
	truncated_at_every 19
}

@test "empty, foreign and random input does not crash" {
	: >empty
	run -0 --separate-stderr execlog-parse -f cargo empty
	assert_output ''
	for foreign in sample.log sample-local.json sample-ninja.log; do
		run -1 --separate-stderr execlog-parse -f cargo \
			"$DATA/execlog-parse/$foreign"
		assert_output ''
	done
	python3 - "$(seed)" "$SAMPLE" <<-'END'
		import random, subprocess, sys
		rng = random.Random(sys.argv[1])
		sample = open(sys.argv[2], "rb").read()
		for i in range(40):
		    text = bytearray(rng.randbytes(500) if i % 5 == 0 else sample)
		    for _ in range(rng.randint(0, 20)):
		        text[rng.randrange(len(text))] = rng.choice(b'0129-e".,:{}[]ua\0\xff\n')
		    run = subprocess.run(["execlog-parse", "-f", "cargo"], input=text,
		                         capture_output=True)
		    assert run.returncode in (0, 1), (run, bytes(text))
	END
}

@test "the log is recognized by its first key, and compressed logs are read" {
	execlog-parse "$SAMPLE" >want
	execlog-parse -f cargo "$SAMPLE" | cmp - want
	gzip -c "$SAMPLE" | execlog-parse | cmp - want
	grep -q '"format":"cargo"' want
}

# The second implementation

@test "random logs give the records and paths of the oracle" {
	agree logs 20
}

@test "real logs agree with the oracle and with their unblocked lists" {
	for log in "$SAMPLE" "$SECTIONS" "$REAL"; do
		python3 "$ORACLE" file "$log"
	done
}
