# instrument.bats - libweir-instrument, the instrument, counts exactly, and does
# not change what the program does
#
# The programs are in test/programs/instrument: `calls [N]` calls fib(N),
# fib(15) by default, and ends with 3; `cases CASE [ARGUMENT...]` selects a
# function by its first argument.  `cases turns N` makes a binary tree of
# 2^(N + 1) - 1 calls, called the turns, in which each call has a node of its
# own.  callgraph-record is the wrapper, which reads the counts and writes them as
# callgraph records.  Options in OPTIONS: -t measures time, -i MS writes a record
# every MS milliseconds, -s HZ takes samples, -n N limits the number of nodes,
# -f folds recursion.
#
# The instrument is built without sanitizers in both halves of the check.  The
# tests that also run in the sanitized half, at the end, are those of what
# callgraph-record reads.
load helper
load instrument

# bats file_tags=normal

# --- counts ---

@test "calls are counted by call site, however the program is linked" {
	for how in '' .nopie .static .staticpie .shared; do
		keep 3 calls$how
	done
	oracle
	[ "$(query callgraph '.nodes[0] | has("function")' | uniq -c |
		tr -d ' ')" = 5true ]
}

@test "the output and status of a program do not change" {
	cd "$BATS_TEST_TMPDIR"
	# This program is not instrumented.
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

@test "a function called from three places has three call sites" {
	record 3 calls 2
	# No call has two nodes below the same parent.
	query callgraph '[.nodes[] | [.parent, .call_site, .function]] |
		(unique | length) == length' | grep -qx true
	[ "$(oracle | wc -l)" -eq 1 ]
	# main calls fib, and fib calls itself from two lines.  The last three
	# digits of an address are the same wherever the program is loaded.
	fib=$(nm "$PROGRAMS/calls" | awk '$3 == "fib" { print $1 }')
	[ "$(query callgraph '[.nodes[] | select(.function | endswith("'"${fib: -3}"'")) |
		.call_site] | unique | length')" -eq 3 ]
}

@test "eight threads call the same functions" {
	record 0 cases threads
	oracle
	# At most one tree for each thread, and one for the main thread: a root
	# is a node without a parent.
	[ "$(query callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 9 ]
}

@test "10,000 short threads need as many trees as run at the same time" {
	record 0 cases short 10000
	oracle
	# Four run at the same time as the main thread, so five are enough; one
	# more is tolerated.
	[ "$(query callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 6 ]
	# A struct thread for each thread would take far more memory.
	[ "$(query exit .max_rss_bytes)" -lt 20000000 ]
}

@test "calls in destructors of thread-specific data are counted" {
	agrees cases keys
	agrees cases keys 1
	# The nodes without a parent are main, with_key and at_thread_end_again,
	# since the 100 threads run one after the other and share a tree; one
	# more is tolerated.  If calls in a destructor that runs after the
	# instrument's own began a new tree, each thread would add one.
	[ "$(query callgraph '[.nodes[] | select(has("parent") | not)] | length')" \
		-le 4 ]
}

@test "threads that are cancelled are counted" {
	for how in '' .static; do
		keep 0 cases$how cancels
	done
	oracle
}

@test "a stack deeper than the shadow stack loses no call" {
	ulimit -s unlimited
	# The shadow stack, the instrument's own stack of the current calls,
	# cannot be extended any more.  The calls are main, and dive with each n
	# from 300,000 to 0.
	PREFIX='strace -o trace -e inject=mremap:error=ENOMEM:when=100+' \
		record 0 cases deep 300000
	[ "$(total)" -eq 300002 ]
	limited=$(query callgraph .nodes_limited)
	[ "$limited" -gt 0 ]
	[ "$(query callgraph '.nodes | length')" -eq $((300002 - limited)) ]
}

@test "a program that defines malloc itself is counted" {
	agrees alloc
}

# own_is_called COMPILER [OPTION...] - links own.o, and checks that the program calls
# its own function as often with the wrapper as without it
own_is_called() {
	local status=0
	link "$1" own "${@:2}" && record 7 own && [ "$(cat out)" -ge 1 ] &&
		[ "$(total)" -ge 2 ] || return
	./own >alone || status=$?
	[ "$status" -eq 7 ] && cmp alone out
}

@test "a program may define itself what the instrument interposes" {
	last=$(compilers | tail -n 1)
	for own in SIGNAL SIGACTION VFORK SYSCALL PRCTL LONGJMP _EXIT; do
		compile gcc own -w -DOWN_$own
		own_is_called gcc
		own_is_called gcc -static
		compile $last own -w -DOWN_$own
		own_is_called $last -static-pie
	done
}

@test "longjmp ends exactly the calls that it abandons" {
	agrees cases jumps
	agrees cases between
	# Each call of leaf is below its caller, at the right depth.  The nodes
	# are main, jump_between, jumps_in_thread, jump_from_handler, on_signal,
	# and leaf below each of the last three.
	[ "$(query callgraph '.nodes | length')" -eq 8 ]
	# The same with __longjmp_chk, which _FORTIFY_SOURCE selects
	PROGRAMS=$PWD
	gcc -g -O1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
		-finstrument-functions -I"$ROOT/instrument" -o cases \
		"$TEST/programs/instrument/cases.c" \
		"$BUILD/libweir-instrument.a"
	nm cases | grep -q __longjmp_chk
	agrees cases jumps
}

# clang_too COMMAND... - runs COMMAND, if clang is installed
clang_too() {
	! command -v clang++ >/dev/null || "$@"
}

@test "C++ exceptions end the calls that they pass through" {
	# The nodes: main, depths, catch_one, dive at seven depths, ~guard below
	# each of these seven, and leaf below depths and catch_one
	for how in '' .static; do
		agrees throw$how depths
		[ "$(query callgraph '.nodes | length')" -eq 19 ]
	done
	for case in stacks nested ends contexts; do
		keep 0 throw $case
	done
	oracle
}

# compile_throw COMPILER - compiles `throw` to throw.o
compile_throw() {
	"$1" -g -O1 -finstrument-functions -fno-optimize-sibling-calls \
		-I"$ROOT/instrument" -c "$TEST/programs/instrument/throw.cc"
}

# throws_exactly COMPILER [OPTION...] - links throw.o, and checks its cases
throws_exactly() {
	local case
	rm -rf kept
	link "$1" throw "${@:2}" || return
	for case in depths stacks nested ends contexts; do
		keep 0 throw $case && [ ! -s err ] || return
	done
	oracle
}

@test "clang calls no exit hook for an exception: the tree is the same" {
	command -v clang++ >/dev/null || skip "clang is not installed"
	compile_throw clang++
	throws_exactly clang++
	# In a static program the unwinder's function has to be wrapped.
	throws_exactly clang++ -static -Wl,--wrap=_Unwind_SetIP
	compile_throw g++
	throws_exactly g++ -Wl,--wrap=_Unwind_SetIP
}

# through_c CC CXX LINK_OPTIONS... - compiles a program that throws 1000 exceptions
# through two C functions, and checks it as linked with each LINK_OPTIONS
through_c() {
	local cc=$1 cxx=$2 options
	shift 2
	cat >lib.c <<-'END'
	static void item(void (*f)(void)) { f(); }
	void parse(void (*f)(void)) { item(f); }
	END
	cat >app.cc <<-'END'
	extern "C" void parse(void (*)(void));
	static void on_error() { throw 1; }
	static void after() { }
	int main() {
		for (int i = 0; i < 1000; i++) {
			try { parse(on_error); } catch (int) { }
			after();
		}
	}
	END
	"$cc" -g -finstrument-functions -c lib.c &&
		"$cxx" -g -finstrument-functions -c app.cc || return
	for options; do
		"$cxx" -o app app.o lib.o "$BUILD/libweir-instrument.a" \
			$options && callgraph-record -o rec ./app &&
			has_tree_through_c || return
	done
}

has_tree_through_c() {
	callgraph-symbolize rec | callgraph-fold -b calls | sort >got
	diff - got <<-'END'
		main 1
		main;after() 1000
		main;parse 1000
		main;parse;item 1000
		main;parse;item;on_error() 1000
		END
}

@test "an exception ends the C functions that it passes through" {
	through_c gcc g++ '' -static-libstdc++ \
		'-static -Wl,--wrap=_Unwind_SetIP'
	clang_too through_c clang clang++ ''
}

@test "an exception of a plugin in a C program ends its calls" {
	through_c gcc g++ ''	# makes lib.c and app.cc
	sed 's/int main/extern "C" int run/; $s/}/return 0; }/' app.cc >plugin.cc
	gcc -g -finstrument-functions -fPIC -c lib.c
	g++ -g -finstrument-functions -fPIC -shared -o plugin.so plugin.cc lib.o
	cat >host.c <<-'END'
	#include <dlfcn.h>
	int main(void) {
		void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
		return ((int (*)(void))dlsym(plugin, "run"))();
	}
	END
	for library in "-rdynamic $BUILD/libweir-instrument.a" \
		"-L$BUILD -lweir-instrument -Wl,-rpath,$BUILD"; do
		gcc -finstrument-functions -o host host.c $library
		callgraph-record -o rec ./host
		[ "$(query callgraph '[.nodes[].calls]')" = \
			'[1,1,1000,1000,1000,1000]' ]
	done
}

@test "a loop that catches from a function inlined by clang keeps a small tree" {
	command -v clang++ >/dev/null || skip "clang is not installed"
	cat >app.cc <<-'END'
	static inline void fail(int i) { if (i >= 0) throw 1; }
	__attribute__((noinline)) void leaf() { __asm__ volatile (""); }
	int main() {
		for (volatile int i = 0; i < 1000; i = i + 1)
			try { fail(i); } catch (int) { leaf(); }
	}
	END
	clang++ -g -O2 -finstrument-functions -o app app.cc \
		"$BUILD/libweir-instrument.a"
	callgraph-record -o rec ./app
	[ "$(total)" -eq 2001 ]
	[ "$(query callgraph '.nodes | length')" -le 5 ]
}

# make_program SEED - makes a random program, see gen/frames.py, which counts its
# own paths
make_program() {
	seed=$1
	python3 "$TEST/gen/frames.py" "$seed" . && gcc -c count.c
}

# paths_agree CC CXX OPTION... - checks the program that make_program() has made
paths_agree() {
	local cc=$1 cxx=$2
	shift 2
	"$cc" -w "$@" -c b.c && "$cxx" -w "$@" -c a.cc &&
		"$cxx" -w "$@" -fno-exceptions -c c.cc &&
		"$cxx" -o app a.o b.o c.o count.o \
			"$BUILD/libweir-instrument.a" &&
		callgraph-record -o rec ./app >out 2>err && [ ! -s err ] &&
		callgraph-symbolize rec | callgraph-fold -b calls | sort >got &&
		sort out | diff - got >differences && return
	echo "seed $seed: $cc $*"
	head -n 20 err differences
	return 1
}

by_gcc() {
	paths_agree gcc g++ -O$((seed % 4)) -finstrument-functions
}

by_gcc_inlined() {
	paths_agree gcc g++ -O2 -DINLINE -finstrument-functions
}

by_clang() {
	clang_too paths_agree clang clang++ -O$((seed % 4)) \
		-finstrument-functions-after-inlining \
		-fno-optimize-sibling-calls
}

@test "a random program that throws and jumps has the same tree by gcc and clang" {
	make_program 10
	by_gcc
	by_gcc_inlined
	by_clang
}

# bats test_tags=exhaustive
@test "random programs that throw and jump have the same tree by gcc and clang" {
	for seed in 2 3 4 6 9; do
		make_program $seed
		by_gcc
		by_gcc_inlined
		by_clang
	done
}

@test "a jump that the instrument does not see is reported" {
	cat >app.c <<-'END'
	#include <stdlib.h>
	static void *target[5];
	void jump(void) { __builtin_longjmp(target, 1); }
	void call(void) { jump(); }
	void land(void) {
		if (__builtin_setjmp(target) == 0)
			call();
	}
	int main(int argc, char **argv) {
		volatile int left = argc;
		__builtin_setjmp(target);
		if (left-- > 1)
			call();
		if (argc > 1)
			exit(0);
		land();
		return argv == NULL;
	}
	END
	gcc -finstrument-functions -o app app.c "$BUILD/libweir-instrument.a"
	# land() returns, but not what it has called; exit() is called instead.
	for arguments in '' '1 2'; do
		callgraph-record -o rec ./app $arguments 2>err
		grep -q 'in a way that the instrument does not see' err
	done
}

@test "a static program may have threads, jumps, signals, children, exits" {
	for case in threads jumps signals forks vfork closes 'end main'; do
		keep 0 cases.static $case
	done
	keep 7 cases.static end thread
	oracle
	record 134 cases.static end abort
	[ "$(query crash .signal_name)" = '"SIGABRT"' ]
}

@test "a program with sanitizers is counted, and they report nothing" {
	for how in asan tsan; do
		ASAN_OPTIONS=detect_leaks=0 record 3 calls.$how
		[ "$(grep -v 'an error' err)" = "" ]
		query callgraph .final | grep -qx true
		# fib(15) takes 1973 calls.
		fib=$(nm "$PROGRAMS/calls.$how" | awk '$3 == "fib" { print $1 }')
		[ "$(query callgraph '[.nodes[] | select(.function |
			endswith("'"${fib: -3}"'")) | .calls] | add')" -ge 1973 ]
		cases=('threads 1000' keys signals forks 'short 400')
		# For these, the sanitizers of clang have their own functions.
		nm "$PROGRAMS/cases.$how" | grep -q " T __interceptor_longjmp" ||
			cases+=(jumps vfork)
		for case in "${cases[@]}"; do
			ASAN_OPTIONS=detect_leaks=0 keep 0 cases.$how $case
			[ ! -s err ] || { cat err; false; }
		done
		oracle
	done
}

@test "signal handlers may call functions at any moment" {
	keep 0 cases signals
	OPTIONS='-t -i 10' keep 0 cases signals
	keep 0 cases signals-turns 14
	oracle
	# The program blocks the signal in all its threads: there is no other
	# one in which the handler could run.
	OPTIONS='-i 1' start cases blocked
	wait_for_wakeups 10
	stop
	wait "$wrapper"
	[ "$(cat status)" -eq 0 ]
	oracle
}

# handled_at_each_step TURNS MORE_TURNS - checks a program with a signal after each
# instruction
handled_at_each_step() {
	for OPTIONS in '' -t -f; do
		keep 0 cases steps "$1" 1 || return
	done
	# At every instruction, the handler has added its node below a parent
	# long before a hook adds one there.  At every 101st, its node may come
	# just when the interrupted hook is about to add one.
	OPTIONS= keep 0 cases steps "$2" 101 && oracle
}

@test "a signal handler may call functions after each instruction" {
	handled_at_each_step 2 4
}

# bats test_tags=exhaustive
@test "a signal handler may call functions after each instruction of more calls" {
	handled_at_each_step 3 7
}

@test "calls before the C library is initialized do no harm" {
	"$PROGRAMS/preinit"
	agrees preinit
	[ "$(query callgraph .final)" = true ]
}

@test "a resolver of indirect functions may call functions" {
	for cc in $(compilers); do
		compile $cc ifunc
		for how in '' -no-pie -static -static-pie; do
			link $cc ifunc $how
			run -0 ./ifunc
			assert_equal "$output" 2
			record 0 ifunc
			assert_equal "$(cat out)" 2
			# main, and work twice
			assert_equal "$(total)" 3
		done
	done
}

@test "a coroutine does no harm" {
	# With COROUTINES, the oracle accepts calls below the wrong callers.
	COROUTINES=1 agrees cases coroutines
}

@test "calls of a library that does not call the hooks are said to be lost" {
	compile gcc loads
	for how in -fplt -fno-plt; do
		gcc -g -O1 -finstrument-functions $how -fPIC -shared \
			-o plugin.so \
			"$TEST/programs/instrument/plugin/plugin.c"
		link gcc loads
		record 0 loads plain ./plugin.so
		[ ! -s err ] || { cat err; false; }
		# main, plugin_work, and plugin_add ten times
		[ "$(total)" -eq 12 ]
		for mode in deepbind namespace; do
			record 0 loads $mode ./plugin.so
			grep "warning: calls in '$PWD/plugin.so' were not" err
			[ "$(total)" -eq 1 ]
		done
		link gcc loads -Wl,--exclude-libs,ALL
		record 0 loads plain ./plugin.so
		grep "warning: calls in '$PWD/plugin.so' were not" err
	done
}

@test "a library of a program that is not instrumented can be counted" {
	local source="$TEST/programs/instrument/plugin/plugin.c"
	PROGRAMS=$PWD
	gcc -o loads "$TEST/programs/instrument/unusual/loads.c"
	gcc -g -O1 -finstrument-functions -fPIC -shared -o plugin.so "$source"
	record 0 loads plain ./plugin.so
	grep 'if a library that it loads is instrumented, set LD_PRELOAD' err
	LD_PRELOAD=$BUILD/libweir-instrument.so record 0 loads plain ./plugin.so
	# plugin_work, and plugin_add ten times
	[ "$(total)" -eq 11 ]
	gcc -g -O1 -finstrument-functions -fPIC -shared -Wl,-Bsymbolic \
		-o plugin.so "$source" "$BUILD/libweir-instrument.a"
	record 0 loads plain ./plugin.so
	[ "$(total)" -eq 11 ]
	[ ! -s err ] || { cat err; false; }
}

@test "a library at the addresses of another one is said to be confused" {
	cp "$BUILD/test/programs/instrument/plugin.so" a.so
	cp a.so b.so
	build gcc loads
	record 0 loads plain ./a.so ./b.so
	grep "where '$PWD/a.so' had been: its calls" err
	record 0 loads plain ./a.so ./a.so
	[ ! -s err ] || { cat err; false; }
}

@test "a library whose file is mapped again has the right names" {
	build gcc mapped
	id=$(readelf -n "$BUILD/test/programs/instrument/plugin.so" |
		sed -n 's/.*Build ID: //p')
	for how in none small large anonymous split unlinked; do
		cp "$BUILD/test/programs/instrument/plugin.so" .
		keep_uncounted 0 mapped ./plugin.so $how
	done
	cp "$BUILD/test/programs/instrument/plugin.so" .
	for rec in $(records_made); do
		callgraph-symbolize $rec
	done >named
	found='select(.type == "callgraph") | [(.nodes[] | select(.name |
		startswith("plugin")) | .name, .calls),
		(.modules[] | select(.path | endswith("plugin.so")) | .build_id)]'
	assert_equal "$(jq -c "$found" named | sort | uniq -c | tr -s ' ')" \
		" 6 [\"plugin_work\",1,\"plugin_add\",10,\"$id\"]"
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

