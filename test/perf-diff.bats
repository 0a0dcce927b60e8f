# perf-diff.bats - perf-diff compares two sides and finds changes in histories
#
# test/unit/stats.c has the worked examples of the statistics.

load helper
load pidx
load oracle

ORACLE=$TEST/oracles/perf-diff.py

# samples UID VALUE... - prints a sample record for each value
samples() {
	local uid=$1
	shift
	printf '{"uid":"'"$uid"'","value":%s}\n' "$@"
}

# history UID VALUE... - prints a sample of each value, at the commits c1, c2 ...
history() {
	local uid=$1 i=0 value
	shift
	for value; do
		echo "{\"type\":\"sample\",\"uid\":\"$uid\",\"value\":$value,\"minor_version\":\"c$((++i))\"}"
	done
}

# The values of the example A of test/unit/stats.c: a change at the ninth.
A=(100 101 99 102 98 103 97 100.5 110 111 109 112 108 113 107 110.5)

# verdicts - prints "UID VERDICT" for each change in $output
verdicts() {
	jq -r 'select(.type == "change") | "\(.uid) \(.verdict)"' <<<"$output"
}

# profile_of UNIT AMOUNT... - prints a profile in which `work` took these times
profile_of() {
	local unit=$1 resources
	shift
	resources=$(printf ',{"uid":"work","type":"time","amount":%s}' "$@")
	echo '{"header":{"type":"time","cmd":"c","workload":"w","units":{"time":"'"$unit"'"}},"collector_info":{"name":"time","params":{}},"postprocessors":[],"global":{"time":"0","resources":['"${resources:1}"'],"models":[]}}'
}

@test "random samples of two sides agree with a second implementation" {
	agree sides 60
}

@test "random histories agree with a second implementation" {
	agree history 60
}

@test "thinned samples agree with a second implementation" {
	agree pairs 1
}

@test "damaged input ends with 0, 1 or 2, never with a signal" {
	agree damage 30
}

@test "a significant change for the worse makes the status 1" {
	samples a 100 102 98 101 99 103 97 100.5 99.5 101.5 >old
	samples a 104 106 102.5 105 103.5 107 101.2 104.5 103.2 105.5 >new
	run -1 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.verdict, .shift, .low, .high, .n]')" = \
		'["degraded",4,2.2,6,20]' ]
	[[ $stderr == "perf-diff: 1 of 1 keys is worse: a is 4.0 % worse: 100.2 before, 104.2 after" ]]
	run -0 perf-diff new old
	[ "$(verdicts)" = "a improved" ]
	run -1 --separate-stderr perf-diff --improvements new old
	run -0 perf-diff --effect 5 old new
	[ "$(verdicts)" = "a same" ]
}

@test "nothing is reported for identical samples" {
	seed=$(seed)
	for n in 1 10 40; do
		for uid in a b c; do
			samples $uid $(awk -v n=$n -v s=$seed -v uid=$uid 'BEGIN {
				srand(s + n index("abc", uid))
				while (n--) print int(rand() * 50) }')
		done >old
		run -0 perf-diff old old
		[ "$(found 'select(.type == "changes") |
			[.alarms, .improved, .new, .gone]')" = '[0,0,0,0]' ]
	done
}

@test "fewer than ten samples on a side are unverified, however different" {
	samples a {1..9} >old
	samples a {101..140} >new
	run -0 perf-diff old new
	[ "$(verdicts)" = "a unverified" ]
	run -0 perf-diff --text old new
	[[ ${lines[0]} == "Nothing can be said: no key has 10 samples on each side." ]]
	samples a 5 >>old
	run -1 --separate-stderr perf-diff old new
	[ "$(verdicts)" = "a degraded" ]
}

@test "many keys with few samples are said to need more" {
	awk 'BEGIN { for (i = 0; i < 20000; i++)
		printf "{\"uid\":\"k%d\",\"value\":%d}\n", i / 10, i % 10 + 1 }' >old
	run -0 perf-diff --text old old
	[[ ${lines[0]} == *"hardly any change could have been seen: 2000 keys need more samples." ]]
}

