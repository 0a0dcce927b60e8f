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
	agree damage 20
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
	for n in 10 40; do
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

@test "where no key could be judged, the status is 2" {
	samples a {1..4} >old
	samples a {101..140} >new
	run -2 --separate-stderr perf-diff old new
	[ "$(verdicts)" = "a unverified" ]
	[[ $stderr == "perf-diff: nothing can be said: 1 key needs 5 runs of the program on each side, in turn: "* ]]
	run -0 perf-diff --unjudged pass old new
	# Without a file, too
	run -2 --separate-stderr perf-diff -o out old new
	[ ! -e out ]
	# One run of each: the greatest difference comes first
	samples b 5 >one && samples a 1 >>one
	samples b 7 >other && samples a 9 >>other
	run -2 --separate-stderr perf-diff --text one other
	[[ ${lines[1]} == "Too few runs to prove anything, one least of all: 2" ]]
	[[ ${lines[3]} == *"+800.0 %"*"1 + 1"*" a" ]]
	: >empty
	run -2 --separate-stderr perf-diff old empty
	[[ $stderr == *"no key has samples on both sides"* ]]
	# Five on each side suffice
	samples a 5 >>old
	run -1 --separate-stderr perf-diff old new
	[ "$(verdicts)" = "a degraded" ]
}

@test "keys that could not be judged are said, and fail if that is wanted" {
	(samples a {1..10} && samples b 1) >old
	run -0 --separate-stderr perf-diff old old
	[ "$(found 'select(.type == "changes") | [.tested, .unverified]')" = '[1,1]' ]
	run -0 perf-diff --text old old
	[[ ${lines[1]} == "1 of 2 keys could not be judged: "* ]]
	run -1 --separate-stderr perf-diff --unjudged fail old old
	[[ $stderr == *"1 of 2 keys could not be judged"* ]]
	run -2 perf-diff --unjudged maybe old old
}

@test "many keys with few samples are said to need more" {
	awk 'BEGIN { for (i = 0; i < 20000; i++)
		printf "{\"uid\":\"k%d\",\"value\":%d}\n", i / 10, i % 10 + 1 }' >old
	# With 10 samples on a side, chance could give any difference of 2,000 keys
	run -0 perf-diff --text old old
	[ "${lines[0]}" = "No change for the worse was found. What would have been seen is not known: the values vary too much, or not at all, or are 0." ]
	# With 5 samples on a side, Holm allows 5 keys
	awk 'BEGIN { for (i = 0; i < 30; i++)
		printf "{\"uid\":\"k%d\",\"value\":%d}\n", i / 5, i % 5 + 1 }' >old
	run -2 --separate-stderr perf-diff old old
	grep -v k5 old >five
	run -0 perf-diff five five
}

@test "half of the runs being slow is found, though the medians are equal" {
	samples a $(for i in {1..40}; do echo $((100 + i % 5)); done) >old
	samples a $(for i in {1..40}; do echo $(((100 + i % 5) * (1 + i * 7 % 16 / 10))); done) >new
	run -1 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") |
		[.verdict, .slow_before, .slow_after, .limit]')" = '["degraded",0,15,114.5]' ]
	[[ $stderr == *"15 of 40 runs of a are slow (above 114.5), 0 of 40 before; the mean is 37.6 % greater, the median 0.98 % greater"* ]]
	run -0 --separate-stderr perf-diff new old
	[ "$(verdicts)" = "a improved" ]
	# Where more is better, low values are slow
	jq -c '.value = 1000 / .value' old >old_rate
	jq -c '.value = 1000 / .value' new >new_rate
	run -1 --separate-stderr perf-diff --more a old_rate new_rate
	[[ $stderr == *"15 of 40 runs of a are slow (below "* ]]
}

@test "samples that depend on each other are said" {
	samples a $(for i in {1..40}; do echo $((100 + i / 10)); done) >old
	run -0 perf-diff --text old old
	[[ $output == *"The samples depend on each other (autocorrelation"* ]]
	samples a $(for i in {1..40}; do echo $((100 + i * 7 % 10)); done) >old
	run -0 perf-diff --text old old
	[[ $output != *"depend on each other"* ]]
}

@test "new and vanished keys have their share of the total" {
	(samples a {1..10} && samples b 55) >old
	(samples a {1..10} && samples c 165) >new
	run -0 --separate-stderr perf-diff old new
	[ "$(found 'select(.share) | [.uid, .verdict, .share]')" = \
		"$(lines '["b","gone",0.5]' '["c","new",0.75]')" ]
	[[ $stderr == *"1 key has no samples on the new side: b" ]]
	run -1 --separate-stderr perf-diff --gone fail old new
	run -0 --separate-stderr perf-diff --text old new
	[[ ${lines[1]} == "1 key has no samples on the new side: b." ]]
	[[ $output == *"50.0 % of all"*"1 + 0"*" b"* ]]
}

@test "samples of different dimensions, workloads or commands are never mixed" {
	# One uid for each key that differs, of which it has the name
	for key in unit workload subtype resource_type trace; do
		samples $key {1..10} | sed "s/}/,\"$key\":\"x\"}/" >>old
		samples $key {21..30} | sed "s/}/,\"$key\":\"y\"}/" >>new
	done
	samples cmd {1..10} | sed 's/}/,"cmd":"sort x"}/' >>old
	samples cmd {21..30} | sed 's/}/,"cmd":"sort y"}/' >>new
	run -2 --separate-stderr perf-diff old new
	assert_equal "$(verdicts | sort)" "$(for key in cmd \
		resource_type subtype trace unit workload; do
			lines "$key gone" "$key new"
		done)"
}

# of COMMAND MACHINE - adds them to samples
of() {
	sed "s|}|,\"cmd\":\"$1\",\"machine\":\"$2\"}|"
}

