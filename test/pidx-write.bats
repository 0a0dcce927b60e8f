# pidx-write.bats - profiles are registered in the index of a commit
#
# A profile is stored as an object, and an entry of the index refers to it:
# weir-pidx(5) describes the files.  Perun flattens a profile since 0.17, which
# means that it merges resources that differ only in the measured values.  A
# pending profile is a file in .perun/jobs that is not registered yet.

load helper
load pidx

# names_agree [-u] - expects that pidx-write names the objects of the profiles
# in the file `profiles` as Perun does; -u: without flattening them
names_agree() {
	oracle names "$@" <profiles >want
	pidx-write ${1:+--unflattened} profiles >out
	records <out | members -r object | diff want -
	check "$(records <out | wc -l)"
}

# --- objects and indexes -----------------------------------------------------

@test "objects are named as by Perun, flattened" {
	seed=$(seed)
	oracle profiles "$seed" 300 >profiles
	names_agree
}

# with_models - prints a profile for each line of standard input, which is the
# contents of its array `models`
with_models() {
	local document models
	document=$(profile)
	while IFS= read -r models; do
		echo "${document%\}},\"x\":[],\"models\":[$models]}"
	done
}

# Flattening replaces the snapshot and the time of a resource.  The name of the
# second type is f#1.
@test "resources that differ only in a snapshot or time get two resource types" {
	for members in '{"snapshot":1},{"time":1}' \
	    '{"snapshot":1,"time":2},{"snapshot":12}'; do
		profile | jq -c --argjson own "[$members]" 'del(.global) +
			{snapshots: [{time: "1.5", resources: [$own[] +
			{uid: "f", type: "time", amount: 1}]}]}' >in
		run -0 pidx-write in
		object=$(value object)
		run -0 python3 -c 'import sys, zlib
sys.stdout.buffer.write(zlib.decompress(open(sys.argv[1], "rb").read()))' \
			"$(file "$object")"
		[[ $output == *'"f#1"'* ]]
	done
}

@test "NaN and Infinity are stored as Python does, and survive a copy" {
	local names options
	# Each line is the contents of the array `models` of a profile.
	lines NaN Infinity -Infinity '1,NaN,-Infinity' \
		'"NaN",NaN,"Infinity","N\u0061N","\u004e\u0061\u004e"' \
		'{"NaN":NaN,"Infinity": "NaN","N\u0061N\"":-Infinity}' \
		'"I\u006efinity",["-I\u006efinity","-Infinity",-Infinity]' \
		'"\\",NaN,"a\\\"NaN",-1,"-1","","I","N"' |
		with_models >documents
	names=$(oracle names <documents | sort)
	assert_equal "$(wc -l <<<"$names")" 8
	for options in '' --pending; do
		pidx-write $options documents >out
		pidx-read -p $options >read
		# Other tools write strings in another form.
		records <read | jq -c . >copied
		rm -r .perun && pidx-init >/dev/null
		run -0 --separate-stderr pidx-write copied
		assert_equal "$options $(value object | sort)" "$options $names"
		run -0 pidx-fsck
		rm -r .perun && pidx-init >/dev/null
	done
	# A file of a single document
	tail -n 1 documents >x.perf
	run -0 --separate-stderr pidx-write x.perf
	assert_equal "$(value object)" "$(oracle name <x.perf)"
	# What is neither JSON nor written by Python
	lines nan inf +Infinity -NaN NaNs '{NaN:1}' 1Infinity |
		with_models >documents
	run -1 --separate-stderr pidx-write --rejects rejects documents
	diff documents rejects
}

@test "a number too great for a double is rejected, as Python makes it Infinity" {
	local n
	lines 1E400 -1e309 12345678901234e+300 "1$(printf %0309d 0).0" \
		'{"a":[1e999]}' | with_models >document
	run -1 --separate-stderr pidx-write --rejects rejects document
	diff document rejects
	for n in 1 2 3 4 5; do
		[[ $stderr == *"document:$n: a number is too great for a double"* ]]
	done
	sed 's/.*/{"type":"profile","profile":&}/' document >record
	run -1 --separate-stderr pidx-write --rejects rejects record
	diff record rejects
	[ -z "$(ls .perun/objects)" ]
	lines 1e308 -1.7976931348623157E+308 1e-400 "1$(printf %0309d 0)" |
		with_models >document
	run -0 --separate-stderr pidx-write document
	assert_equal "${#lines[@]}" 4
}

@test "non_finite that does not name such strings makes a record bad input" {
	local n places profile
	profile=$(profile)
	profile=${profile%\}},'"x":["NaN",1,"NaN"]}'
	for places in '[2]' '[1,0]' '[-1]' '["0"]' '{}' 0 null '[0,0]' '[1]'; do
		echo "{\"type\":\"profile\",\"profile\":$profile,"`
			`"\"non_finite\":$places}"
	done >record
	run -1 --separate-stderr pidx-write record
	for n in {1..8}; do
		[[ $stderr == *"record:$n: non_finite does not name values"* ]]
	done
	assert_equal "${#lines[@]}" 1
}

@test "objects are named as by Perun before 0.17, unflattened" {
	seed=$(seed)
	oracle profiles "$seed" 300 >profiles
	names_agree -u
}

@test "an empty global is ignored, with or without spaces in it" {
	profile | jq -c '.global = {}' >in
	name=$(oracle name <in)
	for global in '{}' '{ }' $'{\t }' $'{\n\n}'; do
		run -0 --separate-stderr pidx-write \
			<<<"$(sed "s/{}}\$//" in)$global}"
		assert_output --partial "\"object\":\"$name\""
	done
}

