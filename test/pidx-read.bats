# pidx-read.bats - the entries of indexes and their profiles are read
#
# An index belongs to a commit and registers objects, which contain profiles:
# weir-pidx(5) describes the files.

load helper
load pidx

# entry PATH TIME OBJECT [STRING...] - prints an entry for `oracle index`; the
# strings are type, cmd, args, workload, collector, postprocessors, and those not
# given have default values
entry() {
	local texts
	escape "$1" "$2" "$3" "${4-time}" "${5-c}" "${6-}" "${7-w}" "${8-t}" \
		"${9-}"
	printf '{"path":"%s","time":%s,"object":"%s","profile_type":"%s",'`
		`'"cmd":"%s","args":"%s","workload":"%s","collector":"%s",'`
		`'"postprocessors":"%s"}\n' "${texts[@]}"
}

# index LAYOUT - writes the index of $id, with the entries on standard input;
# LAYOUT is 1, 2, 2args or 2label (see enum pidx_layout)
index() {
	mkdir -p "$(dirname "$(file "$id")")"
	oracle index "$1" >"$(file "$id")"
}

# Names of objects that do not exist, except where a test writes them.
A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
B=abbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
C=0123456789abcdef0123456789abcdef01234567

# six ARGS4 ARGS5 - prints six unusual entries; ARGS4 and ARGS5 are the args of
# the fourth and the fifth
six() {
	entry 'a b' 0 $A
	entry $'new\nline' 4294967295 $B mixed $'c\tmd' '' '' '' ''
	entry ' ' 1700000000 0000000000000000000000000000000000000000 \
		'' '' '' '' '' ''
	entry '%a%-"q"\' 1 ffffffffffffffffffffffffffffffffffffffff \
		memory 'é€😀' "$1" 'ü ö' 'ñ' 'a b  c '
	entry "$(printf '%0300d' 7)" 2147483648 $C time x "$2" y z regression
	entry x 4102444800 $A time "$(printf '%070000d' 1)"
}

# same_entries [LAYOUT] - expects that pidx-read and the oracle read the same
# entries from the index of $id, of which six strings have the LAYOUT
same_entries() {
	run -0 --separate-stderr pidx-read
	assert_equal "$stderr" ""
	oracle entries "$(file "$id")" "$@" | jq -cS . >want
	diff want <(jq -cS 'del(.minor_version, .assumed)' <<<"$output")
	assert_equal "$(value minor_version | sort -u)" "$id"
}

@test "layout 2 is read: unusual names, empty strings, non-ASCII, times to 2106" {
	six '' '' | index 2
	same_entries
	assert_equal "${#lines[@]}" 6
	assert_equal "$(value time | paste -sd' ')" \
		"0 4294967295 1700000000 1 2147483648 4102444800"
	assert_equal "$(members cmd workload collector postprocessors \
		<<<"${lines[3]}")" '["é€😀","ü ö","ñ",["a","b","","c",""]]'
	assert_equal "$(members postprocessors <<<"${lines[1]}")" '[]'
}

# The objects are missing: the settings say that Perun was an old one.
@test "six strings are distinguished from five by the end of the entries" {
	lines "args:" "  - -v" >>.perun/local.yml
	six '' '' | index 2args
	same_entries 2args
	assert_equal "$(value assumed | sort -u)" true
	six '-x é' '' | index 2args
	same_entries 2args
	assert_equal "$(value args | paste -sd' ')" \
		"null null null -x é null null"
	entry p 1 $A time c "-v" w t "" | index 2args
	same_entries 2args
	assert_equal "$(value args)" -v
}

@test "of six strings that nothing decides the third is the workload" {
	entry p 1 $A time c "" w t "" | jq -c '.label = "nightly"' | index 2label
	run -0 --separate-stderr pidx-read
	assert_equal "$(fields -w type=entry workload label undecided)" \
		'["w","nightly",true]'
	[[ $stderr == *"1 of 1 entries"*"cannot be decided"* ]]
}

@test "an entry record is byte for byte as in weir-records(5)" {
	entry a.perf 1700000000 $C time "./b x" "" in.txt trace "f g" | index 2
	run -0 --separate-stderr pidx-read
	assert_output '{"type":"entry","minor_version":"'$id'",'`
		`'"path":"a.perf","time":1700000000,"object":"'$C'",'`
		`'"profile_type":"time","cmd":"./b x","workload":"in.txt",'`
		`'"collector":"trace","postprocessors":["f","g"]}'
}

