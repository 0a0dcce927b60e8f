# losses.bats - whatever is lost in a pipeline, the last filter knows it

# bats file_tags=normal

load helper
load members

setup() {
	enter_test
}

# commit_first DIR - makes a repository with a commit and a store
commit_first() {
	git init -q --template= "$1" && (cd "$1" &&
		git -c user.name=jo -c user.email=jo@x commit -q --allow-empty \
		-m first) && pidx-init "$1" >out
}

# losses MODE... - runs losses.py on the inputs, in a repository with two stores
losses() {
	mkdir before state
	(cd before && commit_first . && commit_first other &&
		cp "$DATA"/demo/{build.log,local.json,mal-2018.json} \
		"$DATA/demo/callgraph.ndjson" . &&
		buildgraph-parse -o nodes "$DATA/demo/graph.json" &&
		echo '{"uid":"a","value":1}' | profile-make -b x |
		pidx-write >out && malparse mal-2018.json |
		head -n 2 | malload --partial db >out && rm out) && cd state &&
		run -0 python3 "$TEST/oracles/losses.py" "$@" && lines "$output"
}

@test "whatever is lost before a filter, its status is not 0, and nothing is kept" {
	losses each "$(seed)"
}

@test "whatever is lost in a random pipeline, the last status is not 0" {
	losses random "$(seed)" 60
}

# bats test_tags=exhaustive
@test "whatever is lost in 400 random pipelines, the last status is not 0" {
	losses random "$(seed)" 400
}

@test "each word of what is missing opens the budgets that it is said to open" {
	run -0 python3 "$TEST/oracles/losses.py" gates
}

# --- Streams -------------------------------------------------------------------

@test "a begin within a bad line counts: the stream before it was truncated" {
	execlog-parse "$DATA/demo/build.log" >tasks
	head -c 9000 tasks >cut
	for option in '' --tolerate; do
		run -2 --separate-stderr critpath $option < <(cat cut tasks)
		[[ $stderr == *"truncated: the end record of execlog-parse is missing"* ]]
	done
	# However long the line is
	run -2 --separate-stderr critpath --max-record 100 < <(cat cut tasks)
	[[ $stderr == *"the end record of execlog-parse is missing"* ]]
}

@test "begin and end records are counted for each filter" {
	execlog-parse "$DATA/demo/build.log" >tasks
	buildgraph-parse "$DATA/demo/graph.json" >nodes
	run -2 --separate-stderr critpath < <(tail -n +2 tasks; head -n 8 nodes)
	[[ $stderr == *"the end record of buildgraph-parse is missing"* ]]
	[[ $stderr == *"the begin record of execlog-parse is missing"* ]]
	run -2 --separate-stderr critpath < <(tail -n +2 tasks)
	run -0 --separate-stderr critpath --partial < <(tail -n +2 tasks)
	[[ $output == *'"lacks":["head"'* ]]
	# Of more filters than are told apart, too
	for i in {1..40}; do
		lines '{"type":"begin","by":"f'$i'"}' '{"type":"end","by":"f'$i'"}'
	done >many
	run -0 --separate-stderr critpath < <(cat many tasks)
	run -2 --separate-stderr critpath < <(sed \$d many; cat tasks)
}

@test "a filter that cannot start leaves a begin record in a pipe, not in a file" {
	for filter in execlog-parse critpath malparse 'profile-make -b x'; do
		for fault in --nosuch --max-record=x nosuch '--strict --tolerate'; do
			$filter $fault 2>err | cat >out || true
			assert_equal "$(cut -d, -f1,2 out)" \
				'{"type":"begin","by":"'"${filter% -b x}"'"'
		done
		$filter --nosuch >out 2>err || true
		[ ! -s out ]
		$filter --nosuch -o file 2>err | cat >out || true
	done
	# A picture and a report have none.
	timeline nosuch 2>err | cat >out
	critpath --text nosuch 2>err | cat >>out
	[ ! -s out ]
}

