# pidx-jobs.bats - what is to be measured: the job matrix of a Perun store
#
# local.yml lists commands, their arguments, workloads and collectors; a job is
# one of their combinations.

load helper

ORACLE=$TEST/oracles/config.py
CONFIG=$BUILD/test/unit/config

# Each test has a store.  $CONFIG, a unit test, can print a YAML file as JSON.
setup() {
	enter_test
	export PERUN_CONFIG_DIR=$BATS_TEST_TMPDIR/shared
	mkdir -p .perun/objects
}

# settings - writes standard input to local.yml
settings() {
	cat >.perun/local.yml
}

# small - writes the settings for a matrix of one job
small() {
	settings <<-'END'
		cmds: [./a]
		collectors: [{name: time}]
	END
}

# answer FILTER - prints the result of a jq filter for the array of all jobs
answer() {
	jq -sc "$1" <<<"$output"
}

# random MODE COUNT PROGRAM - expects that PROGRAM agrees with oracles/config.py
# on COUNT random inputs, or a fifth of them under sanitizers.  MODE is jobs,
# read or mutate, which the oracle explains.
random() {
	local count=$2

	! is_sanitized || count=$((count / 5))
	run --separate-stderr python3 "$ORACLE" "$1" "$(seed)" "$count" "$3"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# --- the matrix ---

@test "jobs vary by command, workload, collector and args, the last fastest" {
	settings <<-'END'
		cmds: [./a, ./b]
		args: [-x, -y]
		workloads:
		  - small
		  - large
		collectors:
		  - name: time
		  - name: memory
	END
	run -0 --separate-stderr pidx-jobs
	assert_equal "$stderr" ""
	assert_equal "$(jq -r '[.cmd, .workload, .collector, .args] |
		join(" ")' <<<"$output")" "$(
		for cmd in ./a ./b; do
			for workload in small large; do
				for collector in time memory; do
					for args in -x -y; do
						echo $cmd $workload \
							$collector $args
					done
				done
			done
		done)"
}

@test "a job is one record with all its fields" {
	cp "$DATA/pidx-jobs/every-key.yml" .perun/local.yml
	run -0 --separate-stderr pidx-jobs
	assert_output "$(cat "$DATA/pidx-jobs/every-key.out")"
}

@test "random matrices give the jobs that itertools of Python yields" {
	random jobs 150 pidx-jobs
}

@test "without workloads the workload is empty; without args a job has none" {
	small
	run -0 --separate-stderr pidx-jobs
	assert_output '{"type":"job","cmd":"./a","workload":"",'`
		`'"collector":"time","collector_params":{},"postprocessors":[],'`
		`'"postprocessor_params":[],"command":"./a"}'
}

@test "params is accepted as the former name of args" {
	small
	echo 'params: [-p, -q]' >>.perun/local.yml
	run -0 --separate-stderr pidx-jobs
	assert_equal "$(answer 'map(.args)')" '["-p","-q"]'
}

@test "an empty list gives no jobs" {
	for key in cmds workloads collectors; do
		settings <<-'END'
			cmds: [./a]
			workloads: [x]
			collectors: [{name: time}]
		END
		sed -i "s/^$key: .*/$key: []/" .perun/local.yml
		run -0 --separate-stderr pidx-jobs
		assert_equal "$output$stderr" ""
	done
}

@test "a command or workload that is listed twice counts once, a collector twice" {
	settings <<-'END'
		cmds: [./a, ./b, ./a]
		workloads: [x, x]
		collectors: [{name: time, params: {n: 1}},
		    {name: time, params: {n: 2}}]
	END
	run -0 --separate-stderr pidx-jobs
	assert_equal "$(answer 'map([.cmd, .collector_params.n])')" \
		'[["./a","1"],["./a","2"],["./b","1"],["./b","2"]]'
}

@test "the store is the nearest at or above the directory" {
	small
	mkdir -p a/b/c a/b/.perun/objects
	echo '{cmds: [below], collectors: [{name: time}]}' \
		>a/b/.perun/local.yml
	run -0 --separate-stderr pidx-jobs -C a
	assert_equal "$(answer 'map(.cmd)')" '["./a"]'
	run -0 --separate-stderr pidx-jobs --directory a/b/c
	assert_equal "$(answer 'map(.cmd)')" '["below"]'
	cd a
	run -0 --separate-stderr pidx-jobs
	assert_equal "$(answer 'map(.cmd)')" '["./a"]'
}

