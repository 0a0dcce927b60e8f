load helper
load members
load oracle

ORACLE=$TEST/oracles/dbt.py
RESULTS=$DATA/execlog-parse/sample-dbt.json
MANIFEST=$DATA/buildgraph-parse/sample-dbt.json

# results RESULT... - writes a document of these results to the file log
results() {
	local IFS=,
	printf '{"metadata":{"dbt_schema_version":"%s","invocation_id":"r"},' \
		"${SCHEMA:-https://schemas.getdbt.com/dbt/run-results/v6.json}"
	printf '"results":[%s],"elapsed_time":1}\n' "$*"
}

# timed UNIQUE-ID START END [STATUS] - prints a result with one phase, whose
# times are seconds
timed() {
	local day=1970-01-01T00:00:
	printf '{"status":"%s","timing":[{"name":"execute",' "${4-success}"
	printf '"started_at":"%s%s","completed_at":"%s%s"}],' $day "$2" $day "$3"
	printf '"thread_id":"t","unique_id":"%s"}' "$1"
}

@test "a result becomes a task" {
	results "$(timed model.p.a 01.5Z 03.25Z)" >log
	run -0 --separate-stderr execlog-parse log
	assert_line -n 0 '{"type":"task","id":"model.p.a","name":"a","target":"model.p.a","rule":"model","kind":"run","run":"r","start_us":1500000,"end_us":3250000,"elapsed_us":1750000,"host":"t","status":"success","parts_us":{"execute":1750000}}'
	assert_line -n 1 '{"type":"build","run":"r","format":"dbt","start_us":1500000,"end_us":3250000,"wall_us":1750000}'
	[ "${#lines[@]}" = 2 ]
	[ -z "$stderr" ]
}

@test "zones of times are read, and no zone is UTC" {
	local zone
	for zone in Z +00:00 '' z; do
		results "$(timed model.p.a 01.000001$zone 03$zone)" >log
		run -0 --separate-stderr execlog-parse log
		assert_equal "$(fields -w id start_us)" 1000001
	done
	results "$(timed model.p.a 01-01:00 03-01:00)" >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id start_us)" 3601000000
}

@test "a skipped node has a task without times" {
	results '{"status":"skipped","timing":[],"unique_id":"model.p.a",
		"execution_time":0}' >log
	run -0 --separate-stderr execlog-parse log
	assert_output '{"type":"task","id":"model.p.a","name":"a","target":"model.p.a","rule":"model","kind":"run","run":"r","status":"skipped","skipped":true}
{"type":"build","run":"r","format":"dbt"}'
}

@test "a model that failed has its execution time, if it has no phases" {
	results '{"status":"error","timing":[],"unique_id":"model.p.a",
		"execution_time":3.0}' '{"status":"skipped","timing":[],
		"unique_id":"model.p.b","execution_time":0.0}' \
		"$(timed model.p.c 01Z 02Z)" >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id id elapsed_us failed)" \
		'["model.p.a",3000000,true]
["model.p.b",null,null]
["model.p.c",1000000,null]'
	execlog-parse log >tasks
	run -0 --separate-stderr execlog-stat tasks
	assert_equal "$(fields -w stat=cache executed skipped efficiency)" \
		'[2,1,null]'
}

@test "a name is the id without type, project and the hash of a test" {
	local id name
	while read -r id name; do
		results "$(timed "$id" 01Z 02Z)" >log
		run -0 --separate-stderr execlog-parse log
		assert_equal "$(fields -w id name)" "\"$name\""
	done <<-'END'
		test.p.unique_a.0123456789 unique_a
		test.p.a.012345678 a.012345678
		test.p.a.012345678A a.012345678A
		test.p.0123456789 0123456789
		model.p.a.0123456789 a.0123456789
		model.p.a.v2 a.v2
		unit_test.p.a.adds a.adds
		model.p model.p
		model model
		a..b b
	END
}

@test "a task has failed if its status says so" {
	local failed status_word
	while read -r failed status_word; do
		results "$(timed model.p.a 01Z 02Z "$status_word")" >log
		run -0 --separate-stderr execlog-parse log
		assert_equal "$(fields -w id failed status)" \
			"[$failed,\"$status_word\"]"
	done <<-'END'
		null success
		true error
		null skipped
		null pass
		true fail
		null warn
		null no-op
		true partial success
		true runtime error
	END
}

@test "bad results are rejected, and the rest is read" {
	local bad
	while IFS= read -r bad; do
		results "$bad" "$(timed model.p.z 01Z 02Z)" >log
		run -1 --separate-stderr execlog-parse log
		[[ $stderr == "execlog-parse: log:1: "* ]]
		assert_equal "$(fields -w id id)" '"model.p.z"'
	done <<-'END'
		7
		{}
		{"unique_id":""}
		{"unique_id":5}
		{"unique_id":"a.b.c","timing":5}
		{"unique_id":"a.b.c","timing":[5]}
		{"unique_id":"a.b.c","timing":[{"name":"x","started_at":"noon"}]}
		{"unique_id":"a.b.c","timing":[{"name":"x","completed_at":5}]}
		{"unique_id":"a.b.c","timing":[{"started_at":"1970-02-30T00:00:00Z"}]}
	END
}

