# callgraph-record.bats - the records of the wrapper, and that the program runs
# as it does without it

load helper
load instrument

# checksum FILE - prints the SHA-512/224, by another implementation
checksum() {
	python3 -c 'import hashlib, sys
print(hashlib.new("sha512_224", open(sys.argv[1], "rb").read()).hexdigest())' \
		"$1"
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
	[ "$(jq -rs 'map(.type) | join(" ")' rec)" = "callgraph exit" ]
}

@test "checksum and program are those of the executable" {
	record 3 calls
	sum=$(checksum "$PROGRAMS/calls")
	[ "$(jq -r .checksum rec | sort -u)" = "$sum" ]
	[ "$(jq -r .program rec | sort -u)" = \
		"$(realpath "$PROGRAMS/calls")" ]
	[ "$(jq .pid rec | sort -u | wc -l)" -eq 1 ]
	jq "now - .time_us / 1000000 | . > -1 and . < 60" rec >soon
	[ "$(sort -u soon)" = true ]
}

@test "the checksum is that of the running file, not of its replacement" {
	cp "$PROGRAMS/cases" program
	sum=$(checksum program)
	PROGRAMS=$PWD start program until
	until_true compgen -G 'rec.*'
	sleep 0.2
	rm program
	cp "$PROGRAMS/calls" program
	stop
	wait "$wrapper"
	[ "$(query callgraph .checksum)" = "\"$sum\"" ]
}