# The bytes: magic, version 1, one entry, its time, object and path.  The status
# is 1 since the strings of an entry of version 1 are in the object, which is
# missing here.
@test "an index written by hand is read: magic, count, little-endian time" {
	mkdir "$(dirname "$(file "$id")")"
	printf 'pidx\1\0\0\0\1\0\0\0\4\3\2\1abcdefghijklmnopqrsthand.perf\0' \
		>"$(file "$id")"
	run -1 --separate-stderr pidx-read
	assert_equal "$(value time)" $((0x01020304))
	assert_equal "$(value object)" 6162636465666768696a6b6c6d6e6f7071727374
	assert_equal "$(value path)" hand.perf
}

@test "version 1: the strings are read from the objects" {
	for i in 1 2 3; do
		record "p$i" $i "cmd $i" "é$i"
	done >in
	oracle put .perun "$id" 1 <in
	run -0 --separate-stderr pidx-read
	assert_equal "$stderr" ""
	assert_equal "$(value cmd | paste -sd,)" "cmd 1,cmd 2,cmd 3"
	assert_equal "$(value workload | paste -sd,)" é1,é2,é3
	diff <(listed) <(jq -cS '{type,path,time,object}' <<<"$output")
	# The same profiles in an index of version 2 give the same records.
	oracle put .perun "$id" 2 <in
	pidx-read >version2
	diff <(records <version2) - <<<"$output"
}

# An index has only a string in which spaces separate the names; the object has a
# list of them.
@test "the name of a postprocessor may have spaces if the object exists" {
	names='["kernel regression","","b  c "]'
	record p.perf 1 | jq -c --argjson names "$names" \
		'.profile.postprocessors = [$names[] | {name: .}]' >in
	for layout in 1 2 2args; do
		oracle put .perun "$id" $layout <in
		(pidx-read && pidx-read --profiles) >out
		assert_equal "$(records <out | members postprocessors)" \
			"$(lines "$names"{,})"
		assert_equal "$(pidx-read --format %postprocessors%)" \
			"kernel regression  b  c "
	done
	rm "$(file "$id")"
	pidx-write --pending in >out
	run -0 --separate-stderr pidx-read --pending
	assert_equal "$(fields postprocessors)" "$names"
	run -0 --separate-stderr pidx-write in
	assert_equal "$(fields postprocessors)" "$names"
	# Without the object, or with another one, only the string is known.
	entry p 1 "$(value object)" time c "" w t 'x y' | index 2
	assert_equal "$(pidx-read | records | members postprocessors)" \
		'["x","y"]'
	entry p 1 $A time c "" w t 'x y' | index 2
	assert_equal "$(pidx-read | records | members postprocessors)" \
		'["x","y"]'
}

# n_opened [OPTION] - prints how many objects and indexes pidx-read opens
n_opened() {
	strace -o trace -e trace=openat pidx-read "$@" >out
	grep -cE '"[0-9a-f]{38}"' trace
}

@test "a list reads no objects if the store says its layout" {
	need_strace
	sed -i 's/index_version: 2/&label/' .perun/local.yml
	(record a.perf 1 ./sort small
		record b.perf 2 ./sort ""
		record c.perf 3 ./sort big |
			jq -c '.profile.header.label = "n"') | pidx-write >out
	pidx-read | records >want
	# The index; an object if there is a label; each profile once
	assert_equal "$(n_opened)" 2
	assert_equal "$(n_opened --profiles)" 5
	sed -i 's/2label/2/' .perun/local.yml
	assert_equal "$(n_opened)" 4
	pidx-read | records | diff want -
	sed -i 's/index_version: 2/&label/' .perun/local.yml
	for object in $(members -r object <want | head -n 2); do
		rm -f "$(file "$object")"
	done
	run -0 --separate-stderr pidx-read
	assert_equal "$stderr" ""
	diff want - <<<"$output"
}

@test "version 1: without a valid object an entry has no strings" {
	for i in 1 2 3 4; do
		record "p$i" $i "cmd$i"
	done | tee in | oracle put .perun "$id" 1
	objects=($(members profile <in | oracle names))
	rm "$(file "${objects[0]}")"
	head -c 30 "$(file "${objects[1]}")" >truncated
	cp truncated "$(file "${objects[1]}")"
	cp "$(file "${objects[3]}")" "$(file "${objects[2]}")"
	run -1 --separate-stderr pidx-read
	assert_equal "${#lines[@]}" 4
	assert_equal "$(value cmd | paste -sd' ')" "null null null cmd4"
	[[ $stderr == *"${objects[0]} of 'p1': it is missing"* ]]
	[[ $stderr == *"${objects[1]} of 'p2': its zlib stream is truncated"* ]]
	[[ $stderr == *"${objects[2]} of 'p3': its SHA-1 is not its name"* ]]
	run -1 --separate-stderr pidx-read --profiles
	assert_equal "$(value path)" p4
}

