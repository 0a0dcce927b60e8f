# instrument.bats - what libweir-instrument counts is what happened, and the
# program does what it would do without it

load helper
load instrument

# --- counts ---

@test "calls are counted by call site, however the program is linked" {
	for how in '' .nopie .static .staticpie .shared; do
		record 3 calls$how
		oracle
		of callgraph .nodes[0] | grep -q function
	done
}

@test "the program prints and returns what it would without the instrument" {
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

@test "the same function called from two places is two nodes, with its stack" {
	record 3 calls 2
	# main calls fib, and fib calls itself from two lines.
	of callgraph '[.nodes[] | [.parent, .call_site, .function]] |
		(unique | length) == length' | grep -qx true
	[ "$(python3 "$TEST/oracles/instrument.py" rec | wc -l)" -eq 1 ]
	fn=$(nm "$PROGRAMS/calls" | awk '$3 == "fib" { print $1 }')
	[ "$(of callgraph '[.nodes[] | select(.function | endswith("'"${fn: -3}"'")) |
		.call_site] | unique | length')" -eq 3 ]
}

@test "eight threads call the same functions" {
	record 0 cases threads
	oracle
	[ "$(of callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 9 ]
}

@test "50,000 short threads are counted, in as many trees as ran at a time" {
	[[ $BUILD == */san ]] && n=5000 || n=50000
	record 0 cases short $n
	oracle
	[ "$(of callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 6 ]
	[ "$(of exit .max_rss_bytes)" -lt 20000000 ]
}

@test "what destructors of a thread's data call is counted" {
	agrees cases keys
	# A destructor that runs behind ours begins no tree that is left behind.
	agrees cases keys 1
	[ "$(of callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 4 ]
}

@test "threads that are cancelled are counted" {
	for how in '' .static; do
		agrees cases$how cancels
	done
}

@test "a stack of 100,000 calls" {
	agrees cases deep 100000
	# In pre-order, each is the next one's parent.
	[ "$(of callgraph '.nodes | length')" -eq 100002 ]
	[ "$(of callgraph '[.nodes[] | .parent // -1] == [range(-1; 100001)]')" = \
		true ]
}

@test "a stack deeper than there are frames for loses no call" {
	ulimit -s unlimited
	# Where address space is limited, there are few.
	PREFIX='prlimit --as=2000000000' record 0 cases deep 300000
	[ "$(total)" -eq 300002 ]
	limited=$(of callgraph .nodes_limited)
	[ "$limited" -gt 0 ]
	[ "$(of callgraph '.nodes | length')" -eq $((300002 - limited)) ]
}

@test "a program whose malloc is its own and is counted" {
	agrees alloc
}

@test "longjmp leaves exactly the calls that it leaves" {
	agrees cases jumps
	agrees cases between
	# Every leaf lies under the function that called it, at its depth.
	[ "$(of callgraph '.nodes | length')" -eq 8 ]
	# By what _FORTIFY_SOURCE makes of it, as well.
	PROGRAMS=$PWD
	gcc -g -O1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
		-finstrument-functions -I"$ROOT/instrument" -o cases \
		"$TEST/programs/instrument/cases.c" \
		"$BUILD/libweir-instrument.a"
	nm cases | grep -q __longjmp_chk
	agrees cases jumps
}

@test "C++ exceptions leave calls" {
	for how in '' .static; do
		agrees throw$how
		[ "$(of callgraph '.nodes | length')" -eq 18 ]
	done
}

@test "a static program has threads, jumps, signals, children and ends" {
	for case in threads jumps signals forks vfork closes; do
		agrees cases.static $case
	done
	record 0 cases.static end main && oracle
	record 7 cases.static end thread && oracle
	record 134 cases.static end abort
	[ "$(of crash .signal_name)" = '"SIGABRT"' ]
}

@test "a program under sanitizers is counted and finds nothing" {
	once
	for how in asan tsan; do
		ASAN_OPTIONS=detect_leaks=0 record 3 calls.$how
		[ "$(grep -v 'an error' err)" = "" ]
		of callgraph .final | grep -qx true
		fib=$(nm "$PROGRAMS/calls.$how" | awk '$3 == "fib" { print $1 }')
		[ "$(of callgraph '[.nodes[] | select(.function |
			endswith("'"${fib: -3}"'")) | .calls] | add')" -ge 1973 ]
		for case in threads keys jumps signals forks vfork \
			'short 400'; do
			ASAN_OPTIONS=detect_leaks=0 agrees cases.$how $case
			[ ! -s err ] || { cat err; false; }
		done
	done
}

@test "signal handlers call functions at any moment" {
	agrees cases signals
	OPTIONS='-t -i 10' agrees cases signals
	agrees cases signals-turns 14
	# Not in the instrument's own thread, though nobody else would take it.
	OPTIONS='-i 1' agrees cases blocked
}

@test "a signal handler calls functions after each instruction" {
	agrees cases steps 3 1
	OPTIONS=-t agrees cases steps 3 1
	OPTIONS=-f agrees cases steps 3 1
	# Seldom enough that it comes first to where a node is being made.
	agrees cases steps 7 101
}

@test "a coroutine does no harm" {
	COROUTINES=1 agrees cases coroutines	# stacks may be wrong
}

@test "a library that is loaded is counted, and told of when it is gone" {
	agrees cases plugin "$PROGRAMS/plugin.so"
	of callgraph '.modules[].path' | grep -q plugin.so
	[ "$(nm "$PROGRAMS/plugin.so" | grep -c plugin_)" -eq 2 ]
	[ "$(of callgraph '[.nodes[] | select(.calls == 30)] | length')" -eq 1 ]
}

@test "modules tell where in the file an address is, and which file it was" {
	for how in '' .nopie .static .staticpie; do
		record 3 calls$how 2
		of callgraph '.modules[] | select(.path | endswith("calls'$how'"))' \
			>module
		id=$(readelf -n "$PROGRAMS/calls$how" |
			sed -n 's/.*Build ID: //p')
		[ "$(jq -r .build_id module)" = "$id" ]
	done
	record 3 calls.static 2
	[ "$(of callgraph '.modules | length')" -eq 1 ]
	[ "$(of callgraph '.modules[0].base')" = '"0x0"' ]
}

# --- processes and ends ---

@test "a child by fork counts its own, beginning with nothing" {
	agrees cases forks
	[ "$(of callgraph .pid | sort -u | wc -l)" -eq 3 ]
	# What it was called from is there, with no calls.
	[ "$(of callgraph 'select(.pid != '"$(of exit .pid)"') |
		.nodes[0:3] | map(.calls)' | sort -u)" = "[0,0,1]" ]
	agrees cases fork-threads
	[ "$(of callgraph .pid | wc -l)" -eq 21 ]
	# Forked while another thread sends.
	OPTIONS='-i 1' agrees cases fork-threads 12
}

@test "a child by vfork leaves its parent's calls in order" {
	agrees cases vfork
	[ "$(of callgraph '.nodes | length')" -eq 7 ]
	PREFIX='strace -f -o trace -e inject=vfork:error=EAGAIN' \
		agrees cases vfork
	[ "$(grep -c 'temporarily unavailable' out)" -eq 10 ]
}

@test "a child that the C library knows nothing of says nothing" {
	agrees cases children-end
	[ "$(of callgraph .pid)" = "$(of exit .pid)" ]
	[ "$(of callgraph .final)" = true ]
	[ -z "$(of mark .name)" ]
}

@test "whichever way a program ends, its calls are there" {
	record 7 cases end thread && oracle
	record 0 cases end main && oracle
	record 5 cases end _exit && oracle
	record 6 cases end quick && oracle
	record 4 cases end live
	of callgraph .final | grep -qx true
}

@test "a crash sends its stack, and the program dies of its own signal" {
	for crash in segv:139:SEGV fpe:136:FPE ill:132:ILL abort:134:ABRT \
		kill:135:BUS; do
		IFS=: read -r how status name <<<"$crash"
		run "$PROGRAMS/cases" end "$how"
		[ "$status" -eq "${crash//[^0-9]/}" ]
		record "$status" cases end "$how"
		[ "$(of crash .signal_name)" = "\"SIG$name\"" ]
		# Innermost first: crash, ends, main.
		[ "$(of crash '.frames | length')" -eq 3 ]
		[ "$(of exit .signal)" -eq "$(kill -l $name)" ]
		[ "$(of callgraph .final)" = null ]
		address=$(of crash '[.frames[0].function, .modules[0].base] |
			join(" ")' | tr -d '"')
		read -r function base <<<"$address"
		nm "$PROGRAMS/cases" | grep -q \
			"$(printf '%x' $((function - base))) t crash$"
	done
}

@test "a stack that overflows is told of, too" {
	OPTIONS='-n 5000' record 139 cases end overflow
	[ "$(of crash '.frames | length')" -eq 1000 ]
	[ "$(of crash .frames_omitted)" -gt 1000 ]
}

@test "the program's own handler for a crash runs" {
	record 9 cases end handler
	grep -qx 'own handler' out
	[ "$(of crash .signal)" -eq 11 ]
	# It gets all that the system has to say.
	record 9 cases end info
	# Once, if that is what it was set for.
	record 139 cases crash-twice
	[ "$(of crash .signal | tr '\n' ' ')" = '11 11 ' ]
	[ "$(of callgraph '.nodes | length')" -gt 0 ]
}

@test "of the crashes that a program survives, the first 16 are told" {
	agrees cases crashes 1
	[ "$(of crash '.frames | length' | tr '\n' ' ')" = \
		"$(printf '503 %.0s' {1..16})" ]
	# Several at a time: each is told whole, or not at all.
	for _ in {1..10}; do
		record 0 cases crashes 8
		n=$(of crash '.frames | length' | grep -cx 503)
		[ "$n" -ge 1 ] && [ "$n" -eq "$(of crash .signal | wc -l)" ]
		[ ! -s err ] || { cat err; false; }
	done
}

@test "a crash of which nobody hears is the program's own" {
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

@test "the limit of nodes moves calls to an ancestor, and loses none" {
	record 0 cases turns 12
	all=$(total)
	[ "$(of callgraph .nodes_limited)" = null ]
	OPTIONS='-n 1000' record 0 cases turns 12
	[ "$(total)" -eq "$all" ]
	[ "$(of callgraph '.nodes | length')" -eq 1000 ]
	[ "$(of callgraph .nodes_limited)" -eq $((all - 1000)) ]
	# Each callgraph says how many of its own.  Who is busy sends one alone.
	for turns in {18..26}; do
		OPTIONS='-n 1000 -i 1' record 0 cases turns $turns
		[ "$(of callgraph .pid | wc -l)" -eq 1 ] || break
	done
	[ "$(of callgraph .pid | wc -l)" -gt 1 ]
	[ "$(of callgraph '.nodes_limited // 0' |
		awk '{ n += $1 } END { print n }')" -eq $(($(total) - 1000)) ]
}

@test "what is no number of nodes is none" {
	WEIR_MAX_NODES=10 record 0 cases turns 12
	[ "$(of callgraph '.nodes | length')" -eq 10 ]
	for n in 10x 0 -5 '' 99999999999999999999999; do
		WEIR_MAX_NODES=$n record 0 cases turns 12
		[ "$(of callgraph '.nodes | length')" -eq 8192 ]
	done
}

@test "folded recursion returns to its node" {
	OPTIONS='-f' record 3 calls 20
	oracle
	of callgraph .folded_recursion | grep -qx true
	[ "$(of callgraph '.nodes | length')" -lt 40 ]
	# No path has a function from the same place twice.
	of callgraph '.nodes as $n | [range(0;
		$n | length) | . as $i | [recurse($n[.].parent // empty)] |
		map([$n[.].function, $n[.].call_site]) |
		(unique | length) == length] | all' | grep -qx true
}

@test "no memory: the program does not notice" {
	PREFIX='prlimit --as=16000000' record 0 cases turns 17
	[ "$(total)" -eq $((2 ** 18)) ]
	[ "$(of callgraph .nodes_limited)" -gt 0 ]
	[ "$(cat out)" = "done" ]
}

@test "no memory at any moment: the program does not notice" {
	once
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
	for ((i = n; i < n + 8; i++)); do
		status=0
		callgraph-record -o rec strace -f -o trace \
			-e inject=mmap:error=ENOMEM:when=$i+ \
			"$PROGRAMS/calls" >out 2>err || status=$?
		[ "$status" -eq 3 ]
		grep -qx 'fib 610' out
	done
}

@test "no memory for a thread: it gives up, and says so" {
	once
	# The first that each of them maps
	callgraph-record -o rec strace -f -o trace \
		-e inject=mmap:error=ENOMEM:when=1 \
		"$PROGRAMS/cases.static" threads >out 2>err
	[ "$(cat out)" = "done" ]
	of callgraph '[.gave_up, .final]' | grep -qx '\[true,true\]'
	record 0 cases.static threads
	[ "$(of callgraph .gave_up)" = null ]
}

@test "a node takes 96 bytes, or 104 with time" {
	once
	record 0 cases turns 17
	few=$(of exit .max_rss_bytes)
	OPTIONS='-n 1000' record 0 cases turns 17
	nodes=$((2 ** 18 - 1000))
	bytes=$(((few - $(of exit .max_rss_bytes)) / nodes))
	echo "$bytes bytes"
	[ "$bytes" -le 98 ]
}

# --- the wrapper ---

@test "without a wrapper it sleeps, and touches no descriptor" {
	echo input >input
	strace -f -o trace "$PROGRAMS/calls" <input >/dev/null 2>&1 || true
	! grep -E 'socket|sendto|read\(0' trace
	WEIR_SOCKET=/nowhere/at/all run -3 --separate-stderr "$PROGRAMS/calls"
	assert_equal "$stderr" "an error"
	# Nor is a part of a path that is too long somebody's.
	WEIR_SOCKET=/$(printf '%0300d' 0) run -3 strace -f -o trace \
		"$PROGRAMS/calls"
	! grep -E 'connect' trace
}

@test "a program that closes all descriptors keeps what it opens then" {
	ulimit -n 1024
	agrees cases closes
	[ ! -s file ]
	[ "$(of callgraph .final)" = true ]
}

@test "a program that closes all descriptors again and again is left alone" {
	OPTIONS='-i 5' record 0 cases closes-often
	n=$(of callgraph .pid | wc -l)
	[ "$n" -ge 10 ] && [ "$n" -le 100 ]
}

@test "the line that was being sent when its descriptor was closed goes again" {
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

@test "its descriptor is in nobody's way, and no other program's" {
	"$PROGRAMS/cases" descriptors | sort -n >want
	record 0 cases descriptors
	sort -n out | diff want -
}

@test "a program with another's rights is not looked into" {
	[ "$(id -u)" -eq 0 ] || skip "this takes root"
	cp "$PROGRAMS/calls" program
	chgrp 65534 program
	chmod g+s program
	PROGRAMS=$PWD record 3 program
	grep -q 'nothing was recorded' err
}

@test "of two copies of the instrument one is heard" {
	PROGRAMS=$PWD
	gcc -g -finstrument-functions -fPIC -shared -o plugin.so \
		"$TEST/programs/instrument/plugin/plugin.c" -Wl,--whole-archive \
		"$BUILD/libweir-instrument.a" -Wl,--no-whole-archive
	cp "$BUILD/test/programs/instrument/cases" .
	agrees cases plugin "$PWD/plugin.so"
	[ "$(of callgraph .final)" = true ]
	[ "$(of callgraph '[.nodes[] | select(.calls == 30)] | length')" -eq 1 ]
}

@test "a program that has closed all descriptors is asked and answers" {
	ulimit -n 1024
	start cases closes-until
	until_true test -e file
	sleep 1.2	# it looks once a second
	kill -USR1 "$wrapper"
	sleep 0.2
	stop
	wait "$wrapper"
	oracle
	[ ! -s file ]
	[ "$(of callgraph .final | tr '\n' ' ')" = 'null true ' ]
}

@test "the wrapper is killed: the program does not notice" {
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

@test "the wrapper is killed: the instrument's thread ends" {
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

@test "without a thread of its own there is the callgraph at the end" {
	OPTIONS='--no-helper -i 5 -s 1000' start cases until
	until_true compgen -G 'rec.*'
	sleep 0.2
	[ "$(ls "/proc/$(pgrep -P "$(pgrep -P "$wrapper")")/task" | wc -l)" -eq 1 ]
	stop
	wait "$wrapper"
	oracle
	[ "$(of callgraph .final)" = true ]
}

@test "the wrapper stops for a while: nothing is lost" {
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
	[ "$(of callgraph .pid | wc -l)" -gt 10 ]
}

@test "the wrapper stops for good: the program ends in a second or two" {
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

@test "callgraphs at intervals add up to what happened" {
	OPTIONS='-i 2' agrees cases threads
	OPTIONS='-i 2 -t -s 1000' start cases until
	sleep 0.5
	stop
	wait "$wrapper"
	oracle
	[ "$(of callgraph .pid | wc -l)" -gt 5 ]
}

@test "self time is that of the function, total time with what it called" {
	OPTIONS='-t' agrees cases spins
	of callgraph '[.nodes[] | select(.calls == 5)][0].self_ns' >five
	[ "$(cat five)" -ge 50000000 ]
	[ "$(cat five)" -le 80000000 ]
	of callgraph '.nodes as $n | [range(0;
		$n | length) | . as $i | $n[$i].total_ns == ($n[$i].self_ns +
		([$n[] | select(.parent == $i) | .total_ns] | add // 0))] |
		all' | grep -qx true
	elapsed=$(of exit .elapsed_us)
	[ "$(of callgraph .nodes[0].total_ns)" -le $((elapsed * 1000)) ]
}

@test "samples follow the CPU time, without signals" {
	OPTIONS='-s 1000' agrees cases spins
	sum=$(of callgraph '[.nodes[].samples] | add')
	cpu_ms=$(of exit '(.user_us + .system_us) / 1000 | floor')
	echo "$sum samples in $cpu_ms ms"
	[ "$sum" -le $((cpu_ms + 10)) ]
	[ $((sum * 10)) -ge $((cpu_ms * 6)) ]
	# Nor are those lost that have no node of their own.
	OPTIONS='-s 1000 -n 2' record 0 cases spins
	sum=$(of callgraph '[.nodes[].samples] | add')
	cpu_ms=$(of exit '(.user_us + .system_us) / 1000 | floor')
	[ $((sum * 10)) -ge $((cpu_ms * 6)) ]
	# Nor is a call of the system interrupted.
	OPTIONS='-s 1000 -i 2' record 0 cases end main
	[ "$(of callgraph '.nodes[].samples' | awk '{ n += $1 } END { print n }')" \
		-le 10 ]
}

@test "marks are kept in order, or said to be lost" {
	record 0 cases marks 3
	of mark .name | sort -u >names
	[ "$(cat names)" = '"a \"name\" é"' ]
	[ "$(of mark .value | tr '\n' ' ')" = '0.1 1.1 2.1 ' ]
	record 0 cases marks 1
	[ "$(of mark '.name | length' | tr '\n' ' ')" = '10 63 ' ]
	record 0 cases marks 20000
	lost=$(sed -n 's/.*warning: \([0-9]*\) marks.*/\1/p' err |
		awk "{ n += \$1 } END { print n + 0 }")
	[ $(($(of mark .value | wc -l) + ${lost:-0})) -eq 20000 ]
}

# --- others' eyes ---

@test "valgrind finds nothing wrong with it" {
	once
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

# How often callgrind has seen a function called.
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
	once
	command -v valgrind >/dev/null || skip "no valgrind here"
	record 3 calls 10
	valgrind --tool=callgrind --callgrind-out-file=callgrind \
		"$PROGRAMS/calls.plain" 10 >/dev/null 2>&1 || true
	fib=$(python3 -c "$CALLGRIND_CALLS" fib <callgrind)
	fn=$(nm "$PROGRAMS/calls" | awk '$3 == "fib" { print $1 }')
	base=$(of callgraph '.modules[] | select(.path | endswith("calls")) |
		.base' | tr -d '"')
	address=$(printf '0x%x' $((0x$fn + base)))
	[ "$(of callgraph '[.nodes[] | select(.function == "'"$address"'") |
		.calls] | add')" -eq "$fib" ]
}

@test "only the public names can be seen" {
	once
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

@test "it allots, prints and exits by nothing of the C library" {
	once
	nm -u "$BUILD/libweir-instrument.a" >wants
	! grep -wE 'malloc|calloc|realloc|free|mmap|write|printf|exit|getenv' \
		wants
	! readelf -d "$BUILD/libweir-instrument.so" | grep STATIC_TLS
}

@test "it is installed with its header and what pkg-config needs" {
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
