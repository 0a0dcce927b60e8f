# pidx-fsck.bats - damage to a Perun store is found, and repaired without loss
#
# Damage is a harmful finding, after which the status is 1; other findings are
# harmless, such as an object that no index refers to.  The directory lost gets a
# copy of each file that a repair replaces or removes.

load helper
load pidx

A=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa	# the id of no object

# The store is in memory, where a sync is fast.
setup() {
	enter_test
	memory=$(mktemp -d /dev/shm/weir-XXXXXX 2>/dev/null) ||
		memory=$BATS_TEST_TMPDIR
	repository "$memory"
}

teardown() {
	[ "$memory" = "$BATS_TEST_TMPDIR" ] || rm -rf "$memory"
}

# fsck STATUS [OPTION...] - runs pidx-fsck, which must exit with STATUS; writes
# the findings to the file `found` and sets $total to the last record, the
# totals
fsck() {
	local status=$1
	shift
	run -"$status" --separate-stderr pidx-fsck "$@"
	assert_equal "$stderr" ""
	total=${lines[-1]}
	sed -n '/^{"type":"finding",/p' <<<"$output" >found
}

# counts - prints the numbers of findings in $total: "kind=number ..."
counts() {
	sed 's/.*"findings":{\([^}]*\)}.*/\1/; s/"//g; y/:,/= /' <<<"$total"
}

# expect_valid [ID...] - expects no harmful findings, and that the oracle
# accepts the indexes of these commits, or of $id
expect_valid() {
	fsck 0
	! grep -v '"harmless":true' found || return 1
	for version in ${*:-$id}; do
		oracle check .perun "$version" >checked || return
	done
}

# create_entries N [ID [LAYOUT]] - creates an index with the entries p1 to pN
# and their objects, whose names are put into $objects
create_entries() {
	local i
	for ((i = 1; i <= $1; i++)); do
		record p$i $((1700000000 + i)) cmd$i
	done >some
	objects=($(oracle put .perun "${2:-$id}" "${3:-2}" <some))
}

# flat DIR SUFFIX - copies the index in the directory DIR of each commit whose id is
# in the file `ids` to the file of this name and SUFFIX in the current directory
flat() {
	sed 's,^..,&/,' "$OLDPWD/ids" | tar -cC "$OLDPWD/$1" -T - \
		--transform "s,/\(.*\),\1$2," | tar -x
}

# age PATH... - makes files older than an hour
age() {
	touch -h -d '2 hours ago' "$@"
}

# is_in_lost FILE... - expects a single copy of each in lost, whose name is that of
# the file, a dot and a number
is_in_lost() {
	for file in "$@"; do
		cat .perun/lost/"$(basename "$file")".* | cmp - "$file" || return
	done
}

# --- findings ----------------------------------------------------------------

@test "a valid store has no findings; the totals are counted" {
	fsck 0
	assert_output '{"type":"fsck","indexes":0,"entries":0,"objects":0,"size_bytes":0,"findings":{}}'
	# 3 + 3 + 3 + 3 + 4 entries refer to 4 objects, since each index has entries
	# of the same profiles.  Perun writes .changes files.
	for layout in 1 2args 2 2label; do
		create_entries 3 "$id" $layout
		commit
	done
	create_entries 4
	: >"$(file "$id").changes"
	size=$(find .perun/objects -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }')
	fsck 0
	assert_output '{"type":"fsck","indexes":5,"entries":16,"objects":4,"size_bytes":'$size',"findings":{}}'
	run -0 pidx-fsck --text
	assert_line "Store: 5 indexes, 16 entries, 4 objects, 1.7 KiB"
	assert_line "  All registered profiles are valid."
	# -C accepts a directory within a store; operands are refused.
	cd ..
	run -0 pidx-fsck -C repo/.perun/jobs
	run -2 pidx-fsck
	run -2 pidx-fsck -C repo operand
}

@test "a store written by pidx-write is valid" {
	oracle profiles "$(seed)" 50 | pidx-write >out
	fsck 0
	assert_equal "$(members entries <<<"$total")" 50
	assert_equal "$(counts)" ""
}

# damage_indexes [all] - creates indexes with every kind of damage, beside a valid
# one.  A line of `damaged`: id, kind of damage, offset of the first wrong byte, or
# "?" if several are possible.  There are 270 lines, and 440 if they are truncated
# at all bytes.
damage_indexes() {
	create_entries 2
	commits 700 >ids
	oracle malformed .perun "${objects[0]}" "$@" <ids >damaged
	cut -d' ' -f1 damaged >ids
}

