# pidx-rm.bats - removal of profiles from the indexes of a Perun store

load helper
load pidx

# fill - registers five profiles, a.perf to e.perf, with $id, and writes their
# entries to the file `filled`.  Their times are $n + 1 to $n + 5, and $n grows
# by 5.  In the tests, N@i selects an entry by its number, counted from the
# latest, which is e.perf.
fill() {
	for name in a b c d e; do
		n=$((n + 1))
		record $name.perf $n "$name" | pidx-write
	done >filled
}

# paths [COMMIT] - prints the names in an index
paths() {
	pidx-read "${1:-$id}" | records | members -r path | paste -sd' '
}

# --- by name -----------------------------------------------------------------

@test "entries are removed by name, by abbreviated object and by number" {
	fill
	object=$(members -r -w path=c.perf object <filled)
	run -0 --separate-stderr pidx-rm a.perf "${object:0:8}" 0@i
	assert_equal "$(value path | paste -sd' ')" "a.perf c.perf e.perf"
	assert_equal "$(value removed | sort -u)" true
	assert_equal "$(paths)" "b.perf d.perf"
}

@test "each removed entry is reported as a record" {
	fill
	pidx-read -f b.perf "$id" | records |
		jq -c '. + {removed: true}' >want
	pidx-rm b.perf | records | diff want -
}

