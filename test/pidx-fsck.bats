load helper
load pidx

A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa	# the id of no object

# The store is in memory, where a sync is fast; strace shows the order of syncs.
setup() {
	memory=$(mktemp -d /dev/shm/weir-XXXXXX 2>/dev/null) ||
		memory=$BATS_TEST_TMPDIR
	repository "$memory"
}

teardown() {
	[ "$memory" = "$BATS_TEST_TMPDIR" ] || rm -rf "$memory"
}

# fsck STATUS [OPTION...] - writes findings to the file found, totals to $total
fsck() {
	local status=$1
	shift
	run -"$status" --separate-stderr pidx-fsck "$@"
	assert_equal "$stderr" ""
	total=${lines[-1]}
	jq -c 'select(.type == "finding")' <<<"$output" >found
}

# counts - prints the numbers of findings in $total: "kind=number ..."
counts() {
	jq -r '.findings | to_entries | map("\(.key)=\(.value)") | join(" ")' \
		<<<"$total"
}

# expect_valid [ID...] - expects no harmful findings, and indexes of these ids,
# or $id, that the oracle accepts
expect_valid() {
	fsck 0
	! grep -v '"harmless":true' found || return 1
	for version in ${*:-$id}; do
		oracle check .perun "$version" >checked || return
	done
}

# create_entries N [ID [LAYOUT]] - creates N entries and their objects, which are
# listed in $objects
create_entries() {
	record p 0 | jq -c --argjson n "$1" 'range(1; $n + 1) as $i |
		.path = "p\($i)" | .time = 1700000000 + $i |
		.profile.header.cmd = "cmd\($i)"' >some
	oracle put .perun "${2:-$id}" "${3:-2}" <some
	objects=($(jq -c .profile some | oracle names))
}

# files - prints the path of each id on standard input
files() {
	sed 's,^..,.perun/objects/&/,'
}

# age PATH... - makes files older than an hour
age() {
	touch -h -d '2 hours ago' "$@"
}

# is_in_lost FILE... - expects a copy of each in lost, under its name
is_in_lost() {
	for file in "$@"; do
		cat .perun/lost/"$(basename "$file")".* | cmp - "$file" || return
	done
}

# --- findings ----------------------------------------------------------------