@test "--profiles: profiles in objects of another writer are read" {
	oracle profiles "$(seed)" 40 >profiles
	awk '{ printf "{\"path\":\"%d\",\"time\":5,\"profile\":%s}\n", NR, $0 }' \
		profiles | oracle put .perun "$id" 2
	run -0 --separate-stderr pidx-read --profiles
	lines "$output" >out
	assert_equal "$(members -r type <out | sort -u)" profile
	diff <(oracle names <profiles | sort) <(members -r object <out | sort)
	# The text of each profile is that of its object, byte for byte: numbers,
	# for example, are not reformatted.
	members -r object <out | while read -r object; do
		file "$object"
	done >files
	python3 -c 'import sys, zlib
for name in sys.stdin:
    with open(name.strip(), "rb") as f:
        print(zlib.decompress(f.read()).split(b"\0")[1].decode())' \
		<files >bodies
	sed 's/^.*,"profile":\(.*\)}$/\1/' out | diff bodies -
}

@test "an object's length counts characters, as in Perun; any other is reported" {
	# make_object BODY LENGTH TAIL - writes an object with this LENGTH in
	# its header, and TAIL after its zlib stream; prints its name.  The body
	# below has 10 characters and 14 bytes.
	make_object() {
		python3 - "$@" <<-'END'
		import hashlib, os, sys, zlib
		body, length = sys.argv[1].encode(), int(sys.argv[2])
		text = b"profile time %d\0" % length + body
		name = hashlib.sha1(text).hexdigest()
		os.makedirs(".perun/objects/" + name[:2], exist_ok=True)
		with open(".perun/objects/%s/%s" % (name[:2], name[2:]), "wb") as f:
		    f.write(zlib.compress(text) + sys.argv[3].encode())
		print(name)
		END
	}
	entry p 1 "$(make_object '{"é": "😀"}' 10 '')" | index 2
	run -0 --separate-stderr pidx-read -p
	assert_equal "$(fields profile)" '{"é":"😀"}'
	entry p 1 "$(make_object '{"é": "😀"}' 10 'trailing bytes')" | index 2
	run -0 --separate-stderr pidx-read -p
	for n in 14 9 11 99999999999 18446744073709551616; do
		entry $n 1 "$(make_object '{"é": "😀"}' $n '')"
	done | index 2
	run -1 --separate-stderr pidx-read -p
	assert_equal "$output" ""
	for n in 14 9 11 99999999999 18446744073709551616; do
		[[ $stderr == *"of '$n': its length"* ]] ||
			[[ $stderr == *"of '$n': it "* ]]
	done
}

# LIMIT, put before a command, limits its address space, in KiB.  The sanitizers
# reserve more than that.
LIMIT='ulimit -v 60000;'
! is_sanitized || LIMIT=

@test "a decompression bomb is rejected in little memory" {
	# 64 MiB of zeros; the header says 10 bytes.
	mkdir -p .perun/objects/aa
	python3 -c 'import sys, zlib
sys.stdout.buffer.write(zlib.compress(b"profile time 10\0" + bytes(1 << 26), 1))' \
		>"$(file $A)"
	entry p 1 $A | index 2
	run -1 --separate-stderr bash -c "$LIMIT exec pidx-read -p"
	[[ $stderr == *"longer than its header says"* ]] || [[ $stderr == *NUL* ]]
}