# each_is_reported - expects a finding for each index in `damaged`
each_is_reported() {
	fsck 1
	assert_equal "$(counts)" "damaged_index=$(wc -l <damaged)"
	assert_equal "$(members -r file <found |
		LC_ALL=C sort -c && echo sorted)" sorted
	members -d ' ' minor_version offset <found | sort >named
	# Where the offset is certain, it is compared; all ids are.
	awk '$3 == "?" { print $1 }' damaged >unknown
	awk '$3 != "?" { print $1, $3 }' damaged | sort |
		diff - <(grep -v -F -f unknown named)
	sort ids | diff - <(cut -d' ' -f1 named)
	[ "$(members -w why -w saved file <found | wc -l)" -eq "$(wc -l <damaged)" ]
}

# each_is_repaired N - expects that the indexes in `damaged`, whose findings are
# in `found`, are repaired, and that at least N lose neither of their entries
each_is_repaired() {
	cp -r .perun/objects before
	oracle repaired .perun want <ids >repaired
	# A line of `repaired`: id, number of entries that can be saved, "-" if
	# malformed.
	cut -d' ' -f2 repaired | sort | uniq -c
	diff <(sort repaired | cut -d' ' -f1,2) \
		<(members -d ' ' minor_version saved <found | sort)
	[ "$(awk '$2 == 2' repaired | wc -l)" -ge "$1" ]
	fsck 1 --repair
	assert_equal "$(members -r lost <found | sort)" \
		"$(sort ids | sed 's,.*,lost/&.1,')"
	# got/ID is the repaired index, old/ID.1 the one before the repair.
	mkdir got old
	(cd got && flat .perun/objects '')
	(cd old && flat before .1)
	diff -r want got
	diff -r old .perun/lost
	expect_valid "$id"
	sed 's/.*/{"type":"version","id":"&"}/' ids >versions
	run -0 --separate-stderr bash -c 'pidx-read <versions'
	assert_equal "${#lines[@]}" \
		"$(awk '{ n += $2 } END { print n }' repaired)"
}

@test "each kind of damaged index is reported and repaired, as by the oracle" {
	damage_indexes
	each_is_reported
	each_is_repaired 70
}

# bats test_tags=exhaustive
@test "an index that is truncated at any byte is reported and repaired" {
	damage_indexes all
	[ "$(wc -l <damaged)" -ge 400 ]
	each_is_reported
	each_is_repaired 70
}

# The object of p1 is missing, those of p2 and p4 are damaged, that of p3 has the
# contents of p5's.
@test "the entries of missing, damaged and misnamed objects are dangling" {
	create_entries 5
	rm "$(file "${objects[0]}")"
	head -c 30 "$(file "${objects[1]}")" >cut
	cp cut "$(file "${objects[1]}")"
	cp "$(file "${objects[4]}")" "$(file "${objects[2]}")"
	: >"$(file "${objects[3]}")"
	fsck 1
	assert_equal "$(counts)" \
		"damaged_object=2 misnamed_object=1 dangling_entry=4"
	members -d ' ' -w kind=dangling_entry entry.path entry.object why \
		<found >dangling
	lines "p1 ${objects[0]} its object is missing" \
		"p2 ${objects[1]} its object is damaged" \
		"p3 ${objects[2]} its object has a wrong name" \
		"p4 ${objects[3]} its object is damaged" | diff - dangling
	assert_equal "$(members -r -w kind=misnamed_object object \
		<found)" "${objects[4]}"
	assert_equal "$(members -r -w entry.path=p1 file <found)" \
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
	assert_equal "$(members -d ' ' -w kind=dangling_entry \
		entry.path repaired lost <found | paste -sd,)" \
		"p1 true lost/$id.1,p2 true lost/$id.1"
	# Two entries and a damaged object.
	assert_equal "$(members repaired <<<"$total")" 3
	is_in_lost "$id" "${objects[1]}"
	expect_valid
	assert_equal "$(pidx-read --format %source% | paste -sd' ')" "p3 p4 p5"
	pidx-write <<<"$(record p1 1700000001 cmd1)" >out
	expect_valid
	assert_equal "$(pidx-read --format %source% | paste -sd' ')" \
		"p1 p3 p4 p5"
}