@test "an index of each version is byte for byte as specified" {
	for i in 3 1 2; do
		record "p $i" $i "cmd $i" "é" memory trace
	done >in
	record '' 1 | jq -c '.path = "x" | .time = 4294967295
		| .profile.postprocessors = [{name: "a"}, {name: "b c"}]
		| del(.profile.header.workload)' >>in
	for version in 1 2; do
		oracle put other "$id" $version <in
		run -0 --separate-stderr pidx-write --index-version $version in
		cmp "$(file "$id")" "$(file "$id" other)"
		rm "$(file "$id")"
	done
	assert_equal "$(value path | paste -sd,)" "p 3,p 1,p 2,x"
}

@test "each registration is reported by an entry record" {
	run -0 --separate-stderr pidx-write <<<"$(record a.perf 1700000000 ./c w)"
	assert_equal "$stderr" ""
	object=$(profile ./c w | oracle name)
	want='{"type":"entry","minor_version":"'$id'","path":"a.perf",'`
		`'"time":1700000000,"object":"'$object'","profile_type":"time",'`
		`'"cmd":"./c","workload":"w","collector":"time",'`
		`'"postprocessors":[]'
	assert_output "$want}"
	run -0 --separate-stderr pidx-write <<<"$(record a.perf 1700000000 ./c w)"
	assert_output "$want,\"existed\":true}"
	check 1
}

@test "two entries may have the same path and time if their objects differ" {
	(record a 1 one && record a 1 two && record a 1 one) >in
	run -0 --separate-stderr pidx-write in
	assert_equal "$(value existed | paste -sd' ')" "null null true"
	check 2
	run -0 --separate-stderr pidx-write in
	assert_equal "$(value existed | paste -sd' ')" "true true true"
	check 2
	record a 2 one | pidx-write
	check 3
}

# Twenty entries of five paths give the same index if each is written by a run of
# its own, in random order, and if all are written by one run.
@test "entries are inserted by path and time" {
	for i in {1..20}; do
		record "p$((i % 5))" $((i / 5)) "c$i"
	done >in
	shuffle "$(seed)" in | while IFS= read -r record; do
		pidx-write <<<"$record" || exit
	done >out
	check 20
	pidx-read | jq -r '[.path, .time, .cmd] | @tsv' >alone
	rm "$(file "$id")"
	pidx-write in >out
	pidx-read | jq -r '[.path, .time, .cmd] | @tsv' | diff alone -
}

@test "an existing index keeps its version, whatever --index-version says" {
	record old 5 | tee first | oracle put .perun "$id" 1
	record new 6 | pidx-write --index-version 2
	check 2
	oracle put ../other "$id" 1 < <(cat first && record new 6)
	cmp "$(file "$id")" "$(file "$id" ../other)"
	record old 5 | oracle put .perun "$id" 2
	record new 6 | pidx-write --index-version 1
	oracle put ../other "$id" 2 < <(cat first && record new 6)
	cmp "$(file "$id")" "$(file "$id" ../other)"
}

@test "args stay apart where the layout has a place for them" {
	local layout
	record a 5 with | jq -c '.profile.header += {args: "-x é", label: "n"}' \
		>old
	record b 6 with | jq -c '.profile.header += {args: "-y", label: "m"}' \
		>new
	for layout in 1 2args 2 2label; do
		oracle put .perun "$id" $layout <old
		pidx-write --index-version 1 <new >out
		oracle put ../$layout "$id" $layout < <(cat old new)
		cmp "$(file "$id")" "$(file "$id" ../$layout)"
		run -0 --separate-stderr pidx-read
		assert_equal "$(jq -cs '[.[] | select(.type == "entry") |
			.cmd, .args, .label]' <<<"$output")" "$(case $layout in
		1) echo '["with","-x é","n","with","-y","m"]' ;;
		2args) echo '["with","-x é",null,"with","-y",null]' ;;
		2) echo '["with -x é",null,null,"with -y",null,null]' ;;
		2label) echo '["with -x é",null,"n","with -y",null,"m"]' ;;
		esac)"
		# What pidx-write says is what pidx-read finds.
		jq -c 'select(.type == "entry")' out >written
		grep -xF -f written <<<"$output"
	done
}

@test "a new index has the layout of the option, the setting, or today's" {
	record p 1 >in
	# expect_layout LAYOUT [OPTION...] - writes a new index
	expect_layout() {
		pidx-write "${@:2}" in >out
		cmp "$(file "$id")" "$(file "$id" "../$1")"
		rm "$(file "$id")"
	}
	for layout in 1 2args 2 2label; do
		oracle put ../$layout "$id" $layout <in
	done
	for layout in 1 2args 2 2label; do
		expect_layout $layout --index-version $layout
		sed -i "s/index_version: .*/index_version: $layout/" \
			.perun/local.yml
		expect_layout $layout
		expect_layout 2 --index-version 2
	done
	sed -i '/index_version/d; /^weir:/d' .perun/local.yml
	expect_layout 2label
	for bad in 3 0 two; do
		printf 'weir:\n  index_version: %s\n' "$bad" >.perun/local.yml
		run -2 --separate-stderr pidx-write in
		[[ $stderr == *"weir.index_version"*"is not 1, 2args, 2 or 2label" ]]
		no_staging
	done
	run -2 --separate-stderr pidx-write --index-version 3
	[[ $stderr == *"--index-version must be 1, 2args, 2 or 2label, not '3'" ]]
}

# bats test_tags=normal
@test "a new index has the layout of the newest other one" {
	sed -i '/index_version/d; /^weir:/d' .perun/local.yml
	first=$id
	for layout in 1 2args 2 2label; do
		id=$first
		record old 5 with |
			jq -c '.profile.header += {args: "-x", workload: "w"}' |
			oracle put .perun "$id" $layout
		commit
		record p 1 | tee new | pidx-write >out
		oracle put ../other "$id" $layout <new
		cmp "$(file "$id")" "$(file "$id" ../other)"
		rm "$(file "$id")" "$(file "$first")"
	done
}

