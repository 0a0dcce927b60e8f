# callgraph-record.bats - callgraph-record, also called the wrapper, writes
# records, and the program runs as it does without the wrapper
#
# callgraph-record creates its output file `rec` after it has started the
# program.

load helper
load instrument

# checksum FILE - prints the SHA-512/224, by another implementation
checksum() {
	python3 -c 'import hashlib, sys
print(hashlib.new("sha512_224", open(sys.argv[1], "rb").read()).hexdigest())' \
		"$1"
}

# now_us - prints the time in microseconds
now_us() {
	date +%s%6N
}

# --- records ---

@test "records go to standard output, the program's output to standard error" {
	run -3 --separate-stderr callgraph-record "$PROGRAMS/calls"
	[ "$(jq -rs 'map(.type) | join(" ")' <<<"$output")" = "callgraph exit" ]
	assert_equal "$(sort <<<"$stderr")" \
		"$(lines 'an error' 'compared well' 'even 0' 'fib 610')"
}

@test "with -o, the program keeps its standard output and standard error" {
	run -3 --separate-stderr callgraph-record -o rec "$PROGRAMS/calls"
	assert_equal "$output" "$(lines 'fib 610' 'even 0' 'compared well')"
	assert_equal "$stderr" 'an error'
	[ "$(jq -rs 'map(.type) | join(" ")' rec)" = "begin callgraph exit end" ]
}

@test "checksum and program are those of the executable" {
	start_us=$(now_us)
	record 3 calls
	records <rec >inner
	sum=$(checksum "$PROGRAMS/calls")
	[ "$(jq -r .checksum inner | sort -u)" = "$sum" ]
	[ "$(jq -r .program inner | sort -u)" = \
		"$(realpath "$PROGRAMS/calls")" ]
	# All records are about one process, and written since the start.
	[ "$(jq .pid inner | sort -u | wc -l)" -eq 1 ]
	jq ".time_us >= $start_us and .time_us <= $(now_us)" inner >is_recent
	[ "$(sort -u is_recent)" = true ]
}

@test "the checksum is that of the running file, not of its replacement" {
	cp "$PROGRAMS/cases" program
	sum=$(checksum program)
	PROGRAMS=$PWD start program until
	rm program
	cp "$PROGRAMS/calls" program
	stop
	wait "$wrapper"
	[ "$(query callgraph .checksum)" = "\"$sum\"" ]
}

@test "a program that another one runs is itself, with its own checksum" {
	cp "$PROGRAMS/calls" "$PROGRAMS/children" .
	ln -s calls link
	echo 'exec "$@"' >run
	for program in calls children; do
		for how in '' env 'env -i' 'sh run' 'valgrind -q' \
			/lib64/ld-linux-x86-64.so.2; do
			# valgrind takes long to start: only with `children`,
			# whose main process is like that of `calls`.
			[[ $how != valgrind* ]] || { [ $program = children ] &&
				command -v valgrind; } || continue
			callgraph-record -o rec $how ./$program >out 2>err ||
				[ $? -eq 3 ]
			cat rec >>recs
		done
		# Each way has an exit record, and one callgraph or two.
		jq -r 'select(.type == "exit" or .type == "callgraph") |
			"\(.program) \(.checksum)"' recs | sort | uniq -c >got
		assert_equal "$(sed 's/ *[0-9]* //' got)" \
			"$PWD/$program $(checksum $program)"
		rm recs
	done
	callgraph-record -o rec ./link >out 2>err || [ $? -eq 3 ]
	[ "$(query callgraph .program)" = "\"$PWD/calls\"" ]
}

# is_idle - whether the wrapper waits for something to do
is_idle() {
	[ "$(ps -o state= -p "$wrapper")" = S ]
}