@test "an empty operand is reported by itself" {
	execlog-parse "$DATA/demo/build.log" >tasks
	malparse "$DATA/demo/mal-2023.json" >rows
	cp "$DATA/demo/callgraph.ndjson" .
	: >empty
	for command in 'callgraph-merge callgraph.ndjson' 'trace-export tasks' \
		'execlog-stat tasks' 'malstat rows' 'malload db rows' \
		'profile-make tasks'; do
		run -1 --separate-stderr $command empty
		[[ $stderr == *": nothing came: 'empty' is empty"* ]]
		[[ $command == malload* ]] || {
			run -1 $command empty -o got
			[ ! -e got ]
		}
	done
}

# --- Profiles and comparisons ---------------------------------------------------

@test "a profile says what it was made of, and pidx-write reads it" {
	commit_first .
	gzip -c "$DATA/demo/local.json" | head -c 400 >cut.gz
	execlog-parse cut.gz 2>err | profile-make >cut.perf 2>err || [ $? -eq 1 ]
	assert_equal "$(jq -c .lacks cut.perf)" '["tail","rejected"]'
	run -2 --separate-stderr pidx-write cut.perf
	[[ $stderr == *"a profile is not complete (see --partial): the end of the input is missing"* ]]
	run -0 pidx-read HEAD
	assert_output ""
	# Of one that is whole, too, nothing is kept.
	echo '{"uid":"a","value":1}' | profile-make -b x >whole.perf
	assert_equal "$(jq -c 'has("lacks")' whole.perf)" false
	run -2 pidx-write whole.perf cut.perf
	run -0 pidx-read HEAD
	assert_output ""
	run -1 pidx-write --partial cut.perf
	run -0 pidx-read HEAD
	[[ $output == *'"path":"cut.perf"'* ]]
	# What it lacks stays with it.
	pidx-read --profiles HEAD >kept
	assert_equal "$(jq -c 'select(.profile).profile.lacks' kept)" \
		'["tail","rejected"]'
	assert_equal "$(profile-make kept | jq -c .lacks)" '["tail","rejected"]'
	run -2 pidx-write kept
	# Lines that were rejected are only reported.
	(echo '{"uid":"a","value":1}' && echo bad) | profile-make -b x >bad.perf 2>err || [ $? -eq 1 ]
	run -1 --separate-stderr pidx-write bad.perf
	[[ $stderr == *"input of a profile was rejected"* ]]
	run -0 pidx-write --tolerate bad.perf
}

@test "a side that is not complete is not compared" {
	cp "$DATA/demo/callgraph.ndjson" "$DATA/demo/mal-2018.json" .
	callgraph-merge callgraph.ndjson >graphs
	malparse mal-2018.json >rows
	for i in 1 2 3; do echo '{"uid":"a","value":'$i'}'; done |
		profile-make -b x >whole.perf
	for file in graphs rows; do
		sed '$s/}$/,"lacks":["tail"]}/' $file >$file.cut
	done
	sed 's/}$/,"lacks":["tail"]}/' whole.perf >cut.perf
	for sides in 'graphs graphs.cut' 'graphs.cut graphs'; do
		run -2 callgraph-stat --diff $sides
		run -0 callgraph-stat --partial --diff $sides
	done
	for sides in 'rows rows.cut' 'rows.cut rows'; do
		run -2 malstat --diff $sides
		run -0 malstat --partial --diff $sides
	done
	for sides in 'whole.perf cut.perf' 'cut.perf whole.perf'; do
		run -2 --separate-stderr perf-diff $sides
		[[ $stderr == *"a profile that is not complete is left out (see --partial)"* ]]
		run --separate-stderr perf-diff --partial $sides
		[[ $stderr != *"left out"* ]]
	done
}

