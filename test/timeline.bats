# timeline.bats - timeline draws tasks

load helper

ORACLE=$TEST/oracles/timeline.py
EXAMPLES=$TEST/data/demo

# check TASKS - draws the tasks with their critical path, and has the oracle
# compare the picture
check() {
	critpath --bridge "$1" >path 2>err
	timeline -p path "$1" >picture &&
		python3 "$ORACLE" check "$1" path <picture
}

# span ID START END [KEY:VALUE]... - prints a task
span() {
	local keys=
	for key in "${@:4}"; do keys+=",$key"; done
	echo "{\"type\":\"task\",\"id\":\"$1\",\"start_us\":$2,\"end_us\":$3$keys}"
}

@test "every task is in the picture once, and the path is critpath's" {
	SEED=$(seed)
	for n in 1 2 10 100 1000; do
		for ((i = 0; i < $(rounds 2); i++)); do
			python3 "$ORACLE" tasks $((SEED + i)) $n >tasks
			check tasks
		done
	done
}

@test "the path of a distributed build is that of critpath, with its waiting" {
	execlog-parse "$EXAMPLES/build.log" >tasks
	buildgraph-parse "$EXAMPLES/graph.json" >nodes
	critpath -g nodes tasks >path
	timeline -g nodes -p path tasks >picture
	python3 "$ORACLE" texts <picture | grep -o 'step [0-9]* of 8' |
		sort -u >steps
	assert_equal "$(wc -l <steps)" "$(grep -c '"critical"' path)"
	grep -q 'after waiting 213 ms' picture
	# The path may also come in the same stream, before the tasks.
	cat path tasks | timeline -g nodes | cmp - picture
}

@test "a query has a row for each thread, and says what each instruction does" {
	malparse --tasks "$EXAMPLES/mal-2018.json" >tasks
	timeline tasks | python3 "$ORACLE" texts >texts
	for text in 'thread 1' 'thread 2' 'thread 3' algebra.thetaselect; do
		grep -qx "\"$text\"" texts
	done
}

@test "the order of records does not matter" {
	python3 "$ORACLE" tasks "$(seed)" 300 >tasks
	critpath --bridge tasks >path 2>err
	timeline -p path tasks >want
	for n in 1 2 3; do
		shuffle "$(seed)$n" tasks >shuffled
		shuffle "$(seed)$n" path >steps
		timeline -p steps shuffled | cmp - want
	done
}

# bats test_tags=normal
@test "a picture of 30,000 tasks has less than 2 MB and counts what it merges" {
	python3 "$ORACLE" tasks "$(seed)" 30000 |
		sed 's/, "\(deps\|failed\)": .*}/}/' >tasks
	check tasks
	[ "$(wc -c <picture)" -lt 2000000 ]
	n=$(sed -n 's/.*>\([0-9]*\) tasks shorter than .*/\1/p' picture)
	[ "$n" -gt 15000 ]
}

@test "many steps and many failed tasks are all drawn" {
	for i in {1..300}; do
		span "t$i" $((i * 10)) $((i * 10 + 1)) '"failed":true' \
			"\"deps\":[\"t$((i - 1))\"]"
	done >tasks
	span last 100000000 100000001 '"deps":["t300"]' >>tasks
	check tasks | grep -x '301 bars, 0 merged, 301 steps'
}

@test "a picture of 30,000 failed steps of one path has less than 2 MB" {
	python3 - >tasks <<'END'
for i in range(30000):
    print('{"type":"task","id":"t%d","host":"h%d","failed":true,'
        '"deps":["t%d"],"start_us":%d,"end_us":%d}' %
        (i, i % 50, i - 1, i * 1000, i * 1000 + (900000 if i == 20000 else 1)))
END
	critpath tasks >path 2>err
	timeline -p path tasks >picture
	[ "$(wc -c <picture)" -lt 2000000 ]
	python3 "$ORACLE" texts <picture | grep -q '^"t20000\\n'
}