@test "of two sides a key is a name: the machine and the folder do not count" {
	samples a {100..109} | of './bench -n 1' m1 >old
	samples a {150..159} | of '/srv/pr/build/bench -n 1' m2 >new
	run -1 --separate-stderr perf-diff --text old new
	[ "${lines[0]}" = "1 of 1 keys is worse: a is 47.8 % worse: 104.5 before, 154.5 after." ]
	[ "${lines[1]}" = "The sides are of different machines: a (m1, then m2)." ]
	[ "${lines[2]}" = "The sides are of different commands: a (./bench -n 1, then /srv/pr/build/bench -n 1)." ]
	# Another name of the program, if it is the only one of each side
	sed -i 's/bench /b /' new
	run -1 --separate-stderr perf-diff old new
	[ "$(verdicts)" = "a degraded" ]
	samples a {150..159} | of 'c -n 1' m2 >>new
	run -2 --separate-stderr perf-diff old new
	assert_equal "$(verdicts | sort)" "$(lines 'a gone' 'a new' 'a new')"
	# Each run of a lent machine is of another one.
	for i in {0..9}; do
		samples a $((100 + i)) | of b m$i
	done >old
	for i in {0..9}; do
		samples a $((150 + i)) | of b n$i
	done >new
	run -1 --separate-stderr perf-diff --text old new
	[ "${lines[1]}" = "The sides are of different machines: a (several, then several)." ]
	# Nothing is said if they are the same, and records have it.
	samples a {100..109} | of b m1 >old
	run -0 --separate-stderr perf-diff --text old old
	[[ $output != *"different"* ]]
	# In a history the machine is part of the key.
	history a "${A[@]}" | of b m1 >in
	history a "${A[@]}" | of b m2 >>in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	assert_equal "$(found 'select(.type == "key") | .machine')" \
		"$(lines '"m1"' '"m2"')"
}

@test "profiles that were stored before pair with those of today" {
	profile_of ms {100..109} | sed 's|"cmd":"c"|"cmd":"/old/bin/c","args":"-x"|' >old
	profile_of ms {150..159} | sed 's|"cmd":"c"|"cmd":"bin/c -x"|' >new
	run -1 --separate-stderr perf-diff old new
	[ "$(verdicts)" = "work degraded" ]
}

# runs N SAMPLE... - prints the samples as those of N runs, each with another base
runs() {
	local i n=$1
	shift
	for ((i = 0; i < n; i++)); do
		samples a "$@" | jq -c ".value += $((i * 7 % 5)) | .run = \"r$i\""
	done
}

@test "the unit of a sample is a run of the program" {
	runs 5 100 101 102 >old
	runs 5 200 201 202 >new
	run -1 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.n_before, .n_after, .before, .after]')" = \
		'[5,5,103,203]' ]
	# Samples without a run are runs of their own.
	samples a 99 >>old
	run -1 --separate-stderr perf-diff --value best old new
	[ "$(found 'select(.type == "change") | [.n_before, .before, .after]')" = \
		'[6,101.5,202]' ]
	# With more is better, the greatest is the best.
	run -0 --separate-stderr perf-diff --value best --more a old new
	[ "$(found 'select(.type == "change") | [.before, .after]')" = '[103.5,204]' ]
	# In a history, a run that was measured often counts once.
	for i in 1 2 3; do
		history a "${A[@]}" | sed 's/}/,"run":"x"}/'
	done >in
	for i in 1 2; do
		history a $(yes 1000 | head -n 16)
	done >>in
	run -0 perf-diff -H --oldest-first in
	run -1 --separate-stderr perf-diff -H --oldest-first --within-run in
}

@test "how runs differ is not known from fewer than five" {
	runs 4 100 101 102 >old
	runs 4 200 201 202 >new
	run -2 --separate-stderr perf-diff --text old new
	[[ $stderr == *"nothing can be said: 1 key needs 5 runs of the program on each side, in turn, since how runs differ is not known; within its runs a looks 97.6 % worse: 102.5 before, 202.5 after" ]]
	[ "${lines[1]}" = "Suspected, from too few runs: 1" ]
	run -2 --separate-stderr perf-diff old new
	[ "$(verdicts)" = "a suspected" ]
	run -0 --separate-stderr perf-diff --unjudged pass old new
	run -1 --separate-stderr perf-diff --unjudged pass --suspected fail old new
	run -1 --separate-stderr perf-diff --within-run old new
	[ "$(found 'select(.type == "change") | [.verdict, .n_before]')" = '["degraded",12]' ]
	# Nothing looks changed
	run -2 --separate-stderr perf-diff old old
	[ "$(verdicts)" = "a unverified" ]
	# A key that was judged decides the status.
	(cat old; samples b {1..10}) >both
	run -0 --separate-stderr perf-diff both both
	# More keys need more runs.
	for k in {1..20}; do
		runs 1 100 101 102 103 104 | sed "s/\"a\"/\"k$k\"/"
	done >many
	run -2 --separate-stderr perf-diff many many
	[[ $stderr == *"20 keys need 7 runs of the program on each side"* ]]
}

@test "runs of two profiles or streams are not the same, whatever their names" {
	resource='{"uid":"a","type":"time","amount":1,"run":"x"}'
	for i in 1 2 3 4 5; do
		echo '{"header":{"type":"time","cmd":"c","workload":"w","units":{"time":"ms"}},"collector_info":{"name":"time","params":{}},"postprocessors":[],"global":{"time":"0","resources":['"$resource"'],"models":[]}}'
	done >five
	run -0 --separate-stderr perf-diff five five
	[ "$(found 'select(.type == "change") | .n_before')" = 5 ]
	for i in 1 2 3 4 5; do
		echo '{"type":"begin","by":"x"}'
		samples a $i | sed 's/}/,"run":"x"}/'
		echo '{"type":"end","by":"x","records":1,"rejected":0}'
	done >streams
	run -0 --separate-stderr perf-diff streams streams
	[ "$(found 'select(.type == "change") | .n_before')" = 5 ]
}

@test "values in units of one dimension are converted" {
	for units in 'ms us 1000' 's ms 1000' 'min sec 60' 'h minutes 60' \
		'KiB B 1024' 'MB kB 1000' 'ops/ms ops/s 1000' \
		'MB/s KB/second 1000' 'µs ns 1000'; do
		set -- $units
		samples "$1" {1..10} | sed "s|}|,\"unit\":\"$1\"}|" >>old
		samples "$1" $(seq $3 $3 $((10 * $3))) |
			sed "s|}|,\"unit\":\"$2\"}|" >>new
	done
	run -0 perf-diff old new
	[ "$(found 'select(.type == "change") | .uid == .unit and
		[.before, .after, .shift] == [5.5, 5.5, 0]' | uniq -c |
		tr -d ' ')" = 9true ]
}