# --- the command line ---

@test "options replace the lists of local.yml" {
	cp "$DATA/pidx-jobs/every-key.yml" .perun/local.yml
	run -0 --separate-stderr pidx-jobs -b ./x -b "./y -z" -a "" \
		-w one -w two -c none -p p1 -p p2
	assert_equal "$(answer 'map(.command)')" \
		'["./x one","./x two","./y -z one","./y -z two"]'
	assert_equal "$(answer 'map([.collector, .collector_params,
		.postprocessors, .postprocessor_params]) | unique')" \
		'[["none",{},["p1","p2"],[{},{}]]]'
}

@test "a collector or postprocessor given as an option keeps its parameters" {
	cp "$DATA/pidx-jobs/every-key.yml" .perun/local.yml
	run -0 --separate-stderr pidx-jobs -b ./x -w w -a "" -c time \
		-p regression_analysis
	assert_equal "$(answer 'map([.collector_params.repeat,
		.postprocessor_params[0].method])')" '[["10","full"]]'
}

@test "given --cmd and --collector, local.yml is optional" {
	run -0 --separate-stderr pidx-jobs --cmd ./x --collector time
	assert_equal "$(answer 'map(.command)')" '["./x"]'
}

@test "operands are refused" {
	small
	run -2 --separate-stderr pidx-jobs file
	assert_equal "$output" ""
}

@test "the commands can be run by xargs and by a shell" {
	settings <<-'END'
		cmds: ["printf '<%s>\\n'"]
		workloads: [a b, "'a b'"]
		collectors: [{name: time}]
	END
	run -0 bash -o pipefail -c "pidx-jobs |
		jq -j '.command // empty | . + \"\\u0000\"' |
		xargs -0 -n 1 sh -c"
	assert_output "$(lines '<a>' '<b>' '<a b>')"
	run -0 bash -o pipefail -c "pidx-jobs | jq -r '.command // empty' | sh"
	assert_output "$(lines '<a>' '<b>' '<a b>')"
}

# --- workload generators ---

@test "a workload that names a generator gets a warning, and no command" {
	settings <<-'END'
		cmds: [./a]
		workloads: [w, strings]
		collectors: [{name: time}]
		generators:
		  workload:
		    - {id: strings, type: string, min_len: 8}
		    - {id: unused, type: integer}
	END
	run -0 --separate-stderr pidx-jobs
	assert_equal "$(answer 'map([.workload, .command, .generator])')" \
		'[["w","./a w",null],["strings",null,'`
		`'{"id":"strings","type":"string","min_len":"8"}]]'
	assert_equal "${#stderr_lines[@]}" 1
	[[ $stderr == *"warning: workload 'strings' is a generator ("*/.perun/local.yml:6")"* ]]
}

@test "if two generators have the same id, the one of shared.yml wins" {
	mkdir shared
	small
	cat >>.perun/local.yml <<-'END'
		workloads: [mine, ours, both]
		generators: {workload: [{id: mine, type: a}, {id: both, type: b}]}
	END
	# The last three items are invalid: each gets a warning.
	echo 'generators: {workload: [{id: ours, type: c}, {id: both, type: d},
		{type: no id}, {id: no type}, text]}' >shared/shared.yml
	run -0 --separate-stderr pidx-jobs
	assert_equal "$(answer 'map(.generator.type)')" '["a","c","d"]'
	assert_equal "$(grep -c "no id or no type" <<<"$stderr")" 3
}

@test "a missing shared.yml is not created" {
	small
	run -0 --separate-stderr pidx-jobs
	[ ! -e shared ]
	assert_equal "$(ls -A .perun)" "$(lines local.yml objects)"
}

@test "the matrix is not read from shared settings" {
	mkdir shared
	echo '{cmds: [./x], collectors: [{name: time}]}' >shared/shared.yml
	run -2 --separate-stderr pidx-jobs
	[[ $stderr == *"/.perun/local.yml has no 'cmds': add them, or give --cmd" ]]
}

# --- errors ---