@test "records of another type are named, and what names a commit is read" {
	commit_first .
	echo '{"uid":"a","value":1}' | profile-make -b x | pidx-write >out
	for command in vcs-heads 'vcs-resolve HEAD' vcs-log; do
		run -0 bash -c "$command | pidx-read -"
		[[ $output == *'"type":"entry"'* ]]
	done
	run -1 bash -c "vcs-resolve -t tree 'HEAD^{tree}' | pidx-read -"
	[[ $output == *"it names a tree, not a commit"* ]]
	for command in pidx-rm 'pidx-read -'; do
		run -1 --separate-stderr $command < <(execlog-parse "$DATA/demo/build.log")
		[[ $stderr == *" came: line 2 of '<stdin>' is a record of type task, which critpath reads"* ]]
	done
	run -0 bash -c 'vcs-log | pidx-read --profiles - | pidx-rm'
	[[ $output == *'"removed":true'* ]]
	run -0 pidx-read HEAD
	assert_output ""
	# Rows and answers can be joined.
	malparse "$DATA/demo/mal-2018.json" >rows
	malstat rows >answer
	run -0 malload db rows answer
}

# --- Builds --------------------------------------------------------------------

# first_sentence FILE... - sets $sentence to the first sentence of critpath
first_sentence() {
	sentence=$(critpath --text "$@" 2>err | head -n 1)
}

# ninja_log LINE... - writes the log `log`; a LINE is "START END MTIME OUTPUT"
ninja_log() {
	lines '# ninja log v5' "${@//,/$'\t'}" | sed '2,$s/$/\tabc/' >log
	execlog-parse log >tasks 2>warnings
}