@test "what is measured once each time has the unit of one: ns/op is a time" {
	for units in 'ns/op ns 1' 'us/iter ns 1000' 'ms/call us/op 1000' \
		'KiB/op B/iter 1024' 'allocs/op allocs 1' 'ns/row us/row 0.001'; do
		set -- $units
		samples "$1" {1..10} | sed "s|}|,\"unit\":\"$1\"}|" >>old
		samples "$1" $(seq $3 $3 $(jq -n "10 * $3")) |
			sed "s|}|,\"unit\":\"$2\"}|" >>new
	done
	run -0 perf-diff old new
	[ "$(found 'select(.type == "change") | .uid == .unit and
		[.before, .after, .better] == [5.5, 5.5, "less"]' | uniq -c |
		tr -d ' ')" = 6true ]
	# A time comes first, in a unit that can be read.
	for unit in ns/op B/op allocs/op; do
		samples $unit {1000100..1000109} |
			sed "s|}|,\"unit\":\"$unit\"}|" >>go
		samples $unit {5000100..5000109} |
			sed "s|}|,\"unit\":\"$unit\"}|" >>slow
	done
	run -1 --separate-stderr perf-diff go slow
	[[ $stderr == *"above all, ns/op is 400.0 % slower: 1 ms before, 5 ms after" ]]
}

@test "a uid whose unit changes its dimension is named" {
	samples a {1..10} | sed 's/}/,"unit":"ms"}/' >old
	samples a {1..10} | sed 's/}/,"unit":"B"}/' >new
	samples b {1..10} | tee -a old >>new
	run -1 --separate-stderr perf-diff old new
	[[ $stderr == *"2 keys differ only in the unit, which cannot be converted: a in "*", a in "* ]]
	(samples a {1..10} | sed 's/}/,"unit":"ms"}/'; cat new) >both
	run -0 perf-diff both both
}

@test "keys that differ only in the machine are said" {
	for i in {1..20}; do
		echo "{\"uid\":\"a\",\"value\":1,\"machine\":\"m$i\",\"minor_version\":\"c$i\"}"
	done >in
	run -2 --separate-stderr perf-diff -H --oldest-first --text in
	[[ $output == *"20 keys differ only in the machine (profile-make --machine NAME joins"* ]]
}

@test "more is better for rates and for what --more names" {
	samples a {1..10} >old
	samples a {21..30} >new
	run -0 perf-diff --more a old new
	[ "$(verdicts)" = "a improved" ]
	# One key for each unit, of which it has the name
	rates=(MB/s ops/ms ops/us 'ops / sec' iter/sec req/second MB/sec
		qps FPS 'rows per second' frames/min)
	costs=(ms B/op s/op ops hits)
	for unit in "${rates[@]}" "${costs[@]}"; do
		sed "s|\"a\"|\"$unit\",\"unit\":\"$unit\"|" old >>old_units
		sed "s|\"a\"|\"$unit\",\"unit\":\"$unit\"|" new >>new_units
	done
	run -1 --separate-stderr perf-diff old_units new_units
	assert_equal "$(verdicts | sort)" "$( (printf '%s improved\n' \
		"${rates[@]}"; printf '%s degraded\n' "${costs[@]}") | sort)"
	sed 's/}/,"unit":"MB\/s"}/' old >old_rate
	sed 's/}/,"unit":"MB\/s"}/' new >new_rate
	run -0 perf-diff old_rate new_rate
	run -1 --separate-stderr perf-diff new_rate old_rate
	[[ $stderr == *"worse"* ]]
	run -0 perf-diff --text old_rate new_rate
	[[ $output == *"More is better for a."* ]]
	sed -i 's/}/,"unit":"hits"}/' old new
	run -1 --separate-stderr perf-diff old new
	sed -i 's/}/,"better":"more"}/' old new
	run -0 perf-diff old new
	sed -i 's/,"better":"more"//' old new
	run -1 --separate-stderr perf-diff old new
	run -0 perf-diff --more hits old new
}

@test "negative, infinite and missing values are bad input" {
	samples a 1 -1 1e999 '"x"' null >old
	lines '{"uid":"a"}' '{"uid":7,"value":1,"type":"sample"}' >>old
	samples a 1 >new
	run -2 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | .n_before')" = 1 ]
	[ "$(wc -l <<<"$stderr")" -eq 7 ]
	[[ $stderr == *"old:2: the value of 'a' is negative"* ]]
	[[ $stderr == *"old:3: the value of 'a' is too great"* ]]
}

@test "an invalid amount is not used, the others of its profile are" {
	profile_of ms 1 2 3 4 5 -3 | tr -d '\n' >old
	profile_of ms 1 2 3 4 5 >new
	run -1 --separate-stderr perf-diff old new
	[[ $stderr == *"old:1: an amount of 'work' is negative" ]]
	[ "$(verdicts)" = "work same" ]
	# A key of which nothing is left
	for value in -1 null '"x"' true 1e999; do
		profile_of ms "$value" >old
		run -2 --separate-stderr perf-diff old old
		[[ $stderr == *"nothing can be said: there are no samples"* ]]
	done
}

@test "stacks of a uid are parts of one value; --by trace compares them" {
	for stack in a b c d; do
		echo '{"uid":"copy","type":"t","subtype":"n","amount":2,"trace":[{"func":"'$stack'","line":'$RANDOM'},{"func":"main"}]}'
	done | jq -c . >resources
	profile() {
		jq -sc '{header:{type:"t",cmd:"c",workload:"w",units:{"t(n)":"n"}},
			collector_info:{name:"k",params:{}},postprocessors:[],
			resources:.}' "$@"
	}
	profile resources >old
	sed '2s/"amount":2/"amount":402/' resources >resources2
	profile resources2 >new
	run -2 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.n, .before, .after]')" = '[2,8,408]' ]
	run -2 --separate-stderr perf-diff --by trace old new
	[ "$(found 'select(.type == "change") | [.trace, .before, .after]' | head -n 1)" = \
		'["b < main",2,402]' ]
	# Repetitions: the second amounts of all stacks are the second value
	cat resources resources >twice
	profile twice >old
	run -2 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.n_before, .before]')" = '[2,8]' ]
}