@test "a malformed index is reported with file and offset, in little memory" {
	# Lines "ID DAMAGE OFFSET", of 270 commits; the other commits of the 700
	# have no index.
	commits 700 | oracle malformed .perun $A >damaged
	[ "$(wc -l <damaged)" -ge 250 ]
	# Sanitizers see the others in the test of pidx-fsck that reads them all.
	! is_sanitized || sed -i -n 1~4p damaged
	# Ten at a time: after ten messages of one kind pidx-read would only
	# count the others.
	split -l 10 damaged part.
	sh -c "$LIMIT"'for part in part.*; do
		sed "s/^\(.\{40\}\).*/{\"type\":\"version\",\"id\":\"\1\"}/" $part |
			pidx-read
		[ $? -eq 1 ] || exit
	done' >valid.json 2>messages
	jq . valid.json >/dev/null
	# "ID OFFSET" from each message.
	sed -n 's,^pidx-read: .*/\(..\)/\([0-9a-f]*\): byte \([0-9]*\): ..*,\1\2 \3,p' \
		messages | paste -d' ' damaged - | awk '{ print }
		$1 != $4 || ($3 != "?" && $3 != $5) { differs = 1 }
		END { exit differs }'
}

@test "the entries before the error in a malformed index are read" {
	# The last three bytes of the entry q are missing.
	(entry p 1700000000 $A && entry q 1700000000 $B) | index 2
	truncate -s -3 "$(file "$id")"
	run -1 --separate-stderr pidx-read
	assert_equal "$(value path)" p
	(entry p 1700000000 $A time c -x && entry q 1700000000 $B) | index 2args
	truncate -s -3 "$(file "$id")"
	run -1 --separate-stderr pidx-read
	assert_equal "$(value path)" p
	assert_equal "$(value workload)" -x	# undecided
}

@test "an index that is a directory or a symbolic link is reported, others are read" {
	entry p 1 $A | index 2
	first=$id
	commit
	mkdir -p "$(file "$id")"
	run -1 --separate-stderr pidx-read "$id" "$first"
	assert_equal "$(value path)" p
	[[ $stderr == *"$(file "$id"): "* ]]
	rmdir "$(file "$id")"
	ln -s "../../../$(file "$first")" "$(file "$id")"
	run -1 --separate-stderr pidx-read
	assert_equal "$output" ""
}

@test "the indexes of HEAD, of revisions or of version records are read" {
	entry one 1 $A | index 2
	first=$id
	git tag -a -m x v1
	commit
	entry two 1 $A | index 2
	second=$id
	commit
	run -0 --separate-stderr pidx-read
	assert_equal "$output$stderr" ""
	run -0 --separate-stderr pidx-read HEAD~1 v1 "${first:0:7}" main~1
	assert_equal "$(value path | paste -sd' ')" "two one one two"
	run -1 --separate-stderr pidx-read nothing HEAD~2
	assert_equal "$(value path)" one
	[[ $stderr == *"'nothing' does not name a commit: "* ]]
	jq -nc '$ARGS.positional[] | {type: "version", id: .}' \
		--args "$second" "$id" "$first" >versions
	for command in 'pidx-read <versions' 'cat versions | pidx-read' \
	    'pidx-read - <versions'; do
		run -0 --separate-stderr bash -c "$command"
		assert_equal "$(value path | paste -sd' ')" "two one"
		assert_equal "$(value minor_version | paste -sd' ')" \
			"$second $first"
	done
	run -0 --separate-stderr bash -c 'vcs-log main | pidx-read'
	assert_equal "$(value path | paste -sd' ')" "two one"
	# With --profiles, the commits are copied, each before its profiles.
	vcs-log main >versions
	run -1 --separate-stderr pidx-read --profiles <versions
	assert_equal "$(jq -c 'select(.type == "version")' <<<"$output")" \
		"$(records <versions)"
	# The store is found from a subdirectory, too.
	cd .git
	run -0 --separate-stderr pidx-read main~1
	run -0 --separate-stderr pidx-read -C .. main~1
}

@test "an index that Perun stored under the id of an annotated tag is read" {
	git tag -a -m x v1
	git tag light
	tag=$(git rev-parse v1)
	[ "$tag" != "$id" ]
	record at_tag 1 | oracle put .perun "$tag" 2
	run -0 --separate-stderr pidx-read v1 "$tag" refs/tags/v1
	assert_equal "$(jq -r '"\(.path) \(.minor_version)"' <<<"$output")" \
		"$(lines "at_tag $tag"{,,})"
	run -0 --separate-stderr pidx-read --find 0@i v1
	assert_equal "$(value path)" at_tag
	record at_commit 1 | oracle put .perun "$id" 2
	run -0 --separate-stderr pidx-read v1
	assert_equal "$(value path | paste -sd' ')" "at_commit at_tag"
	run -0 --separate-stderr pidx-read light 'v1^{commit}' HEAD
	assert_equal "$(value path)" "$(lines at_commit{,,})"
	run -0 --separate-stderr pidx-fsck
	refute_output --partial unknown_commit
	pidx-read v1 | pidx-rm >removed
	assert_equal "$(records <removed | members -r path |
		sort | paste -sd' ')" \
		"at_commit at_tag"
	assert_equal "$(pidx-read v1 | records)" ""
}

