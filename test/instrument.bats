# instrument.bats - libweir-instrument counts exactly, and does not change what
# the program does
load helper
load instrument

# --- counts ---

@test "calls are counted by call site, however the program is linked" {
	for how in '' .nopie .static .staticpie .shared; do
		record 3 calls$how
		oracle
		query callgraph .nodes[0] | grep -q function
	done
}

@test "the output and status of a program do not change" {
	cd "$BATS_TEST_TMPDIR"
	run -3 --separate-stderr "$PROGRAMS/calls.plain"
	echo "$output" >want
	for how in '' .noop .nopie .static .staticpie .shared; do
		run -3 --separate-stderr "$PROGRAMS/calls$how"
		assert_equal "$output" "$(cat want)"
		assert_equal "$stderr" "an error"
		record 3 calls$how
		cmp out want
		grep -qx "an error" err
	done
}

@test "a function called from two places has two nodes" {
	record 3 calls 2
	# main calls fib, and fib calls itself from two lines.
	query callgraph '[.nodes[] | [.parent, .call_site, .function]] |
		(unique | length) == length' | grep -qx true
	[ "$(python3 "$TEST/oracles/instrument.py" rec | wc -l)" -eq 1 ]
	fn=$(nm "$PROGRAMS/calls" | awk '$3 == "fib" { print $1 }')
	[ "$(query callgraph '[.nodes[] | select(.function | endswith("'"${fn: -3}"'")) |
		.call_site] | unique | length')" -eq 3 ]
}