@test "a valid store has no findings; the totals are counted" {
	fsck 0
	assert_output '{"type":"fsck","indexes":0,"entries":0,"objects":0,"size_bytes":0,"findings":{}}'
	for layout in 1 2 2args; do
		create_entries 3 "$id" $layout
		commit
	done
	create_entries 4
	: >"$(file "$id").changes"
	size=$(find .perun/objects -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
	fsck 0
	assert_output '{"type":"fsck","indexes":4,"entries":13,"objects":4,"size_bytes":'$size',"findings":{}}'
	run -0 pidx-fsck --text
	assert_line "Store: 4 indexes, 13 entries, 4 objects, 1.5 KiB"
	assert_line "  All registered profiles are valid."
	cd ..
	run -0 pidx-fsck -C repo/.perun/jobs
	run -2 pidx-fsck
	run -2 pidx-fsck -C repo operand
}

@test "a store written by pidx-write is valid" {
	oracle profiles "$(seed)" 50 | pidx-write >out
	fsck 0
	assert_equal "$(jq .entries <<<"$total")" 50
	assert_equal "$(counts)" ""
}

@test "each kind of damaged index is reported with its offset, valid ones are not" {
	create_entries 2
	commits 700 >ids
	oracle malformed .perun "${objects[0]}" <ids >damaged
	[ "$(wc -l <damaged)" -ge 400 ]
	fsck 1
	assert_equal "$(counts)" "damaged_index=$(wc -l <damaged)"
	assert_equal "$(jq -r .file found | LC_ALL=C sort -c && echo sorted)" sorted
	jq -r '"\(.minor_version) \(.offset)"' found | sort >named
	awk '$3 == "?" { print $1 }' damaged >unknown
	awk '$3 != "?" { print $1, $3 }' damaged | sort |
		diff - <(grep -v -F -f unknown named)
	cut -d' ' -f1 damaged | sort | diff - <(cut -d' ' -f1 named)
	[ -z "$(jq -r 'select(.why == null or .saved == null)' found)" ]
}

@test "each kind of damaged index is repaired as by the oracle" {
	create_entries 2
	commits 700 >ids
	oracle malformed .perun "${objects[0]}" <ids >damaged
	cut -d' ' -f1 damaged >ids
	cp -r .perun/objects before
	oracle repaired .perun want <ids >repaired
	cut -d' ' -f2 repaired | sort | uniq -c
	fsck 1
	diff <(sort repaired | cut -d' ' -f1,2) \
		<(jq -r '"\(.minor_version) \(.saved)"' found | sort)
	[ "$(awk '$2 == 2' repaired | wc -l)" -ge 70 ]
	fsck 1 --repair
	assert_equal "$(jq -r .lost found | sort)" \
		"$(sort ids | sed 's,.*,lost/&.1,')"
	mkdir got old
	files <ids | sed 's,.perun/objects/\(..\)/\(.*\),cp & got/\1\2 \&\& '`
		`'cp before/\1/\2 old/\1\2.1,' | sh -e
	diff -r want got
	diff -r old .perun/lost
	expect_valid "$id"
	jq -Rc '{type: "version", id: .}' ids >versions
	run -0 --separate-stderr bash -c 'pidx-read <versions'
	assert_equal "${#lines[@]}" \
		"$(awk '{ n += $2 } END { print n }' repaired)"
}

@test "a truncated or changed object is damaged, its entries are dangling" {
	create_entries 5
	rm "$(file "${objects[0]}")"
	head -c 30 "$(file "${objects[1]}")" >cut
	cp cut "$(file "${objects[1]}")"
	cp "$(file "${objects[4]}")" "$(file "${objects[2]}")"
	: >"$(file "${objects[3]}")"
	fsck 1
	assert_equal "$(counts)" \
		"damaged_object=2 misnamed_object=1 dangling_entry=4"
	jq -r 'select(.kind == "dangling_entry") |
		"\(.entry.path) \(.entry.object) \(.why)"' found >dangling
	lines "p1 ${objects[0]} its object is missing" \
		"p2 ${objects[1]} its object is damaged" \
		"p3 ${objects[2]} its object has a wrong name" \
		"p4 ${objects[3]} its object is damaged" | diff - dangling
	assert_equal "$(jq -r 'select(.kind == "misnamed_object") | .object' \
		found)" "${objects[4]}"
	assert_equal "$(jq -r 'select(.entry.path == "p1") | .file' found)" \
		"$(file "$id" | sed 's,^.perun/,,')"
	run -1 pidx-fsck --text
	assert_line "  4 entries without valid objects"
	refute_output --partial "All registered profiles are valid"
}

@test "--repair removes dangling entries and preserves the old index" {
	create_entries 5
	rm "$(file "${objects[0]}")"
	head -c 30 "$(file "${objects[1]}")" >"${objects[1]}"
	cp "${objects[1]}" "$(file "${objects[1]}")"
	cp "$(file "$id")" "$id"
	fsck 1 --repair
	assert_equal "$(jq -r 'select(.kind == "dangling_entry") |
		"\(.entry.path) \(.repaired) \(.lost)"' found | paste -sd,)" \
		"p1 true lost/$id.1,p2 true lost/$id.1"
	assert_equal "$(jq .repaired <<<"$total")" 3
	is_in_lost "$id" "${objects[1]}"
	expect_valid
	assert_equal "$(pidx-read --format %source% | paste -sd' ')" "p3 p4 p5"
	pidx-write <<<"$(record p1 1700000001 cmd1)" >out
	expect_valid
	assert_equal "$(pidx-read --format %source% | paste -sd' ')" \
		"p1 p3 p4 p5"
}

@test "nothing in lost is overwritten: numbers are increased" {
	create_entries 1
	for n in 1 2 3; do
		echo "damage $n" >"$(file "$id")"
		fsck 1 --repair
		assert_equal "$(jq -r '.lost // empty' found)" "lost/$id.$n"
	done
	for n in 1 2 3; do
		echo "damage $n" | cmp - .perun/lost/$id.$n
	done
}

@test "--repair gives misnamed objects their names, even two swapped ones" {
	create_entries 5
	swap=("$(file "${objects[0]}")" "$(file "${objects[1]}")")
	mv "${swap[0]}" x
	mv "${swap[1]}" "${swap[0]}"
	mv x "${swap[1]}"
	mkdir -p .perun/objects/00
	wrong=00${A:2}
	mv "$(file "${objects[2]}")" "$(file "$wrong")"
	cp "$(file "${objects[3]}")" "$(file "${wrong/aa/bb}")"
	head -c 9 "$(file "${objects[4]}")" >x
	mv "$(file "${objects[4]}")" "$(file "${wrong/aa/cc}")"
	mv x "$(file "${objects[4]}")"
	fsck 1
	assert_equal "$(counts)" \
		"damaged_object=1 misnamed_object=5 dangling_entry=4"
	fsck 1 --repair
	assert_equal "$(counts)" "damaged_object=1 misnamed_object=5"
	expect_valid
	assert_equal "$(counts)" ""
	assert_equal "$(oracle check .perun "$id")" 5
	assert_equal "$(ls .perun/lost | wc -l)" 6
}

@test "an unsorted index is sorted, duplicates are removed" {
	create_entries 4
	oracle entries "$(file "$id")" >entries
	for order in '4 3 2 1' '1 2 2 3' '2 2 1 2'; do
		for n in $order; do
			sed -n ${n}p entries
		done | oracle index 2 >index
		cp index "$(file "$id")"
		cp index "$id"
		fsck 1
		assert_equal "$(counts)" "$(case $order in
			4*) echo "unsorted_index=1" ;;
			1*) echo "duplicate_entry=1" ;;
			2*) echo "unsorted_index=1 duplicate_entry=2" ;;
			esac)"
		fsck 1 --repair
		rm "$id.want" 2>/dev/null || true
		for n in $(tr ' ' '\n' <<<"$order" | sort -u); do
			sed -n ${n}p entries
		done | oracle index 2 | cmp - "$(file "$id")"
		expect_valid
	done
	assert_equal "$(ls .perun/lost | wc -l)" 3
}