@test "files in lost are not overwritten: each gets the next number" {
	create_entries 1
	for n in 1 2 3; do
		echo "damage $n" >"$(file "$id")"
		fsck 1 --repair
		assert_equal "$(members -r -w lost lost <found)" "lost/$id.$n"
	done
	for n in 1 2 3; do
		echo "damage $n" | cmp - .perun/lost/$id.$n
	done
}

@test "--repair gives misnamed objects their names, even two swapped ones" {
	# Objects 0 and 1 are swapped, 2 has another name, 3 has a second name,
	# and 4 is truncated while its contents have another name.
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
	# The damaged object and the five misnamed ones, as they were.
	assert_equal "$(ls .perun/lost | wc -l)" 6
}

@test "an unsorted index is sorted, duplicates are removed" {
	create_entries 4
	oracle entries "$(file "$id")" >entries
	# The numbers of the entries that the index has, in this order.
	for order in '4 3 2 1' '1 2 2 3' '2 2 1 2'; do
		for n in $order; do
			sed -n ${n}p entries
		done | oracle index 2 >index
		cp index "$(file "$id")"
		fsck 1
		assert_equal "$(counts)" "$(case $order in
			4*) echo "unsorted_index=1" ;;
			1*) echo "duplicate_entry=1" ;;
			2*) echo "unsorted_index=1 duplicate_entry=2" ;;
			esac)"
		fsck 1 --repair
		for n in $(tr ' ' '\n' <<<"$order" | sort -u); do
			sed -n ${n}p entries
		done | oracle index 2 | cmp - "$(file "$id")"
		expect_valid
	done
	assert_equal "$(ls .perun/lost | wc -l)" 3
}

@test "entries with the same path and time but different objects are not duplicates" {
	(record a 1 one && record a 1 two) | pidx-write >out
	fsck 0
	assert_equal "$(counts)" ""
	assert_equal "$(members entries <<<"$total")" 2
}

@test "a repaired index keeps its layout and the bytes of its entries" {
	for layout in 1 2args 2 2label; do
		create_entries 3 "$id" $layout
		rm "$(file "${objects[1]}")"
		fsck 1 --repair
		expect_valid
		grep -v '"p2"' some | oracle put ../other "$id" $layout
		cmp "$(file "$id")" "$(file "$id" ../other)"
		assert_equal "$(pidx-read --format '%source% %cmd%' |
			paste -sd,)" "p1 cmd1,p3 cmd3"
	done
}

@test "harmless findings are reported with status 0" {
	# The index of p1 to p3 gets the id of an unknown commit and keeps only
	# p3: the object of p2 is unreferenced, and that of p1 is removed.  The
	# staging directory .new-* is a leftover.  A file .changes is Perun's, but
	# file, 01/file and AB are foreign.
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
	assert_equal "$(members -r harmless <found | sort -u)" true
	assert_equal "$(members -r -w kind=foreign_file file <found |
		paste -sd' ')" "objects/01/file objects/AB objects/file"
	assert_equal "$(members -r -w kind=unreferenced_object young \
		<found)" true
	assert_equal "$(members -r file <found)" \
		"$(members -r file <found | LC_ALL=C sort)"
	tree >before
	# The repair creates weir.lock, and so changes the time of "."
	fsck 0 --repair
	tree | grep -v weir.lock | grep -v '^\. ' |
		diff <(grep -v weir.lock before | grep -v '^\. ') -
}