@test "a manifest is refused, and run_results.json is not a graph" {
	run -1 --separate-stderr execlog-parse "$MANIFEST"
	[[ $stderr == *"is a manifest of dbt, which buildgraph-parse reads" ]]
	run -1 --separate-stderr buildgraph-parse "$RESULTS"
	[[ $stderr == *"run_results.json of dbt, which execlog-parse reads" ]]
}

@test "an unknown version of the schema is read with a warning" {
	local schema
	for schema in run-results/v7 run-results/v0 run-results/vx sources/v4; do
		SCHEMA=https://schemas.getdbt.com/dbt/$schema.json \
			results "$(timed model.p.a 01Z 02Z)" >log
		run -0 --separate-stderr execlog-parse log
		assert_regex "$stderr" "^execlog-parse: warning: log: the log \
is of dbt with schema .*; this program knows versions 1 to [36]\$"
		assert_equal "$(fields -w id id)" '"model.p.a"'
	done
}

@test "a file of many documents gets one warning of its schema" {
	local SCHEMA=https://schemas.getdbt.com/dbt/run-results/v7.json i
	for i in {1..12}; do
		results "$(timed model.p.a 01Z 02Z)" || return
	done >log
	cp log other
	run -0 --separate-stderr execlog-parse log other
	assert_equal "$(grep -c 'schema 7' <<<"$stderr")" 2
	assert_equal "$(cut -d: -f3 <<<"$stderr")" $' log\n other'
}

@test "several documents are several runs" {
	{ results "$(timed model.p.a 01Z 02Z)" &&
		results "$(timed model.p.a 03Z 05Z)" | sed s/'"r"'/'"s"'/; } >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w type=build run start_us wall_us)" \
		$'["r",1000000,1000000]\n["s",3000000,2000000]'
}

# truncated_at_every N - truncates documents at every N-th byte, and expects whole
# records and status 1
truncated_at_every() {
	python3 - "$RESULTS" "$MANIFEST" "$(stride "$1")" <<-'END'
		import json, subprocess, sys
		for filter, path in zip(("execlog-parse", "buildgraph-parse"),
		                        sys.argv[1:]):
		    text = open(path, "rb").read().rstrip()
		    for n in range(1, len(text), int(sys.argv[3])):
		        p = subprocess.run([filter, "-f", "dbt"],
		                           input=text[:n], capture_output=True)
		        assert p.returncode == 1, (n, p)
		        for line in p.stdout.splitlines():
		            json.loads(line)
	END
}

@test "a truncated document gives whole records and status 1" {
	truncated_at_every 61
}

# bats test_tags=exhaustive
@test "a document truncated at any byte gives whole records and status 1" {
	truncated_at_every 7
}

@test "random bytes are bad input" {
	write_noise 20 300
	for i in {1..20}; do
		{ printf '{"metadata":{"dbt_schema_version":' &&
			cat noise$i; } >log
		for filter in execlog-parse buildgraph-parse; do
			status=0
			$filter log >out 2>&1 || status=$?
			[ "$status" -eq 1 ]
		done
	done
}

@test "what dbt never runs is a phony node" {
	run -0 --separate-stderr buildgraph-parse "$MANIFEST"
	assert_line '{"type":"node","id":"exposure.shop.dashboard","run":"1f0e7c52-9f7a-4c3e-8a41-7a2d7d0b3c11","deps":["model.shop.orders"],"rule":"phony"}'
	assert_equal "$(found '.id + " " + .rule' | sort -u | grep -v phony)" \
		"$(jq -c '.parent_map | keys[] | . + " " + split(".")[0]' \
		"$MANIFEST" | sort | grep -v 'exposure"$\|source"$')"
}

@test "parents that are not strings are bad input" {
	local bad
	for bad in '["a",5]' '{}' '"a"' '[a]'; do
		printf '{"metadata":{"dbt_schema_version":"x"},"parent_map":
			{"model.p.a":%s,"model.p.b":[]}}\n' "$bad" >graph
		run -1 --separate-stderr buildgraph-parse graph
		[[ $stderr == "buildgraph-parse: graph:2: "* ]]
		assert_equal "$(fields id)" '"model.p.b"'
	done
}