@test "eight threads call the same functions" {
	record 0 cases threads
	oracle
	[ "$(query callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 9 ]
}

@test "50,000 short threads need as many trees as run at the same time" {
	[[ $BUILD == */san ]] && n=5000 || n=50000
	record 0 cases short $n
	oracle
	[ "$(query callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 6 ]
	[ "$(query exit .max_rss_bytes)" -lt 20000000 ]
}

@test "calls in destructors of thread-specific data are counted" {
	agrees cases keys
	# A destructor that runs after the instrument's adds no tree.
	agrees cases keys 1
	[ "$(query callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 4 ]
}

@test "threads that are cancelled are counted" {
	for how in '' .static; do
		agrees cases$how cancels
	done
}

@test "a stack of 100,000 calls" {
	agrees cases deep 100000
	# In pre-order, each node is the parent of the next one.
	[ "$(query callgraph '.nodes | length')" -eq 100002 ]
	[ "$(query callgraph '[.nodes[] | .parent // -1] == [range(-1; 100001)]')" = \
		true ]
}

@test "a stack deeper than the shadow stack loses no call" {
	ulimit -s unlimited
	# With limited address space, the shadow stack is small.
	PREFIX='prlimit --as=2000000000' record 0 cases deep 300000
	[ "$(total)" -eq 300002 ]
	limited=$(query callgraph .nodes_limited)
	[ "$limited" -gt 0 ]
	[ "$(query callgraph '.nodes | length')" -eq $((300002 - limited)) ]
}

@test "a program that defines malloc itself is counted" {
	agrees alloc
}

@test "longjmp ends exactly the calls that it abandons" {
	agrees cases jumps
	agrees cases between
	# Each call of leaf is below its caller, at the right depth.
	[ "$(query callgraph '.nodes | length')" -eq 8 ]
	# The same with __longjmp_chk, which _FORTIFY_SOURCE selects.
	PROGRAMS=$PWD
	gcc -g -O1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
		-finstrument-functions -I"$ROOT/instrument" -o cases \
		"$TEST/programs/instrument/cases.c" \
		"$BUILD/libweir-instrument.a"
	nm cases | grep -q __longjmp_chk
	agrees cases jumps
}

@test "C++ exceptions end the calls that they pass through" {
	for how in '' .static; do
		agrees throw$how
		[ "$(query callgraph '.nodes | length')" -eq 18 ]
	done
}

@test "threads, jumps, signals, children and exits of a static program" {
	for case in threads jumps signals forks vfork closes; do
		agrees cases.static $case
	done
	record 0 cases.static end main && oracle
	record 7 cases.static end thread && oracle
	record 134 cases.static end abort
	[ "$(query crash .signal_name)" = '"SIGABRT"' ]
}

@test "a program with sanitizers is counted, and they report nothing" {
	skip_sanitized_build
	for how in asan tsan; do
		ASAN_OPTIONS=detect_leaks=0 record 3 calls.$how
		[ "$(grep -v 'an error' err)" = "" ]
		query callgraph .final | grep -qx true
		# fib(15) takes 1973 calls.
		fib=$(nm "$PROGRAMS/calls.$how" | awk '$3 == "fib" { print $1 }')
		[ "$(query callgraph '[.nodes[] | select(.function |
			endswith("'"${fib: -3}"'")) | .calls] | add')" -ge 1973 ]
		for case in threads keys jumps signals forks vfork \
			'short 400'; do
			ASAN_OPTIONS=detect_leaks=0 agrees cases.$how $case
			[ ! -s err ] || { cat err; false; }
		done
	done
}

@test "signal handlers may call functions at any moment" {
	agrees cases signals
	OPTIONS='-t -i 10' agrees cases signals
	agrees cases signals-turns 14
	# The program blocks the signal in all its threads.
	OPTIONS='-i 1' agrees cases blocked
}

@test "a signal handler may call functions after each instruction" {
	agrees cases steps 3 1
	OPTIONS=-t agrees cases steps 3 1
	OPTIONS=-f agrees cases steps 3 1
	# Seldom, so that the handler adds a node just when the interrupted hook
	# is about to add the same one.
	agrees cases steps 7 101
}

@test "a coroutine does no harm" {
	# The oracle does not compare stacks.
	COROUTINES=1 agrees cases coroutines
}

@test "a loaded library is counted, and named after it was unloaded" {
	agrees cases plugin "$PROGRAMS/plugin.so"
	query callgraph '.modules[].path' | grep -q plugin.so
	[ "$(nm "$PROGRAMS/plugin.so" | grep -c plugin_)" -eq 2 ]
	[ "$(query callgraph '[.nodes[] | select(.calls == 30)] | length')" -eq 1 ]
}

@test "modules give the base address and the build id of a file" {
	for how in '' .nopie .static .staticpie; do
		record 3 calls$how 2
		query callgraph '.modules[] | select(.path | endswith("calls'$how'"))' \
			>module
		id=$(readelf -n "$PROGRAMS/calls$how" |
			sed -n 's/.*Build ID: //p')
		[ "$(jq -r .build_id module)" = "$id" ]
	done
	record 3 calls.static 2
	[ "$(query callgraph '.modules | length')" -eq 1 ]
	[ "$(query callgraph '.modules[0].base')" = '"0x0"' ]
}

# --- processes and ends ---

@test "a child made by fork starts with all counts 0" {
	agrees cases forks
	[ "$(query callgraph .pid | sort -u | wc -l)" -eq 3 ]
	# The calls that had not returned at the fork have nodes, with 0 calls.
	[ "$(query callgraph 'select(.pid != '"$(query exit .pid)"') |
		.nodes[0:3] | map(.calls)' | sort -u)" = "[0,0,1]" ]
	agrees cases fork-threads
	[ "$(query callgraph .pid | wc -l)" -eq 21 ]
	# Forks while another thread emits.
	OPTIONS='-i 1' agrees cases fork-threads 12
}

@test "a child made by vfork does not change its parent's shadow stack" {
	agrees cases vfork
	[ "$(query callgraph '.nodes | length')" -eq 7 ]
	PREFIX='strace -f -o trace -e inject=vfork:error=EAGAIN' \
		agrees cases vfork
	[ "$(grep -c 'temporarily unavailable' out)" -eq 10 ]
}

@test "a child made by a system call or vfork sends nothing" {
	agrees cases children-end
	[ "$(query callgraph .pid)" = "$(query exit .pid)" ]
	[ "$(query callgraph .final)" = true ]
	[ -z "$(query mark .name)" ]
}

@test "the counts are sent whichever way a program ends" {
	record 7 cases end thread && oracle
	record 0 cases end main && oracle
	record 5 cases end _exit && oracle
	record 6 cases end quick && oracle
	record 4 cases end live
	query callgraph .final | grep -qx true
}

@test "a crash report has the stack, and the program dies of the signal" {
	# Case of the program, its exit status, and the signal
	for crash in segv:139:SEGV fpe:136:FPE ill:132:ILL abort:134:ABRT \
		kill:135:BUS; do
		IFS=: read -r how wanted name <<<"$crash"
		run "$PROGRAMS/cases" end "$how"
		[ "$status" -eq "$wanted" ]
		record "$wanted" cases end "$how"
		[ "$(query crash .signal_name)" = "\"SIG$name\"" ]
		# Innermost first: crash, ends, main.
		[ "$(query crash '.frames | length')" -eq 3 ]
		[ "$(query exit .signal)" -eq "$(kill -l $name)" ]
		[ "$(query callgraph .final)" = null ]
		address=$(query crash '[.frames[0].function, .modules[0].base] |
			join(" ")' | tr -d '"')
		read -r function base <<<"$address"
		nm "$PROGRAMS/cases" | grep -q \
			"$(printf '%x' $((function - base))) t crash$"
	done
}

@test "a stack overflow is reported with its outermost frames omitted" {
	OPTIONS='-n 5000' record 139 cases end overflow
	[ "$(query crash '.frames | length')" -eq 1000 ]
	[ "$(query crash .frames_omitted)" -gt 1000 ]
}

@test "the program's own handler for a crash runs" {
	record 9 cases end handler
	grep -qx 'own handler' out
	[ "$(query crash .signal)" -eq 11 ]
	# It gets the siginfo and the context.
	record 9 cases end info
	# With SA_RESETHAND, only once.
	record 139 cases crash-twice
	[ "$(query crash .signal | tr '\n' ' ')" = '11 11 ' ]
	[ "$(query callgraph '.nodes | length')" -gt 0 ]
}

@test "of the crashes that a program survives, the first 16 are reported" {
	agrees cases crashes 1
	[ "$(query crash '.frames | length' | tr '\n' ' ')" = \
		"$(printf '503 %.0s' {1..16})" ]
	# Several at the same time: each is reported completely or not at all.
	for _ in {1..10}; do
		record 0 cases crashes 8
		n=$(query crash '.frames | length' | grep -cx 503)
		[ "$n" -ge 1 ] && [ "$n" -eq "$(query crash .signal | wc -l)" ]
		[ ! -s err ] || { cat err; false; }
	done
}

@test "if no wrapper reads the crash report, the program ends as usual" {
	for case in "KILL segv 139" "KILL handler 9" "STOP segv 139"; do
		read -r signal how status <<<"$case"
		rm -f status
		start cases until "$how"
		until_true compgen -G 'rec.*'
		sleep 0.2
		kill -$signal "$wrapper"
		stop
		SECONDS=0
		until_true test -s status
		[ "$SECONDS" -le 4 ]
		[ "$(cat status)" -eq "$status" ]
		kill -CONT "$wrapper" 2>/dev/null || continue
		wait "$wrapper"
	done
}

# --- limits ---

@test "calls beyond the limit of nodes are counted at an ancestor" {
	record 0 cases turns 12
	all=$(total)
	[ "$(query callgraph .nodes_limited)" = null ]
	OPTIONS='-n 1000' record 0 cases turns 12
	[ "$(total)" -eq "$all" ]
	[ "$(query callgraph '.nodes | length')" -eq 1000 ]
	[ "$(query callgraph .nodes_limited)" -eq $((all - 1000)) ]
	# Each callgraph has the number since the last one.  A short run may
	# send only one callgraph.
	for turns in {18..26}; do
		OPTIONS='-n 1000 -i 1' record 0 cases turns $turns
		[ "$(query callgraph .pid | wc -l)" -eq 1 ] || break
	done
	[ "$(query callgraph .pid | wc -l)" -gt 1 ]
	[ "$(query callgraph '.nodes_limited // 0' |
		awk '{ n += $1 } END { print n }')" -eq $(($(total) - 1000)) ]
}

@test "an invalid number of nodes is ignored" {
	WEIR_MAX_NODES=10 record 0 cases turns 12
	[ "$(query callgraph '.nodes | length')" -eq 10 ]
	for n in 10x 0 -5 '' 99999999999999999999999; do
		WEIR_MAX_NODES=$n record 0 cases turns 12
		[ "$(query callgraph '.nodes | length')" -eq 8192 ]
	done
}

@test "folded recursion is counted at the first node" {
	OPTIONS='-f' record 3 calls 20
	oracle
	query callgraph .folded_recursion | grep -qx true
	[ "$(query callgraph '.nodes | length')" -lt 40 ]
	# No path contains a call twice.
	query callgraph '.nodes as $n | [range(0;
		$n | length) | . as $i | [recurse($n[.].parent // empty)] |
		map([$n[.].function, $n[.].call_site]) |
		(unique | length) == length] | all' | grep -qx true
}

@test "without memory, the program continues as usual" {
	PREFIX='prlimit --as=16000000' record 0 cases turns 17
	[ "$(total)" -eq $((2 ** 18)) ]
	[ "$(query callgraph .nodes_limited)" -gt 0 ]
	[ "$(cat out)" = "done" ]
}

@test "if memory runs out at any moment, the program continues as usual" {
	skip_sanitized_build
	# Find the first n for which the program without the instrument still
	# runs if mmap() fails from the n-th call on.
	need=$(strace -f -e trace=mmap "$PROGRAMS/calls.noop" 2>&1 |
		grep -c mmap)
	for ((n = need; n < need + 8; n++)); do
		status=0
		COUNTS='' callgraph-record -o rec strace -f -o trace \
			-e inject=mmap:error=ENOMEM:when=$n+ \
			"$PROGRAMS/calls.noop" >/dev/null 2>&1 || status=$?
		[ "$status" -eq 3 ] || continue
		break
	done
	# From there on, only the instrument's own calls fail.
	for ((i = n; i < n + 8; i++)); do
		status=0
		callgraph-record -o rec strace -f -o trace \
			-e inject=mmap:error=ENOMEM:when=$i+ \
			"$PROGRAMS/calls" >out 2>err || status=$?
		[ "$status" -eq 3 ]
		grep -qx 'fib 610' out
	done
}

@test "without memory for a thread, the instrument gives up and reports that" {
	skip_sanitized_build
	# The first mmap() of each thread
	callgraph-record -o rec strace -f -o trace \
		-e inject=mmap:error=ENOMEM:when=1 \
		"$PROGRAMS/cases.static" threads >out 2>err
	[ "$(cat out)" = "done" ]
	query callgraph '[.gave_up, .final]' | grep -qx '\[true,true\]'
	record 0 cases.static threads
	[ "$(query callgraph .gave_up)" = null ]
}

@test "a node takes 96 bytes" {
	skip_sanitized_build
	record 0 cases turns 17
	unlimited=$(query exit .max_rss_bytes)
	OPTIONS='-n 1000' record 0 cases turns 17
	nodes=$((2 ** 18 - 1000))
	bytes=$(((unlimited - $(query exit .max_rss_bytes)) / nodes))
	echo "$bytes bytes"
	[ "$bytes" -le 98 ]
}

# --- the wrapper ---

@test "without a wrapper, the instrument is dormant and opens no descriptor" {
	echo input >input
	strace -f -o trace "$PROGRAMS/calls" <input >/dev/null 2>&1 || true
	run -1 grep -E 'socket|sendto|read\(0' trace
	WEIR_SOCKET=/nowhere/at/all run -3 --separate-stderr "$PROGRAMS/calls"
	assert_equal "$stderr" "an error"
	# It does not connect to the first part of a path that is too long.
	WEIR_SOCKET=/$(printf '%0300d' 0) run -3 strace -f -o trace \
		"$PROGRAMS/calls"
	! grep -E 'connect' trace
}

@test "a program may close all descriptors and open others" {
	ulimit -n 1024
	agrees cases closes
	[ ! -s file ]
	[ "$(query callgraph .final)" = true ]
}

@test "if the program has closed 100 connections, the instrument gives up" {
	OPTIONS='-i 5' record 0 cases closes-often
	n=$(query callgraph .pid | wc -l)
	[ "$n" -ge 10 ] && [ "$n" -le 100 ]
}

@test "a line that was sent in part before a close is repeated" {
	OPTIONS='-i 20' start cases until-closes 14
	until_true compgen -G 'rec.*'
	sleep 0.2
	kill -STOP "$wrapper"
	stop
	sleep 0.4
	kill -CONT "$wrapper"
	wait "$wrapper"
	[ ! -s err ] || { cat err; false; }
	oracle
	[ "$(total)" -gt 65536 ]
}

@test "the descriptor has a high number and is not inherited" {
	"$PROGRAMS/cases" descriptors | sort -n >want
	record 0 cases descriptors
	sort -n out | diff want -
}

@test "a setgid program is not recorded" {
	[ "$(id -u)" -eq 0 ] || skip "this takes root"
	cp "$PROGRAMS/calls" program
	chgrp 65534 program
	chmod g+s program
	PROGRAMS=$PWD record 3 program
	grep -q 'nothing was recorded' err
}

@test "of two copies of the instrument, one records" {
	PROGRAMS=$PWD
	gcc -g -finstrument-functions -fPIC -shared -o plugin.so \
		"$TEST/programs/instrument/plugin/plugin.c" -Wl,--whole-archive \
		"$BUILD/libweir-instrument.a" -Wl,--no-whole-archive
	cp "$BUILD/test/programs/instrument/cases" .
	agrees cases plugin "$PWD/plugin.so"
	[ "$(query callgraph .final)" = true ]
	[ "$(query callgraph '[.nodes[] | select(.calls == 30)] | length')" -eq 1 ]
}

@test "a program that has closed all descriptors answers SIGUSR1" {
	ulimit -n 1024
	start cases closes-until
	until_true test -e file
	sleep 1.2	# the instrument checks the descriptor every second
	kill -USR1 "$wrapper"
	sleep 0.2
	stop
	wait "$wrapper"
	oracle
	[ ! -s file ]
	[ "$(query callgraph .final | tr '\n' ' ')" = 'null true ' ]
}

@test "when the wrapper is killed, the program continues" {
	OPTIONS='-i 5' start cases until
	until_true compgen -G 'rec.*'
	sleep 0.1
	kill -9 "$wrapper"
	sleep 0.1
	stop
	until_true test -s status
	[ "$(cat status)" -eq 0 ]
	[ "$(cat out)" = "done" ]
	[ ! -s err ] || { cat err; false; }
}

@test "when the wrapper is killed, the helper thread ends" {
	start cases until
	until_true compgen -G 'rec.*'
	sleep 0.2
	pid=$(pgrep -P "$(pgrep -P "$wrapper")")
	[ "$(ls "/proc/$pid/task" | wc -l)" -eq 2 ]
	kill -9 "$wrapper"
	alone() {
		[ "$(ls "/proc/$pid/task" | wc -l)" -eq 1 ]
	}
	until_true alone
	stop
}

@test "without the helper thread there is only the final callgraph" {
	OPTIONS='--no-helper -i 5 -s 1000' start cases until
	until_true compgen -G 'rec.*'
	sleep 0.2
	[ "$(ls "/proc/$(pgrep -P "$(pgrep -P "$wrapper")")/task" | wc -l)" -eq 1 ]
	stop
	wait "$wrapper"
	oracle
	[ "$(query callgraph .final)" = true ]
}

@test "when the wrapper is suspended for a while, nothing is lost" {
	OPTIONS='-i 5' start cases until
	for _ in 1 2 3; do
		sleep 0.1
		kill -STOP "$wrapper"
		sleep 0.2
		kill -CONT "$wrapper"
	done
	stop
	wait "$wrapper"
	oracle
	[ "$(query callgraph .pid | wc -l)" -gt 10 ]
}

@test "when the wrapper stays suspended, the program ends in a second or two" {
	start cases until 14
	until_true compgen -G 'rec.*'
	sleep 0.2
	kill -STOP "$wrapper"
	stop
	SECONDS=0
	until_true test -s status
	[ "$SECONDS" -le 3 ]
	[ "$(cat status)" -eq 0 ]
	[ "$(cat out)" = "done" ]
	kill -CONT "$wrapper"
	wait "$wrapper"
}

# --- emission, time, samples, marks ---

@test "callgraphs at intervals add up to the program's counts" {
	OPTIONS='-i 2' agrees cases threads
	OPTIONS='-i 2 -t -s 1000' start cases until
	sleep 0.5
	stop
	wait "$wrapper"
	oracle
	[ "$(query callgraph .pid | wc -l)" -gt 5 ]
}

@test "self time excludes callees, total time includes them" {
	OPTIONS='-t' agrees cases spins
	query callgraph '[.nodes[] | select(.calls == 5)][0].self_ns' >five
	elapsed=$(query exit .elapsed_us)
	# Another call spins for 100 ms of the elapsed time.
	[ "$(cat five)" -ge 50000000 ]
	[ "$(cat five)" -le $(((elapsed - 100000) * 1000)) ]
	query callgraph '.nodes as $n | [range(0;
		$n | length) | . as $i | $n[$i].total_ns == ($n[$i].self_ns +
		([$n[] | select(.parent == $i) | .total_ns] | add // 0))] |
		all' | grep -qx true
	[ "$(query callgraph .nodes[0].total_ns)" -le $((elapsed * 1000)) ]
}

@test "samples follow the CPU time, without signals" {
	OPTIONS='-s 1000' agrees cases spins
	sum=$(query callgraph '[.nodes[].samples] | add')
	cpu_ms=$(query exit '(.user_us + .system_us) / 1000 | floor')
	echo "$sum samples in $cpu_ms ms"
	[ "$sum" -le $((cpu_ms + 10)) ]
	[ $((sum * 10)) -ge $((cpu_ms * 6)) ]
	# Samples in functions without a node are not lost.
	OPTIONS='-s 1000 -n 2' record 0 cases spins
	sum=$(query callgraph '[.nodes[].samples] | add')
	cpu_ms=$(query exit '(.user_us + .system_us) / 1000 | floor')
	[ $((sum * 10)) -ge $((cpu_ms * 6)) ]
	# No system call is interrupted: then the program would abort.
	OPTIONS='-s 1000 -i 2' record 0 cases end main
	[ "$(query callgraph '.nodes[].samples' | awk '{ n += $1 } END { print n }')" \
		-le 10 ]
}

@test "marks keep their order, and dropped ones are counted" {
	record 0 cases marks 3
	query mark .name | sort -u >names
	[ "$(cat names)" = '"a \"name\" é"' ]
	[ "$(query mark .value | tr '\n' ' ')" = '0.1 1.1 2.1 ' ]
	record 0 cases marks 1
	[ "$(query mark '.name | length' | tr '\n' ' ')" = '10 63 ' ]
	record 0 cases marks 20000
	dropped=$(sed -n 's/.*warning: \([0-9]*\) marks.*/\1/p' err |
		awk "{ n += \$1 } END { print n + 0 }")
	[ $(($(query mark .value | wc -l) + dropped)) -eq 20000 ]
}

# --- other tools, symbols, installation ---

@test "valgrind reports no error" {
	skip_sanitized_build
	command -v valgrind >/dev/null || skip "no valgrind here"
	for program in calls calls.shared; do
		status=0
		callgraph-record -o rec valgrind -q --error-exitcode=99 \
			"$PROGRAMS/$program" 10 >out 2>err || status=$?
		cat err
		[ "$status" -eq 3 ]
	done
	PREFIX='valgrind -q --error-exitcode=99'
	for case in threads keys jumps forks closes; do
		agrees cases $case
		[ ! -s err ] || { cat err; false; }
	done
	agrees throw
}

# Prints how often callgrind has counted a call of a function.
CALLGRIND_CALLS='
import re, sys

names, n, callee = {}, 0, None
for line in sys.stdin:
    m = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?", line)
    if m and m[3]:
        names[m[2]] = m[3]
    if m and m[1] == "cfn":
        callee = m[2]
    m = re.match(r"calls=(\d+)", line)
    if m and names[callee].split(chr(39))[0] == sys.argv[1]:
        n += int(m[1])
print(n)
'

@test "callgrind counts the same calls" {
	skip_sanitized_build
	command -v valgrind >/dev/null || skip "no valgrind here"
	record 3 calls 10
	valgrind --tool=callgrind --callgrind-out-file=callgrind \
		"$PROGRAMS/calls.plain" 10 >/dev/null 2>&1 || true
	fib=$(python3 -c "$CALLGRIND_CALLS" fib <callgrind)
	fn=$(nm "$PROGRAMS/calls" | awk '$3 == "fib" { print $1 }')
	base=$(query callgraph '.modules[] | select(.path | endswith("calls")) |
		.base' | tr -d '"')
	address=$(printf '0x%x' $((0x$fn + base)))
	[ "$(query callgraph '[.nodes[] | select(.function == "'"$address"'") |
		.calls] | add')" -eq "$fib" ]
}

@test "only the public names are exported" {
	skip_sanitized_build
	nm -D --defined-only "$BUILD/libweir-instrument.so" | awk '{ print $3 }' |
		sort >seen
	lines _Exit __cyg_profile_func_enter __cyg_profile_func_exit \
		__longjmp_chk _exit _longjmp longjmp sigaction siglongjmp signal \
		vfork weir_mark >wanted
	diff wanted seen
	nm -g --defined-only "$BUILD/libweir-instrument.a" |
		awk 'NF == 3 { print $3 }' | sort | diff wanted -
	nm -D --defined-only "$BUILD/libweir-instrument-noop.so" |
		awk '{ print $3 }' | sort | diff - <(grep -E 'cyg|weir' wanted)
}

@test "the instrument does not use the C library to allocate, print or exit" {
	skip_sanitized_build
	nm -u "$BUILD/libweir-instrument.a" >wants
	run -1 grep -wE 'malloc|calloc|realloc|free|mmap|write|printf|exit|getenv' \
		wants
	! readelf -d "$BUILD/libweir-instrument.so" | grep STATIC_TLS
}

@test "each file uses only files above it in the list of instrument.h" {
	skip_sanitized_build
	sed -n 's/^ \*\t\([a-z-]*\)\t.*/\1/p' "$ROOT/instrument/instrument.h" \
		>order
	ls "$ROOT"/instrument/*.c | sed 's|.*/||; s|\.c$||' | grep -vx noop |
		sort | diff - <(sort order)
	while read -r file; do
		nm "$BUILD/instrument/$file.o" | sed "s/^/$file /"
	done <order | awk '
		$1 != file { file = $1; names[++n] = file }
		$(NF - 1) ~ /^[TDBRV]$/ { definer[$NF] = n }
		$(NF - 1) == "U" { uses[n, $NF] }
		END {
			for (use in uses) {
				split(use, part, SUBSEP)
				if (definer[part[2]] > part[1])
					print names[part[1]] " uses " part[2]
			}
		}' >wrong
	cat wrong
	[ ! -s wrong ]
}

@test "the libraries, the header and the pkg-config file are installed" {
	[[ $BUILD == */san ]] && san=SAN=1 || san=
	make -s -C "$ROOT" $san PREFIX=/usr DESTDIR="$PWD/root" install \
		>/dev/null 2>&1
	ls root/usr/lib/libweir-instrument{,-noop}.{a,so} \
		root/usr/include/weir-instrument.h \
		root/usr/share/man/man3/weir-instrument.3
	[ "$(sed -n 's/^Libs: //p' root/usr/lib/pkgconfig/weir-instrument.pc)" = \
		'-L${libdir} -lweir-instrument' ]
	grep -qx 'libdir=/usr/lib' root/usr/lib/pkgconfig/weir-instrument.pc
	make -s -C "$ROOT" $san PREFIX=/usr DESTDIR="$PWD/root" uninstall
	[ -z "$(find root -type f)" ]
}