# Perun reads only ASCII names.
@test "an index that is unreadable for Perun is reported" {
	create_entries 1
	oracle entries "$(file "$id")" | jq -c '.path = "é"' |
		oracle index 2 >index
	cp index "$(file "$id")"
	fsck 0
	assert_equal "$(counts)" "foreign_to_perun=1"
	assert_equal "$(members -r entry.path <found)" é
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

@test "a damaged index is recognized by the objects of its entries" {
	# A file in objects is an index or an object.  With its first byte
	# changed, the magic does not show which; here the entries do, since
	# they refer to objects.  A text that fits neither counts as an object.
	create_entries 2
	cp "$(file "$id")" index
	printf X | dd of=index conv=notrunc status=none
	unknown=0123456789abcdef0123456789abcdef01234567
	mkdir -p .perun/objects/01
	cp index "$(file $unknown)"
	echo neither >"$(file "${unknown/abcd/dcba}")"
	fsck 1
	assert_equal "$(counts)" "damaged_index=1 damaged_object=1 unknown_commit=1"
	assert_equal "$(members -d ' ' -w kind=damaged_index offset saved \
		<found)" "0 2"
	rm -rf .git
	run -1 --separate-stderr pidx-fsck --repair
	[[ $stderr == *"warning: cannot check whether indexes belong to commits"* ]]
	cmp "$(file $unknown)" "$(file "$id")"
}

# --- random damage -----------------------------------------------------------

# create_damaged_indexes SEED LAYOUT - creates an index and 25 damaged copies of
# it, and damages half of the objects; the ids of all 26 are in the file `ids`
create_damaged_indexes() {
	create_entries 6 "$id" "$2"
	commits 25 >ids
	oracle damage .perun "$1" "$id" <ids
	echo "$id" >>ids
}

@test "random damage to 100 indexes is repaired as by the oracle" {
	seed=$(seed)
	for layout in 1 2args 2 2label; do
		rm -rf .perun/objects/* .perun/lost want got
		create_damaged_indexes "$seed" $layout
		oracle repaired .perun want <ids | sort >repaired
		oracle objects .perun >valid
		fsck 1
		# No valid object is that of a dangling entry.
		members -r -w kind=dangling_entry entry.object <found |
			sort -u | comm -12 - valid | diff /dev/null -
		diff <(grep -e '-$' repaired | cut -d' ' -f1,2) \
			<(members -d ' ' -w kind=damaged_index \
				minor_version saved <found | sort)
		fsck 1 --repair
		mkdir got
		(cd got && flat .perun/objects '')
		diff -r want got
		fsck 0
		! grep -v '"harmless":true' found || return 1
		assert_equal "$(members entries <<<"$total")" \
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

# hold_lock - starts a writer, $writer, that keeps the lock, and a staging
# directory, until descriptor 5 is closed
hold_lock() {
	mkfifo profiles
	pidx-write profiles >out &
	writer=$!
	exec 5>profiles
	record late 1 late >&5
	wait_until is_staging
}

@test "repairing and writing exclude each other by locks" {
	create_entries 1
	hold_lock
	age .perun/objects/*/*
	# With either option pidx-fsck waits for the lock of the writer.
	for option in --repair --prune; do
		pidx-fsck $option >waited 5>&- 3>&- &
		wait_until grep -q -- "-> POSIX .* $! " /proc/locks
		kill $!
		wait $! && false || [ $? -eq 143 ]
		[ -z "$(records <waited)" ]
	done
	fsck 0
	assert_equal "$(counts)" "leftover=1"
	pidx-fsck --prune >pruned 5>&- &
	exec 5>&-
	wait
	assert_equal "$(records <pruned | members -r type)" fsck
	expect_valid
	assert_equal "$(members entries <<<"$total")" 2
}

@test "pidx-fsck gets its turn before writers that came later" {
	create_entries 1
	hold_lock
	pids=$writer
	pidx-fsck --prune >pruned 2>err 5>&- 3>&- &
	pids+=" $!"
	wait_until grep -q -- "-> POSIX .* $! " /proc/locks
	pidx-write <<<"$(record later 1 later)" >later 2>later-err 5>&- 3>&- &
	pids+=" $!"
	wait_until grep -q -- "-> POSIX .* $! " /proc/locks
	# Both say for whom they wait.  Each signal is what their timers send after
	# a second.
	kill -ALRM ${pids#* }
	wait_until grep "waiting for process [0-9]*, which writes to " err
	wait_until grep "waiting for process [0-9]*, which writes to " later-err
	exec 5>&-
	for pid in $pids; do
		wait "$pid"
	done
	# The first writer's entry was there when it checked, the later one's
	# was not.
	assert_equal "$(members -w type=fsck entries <pruned)" 2
	fsck 0
	assert_equal "$(members entries <<<"$total")" 3
}

@test "pidx-fsck does not wait for a writer that has no profile yet" {
	create_entries 1
	mkfifo profiles
	pidx-write profiles >out &
	exec 5>profiles
	echo '{"type":"begin"}' >&5
	run -0 timeout "$HANG_S" pidx-fsck --prune
	exec 5>&-
	wait
}

@test "after a minute pidx-fsck gives up, and the others write" {
	create_entries 1
	hold_lock
	pidx-fsck --prune >pruned 2>err 5>&- 3>&- &
	wait_until grep -q -- "-> POSIX .* $! " /proc/locks
	# Each signal is what its timer sends after a second.
	while kill -ALRM $! 2>/dev/null; do
		sleep .01
	done
	wait $! && false || [ $? -eq 2 ]
	grep "process $writer has been writing to " err
	[ -z "$(records <pruned)" ]
	run -0 timeout "$HANG_S" pidx-write <<<"$(record later 1 later)"
	exec 5>&-
	wait
}

# create_damaged_store - creates a store with missing, damaged and misnamed
# objects and a malformed index, in the directory `before`, to be copied for
# each fault (an error or a signal that strace injects into a system call)
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

# faults_at CALL... - prints two lines for each of these calls of a repair: it is
# killed there, or the call fails
faults_at() {
	local call when n
	for call; do
		n=$(grep -c "^$call(" trace)
		for ((when = 1; when <= n; when++)); do
			lines "$call $when signal=KILL" \
				"$call $when error=EIO -f --seccomp-bpf"
		done
	done
}

# begin_repairs - writes the calls of a repair without a fault to `trace`
begin_repairs() {
	create_damaged_store
	cp -a before plain
	strace -o trace pidx-fsck -C plain --repair --prune >out || [ $? -eq 1 ]
	pidx-fsck -C plain >out
}

# repair_with_faults N - makes a repair with each fault in the file `faults`, and
# expects that at least N are killed and N fail, that no file is lost, and that the
# next repair gives the same objects as the one without a fault
repair_with_faults() {
	# With --seccomp-bpf strace stops only at this call, but injects no signals.
	sh -c 'while read -r call when fault options; do
		run=runs/$call-$when-${fault%=*}
		cp -a before "$run"
		strace $options -o /dev/null -e trace=$call -e inject=$call:$fault:when=$when \
			pidx-fsck -C "$run" --repair >"$run/out" 2>"$run/err"
		echo $? >"$run/status"
	done' <faults
	# 137 is 128 + SIGKILL.
	[ -z "$(grep -Lx '1\|2\|137' runs/*/status)" ]
	[ "$(grep -lx 137 runs/*-signal/status | wc -l)" -ge "$1" ]
	[ "$(grep -lx 2 runs/*-error/status | wc -l)" -ge "$1" ]
	oracle preserved before runs/*
	sh -ec 'for run in runs/*; do
		pidx-fsck -C "$run" --repair --prune >out || [ $? -eq 1 ]
		diff -r "$run/.perun/objects" plain/.perun/objects
	done'
}

# The first rename moves a file to lost, the last one puts an index in its place.
# bats test_tags=normal
@test "a repair killed or failing at a rename or sync loses nothing" {
	need_strace
	begin_repairs
	faults_at renameat2 | head -n 2 >faults
	faults_at fsync | tail -n 2 >>faults
	faults_at renameat | tail -n 2 >>faults
	repair_with_faults 3
}

# bats test_tags=normal,exhaustive
@test "a repair killed or failing at any call loses nothing, the next ends it" {
	need_strace
	begin_repairs
	faults_at mkdirat write fsync syncfs renameat renameat2 unlinkat >faults
	# There are usually 88: two for each of 44 calls.
	[ "$(wc -l <faults)" -gt 40 ]
	repair_with_faults 21
}

# With -y strace prints the path of each descriptor.
# bats test_tags=normal
@test "a directory that cannot be listed completely ends the run, nothing is changed" {
	need_strace
	create_entries 2
	mkdir .perun/lost
	age .perun/objects/*/*
	cp -a .perun/objects before
	strace -y -o trace -e trace=getdents64 pidx-fsck --repair --prune >out
	calls=$(grep -n '/\.perun/' trace | cut -d: -f1)
	# Two calls each for objects, for each of its two or three
	# subdirectories, and for lost.
	[ "$(wc -w <<<"$calls")" -ge 8 ]
	for when in $calls; do
		run -2 --separate-stderr strace -o /dev/null -e trace=getdents64 \
			-e inject=getdents64:error=EIO:when=$when \
			pidx-fsck --repair --prune
		[[ $stderr == *"cannot read '"*"': Input/output error" ]]
	done
	diff -r before .perun/objects
}

# With -y strace prints the path of each descriptor; $order has the calls, each
# with the first letters of the last component.
# bats test_tags=normal
@test "files are synced in lost before they are replaced" {
	need_strace
	create_entries 2
	truncate -s -9 "$(file "$id")"
	strace -y -o trace -e trace=write,fsync,renameat,renameat2 \
		pidx-fsck --repair >out || [ $? -eq 1 ]
	order=$(sed -n 's/^\([a-z0-9]*\)([0-9]*<[^>]*\/\([a-z]*\)[^>/]*>.*/\1 \2/p' \
		trace | grep -v 'write pipe' | paste -sd,)
	echo "$order"
	[[ $order == *"fsync single,"*"renameat2 "*"fsync lost,"*"fsync single,renameat "* ]]
}

# --- pruning -----------------------------------------------------------------

# An object is young if it is not older than an hour: its writer may
# still register it.
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
	assert_equal "$(members kind young removed <found | sort |
		paste -sd' ')" '["leftover",null,true] '`
		`'["unreferenced_object",null,true] ["unreferenced_object",true,null]'
	assert_equal "$(members removed <<<"$total")" 2
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
	loose=$(records <out | members -r object)
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

@test "--prune refuses if an index may have been overlooked" {
	create_entries 3
	index=$(file "$id")
	cp -a .perun whole
	# Each line makes a change after which the index is not found, or not
	# known to be the only one.  $1 is its path.
	while read -r change; do
		rm -rf .perun
		cp -a whole .perun
		sh -ec "$change" x "$index"
		find .perun/objects -type f -exec touch -d '2 hours ago' {} +
		find .perun/objects | sort >before
		for repair in '' --repair; do
			run -2 --separate-stderr pidx-fsck --prune $repair
			echo "$change: $stderr"
			[[ $stderr == *"nothing was repaired or pruned: "* ]]
			find .perun/objects | sort | diff before -
		done
	done <<-'END'
		sed -i 's/type: git/type: other/' .perun/local.yml
		mkdir .perun/objects/HE; mv "$1" .perun/objects/HE/AD.bak
		mv "$1" "$1.bak"
		mv "$1" .perun/objects/index
		d=$(dirname "$1"); mv "$d" elsewhere; ln -s ../../elsewhere "$d"
		sed -i 's/url: .*/url: nowhere/' .perun/local.yml
	END
}

# Perun's own version control, svs, has a single version, HEAD: its index is
# objects/HE/AD.  An index is known by its contents, whatever vcs.type is.
@test "--prune keeps what the indexes of HEAD and of commits refer to" {
	create_entries 30
	index=$(file "$id")
	cp -a .perun whole
	while read -r change; do
		rm -rf .perun
		cp -a whole .perun
		sh -ec "$change" x "$index"
		find .perun/objects -type f -exec touch -d '2 hours ago' {} +
		find .perun/objects | sort >before
		run -0 --separate-stderr pidx-fsck --prune --repair
		find .perun/objects | sort | diff before -
	done <<-'END'
		sed -i 's/type: git/type: svs/' .perun/local.yml
		mkdir .perun/objects/HE; mv "$1" .perun/objects/HE/AD
		mkdir .perun/objects/HE; cp "$1" .perun/objects/HE/AD
	END
}

@test "--prune refuses if a damaged file may have been an index" {
	# The commit is unknown, and without entries nothing shows that the file
	# was an index.
	create_entries 2
	unknown=0123456789abcdef0123456789abcdef01234567
	mkdir -p .perun/objects/01
	mv "$(file "$id")" "$(file $unknown)"
	truncate -s 0 "$(file $unknown)"
	age .perun/objects/*/*
	run -2 --separate-stderr pidx-fsck --prune
	[[ $stderr == *"nothing was pruned: 1 file is damaged, and may have been an index (see --repair)" ]]
	[ -e "$(file "${objects[0]}")" ]
}

@test "objects that an index in lost refers to are not pruned" {
	create_entries 2
	truncate -s -1 "$(file "$id")"
	age .perun/objects/*/*
	fsck 1 --repair --prune
	assert_equal "$(members removed <<<"$total")" null
	[ -e "$(file "${objects[1]}")" ]
	assert_equal "$(pidx-read --format %source%)" p1
	rm -r .perun/lost
	fsck 0 --prune
	assert_equal "$(members removed <<<"$total")" 1
	[ ! -e "$(file "${objects[1]}")" ]
	expect_valid
}

@test "a file that may not be read ends the run, nothing is repaired" {
	[ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null || skip "is root"
	create_entries 2
	chmod 0 "$(file "${objects[0]}")"
	truncate -s -1 "$(file "$id")"
	chmod -R go+rX . ..
	as_user=()
	[ "$(id -u)" -ne 0 ] || as_user=(setpriv --bounding-set=-all
		--inh-caps=-all --reuid=65534 --clear-groups)
	"${as_user[@]}" true &&
		! "${as_user[@]}" cat "$(file "${objects[0]}")" 2>/dev/null ||
		skip "no other user"
	run -2 --separate-stderr "${as_user[@]}" "$BUILD/pidx-fsck"
	[[ $stderr == *"cannot read '"*": Permission denied" ]]
	touch .perun/weir.lock
	chmod a+w .perun/weir.lock
	run -2 --separate-stderr "${as_user[@]}" "$BUILD/pidx-fsck" --repair
	[[ $stderr == *"cannot read '"*": Permission denied" ]]
}

@test "control characters in names are escaped in the report" {
	create_entries 1
	oracle entries "$(file "$id")" |
		jq -c '.path = "a\u001b[31mb" | .object = "'$A'"' |
		oracle index 2 >index
	cp index "$(file "$id")"
	touch .perun/objects/$'x\033y'
	run -1 pidx-fsck --text
	[[ $output == *'a\x1b[31mb'*'x\x1by'* ]]
	[[ $output != *$'\033'* ]]
}

@test "an object that no filter can read as a profile is reported" {
	local body
	for body in '{"header": 1}' '{"header": ' '[]' \
		'{"header": {"type": "t", "cmd": "c"}, "collector_info": {"name": "n"}, "postprocessors": [], "x": 1E400}'; do
		python3 - "$body" <<-'END'
		import hashlib, os, sys, zlib
		body = sys.argv[1]
		text = b"profile time %d\0" % len(body) + body.encode()
		name = hashlib.sha1(text).hexdigest()
		os.makedirs(".perun/objects/" + name[:2], exist_ok=True)
		with open(".perun/objects/" + name[:2] + "/" + name[2:], "wb") as f:
		    f.write(zlib.compress(text))
		END
	done
	cp -r .perun before
	run -1 --separate-stderr pidx-fsck --repair
	assert_equal "$(found 'select(.kind == "unreadable_profile") |
		(.file | startswith("objects/"))')" $'true\ntrue\ntrue\ntrue'
	diff -r before/objects .perun/objects
	run -1 pidx-fsck --text
	[[ $output == *"4 objects that are not profiles"* ]]
	[[ $output == *"a number is too great for a double"* ]]
}

# Python writes the objects, of 20,000 bytes, and an index of version 1 with an
# entry for each.  For a few objects pidx-fsck needs 18,000 KiB.
# bats test_tags=normal
@test "2,000 objects, of 40 MB, are verified in 40,000 KiB of address space" {
	python3 - "$id" <<-'END'
	import hashlib, json, os, struct, sys, zlib
	index = []
	for i in range(256):
	    os.mkdir(".perun/objects/%02x" % i)
	for i in range(2000):
	    body = json.dumps({"header": {"type": "time", "cmd": "c%d" % i},
	        "collector_info": {"name": "x"}, "postprocessors": [],
	        "more": "x" * 20000})
	    text = b"profile time %d\0" % len(body) + body.encode()
	    name = hashlib.sha1(text).digest()
	    path = ".perun/objects/" + name.hex()[:2]
	    with open(path + "/" + name.hex()[2:], "wb") as f:
	        f.write(zlib.compress(text, 1))
	    index.append(struct.pack("<I", i) + name + b"p%06d\0" % i)
	path = ".perun/objects/" + sys.argv[1][:2]
	with open(path + "/" + sys.argv[1][2:], "wb") as f:
	    f.write(b"pidx" + struct.pack("<ii", 1, len(index)) + b"".join(index))
	END
	run -0 --separate-stderr bash -c "ulimit -v 40000
		exec timeout $HANG_S pidx-fsck"
	assert_equal "$(fields entries objects findings)" \
		'[2000,2000,{}]'
}