@test "a member of the manifest may be larger than --max-record" {
	python3 - >graph <<-'END'
		import json
		print(json.dumps({"metadata": {"dbt_schema_version": "x"},
		    "nodes": {"n%d" % i: {"raw_code": "x" * 100}
		              for i in range(100)},
		    "parent_map": {"model.p.a": []}}))
	END
	run -0 --separate-stderr buildgraph-parse --max-record 1000 graph
	assert_output '{"type":"node","id":"model.p.a","deps":[],"rule":"model"}'
}

# project PARENT-MAP WHICH RESULT... - writes a manifest to graph, and results of
# this command to log
project() {
	printf '{"metadata":{"dbt_schema_version":"x","invocation_id":"r"},
		"parent_map":%s}' "$1" >graph
	results "${@:3}" | jq -c ".args.which = \"$2\"" >log
}

# path [OPTION...] - prints the ids of the path of ./log and ./graph
path() {
	execlog-parse log |
		critpath -g <(buildgraph-parse graph) "$@" |
		jq -r 'select(.type == "critical").id' | xargs
}

@test "under dbt build a model waits for the tests of its parents" {
	local graph='{"model.p.a":[],"test.p.t":["model.p.a"],
		"model.p.b":["model.p.a"],"model.p.c":["model.p.b"]}'
	local all=("$(timed model.p.a 00Z 03Z)" "$(timed test.p.t 03Z 06Z)" \
		"$(timed model.p.b 06Z 09Z)" "$(timed model.p.c 09Z 10Z)")
	project "$graph" build "${all[@]}"
	assert_equal "$(path)" "model.p.a test.p.t model.p.b model.p.c"
	assert_equal "$(execlog-parse log | critpath --text \
		-g <(buildgraph-parse graph) | sed -n 3p)" \
		"Limited by its path: 10.00 of 10.00 s; 10.00 s of work on 1 worker takes at least 10.00 s."
	# Other commands run no tests before models.
	project "$graph" run "${all[@]}"
	assert_equal "$(path)" "model.p.a model.p.b model.p.c"
	project "$graph" test "$(timed test.p.t 03Z 06Z)"
	assert_equal "$(path -b)" test.p.t
}

@test "a test of several parents, or of a source, holds what needs them all" {
	project '{"source.p.s.x":[],"test.p.s":["source.p.s.x"],"model.p.a":[],
		"model.p.b":["source.p.s.x"],"test.p.ab":["model.p.a","model.p.b"],
		"model.p.c":["model.p.a"],"model.p.d":["model.p.c","model.p.b"]}' \
		build "$(timed test.p.s 00Z 02Z)" "$(timed model.p.a 00Z 01Z)" \
		"$(timed model.p.b 02Z 03Z)" "$(timed test.p.ab 03Z 08Z)" \
		"$(timed model.p.c 01Z 02Z)" "$(timed model.p.d 08Z 09Z)"
	assert_equal "$(path)" "test.p.s model.p.b test.p.ab model.p.d"
	buildgraph-parse graph >nodes
	assert_equal "$(jq -r 'select(.deps) | .id as $id | .deps[] |
		select(startswith("build:")) | "\($id) \(.)"' nodes)" \
"model.p.b build:test.p.s
model.p.d build:test.p.ab"
}

@test "a unit test runs before its model" {
	project '{"model.p.a":[],"model.p.b":["model.p.a"],
		"unit_test.p.b.u":["model.p.b"],"model.p.c":["model.p.b"]}' build \
		"$(timed model.p.a 00Z 01Z)" "$(timed unit_test.p.b.u 01Z 04Z)" \
		"$(timed model.p.b 04Z 05Z)" "$(timed model.p.c 05Z 06Z)"
	assert_equal "$(path)" \
		"model.p.a unit_test.p.b.u model.p.b model.p.c"
}

@test "without a graph, results of dbt build still get the warning" {
	project '{}' build "$(timed model.p.a 00Z 01Z)" "$(timed test.p.t 01Z 02Z)"
	execlog-parse log >tasks
	run -0 --separate-stderr critpath tasks
	[[ $stderr == *"warning: no node came"* ]]
}

@test "the sample has the records and the length of the oracle" {
	python3 "$ORACLE" records "$RESULTS" "$MANIFEST" | jq -cS . >want
	# The graph first: the results end with a build record, which ends the run.
	buildgraph-parse "$MANIFEST" >graph
	execlog-parse "$RESULTS" >log
	# Without what nodes wait for under `dbt build`.
	grep -v '"id":"build:' graph | jq -c 'if .deps then .deps |=
		map(select(startswith("build:") | not)) else . end' |
		cat log - | records | jq -cS . | cmp want
	cat graph log >in
	run -0 --separate-stderr critpath in
	assert_equal "$(fields -w type=critpath length_us)" \
		"$(python3 "$ORACLE" length "$RESULTS" "$MANIFEST")"
}

@test "random projects have the records and the length of the oracle" {
	agree projects 20
}