@test "several builds are drawn on one scale, each below the other" {
	span a 0 1000000 '"run":"short"' >tasks
	span a 0 4000000 '"run":"long"' >>tasks
	timeline tasks >picture
	grep -o '<rect x="[0-9.]*" y="[0-9.]*" width="[0-9.]*"' picture |
		grep -v '"10"$' | tr -dc '0-9. \n' >rects
	awk '{ if (NR > 1 && ($2 <= y || $3 < 3.99 * w || $3 > 4.01 * w))
		exit 1; y = $2; w = $3 } END { exit NR != 2 }' rects
	python3 "$ORACLE" texts <picture >texts
	grep -q '^"short: 1.00 s, 1 task,' texts
	grep -q '^"long: 4.00 s, 1 task,' texts
}

@test "hosts are in the order of their numbers" {
	for i in 10 9 100 1; do span "$i" 0 1000 "\"host\":\"h-$i\""; done |
		timeline | python3 "$ORACLE" texts | grep '^"h-' >hosts
	assert_equal "$(paste -sd' ' hosts)" '"h-1" "h-9" "h-10" "h-100"'
}

@test "the labels of an axis are round, and far from each other" {
	for us in 7 900 15000 999999 8000000 100000000 219000000 392700000 \
			3841000000 7300000000 40000000000 900000000000; do
		span a 0 "$us" | timeline | grep -v bold | sed -n \
			's/<text x="\([0-9.]*\)".*>\([0-9.]* [a-z]*\)<.*/\1 \2/p' >labels
		cat labels
		awk 'NR > 1 && ($1 - x < 60 || $3 != unit) || length($2) > 4 {
				exit bad = 1
			}
			{ x = $1; unit = $3 }
			END { exit bad || NR < 3 || NR > 11 }' labels
	done
}

@test "tasks without times are left out and counted" {
	(span a 0 1000; echo '{"type":"task","id":"b","elapsed_us":5}') |
		timeline >picture
	grep -q '1 without times are left out' picture
}

@test "a step that is no task of the build is a warning" {
	span a 0 1000 >tasks
	echo '{"type":"critical","step":1,"id":"b"}' >path
	run -0 --separate-stderr timeline -p path tasks
	assert_equal "$stderr" "timeline: warning: 1 step of the critical path is no task of the run: is it the path of another one?"
	echo '{"type":"critical","step":"x","id":"b"}' >path
	run -1 --separate-stderr timeline -p path tasks
	[[ $stderr == *"path:1: step is not an integer below 2^53" ]]
}

@test "hostile names are only text" {
	python3 - >tasks <<'END'
import json
names = ["</script><script>alert(1)</script>", '"><img src=x onerror=a()>',
    "]]>", "&amp;", "\u202etxt", "\x00\x01\x1b[31m\x7f", "\ufffe", "",
    "'\" onload=\"x", "漢字" * 20, "x" * 10 ** 6]
for i, name in enumerate(names):
    print(json.dumps({"type": "task", "id": name + "#", "name": name,
        "host": name, "rule": name, "run": "r" if i < 9 else name,
        "start_us": i * 1000, "end_us": i * 1000 + 900}))
END
	timeline tasks >picture
	python3 "$ORACLE" texts <picture >texts
	grep -qF '</script><script>alert(1)</script>' texts
	[ "$(wc -c <picture)" -lt 100000 ]
	run ! grep -q '<script\|<img\|onload="' picture
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae' picture
}

@test "an empty stream gives no picture, but one without tasks does" {
	run -1 --separate-stderr timeline </dev/null
	assert_equal "$output" ""
	[[ $stderr == *"timeline: "* ]]
	echo '{"type":"build","wall_us":5}' | timeline |
		python3 "$ORACLE" texts | grep -q '0 tasks'
}

@test "the picture in the README is what make pictures draws" {
	sh "$TEST/pictures.sh" "$PWD"
	cmp build.svg "$TEST/data/pictures/build.svg"
	grep -q 'test/data/pictures/build.svg' "$TEST/../README.md"
}