@test "numbers refer to the index before anything is removed" {
	fill
	pidx-read -f 1@i -f 3@i-4@i "$id" | members -r object >want
	pidx-rm 1@i 3@i-4@i | members -r object | diff want -
	assert_equal "$(paths)" "c.perf e.perf"
	# Of entries sorted by name, 0@i is the last.
	rm -r .perun/objects/*
	fill
	sed -i 's/sort_profiles_by: time/sort_profiles_by: source/' \
		.perun/local.yml
	run -0 --separate-stderr pidx-rm 0@i
	assert_equal "$(value path)" e.perf
	run -0 --separate-stderr pidx-rm 0@i
	assert_equal "$(value path)" d.perf
}

@test "an entry that two arguments select is removed once" {
	fill
	run -0 --separate-stderr pidx-rm 0@i e.perf
	assert_equal "$(value path)" e.perf
	assert_equal "$(paths)" "a.perf b.perf c.perf d.perf"
	check 4
}

@test "all entries of a name are removed" {
	for n in 1 2 3; do
		record same.perf $n "c$n"
	done | pidx-write >out
	record other.perf 1 | pidx-write >out
	run -0 --separate-stderr pidx-rm same.perf
	assert_equal "${#lines[@]}" 3
	assert_equal "$(paths)" other.perf
}

@test "unknown names are reported, the other profiles are removed" {
	fill
	run -1 --separate-stderr pidx-rm nothing.perf a.perf 77@i
	assert_equal "$(value path)" a.perf
	[[ $stderr == *"no profile nothing.perf among 5"* ]]
	[[ $stderr == *"no profile 77@i among 5"* ]]
	run -1 --separate-stderr pidx-rm -c "$id" a.perf
	assert_equal "$output" ""
	commit
	run -1 --separate-stderr pidx-rm b.perf
	[[ $stderr == *"no profile b.perf among 0"* ]]
	[ ! -e "$(file "$id")" ]
}

@test "--commit names the index; the default is HEAD" {
	fill
	first=$id
	commit
	record z.perf 9 | pidx-write >out
	run -0 --separate-stderr pidx-rm --commit HEAD^ a.perf
	run -0 --separate-stderr pidx-rm z.perf
	assert_equal "$(paths "$first") and $(paths)" \
		"b.perf c.perf d.perf e.perf and "
	run -2 --separate-stderr pidx-rm --commit nowhere a.perf
	[[ $stderr == *"'nowhere' does not name a commit"* ]]
}

# --- by records --------------------------------------------------------------

@test "the entries that pidx-read prints are removed, of several commits too" {
	fill
	commit
	fill
	vcs-log | pidx-read --cmd c | pidx-rm >out
	assert_equal "$(records <out | members -r path | paste -sd' ')" \
		"c.perf c.perf"
	assert_equal "$(paths) $(paths HEAD^)" \
		"a.perf b.perf d.perf e.perf a.perf b.perf d.perf e.perf"
}

@test "invalid records are reported, other types ignored, duplicates count once" {
	fill
	(cat filled filled | records | jq -c 'select(.path < "c")'
		lines '{"type":"other"}' 'bad' '{"type":"entry"}'
		jq -c 'select(.path == "d.perf") | .time = 99' filled
		jq -c 'select(.path == "d.perf") | .time = -1' filled) >in
	run -1 --separate-stderr bash -c 'pidx-rm --rejects rejects <in'
	assert_equal "$(value path | paste -sd' ')" "a.perf b.perf"
	# Lines 1 to 4 are the entries of a.perf and b.perf, each twice; line 5
	# is of another type.
	[[ $stderr == *"<stdin>:6: "* ]]
	[[ $stderr == *"<stdin>:7: minor_version or object is no"* ]]
	[[ $stderr == *"no such entry 'd.perf'"* ]]
	[[ $stderr == *"<stdin>:9: an entry has no valid time"* ]]
	# Lines 6, 7 and 9; line 8 is a valid record of an entry that does not
	# exist.
	assert_equal "$(wc -l <rejects)" 3
	assert_equal "$(paths)" "c.perf d.perf e.perf"
}

@test "--commit without operands is refused" {
	run -2 --separate-stderr pidx-rm --commit HEAD
	[[ $stderr == *"--commit 'HEAD' needs operands"* ]]
}

# --- the files ---------------------------------------------------------------

@test "writing, removing and writing again gives the same files" {
	# tree_without_times - prints the files below objects: the sed script
	# removes the last field of the lines that end with a time
	tree_without_times() {
		tree .perun/objects | sed 's/ [0-9.]*$//'
	}
	for version in 1 2; do
		rm -rf .perun/objects/*
		(record a 1 one && record b 2 two) >in
		pidx-write --index-version $version in >out
		tree_without_times >want
		pidx-rm b >out
		pidx-write in >out
		tree_without_times | diff want -
		pidx-rm a b >out
		# "pidx", the version and the number of entries, 0.
		od -An -tx1 "$(file "$id")" | tr -d ' \n' >bytes
		assert_equal "$(cat bytes)" "706964780${version}00000000000000"
	done
}

@test "the entries that remain keep their bytes" {
	local layout
	for layout in 1 2args 2 2label; do
		record b 2 two | jq -c '.profile.header += {args: "-x"}' >two
		(record a 1 one && cat two) | oracle put .perun "$id" $layout
		pidx-rm a >out
		oracle put ../other "$id" $layout <two
		cmp "$(file "$id")" "$(file "$id" ../other)"
	done
}

@test "a damaged index is not changed" {
	fill
	truncate -s -1 "$(file "$id")"
	cp "$(file "$id")" before
	run -1 --separate-stderr pidx-rm a.perf
	assert_equal "$output" ""
	[[ $stderr == *"$(file "$id"): byte "*"nothing was removed"* ]]
	# A name that no profile has, and the entries as records
	run -1 --separate-stderr pidx-rm filled
	run -1 --separate-stderr pidx-rm <filled
	assert_equal "$output" ""
	cmp before "$(file "$id")"
	no_staging
}

# bats test_tags=normal
@test "an index that cannot be read is fatal, also for pidx-write and pidx-read" {
	need_strace
	fill
	cp "$(file "$id")" before
	record a 1 >in
	# strace -P needs the path of the file as the filter opens it, which may
	# be relative to the directory of the file.
	for call in openat read; do
		for filter in 'pidx-rm a.perf' 'pidx-read HEAD' 'pidx-write in'; do
			run -2 --separate-stderr strace -o /dev/null \
				-P "$(file "$id")" -P "$(basename "$(file "$id")")" \
				-e inject=$call:error=EIO $filter
			[[ $stderr == *"cannot read '"*"$(file "$id")': Input/output error" ]]
			assert_equal "$output" ""
		done
	done
	cmp before "$(file "$id")"
	no_staging
}

@test "objects are not removed, since other commits may refer to them" {
	fill
	find .perun/objects -type f | sort >before
	pidx-rm a.perf >out
	find .perun/objects -type f | sort | diff before -
}

@test "concurrent writers and removers do not undo each other's changes" {
	# Four processes remove a quarter each of 40 entries, while four others
	# add ten each.
	for n in {1..40}; do
		record "old$n" $n
	done | pidx-write >out
	records <out >old
	for w in 0 1 2 3; do
		sed -n "$w~4p" old >part.$w
		pidx-rm <part.$w >removed.$w &
		for n in {1..10}; do
			record "new$w.$n" $n
		done | pidx-write >added.$w &
	done
	wait
	cat removed.* | records | members -r path | sort |
		diff <(members -r path <old | sort) -
	check 40
	! paths | grep old
}

# bats test_tags=normal
@test "pidx-rm is killed at any system call: the index is the old or the new" {
	need_strace
	fill
	# An absolute path of the repository, so that the store can be copied
	sed -i "s|url: .*|url: $PWD|" .perun/local.yml
	cp -a .perun whole
	strace -o trace pidx-rm a.perf >out
	cp "$(file "$id")" new
	cp "$(file "$id" whole)" old
	n_kills=0
	for call in openat mkdirat write fsync renameat unlinkat; do
		read -r first last < <(traced $call)
		for ((when = first; when <= last; when++)); do
			rm -rf .perun
			cp -a whole .perun
			strace -o /dev/null -e trace=$call \
				-e inject=$call:signal=KILL:when=$when \
				pidx-rm a.perf >out && false
			cmp -s old "$(file "$id")" || cmp new "$(file "$id")"
			# What is reported as removed has been removed.
			[ -z "$(records <out)" ] || cmp new "$(file "$id")"
			n_kills=$((n_kills + 1))
		done
	done
	# There are usually 16.
	[ "$n_kills" -gt 7 ]
}

# --- pending profiles --------------------------------------------------------

@test "N@p removes a pending profile, not an entry" {
	fill
	for n in 1 2 3; do
		record p$n.perf 1 | pidx-write --pending >out
		touch -d @$n .perun/jobs/p$n.perf
	done
	run -0 --separate-stderr pidx-rm 0@p 2@p
	assert_equal "$(value path | paste -sd' ')" "p1.perf p3.perf"
	assert_equal "$(value type | sort -u)" pending
	assert_equal "$(ls .perun/jobs)" p2.perf
	check 5
	# An entry and a pending profile in one command
	run -1 --separate-stderr pidx-rm 0@i 7@p
	[[ $stderr == *"no profile 7@p among 1"* ]]
	check 4
}

@test "the pending profiles that pidx-read prints are removed, no others" {
	fill
	for n in 1 2 3; do
		record p$n.perf 1 | pidx-write --pending >out
	done
	pidx-read --pending --find p1.perf --find p3.perf >listed
	run -0 --separate-stderr pidx-rm <listed
	assert_equal "$(value path | paste -sd' ')" "p1.perf p3.perf"
	assert_equal "$(value removed | sort -u)" true
	assert_equal "$(ls .perun/jobs)" p2.perf
	check 5
	# They are no longer there; a path cannot lead out of the directory.
	: >.perun/x.perf
	(cat listed; lines '{"type":"pending","path":"../x.perf"}' \
		'{"type":"pending"}' '{"type":"pending","path":"p2.perf"}') >in
	run -1 --separate-stderr pidx-rm <in
	assert_equal "$(value path)" p2.perf
	for name in p1.perf p3.perf ../x.perf; do
		[[ $stderr == *"no such pending profile '$name'"* ]]
	done
	[[ $stderr == *": it has no path"* ]]
	[ -e .perun/x.perf ]
}
