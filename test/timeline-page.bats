# timeline-page.bats - timeline --html writes a page

load helper

ORACLE=$TEST/oracles/timeline-page.py

# check_page RECORDS - writes the page of these records and has the oracle check
# it; prints how many tasks it lists
check_page() {
	timeline --html "$1" >page.html && python3 "$ORACLE" check page.html "$1"
}

# task ID START END [KEY:VALUE]... - prints a task
task() {
	local keys=
	for key in "${@:4}"; do keys+=",$key"; done
	echo "{\"type\":\"task\",\"id\":\"$1\",\"start_us\":$2,\"end_us\":$3$keys}"
}

@test "a page has the data of all tasks, and of nothing else" {
	SEED=$(seed)
	for n in 1 2 10 1000; do
		python3 "$ORACLE" make $((SEED + n)) $n >records
		assert_equal "$(check_page records)" $n
	done
}

@test "of many tasks the longest, the failed and the path are listed" {
	python3 "$ORACLE" make "$(seed)" 30000 >records
	listed=$(check_page records)
	((listed > 5000 && listed < 30000))
	(($(wc -c <page.html) < 2000000))
}

# bats test_tags=normal
@test "many failed tasks do not make a page too large" {
	python3 "$ORACLE" make "$(seed)" 30000 |
		sed 's/"kind"/"failed": true, &/; /critical/d' >records
	sed -i 's/, "failed": true}/}/' records
	listed=$(check_page records)
	((listed > 5000))
	(($(wc -c <page.html) < 2000000))
	grep -q '<svg ' page.html
}

@test "a picture of 1,500 builds is left out of the page" {
	for i in {1..1500}; do
		echo "{\"type\":\"task\",\"id\":\"a\",\"run\":\"$i\",\"start_us\":0,\"end_us\":$((i * 1000))}"
	done | timeline --html >page.html
	grep -q 'This page needs scripts' page.html
	python3 "$ORACLE" check page.html
}

@test "the order of records does not change the page" {
	python3 "$ORACLE" make "$(seed)" 2000 >records
	timeline --html records >want
	timeline --html records | cmp - want
	shuffle "$(seed)" records | timeline --html | cmp - want
}

@test "texts cannot become elements or scripts, nor control characters" {
	python3 "$ORACLE" hostile >records
	timeline --html records >page.html
	python3 "$ORACLE" check page.html
	assert_equal "$(grep -o '&lt;script&gt;alert(2)&lt;/script&gt;' \
	    page.html | sort -u | wc -l)" 1
	run ! grep -i '<b>\|<img\|<script>alert\|<svg on' page.html
}

@test "a name of a megabyte is shortened" {
	name=$(head -c 1000000 /dev/zero | tr '\0' x)
	task "$name" 0 9 '"host":"'"$name"'"' '"rule":"'"$name"'"' >records
	timeline --html records >page.html
	python3 "$ORACLE" check page.html
	(($(wc -c <page.html) < 100000))
}

@test "a page of several runs has a section and data for each" {
	for run in one two three; do
		task a 5 25 "\"run\":\"$run\""
		task b 25 30 "\"run\":\"$run\""
	done >records
	timeline --html records >page.html
	python3 "$ORACLE" check page.html
	assert_equal "$(grep -c '<section>' page.html)" 3
	assert_equal "$(grep -c '<script type="application/json">' page.html)" 3
	grep -q '<h2>two</h2>' page.html
}

# data_of PAGE JQ - applies a jq filter to the data of the first section
data_of() {
	grep -o '<script type="application/json">.*</script>' "$1" | head -n 1 |
		sed 's/<[^>]*>//g' | jq -c "$2"
}

@test "the page has which attempt of how many a task is, and its slack" {
	lines "$(task a 0 5 '"host":"h"' '"failed":true' '"slack_us":0')" \
		"$(task a 6 8 '"host":"i"' '"failed":true' '"slack_us":-3')" \
		"$(task a 7 9 '"host":"h"' '"slack_us":25')" \
		"$(task b 9 12 '"host":"i"' '"slack_us":"x"')" >records
	timeline --html records >page.html
	# In the order of lanes: a and a#3 on h, a#2 and b on i.
	assert_equal "$(data_of page.html .attempts)" '[0,1,3,1,3,3,2,2,3]'
	# What is negative or a string is not a slack.
	assert_equal "$(data_of page.html .slack)" '[0,25,-1,-1]'
	grep -v slack <<<"$(task a 0 5)" | timeline --html >page.html
	assert_equal "$(data_of page.html '[.attempts, .slack]')" '[[],null]'
}

@test "the slack that critpath writes gets into the page" {
	execlog-parse "$DATA/demo/build.log" >tasks
	buildgraph-parse "$DATA/demo/graph.json" |
		critpath --all - tasks >all
	timeline --html all >page.html
	assert_equal "$(data_of page.html '.slack | sort')" \
		"$(jq -s -c 'map(select(.type == "task") | .slack_us // -1) |
		sort' all)"
}

@test "the page has the path as a table, and the picture without scripts" {
	lines "$(task a 0 1500000)" "$(task b 1600000 4000000)" \
	    '{"type":"critical","step":1,"id":"a","start_us":0,"elapsed_us":1500000,"potential_us":1000}' \
	    '{"type":"critical","step":2,"id":"b","start_us":1600000,"elapsed_us":2400000,"waiting_us":100000}' \
	    >records
	timeline --html records >page.html
	grep -q '<th scope="col">Task</th>' page.html
	grep -q '<th scope="row" class="n">2</th>.*>b<.*2.40 s.*100 ms' page.html
	sed -n '/<svg/,/<\/svg>/p' page.html |
		python3 -c 'import sys; from xml.etree import ElementTree
ElementTree.parse(sys.stdin)'
}

@test "a name that is not UTF-8 does not get into a page" {
	printf '{"type":"task","id":"a\xff","start_us":0,"end_us":9}\n' >records
	task b 0 9 >>records
	run -1 --separate-stderr timeline --html records
	python3 "$ORACLE" check <(echo "$output")
	iconv -f utf-8 -t utf-8 <<<"$output" >/dev/null
}

@test "a page without tasks says so" {
	echo '{"type":"build","wall_us":5}' | timeline --html >page.html
	python3 "$ORACLE" check page.html
	grep -q '<p>0 tasks' page.html
}