@test "entries with the same path and second but other objects are not duplicates" {
	(record a 1 one && record a 1 two) | pidx-write >out
	fsck 0
	assert_equal "$(counts)" ""
	assert_equal "$(jq .entries <<<"$total")" 2
}

@test "a repaired index keeps its version; six strings become five" {
	for layout in 1 2 2args; do
		create_entries 3 "$id" $layout
		rm "$(file "${objects[1]}")"
		fsck 1 --repair
		expect_valid
		assert_equal "$(od -An -tu1 -j4 -N1 "$(file "$id")")" \
			"   ${layout:0:1}"
		assert_equal "$(pidx-read --format '%source% %cmd%' |
			paste -sd,)" "p1 cmd1,p3 cmd3"
	done
}

@test "harmless findings are reported with status 0" {
	commit
	create_entries 3
	mv "$(file "$id")" kept_index
	other=$(file 0123456789abcdef0123456789abcdef01234567)
	mkdir -p "$(dirname "$other")"
	cp kept_index "$other"
	rm "$(file "${objects[0]}")"
	record other 1 other | pidx-write >out
	oracle index 2 <<<"$(oracle entries "$other" | tail -n 1)" >"$other"x
	mv "$other"x "$other"
	mkdir .perun/objects/.new-0123456789abcdef
	echo >.perun/objects/.new-0123456789abcdef/0
	touch .perun/objects/file .perun/objects/01/file \
		".perun/objects/01/${A:2}.changes"
	mkdir .perun/objects/AB
	fsck 0
	assert_equal "$(counts)" \
		"unknown_commit=1 unreferenced_object=1 leftover=1 foreign_file=3"
	assert_equal "$(jq -r .harmless found | sort -u)" true
	assert_equal "$(jq -r 'select(.kind == "foreign_file") | .file' found |
		paste -sd' ')" "objects/01/file objects/AB objects/file"
	assert_equal "$(jq -r 'select(.kind == "unreferenced_object") | .young' \
		found)" true
	assert_equal "$(jq -r .file found)" \
		"$(jq -r .file found | LC_ALL=C sort)"
	tree >before
	fsck 0 --repair
	tree | grep -v weir.lock | grep -v '^\. ' |
		diff <(grep -v weir.lock before | grep -v '^\. ') -
}

@test "an index that is unreadable for Perun is reported" {
	create_entries 1
	oracle entries "$(file "$id")" | jq -c '.path = "é"' |
		oracle index 2 >index
	cp index "$(file "$id")"
	fsck 0
	assert_equal "$(counts)" "foreign_to_perun=1"
	assert_equal "$(jq -r .entry.path found)" é
}