@test "into today's layout a profile of the same name is put in the other's place" {
	record a 1 one | pidx-write --index-version 2label >first
	record b 1 one | pidx-write >out
	record a 2 two | pidx-write >second
	assert_equal "$(members -r -w replaced replaced <second)" \
		"$(members -r -w object object <first)"
	run -0 --separate-stderr pidx-read
	assert_equal "$(jq -r 'select(.type == "entry") |
		"\(.path) \(.time) \(.cmd)"' <<<"$output")" \
		"$(lines "a 2 two" "b 1 one")"
	# Perun would drop a profile of the same time and label.
	record a 2 three | pidx-write >third
	assert_equal "$(members -r -w replaced replaced <third)" \
		"$(members -r -w object object <second)"
	assert_equal "$(record a 2 three | pidx-write | members -w existed \
		existed)" \
		true
	assert_equal "$(pidx-read --format %cmd% | paste -sd,)" three,one
}

# --- round trips -------------------------------------------------------------

@test "round trip: profiles and entries that were written are read" {
	seed=$(seed)
	oracle profiles "$seed" 60 >profiles
	# A record of each profile; ten paths occur twice, with different times.
	awk '{ printf "{\"type\":\"profile\",\"path\":\"p%d\",\"time\":%d,", NR % 50,
		NR * 1000003; print "\"profile\":" $0 "}" }' profiles >in
	pidx-write in >entries
	pidx-read | records | jq -cS . | sort >read
	records <entries | jq -cS . | sort | diff - read
	# Copied to another store, the profiles give the same index, objects and
	# output; written again to the same store, they all exist.
	pidx-read --profiles >out
	git clone -q . ../other
	pidx-init --index-version 2 ../other >/dev/null
	pidx-write -C ../other out >again
	cmp "$(file "$id")" "$(file "$id" ../other/.perun)"
	diff <(cd .perun/objects && find . -type f | sort) \
		<(cd ../other/.perun/objects && find . -type f | sort)
	pidx-read -C ../other --profiles | cmp out
	run -0 --separate-stderr pidx-write out
	assert_equal "$(value existed | sort -u)" true
}

@test "the profiles of all commits are copied by one pipe" {
	record a 1 one | pidx-write >out
	commit
	(record a 1 one && record b 2 two) | pidx-write >out
	git clone -q . ../other
	pidx-init --index-version 2 ../other >/dev/null
	vcs-log | pidx-read --profiles | pidx-write -C ../other >out
	assert_equal "$(records <out | members -r path | paste -sd' ')" "a b a"
	check 2 "$id" ../other/.perun
	check 1 "$(git rev-parse HEAD~1)" ../other/.perun
}

# --- the commit --------------------------------------------------------------

@test "--commit accepts any name of a commit; the default is HEAD" {
	first=$id
	git tag -a -m x v1
	commit
	record a 1 | pidx-write >out
	assert_equal "$(records <out | members -r minor_version)" "$id"
	for name in v1 HEAD~1 main~1 "${first:0:8}" "$first"; do
		record a 1 | pidx-write --commit "$name" >out
		assert_equal "$(records <out | members -r minor_version)" \
			"$first"
	done
	check 1 "$first"
	for name in nothing HEAD~7 "$(git rev-parse 'HEAD^{tree}')" '' \
	    0000000000000000000000000000000000000000; do
		run -2 --separate-stderr pidx-write -c "$name" \
			<<<"$(record a 1)"
		[[ $stderr == *"does not name a commit: "* ]]
	done
	no_staging
}

@test "a record's minor_version is its commit, unless --commit is given" {
	first=$id
	commit
	record a 1 | jq -c ".minor_version = \"$first\"" >in
	pidx-write in >out
	assert_equal "$(records <out | members -r minor_version)" "$first"
	pidx-write -c HEAD in >out
	assert_equal "$(records <out | members -r minor_version)" "$id"
	for bad in ../../../../x main "${first:0:39}" "${first}0" \
	    1111111111111111111111111111111111111111; do
		record a 1 | jq -c ".minor_version = \"$bad\"" >in
		run -1 --separate-stderr pidx-write in
		[[ $stderr == *"in:1: minor_version "* ]]
	done
}

@test "another commit as origin is refused without --force; origin is dropped" {
	first=$id
	commit
	profile | jq -c ".origin = \"$first\"" >p.perf
	run -1 --separate-stderr pidx-write p.perf
	[[ $stderr == *"p.perf:1: its origin is $first, not $id (see --force)" ]]
	[ ! -e "$(file "$id")" ]
	run -0 --separate-stderr pidx-write --force p.perf
	object=$(value object)
	assert_equal "$object" "$(profile | oracle name)"
	run -0 --separate-stderr pidx-write -c "$first" p.perf
	assert_equal "$(value object)" "$object"
	run -0 --separate-stderr pidx-read -p
	[[ $output != *origin* ]]
}

# --- files and streams -------------------------------------------------------