@test "exact values need no repetitions" {
	samples a 100 | sed 's/}/,"exact":true}/' >old
	samples a 103 | sed 's/}/,"exact":true}/' >new
	run -1 --separate-stderr perf-diff old new
	[ "$(found 'select(.type == "change") | [.verdict, .exact, .p]')" = \
		'["degraded",true,null]' ]
	run -0 perf-diff --effect 4 old new
	samples a 100 >old
	samples a 103 >new
	run -2 perf-diff old new
	run -1 --separate-stderr perf-diff --exact a old new
	# Two different values on a side are not exact
	samples a 104 >>new
	run -2 perf-diff --exact a old new
	# A size that grows by a byte a commit, and jumps
	history a $(for i in {1..30}; do echo $((10000 + i + i / 20 * 5000)); done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first --exact a in
	[ "$(found 'select(.type == "key") | [.minor_version, .before, .after]')" = \
		'["c30",10019,15030]' ]
	[[ $stderr == *"a is 50.0 % worse than before c20: in 11 steps up to c30: 10019 before, 15030 now" ]]
	# Growth that reaches the effect only in sum
	history a $(for i in {1..30}; do echo $((10000 + 40 * i)); done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first --exact a in
	[ "$(found 'select(.type == "key") | [.first_possible, .last_possible,
		.before, .after, (.steps | length)]')" = '["c4","c30",10120,11200,27]' ]
	[ -z "$(verdicts)" ]
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

@test "a name is a commit before it is a file, which is meant by ./" {
	for amounts in '1 2 3 4 5 6 7 8 9 10' '21 22 23 24 25 26 27 28 29 30'; do
		commit
		profile_of ms $amounts >a.perf
		pidx-write a.perf
	done
	git branch docs HEAD~1
	git tag a.perf HEAD~1
	mkdir docs
	# A directory cannot be meant, and files of other names are files.
	run -1 --separate-stderr perf-diff docs HEAD
	[ "$(found 'select(.type == "change") | [.before, .after]')" = '[5.5,25.5]' ]
	assert_equal "$(grep -c warning <<<"$stderr")" 0
	cp a.perf b.perf
	run -1 --separate-stderr perf-diff HEAD~1 b.perf
	assert_equal "$(grep -c warning <<<"$stderr")" 0
	# The tag is older than what the file has.
	run -1 --separate-stderr perf-diff a.perf HEAD
	[[ $stderr == "perf-diff: warning: 'a.perf' is a commit and a file: the commit is read, ./a.perf would be the file"* ]]
	for file in ./a.perf "$PWD/a.perf" - 'b*.perf'; do
		run -0 --separate-stderr perf-diff "$file" HEAD <a.perf
		assert_equal "$(grep -c warning <<<"$stderr")" 0
	done
	# A bare repository has a file HEAD.
	git clone -q --bare . ../bare.git
	cp -a .perun ../bare.git
	cd ../bare.git
	run -1 --separate-stderr perf-diff HEAD~1 HEAD
	[ "$(found 'select(.type == "change") | [.before, .after]')" = '[5.5,25.5]' ]
	[[ $stderr == *"'HEAD' is a commit and a file"* ]]
	run -1 --separate-stderr perf-diff @~1 @
	assert_equal "$(grep -c warning <<<"$stderr")" 0
}

@test "inside a store whose repository cannot be read, files are compared" {
	profile_of ms 1 2 3 4 5 6 7 8 9 10 >a.perf
	rm .git/HEAD
	run -0 --separate-stderr perf-diff a.perf a.perf
	run -2 --separate-stderr perf-diff a.perf b.perf
	[[ $stderr == *"'b.perf' is neither a file nor a commit: there is no repository"* ]]
}

@test "--uids compares two uids of one input as if they were two files" {
	local new kind
	samples z 5 6 7 >others
	samples x 10 11 12 10 13 11 12 10 >old
	for new in "20 21 19 22 20 23 21 20" "5 6 5 7 6 5 6 7" \
	    "10 11 12 10 13 11 12 11"; do
		samples y $new >new
		paste -d '\n' old new others | grep . >both
		sed s/x/y/ old >renamed
		run -$([[ $new == 10* ]] && echo 0 || echo 1) \
			--separate-stderr perf-diff -i renamed new
		split=$output
		run -$status --separate-stderr perf-diff --uids x y both
		assert_equal "$output" "$split"
		run -$status --separate-stderr perf-diff -u x y <both
		assert_equal "$output" "$split"
		# From profiles, too.
		run -$status --separate-stderr perf-diff --json --uids x y <(profile-make both)
		assert_equal "$(jq -c 'select(.verdict) | [.verdict, .before, .after]' <<<"$output")" \
			"$(jq -c 'select(.verdict) | [.verdict, .before, .after]' <<<"$split")"
	done
}

@test "two uids may have different workloads if these are the only ones" {
	workload() {
		samples "$1" "${@:3}" | sed "s/}/,\"workload\":\"$2\"}/"
	}
	(workload x n=1 10 11 12 10 13 && workload y n=2 20 21 19 22 20) >in
	run -1 --separate-stderr perf-diff --uids x y in
	assert_equal "$(jq -c 'select(.verdict) | [.uid, .workload, .verdict, .before, .after]' <<<"$output")" \
		'["y","n=2","degraded",11,20]'
	workload y n=1 10 11 12 10 13 >>in
	run -0 --separate-stderr perf-diff --uids x y in
	assert_equal "$(jq -c 'select(.verdict) | [.workload, .verdict]' <<<"$output")" \
		$'["n=1","same"]\n["n=2","new"]'
}

@test "a uid of --uids that does not come is an error" {
	samples x 1 2 3 >in
	run -2 --separate-stderr perf-diff --uids x y in
	assert_equal "$stderr" "perf-diff: no sample has the uid 'y'"
	run -2 --separate-stderr perf-diff --uids y z in
	assert_equal "$stderr" "perf-diff: no sample has the uid 'y'"
	run -2 --separate-stderr perf-diff --uids x
	run -2 --separate-stderr perf-diff --uids --history in
	run -2 --separate-stderr perf-diff --uids x x in
	assert_equal "$stderr" "perf-diff: --uids: OLD and NEW are the same"
	# Two files whose uids differ: the way is named.
	samples y 1 2 3 >new
	run -2 --separate-stderr perf-diff in new
	[[ $stderr == *"(--uids compares two of one input)" ]]
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
	# An ancestor stands for a commit that was not measured
	run -2 --separate-stderr perf-diff HEAD HEAD~1
	[[ $stderr == *"no profile is registered with 'HEAD'"* ]]
	run -2 --separate-stderr perf-diff --nearest HEAD HEAD~1
	[[ $stderr == *"the newest measured ancestor of 'HEAD' is 'HEAD~1' itself"* ]]
	run -0 --separate-stderr perf-diff --nearest HEAD HEAD~2
	[ "$(found 'select(.type == "change") | .last_good')" = \
		"\"$(git rev-parse HEAD~1)\"" ]
	run -0 --separate-stderr perf-diff --text --nearest HEAD HEAD~2
	[[ $output == *"'HEAD' was not measured; its newest ancestor that was is $(git rev-parse HEAD~1 | cut -c -10)."* ]]
	run -0 --separate-stderr perf-diff --text --nearest HEAD~1 HEAD~2
	[[ $output != *"was not measured"* ]]
	# As a history, with the commits in between
	vcs-log | pidx-read --profiles >history
	run -2 --separate-stderr perf-diff --history history
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

@test "a merge names the commits that it brings in, with their values" {
	history a "${A[@]}" >in
	for i in {16..1}; do
		merged=
		[ $i -eq 9 ] && merged=',"x2"'
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\"$merged]}"
	done >>in
	lines '{"type":"version","id":"x2","parents":["x1"]}' \
		'{"type":"version","id":"x1","parents":["c4"]}' \
		'{"uid":"a","value":111,"minor_version":"x1"}' >>in
	run -1 --separate-stderr perf-diff -H in
	[ "$(found 'select(.type == "change") | [.minor_version, .merged]')" = \
		'["c9",["x2","x1"]]' ]
	run -1 --separate-stderr perf-diff -H --text in
	[[ $output == *"  c9 merges 2 commits: x2, x1 (111)"* ]]
}

@test "without an order nothing is judged" {
	history a "${A[@]}" >in
	run -2 --separate-stderr perf-diff --history in
	[[ $stderr == *"nothing can be said: the order of the commits is not known (--oldest-first, --newest-first or vcs-log gives it)" ]]
	[ -z "$(verdicts)" ]
	run -1 --separate-stderr perf-diff --history --oldest-first in
	[ "$(found 'select(.type == "change") | [.minor_version, .last_good]')" = \
		'["c9","c8"]' ]
	tac in >reversed
	run -1 --separate-stderr perf-diff --history --newest-first reversed
	[ "$(found 'select(.type == "change") | [.minor_version, .last_good]')" = \
		'["c9","c8"]' ]
	run -2 --separate-stderr perf-diff -H --oldest-first --newest-first in
	run -2 --separate-stderr perf-diff --newest-first in in
}

@test "a regression that was repaired is past, and does not alarm" {
	history a $(for ((i = 0; i < 80; i++)); do
		echo $((95 + 37 * i % 11 + (i >= 30 && i < 50 ? 8 : 0)))
	done) >in
	run -0 --separate-stderr perf-diff -H --oldest-first in
	[ "$(found 'select(.type == "change") |
		[.minor_version, .verdict, .past]')" = \
		"$(lines '["c31","degraded",true]' '["c51","improved",null]')" ]
	[ -z "$(found 'select(.type == "key")')" ]
	run -0 --separate-stderr perf-diff -H --oldest-first --text in
	[[ ${lines[0]} == "No key is worse now than before in 80 commits (1 was and is not: a). One of "* ]]
	[ "${lines[1]}" = "Was worse, and is not: 1" ]
	# At the end of the regression, the newest commits look repaired.
	head -n 53 in >young
	run -1 --separate-stderr perf-diff -H --oldest-first young
	[[ $stderr == *"a is 7.0 % worse since a commit from c28 to c33, most likely c31: 100 before, 107 now" ]]
	history b $(for ((i = 0; i < 53; i++)); do
		echo $((100 + 4 * i % 7 + (i >= 30 && i < 50 ? 80 : 0)))
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"; the newest 3 commits look repaired" ]]
	# Of a part of it, the rest remains.
	history b $(for ((i = 0; i < 60; i++)); do
		echo $((100 + 4 * i % 7 + (i >= 20) * 50 - (i >= 40) * 30))
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"b is 19.4 % worse since c21, of which part was repaired: 103 before, 123 now" ]]
}

@test "an old spike does not hide that the newest commits are slower" {
	for newest in 2 3 4 5; do
		history a $(for ((i = 0; i < 100 + newest; i++)); do
			echo $((1000 + 4 * i % 7 + (i == 50) * 2000 +
				(i >= 100) * 500))
		done) >in
		run -1 --separate-stderr perf-diff -H --oldest-first \
			--suspected fail in
		[ "$(found 'select(.type == "key") | [.verdict, .minor_version]')" = \
			"[\"$([ $newest -lt 4 ] && echo suspected ||
				echo degraded)\",\"c101\"]" ]
	done
}

@test "each of two steps that follow each other is found at its commit" {
	# Few commits between them: one moves while the other is not yet in place.
	history a 0.2 0.2 0.2 0.2 0.2 0.2 $(for level in 11:55 7:6000 9:44000; do
		for ((i = 0; i < ${level%:*}; i++)); do
			echo $((${level#*:} + 4 * i % 7 - 3))
		done
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[ "$(found 'select(.type == "key") | [.steps, .before]')" = \
		'[["c7","c18","c25"],0.2]' ]
}

@test "a first outlier does not hide that a rate has halved" {
	history a 18 $(for ((i = 0; i < 25; i++)); do
		echo $(((i < 7 ? 4500 : 2200) + 37 * i % 11 * 9))
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first --more a \
		--suspected fail in
	[ "$(found 'select(.type == "key") | [.verdict, .minor_version]')" = \
		'["suspected","c9"]' ]
}

@test "less than half a tick is not said to be visible" {
	# A clock of 1 ms around 10 ms: medians are whole.
	samples a $(for i in {1..20}; do echo $((9 + i * 7 % 5 / 2)); done) >old
	run -0 perf-diff old old
	[ "$(found 'select(.type == "changes") | .smallest_effect >= .05')" = true ]
	# Without noise at all, nothing is known.
	samples b {1..10} | sed 's/:[0-9]*}/:7}/' >old
	run -0 perf-diff --text old old
	[[ $output == *"What would have been seen is not known: "* ]]
}

@test "an accepted change does not hide another one behind it" {
	for days in 1 2 3 4 10; do
		for worse in 5 20; do
			history a $(for ((i = 0; i < 55; i++)); do
				echo $((10000 + 7 * i % 13 + (i >= 25) * 5000 +
					(i >= 25 + days) * 150 * worse))
			done) | sed 's/"c\([0-9]*\)"/"c000000\1"/' >in
			echo "c00000026 a" >accepted
			run -1 --separate-stderr perf-diff -H --oldest-first \
				--suspected fail --accept accepted in
			[ "$(found 'select(.type == "key") | .minor_version')" = \
				"\"c000000$((26 + days))\"" ]
		done
	done
	# What happened is listed, whoever accepted it.
	run -1 --separate-stderr perf-diff -H --oldest-first --text \
		--suspected fail --accept accepted in
	[[ $output == *"Accepted: 1"*"c00000026"*"+50.0 %"* ]]
}

@test "a change that is not proven among many keys is suspected, not gone" {
	for n in 3 4 5; do
		for k in {1..10}; do
			history k$k $(for ((i = 0; i < 16 + n; i++)); do
				echo $((100 + (7 * i + k) % 11 +
					(i >= 16 ? 100 : 0)))
			done)
		done >in
		run -1 --separate-stderr perf-diff -H --oldest-first \
			--suspected fail in
	done
	history a "${A[@]}" >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
}

@test "the end of a key is accepted by its uid" {
	(history a "${A[@]}" && history b "${A[@]:0:8}") >in
	run -1 --separate-stderr perf-diff -H --oldest-first --effect 50 \
		--gone fail in
	[[ $stderr == *"1 key has no samples at the newest commit: b" ]]
	printf '%s b\n' c9xxxxxx >accepted
	sed -i 's/"c\([0-9]*\)"/"c\1xxxxxx"/' in
	run -0 --separate-stderr perf-diff -H --oldest-first --effect 50 \
		--gone fail --accept accepted in
	[ -z "$stderr" ]
	[ "$(found 'select(.type == "change") | [.uid, .verdict, .accepted]')" \
		= '["b","gone",true]' ]
	# The same for a unit that was changed.
	(history b "${A[@]:0:8}" | sed 's/}/,"unit":"ms"}/'
		history b "${A[@]}" | tail -n 8 | sed 's/}/,"unit":"B"}/'
		history a "${A[@]}") | sed 's/"c\([0-9]*\)"/"c\1xxxxxx"/' >in
	run -1 perf-diff -H --oldest-first --effect 50 in
	run -0 perf-diff -H --oldest-first --effect 50 --accept accepted in
}

@test "commits that were not measured are named" {
	history a $(for i in {1..30}; do echo $((100 + 7 * i % 3)); done) >in
	for i in {37..1}; do
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\"]}"
	done >>in
	run -0 --separate-stderr perf-diff -H --text in
	[[ ${lines[0]} == *" in 30 measured commits of 37 up to c30; the newest 7 were not measured. "* ]]
	run -1 --separate-stderr perf-diff -H --unjudged fail in
	[[ $stderr == *"the newest 7 commits were not measured" ]]
	# Keys that could not be judged are said as well.
	history b 1 2 3 >>in
	run -0 --separate-stderr perf-diff -H --text in
	assert_line "The newest 7 commits were not measured."
	assert_line "1 of 2 keys could not be judged: they have too few samples."
}

@test "commits that are dates are in the order of the dates" {
	history a "${A[@]}" |
		sed -E 's/"c([0-9])"/"2026-10-0\1"/; s/"c([0-9]+)"/"2026-10-\1"/' >in
	for order in cat tac shuf; do
		$order in >ordered
		run -1 --separate-stderr perf-diff -H ordered
		[ "$(found 'select(.type == "change") |
			[.minor_version, .verdict]')" = \
			'["2026-10-09","degraded"]' ]
	done
}

@test "a time comes before the unit that most keys have" {
	for unit in B B B ms; do
		echo "$unit $((++n))"
	done >keys
	for side in old new; do
		while read -r unit k; do
			samples k$k $([ $side = old ] && echo {100..109} ||
				echo {300..309}) | sed "s/}/,\"unit\":\"$unit\"}/"
		done <keys >$side
	done
	run -1 --separate-stderr perf-diff old new
	[[ $stderr == *": above all, k4 is 191.4 % slower: "* ]]
}

@test "fewer than 14 commits show nothing" {
	history a "${A[@]:1:13}" >in
	run -2 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"nothing can be said: no key has 14 commits with samples; compare two commits" ]]
	[ "$(found '[.tested, .unverified]')" = '[0,1]' ]
	history a "${A[@]:1:14}" >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
}

@test "a key that ended does not hide one that could not be judged" {
	(history a "${A[@]}" 100 && history b "${A[@]}" && history c 1 2) >in
	run -1 --separate-stderr perf-diff -H --oldest-first --text in
	[[ $output == *"1 of 3 keys could not be judged: "* ]]
	run -1 --separate-stderr perf-diff -H --oldest-first --effect 50 \
		--unjudged fail in
	[[ $stderr == *"1 of 3 keys could not be judged: "* ]]
}

@test "samples of other commits only are no samples of the history" {
	history a "${A[@]}" >in
	lines '{"type":"version","id":"other","parents":[]}' >>in
	run -2 --separate-stderr perf-diff -H in
	[[ $stderr == *"nothing can be said: no sample is of a commit in the line of first parents" ]]
}

@test "cycles of parents end" {
	history a 1 2 >in
	lines '{"type":"version","id":"c1","parents":["c2"]}' \
		'{"type":"version","id":"c2","parents":["c1"]}' >>in
	run -2 --separate-stderr perf-diff -H in
	[ "$(found .commits)" = 2 ]
}

@test "a step in many small ones, growth, and what is only suspected" {
	history a $(for ((i = 0; i < 48; i++)); do
		echo "$((100000 + i / 8 * 1500 + i * 37 % 11 * 20))e-3"
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"a is 7.5 % worse than before c9: in 5 steps up to c41: "* ]]
	[ "$(found 'select(.type == "key") | .steps')" = \
		'["c9","c17","c25","c33","c41"]' ]
	[ -z "$(verdicts)" ]
	history a $(for ((i = 0; i < 80; i++)); do
		echo $((1000 + 3 * i + 4 * i % 7))
	done) >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"a is 20.6 % worse, growing from c2 to c80: "* ]]
	run -1 --separate-stderr perf-diff -H --oldest-first --svg in
	[[ $output == *">+20.6 %, growing<"* ]]
	history a $(for ((i = 0; i < 42; i++)); do
		echo $((100 + 4 * i % 7 + (i >= 40) * 28))
	done) >in
	run -0 perf-diff -H --oldest-first in
	[ "$(found 'select(.type == "key") |
		[.verdict, .minor_version, .newest]')" = '["suspected","c41",2]' ]
	run -0 perf-diff -H --oldest-first --text in
	[[ ${lines[0]} == "Nothing is proven worse; the newest 2 commits of a look "*" % worse: measure more." ]]
	run -1 --separate-stderr perf-diff -H --oldest-first --suspected fail in
	# The newest alone is only a note.
	sed -i '$d' in
	run -0 perf-diff -H --oldest-first --suspected fail in
	[ -z "$(found 'select(.type == "key")')" ]
	run -0 perf-diff -H --oldest-first --text in
	[[ $output == *"Only the newest commits look different: 1"* ]]
}

@test "--value best takes the best of the samples of a commit" {
	(history a "${A[@]}" && history a $(yes 1000 | head -n 16)) >in
	run -1 --separate-stderr perf-diff -H --oldest-first --value best in
	[[ $stderr == *"a is 10.0 % worse since c9: 100.2 before, 110.2 now" ]]
	run -0 perf-diff -H --oldest-first --value median in
	(history a "${A[@]}" && history a $(yes 1 | head -n 16)) >in
	run -0 --separate-stderr perf-diff -H --oldest-first --value best --more a in
	[ "$(found 'select(.type == "key") | [.verdict, .before]')" = '["improved",100.25]' ]
}

@test "many keys that change at one commit are one line" {
	for k in {1..8}; do
		history k$k $(for ((i = 0; i < 40; i++)); do
			echo $((1000 + (i * 7 + k) % 11 + (i >= 20 && k < 5) * 300))
		done)
	done | sed 's/}/,"machine":"box"}/' >in
	run -1 --separate-stderr perf-diff -H --oldest-first --text in
	[[ ${lines[0]} == "4 of 8 keys are worse now than before in 40 commits: 4 of 8 keys of box changed at c21 (4 worse): the machine? Above all, k"*" is 29.9 % worse since c21: "* ]]
	[[ $output != *"machine?"*"machine?"* ]]
	run -1 --separate-stderr perf-diff -H --oldest-first in
	assert_equal "$(found 'select(.type == "change") | .cluster')" \
		"$(lines '"c21"' '"c21"' '"c21"' '"c21"')"
	[ "$(found 'select(.type == "changes") | .clusters')" = 1 ]
	# A line without a uid accepts all of them.
	sed -i 's/"c\([0-9]*\)"/"c000000\1"/g' in
	echo c00000021 >accepted
	run -0 --separate-stderr perf-diff -H --oldest-first --accept accepted in
	[ "$(found 'select(.type == "changes") | [.accepted, .clusters]')" = '[4,0]' ]
	# Two keys are no cluster, and one that changed alone comes first.
	for k in a b; do
		history $k "${A[@]}"
	done >two
	run -1 --separate-stderr perf-diff -H --oldest-first two
	[ "$(found 'select(.type == "changes") | .clusters')" = 0 ]
	(cat in; history alone $(for ((i = 0; i < 40; i++)); do
		echo $((1000 + (i * 7) % 11 + (i >= 30) * 200))
	done) | sed 's/"c\([0-9]*\)"/"c000000\1"/g; s/}/,"machine":"box"}/') >more
	run -1 --separate-stderr perf-diff -H --oldest-first more
	[[ $stderr == *"5 of 9 keys are worse now than before in 40 commits: above all, alone is "* ]]
	run -1 --separate-stderr perf-diff -H --oldest-first --text more
	[ "${lines[1]}" = "4 of 9 keys of box changed at c00000021 (4 worse): the machine?" ]
}

@test "a key that is worse among too many keys is suspected, with the reason" {
	# 16 commits prove at most p = .0025, which 30 keys multiply.
	for k in {1..30}; do
		history k$k $(for ((i = 0; i < 16; i++)); do
			echo $((1000 + (i * (k % 5 + 3)) % 11 + (i >= 8 && k == 1) * 500))
		done)
	done >in
	run -0 --separate-stderr perf-diff -H --oldest-first --text in
	[[ ${lines[0]} == "Nothing is proven worse; k1 looks "*" % worse since c9: with 30 keys the commits are too few; measure more." ]]
	sed -i '/"k1"/s/15[0-9][0-9]/1012/' in
	run -0 --separate-stderr perf-diff -H --oldest-first --effect .1 --text in
	[[ ${lines[0]} == *"k1 looks 0.7 % worse "*": that may be chance; measure more." ]]
}

@test "keys that end are in the first lines" {
	(history a "${A[@]}" "${A[@]}" && history b "${A[@]:0:8}" "${A[@]:0:8}") >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[ "$(found 'select(.verdict == "gone") | [.uid, .last_good]')" = '["b","c16"]' ]
	[[ $stderr == *"1 key has no samples at the newest commit: b"* ]]
	run -1 --separate-stderr perf-diff -H --oldest-first --effect 20 --gone fail in
}

@test "what cost most is named first, not the greatest ratio" {
	(history all "${A[@]}" && history part $(for v in "${A[@]}"; do
		echo "$v" | awk '{ print ($1 > 105 ? 4 : 1) + $1 / 1000 }'
	done)) | sed 's/}/,"unit":"ms"}/' >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *": 2 of 2 keys are worse now than before in 16 commits: above all, all is 10.0 % slower since c9: "* ]]
	# The times of both are the total, not their only size
	(history bytes $(for v in "${A[@]}"; do
		awk "BEGIN { print $v * 1000 }"; done) | sed 's/}/,"unit":"B","machine":"m"}/') >>in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"above all, all is 10.0 % slower"* ]]
}