@test "the exit record has the status, the times and the memory" {
	OPTIONS=-t record 0 cases spins
	[ "$(query exit .status)" -eq 0 ]
	[ "$(query exit '.elapsed_us >= 150000 and .elapsed_us < 1000000 and
		.user_us + .system_us >= 20000 and .max_rss_bytes > 500000 and
		has("signal") == false')" = true ]
	before=$(date +%s)
	[ "$(query exit .time_us)" -gt $(((before - 60) * 1000000)) ]
	[ "$(tail -n 1 rec | jq -r .type)" = exit ]
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
	[ "$(jq -r .type rec)" = exit ]
	run -3 --separate-stderr callgraph-record -o rec "$PROGRAMS/calls.noop"
	[[ $stderr == *"nothing was recorded"* ]]
	# The C library has functions of that name, which do nothing.
	gcc -finstrument-functions -o alone \
		"$TEST/programs/instrument/calls.c"
	run -3 --separate-stderr callgraph-record -o rec ./alone
	[[ $stderr == *"nothing was recorded"* ]]
}

# --- releases ---

@test "with --release-dir, a program without a release is run but not recorded" {
	mkdir releases
	sum=$(checksum "$PROGRAMS/calls")
	OPTIONS='-r releases' record 3 calls
	cat out | grep -qx 'fib 610'
	grep -q "warning: .*no 'releases/$sum.release'" err
	[ "$(jq -r .type rec)" = exit ]
	: >"releases/$sum.release"
	OPTIONS='-r releases' record 3 calls
	[ "$(query callgraph .checksum)" = "\"$sum\"" ]
	run -1 grep warning err
	OPTIONS='-r releases' record 139 cases end segv
	[ "$(jq -r .type rec)" = exit ]
	OPTIONS='-r releases' record 0 cases marks 3
	[ "$(jq -r .type rec)" = exit ]
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
	list='ls -l /proc/self/fd | sed "s/.* \([0-9]*\) -> .*/\1/" | tr "\n" " "'
	want=$(sh -c "$list" </dev/null 2>/dev/null 3>&-)
	callgraph-record -o rec sh -c "$list" </dev/null >out 2>/dev/null 3>&-
	assert_equal "$(cat out)" "$want"
	callgraph-record -o rec sh -c 'echo 1 >&5' 5>five
	[ "$(cat five)" = 1 ]
	callgraph-record -o rec grep Sig /proc/self/status >signals 2>err
	diff signals <(grep Sig /proc/self/status) |
		{ ! grep -E 'SigBlk|SigIgn'; }
	run -0 --separate-stderr sh -c "callgraph-record -o rec \
		sh -c 'cat; echo \$?' <&-"
	assert_equal "$output" 1
}

@test "the wrapper ends as the program did" {
	for status in 0 1 2 42 125 255; do
		run -"$status" callgraph-record -o rec sh -c "exit $status"
		[ "$(query exit .status)" -eq "$status" ]
	done
	for signal in TERM KILL SEGV ABRT PIPE HUP; do
		run -$((128 + $(kill -l $signal))) \
			callgraph-record -o rec sh -c "kill -$signal \$\$"
		[ "$(query exit .signal)" -eq "$(kill -l $signal)" ]
	done
	# The wrapper ends by the signal itself, not with the status 128 + 15.
	python3 -c 'import subprocess, sys
sys.exit(subprocess.call(["callgraph-record", "-o", "rec", "sh", "-c",
    "kill -TERM $$"]) != -15)'
	compgen -G 'core*' && false || true
}

@test "a program that cannot be run gives 127 or 126, and no output file" {
	run -127 --separate-stderr callgraph-record -o rec ./missing
	[[ $stderr == "callgraph-record: cannot run './missing': No such"* ]]
	: >file
	run -126 --separate-stderr callgraph-record -o rec ./file
	[[ $stderr == *"cannot run './file': Permission denied" ]]
	run -2 --separate-stderr callgraph-record -o rec
	[[ $stderr == *"no program was given"* ]]
	[ ! -e rec ]
	no=$(compgen -G 'rec.*' || true)
	[ -z "$no" ]
}

@test "the wrapper ends soon after the program" {
	SECONDS=0
	for _ in {1..20}; do
		callgraph-record -o rec "$PROGRAMS/calls" 1 >/dev/null 2>&1 ||
			true
	done
	[ "$SECONDS" -le 3 ]
	# Processes that the program left running do not delay it either.
	mkfifo stop
	exec 9<>stop
	callgraph-record -o rec sh -c "$PROGRAMS/cases until <stop & sleep 0.1" \
		>/dev/null 2>&1 3>&- 9>&- &
	wait $!
	[ "$SECONDS" -le 9 ]
	exec 9>&-
}

# --- signals ---

@test "SIGUSR1 requests a callgraph now" {
	start cases until
	until_true compgen -G 'rec.*'
	sleep 0.2
	for _ in 1 2 3; do
		kill -USR1 "$wrapper"
		sleep 0.1
	done
	stop
	wait "$wrapper"
	oracle
	[ "$(query callgraph .sequence | tr '\n' ' ')" = '0 1 2 3 ' ]
	[ "$(query callgraph .final | tr '\n' ' ')" = 'null null null true ' ]
}

@test "a signal is forwarded, after the counts so far were received" {
	for signal in TERM INT HUP QUIT; do
		rm -f stop rec
		mkfifo stop
		callgraph-record -o rec "$PROGRAMS/cases" until <stop 3>&- &
		exec 9>stop
		sleep 0.3
		# Not from a terminal: bash has background jobs ignore SIGINT.
		kill -$signal $!
		status=0
		if [ $signal = INT ] || [ $signal = QUIT ]; then
			exec 9>&-
			wait $! || status=$?
			continue
		fi
		wait $! || status=$?
		exec 9>&-
		[ "$status" -eq $((128 + $(kill -l $signal))) ]
		[ "$(query exit .signal)" -eq "$(kill -l $signal)" ]
		[ "$(query callgraph '[.nodes[].calls] | add')" -gt 1000 ]
		[ "$(query callgraph .final)" = null ]
	done
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
	until_true grep -q ready out
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" -eq 6 ]
	[ "$(grep -c caught out)" -eq 1 ]
}

@test "a signal that ends the program before it starts leaves a complete output" {
	need_strace
	# execvp() fails in the first directory, and the signal comes before the
	# second.
	PATH=$PWD/nowhere:$PROGRAMS:$PATH run -130 strace -f -o trace \
		-e inject=execve:signal=INT:when=1 callgraph-record -o rec calls
	[ "$(query exit .signal)" -eq 2 ]
	[ "$(find . -name 'rec*')" = ./rec ]
}

# --- output that cannot be written ---

@test "a full disk is reported when the program has ended, with status 2" {
	run -2 --separate-stderr callgraph-record -o /dev/full \
		"$PROGRAMS/calls"
	assert_line 'fib 610'
	[[ $stderr == *"cannot write '/dev/full': No space left"* ]]
}

@test "if the reader of the records has gone, the program runs to its end" {
	status=$(set +o pipefail
		{ callgraph-record --rejects rejects -i 5 \
			sh -c "'$PROGRAMS/cases' spins; : >ran" 2>/dev/null
			echo $? >status; } | :
		cat status)
	[ -e ran ]
	[ "$status" -eq 141 ]
	[ -z "$(find . -name 'rejects*')" ]
}

@test "a slow reader of the records does not delay a signal" {
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
	} | { sleep 1.5; cat >/dev/null; } 3>&- &
	until_true test -e ready
	kill -TERM "$(cat pid)"
	sleep 0.5
	[ -e caught ]
	until_true test -s status
	[ "$(cat status)" -eq 5 ]
	wait $!
}