@test "a profile alone in a file gets the base name and the time of the file" {
	mkdir -p 'a b'
	profile >'a b/one.perf'
	profile | jq . >'a b/many lines.perf'
	profile | gzip >p.perf
	touch -d @1700000000 'a b'/* p.perf
	run -0 --separate-stderr pidx-write 'a b/one.perf' \
		'a b/many lines.perf' ./p.perf
	assert_equal "$(value path | paste -sd,)" \
		"one.perf,many lines.perf,p.perf"
	assert_equal "$(value time | sort -u)" 1700000000
	assert_equal "$(value object | sort -u)" "$(profile | oracle name)"
}

@test "the time of a file is rounded as by Perun, halves to the even second" {
	# TIME:ROUNDED.  Times that the file system cannot store are skipped.
	for case in 10.4:10 10.5:10 10.500000001:11 11.5:12 11.499999999:11 \
	    0:0 4294967295.4:4294967295; do
		profile >p.perf
		touch -d "@${case%:*}" p.perf
		[ "$(stat -c %Y p.perf)" = "${case%%[.:]*}" ] || continue
		run -0 --separate-stderr pidx-write p.perf
		assert_equal "$case $(value time)" "$case ${case#*:}"
	done
}

@test "times outside 1970 to 2106 are rejected, others registered" {
	for time in -1 4294967296 1.5 '"1"' 99999999999999999999; do
		record bad 1 | sed "s/\"time\":1,\"profile\"/\"time\":$time,\"profile\"/"
	done >in
	record good 4294967295 >>in
	run -1 --separate-stderr pidx-write in
	assert_equal "$(value path)" good
	for n in 1 2 3 4 5; do
		[[ $stderr == *"in:$n: its time is not a number of seconds from"* ]]
	done
	profile >old.perf
	touch -d @-1 old.perf
	run -1 --separate-stderr pidx-write old.perf
	check 1
}

# A profile without a path is named by the template, the setting
# format.output_profile_template: by default collector, command, workload, time.
@test "several documents in a file or pipe are named by the template" {
	(profile one | jq . && profile two | jq . && profile three) >many.perf
	(profile one && profile two) >stream.perf
	for file in many.perf stream.perf; do
		run -0 --separate-stderr pidx-write $file
		[[ $(value path | head -n 1) == time-one--20*.perf ]]
		assert_equal "$(value path | sort -u | wc -l)" ${#lines[@]}
	done
	run -0 --separate-stderr bash -c 'cat many.perf | pidx-write'
	assert_equal "${#lines[@]}" 3
	run -0 --separate-stderr bash -c 'head -n 1 stream.perf | pidx-write'
	[[ $(value path) == time-one--20??-??-??-??-??-??*.perf ]]
}

@test "profiles to which the template gives the same name get numbers" {
	(profile same && profile same && profile same) >in
	run -0 --separate-stderr pidx-write in
	# What follows the seconds of the time, which end the first name
	assert_equal "$(value path | sed 's/.*-..\(-[0-9]\)*\.perf/\1/' |
		paste -sd,)" ",-2,-3"
}

@test "a generated name replaces no entry, neither of the index nor of the run" {
	printf 'format:\n  output_profile_template: name\n' >.perun/local.yml
	profile first | pidx-write
	profile first | pidx-write
	# A file that has the name of the second entry replaces it.
	profile file >name-2.perf
	profile third >third
	run -0 --separate-stderr pidx-write - name-2.perf <third
	assert_equal "$(value path | paste -sd,)" name-3.perf,name-2.perf
	assert_equal "$(grep -c '"replaced"' <<<"$output")" 1
	assert_equal "$(pidx-read | records | jq -r '[.path, .cmd] | @csv')" \
		"$(lines '"name-2.perf","file"' '"name-3.perf","third"' \
			'"name.perf","first"')"
}

@test "the template has Perun's tags; special characters are replaced" {
	# template TEMPLATE NAME - expects that a profile is named so
	template() {
		printf 'format:\n  output_profile_template: "%s"\n' "$1" \
			>.perun/local.yml
		run -0 --separate-stderr pidx-write -c HEAD <<<"$(profile \
			'../c d' 'é/*' memory trace)"
		assert_equal "$(value path)" "$2"
	}
	template '%collector%' trace.perf
	# é has two bytes, and each becomes a "_".
	template '%cmd%+%workload%' '.._c_d_____.perf'
	template '%type%-%postprocessors%-%nothing%' memory--.perf
	template '/etc/x%' '_etc_x_.perf'
}

@test "names that Perun could not read, and invalid ones, are rejected" {
	for name in é.perf $'a\xc3\xa9' a/b ../x /abs ''; do
		record x 1 | jq -c --arg p "$name" '.path = $p'
	done >in
	record x 1 | sed 's/"path":"x"/"path":"a\\u0000b"/' >>in	# NUL
	record 'good name *' 1 >>in
	run -1 --separate-stderr pidx-write in
	assert_equal "$(value path)" "good name *"
	[[ $stderr == *"in:1: the name of a profile is not ASCII"* ]]
	[[ $stderr == *"in:3: the name of a profile contains a '/'"* ]]
	profile >é.perf
	run -1 --separate-stderr pidx-write é.perf
	check 1
	[ ! -e x ]
}

@test "records of another filter, and no profile, are reported" {
	run -1 --separate-stderr pidx-write <<<'{"type":"task","id":"a"}'
	assert_equal "$stderr" "pidx-write: no profile came: line 1 of\
 '<stdin>' is a record of type task, which critpath reads"
	(echo '{"type":"task","id":"a"}'; record a 1) | pidx-write >out
	assert_equal "$(records <out | members -r type)" entry
	# Of commits without profiles only versions come.
	vcs-log | pidx-read --profiles | pidx-write
}

@test "invalid lines are reported and go to --rejects, the rest is registered" {
	lines 'no JSON' '{"type":"unknown"}' '{"a":1}' '{"type":"profile"}' \
		'{"type":"profile","profile":{}}' '{"header":{}}' \
		'{"header":{"type":"time","cmd":"c"}}' >in
	profile | jq -c 'del(.postprocessors)' >>in
	profile | jq -c '.header.type = "a b"' >>in
	profile | jq -c '.postprocessors = [{}]' >>in
	profile | jq -c 'del(.global.resources[0].uid)' >>in
	record good 1 >>in
	run -1 --separate-stderr pidx-write --rejects rejects in
	assert_equal "$(value path)" good
	# Line 2 is a record of another type, and the last line is valid.
	sed -e 2d -e '$d' in | diff - rejects
	for n in 1 3 4 5 6 7 8 9 10 11; do
		# After ten messages the others are only counted.
		[[ $stderr == *"in:$n: "* ]] || [ "$n" -gt 10 ]
	done
	check 1
}

@test "a missing file, or an invalid line with --strict: nothing is registered" {
	(record a 1 && echo bad && record b 1) >in
	run -2 --separate-stderr pidx-write --strict in
	[ ! -e "$(file "$id")" ]
	no_staging
	run -2 --separate-stderr pidx-write in missing
	[ ! -e "$(file "$id")" ]
	no_staging
}

# --- pending -----------------------------------------------------------------

@test "--pending writes profiles to jobs, --from-jobs registers them" {
	(record a.perf 5 one && record b.perf 6 two) >in
	run -0 --separate-stderr pidx-write --pending in
	assert_equal "${lines[0]}" \
		'{"type":"pending","path":"a.perf","minor_version":"'$id'"}'
	assert_equal "$(ls .perun/jobs | paste -sd' ')" "a.perf b.perf"
	assert_equal "$(members -r origin <.perun/jobs/a.perf)" "$id"
	assert_equal "$(jq -c 'del(.origin)' .perun/jobs/b.perf)" "$(profile two)"
	[ ! -e "$(file "$id")" ]
	echo other >.perun/jobs/notes.txt
	run -0 --separate-stderr pidx-write --from-jobs --keep
	assert_equal "$(value path | paste -sd' ')" "a.perf b.perf"
	assert_equal "$(value object | paste -sd' ')" \
		"$(profile one | oracle name) $(profile two | oracle name)"
	assert_equal "$(ls .perun/jobs | wc -l)" 3
	run -0 --separate-stderr pidx-write --from-jobs
	assert_equal "$(value existed | sort -u)" true
	assert_equal "$(ls .perun/jobs)" notes.txt
	check 2
	run -2 --separate-stderr pidx-write --pending --from-jobs
}

# bats test_tags=normal
@test "a pending profile is on the disk, and so is its name, when it is reported" {
	need_strace
	record a.perf 5 >in
	# -y prints the path of each descriptor.  The calls that matter here:
	# the file gets its name, jobs is synced, and the record is written.
	strace -y -o trace -e trace=renameat,fsync,write pidx-write --pending in
	grep -E 'renameat.*a.perf|fsync\(.*/jobs>|write\(1<' trace |
		sed 's/(.*//' >calls
	# Before that, the begin record
	assert_equal "$(paste -sd' ' calls)" 'write renameat fsync write'
}

@test "a pending profile of the same name is not overwritten" {
	record a.perf 5 one | pidx-write --pending >out
	run -1 --separate-stderr pidx-write --pending <<<"$(record a.perf 5 two)"
	[[ $stderr == *"'a.perf' is already pending" ]]
	assert_equal "$(members -r header.cmd <.perun/jobs/a.perf)" one
	# The template gives these names; a number distinguishes them.
	profile same | pidx-write --pending >out
	profile same | pidx-write --pending >out
	profile same | pidx-write --pending >out
	assert_equal "$(ls .perun/jobs/time-same* | wc -l)" 3
}

@test "--from-jobs registers each profile with the commit of its origin" {
	record a.perf 5 one | pidx-write --pending >out
	first=$id
	commit
	second=$id
	record b.perf 5 two | pidx-write --pending >out
	commit
	run -0 --separate-stderr pidx-write --from-jobs
	assert_equal "$(value minor_version)" "$first"$'\n'"$second"
	assert_equal "$(value path)" $'a.perf\nb.perf'
	assert_equal "$(pidx-read "$second" | records | members -r path)" b.perf
	[ ! -e "$(file "$id")" ]
	[ -z "$(ls .perun/jobs)" ]
}

@test "--from-jobs leaves what names no commit, or not that of --commit" {
	(record a.perf 5 one && record b.perf 6 two) | pidx-write --pending >out
	commit
	(cd .perun/jobs && jq -c 'del(.origin)' b.perf >c.perf &&
		jq -c '.origin = ("12345678" * 5)' b.perf >d.perf &&
		jq -c '.origin = "master"' b.perf >e.perf &&
		jq -c '.origin = "HEAD"' b.perf >f.perf && echo '{"a":1}' >g.perf)
	run -1 --separate-stderr pidx-write --from-jobs --commit HEAD
	assert_equal "$(value path)" c.perf
	[[ $stderr == *"/jobs/a.perf:1: its origin is "* ]]
	jq -c 'del(.origin)' .perun/jobs/b.perf >.perun/jobs/c.perf
	run -1 --separate-stderr pidx-write --from-jobs
	assert_equal "$(value path)" $'a.perf\nb.perf'
	[[ $stderr == *"/jobs/c.perf:1: it has no origin, so its commit is not known (see --commit)"* ]]
	[[ $stderr == *"/jobs/d.perf:1: origin 12345678"* ]]
	[[ $stderr == *"/jobs/e.perf:1: origin is neither 40 hex digits nor HEAD"* ]]
	[[ $stderr == *"/jobs/f.perf:1: origin HEAD: this store has commits"* ]]
	[[ $stderr == *"/jobs/g.perf:1: a profile has no header"* ]]
	assert_equal "$(ls .perun/jobs | paste -sd' ')" \
		"c.perf d.perf e.perf f.perf g.perf"
	# With --force, --commit alone decides.
	run -1 --separate-stderr pidx-write --from-jobs --commit HEAD --force
	assert_equal "$(value path)" $'c.perf\nd.perf\ne.perf\nf.perf'
}

@test "a truncated stream leaves nothing pending and registers nothing" {
	record old.perf 4 | pidx-write --pending >out
	# There is no end record.
	(echo '{"type":"begin"}' && record a.perf 5 && record b.perf 6) >truncated
	run -2 --separate-stderr pidx-write --pending truncated
	assert_equal "$(ls .perun/jobs)" old.perf
	run -2 --separate-stderr pidx-write truncated
	[ -z "$(pidx-read | records)" ]
	run -0 --separate-stderr pidx-write --pending --partial truncated
	assert_equal "$(ls .perun/jobs)" $'a.perf\nb.perf\nold.perf'
}

@test "an empty file in jobs is reported, and the others are registered" {
	(record b.perf 6 one && record d.perf 6 two) | pidx-write --pending >out
	: >.perun/jobs/a.perf
	echo >.perun/jobs/c.perf
	: >.perun/jobs/e.perf
	run -1 --separate-stderr pidx-write --from-jobs
	assert_equal "$(value path)" $'b.perf\nd.perf'
	for name in a c e; do
		grep -F "/jobs/$name.perf' is empty" <<<"$stderr"
	done
}

@test "--pending and --from-jobs follow no symbolic link, and wait for no pipe" {
	mkdir ../outside
	(profile one; profile two) | jq -c --arg id "$id" '.origin = $id' >in
	head -n 1 in >../outside/a.perf
	ln -s "$PWD/../outside/a.perf" .perun/jobs/a.perf
	mkfifo .perun/jobs/b.perf
	tail -n 1 in >.perun/jobs/c.perf
	run -1 --separate-stderr timeout "$HANG_S" pidx-write --from-jobs
	assert_equal "$(value path)" c.perf
	assert_line --partial c.perf
	[[ $stderr == *"/jobs/a.perf' is not a regular file"*"/jobs/b.perf' is not a regular file" ]]
	[ -e ../outside/a.perf ]
	check 1
	# A link to nowhere is not written through either.
	ln -s "$PWD/../outside/new.perf" .perun/jobs/d.perf
	run -1 --separate-stderr pidx-write --pending <<<"$(record d.perf 5)"
	[[ $stderr == *"'d.perf' is already pending" ]]
	rm -r .perun/jobs
	ln -s "$PWD/../outside" .perun/jobs
	for option in --pending --from-jobs; do
		run -2 --separate-stderr pidx-write $option <<<"$(record e.perf 5)"
		[[ $stderr == *"/jobs': Not a directory" ]]
	done
	assert_equal "$(ls ../outside)" a.perf
}

# bats test_tags=normal
@test "--from-jobs registers nothing if jobs cannot be listed completely" {
	need_strace
	(record a.perf 5 one && record b.perf 6 two) | pidx-write --pending >out
	for when in 1 2; do
		run -2 --separate-stderr strace -o /dev/null -P .perun/jobs \
			-e inject=getdents64:error=EIO:when=$when \
			pidx-write --from-jobs
		[[ $stderr == *"cannot read '"*"/jobs': Input/output error" ]]
	done
	assert_equal "$(ls .perun/jobs | paste -sd' ')" "a.perf b.perf"
	[ ! -e "$(file "$id")" ]
}

# --- concurrency and damage --------------------------------------------------

@test "damaged indexes are not changed, others are written" {
	# Lines "ID DAMAGE OFFSET", of 270 commits
	commits 700 | oracle malformed .perun "$(printf %040d 0)" >damaged
	cut -c -40 damaged | sort >versions
	(cd .perun/objects && find . -type f -print0 | xargs -0 sha1sum) >sums
	(record good 1 && jq -Rc --argjson p "$(record a 1)" \
		'$p + {minor_version: .}' versions) >in
	run -1 --separate-stderr pidx-write in
	assert_equal "$(value path)" good
	# The commits in the messages: after ten the others are only counted.
	grep -v ' more like: ' <<<"$stderr" |
		sed -n 's,.*/\(..\)/\([0-9a-f]*\): byte [0-9]*: .*nothing was added.*,\1\2,p' \
		>reported
	head versions | diff - reported
	no_staging
	cd .perun/objects
	sha1sum --quiet -c "$OLDPWD/sums"
}

@test "a damaged object is replaced when its profile is registered again" {
	record a 1 | pidx-write >out
	object=$(records <out | members -r object)
	for size in 0 1 30; do
		chmod u+w "$(file "$object")"
		truncate -s $size "$(file "$object")"
		run -0 --separate-stderr pidx-write <<<"$(record a 1)"
		assert_equal "$(value existed)" true
		check 1
	done
}

@test "symbolic links out of the store are not followed" {
	mkdir ../outside
	object=$(profile | oracle name)
	# The subdirectory of the object is a link.
	ln -s ../../../outside ".perun/objects/${object:0:2}"
	run -2 --separate-stderr pidx-write <<<"$(record a 1)"
	assert_equal "$output" ""
	assert_equal "$(ls -A ../outside)" ""
	# The file of the object is a link, which is replaced.
	rm ".perun/objects/${object:0:2}"
	mkdir ".perun/objects/${object:0:2}"
	echo mine >../outside/file
	ln -s ../../../../outside/file "$(file "$object")"
	run -0 --separate-stderr pidx-write <<<"$(record a 1)"
	check 1
	assert_equal "$(cat ../outside/file)" mine
}

@test "objects are read-only; the umask applies to objects and indexes" {
	(umask 027 && record a 1 | pidx-write >out)
	assert_equal "$(stat -c %a "$(file "$id")" \
		"$(file "$(records <out | members -r object)")" |
			paste -sd' ')" "640 440"
}