@test "a forked child has the checksum of its parent's file, not of a new one" {
	# The child ends, and the program is renamed, while the wrapper is stopped:
	# it can no longer read the child's file.
	cat >program.c <<-'END'
		#include <signal.h>
		#include <stdio.h>
		#include <sys/stat.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static void in_child(void) { }
		int main(void)
		{
			const pid_t wrapper = getppid();
			if (kill(wrapper, SIGSTOP) != 0)
				return 1;
			if (fork() == 0) {
				in_child();
				_exit(0);
			}
			if (wait(NULL) < 0 || rename("program", "old") != 0 ||
			    rename("new", "program") != 0 ||
			    kill(wrapper, SIGCONT) != 0)
				return 1;
			mkdir("ready", 0700);
			return getchar() != EOF;
		}
	END
	gcc -finstrument-functions -o program program.c \
		"$BUILD/libweir-instrument.a"
	cp "$PROGRAMS/calls" new
	sum=$(checksum program)
	mkfifo stop
	callgraph-record -o rec ./program <stop 3>&- &
	wrapper=$!
	exec 9>stop
	wait_until test -e ready
	wait_until is_connected
	wait_until is_idle
	exec 9>&-
	wait "$wrapper"
	[ "$(query callgraph .pid | wc -l)" -eq 2 ]
	[ "$(query callgraph .checksum | sort -u)" = "\"$sum\"" ]
	[ "$(query exit .checksum)" = "\"$sum\"" ]
}