@test "dates can stand for commits" {
	history a "${A[@]}" | sed 's/"c\([0-9]*\)"/"2026-10-\1"/; s/-\([0-9]\)"/-0\1"/' >in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[[ $stderr == *"since 2026-10-09: "* ]]
	lines '2026-10-09 a' >accepted
	run -0 perf-diff -H --oldest-first --accept accepted in
}

@test "accepted changes are listed, but do not alarm" {
	history a "${A[@]}" | sed 's/"c\(.*\)"/"00000000\1"/' >in
	history b "${A[@]}" | sed 's/"c\(.*\)"/"00000000\1"/' >>in
	run -1 --separate-stderr perf-diff -H --oldest-first in
	[ "$(found 'select(.type == "changes") | [.alarms, .accepted]')" = '[2,0]' ]
	lines '# intended' '' '000000009 a' >accepted
	run -1 --separate-stderr perf-diff -H --oldest-first --accept accepted in
	[ "$(found 'select(.type == "change" and .accepted) | .uid')" = '"a"' ]
	[ "$(found 'select(.type == "changes") | [.alarms, .accepted]')" = '[1,1]' ]
	run -1 --separate-stderr perf-diff -H --oldest-first --text \
		--accept accepted in
	[[ ${lines[0]} == '1 of 2 keys is worse now than before in 16 commits: b is '* ]]
	[[ $output == *"Accepted: 1"* ]]
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
	history d "${A[@]:0:8}" "${A[@]:0:8}" >>in
	history e "${A[@]:0:8}" "${A[@]:0:8}" >>in
	history f 1 2 >>in
	history g 1 2 >>in
	for i in {16..1}; do
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\"]}"
	done >versions
	for option in -k9 --markdown --svg; do
		perf-diff -H $option versions in >want || [ $? -eq 1 ]
		for i in 1 2 3; do
			shuffle "$(seed)$i" in >shuffled
			perf-diff -H $option versions shuffled >got || [ $? -eq 1 ]
			cmp got want
		done
	done
}