# --- the socket ---

@test "the socket is private, and removed when the wrapper ends" {
	mkdir -m 777 run
	export XDG_RUNTIME_DIR=$PWD/run
	callgraph-record -o rec sh -c 'echo "$WEIR_SOCKET"
		stat -c %a "${WEIR_SOCKET%/*}"' >out 2>/dev/null
	[[ $(head -n 1 out) == "$PWD/run/weir-"*/socket ]]
	[ "$(tail -n 1 out)" = 700 ]
	[ -z "$(ls run)" ]
	run -127 callgraph-record -o rec ./missing
	[ -z "$(ls run)" ]
}

@test "a connection of another user is refused" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user"
	unset XDG_RUNTIME_DIR		# where that user may not go
	callgraph-record -o rec python3 -c '
import os, socket
path = os.environ["WEIR_SOCKET"]
s = socket.socket(socket.AF_UNIX)
os.chmod(os.path.dirname(path), 0o777)
os.chmod(path, 0o777)
os.setuid(65534)
s.connect(path)
s.settimeout(3)
try:
    s.send(b"{\"type\":\"hello\",\"program\":\"x\"}\n")
    print(len(s.recv(1)))
except (ConnectionResetError, BrokenPipeError):
    print(0)
' >out 2>err || { cat err; false; }
	[ "$(cat out)" = 0 ]
	grep -q 'nothing was recorded' err
}

@test "malformed messages are reported, and other processes are still recorded" {
	for text in 'no json' '{"type":"nodes","nodes":["0 1 1 1 0 0"]}' \
		'{"type":"hello","program":"x"}
{"type":"begin"}
{"type":"nodes","nodes":["5 1 1 1 0 0"]}' \
		'{"type":"hello","program":"x"}
{"type":"begin"}
{"type":"nodes","nodes":["0 1 1 99999999999999999999999 0 0"]}' \
		'{"type":"hello","program":"x"}
{"type":"crash","frames":["zz 1"]}'; do
		callgraph-record -o rec sh -c 'python3 -c "
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(os.environ[\"WEIR_SOCKET\"])
s.send(sys.argv[1].encode() + b\"\\n\")
try:
    s.recv(1)
except ConnectionResetError:
    pass
" "$1"; exec "$2"' sh "$text" "$PROGRAMS/calls" >/dev/null 2>err || true
		grep -q 'sent a malformed message' err || { echo "$text"; cat err
			false; }
		[ "$(query callgraph .final)" = true ]
	done
}