@test "what is not a regular file is damaged, and moved to lost" {
	create_entries 3
	echo mine >../outside
	ln -sf ../../../../outside "$(file "${objects[0]}")"
	rm "$(file "${objects[1]}")"
	mkdir "$(file "${objects[1]}")"
	rm "$(file "${objects[2]}")"
	mkfifo "$(file "${objects[2]}")"
	fsck 1
	assert_equal "$(counts)" "damaged_object=3 dangling_entry=3"
	fsck 1 --repair
	expect_valid
	assert_equal "$(cat ../outside)" mine
	[ -p ".perun/lost/${objects[2]}.1" ] && [ -d ".perun/lost/${objects[1]}.1" ] &&
		[ -L ".perun/lost/${objects[0]}.1" ]
	ln -sf ../../../../outside "$(file "$id")"
	fsck 1
	assert_equal "$(counts)" "damaged_index=1"
	fsck 1 --repair
	fsck 0
}

@test "a damaged index is recognized by its commit or its objects" {
	create_entries 2
	cp "$(file "$id")" index
	printf X | dd of=index conv=notrunc status=none
	unknown=0123456789abcdef0123456789abcdef01234567
	mkdir -p .perun/objects/01
	cp index "$(file $unknown)"
	echo neither >"$(file "${unknown/abcd/dcba}")"
	fsck 1
	assert_equal "$(counts)" "damaged_index=1 damaged_object=1 unknown_commit=1"
	assert_equal "$(jq -r 'select(.kind == "damaged_index") |
		"\(.offset) \(.saved)"' found)" "0 2"
	rm -rf .git
	run -1 --separate-stderr pidx-fsck --repair
	[[ $stderr == *"warning: cannot check whether indexes belong to commits"* ]]
	cmp "$(file $unknown)" "$(file "$id")"
}

# --- random damage -----------------------------------------------------------

# create_damaged_indexes SEED LAYOUT - creates 50 damaged copies of an index,
# listed in the file ids
create_damaged_indexes() {
	create_entries 6 "$id" "$2"
	commits 50 >ids
	oracle damage .perun "$1" "$id" <ids
	echo "$id" >>ids
}

@test "random damage to 150 indexes is repaired as by the oracle" {
	seed=$(seed)
	echo "SEED=$seed"
	for layout in 1 2 2args; do
		rm -rf .perun/objects/* .perun/lost want got
		create_damaged_indexes "$seed" $layout
		oracle repaired .perun want <ids | sort >repaired
		oracle objects .perun >good
		fsck 1
		jq -r 'select(.kind == "dangling_entry") | .entry.object' found |
			sort -u | comm -12 - good | diff /dev/null -
		diff <(grep -e '-$' repaired | cut -d' ' -f1,2) \
			<(jq -r 'select(.kind == "damaged_index") |
			"\(.minor_version) \(.saved)"' found | sort)
		fsck 1 --repair
		mkdir got
		files <ids | sed 's,.*/\(..\)/\(.*\),cp & got/\1\2,' | sh -e
		diff -r want got
		fsck 0
		! grep -v '"harmless":true' found || return 1
		assert_equal "$(jq .entries <<<"$total")" \
			"$(awk '{ n += $2 } END { print n }' repaired)"
	done
}

# --- safety ------------------------------------------------------------------

@test "verifying never writes" {
	create_entries 3
	truncate -s -9 "$(file "$id")"
	rm "$(file "${objects[0]}")"
	tree >before
	fsck 1
	tree | diff before -
}