@test "eight concurrent writers lose no entry" {
	# 160 records, of five different profiles, in files of 20: in.0 to in.7
	for w in {1..8}; do
		for n in {1..20}; do
			echo "{\"w\":$w,\"n\":$n}"
		done
	done | jq -c --argjson p "$(record x 1)" '. as $i | $p
		| .path = "p\($i.n).\($i.w)" | .profile.header.cmd = "c\($i.n % 5)"
		' >all
	split -n r/8 -a 1 -d all in.
	for ((round = $(rounds 5); round > 0; round--)); do
		rm -rf .perun/objects/*
		for w in {0..7}; do
			pidx-write in.$w >out.$w 2>err.$w &
		done
		for pid in $(jobs -p); do
			wait "$pid"
		done
		cat err.*
		[ "$(cat out.* | records | wc -l)" -eq 160 ]
		check 160
		no_staging
	done
}

@test "concurrent writers that register one profile in each run lose no entry" {
	for w in {1..8}; do
		for n in 1 2 3; do
			record "p$n.$w" $n "c$n" | pidx-write >>out.$w || exit
		done &
	done
	for pid in $(jobs -p); do
		wait "$pid"
	done
	check 24
	no_staging
}

@test "the lock of a killed process is released" {
	# The process waits for more input from the pipe `hold`.
	mkfifo hold
	record a 1 >in
	pidx-write hold >out &
	exec 5>hold
	cat in >&5
	wait_until is_staging
	kill -KILL $!
	wait $! || true
	exec 5>&-
	run -0 --separate-stderr timeout "$HANG_S" pidx-write in
	check 1
}

@test "after a signal no staged file and no temporary file of -o FILE remains" {
	mkfifo hold
	(record a 1 && record b 1) >in
	for signal in INT TERM HUP; do
		# A shell makes processes in the background ignore SIGINT.
		env --default-signal=INT pidx-write -o got hold &
		exec 5>hold
		cat in >&5
		wait_until is_staging
		kill -$signal $!
		status=0
		wait $! || status=$?
		exec 5>&-
		[ "$status" -gt 128 ]
		no_staging
		[ -z "$(find . -name got\*)" ]
	done
}

# --- faults ------------------------------------------------------------------

# A fault is an error or a signal that strace injects into a system call.

# begin_faults - adds an entry to the store, which is copied for each fault, and
# writes `in` with two more; writes the system calls of a run without faults to
# `trace`
begin_faults() {
	record before 1 old | pidx-write >out
	(record a 1 one && record b 2 two) >in
	# An absolute path of the repository, so that the store can be copied
	sed -i "s|url: .*|url: $PWD|" .perun/local.yml
	mkdir runs no-fault
	cp -a .perun no-fault
	strace -o trace pidx-write -C no-fault in >out
}

# run_faults - reads lines "NAME OPTION..."; for each runs pidx-write in a copy
# of the store, runs/NAME, under strace with these options, which inject a fault;
# then pidx-read without one.
run_faults() {
	sh -c 'while read -r name options; do
		run=runs/$name
		mkdir "$run"
		cp -a .perun "$run"
		strace -o "$run/trace" $options pidx-write -C "$run" in \
			>"$run/out" 2>"$run/err"
		echo $? >"$run/status"
		pidx-read -C "$run" --profiles </dev/null >"$run/read" \
			2>"$run/complaints"
	done'
}

# check_runs - expects that after each run the index has the entry `before` and
# the acknowledged ones, and that a second pidx-write succeeds, after which
# there are all 3.  Prints for each run its directory, the status of the first
# pidx-write and the number of entries after it.
check_runs() {
	oracle written "$id" runs/* || return
	sh -ec 'for run in runs/*; do
		pidx-write -C "$run" in >"$run/out"
		pidx-read -C "$run" --profiles >"$run/read"
	done' || return
	oracle written "$id" runs/* >again || return
	! grep -v ' 3$' again
}

# begin_faults_without_git - the same for a store that has no repository, which
# pidx-write would only read, by a hundred more calls
begin_faults_without_git() {
	rm -r .git .perun
	pidx-init --vcs-type svs --index-version 2 >/dev/null
	id=HEAD
	begin_faults
}

# end_at SIGNAL CALL... - prints a line for run_faults for each of these system
# calls that pidx-write makes once it has locked the store: SIGNAL ends it there
end_at() {
	local signal=$1 call first last when
	shift
	for call; do
		read -r first last < <(traced $call) || continue
		for ((when = first; when <= last; when++)); do
			echo $call-$when -e trace=$call \
				-e inject=$call:signal=$signal:when=$when
		done
	done
}

# fail_at ERROR... - prints two lines for each call: it fails once or, with "+",
# from then on.  ERROR is CALL:ERRNO, such as write:EIO.
fail_at() {
	local error call first last when times
	for error; do
		call=${error%:*}
		read -r first last < <(traced $call)
		for ((when = first; when <= last; when++)); do
			for times in $when $when+; do
				echo $error-$times $STOP_AT_FEW -e trace=$call \
					-e inject=$call:error=${error#*:}:when=$times
			done
		done
	done
}

# Makes strace stop only at the calls of -e trace.  Then it injects no signals.
STOP_AT_FEW="-f --seccomp-bpf"

# The last write is that of the record, the last sync and the last rename are of
# the index.
# bats test_tags=normal
@test "killed or failing when an index is written: the store is valid" {
	need_strace
	begin_faults_without_git
	for call in write syncfs renameat; do
		end_at KILL $call | tail -n 1
		fail_at $call:EIO | tail -n 2
	done | run_faults
	end_at TERM renameat | tail -n 1 | sed s/^/term-/ | run_faults
	check_runs >runs.txt
	assert_equal "$(cut -d' ' -f2 runs.txt | sort | uniq -c | xargs)" \
		"3 137 1 143 6 2"
	no_staging runs/term-*
	no_staging runs/*EIO*
}

# bats test_tags=normal,exhaustive
@test "killed at any system call: the store is valid, nothing acknowledged is lost" {
	need_strace
	begin_faults_without_git
	# No other call changes a file.
	end_at KILL openat mkdirat write syncfs renameat unlinkat exit_group |
		run_faults
	check_runs | tee runs.txt
	# 137 is 128 + SIGKILL; the index has the entry `before`, or all 3.
	! grep -v ' 137 [13]$' runs.txt || return 1
	# The calls were found in the trace.
	[ "$(wc -l <runs.txt)" -gt 30 ]
}

# bats test_tags=normal,exhaustive
@test "ended by a signal at any system call: no temporary file remains" {
	need_strace
	begin_faults_without_git
	end_at TERM openat mkdirat write syncfs renameat unlinkat exit_group \
		close read newfstatat fcntl getrandom | run_faults
	no_staging runs
	check_runs | tee runs.txt
	# 143 is 128 + SIGTERM.  A signal during exit_group() comes too late.
	! grep -v ' 143 [13]$\|/exit_group-.* 0 3$' runs.txt || return 1
	[ "$(wc -l <runs.txt)" -gt 30 ]
}

# The status is 2, or 0 if an optional file cannot be opened or mkdirat fails
# for a directory that exists.  If every write fails, the message cannot be
# written either.
# bats test_tags=normal,exhaustive
@test "any failed system call: the store is valid and the error is reported" {
	need_strace
	begin_faults
	fail_at write:ENOSPC write:EIO syncfs:EIO renameat:EIO mkdirat:ENOSPC \
		openat:EIO | run_faults
	no_staging runs
	check_runs >runs.txt
	cat runs.txt
	! grep -v '/\(openat\|mkdirat\).* 0 3$\| 2 [13]$' \
		runs.txt || return 1
	while read -r run status _; do
		[ "$status" -eq 0 ] || [ -s "$run/err" ] ||
			[[ $run == */write*+ ]]
	done <runs.txt
}

