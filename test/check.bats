# check.bats - what `make check` and .ci/run show, and what they call a failure

# bats file_tags=normal

load helper

# tests FILE - writes a file of tests: "NAME: COMMAND" on each line of standard
# input
tests() {
	sed 's/^\(.*\): \(.*\)$/@test "\1" {\n\t\2\n}\n/' >"$1"
}

# check STATUS FILE... - runs files of tests with check.sh
check() {
	run "-$1" env JOBS=2 bash "$TEST/check.sh" "$PWD/build" "${@:2}"
}

@test "a line for each file, failures at once and again, with a command each" {
	tests good.bats <<-'END'
		one: :
		two: skip "no such thing"
	END
	tests bad.bats <<-'END'
		one: :
		it's [not] (a|b) \$x: echo what is wrong; false
	END
	check 1 good.bats bad.bats
	assert_line 'good: 1 ok, 1 skipped'
	assert_line 'bad: 1 ok, 1 failed'
	assert_line "not ok it's [not] (a|b) \$x (bad.bats)"
	assert_line '# what is wrong'
	assert_line --regexp '^ *1 no such thing$'
	assert_line "bad: it's [not] (a|b) \$x"
	assert_line --regexp '^2 passed, 1 failed, 1 skipped \(plain, '
	# The command repeats the failed test, and no other.
	grep -o 'WEIR_BUILD=.*' <<<"$output" >command
	run -1 bash command
	assert_equal "${lines[0]}" 1..1
	assert_line "not ok 1 it's [not] (a|b) \$x"
	check 0 good.bats
	run -1 grep -F -e "not ok" -e failed: -e $'\033' <<<"$output"
}

@test "a file that does not run all of its tests has failed" {
	tests good.bats <<<'one: :'
	printf '@test "one" {\n' >syntax.bats
	(echo 'echo 1..7' && cat good.bats) >more.bats
	tests ends.bats <<-'END'
		one: kill -KILL "$PPID"; sleep 1
		two: :
	END
	for file in syntax more ends; do
		check 1 good.bats $file.bats
		assert_line 'good: 1 ok'
		assert_line --regexp "^$file: (not all tests were run|setup_file|bats-)"
		assert_line "    WEIR_BUILD=build bats $file.bats"
	done
	FILTER=nothing check 1 good.bats
	assert_line --regexp '^0 passed, 0 failed, 0 skipped'
}

@test "FILTER and TAGS choose tests, and SEED reaches them" {
	tests some.bats <<-'END'
		seed: [ "$SEED" = 7 ]
		other: false
	END
	sed -i '/"other"/i # bats test_tags=long' some.bats
	SEED=7 FILTER=se+d check 0 some.bats
	assert_line 'some: 1 ok'
	SEED=7 TAGS='!long' check 0 some.bats
	assert_line 'some: 1 ok'
	SEED=8 check 1 some.bats
	assert_line --partial "SEED=8 WEIR_BUILD=build bats -f '^seed\$' some.bats"
}

@test "the user's settings do not reach the tests" {
	echo 'echo BASH_ENV was read; cd /' >startup
	tests env.bats <<<'settings: env | grep -e USERS_OWN -e nonexistent && false; cd /'
	for setting in POSIXLY_CORRECT=1 CDPATH=/usr GREP_OPTIONS=-v \
		BASH_ENV="$PWD/startup" 'BASH_FUNC_grep%%=() { false; }' \
		BATS_NUMBER_OF_PARALLEL_JOBS=x; do
		run -0 env USERS_OWN=1 "$setting" HOME=/nonexistent \
			make -s --no-print-directory -f - <<-END
			$(grep '^unexport ' "$ROOT/Makefile")
			all: ; bash '$TEST/check.sh' '$PWD/build' env.bats
		END
		assert_line 'env: 1 ok'
		run -1 grep 'BASH_ENV was read' <<<"$output"
	done
}

# run_ci STATUS - runs a copy of .ci/run as another user than root, with a make that
# prints its arguments and the file `counts`
run_ci() {
	mkdir -p fake copy/.ci copy/test
	lines '#!/bin/sh' 'echo 1000' >fake/id
	lines '#!/bin/sh' 'echo "make $*"' "[ \$1 != check-all ] || cat '$PWD/counts'" \
		"exit \$(cat '$PWD/status')" >fake/make
	chmod +x fake/*
	cp "$ROOT/.ci/run" copy/.ci
	cp "$TEST/bare.bash" copy/test
	PATH=$PWD/fake:$PATH run "-$1" bash copy/.ci/run
}

@test "CI runs the README's commands, and ends with the sums of the tests" {
	echo 0 >status
	lines '5 passed, 0 failed, 1 skipped (plain, 0 min 01 s)' '3 ok' \
		'7 passed, 0 failed, 0 skipped (sanitized, 0 min 01 s)' >counts
	run_ci 0
	assert_equal "$output" "on this machine itself, because only root may `
		`make bare systems:
make demo
make check-all
$(<counts)
12 passed, 0 failed"
	sed -i '1s/0 failed/2 failed/' counts
	run_ci 1
	assert_equal "${lines[-1]}" '12 passed, 2 failed'
}

@test "CI fails if the demo or the check fails, whatever was counted" {
	echo '5 passed, 0 failed, 1 skipped (plain, 0 min 01 s)' >counts
	echo 2 >status
	run_ci 1
	assert_equal "$output" "on this machine itself, because only root may `
		`make bare systems:
make demo
0 passed, 1 failed"
	echo 0 >status
	: >counts
	run_ci 1
	assert_equal "${lines[-1]}" '0 passed, 1 failed'
}
