# archive.bats - the files and commands of weir-archive(7), on an archive of 40
# logs; cluster/hosts.sh runs those that need several hosts

# bats file_tags=normal

load helper
load cluster/archive

setup_file() {
	make_archive "$BATS_FILE_TMPDIR/archive" 40
	cd "$BATS_FILE_TMPDIR/archive"
	mkdir parallel
	touch parallel/will-cite
	answer_one_by_one logs/*/*.log
}

setup() {
	enter_test
	cp -R "$BATS_FILE_TMPDIR"/archive/* .
	export PARALLEL_HOME=$PWD/parallel
}

# answer_one_by_one LOG... - answers each log by a pipeline of its own, into
# `want`, for expect_answers
answer_one_by_one() {
	local log run
	for log; do
		run=${log#logs/}
		run=${run%.log}
		mkdir -p "want/${run%/*}"
		execlog-parse "$log" 2>/dev/null |
			critpath -g graph --by name --by rule --by host \
				>"want/$run.ndjson" 2>/dev/null || :
	done
}

# expect_answers - expects the answers in `want`, which have no runs
expect_answers() {
	cp -R answers got &&
		find got -name '*.ndjson' \
			-exec sed -i 's/"run":"[^"]*",//' {} + &&
		diff -r want got && rm -r got
}

# run_page WORDS - runs the command of the page that contains WORDS
run_page() {
	local command
	command=$(page_command "$1") &&
		run -"${2:-0}" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
			bash -c "$command"
}

# has_answers N - whether at least N logs are answered
has_answers() {
	[ "$(find answers -name '*.ndjson' | wc -l)" -ge "$1" ]
}

# kill_map WORDS LOG - kills the processes of the command of the page that
# contains WORDS when at least 20 logs are answered, and half of LOG is read
kill_map() {
	local command
	command=$(page_command "$1") || return
	mv "$2" whole
	mkfifo "$2"
	exec 9<>"$2"
	head -c 5000 whole >&9
	set -m		# The processes get a group of their own.
	bash -c "$command" >/dev/null 2>&1 3>&- 9>&- &
	set +m
	wait_until has_answers 20
	kill -KILL -- -$!
	wait $! || :
	exec 9>&-
	rm "$2"
	mv whole "$2"
}

@test "xargs, make and parallel answer each log as it is answered alone" {
	for map in ./map-xargs "-f map.mk"; do
		run_page "$map"
		expect_answers
		rm -r answers
	done
	# The page's command for parallel names hosts.
	./map-parallel
	expect_answers
}

@test "the tasks of a Slurm array divide all logs among them" {
	[[ $(page_command sbatch) =~ --array=1-([0-9]+)\ (.*) ]]
	export SLURM_ARRAY_TASK_COUNT=${BASH_REMATCH[1]}
	for ((i = 1; i <= SLURM_ARRAY_TASK_COUNT; i++)); do
		[ "$(find answers -name '*.ndjson' 2>/dev/null | wc -l)" \
			-eq $((40 / SLURM_ARRAY_TASK_COUNT * (i - 1))) ]
		SLURM_ARRAY_TASK_ID=$i sh "${BASH_REMATCH[2]}"
	done
	expect_answers
}

@test "killed in the middle and repeated, a step writes the same bytes" {
	log=logs/2026-11-16/0020.log
	for map in ./map-xargs "-f map.mk"; do
		kill_map "$map" $log
		find answers -name '*.ndjson' -printf '%i %p\n' | sort >before
		run -1 grep 0020 before
		run_page "$map"
		# What was done is not done again.
		find answers -name '*.ndjson' -printf '%i %p\n' | sort >after
		run comm -23 before after
		assert_output ''
		find answers -name '*.ndjson.*' -delete
		expect_answers
		rm -r answers
	done
}

@test "a damaged log is reported, and the others are answered" {
	echo 'not an event' >>logs/2026-11-16/0020.log
	answer_one_by_one logs/2026-11-16/0020.log
	# This one has no answer: it cannot be read.
	rm logs/2026-11-23/0030.log want/2026-11-23/0030.ndjson
	mkdir logs/2026-11-23/0030.log
	run_page ./map-xargs 123
	assert_output --partial \
		"logs/2026-11-16/0020.log:221: time 'not' is not a number"
	expect_answers
	run_page "grep -rl"
	assert_output answers/2026-11-16/0020.ndjson
	rm -r answers
	run_page "-f map.mk" 2
	expect_answers
	rm -r answers
	run -1 ./map-parallel
	expect_answers
	# A repetition fails for the same log only.
	rm -r logs/2026-11-23/0030.log
	cp logs/2026-11-24/0031.log logs/2026-11-23/0030.log
	./map-parallel
	[ "$(find answers -name '*.ndjson' | wc -l)" -eq 40 ]
}

@test "the reduce step agrees with its oracle" {
	./map-xargs
	# Read past SQLite's headings, and its padding of the columns.
	run_page "<reduce.sql"
	lines "${lines[@]:2}" | awk '{ $1 = $1; print }' >got
	python3 "$TEST/oracles/archive.py" >reduced
	[ "$(wc -l <reduced)" -eq 14 ]
	diff reduced got
}

@test "the nights that changed are found, and only new logs are read again" {
	rm -rf logs && mkdir logs
	for n in {10..69}; do
		mkdir "logs/2026-$n"
		awk -v n="$n" '{ took = ($1 - 1790000000000) * (1 + n % 7 / 50)
			if (n >= 45) took *= 1.3
			sub(/^[0-9]+/, sprintf("%.0f", 1790000000000 + took))
			print }' \
			"$DATA/demo/build.log" >"logs/2026-$n/1.log"
	done
	run_page '-f trend.mk' 2
	[[ $output == *'slower since 2026-45/1'* ]] || lines "$output"
	touch logs/2026-50/1.log
	run_page '-f trend.mk' 2
	[ "$(grep -c 'execlog-parse --run' <<<"$output")" -eq 1 ]
}

# open_runs KIB FILTER... - runs each filter on 20,000 runs of one task, none of
# which has a build record, in so much memory
open_runs() {
	local f kib=$1
	shift
	awk 'BEGIN { for (i = 0; i < 20000; i++) printf "{\"type\":\"task\"," \
		"\"id\":\"same\",\"run\":\"r%d\",\"start_us\":%d," \
		"\"end_us\":%d,\"rule\":\"CC\"}\n", i, i * 10, i * 10 + 5 }' \
		>open || return
	for f; do
		# Sanitizers reserve more than that.
		(is_sanitized || ulimit -v "$kib"
		$f open >"out.${f// /}") || fail "$f"
	done
}

@test "a run of one task that no record ends takes about one kilobyte" {
	open_runs 36000 critpath execlog-stat graph-export trace-export
	assert_equal "$(grep -c '"type":"critpath"' out.critpath)" 20000
	assert_equal "$(grep -c '"stat":"wall"' out.execlog-stat)" 20000
}

@test "of runs that no record ends timeline keeps little more than the picture" {
	open_runs 100000 timeline "timeline --html"
	assert_equal "$(grep -o 'text-anchor="end"' out.timeline | wc -l)" 20000
}