@test "new and vanished keys have their share of the total" {
	(samples a 3 && samples b 1) >old
	(samples a 3 && samples c 2) >new
	run -0 perf-diff old new
	[ "$(found 'select(.share) | [.uid, .verdict, .share]')" = \
		"$(lines '["b","gone",0.25]' '["c","new",0.4]')" ]
}

@test "samples of different units, workloads or machines are never mixed" {
	for key in unit workload machine cmd subtype resource_type; do
		samples a {1..10} | sed "s/}/,\"$key\":\"x\"}/" >old
		samples a {21..30} | sed "s/}/,\"$key\":\"y\"}/" >new
		run -0 perf-diff old new
		[ "$(verdicts)" = "$(lines 'a gone' 'a new')" ]
	done
}

@test "more is better for rates and for what --more names" {
	samples a {1..10} >old
	samples a {21..30} >new
	run -0 perf-diff --more a old new
	[ "$(verdicts)" = "a improved" ]
	sed -i 's/}/,"unit":"MB\/s"}/' old new
	run -0 perf-diff old new
	run -1 --separate-stderr perf-diff new old
	sed -i 's/MB.s/hits/' old new
	run -1 --separate-stderr perf-diff old new
	run -0 perf-diff --more hits old new
}

@test "negative, infinite and missing values are bad input" {
	samples a 1 -1 1e999 '"x"' null >old
	lines '{"uid":"a"}' '{"uid":7,"value":1,"type":"sample"}' >>old
	samples a 1 >new
	run -1 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | .n_before')" = 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 6 ]
	[[ $stderr == *"old:2: the value is negative"* ]]
	[[ $stderr == *"old:3: the value is not finite"* ]]
}

@test "nothing of a profile with an invalid amount is used" {
	profile_of ms 1 2 -3 | tr -d '\n' >old
	profile_of ms 1 >new
	run -1 --separate-stderr perf-diff old new
	[[ $stderr == *"old:1: the value is negative" ]]
	[ "$(verdicts)" = "work new" ]
}

@test "sides are files, patterns, standard input, and profiles in any layout" {
	profile_of ms 1 2 3 4 5 >a1.perf
	profile_of ms 6 7 8 9 10 | jq . >a2.perf
	profile_of ms {21..30} >b.perf
	run -1 --separate-stderr perf-diff 'a?.perf' b.perf
	[ "$(found 'select(.type == "change") |
		[.uid, .unit, .cmd, .workload, .n_before, .before]')" = \
		'["work","ms","c","w",10,5.5]' ]
	run -1 --separate-stderr perf-diff 'a?.perf' - <b.perf
	run -2 perf-diff 'c*.perf' b.perf
	run -2 perf-diff b.perf
	run -2 perf-diff a1.perf a2.perf b.perf
}

@test "sides are commits, whose profiles come from the store" {
	for amounts in '1 2 3 4 5 6 7 8 9 10' '21 22 23 24 25 26 27 28 29 30'; do
		profile_of ms $amounts >a.perf
		pidx-write a.perf
		commit
	done
	run -1 --separate-stderr perf-diff HEAD~2 HEAD~1
	[ "$(found 'select(.type == "change") |
		[.uid, .unit, .before, .after, .minor_version, .last_good]')" = \
		"[\"work\",\"ms\",5.5,25.5,\"$(git rev-parse HEAD~1)\",\"$(git rev-parse HEAD~2)\"]" ]
	run -2 --separate-stderr perf-diff HEAD~1 no-such-name
	[[ $stderr == *"'no-such-name' is neither a file nor a commit"* ]]
	run -2 --separate-stderr perf-diff -C .. old.perf new.perf
	[[ $stderr == *"'old.perf' is neither a file nor a commit of a store: there is no .perun"* ]]
	# The same as from files
	pidx-read --profiles HEAD~2 >old
	pidx-read --profiles HEAD~1 >new
	run -1 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.before, .after]')" = '[5.5,25.5]' ]
	# As a history, with the commits in between
	vcs-log | pidx-read --profiles >history
	run -0 perf-diff --history history
	[ "$(found '[.keys, .commits]')" = '[1,3]' ]
}

@test "a unit is the same text whether or not Perun has escaped it" {
	profile_of 'µs' {1..10} >old
	profile_of '\u00b5s' {1..10} >new
	run -0 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.verdict, .unit]')" = \
		'["same","µs"]' ]
}