@test "records of other types are ignored, invalid lines are reported" {
	entry one 1 $A | index 2
	lines '{"type":"head","id":"x"}' '{"type":"version","id":"../../x"}' \
		'{"type":"version"}' 'no record' \
		"{\"type\":\"version\",\"id\":\"$id\"}" >in
	run -1 --separate-stderr bash -c 'pidx-read <in'
	assert_equal "$(value path)" one
	[[ $stderr == *"<stdin>:2: the id of a version is neither 40 "`
		`"hex digits nor HEAD"* ]]
	[[ $stderr == *"<stdin>:3: "*"<stdin>:4: "* ]]
	run -2 --separate-stderr bash -c 'pidx-read --strict <in'
}

# four - prints four entries, whose order by time differs from that by name
four() {
	entry a 30 $A time cA '' w1 t1
	entry b 10 $B memory cB '' w2 t1
	entry c 20 $C time cC '' w1 t2
	entry d 20 "${C//0/d}" time cC '' w3 t2
}

# finds SELECTOR PATHS - expects that -f SELECTOR selects the entries PATHS,
# printed in the order of the index
finds() {
	run -0 --separate-stderr pidx-read -f "$1" --format %source%
	assert_equal "${lines[*]}" "$2"
}

@test "N@i counts from the latest entry, as in Perun's status" {
	four | index 2
	finds 0@i a
	finds 1@i c
	finds 2@i d
	finds 3@i b
	finds 0@i-3@i "a b c d"
	finds 1@i-2@i "c d"
	finds 2@i-99@i "b d"
	run -0 --separate-stderr pidx-read -f 3@i -f 0@i
	assert_equal "$(value path | paste -sd' ')" "a b"
	run -1 --separate-stderr pidx-read -f 4@i -f 0@i
	assert_equal "$(value path)" a
	[[ $stderr == *"no profile 4@i among 4" ]]
	for bad in 3@i-1@i 0@i-1@p; do
		run -2 --separate-stderr pidx-read -f $bad
		[[ $stderr == *"'$bad' is not a range such as 0@i-4@i" ]]
	done
}

# bats test_tags=normal
@test "N@i counts in the order of --sort or format.sort_profiles_by" {
	four | index 2
	# KEY:PATHS, with the path of 0@i first.
	for case in time:a,c,d,b realpath:d,c,b,a type:a,c,d,b cmd:c,d,b,a \
	    workload:d,b,a,c collector:c,d,a,b; do
		IFS=, read -ra order <<<"${case#*:}"
		for n in 0 1 2 3; do	# not i: run sets it
			run -0 --separate-stderr pidx-read --format %source% \
				--sort "${case%:*}" -f $n@i
			assert_equal "$case $n $output" "$case $n ${order[n]}"
		done
	done
	sed -i 's/sort_profiles_by: time/sort_profiles_by: workload/' \
		.perun/local.yml
	finds 0@i d
	run -2 --separate-stderr pidx-read --sort colour
	[[ $stderr == *"'colour' is not a key to sort"* ]]
}

