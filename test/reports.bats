# reports.bats - reports fit the width that is requested, and are safe to show

load helper

ORACLE=$TEST/oracles/widths.py

# inputs SEED - writes records of a build, a query and programs whose names are
# difficult, and the reports to make of them, each as a command in a line of the
# file `reports`
inputs() {
	execlog-parse "$DATA/demo/build.log" >tasks &&
		buildgraph-parse "$DATA/demo/graph.json" >nodes &&
		malparse "$DATA/demo/trace.json" >rows &&
		cp "$DATA/callgraph-stat/app.in" calls &&
		cp "$DATA/callgraph-stat/app.old" old || return
	local file i
	for i in {1..30}; do
		printf '{"type":"sample","uid":"%s","value":%s,"unit":"ms","workload":"%s","minor_version":"c%s"}\n' \
			sort $((37 * i % 11 + i / 16 * 50)) big $i parse 5 small $i
	done >samples
	for file in tasks nodes rows calls old samples; do
		python3 "$ORACLE" rename "$1" <$file >$file.new &&
			mv $file.new $file || return
	done
	head -n 30 samples >before
	tail -n 30 samples >after
	cat >reports <<-'END'
	critpath --all --edges --top 2 --by rule --by host --workers 3 -g nodes tasks
	critpath --drop kind=copy --budget 1s -g nodes tasks
	execlog-stat -g nodes tasks
	malstat rows
	malstat --queries rows
	callgraph-stat calls
	callgraph-stat --by callsite calls
	callgraph-stat --by file calls
	callgraph-stat --diff old calls
	perf-diff before after
	perf-diff --history --oldest-first samples
	END
}

# report COMMAND OPTION... - writes the report of a command; an answer "no" is
# no fault
report() {
	local command=$1
	shift
	$command --text "$@" >out 2>err || [ $? -eq 1 ]
}

@test "no line of a report is wider than requested" {
	inputs "$(seed)"
	n=0
	widths=(40 80 120 200)
	! is_sanitized || widths=(40)
	while read -r command; do
		n=$((n + 1))
		echo "$n: $command"
		for locale in C C.UTF-8; do
			for width in "${widths[@]}"; do
				LC_ALL=$locale report "$command" --width $width
				mv out $width-$locale-$n-option
			done
		done
		COLUMNS=80 report "$command"
		mv out 80-$n-variable
	done <reports
	run -0 python3 "$ORACLE" check [1-9]*
	[ "$(ls [1-9]* | wc -l)" -eq $((n * (2 * ${#widths[@]} + 1))) ]
}

@test "no name in a report in Markdown is active" {
	inputs "$(seed)"
	while read -r command; do
		echo "$command"
		$command --markdown >out 2>err || [ $? -eq 1 ]
		python3 "$ORACLE" markdown <out
	done <reports
}

@test "a report in Markdown begins with the answer, and has no bars" {
	execlog-parse "$DATA/demo/build.log" >tasks
	buildgraph-parse "$DATA/demo/graph.json" >nodes
	run -0 critpath --markdown -g nodes tasks
	assert_line -n 0 "Limited by its path: 50.91 of 51.76 s."
	assert_line "| +213 ms | 213 ms | 6.90 s | 13.6 % | 6.90 s | \
\`prepare:4:repository:trunk on oak-08\` |"
	run ! grep -q '[▁-█]' <<<"$output"
	run -2 critpath --markdown --text tasks
	run -2 critpath --markdown --width 80 tasks
}

@test "a report in a file or pipe has no limit of width unless requested" {
	local long=$(printf 'x%.0s' {1..300})
	lines '{"type":"task","id":"1","name":"'$long'","elapsed_us":9,"start_us":0,"end_us":9}' >in
	critpath --text in | grep -q "$long"
	critpath --text -o out in
	grep -q "$long" out
	COLUMNS=90 critpath --text -o out in
	[ "$(grep xxx out | wc -L)" -eq 90 ]
	COLUMNS=90 critpath --text --width 70 in >out
	[ "$(grep xxx out | wc -L)" -eq 70 ]
	COLUMNS=x critpath --text in | grep -q "$long"
	run -2 critpath --width 39 in
}

# on_terminal COLUMNS COMMAND... - runs a command on a terminal of this width,
# and prints what it writes to standard output
on_terminal() {
	python3 -c '
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    os.execvp(sys.argv[2], sys.argv[2:])
text = b""
try:
    while piece := os.read(fd, 65536):
        text += piece
except OSError:     # the end of the output
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(text.replace(b"\r\n", b"\n"))' "$@"
}

@test "on a terminal a report has its width, and colours if it supports them" {
	need_terminal
	execlog-parse "$DATA/demo/build.log" >tasks
	unset NO_COLOR
	# The path's bars, what is over budget, headings
	TERM=xterm on_terminal 100 critpath --budget 1s tasks >coloured
	grep -q $'\033\[36m█' coloured
	grep -q $'\033\[31mOver budget: the path takes' coloured
	grep -q $'\033\[1mCritical path' coloured
	TERM=xterm on_terminal 80 execlog-stat tasks |
		grep -q $'\033\[31m1 failed'
	TERM=dumb on_terminal 100 critpath --budget 1s tasks >plain
	sed 's/\x1b\[[0-9]*m//g' coloured | diff plain -
	NO_COLOR=1 TERM=xterm on_terminal 100 critpath --budget 1s tasks |
		diff plain -
	for width in 40 80 120 200; do
		TERM=dumb on_terminal $width critpath tasks >$width-terminal
		python3 "$ORACLE" check $width-terminal
		[ "$(grep -c 'Critical path' $width-terminal)" -eq 1 ]
	done
	# With -o, neither the terminal's width nor its colours apply.
	critpath --text tasks >plain
	TERM=xterm on_terminal 40 critpath --text -o out tasks
	diff plain out
}

@test "a report claims nothing that its log cannot show" {
	lines '# ninja log v5' '0	5	1	a	1' '5	9	1	b	2' >log
	execlog-parse log >tasks
	run -0 execlog-stat --text tasks
	refute_output --regexp 'fail|cache'
	assert_line "  2 executed"
	lines '{"type":"task","kind":"run","id":"1","start_us":0,"end_us":59999000,"elapsed_us":59999000}' >in
	run -0 execlog-stat --text in
	assert_line --partial "1m 00.0s, 1 task,"
}