@test "the exit record has the status, the times and the memory" {
	start_us=$(now_us)
	OPTIONS=-t record 0 cases spins
	elapsed_us=$(($(now_us) - start_us))
	[ "$(query exit .status)" -eq 0 ]
	# The program uses 40 ms of CPU time once and 10 ms five times.
	[ "$(query exit ".elapsed_us >= 90000 and
		.elapsed_us <= $elapsed_us and
		.user_us + .system_us >= 90000 and .max_rss_bytes > 500000 and
		has(\"signal\") == false")" = true ]
	[ "$(query exit ".time_us >= $start_us + 90000")" = true ]
	[ "$(records <rec | tail -n 1 | jq -r .type)" = exit ]
}

@test "the programs that a script runs are recorded separately" {
	cat >script <<-END
		#!/bin/sh
		"$PROGRAMS/calls" 5
		"$PROGRAMS/calls.static" 6
		true
		exit 4
	END
	chmod +x script
	run -4 --separate-stderr callgraph-record -o rec ./script
	[ "$(query callgraph .pid | sort -u | wc -l)" -eq 2 ]
	[ "$(query callgraph .final | sort -u)" = true ]
	[ "$(query callgraph .checksum | tr -d '"' | sort)" = "$(for f in calls \
		calls.static; do checksum "$PROGRAMS/$f"; done | sort)" ]
	[ "$(query exit .checksum)" = "\"$(checksum script)\"" ]
}

@test "a program that is not instrumented is run, with a warning" {
	run -0 --separate-stderr callgraph-record -o rec echo hello
	assert_equal "$output" hello
	[[ $stderr == "callgraph-record: warning: nothing was recorded: 'echo'"* ]]
	[ "$(records <rec | jq -r .type)" = exit ]
	run -3 --separate-stderr callgraph-record -o rec "$PROGRAMS/calls.noop"
	[[ $stderr == *"nothing was recorded"* ]]
	# An instrumented program that is not linked with the instrument gets
	# the hooks of the C library, which do nothing.
	gcc -finstrument-functions -o alone \
		"$TEST/programs/instrument/calls.c"
	run -3 --separate-stderr callgraph-record -o rec ./alone
	[[ $stderr == *"nothing was recorded"* ]]
}

@test "a program that is only linked with the instrument gets a warning" {
	gcc -o linked "$TEST/programs/instrument/calls.c" -Wl,--no-as-needed \
		"$WEIR_BUILD/libweir-instrument.so" \
		-Wl,-rpath,"$WEIR_BUILD"
	run -3 --separate-stderr callgraph-record -o rec ./linked
	assert_equal "${stderr_lines[-1]}" "callgraph-record: warning: no call \
was counted: nothing of './linked' is compiled with -finstrument-functions"
}

# --- releases ---

@test "with --release-dir, a program without a release is run but not recorded" {
	mkdir releases
	sum=$(checksum "$PROGRAMS/calls")
	OPTIONS='-r releases' record 3 calls
	cat out | grep -qx 'fib 610'
	grep -q "warning: .*no 'releases/$sum.release'" err
	[ "$(records <rec | jq -r .type)" = exit ]
	# Only the existence of the file matters.
	: >"releases/$sum.release"
	OPTIONS='-r releases' record 3 calls
	[ "$(query callgraph .checksum)" = "\"$sum\"" ]
	run -1 grep warning err
	# The program cases has no release: neither a crash nor marks are
	# recorded.
	OPTIONS='-r releases' record 139 cases end segv
	[ "$(records <rec | jq -r .type)" = exit ]
	OPTIONS='-r releases' record 0 cases marks 3
	[ "$(records <rec | jq -r .type)" = exit ]
}

# --- the program runs as without the wrapper ---

@test "the program gets standard input, arguments and environment" {
	run -0 --separate-stderr callgraph-record -o rec cat <<<hello
	assert_equal "$output" hello
	run -0 --separate-stderr callgraph-record -o rec printf '%s|' -o --help ''
	assert_equal "$output" '-o|--help||'
	A=b run -0 --separate-stderr callgraph-record -o rec sh -c 'echo $A'
	assert_equal "$output" b
}

@test "the program inherits the wrapper's original descriptors and signals" {
	# The same numbers of descriptors are open with and without the wrapper.
	list='ls -l /proc/self/fd | sed "s/.* \([0-9]*\) -> .*/\1/" | tr "\n" " "'
	want=$(sh -c "$list" </dev/null 2>/dev/null 3>&-)
	callgraph-record -o rec sh -c "$list" </dev/null >out 2>/dev/null 3>&-
	assert_equal "$(cat out)" "$want"
	callgraph-record -o rec sh -c 'echo 1 >&5' 5>five
	[ "$(cat five)" = 1 ]
	# The same signals are blocked and ignored.
	callgraph-record -o rec grep Sig /proc/self/status >signals 2>err
	diff signals <(grep Sig /proc/self/status) |
		{ ! grep -E 'SigBlk|SigIgn'; }
	# SIGUSR2, signal 12, stays blocked.
	python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
os.execvp(sys.argv[1], sys.argv[1:])' callgraph-record -o rec \
		grep SigBlk /proc/self/status >signals 2>err
	grep -q '0800$' signals
	# A closed standard input stays closed, so cat fails.
	run -0 --separate-stderr sh -c "callgraph-record -o rec \
		sh -c 'cat; echo \$?' <&-"
	assert_equal "$output" 1
}

@test "the wrapper ends as the program did" {
	for status in 0 1 2 42 125 255; do
		run -"$status" callgraph-record -o rec sh -c "exit $status"
		cat rec >>recs
	done
	for signal in TERM KILL SEGV ABRT PIPE HUP; do
		run -$((128 + $(kill -l $signal))) \
			callgraph-record -o rec sh -c "kill -$signal \$\$"
		cat rec >>recs
	done
	assert_equal "$(jq -s -c 'map(select(.type == "exit") |
		.status // .signal)' recs)" '[0,1,2,42,125,255,15,9,11,6,13,1]'
	# The wrapper ends by the signal itself, not with the status 128 + 15.
	python3 -c 'import subprocess, sys
sys.exit(subprocess.call(["callgraph-record", "-o", "rec", "sh", "-c",
    "kill -TERM $$"]) != -15)'
	[ -z "$(compgen -G 'core*')" ]
}

@test "a program that cannot be run gives 127 or 126, and no output file" {
	run -127 --separate-stderr callgraph-record -o rec ./missing
	[[ $stderr == "callgraph-record: cannot run './missing': No such"* ]]
	: >file
	run -126 --separate-stderr callgraph-record -o rec ./file
	[[ $stderr == *"cannot run './file': Permission denied" ]]
	install -m 755 file here
	PATH=$BUILD:/usr/bin:/bin run -127 --separate-stderr callgraph-record -o rec here
	[[ $stderr == *"cannot run 'here': it is not in PATH; run ./here" ]]
	run -2 --separate-stderr callgraph-record -o rec
	[[ $stderr == *"no program was given"* ]]
	[ ! -e rec ]
	[ -z "$(compgen -G 'rec.*')" ]
}

@test "an unknown program gives 127, whatever PATH contains, as in a shell" {
	mkdir locked unusable
	chmod 0 locked
	: >unusable/program >file
	for path in "$PWD/locked" "$PWD/file" "$PWD/file/x" :; do
		run -127 --separate-stderr env PATH="$PATH:$path" \
			"$BUILD/callgraph-record" -o rec nosuch
		[[ $stderr == *"cannot run 'nosuch': No such file or directory" ]]
	done
	run -126 --separate-stderr env PATH="$PATH:$PWD/unusable:$PWD/file" \
		"$BUILD/callgraph-record" -o rec program
	[[ $stderr == *"cannot run 'program': Permission denied" ]]
}

@test "the wrapper ends although the program left a process running" {
	mkfifo stop
	exec 9<>stop
	callgraph-record -o rec sh -c \
		"$PROGRAMS/cases until <stop & echo \$! >pid
		until [ -e ready ]; do sleep 0.01; done" \
		>/dev/null 2>&1 3>&- 9>&- &
	wait $!
	# The process that is left reads stop until descriptor 9 is closed.
	[ -e "/proc/$(cat pid)" ]
	exec 9>&-
}

# run_daemon [OPTION...] - runs a program that leaves a process, which waits until
# a line is written to descriptor 9
run_daemon() {
	mkfifo stop
	exec 9<>stop
	callgraph-record -o rec "$@" "$PROGRAMS/children" daemon \
		<stop >out 2>err 3>&- 9>&- &
	wrapper=$!
}

@test "a process that is left is said to run on without being recorded" {
	run_daemon
	wait "$wrapper"
	grep -q 'that run on without being recorded (see --wait): 1' err
	# Its counts so far are recorded, but not those that follow.
	[ "$(query callgraph .pid | wc -l)" -eq 3 ]
	echo >&9
	exec 9>&-
}

# has_left_daemon - whether the program has ended, but not the process it left: then
# that is the only child of the wrapper, and leads a session of its own
has_left_daemon() {
	local children
	children=$(pgrep -P "$wrapper") && [[ $children != *[!0-9]* ]] &&
		[ "$(ps -o sid= -p "$children")" -eq "$children" ]
}

@test "with --wait, all processes that the program leaves are recorded" {
	run_daemon --wait
	wait_until has_left_daemon
	[ "$(query exit .pid)" = '' ]
	echo >&9
	wait "$wrapper"
	exec 9>&-
	[ ! -s err ] || { cat err; false; }
	# in_child() is called before and after the line is read.
	[ "$(query callgraph '.nodes[].calls' | sort | uniq -c |
		tr -s ' ' | tr '\n' ' ')" != '' ]
	[ "$(query callgraph .final | grep -c true)" -eq 3 ]
	# Processes that are not instrumented are waited for, too.
	callgraph-record --wait -o rec sh -c 'sleep 0.2 & (sleep 0.3; : >done) &'
	[ -e done ]
}

@test "with --wait, a signal ends the wait when the program has ended" {
	run_daemon --wait
	wait_until has_left_daemon
	kill -TERM "$wrapper"
	wait "$wrapper"
	grep -q 'that run on without being recorded (see --wait): 1' err
	[ "$(records <rec | tail -n 1 | jq -r .type)" = exit ]
	exec 9>&-
}

# --- signals ---

@test "SIGUSR1 to the wrapper requests a callgraph from the program now" {
	start cases until
	for n in 1 2 3; do
		# There is none unless the program has called functions since
		# the last one: it makes `ready` again after it has, and may be
		# about to the first time.
		for round in 1 2; do
			rm -r ready
			wait_until test -e ready
		done
		kill -USR1 "$wrapper"
		wait_until has_callgraphs $n
	done
	stop
	wait "$wrapper"
	oracle
	# One callgraph for each signal, and one at the end
	[ "$(query callgraph .sequence | tr '\n' ' ')" = '0 1 2 3 ' ]
	[ "$(query callgraph .final | tr '\n' ' ')" = 'null null null true ' ]
}

# A Python script that runs its arguments as a command with the default action
# of SIGINT and SIGQUIT, which background jobs of bash ignore.
DEFAULT_SIGNALS='import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])'

@test "a signal is forwarded, and the counts so far are recorded" {
	for signal in TERM INT HUP QUIT; do
		rm -rf stop rec ready
		mkfifo stop
		python3 -c "$DEFAULT_SIGNALS" callgraph-record -o rec \
			"$PROGRAMS/cases" until <stop 3>&- &
		exec 9>stop
		wait_until test -e rec -a -e ready
		kill -$signal $!
		status=0
		wait $! || status=$?
		exec 9>&-
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		cat rec >>recs
	done
	# Of each, one callgraph, which is not final, and the exit record
	assert_equal "$(jq -c 'if .type == "callgraph" then
		.final, ([.nodes[].calls] | add > 0) else .signal // empty end' \
		recs | tr '\n' ' ')" \
		'null true 15 null true 2 null true 1 null true 3 '
}

@test "the records can be read while the program runs" {
	start cases until
	# They go to rec itself, not to a temporary file.
	[ -z "$(compgen -G 'rec.*')" ]
	kill -USR1 "$wrapper"
	wait_until grep -q '"type":"callgraph"' rec
	[ -e "/proc/$wrapper" ]
	stop
	wait "$wrapper"
	oracle
}

@test "a child that is killed is recorded at once" {
	# The child kills itself by signal 9, and its parent sh waits for a
	# line.
	mkfifo stop
	exec 9<>stop
	callgraph-record -o rec sh -c "'$PROGRAMS/cases' end-at-once 9 6; read x" \
		<stop >out 2>&1 3>&- 9>&- &
	wait_until grep -q '"type":"callgraph"' rec
	[ -e "/proc/$!" ]
	echo >&9
	wait $!
	exec 9>&-
}

@test "a wrapper started with SIGCHLD ignored ends, and its program ignores it" {
	run -0 --separate-stderr timeout "$HANG_S" python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])' callgraph-record -o rec \
		grep SigIgn /proc/self/status
	# SIGCHLD is signal 17: bit 16 of the mask, the lowest bit of the fifth
	# hexadecimal digit from the right.
	[[ $output =~ [13579bdf][0-9a-f]{4}$ ]]
}