@test "a history names the commit, the last good one and those between" {
	history a "${A[@]}" | sed '/"c9"/d' >in
	for i in {16..1}; do
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\",\"merged$i\"]}"
	done >>in
	history a 1000 1000 | sed 's/"c/"merged/' >>in
	# An older commit, so that there are 16 with samples
	lines '{"type":"version","id":"c0","parents":[]}' >>in
	history a 100 | sed 's/"c1"/"c0"/' >>in
	run -1 --separate-stderr perf-diff --history in
	[ "$(found 'select(.type == "change") |
		[.minor_version, .last_good, .untested]')" = '["c10","c8",["c9"]]' ]
	[[ $stderr == *"not in the line of first parents, and are ignored: 2"* ]]
}

@test "without version records, the newest commit comes first" {
	history a "${A[@]}" >in
	run -1 --separate-stderr perf-diff --history --oldest-first in
	[ "$(found 'select(.type == "change") | [.minor_version, .last_good]')" = \
		'["c9","c8"]' ]
	tac in >reversed
	cp reversed in
	run -1 --separate-stderr perf-diff --history in
	[ "$(found 'select(.type == "change") | [.minor_version, .last_good]')" = \
		'["c9","c8"]' ]
}

@test "a regression that was repaired is found at both ends" {
	history a $(for ((i = 0; i < 80; i++)); do
		echo $((95 + 37 * i % 11 + (i >= 30 && i < 50 ? 8 : 0)))
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[ "$(found 'select(.type == "change") |
		[.minor_version, .verdict]')" = \
		"$(lines '["c31","degraded"]' '["c51","improved"]')" ]
	run -1 --separate-stderr perf-diff -H --oldest-first --text in
	[[ ${lines[0]} == *": a was 8.0 % worse from c31 until c51: "* ]]
}

@test "fewer than 14 commits show nothing" {
	history a "${A[@]:1:13}" >in
	run -0 perf-diff -H in
	[ "$(found '[.tested, .unverified]')" = '[0,1]' ]
	history a "${A[@]:1:14}" >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
}

@test "cycles of parents end" {
	history a 1 2 >in
	lines '{"type":"version","id":"c1","parents":["c2"]}' \
		'{"type":"version","id":"c2","parents":["c1"]}' >>in
	run -0 perf-diff -H in
	[ "$(found .commits)" = 2 ]
}

@test "accepted changes are listed, but do not alarm" {
	history a "${A[@]}" | sed 's/"c\(.*\)"/"00000000\1"/' >in
	history b "${A[@]}" | sed 's/"c\(.*\)"/"00000000\1"/' >>in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[ "$(found 'select(.type == "changes") | [.alarms, .accepted]')" = '[2,0]' ]
	lines '# intended' '' '000000009 a' >accepted
	run -1 --separate-stderr perf-diff -H --oldest-first --accept accepted in
	[ "$(found 'select(.accepted == true) | .uid')" = '"a"' ]
	[ "$(found 'select(.type == "changes") | [.alarms, .accepted]')" = '[1,1]' ]
	run -1 --separate-stderr perf-diff -H --oldest-first --text \
		--accept accepted in
	[[ ${lines[0]} == '1 change for the worse in 16 commits: b is '* ]]
	lines '000000009' >accepted
	run -0 perf-diff -H --oldest-first --accept accepted in
	lines 'HEAD a' >accepted
	run -2 --separate-stderr perf-diff -H --accept accepted in
	[[ $stderr == *"accepted:1: 'HEAD' is not the id of a commit"* ]]
}

@test "the order of independent samples does not matter" {
	for uid in a b c; do
		history $uid "${A[@]}"
	done >in
	for i in {16..1}; do
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\"]}"
	done >versions
	perf-diff -H versions in >want || [ $? -eq 1 ]
	for i in 1 2 3; do
		shuffle "$(seed)$i" in >shuffled
		perf-diff -H versions shuffled >got || [ $? -eq 1 ]
		cmp got want
	done
}

@test "the report begins with the answer" {
	history a "${A[@]}" | sed 's/,"minor/,"unit":"ms"&/' >in
	for i in {16..1}; do
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\"],\"time\":$((i * 86400))}"
	done >>in
	run -1 --separate-stderr perf-diff -H --text in
	[ "${lines[0]}" = "1 change for the worse in 16 commits: a is 10.0 % slower since c9 of 1970-01-10: 100.2 ms before, 110.2 ms now." ]
	LC_ALL=C.UTF-8 run -1 --separate-stderr perf-diff -H --text in
	[[ ${lines[2]} =~ ^'  '[▁▂▃▄▅▆▇█]{16}'  16 commits'$ ]]
	sed 's/"ms"/"us"/; s/"value":[0-9.]*/&e3/' in >us
	run -1 --separate-stderr perf-diff -H --text us
	[[ ${lines[0]} == *": 100.2 ms before, 110.2 ms now." ]]
	run -0 perf-diff -H --text --effect 20 in
	[ "${lines[0]}" = "Nothing is worse by 20 % or more in 16 commits." ]
	run -1 --separate-stderr perf-diff -H --text <<<'{"type":"other"}'
	[ "${lines[0]}" = "Nothing can be said: there are no samples." ]
}

# With another seed, chance alone makes one run of a hundred fail.
# bats test_tags=normal
@test "simulated changes are found as often as promised, and no others" {
	"$BUILD/test/programs/statistics" 60 1
}

@test "thresholds that are drawn again are those in use" {
	run -0 "$BUILD/test/gen/thresholds" 20000 20
	[ "${#lines[@]}" -eq 9 ]
	# The last numbers of each line are the differences for p = 0.05, 0.01,
	# 0.001 and 0.0001.  Thresholds of short series are few and far apart.
	for line in "${lines[@]}"; do
		awk '{ for (i = 8; i <= NF; i++) if ($i > 0.15 || $i < -0.15)
			exit 1 }' <<<"${line//[\{\},]/ }" || { echo "$line"; false; }
	done
	# A length without such an order has none in the table either.
	[[ ${lines[0]} == "{ 8, { 2.3094, 0, 0, 0 } },  +0.0000" ]]
}

@test "every key of the records is defined in weir-records(5)" {
	history a "${A[@]}" | sed 's/}/,"unit":"s","workload":"w"}/' >in
	samples b {1..2000} >old
	(samples b {1..2000} && samples c 1) >new
	(perf-diff -H --oldest-first in || [ $? -eq 1 ]) >got
	perf-diff old new >>got
	for type in change changes; do
		records <got | jq -r --arg t $type 'select(.type == $t) |
			keys_unsorted[]' | sort -u | sed '/^type$/d' >printed
		[ "$(wc -l <printed)" -gt 10 ]
		awk -v s="$type" '/^\.Ss / { here = $2 == s }
			here && /^\.It Ic / { gsub(/[ ,]+/, "\n"); print }' \
			"$ROOT/man/weir-records.5" | sort >defined
		run comm -23 printed defined
		[ -z "$output" ]
	done
}

@test "--svg draws each key with its changes, and escapes names" {
	history 'a<b>' "${A[@]}" | sed 's/}/,"unit":"<s>"}/; s/"c/"\&<c/' >in
	history c "${A[@]:0:8}" "${A[@]:0:8}" | sed 's/"c\([0-9]\)/"\&<c\1/' >>in
	run -1 --separate-stderr perf-diff -H --oldest-first --svg in
	python3 -c 'import sys, xml.dom.minidom
d = xml.dom.minidom.parseString(sys.stdin.read())
c = [e.getAttribute("class") for e in d.getElementsByTagName("path")]
assert c.count("points") == c.count("level") == 2, c
assert c.count("change degraded") == 1, c
t = [e.firstChild.data for e in d.getElementsByTagName("text") if e.firstChild]
assert "a<b>" in t and "+10.0 % &<c9" in t and "110 <s>" in t, t' <<<"$output"
	run -2 perf-diff --svg in in
}