@test "the report begins with the answer" {
	history a "${A[@]}" | sed 's/,"minor/,"unit":"ms"&/' >in
	for i in {16..1}; do
		echo "{\"type\":\"version\",\"id\":\"c$i\",\"parents\":[\"c$((i - 1))\"],\"time\":$((i * 86400)),\"author\":\"jo\",\"message\":\"use a map\\nrest\"}"
	done >>in
	run -1 --separate-stderr perf-diff -H --text in
	[ "${lines[0]}" = "1 of 1 keys is worse now than before in 16 commits: a is 10.0 % slower since c9 of 1970-01-10 (use a map, by jo): 100.2 ms before, 110.2 ms now." ]
	LC_ALL=C.UTF-8 run -1 --separate-stderr perf-diff -H --text in
	[[ ${lines[2]} =~ ^'  '[▁▂▃▄▅▆▇█]{16}'  16 commits'$ ]]
	sed 's/"ms"/"us"/; s/"value":[0-9.]*/&e3/' in >us
	run -1 --separate-stderr perf-diff -H --text us
	[[ ${lines[0]} == *": 100.2 ms before, 110.2 ms now." ]]
	run -0 perf-diff -H --text --effect 20 in
	[ "${lines[0]}" = "No key is worse now than before in 16 commits. What would have been seen is not known: the values vary too much, or not at all, or are 0, or changed lately." ]
	run -2 --separate-stderr perf-diff -H --text <<<'{"type":"other"}'
	[ "${lines[0]}" = "Nothing can be said: there are no samples." ]
}