# bats test_tags=normal
@test "after a failed sync nothing is synced, renamed or acknowledged" {
	need_strace
	begin_faults
	for sync in 1 2 3 4; do
		echo $sync $STOP_AT_FEW -e trace=fsync,syncfs,renameat \
			-e inject=syncfs:error=EIO:when=$sync
	done | run_faults
	for run in runs/*; do
		assert_equal "$(cat $run/status) $(records <$run/out)" "2 "
		sed '1,/INJECTED/d' $run/trace >after
		! grep -q 'sync(\|syncfs(\|rename' after || return 1
		[ -z "$(find $run/.perun/objects -name '.*')" ]
	done
}

# bats test_tags=normal
@test "data is synced before renames, and renames before the record is written" {
	need_strace
	strace -o trace -e trace=write,syncfs,renameat,fsync \
		pidx-write <<<"$(record a 1)" >out
	# The calls in their order; "record" is a write to standard output.
	order=$(sed -n 's/^\([a-z]*\)(\([0-9]*\).*/\1 \2/p' trace |
		sed 's/^write 1$/record/; s/ [0-9]*$//' | paste -sd' ')
	# First the begin record, then the object, then the index
	assert_equal "$order" "record write syncfs renameat syncfs write syncfs renameat syncfs record"
}

# bats test_tags=normal
@test "the indexes of many commits take as many syncs as one" {
	need_strace
	commits 50 | jq -Rc --argjson p "$(record a 1)" \
		'$p + {minor_version: .}' >in
	strace -o trace -e trace=syncfs,fsync,fdatasync pidx-write in >out
	assert_equal "$(grep -c '"entry"' out)" 50
	assert_equal "$(cut -d'(' -f1 trace | grep -c sync)" 4
}