@test "a child made by vfork does not change its parent's shadow stack" {
	agrees cases vfork
	# main, vforks, execute, leaf, middle, and leaf from two lines of middle
	[ "$(query callgraph '.nodes | length')" -eq 7 ]
	# The same if each of the ten calls of vfork() fails
	PREFIX='strace -f -o trace -e inject=vfork:error=EAGAIN' \
		agrees cases vfork
	[ "$(grep -c 'temporarily unavailable' out)" -eq 10 ]
}

@test "a child made by a system call is counted, one made by vfork sends nothing" {
	# The program itself and ten children, each with a mark
	agrees cases children-end
	[ "$(query callgraph .pid | sort -u | wc -l)" -eq 11 ]
	[ "$(query callgraph .final | sort -u)" = true ]
	[ "$(query mark .name | wc -l)" -eq 10 ]
}

# calls_of FUNCTION - prints how often `children` called the function in each
# recording, by all processes together, all on one line.  The last three digits of
# an address are the same in each process.
calls_of() {
	local address=$(nm "$PROGRAMS/children" |
		awk -v name="$1" '$3 == name { print $1 }')
	echo $(jq -n "reduce inputs as \$r ({}; .[input_filename] += ([\$r |
		.nodes[]? | select(.function | endswith(\"${address: -3}\")) |
		.calls] | add // 0)) | .[]" $(records_made))
}

@test "a child is counted whichever way it is made" {
	for how in fork _Fork sysfork clone spawn clearenv; do
		keep_uncounted 0 children $how
		[ ! -s err ] || { cat err; false; }
	done
	assert_equal "$(calls_of in_child)" '1 1 1 1 1 1'
	assert_equal "$(calls_of in_parent)" '1 1 1 1 1 1'
	# Two processes in each recording
	query callgraph '"\(input_filename) \(.pid)"' | sort -u >processes
	[ "$(cut -d ' ' -f 1 processes | uniq -c | tr -s ' ' |
		cut -d ' ' -f 2 | tr '\n' ' ')" = '2 2 2 2 2 2 ' ]
}

@test "a program that is started without the environment is counted" {
	# Its settings agree with those of the program.
	for OPTIONS in '' -t; do
		keep_uncounted 0 children spawnenv
		keep_uncounted 0 children execnull
		assert_equal "$(calls_of in_child)" '1 1'
		[ "$(query callgraph '.nodes[0] | has("self_ns")' | sort -u)" = \
			$([ -z "$OPTIONS" ] && echo false || echo true) ]
		rm -r kept
	done
	PREFIX='env -i' OPTIONS='-t -f -s 1000' record 3 calls
	[ "$(query callgraph '.folded_recursion and has("probe_ns") and
		(.nodes[0] | has("samples"))')" = true ]
}

@test "after chroot or another user id, children are counted" {
	[ "$(id -u)" -eq 0 ] || skip "this takes root"
	record 0 children chroot
	[ "$(calls_of in_child)" -eq 1 ]
	[ ! -s err ] || { cat err; false; }
	# A process of another user that has ended before the wrapper looks at
	# it is said to be lost.
	for ((n = 0; n < 10; n++)); do
		record 0 children setuid
		[ "$(query callgraph .pid | wc -l)" -eq 1 ] || break
		grep -q 'a process of another user' err
	done
	[ "$(calls_of in_child)" -eq 1 ]
	[ "$(query callgraph .checksum | sort -u | wc -l)" -eq 1 ]
}

@test "children that cannot connect are said to be lost" {
	record 0 children nofile
	[ "$(calls_of in_parent)" -eq 1 ]
	grep -q 'forked processes that could not connect were not recorded: 1' \
		err
	# The child that is lost makes another one.  Both are counted in the
	# memory of the program, which is read when that ends: so each is waited
	# for by its parent.
	record 0 children fork-fork
	grep -q 'not recorded: 2' err
	# So are those of a program that may not make system calls any more.
	gcc -finstrument-functions -o confined -xc - -xnone \
		"$BUILD/libweir-instrument.a" <<-'END'
		#include <linux/filter.h>
		#include <linux/seccomp.h>
		#include <sys/prctl.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void in_child(void) { }
		int main(void)
		{
			struct sock_filter all = BPF_STMT(BPF_RET | BPF_K,
			    SECCOMP_RET_ALLOW);
			struct sock_fprog program = { 1, &all };
			prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
			if (fork() == 0) {
				in_child();
				_exit(0);
			}
			return wait(NULL) < 0;
		}
	END
	PROGRAMS=$PWD record 0 confined
	[ "$(total)" -eq 1 ]
	grep -q 'not recorded: 1' err
}

@test "the counts are sent whichever way a program ends" {
	# ends() in cases.c defines the statuses.
	keep 7 cases end thread
	keep 0 cases end main
	keep 5 cases end _exit
	keep 6 cases end quick
	oracle
	record 4 cases end live
	query callgraph .final | grep -qx true
}

@test "no record of a process follows the final one, however late it ends" {
	OPTIONS='-i 1' start cases end late
	wait_for_wakeups 10
	stop
	wait "$wrapper"
	oracle
	[ "$(query callgraph .final | tail -n 1)" = true ]
}

@test "a program that forbids itself system calls ends as usual" {
	for how in strict prctl seccomp; do
		for OPTIONS in '' -t '-i 1 -s 1000'; do
			record 4 cases confined $how 12
			# 2^13 - 1 calls after the system call, few before it
			n=$(total)
			[ "$n" -gt 8191 ] && [ "$n" -lt 8210 ]
		done
	done
	record 4 cases.static confined strict 12
	# A thread that is new to the instrument makes no system calls either.
	for OPTIONS in '' -t; do
		record 4 cases confined-thread
	done
	# If the kernel refuses the program's request, counting continues.
	OPTIONS=-t agrees cases confined refused 0
	[ "$(query callgraph .final)" = true ]
}

@test "a process whose last thread ends by a system call ends and is recorded" {
	for OPTIONS in '' '-i 1 -s 1000'; do
		keep 3 cases end-thread-by-call
	done
	oracle
}

@test "a crash report has the stack, and the program dies of the signal" {
	# Argument of `cases end`, exit status, and signal: `kill` sends SIGBUS.
	for crash in segv:139:SEGV fpe:136:FPE ill:132:ILL abort:134:ABRT \
		kill:135:BUS; do
		IFS=: read -r how wanted name <<<"$crash"
		run "$PROGRAMS/cases" end "$how"
		[ "$status" -eq "$wanted" ]
		record "$wanted" cases end "$how"
		# Innermost first: crash, ends, main.
		run -0 jq -rs '(.[] | select(.type == "crash") | .signal_name,
			(.frames | length), .frames[0].function,
			.modules[0].base), (.[] | select(.type == "callgraph") |
			"final \(.final)"), (.[] | select(.type == "exit") |
			"exit \(.signal)")' rec
		function=${lines[2]} base=${lines[3]}
		assert_equal "$output" "$(lines "SIG$name" 3 "$function" \
			"$base" 'final null' "exit $(kill -l $name)")"
		nm "$PROGRAMS/cases" | grep -q \
			"$(printf '%x' $((function - base))) t crash$"
	done
}

@test "the program's own handler for a crash runs" {
	record 9 cases end handler
	grep -qx 'own handler' out
	[ "$(query crash .signal)" -eq 11 ]
	# It gets the siginfo and the context.
	record 9 cases end info
	# SA_SIGINFO does not make a handler of SIG_IGN.
	record 7 cases end ignored
	# With SA_RESETHAND the handler runs only once: the second SIGSEGV, 11,
	# ends the program.
	record 139 cases crash-twice
	[ "$(query crash .signal | tr '\n' ' ')" = '11 11 ' ]
	[ "$(query callgraph '.nodes | length')" -gt 0 ]
}

@test "if there is no wrapper any more, a program that crashes ends as usual" {
	# The signal to the wrapper, how the program ends, and its exit status
	for case in "KILL segv 139" "KILL handler 9" "STOP segv 139"; do
		read -r signal how status <<<"$case"
		rm -f status
		start cases until "$how"
		kill -$signal "$wrapper"
		stop
		wait_until test -s status
		[ "$(cat status)" -eq "$status" ]
		kill -CONT "$wrapper" 2>/dev/null || continue
		wait "$wrapper"
		[ "$(query crash .signal)" -eq 11 ]
	done
}

# --- limits ---

@test "an invalid number of nodes is ignored" {
	WEIR_MAX_NODES=10 record 0 cases turns 6
	[ "$(query callgraph '.nodes | length')" -eq 10 ]
	for n in 10x 0 -5 '' 99999999999999999999999; do
		WEIR_MAX_NODES=$n record 0 cases turns 6
		# main, and 1 + 2 + 4 + ... + 64 for the turns
		[ "$(query callgraph '.nodes | length')" -eq 128 ]
	done
}

@test "folded recursion is counted at the first node" {
	OPTIONS='-f' record 3 calls 20
	oracle
	query callgraph .folded_recursion | grep -qx true
	# Without -f there are more than 20,000 nodes.
	[ "$(query callgraph '.nodes | length')" -lt 40 ]
	# No path from a node to its root contains a call, function and call
	# site, twice.
	query callgraph '.nodes as $n | [range(0;
		$n | length) | . as $i | [recurse($n[.].parent // empty)] |
		map([$n[.].function, $n[.].call_site]) |
		(unique | length) == length] | all' | grep -qx true
}

@test "no more address space is taken than is used" {
	compile gcc limits
	for how in '' -static; do
		link gcc limits $how
		for calls in 10 5000; do
			# A node takes 96 bytes, and a frame 16.
			most=$((1024 + calls * 200 / 1024))
			run -0 ./limits $calls 8192
			plain=$output
			record 0 limits $calls 8192
			echo "$plain KiB, recorded $(cat err)"
			[ $(($(cat err) - plain)) -le $most ]
			# main and two others, and dive with each n, twice
			[ "$(total)" -eq $((2 * calls + 5)) ]
			# mlockall() succeeds with little more.
			record 0 limits $calls $((plain + most + 64))
		done
	done
}

@test "if memory runs out, the program continues and no call is lost" {
	PREFIX='prlimit --as=16000000' record 0 cases turns 17
	# main, and 2^18 - 1 calls for the turns
	[ "$(total)" -eq $((2 ** 18)) ]
	[ "$(query callgraph .nodes_limited)" -gt 0 ]
	[ "$(cat out)" = "done" ]
}

@test "if memory runs out at any moment, the program continues as usual" {
	# Find a small n for which the program with the no-op library still runs
	# if mmap() fails from the n-th call on.
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
	# Not even enough address space for the instrument's first memory.
	for option in '' --time; do
		OPTIONS=$option PREFIX='prlimit --as=2000000' \
			record 0 cases.static turns 3
		grep -q 'is not recorded: it has no memory to share' err
	done
}

@test "without memory for a thread, the instrument gives up and reports that" {
	# The first mmap() of each thread fails.
	callgraph-record -o rec strace -f -o trace \
		-e inject=mmap:error=ENOMEM:when=1 \
		"$PROGRAMS/cases.static" threads >out 2>err
	[ "$(cat out)" = "done" ]
	query callgraph '[.gave_up, .final]' | grep -qx '\[true,true\]'
	record 0 cases.static threads
	[ "$(query callgraph .gave_up)" = null ]
}

# max_rss - prints the peak of the program's memory; jq would take long to skip a
# callgraph of 2^18 nodes
max_rss() {
	grep '^{"type":"exit"' rec | jq .max_rss_bytes
}

@test "a node takes 80 bytes" {
	record 0 cases turns 17
	unlimited=$(max_rss)
	OPTIONS='-n 1000' record 0 cases turns 17
	# main and the turns have 2^18 nodes, all but 1000 of which the second
	# run lacks.  Two bytes more for each are tolerated.
	nodes=$((2 ** 18 - 1000))
	bytes=$(((unlimited - $(max_rss)) / nodes))
	echo "$bytes bytes"
	[ "$bytes" -le 82 ]
}

# --- the wrapper ---

@test "without a wrapper, the instrument is dormant and opens no descriptor" {
	echo input >input
	strace -f -o trace "$PROGRAMS/calls" <input >/dev/null 2>&1 || true
	run -1 grep -E 'socket|sendto|read\(0' trace
	# If there is none any more, it is not waited for.
	WEIR_SOCKET=@nowhere run -3 strace -f -o trace "$PROGRAMS/calls"
	[ "$(grep -c connect trace)" -eq 1 ]
	# A name that is too long for a socket is not truncated and tried.
	WEIR_SOCKET=@$(printf '%0300d' 0) run -3 strace -f -o trace \
		"$PROGRAMS/calls"
	! grep -E 'connect' trace
}

@test "a program may close all descriptors and open others" {
	ulimit -n 1024
	agrees cases closes
	[ ! -s file ]
	[ "$(query callgraph .final)" = true ]
}

@test "the instrument leaves no descriptor open" {
	# The program prints the numbers of the descriptors that it gets, which
	# are the same without the wrapper.
	"$PROGRAMS/cases" descriptors | sort -n >want
	for OPTIONS in '' '-i 1 -s 1000 -t'; do
		record 0 cases descriptors
		sort -n out | diff want -
		start cases until
		pid=$(program_pid)
		[ "$(find "/proc/$pid/fd" -type l | wc -l)" -eq \
			"$(find /proc/self/fd -type l | wc -l)" ] ||
			ls -l "/proc/$pid/fd"
		ls -l "/proc/$pid/fd" >fds
		run -1 grep -E 'socket|memfd' fds
		stop
		wait "$wrapper"
	done
}

@test "a setgid program is not recorded" {
	[ "$(id -u)" -eq 0 ] || skip "this takes root"
	cp "$PROGRAMS/calls" program
	chgrp 65534 program
	chmod g+s program
	PROGRAMS=$PWD record 3 program
	grep -q 'nothing was recorded: .* or it is a setuid program' err
}

@test "a socket of another user is not taken for the wrapper's" {
	[ "$(id -u)" -eq 0 ] || skip "this takes root"
	# If a user who is not root listens, perhaps under the name of a wrapper
	# that has ended, root's program sends him nothing.
	cat >listen.py <<-'END'
		import os, socket, subprocess, sys
		s = socket.socket(socket.AF_UNIX)
		s.bind("\0weir-test-" + str(os.getpid()))
		os.seteuid(int(sys.argv[1]))
		s.listen()
		os.seteuid(0)
		subprocess.run(sys.argv[2:], env={"WEIR_SOCKET":
		    "@weir-test-" + str(os.getpid())})
		c = s.accept()[0]
		print(len(c.recv(100)))
	END
	python3 listen.py 65534 "$PROGRAMS/calls" >out 2>&1
	[ "$(tail -n 1 out)" -eq 0 ]
	python3 listen.py 0 "$PROGRAMS/calls" >out 2>&1
	[ "$(tail -n 1 out)" -gt 0 ]
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

# requests_callgraph - requests a callgraph; whether there is one already
requests_callgraph() {
	kill -USR1 "$wrapper" && has_callgraphs 1
}

@test "SIGUSR1 to the wrapper works after the program closed all descriptors" {
	ulimit -n 1024
	start cases closes-until
	wait_until requests_callgraph
	stop
	wait "$wrapper"
	oracle
	[ ! -s file ]
	[ "$(query callgraph .final | sort | uniq -c | awk '{ print $2 }')" = \
		"$(lines null true)" ]
	[ "$(query callgraph .final | tail -n 1)" = true ]
}

@test "when the wrapper is killed, the program continues" {
	OPTIONS='-i 5' start cases until
	kill -9 "$wrapper"
	stop
	wait_until test -s status
	[ "$(cat status)" -eq 0 ]
	[ "$(cat out)" = "done" ]
	[ ! -s err ] || { cat err; false; }
}

@test "the instrument starts no thread" {
	for OPTIONS in '-i 5 -s 1000' '-t --no-helper'; do
		start cases until
		has_threads "$(program_pid)" 1
		stop
		wait "$wrapper"
		oracle
	done
}

@test "when the wrapper stays suspended, the program ends" {
	start cases until 14
	kill -STOP "$wrapper"
	stop
	wait_until test -s status
	[ "$(cat status)" -eq 0 ]
	[ "$(cat out)" = "done" ]
	kill -CONT "$wrapper"
	wait "$wrapper"
}

# --- intervals, time, samples, marks ---

@test "callgraphs at intervals add up to the program's counts" {
	OPTIONS='-i 2' agrees cases threads
	OPTIONS='-i 2 -t -s 1000' start cases until
	wait_until has_callgraphs 6
	stop
	wait "$wrapper"
	oracle
}

@test "the cost of measuring is subtracted from the time" {
	# In each of 2^14 calls, the time-stamp counter is read twice, which
	# takes more than 10 ns on any processor.
	OPTIONS='-t' record 0 cases turns 13
	query callgraph '.nodes as $n | .probe_ns ==
		([$n[].measured_ns] | add) - ([$n[].self_ns] | add) and
		.probe_ns > 10 * 16384 and
		all($n[]; .self_ns >= 0)' | grep -qx true
	# The calls are so short that most of what was measured is this cost.
	callgraph-stat --text rec | grep -q '^The times are rough: '
	callgraph-stat --json rec | jq -s 'map(.probe_ns // 0) | max' >sum
	[ "$(cat sum)" -eq "$(query callgraph .probe_ns)" ]
	OPTIONS=-t record 137 cases end-at-once 9 10
	[ "$(query callgraph .probe_ns)" -gt 0 ]
	record 0 cases turns 3
	[ "$(query callgraph .probe_ns)" = null ]
}

@test "samples follow the CPU time, without signals" {
	# With two nodes, spin is beyond the limit: its samples are not lost.
	for OPTIONS in '-s 1000 -i 2' '-s 1000 -i 2 -n 2'; do
		# The program uses 90 ms of CPU time, and then waits: it aborts
		# if a signal interrupts that.
		start cases spins-waits
		wait_for_wakeups 100
		stop
		wait "$wrapper"
		[ "$(cat status)" -eq 0 ]
		sum=$(query callgraph '[.nodes[].samples] | add // 0' |
			awk '{ n += $1 } END { print n }')
		cpu_ms=$(query exit '(.user_us + .system_us) / 1000 | floor')
		echo "$sum samples in $cpu_ms ms"
		# One sample for each millisecond
		[ "$sum" -ge 89 ]
		[ "$sum" -le $((cpu_ms + 1)) ]
	done
}

# --- other tools, symbols, installation ---

@test "valgrind reports no error" {
	command -v valgrind >/dev/null || skip "no valgrind here"
	PREFIX='valgrind -q --error-exitcode=99'
	keep 3 calls.shared 10
	assert_equal "$(cat err)" 'an error'
	# valgrind takes long to start, so one process does all.
	keep 0 cases several 1000
	[ ! -s err ] || { cat err; false; }
	keep 0 throw
	oracle
}

# A Python script that reads callgrind's output file from standard input and
# prints how often the function that its argument names was called.  callgrind
# appends '2 to the name of a function that is called recursively; chr(39) is
# the quote.
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
	command -v valgrind >/dev/null || skip "no valgrind here"
	record 3 calls 10
	valgrind --tool=callgrind --callgrind-out-file=callgrind \
		"$PROGRAMS/calls.plain" 10 >/dev/null 2>&1 || true
	n_calls=$(python3 -c "$CALLGRIND_CALLS" fib <callgrind)
	offset=$(nm "$PROGRAMS/calls" | awk '$3 == "fib" { print $1 }')
	base=$(query callgraph '.modules[] | select(.path | endswith("calls")) |
		.base' | tr -d '"')
	address=$(printf '0x%x' $((0x$offset + base)))
	[ "$(query callgraph '[.nodes[] | select(.function == "'"$address"'") |
		.calls] | add')" -eq "$n_calls" ]
}

@test "only the public names are exported" {
	nm -D --defined-only "$BUILD/libweir-instrument.so" | awk '{ print $3 }' |
		sort >exported
	# The hooks, the interposed functions and weir_mark
	lines _Exit _Unwind_SetIP __cyg_profile_func_enter \
		__cyg_profile_func_exit __longjmp_chk __wrap__Unwind_SetIP \
		_exit _longjmp longjmp prctl setcontext sigaction siglongjmp \
		signal syscall vfork weir_mark | sort >wanted
	diff wanted exported
	nm -g --defined-only "$BUILD/libweir-instrument.a" |
		awk 'NF == 3 { print $3 }' | sort | diff wanted -
	nm -D --defined-only "$BUILD/libweir-instrument-noop.so" |
		awk '{ print $3 }' | sort | diff - <(grep -E 'cyg|weir' wanted)
}

@test "the instrument does not use the C library to allocate, print or exit" {
	nm -u "$BUILD/libweir-instrument.a" >undefined
	run -1 grep -wE 'malloc|calloc|realloc|free|mmap|write|printf|exit|getenv' \
		undefined
	# With static TLS, dlopen() of the library could fail.
	! readelf -d "$BUILD/libweir-instrument.so" | grep STATIC_TLS
}

@test "each file uses only files above it in the list of instrument.h" {
	sed -n 's/^ \*\t\([a-z-]*\)\t.*/\1/p' "$ROOT/instrument/instrument.h" \
		>order
	# The list is complete.
	ls "$ROOT"/instrument/*.c | sed 's|.*/||; s|\.c$||' | grep -vx noop |
		sort | diff - <(sort order)
	# The symbols of each file, after its name.  The awk script numbers the
	# files, and prints each use of a symbol that a later file defines.
	nm -A $(sed "s|.*|$BUILD/instrument/&.o|" order) >symbols
	sed 's|.*/\(.*\)\.o:|\1 |' symbols | awk '
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

# install_in DIRECTORY [VARIABLE=VALUE...] - runs `make install` with DESTDIR
# set to the directory
install_in() {
	local target=$1 san=
	shift
	! is_sanitized || san=SAN=1
	make -s -C "$ROOT" $san DESTDIR="$target" PREFIX=/usr "$@" install \
		>/dev/null 2>&1
}

# libs DIRECTORY - prints the linker options of the pkg-config file that
# install_in has installed there
libs() {
	PKG_CONFIG_PATH=$1/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$1 \
		pkg-config --libs weir-instrument
}

# install_once - installs in the directory $INSTALLED, unless a test before did
install_once() {
	INSTALLED=$BATS_FILE_TMPDIR/installed
	[ -e "$INSTALLED" ] || install_in "$INSTALLED"
}

@test "the libraries, the header and the pkg-config file are installed" {
	install_in "$PWD/root"
	ls root/usr/lib/libweir-instrument{,-noop}.{a,so} \
		root/usr/include/weir-instrument.h \
		root/usr/share/man/man3/weir-instrument.3
	grep -qx 'libdir=/usr/lib' root/usr/lib/pkgconfig/weir-instrument.pc
	[ "$(critpath --version)" = "critpath (weir) $(
		PKG_CONFIG_PATH=root/usr/lib/pkgconfig pkg-config --modversion \
			weir-instrument)" ]
	make -s -C "$ROOT" PREFIX=/usr DESTDIR="$PWD/root" uninstall
	[ ! -e root ]
}

@test "a program linked as pkg-config says starts and is counted" {
	install_once
	# No option for the linker has the path of this test, which may have
	# spaces.
	ln -s "$INSTALLED" root
	echo 'int main(void) { return 0; }' >app.c
	for how in '' -flto '-flto -static' '-flto -fuse-ld=gold'; do
		[[ $how != *gold ]] || command -v ld.gold >/dev/null || continue
		gcc $how -finstrument-functions -o app app.c \
			$(libs root)
		callgraph-record -o rec ./app
		[ "$(total)" -eq 1 ]
	done
}

@test "on a machine with only the no-op library, pkg-config names that library" {
	install_in "$PWD/root" MACHINE=aarch64-linux-gnu
	echo 'int main(void) { return 0; }' >app.c
	gcc -finstrument-functions -o app app.c $(libs root)
	./app
	[ "$(cd root/usr/lib && echo *.a)" = libweir-instrument-noop.a ]
}

@test "the shared library has a soname with a number, and a stack protector" {
	install_once
	cp -P "$INSTALLED"/usr/lib/libweir-instrument* .
	for name in libweir-instrument libweir-instrument-noop; do
		[ "$(objdump -p $name.so | awk '$1 == "SONAME" { print $2 }')" = \
			$name.so.0 ]
		[ $name.so.0 -ef $name.so ]
	done
	nm -D libweir-instrument.so | grep -q __stack_chk_fail
	# A program that is linked with it needs the file of that name.
	echo 'int main(void) { return 0; }' >app.c
	gcc -finstrument-functions -o app app.c -L. -lweir-instrument
	rm libweir-instrument.so
	LD_LIBRARY_PATH=. callgraph-record -o rec ./app
	[ "$(total)" -eq 1 ]
}

@test "the instrument compiled by clang counts" {
	command -v clang >/dev/null || skip "clang is not installed"
	mkdir build
	env -u MAKEFLAGS make -s -C "$ROOT" CC=clang OUT="$PWD/build" \
		INSTRUMENT_CFLAGS='-g -O2 -Werror' \
		"$PWD/build/libweir-instrument.a"
	gcc -g -O1 -finstrument-functions -I"$ROOT/instrument" -o cases \
		"$TEST/programs/instrument/cases.c" build/libweir-instrument.a
	PROGRAMS=$PWD
	for case in threads keys jumps signals forks; do
		keep 0 cases $case
	done
	oracle
}

# --- what callgraph-record reads ---

# bats file_tags=

# bats test_tags=normal
@test "a stack of 100,000 calls is counted" {
	agrees cases deep 100000
	# The nodes are main, and dive with each n from 100,000 to 0.  In
	# pre-order, each node is the parent of the next one.
	[ "$(query callgraph '[.nodes[] | .parent // -1] == [range(-1; 100001)]')" = \
		true ]
}

@test "the counts are recorded in whichever way a process is ended" {
	options=('' -t '-i 1 -s 1000')
	! is_sanitized || options=('-i 1 -s 1000')
	# The end, a number of a signal or another word that end_at_once() in
	# cases.c knows, and the exit status, 128 + the number
	for how in 9:137 2:130 15:143 14:142 31:159 exec:0 abort:134 \
		'system call:3'; do
		for OPTIONS in "${options[@]}"; do
			keep "${how#*:}" cases end-at-once "${how%:*}" 6
		done
	done
	OPTIONS= keep 137 cases.static end-at-once 9 6
	oracle
	[ "$(query callgraph .final | sort -u)" = null ]
	# The argument 10 makes a tree of 2^11 - 1 calls, each of which would
	# have a node of its own: far more than the limit of 20 nodes.
	OPTIONS='-n 20' record 137 cases end-at-once 9 10
	[ "$(query callgraph .nodes_limited)" -gt 50 ]
	# What is measured before the program starts is not counted.
	for OPTIONS in '-n 1' '-n 1 -t'; do
		record 137 cases end-at-once 9 2
		query callgraph .nodes_limited
	done >limited
	[ "$(sort -u limited | wc -l)" -eq 1 ]
}

@test "the counts are recorded whenever the process is killed" {
	RANDOM=$(seed)
	for OPTIONS in '-i 1' '-i 3 -t' '-i 20'; do
		for round in 1 2; do
			# A random number of calls before the signal.
			keep 137 cases end-at-once 9 $((RANDOM * 20))
		done
	done
	oracle
}

# bats test_tags=normal
@test "a child made by fork starts with all counts 0" {
	agrees cases forks
	# The parent, its child and its grandchild
	[ "$(query callgraph .pid | sort -u | wc -l)" -eq 3 ]
	# main and forks, which had not returned at the fork, have nodes with 0
	# calls; the third node is that of in_child.
	[ "$(query callgraph 'select(.pid != '"$(query exit .pid)"') |
		.nodes[0:3] | map(.calls)' | sort -u)" = "[0,0,1]" ]
	# The parent and 20 children
	agrees cases fork-threads
	[ "$(query callgraph .pid | wc -l)" -eq 21 ]
	# Forks while the wrapper reads.
	OPTIONS='-i 1' agrees cases fork-threads 9
}

@test "a stack overflow is reported with its outermost frames omitted" {
	OPTIONS='-n 5000' record 139 cases end overflow
	# FRAMES_MAX in crash.c is 1000.
	[ "$(query crash '.frames | length')" -eq 1000 ]
	[ "$(query crash .frames_omitted)" -gt 1000 ]
}

# bats test_tags=normal
@test "a program without an alternate stack has none when recorded" {
	for cc in $(compilers); do
		compile $cc onstack
		for how in '' -static; do
			link $cc onstack $how
			for where in '' thread; do
				record 0 onstack none 4000 $where
				assert_equal "$(cat out)" "2 signals"
			done
		done
	done
}

# bats test_tags=normal
@test "an alternate stack of 8 KiB is enough for a crash report, too" {
	# A smaller stack, also of a thread, overflows after fewer calls.
	ulimit -s 1024
	compile gcc onstack
	for how in '' -static; do
		link gcc onstack $how
		for where in '' thread; do
			run -134 ./onstack small 999999999 $where
			record 134 onstack small 999999999 $where
			grep -qx 'stack overflow' out
			[ "$(query crash .signal_name | tr '\n' ' ')" = \
				'"SIGSEGV" "SIGABRT" ' ]
		done
	done
}

@test "of the crashes that a program survives, the first 16 are reported" {
	agrees cases crashes 1
	# The stack has crash_often, 501 calls of crash_below, and crash.
	[ "$(query crash '.frames | length' | tr '\n' ' ')" = \
		"$(printf '503 %.0s' {1..16})" ]
	# Of crashes in eight threads at the same time, each is reported
	# completely or not at all.
	for ((n = 0; n < $(rounds 10); n++)); do
		keep 0 cases crashes 8
		[ ! -s err ] || { cat err; false; }
	done
	[ "$(query crash '.frames | length' | sort -u)" = 503 ]
}

@test "calls of a loaded library keep its path after it is unloaded" {
	agrees cases plugin "$PROGRAMS/plugin.so"
	query callgraph '.modules[].path' | grep -q plugin.so
	[ "$(nm "$PROGRAMS/plugin.so" | grep -c plugin_)" -eq 2 ]
	# The library is loaded three times, and calls plugin_add ten times each
	# time.
	[ "$(query callgraph '[.nodes[] | select(.calls == 30)] | length')" -eq 1 ]
}

@test "calls beyond the limit of nodes are counted at an ancestor" {
	record 0 cases turns 12
	all=$(total)
	[ "$(query callgraph .nodes_limited)" = null ]
	# Each node has one call, so all calls but 1000 are beyond the limit.
	OPTIONS='-n 1000' record 0 cases turns 12
	[ "$(total)" -eq "$all" ]
	[ "$(query callgraph '.nodes | length')" -eq 1000 ]
	[ "$(query callgraph .nodes_limited)" -eq $((all - 1000)) ]
	# nodes_limited counts the calls since the previous callgraph, so those
	# of all callgraphs add up.
	OPTIONS='-n 1000' start cases turns-twice 12
	kill -USR1 "$wrapper"
	wait_until has_callgraphs 1
	stop
	wait "$wrapper"
	[ "$(query callgraph .pid | wc -l)" -eq 2 ]
	[ "$(query callgraph '.nodes_limited // 0' |
		awk '{ n += $1 } END { print n }')" -eq $(($(total) - 1000)) ]
}

@test "when the wrapper is suspended for a while, nothing is lost" {
	OPTIONS='-i 5' start cases until
	for n in 4 8 12; do
		wait_until has_callgraphs $n
		kill -STOP "$wrapper"
		# The program calls functions before it makes `ready` again.
		for round in 1 2 3; do
			rm -r ready
			wait_until test -e ready
		done
		kill -CONT "$wrapper"
	done
	stop
	wait "$wrapper"
	oracle
}

@test "self time excludes callees, total time includes them" {
	OPTIONS='-t' agrees cases spins
	# five: the self time in ns of the function that is called five times
	query callgraph '[.nodes[] | select(.calls == 5)][0].self_ns' >five
	elapsed=$(query exit .elapsed_us)
	# Five calls spin for 10 ms each.  Another call spins for 40 ms of the
	# elapsed time.
	[ "$(cat five)" -ge 50000000 ]
	[ "$(cat five)" -le $(((elapsed - 40000) * 1000)) ]
	# Each total time is the self time plus the total times of the children.
	query callgraph '.nodes as $n | [range(0;
		$n | length) | . as $i | $n[$i].total_ns == ($n[$i].self_ns +
		([$n[] | select(.parent == $i) | .total_ns] | add // 0))] |
		all' | grep -qx true
	[ "$(query callgraph .nodes[0].total_ns)" -le $((elapsed * 1000)) ]
}

@test "the time off the CPU is that of a thread that waits, or is not run" {
	# The program shares its processor, the first one that the test may use,
	# with a process that never waits.
	allowed=$(taskset -cp $$)
	allowed=${allowed##* }
	timeout "$HANG_S" taskset -c "${allowed%%[,-]*}" \
		sh -c 'while :; do :; done' 3>&- &
	PREFIX="taskset -c ${allowed%%[,-]*}" OPTIONS='-t -i 30' \
		agrees cases spins
	kill $!
	callgraph-merge rec >merged
	# Whatever else runs, five calls use 10 ms of the CPU each.
	run -0 jq -r 'select(.type == "callgraph") | .nodes[] |
		select(.calls == 5 or .calls == 3) |
		"\(.calls) \(.self_off_ns) \(.self_ns - .self_off_ns)"' merged
	while read -r calls off on; do
		if [ "$calls" -eq 5 ]; then
			[ "$on" -ge 50000000 ] && [ "$on" -le 56000000 ]
		else
			[ "$off" -ge 60000000 ] && [ "$on" -le 10000000 ]
		fi
	done <<<"$output"
	[ "${#lines[@]}" -eq 2 ]
	jq -es '.[] | select(.type == "callgraph") | .nodes as $n |
		$n[0].total_off_ns == ([$n[].self_off_ns] | add)' merged
}

@test "a confined program reads no clock by a system call, which is said" {
	OPTIONS=-t record 4 cases confined prctl 12
	[ "$(query callgraph '.nodes[0] | has("total_off_ns")')" = false ]
	[ "$(callgraph-merge rec | jq '.elapsed_records // empty')" -eq 1 ]
	callgraph-stat --text rec | grep -q '1 of 1 records does not have the time off'
}

@test "marks keep their order, and dropped ones are counted" {
	record 0 cases marks 3
	query mark .name | sort -u >names
	[ "$(cat names)" = '"a \"name\" é"' ]
	[ "$(query mark .value | tr '\n' ' ')" = '0.1 1.1 2.1 ' ]
	# With 1, there is a second mark, whose name is too long and is
	# truncated to 63 bytes; `a "name" é` has ten characters.
	record 0 cases marks 1
	[ "$(query mark '.name | length' | tr '\n' ' ')" = '10 63 ' ]
	record 0 cases marks 20000
	dropped=$(sed -n 's/.*warning: \([0-9]*\) marks.*/\1/p' err |
		awk "{ n += \$1 } END { print n + 0 }")
	[ $(($(query mark .value | wc -l) + dropped)) -eq 20000 ]
}