@test "SIGALRM of a timer that was set before the start ends the program" {
	# If the timer expires before the program starts, as it may on a busy
	# machine, there is no output yet: try a longer time.
	for time_s in 0.2 2 20 200; do
		# 142 is 128 + 14, SIGALRM.
		# The parent of the tests may ignore the signal.
		run -142 python3 -c 'import os, signal, sys
signal.signal(signal.SIGALRM, signal.SIG_DFL)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
os.execvp(sys.argv[2], sys.argv[2:])' $time_s callgraph-record -o rec \
			tail -f /dev/null
		[ ! -e rec ] || break
	done
	[ "$(query exit .signal)" -eq 14 ]
}

@test "a program that catches a signal gets it once" {
	cat >script <<-'END'
		#!/bin/sh
		trap 'echo caught; exit 6' TERM
		echo ready
		while :; do sleep 0.05; done
	END
	chmod +x script
	callgraph-record -o rec ./script >out 2>err 3>&- &
	wait_until grep -q ready out
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 6 ]
	[ "$(grep -c caught out)" -eq 1 ]
}

@test "a signal that ends the program before it starts leaves a complete output" {
	need_strace
	# strace sends SIGINT at the first execve(), which fails because the
	# directory `nowhere` does not exist; so it comes before the second one.
	PATH=$PWD/nowhere:$PROGRAMS:$PATH run -130 strace -f -o trace \
		-e inject=execve:signal=INT:when=1 callgraph-record -o rec calls
	[ "$(query exit .signal)" -eq 2 ]
	[ "$(find . -name 'rec*')" = ./rec ]
}