# The object exists, and so does the entry of path a; that of path b is added.
# Of what follows the begin record, syncfs must be first.
# bats test_tags=normal
@test "an object that exists is synced before an index refers to it" {
	need_strace
	record a 1 | pidx-write >out
	for path in a b; do
		strace -o trace -e trace=syncfs,write pidx-write \
			<<<"$(record $path 1)" >out
		grep '^[sw]' trace | sed -n 2p | grep -q '^syncfs'
	done
}

@test "a full disk at standard output is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	record a 1 >in
	run -2 --separate-stderr bash -c 'pidx-write in >/dev/full'
	check 0
}

@test "a store that cannot be written, or that is missing, is an error" {
	record a 1 >in
	# No file may grow, so that all writes fail except those to the pipe.
	run -2 --separate-stderr bash -c 'ulimit -f 0; trap "" XFSZ
		pidx-write in 2>../err | cat; exit "${PIPESTATUS[0]}"'
	[ ! -e "$(file "$id")" ]
	no_staging
	cd ..
	run -2 --separate-stderr pidx-write repo/in
	[[ $stderr == *"there is no .perun in '$PWD' or above: "* ]]
}

# A non-root user can write to another's store only if its owner allows that.
# bats test_tags=normal
@test "root does not write to the store of another user unless it is named" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	record a 1 >in
	chown -R 65534 .perun
	mkdir below
	cd below
	for writer in 'pidx-write ../in' 'pidx-write --pending ../in' \
	    'pidx-rm a' 'pidx-fsck --prune' 'pidx-fsck --repair'; do
		run -2 --separate-stderr $writer
		[[ $stderr == *"repo/.perun' belongs to another user: to write to it as root, name it by --directory" ]]
	done
	[ ! -e "../$(file "$id")" ] && [ ! -e ../.perun/weir.lock ]
	for reader in 'pidx-read HEAD' pidx-fsck; do
		run -0 --separate-stderr $reader
	done
	run -0 --separate-stderr pidx-write -C . ../in
	assert_equal "$(value existed)" null
	SUDO_UID=65534 run -0 --separate-stderr pidx-write ../in
	assert_equal "$(value existed)" true
}

# bats test_tags=normal
@test "1,000 names of one profile in one run: one index and one object" {
	oracle profiles 7 1 >p
	awk '{ for (i = 0; i < 1000; i++)
		printf "{\"type\":\"profile\",\"path\":\"p%d\",\"time\":%d,\"profile\":%s}\n", i, i, $0 }' p >in
	pidx-write in >out
	check 1000
	assert_equal "$(records <out | wc -l)" 1000
	# The index and the object
	assert_equal "$(find .perun/objects -type f | wc -l)" 2
}