# With another seed, chance alone makes one run of a hundred fail.
# bats test_tags=normal
@test "simulated changes are found as often as promised, and no others" {
	"$BUILD/test/programs/statistics" 60 1
}

@test "every key of the records is defined in weir-records(5)" {
	history a "${A[@]}" | sed 's/}/,"unit":"s","workload":"w"}/' >in
	samples b {1..2000} >old
	(samples b {1..2000} && samples c 1) >new
	(perf-diff -H --oldest-first in || [ $? -eq 1 ]) >got
	perf-diff old new >>got
	for type in key change changes; do
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
c = [e.getAttribute("stroke") for e in d.getElementsByTagName("path")]
assert c.count("#54708c") == 2 and c.count("#1f4e79") == 3, c
assert c.count("#c0392b") == 1, c
t = [e.firstChild.data.strip() for e in d.getElementsByTagName("text") if e.firstChild]
assert "a<b>" in t and "+10.0 % &<c9" in t and "110 <s>" in t, t
assert "a<b> is 10.0 %" in d.getElementsByTagName("title")[0].firstChild.data' <<<"$output"
	run -2 perf-diff --svg in in
}

@test "--svg has the whole answer below its headline, in lines that fit" {
	# Short, longer than a line, not ASCII, and longer than all lines
	for uid in f "$(printf 'm%0128d' 0)" \
		"a$(printf 'é€😀%.0s' {1..20})" "w $(printf '%0500d' 0)"; do
		history "$uid" "${A[@]}" >in
		run -1 --separate-stderr perf-diff -H --oldest-first --svg in
		python3 -c 'import sys, xml.dom.minidom
d = xml.dom.minidom.parseString(sys.stdin.buffer.read())
answer = d.getElementsByTagName("title")[0].firstChild.data
t = [e.firstChild.data for e in d.getElementsByTagName("text")
    if e.getAttribute("x") == "8" and e.getAttribute("font-size") == "12"]
assert len(t) <= 3 and all(len(s.encode()) <= 814 // 7 for s in t), t
rest, text = answer.split(": ", 1)[1], "".join(t)
assert sys.argv[1] in rest, rest
if len(t) == 3 and text.endswith("..."):
    assert len(rest.encode()) > 2 * 814 // 7 and rest.startswith(text[:-3]), t
else:
    assert text == rest, t' "$uid" <<<"$output"
	done
}