@test "a store on a read-only file system is verified; --repair fails" {
	[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null ||
		skip "needs root and mount namespaces"
	create_entries 2
	truncate -s -9 "$(file "$id")"
	run -0 --separate-stderr unshare -m sh -c 'mount --bind . . &&
		mount -o remount,ro,bind . && cd . && ! touch x 2>/dev/null &&
		pidx-fsck; [ $? -eq 1 ] && ! pidx-fsck --repair'
	assert_equal "$(jq -rs '.[0].kind' <<<"$output")" damaged_index
	[[ $stderr == *"cannot open the lock"* ]]
}

@test "repairing and writing exclude each other by locks" {
	create_entries 1
	mkfifo hold
	pidx-write hold >out &
	exec 5>hold
	record late 1 late >&5
	until find .perun/objects -name .new-\* | grep -q .; do
		sleep .02
	done
	age .perun/objects/*/*
	for option in --repair --prune; do
		run -124 timeout .3 pidx-fsck $option 5>&-
	done
	fsck 0
	assert_equal "$(counts)" "leftover=1"
	pidx-fsck --prune >pruned 5>&- &
	exec 5>&-
	wait
	assert_equal "$(jq -r .type pruned)" fsck
	expect_valid
	assert_equal "$(jq .entries <<<"$total")" 2
}

# create_damaged_store - creates a store with everything that can be repaired, in
# the directory `before`, to be copied for each fault
create_damaged_store() {
	create_entries 6
	rm "$(file "${objects[0]}")"
	head -c 30 "$(file "${objects[1]}")" >x
	cp x "$(file "${objects[1]}")"
	mkdir -p .perun/objects/00
	mv "$(file "${objects[2]}")" "$(file "00${A:2}")"
	sed -i "s|url: .*|url: $PWD|" .perun/local.yml
	commit
	create_entries 6
	rm "$(file "${objects[0]}")"
	cp x "$(file "${objects[1]}")"
	rm "$(file "${objects[2]}")"
	truncate -s -3 "$(file "$id")"
	mkdir runs before
	cp -a .perun before
}

@test "killed at any system call of a repair: nothing is lost, the next run finishes" {
	need_strace
	create_damaged_store
	cp -a before plain
	strace -o trace pidx-fsck -C plain --repair --prune >out || [ $? -eq 1 ]
	for call in mkdirat write fsync syncfs renameat renameat2 unlinkat; do
		n=$(grep -c "^$call(" trace)
		for ((when = 1; when <= n; when++)); do
			lines "$call $when signal=KILL" "$call $when error=EIO"
		done
	done >faults
	sh -c 'while read -r call when fault; do
		run=runs/$call-$when-${fault%=*}
		cp -a before "$run"
		strace -o /dev/null -e trace=$call -e inject=$call:$fault:when=$when \
			pidx-fsck -C "$run" --repair >"$run/out" 2>"$run/err"
		echo $? >"$run/status"
	done' <faults
	[ "$(ls runs | wc -l)" -gt 40 ]
	[ -z "$(grep -Lx '1\|2\|137' runs/*/status)" ]
	oracle preserved before runs/*
	sh -ec 'for run in runs/*; do
		pidx-fsck -C "$run" --repair --prune >out || [ $? -eq 1 ]
		pidx-fsck -C "$run" >out
		diff -r "$run/.perun/objects" plain/.perun/objects
	done'
}

@test "files are synced in lost before they are replaced" {
	! is_sanitized || skip "the leak checker needs ptrace itself"
	create_entries 2
	truncate -s -9 "$(file "$id")"
	strace -y -o trace -e trace=write,fsync,renameat,renameat2 \
		pidx-fsck --repair >out || [ $? -eq 1 ]
	order=$(sed -n 's/^\([a-z0-9]*\)([0-9]*<[^>]*\/\([a-z]*\)[^>/]*>.*/\1 \2/p' \
		trace | grep -v 'write pipe' | paste -sd,)
	echo "$order"
	[[ $order == *"fsync lost,"*"renameat2 "*"fsync lost,"*"fsync index,renameat "* ]]
}

# --- pruning -----------------------------------------------------------------