# The second implementation sorts stably by one key after the other, from the
# last to the first, as Perun does.
@test "N@i counts as a second implementation for random entries and settings" {
	run --separate-stderr python3 "$TEST/oracles/order.py" "$(seed)" "$(rounds 15)"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

@test "a key that is unknown or one too many, or an unknown order, is refused" {
	for sort in time,colour time: time:up ,time '' \
	    "$(yes time | head -n 17 | paste -sd,)"; do
		run -2 --separate-stderr pidx-read --sort "$sort"
	done
	echo '  sort_profiles_order: [asc, down]' >order
	sed -i '/sort_profiles_by/r order' .perun/local.yml
	run -2 --separate-stderr pidx-read
	[[ $stderr == *"'down' is not an order of profiles, asc or desc" ]]
}

@test "N@p counts the pending profiles in the same order" {
	for n in 1 2 3; do
		record p$n.perf 1 "c$n" | pidx-write --pending >out
		touch -d @$n .perun/jobs/p$n.perf
	done
	echo no profile >.perun/jobs/bad.perf
	four | index 2
	run -1 --separate-stderr pidx-read -f 0@p
	assert_equal "$(value type) $(value path) $(value time)" "pending p3.perf 3"
	assert_equal "$(value minor_version) $(value cmd)" "$id c3"
	[[ $stderr == *"the pending file 'bad.perf' is not a profile: "* ]]
	rm .perun/jobs/bad.perf
	# Pending profiles and entries can be selected together.
	run -0 --separate-stderr pidx-read -f 1@p-2@p -f 3@i
	assert_equal "$(value path | paste -sd' ')" "p1.perf p2.perf b"
	run -1 --separate-stderr pidx-read -f 3@p
	[[ $stderr == *"no profile 3@p among 3" ]]
	run -0 --separate-stderr pidx-read --pending --cmd c2
	assert_equal "$(value path)" p2.perf
	run -0 --separate-stderr pidx-read -P --format '%source% %cmd%'
	assert_equal "$output" "$(lines 'p1.perf c1' 'p2.perf c2' 'p3.perf c3')"
	run -2 --separate-stderr pidx-read -P HEAD
}

@test "--pending --profiles writes pending profiles, in any formatting" {
	profile one w | jq --arg id "$id" '.origin = $id' >.perun/jobs/a.perf
	run -0 --separate-stderr pidx-read --pending --profiles
	jq -c 'del(.profile.origin).profile' <<<"$output" |
		diff <(profile one w) -
	pidx-write <<<"$output" | records | members -r object >object
	assert_equal "$(cat object)" "$(profile one w | oracle name)"
}

@test "names, objects and abbreviated objects are found" {
	(four && entry abbb 1 $C) | index 2
	finds b b
	finds $A a
	finds aaaa a
	finds 0123 "c abbb"
	finds "${C^^}" "c abbb"
	finds abbb "b abbb"
	finds aaa ""	# less than four digits
	finds "$A"0 ""
	finds nothing ""
	entry 0@i-x.perf 1 $A | index 2
	finds 0@i-x.perf 0@i-x.perf
}

@test "the filters by type, command, workload and collector combine" {
	four | index 2
	# OPTIONS:PATHS
	for case in '-t time:a c d' '-t memory:b' '-b cC:c d' '-w w1:a c' \
	    '-c t1:a b' '-c t1 -t time:a' '-w w1 -b cC:c' '-t tim:' \
	    '-t time -f 0@i -f 3@i:a'; do
		run -0 --separate-stderr pidx-read ${case%:*} --format %source%
		assert_equal "$case=${lines[*]}" "$case=${case#*:}"
	done
}

@test "--format has Perun's tags" {
	entry p.perf 1700000000 $C memory "./c x" "" w.in trace "f g" | index 2
	# formats FORMAT OUTPUT
	formats() {
		run -0 --separate-stderr pidx-read --format "$1"
		assert_output "$2"
	}
	formats '%type% %cmd% %workload% %collector% %source% %checksum%' \
		"memory ./c x w.in trace p.perf $C"
	formats '%time%' '2023-11-14 22:13:20'
	TZ=Europe/Prague formats '%time%' '2023-11-14 23:13:20'
	formats '[%type:10%|%checksum:6%]' '[memory    |012345]'
	formats '[%type:8f-%|%type:2f*%]' '[memory--|memory]'
	formats '┃ %type% ┃ %collector%  ┃ (%time%) ┃ %source% ┃' \
		'┃ memory ┃ trace  ┃ (2023-11-14 22:13:20) ┃ p.perf ┃'
	formats '100% %unknown% %% %type' '100% %unknown% %% %type'
	formats '%realpath%' p.perf
	run -2 --separate-stderr pidx-read --profiles --format x
}

@test "control characters are escaped by --format and in messages" {
	entry $'a\033[31m\nb' 1 $A $'t\tx' | index 2
	run -0 --separate-stderr pidx-read --format '%source% %type%'
	assert_output 'a\x1b[31m\x0ab t\x09x'
	run -1 --separate-stderr pidx-read -p
	[[ $stderr == *'\x1b[31m\x0ab'* ]]
	[[ $stderr != *$'\033'* ]]
}

@test "strings that are not UTF-8 still give valid JSON" {
	# An entry whose path and type have a byte each that is not UTF-8; its
	# cmd is "c", and the other three strings are empty.
	mkdir "$(dirname "$(file "$id")")"
	printf 'pidx\2\0\0\0\1\0\0\0\4\3\2\1abcdefghijklmnopqrst\377.perf\0' \
		>"$(file "$id")"
	printf '\1\0\0\0\200\1\0\0\0c\0\0\0\0\0\0\0\0\0\0\0\0' >>"$(file "$id")"
	run -0 --separate-stderr pidx-read
	assert_equal "$(value cmd)" c
	python3 -c 'import json, sys; json.loads(sys.argv[1])' "$output"
}

@test "--config writes one setting, from local.yml if possible, else shared.yml" {
	run -0 --separate-stderr pidx-read --config vcs.type
	assert_output '{"type":"setting","key":"vcs.type","value":"git"}'
	mkdir shared
	printf 'general:\n  paging: never\n  list: [a, b]\nvcs:\n  type: x\n' \
		>shared/shared.yml
	export PERUN_CONFIG_DIR=$PWD/shared
	run -0 --separate-stderr pidx-read --config general.paging
	assert_equal "$(value value)" never
	run -0 --separate-stderr pidx-read --config general.list
	assert_equal "$(fields value)" '["a","b"]'
	run -0 --separate-stderr pidx-read --config vcs.type
	assert_equal "$(value value)" git
	run -2 --separate-stderr pidx-read --config no.key
	[[ $stderr == *"neither local.yml nor shared.yml has 'no.key'" ]]
}

@test "reading never writes, even in an incomplete store" {
	(entry p 1 $A && entry q 2 $B) | index 1
	rm -r .perun/cache .perun/stats .perun/tmp .perun/logs .perun/jobs
	tree >before
	for options in '' '-f 0@i' '-p' "--format %type%" '--config vcs.url'; do
		pidx-read $options >out 2>err || true
	done
	tree | diff before -
	find .perun -exec chmod a-w {} +
	tree >before
	pidx-read >out 2>err || [ $? -eq 1 ]
	assert_equal "$(records <out | members -r path | paste -sd' ')" "p q"
	tree | diff before -
	find .perun -exec chmod u+w {} +
}

@test "a store on a read-only file system is read" {
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null ||
		skip "needs root and mount namespaces"
	(entry p 1 $A && entry q 2 $B) | index 2
	# "cd ." enters the mount, which hides the directory.
	run -0 --separate-stderr unshare -m sh -c 'mount --bind . . &&
		mount -o remount,ro,bind . && cd . && ! touch x 2>/dev/null &&
		pidx-read --format %source%'
	assert_output $'p\nq'
}

@test "a missing store and a missing repository are errors" {
	cd ..
	run -2 --separate-stderr pidx-read
	[[ $stderr == *"there is no .perun in '$PWD' or above: "* ]]
	run -2 --separate-stderr pidx-read -C missing
	assert_equal "$stderr" \
		"pidx-read: cannot open 'missing': No such file or directory"
	mv repo/.perun/objects .
	run -2 --separate-stderr pidx-read -C repo
	assert_equal "$stderr" "pidx-read: cannot open '$PWD/repo/.perun/objects'`
		`: it is missing, and pidx-init creates it"
	mv objects repo/.perun
	rm -rf repo/.git
	record a 1 | jq -c ".minor_version = \"$id\"" >in
	for filter in 'pidx-read HEAD' 'pidx-rm a.perf' pidx-write; do
		run -2 --separate-stderr $filter -C repo <in
		[[ $stderr == *"cannot open the repository of '$PWD/repo/.perun': there is no repository of type git in '"* ]]
	done
}

@test "a .perun that is a symbolic link or a file is refused, not passed over" {
	# ../.perun is another store, which must not be used instead.
	mkdir -p ../.perun/objects sub/deeper
	mv .perun kept
	for kind in 'ln -s kept' 'ln -s nowhere' touch; do
		$kind .perun
		run -2 --separate-stderr pidx-read -C sub/deeper HEAD
		[[ $stderr == *"cannot open '$PWD/.perun': it is not a directory (a symbolic link is not followed)" ]]
		rm .perun
	done
	# From a file, too, the nearest directory above it is searched.
	touch file
	mv kept .perun
	run -0 pidx-read -C file HEAD
	rm -r .perun ../.perun
	run -2 --separate-stderr pidx-read -C file HEAD
	[[ $stderr == *"there is no .perun in '$PWD/file' or above: "* ]]
}

@test "an index of 10,000 entries and an empty one are read" {
	: | index 2
	run -0 --separate-stderr pidx-read
	assert_equal "$output" ""
	: | index 1
	run -0 --separate-stderr pidx-read
	entry p 1 $A | jq -c 'range(10000) as $i | .path += "\($i)" | .time = $i' |
		index 2
	pidx-read >out
	[ "$(records <out | wc -l)" -eq 10000 ]
}

# follow_by INDEX - writes the file `index`, followed by each file whose name is on
# standard input, to INDEX, and expects that the entries in `kept` are read
follow_by() {
	sh -ec 'while read -r rest; do
		cat index "$rest" >"$1"
		pidx-read HEAD >read
		grep "\"entry\"" read | cmp kept -
		pidx-fsck >out
	done' sh "$1"
}

@test "bytes after an index of five strings are not read as a sixth" {
	(record a.perf 1700000005 ./sort small
		record b.perf 1700000006 ./sort large
		record c.perf 1700000007 ./sort "") |
		pidx-write --index-version 2 | records >all
	cp -r .perun whole
	python3 - "$(seed)" <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		rests = [bytes(n) for n in (4, 5, 24, 100)] + [random.randbytes(n)
		    for n in list(range(1, 10)) + [24, 60, 200, 3000]]
		for i, rest in enumerate(rests):
		    with open("rest.%02d" % i, "wb") as f:
		        f.write(rest)
	END
	# Of three entries every one of the 17 rests, of fewer every third one
	for n in 1 2 3; do
		head -n $n all >kept
		rm -r .perun && cp -r whole .perun
		[ $n -eq 3 ] || tail -n +$((n + 1)) all | pidx-rm >out
		cp "$(file "$id")" index
		chmod u+w "$(file "$id")"
		ls rest.* | awk -v n=$n 'n == 3 || NR % 3 == n' |
			follow_by "$(file "$id")"
	done
	# What is added has the same layout, and the bytes go.
	record d.perf 8 ./sort huge | pidx-write >out
	pidx-read | records >got
	assert_equal "$(members -r path <got | paste -sd' ')" \
		"a.perf b.perf c.perf d.perf"
	[ "$(oracle entries "$(file "$id")" | wc -l)" -eq 4 ]
	# Without the objects nothing says that the index has five strings.
	(cat index && echo rest) >"$(file "$id")"
	rm -r .perun/objects/"$(members -r object <all | head -c 2)"
	for object in $(members -r object <all); do
		rm -f ".perun/objects/${object::2}/${object:2}"
	done
	run -1 --separate-stderr pidx-read HEAD
	[[ $stderr == *"bytes follow the last of 3 entries"* ]]
}

# --- tables ------------------------------------------------------------------

@test "--text prints the profiles of each commit, with the numbers that find them" {
	(record c.perf 30 ./sort big.txt; record a.perf 20 ./sort "two  words"
		record b.perf 10 ./scan) | pidx-write >out
	first=$id
	commit
	record d.perf 40 ./sort | pidx-write >out
	record p.perf 50 ./sort | pidx-write --pending >out
	TZ=UTC run -0 --separate-stderr pidx-read --text --sort time:asc \
		"$first" HEAD
	assert_equal "${lines[0]}" "3 profiles of $first"
	assert_equal "$(sed 's/  */ /g' <<<"${lines[2]}")" \
		" 0@i 1970-01-01 00:00:10 time time ./scan b.perf"
	assert_equal "$(sed 's/  */ /g' <<<"${lines[4]}")" \
		" 2@i 1970-01-01 00:00:30 time time ./sort big.txt c.perf"
	assert_equal "${lines[5]}" "1 profile of $id"
	for n in 0 1 2; do
		name=$(pidx-read --text "$first" | awk "/$n@i/{print \$NF}")
		assert_equal "$(pidx-read --find $n@i "$first" | records |
			members -r path)" "$name"
	done
	run -0 --separate-stderr pidx-read --text --pending
	assert_equal "${lines[0]}" "1 pending profile"
	[[ ${lines[2]} == *"0@p"*p.perf ]]
	# A part keeps its number.
	run -0 --separate-stderr pidx-read --text --workload big.txt \
		--sort time:asc "$first"
	assert_equal "${#lines[@]}" 3
	[[ ${lines[2]} == *2@i*c.perf ]]
	run -0 --separate-stderr pidx-read --text --workload none "$first"
	assert_equal "$output" "There is no such profile."
	# What is not a list of profiles is not a table.
	for option in --profiles '--config vcs.type'; do
		pidx-read --text $option >out
		jq -e .type out >types
	done
}