# --- output that cannot be written ---

# unrecorded STATUS OPTIONS... - runs programs that end with 0 and 3, which
# callgraph-record cannot record.  Its own status is STATUS only if the program
# ended with 0.  Its messages go to err.
unrecorded() {
	local wanted=$1 status=0
	shift
	run -3 callgraph-record "$@" sh -c 'echo ran >&9; exit 3' 9>ran &&
		[ -s ran ] || return
	run -137 callgraph-record "$@" sh -c 'kill -9 $$' || return
	callgraph-record "$@" sh -c 'echo ran >&9' 9>ran 2>err || status=$?
	cat err
	[ "$(cat ran)" = ran ] && [ "$status" -eq "$wanted" ]
}

@test "a full disk is reported when the program has ended, with status 2" {
	unrecorded 2 -o /dev/full
	grep -q "cannot write '/dev/full': No space left" err
}

@test "a program runs although the output cannot be opened" {
	unrecorded 2 -o missing/rec
	grep -q "cannot create a file beside 'missing/rec': No such file" err
	grep -q 'warning: the program runs without being recorded' err
	mkdir directory
	unrecorded 2 -o directory
	unrecorded 2 --rejects missing/rejects
	# It keeps its standard output, as with -o.
	callgraph-record -o missing/rec echo hello >out 2>err || true
	[ "$(cat out)" = hello ]
	[ -z "$(find . -name 'rec*')" ]
}