@test "--prune removes unreferenced objects that are not young" {
	create_entries 4
	oracle entries "$(file "$id")" | head -n 2 | oracle index 2 >index
	cp index "$(file "$id")"
	mkdir .perun/objects/.new-0123456789abcdef
	echo >.perun/objects/.new-0123456789abcdef/0
	age "$(file "${objects[0]}")" "$(file "${objects[2]}")"
	cp -a .perun before
	fsck 0 --prune
	assert_equal "$(counts)" "unreferenced_object=2 leftover=1"
	assert_equal "$(jq -c '[.kind, .young, .removed]' found | sort |
		paste -sd' ')" '["leftover",null,true] '`
		`'["unreferenced_object",null,true] ["unreferenced_object",true,null]'
	assert_equal "$(jq .removed <<<"$total")" 2
	diff <(cd before && find . -type f) <(cd .perun && find . -type f) >differ || true
	assert_equal "$(sed -n 's/^< //p' differ | sort | paste -sd' ')" \
		"$(lines ./objects/.new-0123456789abcdef/0 \
		"./$(file "${objects[2]}" | sed s,.perun/,,)" | sort | paste -sd' ')"
	expect_valid
	assert_equal "$(counts)" "unreferenced_object=1"
	age "$(file "${objects[3]}")"
	fsck 0 --prune
	expect_valid
	assert_equal "$(counts)" ""
}

@test "--prune refuses if an index is damaged, unless with --repair" {
	create_entries 3
	record loose 1 loose | pidx-write >out
	loose=$(jq -r .object out)
	commit
	create_entries 3
	truncate -s -1 "$(file "$id")"
	oracle index 2 </dev/null >"$(file "$(git rev-parse HEAD~1)")"
	age .perun/objects/*/*
	tree >before
	run -2 --separate-stderr pidx-fsck --prune
	[[ $stderr == *"nothing was pruned: 1 index is damaged, and what it refers to is not known (see --repair)" ]]
	tree | grep -v 'weir.lock\|^\. ' | diff <(grep -v 'weir.lock\|^\. ' before) -
	fsck 1 --repair --prune
	[ ! -e "$(file "$loose")" ]
	expect_valid
}

@test "objects that an index in lost refers to are not pruned" {
	create_entries 2
	truncate -s -1 "$(file "$id")"
	age .perun/objects/*/*
	fsck 1 --repair --prune
	assert_equal "$(jq .removed <<<"$total")" null
	[ -e "$(file "${objects[1]}")" ]
	assert_equal "$(pidx-read --format %source%)" p1
	rm -r .perun/lost
	fsck 0 --prune
	assert_equal "$(jq .removed <<<"$total")" 1
	[ ! -e "$(file "${objects[1]}")" ]
	expect_valid
}

@test "an unreadable file is reported and prevents repairing and pruning" {
	[ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null || skip "is root"
	create_entries 2
	chmod 0 "$(file "${objects[0]}")"
	truncate -s -1 "$(file "$id")"
	chmod -R go+rX . ..
	as=()
	[ "$(id -u)" -ne 0 ] || as=(setpriv --bounding-set=-all --inh-caps=-all
		--reuid=65534 --clear-groups)
	"${as[@]}" true && ! "${as[@]}" cat "$(file "${objects[0]}")" 2>/dev/null ||
		skip "no other user"
	run -1 --separate-stderr "${as[@]}" "$BUILD/pidx-fsck"
	[[ $output == *'"kind":"unreadable_file"'* ]]
	touch .perun/weir.lock
	chmod a+w .perun/weir.lock
	run -2 --separate-stderr "${as[@]}" "$BUILD/pidx-fsck" --repair
	[[ $stderr == *"nothing was repaired or pruned: cannot read '"* ]]
}

@test "control characters in names are escaped in the report" {
	create_entries 1
	oracle entries "$(file "$id")" | jq -c '.path = "a\u001b[31mb",
		.object = "'$A'"' | head -n 2 | jq -sc '.[0] + {object: "'$A'"}' |
		oracle index 2 >index
	cp index "$(file "$id")"
	touch .perun/objects/$'x\033y'
	run -1 pidx-fsck --text
	[[ $output == *'a\x1b[31mb'*'x\x1by'* ]]
	[[ $output != *$'\033'* ]]
}

@test "10,000 objects are verified in constant memory" {
	python3 - "$id" <<-'END'
	import hashlib, json, os, struct, sys, zlib
	index = []
	for i in range(10000):
	    body = json.dumps({"header": {"type": "time", "cmd": "c%d" % i}})
	    text = b"profile time %d\0" % len(body) + body.encode()
	    name = hashlib.sha1(text).digest()
	    path = ".perun/objects/" + name.hex()[:2]
	    os.makedirs(path, exist_ok=True)
	    with open(path + "/" + name.hex()[2:], "wb") as f:
	        f.write(zlib.compress(text))
	    index.append(struct.pack("<I", i) + name + b"p%06d\0" % i)
	path = ".perun/objects/" + sys.argv[1][:2]
	os.makedirs(path, exist_ok=True)
	with open(path + "/" + sys.argv[1][2:], "wb") as f:
	    f.write(b"pidx" + struct.pack("<ii", 1, len(index)) + b"".join(index))
	END
	limit='ulimit -v 60000;'
	! is_sanitized || limit=
	run -0 --separate-stderr bash -c "$limit exec timeout 20 pidx-fsck"
	assert_equal "$(jq -c '[.entries, .objects, .findings]' <<<"$output")" \
		'[10000,10000,{}]'
}