@test "a command of ninja's graph that is not in the log may have failed" {
	# ninja -k 0 -j1: x failed after 2 s, from 530 to 2530.
	ninja_log 7,223,1795908943032401944,a 223,528,1795908943336401953,b \
		2537,2764,1795908945571550359,c 2764,2869,1795908945680402024,d
	for pair in x:a a: c:b b:a d:; do
		deps=${pair#*:}
		lines '{"type":"node","id":"'"${pair%:*}"'","rule":"r","deps":['"${deps:+\"$deps\"}"']}'
	done >nodes
	first_sentence -g nodes tasks
	[[ $sentence == "The path is at least 748 ms; "*"x of the graph is not in the log"* ]]
	[[ $sentence == *"; for 2.01 s, in which what failed may have run, no task did." ]]
	[[ $sentence != *idle* && $sentence != *"no task ran"* ]]
	run -2 critpath -g nodes --budget 1s tasks
	run -2 critpath -g nodes --budget wall=3s tasks
	run -1 critpath -g nodes --budget wall=1s tasks
	assert_equal "$(critpath -g nodes tasks | members -w type=critpath lacks)" \
		'["failed"]'
	# What `all` does not need was not to be made.
	lines '{"type":"node","id":"all","rule":"phony","deps":["c","d"]}' >>nodes
	run -0 critpath -g nodes --budget wall=3s tasks
	# A run after others is incremental.
	ninja_log 0,500,1795900000000000000,x 7,223,1795908943032401944,a \
		0,100,1795919943032401944,b
	run -0 critpath -g nodes --budget wall=3s tasks
}

@test "a task that did not end counts until the end of the log" {
	lines '{"type":"task","id":"a","start_us":12000,"end_us":329000,"deps":[]}' \
		'{"type":"task","id":"b","start_us":330000,"deps":["a"]}' \
		'{"type":"build","start_us":0,"end_us":2030000}' >in
	first_sentence in
	assert_equal "$sentence" "Limited by its path: at least 2.02 of 2.03 s; \
2.02 s of work on 1 worker takes at least 2.02 s; b, which started 1.70 s \
before the end of the log, did not end."
	run -1 critpath --budget 1s in
	run -2 critpath --budget 3s in
	run -2 critpath --budget wall=3s in
	# Unless a task that depends on it has started
	lines '{"type":"task","id":"c","start_us":1330000,"end_us":1430000,"deps":["b"]}' >>in
	assert_equal "$(critpath in | members -w type=critpath length_us)" 1417000
	# Nor is an attempt missing that another one made up for
	lines '{"type":"task","id":"a","host":"h1","start_us":1}' \
		'{"type":"task","id":"a","host":"h2","start_us":5,"end_us":9}' >in
	run -0 critpath --budget 4us in
	[[ $output != *'"lacks"'* ]]
}

@test "without a graph the wall time limits the path" {
	ninja_log 7,223,1795908943032401944,a 223,528,1795908943336401953,b \
		537,2764,1795908945571550359,c
	run -2 --separate-stderr critpath --budget 2500ms tasks
	[[ $stderr == *"the path takes at least 2.23 s and at most 2.76 s, perhaps longer than the budget of 2.50 s, because there is no graph"*"(--budget wall=TIME can be judged)"* ]]
	run -1 critpath --budget 2s tasks
	run -0 critpath --budget 3s --budget wall=3s tasks
	lines '{"type":"node","id":"z","rule":"r"}' >other
	run -2 critpath --budget 2500ms -g other tasks
	# Of several runs, one that is exceeded for certain decides.
	execlog-parse --each log "$DATA/demo/ninja_log" >two 2>err
	run -1 critpath --budget 2s two
	run -2 critpath --budget 2500ms -o got two
	assert_equal "$(members -w type=critpath length_us <got | wc -l)" 2
}

@test "a log without times, or whose runs are a guess, keeps no budget" {
	ninja_log 0,0,1795908674200000000,a.o 0,0,1795908674500000000,b.o \
		0,0,1795908674600000000,lib.a
	assert_equal "$(members -w type=build lacks <tasks)" '["times"]'
	assert_equal "$(members -w type=task start_us <tasks | sort -u)" null
	first_sentence tasks
	[[ $sentence == *"the log has no times"* ]]
	run -2 critpath --budget 1ms --budget wall=1ms tasks
	# Two commands began at once, and one made x by cp -p: perhaps x is of an
	# earlier run.  The longer reading counts, but keeps no budget.
	ninja_log 13,38,1577836800000000000,x 14,1364,1795909284784412280,y \
		1364,1602,1795909285009088476,z
	assert_equal "$(members -w type=build lacks <tasks)" '["runs"]'
	assert_equal "$(members -w type=build start_us <tasks)" 13000
	run -2 critpath --budget wall=2s tasks
	# y began when x ended.
	ninja_log 13,1038,1577836800000000000,x 1039,1364,1795909284784412280,y \
		1364,1602,1795909285009088476,z
	assert_equal "$(members -w type=build lacks <tasks)" null
	run -1 critpath --budget wall=1s tasks
	run -0 critpath --budget wall=2s tasks
	# What was made again, or ended before, is of another run for certain.
	ninja_log 13,1038,1577836800000000000,x 1039,1364,1795909284784412280,x
	assert_equal "$(members -w type=build lacks <tasks)" null
	ninja_log 13,1038,1577836800000000000,x 39,364,1795909284784412280,y
	assert_equal "$(members -w type=build lacks <tasks)" null
}

@test "a truncated night is marked in its row, and only there" {
	cp "$DATA/demo/build.log" whole
	(head -n 60 whole && printf '1790000020 fin') >cut
	gzip -c whole | head -c 900 >night.gz
	execlog-parse --each whole cut night.gz >tasks 2>err || [ $? -eq 1 ]
	buildgraph-parse -o nodes "$DATA/demo/graph.json"
	run -1 --separate-stderr critpath -g nodes --summary tasks
	assert_equal "$(fields lacks)" "$(lines null '["tail","rejected","unfinished"]' \
		'["tail","rejected","unfinished"]')"
	run -1 --separate-stderr critpath -g nodes --summary --text tasks
	[ "$(grep -c 'not known: lacks tail, rejected, unfinished' <<<"$output")" -eq 2 ]
}