@test "a program runs although standard output or error is closed" {
	for options in '-o rec' ''; do
		status=0
		callgraph-record $options "$PROGRAMS/cases" end main \
			>&- 2>err || status=$?
		[ "$status" -eq $((${#options} > 0 ? 0 : 2)) ]
	done
	grep -q "cannot write '<stdout>': Bad file descriptor" err
	callgraph-record -o rec "$PROGRAMS/cases" end main 2>&-
	[ "$(query callgraph .final)" = true ]
	# Nobody reads the messages.
	{ callgraph-record -o missing/rec sh -c 'trap "" PIPE; sleep 0.1
		: >ran' || echo $? >status; } 2>&1 | :
	wait_until test -s status
	[ "$(cat status)" -eq 2 ] && [ -e ran ]
}

@test "a program runs although the output becomes too large" {
	run -2 --separate-stderr prlimit --fsize=200 \
		callgraph-record -o rec "$PROGRAMS/cases" end main
	[[ $stderr == *"cannot write 'rec': File too large"* ]]
	run -3 prlimit --fsize=200 callgraph-record -o rec "$PROGRAMS/calls"
}

@test "a program runs although there are no descriptors left" {
	! is_sanitized || skip "the sanitizers need descriptors"
	# prlimit PROGRAM needs two descriptors besides the standard ones to be
	# executed.
	for n in 4 5 6 7 8; do
		status=0
		# The limit of the program is the original one.
		prlimit --nofile=$n: callgraph-record -o rec \
			sh -c 'ulimit -Sn' >out 2>err 3>&- 4>&- || status=$?
		[ "$(cat out)" -eq $n ]
		status=0
		prlimit --nofile=$n:$n callgraph-record -o rec \
			"$PROGRAMS/cases" turns 2 >out 2>err 3>&- 4>&- ||
			status=$?
		cat err
		[ "$(cat out)" = 'done' ]
		# What was recorded is complete, or the loss is reported.
		[ "$status" -eq 0 ] || [ "$status" -eq 2 ]
		grep -qE 'the program runs without|now on are not recorded' err ||
			query callgraph .final | grep -qx true
	done
}

@test "a program runs although there is no memory" {
	need_strace
	# The first allocation that is too large for the heap fails, but nothing
	# that loads the libraries.
	strace -e trace=mmap -o loading callgraph-record --version
	n_loading=$(grep -c '^mmap' loading)
	run -2 --separate-stderr strace -o trace \
		-e inject=mmap:error=ENOMEM:when=$((n_loading + 1))+ \
		-e inject=brk:error=ENOMEM callgraph-record -o rec \
		"$PROGRAMS/cases" end main
	[[ $stderr == *"out of memory"*"runs without being recorded"* ]]
	# If there can be no further process, the program replaces the wrapper.
	run -3 --separate-stderr strace -o trace -e inject=vfork:error=EAGAIN \
		callgraph-record -o rec "$PROGRAMS/calls"
	[[ $stderr == *"cannot start a process: Resource temporarily"* ]]
	[ -z "$(find . -name 'rec*')" ]
}

@test "if memory runs out later, the program is not recorded any longer" {
	! is_sanitized || skip "the sanitizers end a program without memory"
	start cases turns-twice 16
	prlimit --pid "$wrapper" --as=1
	kill -USR1 "$wrapper"
	wait_until grep -q 'out of memory' err
	[ -e "/proc/$wrapper" ]
	stop
	status=0
	wait "$wrapper" || status=$?
	cat err
	[ "$status" -eq 2 ] && [ "$(cat status)" -eq 0 ]
	grep -q 'warning: the program runs without being recorded' err
}

@test "a program runs and is recorded without a directory to write to" {
	[ "$(id -u)" -eq 0 ] || skip "this takes root"
	unshare -m true || skip "this takes namespaces"
	unshare -m sh -c 'mount --bind /tmp /tmp &&
		mount -o remount,ro,bind /tmp && ! touch /tmp/x &&
		XDG_RUNTIME_DIR=/nowhere exec callgraph-record "$1"' sh \
		"$PROGRAMS/calls" >rec 2>err || [ $? -eq 3 ]
	[ "$(query callgraph .final)" = true ]
	run -1 grep warning err
	# Nor is /proc needed, but for the sanitizers.
	! is_sanitized || return 0
	unshare -m sh -c 'mount -t tmpfs none /proc && exec callgraph-record \
		-o rec "$1"' sh "$PROGRAMS/calls" 2>err || [ $? -eq 3 ]
	[ "$(query callgraph .final)" = true ]
	[ "$(query callgraph .checksum)" = "\"$(checksum "$PROGRAMS/calls")\"" ]
}

@test "a signal that is not known does not end the wrapper" {
	start cases until
	kill -XFSZ "$wrapper"
	kill -PIPE "$wrapper"
	kill -RTMIN "$wrapper"
	status=0
	wait "$wrapper" || status=$?
	[ "$status" -eq $((128 + $(kill -l RTMIN))) ]
	[ "$(query exit .signal)" -eq "$(kill -l RTMIN)" ]
	exec 9>&-
}

@test "if the reader of the records has gone, the program runs to its end" {
	status=$(set +o pipefail
		{ callgraph-record --rejects rejects -i 5 \
			sh -c "'$PROGRAMS/cases' spins; : >ran" 2>/dev/null
			echo $? >status; } | :
		cat status)
	[ -e ran ]
	[ "$status" -eq 141 ]		# 128 + SIGPIPE
	[ -z "$(find . -name 'rejects*')" ]
}

@test "a slow reader of the records does not delay a signal" {
	# The records of 5,000 marks fill the pipe, from which nothing is read
	# until the program has caught the signal.
	cat >script <<-END
		#!/bin/sh
		trap ': >caught; exit 5' TERM
		"$PROGRAMS/cases" marks 5000
		: >ready
		while :; do sleep 0.05; done
	END
	chmod +x script
	{
		sh -c 'echo $$ >pid; exec callgraph-record ./script' \
			2>/dev/null || echo $? >status
	} | { wait_until test -e caught; cat >/dev/null; } 3>&- &
	wait_until test -e ready
	kill -TERM "$(cat pid)"
	wait_until test -s status
	[ "$(cat status)" -eq 5 ]
	wait $!
}

# --- the socket ---

@test "the socket has an abstract name of its own, which the program gets" {
	callgraph-record -o rec sh -c 'echo "$WEIR_SOCKET"
		awk "/file locks/ { print \$4 }" /proc/self/limits
		callgraph-record -o rec2 printenv WEIR_SOCKET' >out 2>/dev/null
	{ read -r name; read -r number; read -r other; } <out
	[[ $name == @weir-* && $other == @weir-* && $name != "$other" ]]
	[ "$number" -eq $((0x${name#@weir-})) ]
	# No file is left of it, even if the wrapper is killed.
	export XDG_RUNTIME_DIR=$PWD TMPDIR=$PWD
	start cases until
	kill -9 "$wrapper"
	stop
	wait_until test -s status
	[ -z "$(ls | grep weir)" ]
}

@test "a connection of another user is refused" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	mkfifo stop
	exec 9<>stop
	callgraph-record -o rec sh -c 'echo "$WEIR_SOCKET" >name; read x' \
		<stop >out 2>err 3>&- 9>&- &
	wait_until test -s name
	# This process is not one of the program's.
	python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
os.setuid(65534)    # nobody
s.connect("\0" + sys.argv[1][1:])
s.settimeout(float(sys.argv[2]))
try:
    s.send(b"weir 4\n")
    print(len(s.recv(1)))
except (ConnectionResetError, BrokenPipeError):
    print(0)
' "$(cat name)" "$HANG_S" >refused
	[ "$(cat refused)" = 0 ]
	echo >&9
	wait $!
	exec 9>&-
	grep -q 'warning: a process of another user' err
}

@test "a process that sends anything else is not recorded, but others are" {
	for text in '' 'no greeting' 'weir 3' 'weir 4'; do
		callgraph-record -o rec sh -c 'python3 -c "
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(\"\\0\" + os.environ[\"WEIR_SOCKET\"][1:])
s.send(sys.argv[1].encode() + b\"\\n\")
s.recv(1)
" "$1"; exec "$2"' sh "$text" "$PROGRAMS/calls" >/dev/null 2>err || true
		grep -Eq 'is not recorded: it has (no memory|another version)' err
		[ "$(query callgraph .final)" = true ]
	done
}

@test "whatever a process writes into its memory, it cannot harm the wrapper" {
	RANDOM=$(seed)
	for ((n = 0; n < $(rounds 20); n++)); do
		status=0
		callgraph-record -i 1 -s 1000 -o rec python3 \
			"$TEST/gen/memory.py" "$PROGRAMS/calls" $RANDOM \
			>out 2>err || status=$?
		# The script ends with 0, and so does the wrapper.
		[ "$status" -eq 0 ] || { cat out err; false; }
		mv rec rec.$n
	done
	jq -en 'reduce inputs as $record ({}; .[input_filename] +=
		[$record.type]) | all(.[]; .[0] == "begin" and .[-1] == "end")' \
		rec.*
}