@test "a missing store and missing commands or collectors are reported" {
	rm -r .perun
	run -2 --separate-stderr pidx-jobs -C /
	[[ $stderr == *"there is no .perun in '/' or above: "* ]]
	mkdir -p .perun/objects
	echo 'cmds: [./a]' | settings
	run -2 --separate-stderr pidx-jobs
	[[ $stderr == *"has no 'collectors': add them, or give --collector" ]]
	echo 'cmds:' | settings
	run -2 --separate-stderr pidx-jobs -c time
	[[ $stderr == *"has no 'cmds': "* ]]
}

# refused YAML PLACE REASON - expects an error for this local.yml, at PLACE,
# which is LINE or LINE:COLUMN
refused() {
	lines "$1" | settings
	run -2 --separate-stderr pidx-jobs
	lines "$stderr"
	[[ $output == "" && $stderr == *"/.perun/local.yml:$2: $3" ]]
}

@test "an invalid matrix is refused with file, line and reason" {
	refused $'vcs: {}\ncmds: ./a' 2 "cmds: it is not a list"
	refused $'cmds:\n - ./a\n - {b: c}' 3 "cmds: an item is not a string"
	refused $'cmds: []\nworkloads:\n -\n - []' 4 \
		"workloads: an item is not a string"
	refused $'cmds: []\ncollectors: {name: time}' 2 \
		"collectors: it is not a list"
	for item in time '{}' '{name: }' '{name: ""}' '[]'; do
		refused $'cmds: []\ncollectors:\n - '"$item" 3 \
			"collectors: an item is not a mapping with a name"
	done
	refused $'cmds: []\ncollectors:\n - {name: [a]}' 3 \
		"collectors: an item is not a string"
	refused $'cmds: []\ncollectors:\n - name: a\n   params: [b]' 4 \
		"collectors: params is not a mapping"
	refused $'cmds: []\ncollectors: []\npostprocessors: [a]' 3 \
		"postprocessors: an item is not a mapping with a name"
}

@test "invalid YAML is refused with file, line, column and reason" {
	refused $'cmds: [./a]\ncmds: [./b]' 2:1 "the key 'cmds' occurs twice"
	refused $'cmds: [./a' 2:1 "while parsing a flow sequence, did not find expected ',' or ']'"
	refused $'a: \xff' 1:4 "invalid leading UTF-8 octet"
	refused '- a' 1:1 "the document is not a mapping"
	refused $'a: b\n---\nc: d' 2:1 "there is a second document"
	refused 'a: *b' 1:4 "the alias has no anchor"
}

@test "control characters of local.yml are escaped in messages" {
	printf '"\\e[31m": 1\n"\\e[31m": 2\n' | settings
	run -2 --separate-stderr pidx-jobs
	[[ $stderr == *'\x1b[31m'* && $stderr != *$'\e'* ]]
	small
	cat >>.perun/local.yml <<-'END'
		workloads: ["\e[31m"]
		generators: {workload: [{id: "\e[31m", type: a}]}
	END
	run -0 --separate-stderr pidx-jobs
	[[ $stderr == *'\x1b[31m'* && $stderr != *$'\e'* ]]
}

# Each list refers twice to the one before it: expanded, a60 has 2^61 values.
@test "aliases that expand to a huge matrix are refused at once" {
	{
		echo 'a0: &a0 [x, x]'
		for i in {1..60}; do
			echo "a$i: &a$i [*a$((i - 1)), *a$((i - 1))]"
		done
		echo 'cmds: *a60'
	} | settings
	run -2 --separate-stderr bash -c 'ulimit -t 5; pidx-jobs'
	[[ $stderr == *"too many values, with aliases expanded" ]]
}

# --- reading YAML ---

@test "random documents are read as Python reads them" {
	random read 120 "$CONFIG"
}

@test "random damage gives status 0, or 2 and a message with line and column" {
	random mutate 250 "$CONFIG"
}

# truncated_at_every N - truncates a file at every N-th byte
truncated_at_every() {
	local n size
	cp "$DATA/pidx-jobs/every-key.yml" whole
	size=$(wc -c <whole)
	for ((n = 0; n < size; n += $1)); do
		head -c "$n" whole >.perun/local.yml
		pidx-jobs >out 2>&1 || [ $? -eq 2 ]
	done
}

@test "a truncated file gives status 0 or 2" {
	truncated_at_every 31
}

# bats test_tags=exhaustive
@test "a truncated file gives status 0 or 2, wherever it ends" {
	truncated_at_every 7
}
