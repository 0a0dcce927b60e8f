load helper
load pidx

# names_agree [-u] - compares the names of objects with those by Perun's rules
names_agree() {
	python3 "$ORACLE" names "$@" <profiles >want
	pidx-write ${1:+--unflattened} profiles >out
	jq -r .object out | diff want -
	check "$(jq -r .path out | wc -l)"
}

# --- objects and indexes -----------------------------------------------------

@test "objects are named as by Perun, flattened" {
	seed=$(seed)
	echo "SEED=$seed"
	oracle profiles "$seed" 300 >profiles
	names_agree
}

@test "objects are named as by Perun before 0.17, unflattened" {
	seed=$(seed)
	echo "SEED=$seed"
	oracle profiles "$seed" 300 >profiles
	names_agree -u
}

@test "an index of each version is byte for byte as specified" {
	for i in 3 1 2; do
		record "p $i" $i "cmd $i" "é" memory trace
	done >in
	record '' 1 | jq -c '.path = "x" | .time = 4294967295
		| .profile.postprocessors = [{name: "a"}, {name: "b c"}]
		| del(.profile.header.workload)' >>in
	for version in 1 2; do
		rm -rf other
		cp -R .perun other
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

@test "an entry with the same path and second but another object is added" {
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

@test "entries are inserted by path and time" {
	for i in $(shuf -i 1-40); do
		record "p$((i % 7))" $((i / 7)) "c$i" >one
		pidx-write one
	done >out
	check 40
	pidx-read | jq -r '[.path, .time, .cmd] | @tsv' >alone
	rm "$(file "$id")"
	for i in {1..40}; do
		record "p$((i % 7))" $((i / 7)) "c$i"
	done | pidx-write >out
	pidx-read | jq -r '[.path, .time, .cmd] | @tsv' | diff alone -
}

@test "an existing index keeps its version" {
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

@test "layout 2 with args is rewritten as 2, args appended to the command" {
	(record a 5 with && record b 6 without) |
		jq -c 'if .path == "a" then .profile.header.args = "-x é" else . end' |
		oracle put .perun "$id" 2args
	cp "$(file "$id")" before
	run -0 --separate-stderr pidx-read
	assert_equal "$(value args | paste -sd,)" "-x é,null"
	cmp before "$(file "$id")"
	record c 7 | pidx-write
	run -0 --separate-stderr pidx-read
	assert_equal "$(value cmd | paste -sd,)" "with -x é,without,cmd"
	assert_equal "$(value args | paste -sd,)" null,null,null
	check 3 2>/dev/null || [ "$(listed | wc -l)" -eq 3 ]
}

@test "a new index has the version of the option, the setting, or 2" {
	version() {
		record p 1 | pidx-write "$@" >out
		od -An -tu1 -j4 -N1 "$(file "$id")" | tr -d ' '
		rm "$(file "$id")"
	}
	assert_equal "$(version)" 2
	assert_equal "$(version --index-version 1)" 1
	sed -i 's/index_version: 2/index_version: 1/' .perun/local.yml
	assert_equal "$(version)" 1
	assert_equal "$(version --index-version 2)" 2
	sed -i '/index_version/d; /^weir:/d' .perun/local.yml
	assert_equal "$(version)" 2
	for bad in 3 0 two; do
		printf 'weir:\n  index_version: %s\n' "$bad" >.perun/local.yml
		run -2 --separate-stderr pidx-write <<<"$(record p 1)"
		[[ $stderr == *"weir.index_version"*"neither 1 nor 2" ]]
		no_staging
	done
	run -2 --separate-stderr pidx-write --index-version 3
}

# --- round trips -------------------------------------------------------------

@test "round trip: profiles and entries that were written are read" {
	seed=$(seed)
	echo "SEED=$seed"
	oracle profiles "$seed" 60 >profiles
	awk '{ printf "{\"type\":\"profile\",\"path\":\"p%d\",\"time\":%d,", NR % 50,
		NR * 1000003; print "\"profile\":" $0 "}" }' profiles >in
	pidx-write in >entries
	pidx-read | jq -cS . | sort >read
	jq -cS . entries | sort | diff - read
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

@test "profiles of many commits are copied by one pipe" {
	record a 1 one | pidx-write >out
	commit
	(record a 1 one && record b 2 two) | pidx-write >out
	git clone -q . ../other
	pidx-init --index-version 2 ../other >/dev/null
	vcs-log | pidx-read --profiles | pidx-write -C ../other >out
	assert_equal "$(jq -r .path out | paste -sd' ')" "a b a"
	check 2 "$id" ../other/.perun
	check 1 "$(git rev-parse HEAD~1)" ../other/.perun
}

# --- the commit --------------------------------------------------------------

@test "--commit accepts any name of a commit; the default is HEAD" {
	first=$id
	git tag -a -m x v1
	commit
	record a 1 | pidx-write >out
	assert_equal "$(jq -r .minor_version out)" "$id"
	for name in v1 HEAD~1 main~1 "${first:0:8}" "$first"; do
		record a 1 | pidx-write --commit "$name" >out
		assert_equal "$(jq -r .minor_version out)" "$first"
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
	assert_equal "$(jq -r .minor_version out)" "$first"
	pidx-write -c HEAD in >out
	assert_equal "$(jq -r .minor_version out)" "$id"
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

@test "a file with one profile gives it its base name and time" {
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
	for case in 10.4:10 10.5:10 10.500000001:11 11.5:12 11.499999999:11 \
	    0:0 4294967295.4:4294967295; do
		profile >p.perf
		touch -d "@${case%:*}" p.perf
		assert_equal "${case%:*} $(stat -c %.9Y p.perf |
			grep -c .)" "${case%:*} 1"
		[ "$(stat -c %Y p.perf)" = "${case%%[.:]*}" ] || continue
		run -0 --separate-stderr pidx-write p.perf
		assert_equal "$case $(value time)" "$case ${case#*:}"
	done
}

@test "times outside 1970 to 2106 are rejected, others registered" {
	for time in -1 4294967296 1.5 '"1"' 99999999999999999999; do
		record bad 1 | jq -c ".time = $time" 2>/dev/null |
			sed "s/\"time\":[^,]*,\"profile\"/\"time\":$time,\"profile\"/"
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

@test "several documents in a file or pipe are named by the template" {
	(profile one | jq . && profile two | jq . && profile three) >many.perf
	(profile one && profile two) >stream.perf
	for file in many.perf stream.perf; do
		run -0 --separate-stderr pidx-write $file
		[[ $(value path | head -n 1) == time-one--20*.perf ]]
		assert_equal "$(value path | sort -u | wc -l)" ${#lines[@]}
	done
	run -0 --separate-stderr bash -c 'cat stream.perf many.perf |
		tail -n +3 | pidx-write'
	run -0 --separate-stderr bash -c 'profile() { cat stream.perf; }
		profile | head -n 1 | pidx-write'
	[[ $(value path) == time-one--20??-??-??-??-??-??.perf ]]
}

@test "profiles of the same name in a run get numbers" {
	(profile same && profile same x && profile same) | sed 's/"x"/""/' >in
	run -0 --separate-stderr pidx-write in
	assert_equal "$(value path | sed 's/.*-..\(-[0-9]\)*\.perf/\1/' |
		paste -sd,)" ",-2,-3"
}

@test "the template has Perun's tags; special characters are replaced" {
	template() {
		printf 'format:\n  output_profile_template: "%s"\n' "$1" \
			>.perun/local.yml
		run -0 --separate-stderr pidx-write -c HEAD <<<"$(profile \
			'../c d' 'é/*' memory trace)"
		assert_equal "$(value path)" "$2"
	}
	template '%collector%' trace.perf
	template '%cmd%+%workload%' '.._c_d_____.perf'
	template '%type%-%postprocessors%-%nothing%' memory--.perf
	template '/etc/x%' '_etc_x_.perf'
}

@test "names that Perun could not read, and invalid ones, are rejected" {
	for name in é.perf $'a\xc3\xa9' a/b ../x /abs ''; do
		record x 1 | jq -c --arg p "$name" '.path = $p'
	done >in
	record x 1 | sed 's/"path":"x"/"path":"a\\u0000b"/' >>in
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

@test "bad lines of a stream are reported and kept, the rest is registered" {
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
	sed -e 2d -e '$d' in | diff - rejects
	for n in 1 3 4 5 6 7 8 9 10 11; do
		[[ $stderr == *"in:$n: "* ]] || [ "$n" -gt 10 ]
	done
	check 1
}

@test "--strict stops at a bad line and registers nothing" {
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
	assert_equal "$(jq -r .origin .perun/jobs/a.perf)" "$id"
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

@test "a pending profile of the same name is not overwritten" {
	record a.perf 5 one | pidx-write --pending >out
	run -1 --separate-stderr pidx-write --pending <<<"$(record a.perf 5 two)"
	[[ $stderr == *"'a.perf' is already pending" ]]
	assert_equal "$(jq -r .header.cmd .perun/jobs/a.perf)" one
	profile same | pidx-write --pending >out
	profile same | pidx-write --pending >out
	profile same | pidx-write --pending >out
	assert_equal "$(ls .perun/jobs/time-same* | wc -l)" 3
}

@test "--from-jobs leaves profiles of other commits and other files" {
	record a.perf 5 one | pidx-write --pending >out
	commit
	record b.perf 5 two | pidx-write --pending >out
	echo '{"a":1}' >.perun/jobs/c.perf
	run -1 --separate-stderr pidx-write --from-jobs
	assert_equal "$(value path)" b.perf
	[[ $stderr == *"/jobs/a.perf:1: its origin is "* ]]
	[[ $stderr == *"/jobs/c.perf:1: a profile has no header"* ]]
	assert_equal "$(ls .perun/jobs | paste -sd' ')" "a.perf c.perf"
	run -1 --separate-stderr pidx-write --from-jobs --force
	assert_equal "$(value path)" a.perf
}

# --- concurrency and damage --------------------------------------------------

@test "damaged indexes are not changed, others are written" {
	commits 700 | oracle malformed .perun >damaged
	cut -c -40 damaged | sort >versions
	(cd .perun/objects && find . -type f -print0 | xargs -0 sha1sum) >sums
	(record good 1 && jq -Rc --argjson p "$(record a 1)" \
		'$p + {minor_version: .}' versions) >in
	run -1 --separate-stderr pidx-write in
	assert_equal "$(value path)" good
	grep -v ' more like: ' <<<"$stderr" |
		sed -n 's,.*/\(..\)/\([0-9a-f]*\): byte [0-9]*: .*nothing was added.*,\1\2,p' \
		>named
	head versions | diff - named
	no_staging
	cd .perun/objects
	sha1sum --quiet -c "$OLDPWD/sums"
}

@test "a damaged object is written again" {
	record a 1 | pidx-write >out
	object=$(jq -r .object out)
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
	ln -s ../../../outside ".perun/objects/${object:0:2}"
	run -2 --separate-stderr pidx-write <<<"$(record a 1)"
	assert_equal "$output" ""
	assert_equal "$(ls -A ../outside)" ""
	rm ".perun/objects/${object:0:2}"
	mkdir ".perun/objects/${object:0:2}"
	echo mine >../outside/file
	ln -s ../../../../outside/file "$(file "$object")"
	run -0 --separate-stderr pidx-write <<<"$(record a 1)"
	check 1
	assert_equal "$(cat ../outside/file)" mine
}

@test "objects and indexes have the usual modes" {
	(umask 027 && record a 1 | pidx-write >out)
	assert_equal "$(stat -c %a "$(file "$id")" \
		"$(file "$(jq -r .object out)")" | paste -sd' ')" "640 440"
}

@test "eight concurrent writers lose no entry" {
	for w in {1..8}; do
		for n in {1..50}; do
			echo "{\"w\":$w,\"n\":$n}"
		done
	done | jq -c --argjson p "$(record x 1)" '. as $i | $p
		| .path = "p\($i.n).\($i.w)" | .profile.header.cmd = "c\($i.n % 5)"
		' >all
	split -n r/8 -a 1 -d all in.
	is_sanitized && rounds=3 || rounds=20
	for ((round = 0; round < rounds; round++)); do
		rm -rf .perun/objects/*
		for w in {0..7}; do
			pidx-write in.$w >out.$w 2>err.$w &
		done
		for pid in $(jobs -p); do
			wait "$pid"
		done
		cat err.*
		[ "$(cat out.* | wc -l)" -eq 400 ]
		check 400
		no_staging
	done
}

@test "concurrent writers of one profile each lose no entry" {
	for w in {1..8}; do
		for n in {1..5}; do
			record "p$n.$w" $n "c$n" | pidx-write >>out.$w || exit
		done &
	done
	for pid in $(jobs -p); do
		wait "$pid"
	done
	check 40
	no_staging
}

@test "the lock of a killed process is released" {
	mkfifo hold
	record a 1 >in
	pidx-write hold >out &
	exec 5>hold
	cat in >&5
	sleep .2
	kill -KILL $!
	wait $! || true
	exec 5>&-
	run -0 --separate-stderr timeout 20 pidx-write in
	check 1
}

@test "a signal removes staged files and the temporary of -o FILE" {
	mkfifo hold
	(record a 1 && record b 1) >in
	for signal in INT TERM HUP; do
		env --default-signal=INT pidx-write -o got hold &
		exec 5>hold
		cat in >&5
		until find .perun/objects -name .new-\* | grep -q .; do
			sleep .02
		done
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

# The system calls by which pidx-write changes the store.
CALLS=(openat mkdirat write fsync syncfs renameat close unlinkat read fstat
	newfstatat fcntl getrandom exit_group)

# begin_faults - creates a store with one entry, to be copied for each fault
begin_faults() {
	record before 1 old | pidx-write >out
	(record a 1 one && record b 2 two) >in
	sed -i "s|url: .*|url: $PWD|" .perun/local.yml
	mkdir runs
	strace -o trace pidx-write -C "$(copy plain)" in >out
}

# copy NAME - copies the store; prints the directory
copy() {
	mkdir "runs/$1"
	cp -a .perun "runs/$1"
	echo "runs/$1"
}

# fault NAME STRACE... - runs pidx-write with a fault injected, then a reader
fault() {
	local run status=0
	run=$(copy "$1")
	shift
	strace -o "$run/trace" "$@" pidx-write -C "$run" in \
		>"$run/out" 2>"$run/err" || status=$?
	echo "$status" >"$run/status"
	pidx-read -C "$run" --profiles >"$run/read" 2>"$run/complaints" || true
}

# check_runs - expects that in each run the index has the old entries and the
# acknowledged ones, and that a second pidx-write succeeds; prints: run, status,
# number of entries
check_runs() {
	rm -r runs/plain
	oracle written "$id" runs/* || return
	for run in runs/*; do
		pidx-write -C "$run" in >"$run/out"
		pidx-read -C "$run" --profiles >"$run/read"
	done
	oracle written "$id" runs/* >again || return
	! grep -v ' 3$' again
}

# end_at_each_call SIGNAL - runs pidx-write, ended by SIGNAL at each of its calls
end_at_each_call() {
	begin_faults
	for call in "${CALLS[@]}"; do
		read -r first last < <(traced $call) || continue
		for ((when = first; when <= last; when++)); do
			fault $call-$when -e trace=$call \
				-e inject=$call:signal=$1:when=$when
		done
	done
}

@test "killed at any system call: the store is valid, nothing acknowledged is lost" {
	need_strace
	end_at_each_call KILL
	check_runs | tee runs.txt
	! grep -v ' 137 [13]$' runs.txt || return 1
	[ "$(wc -l <runs.txt)" -gt 30 ]
}

@test "ended by a signal at any system call: no temporary remains" {
	need_strace
	end_at_each_call TERM
	no_staging runs
	check_runs | tee runs.txt
	# A signal during exit_group() comes too late.
	! grep -v ' 143 [13]$\|/exit_group-.* 0 3$' runs.txt || return 1
	[ "$(wc -l <runs.txt)" -gt 30 ]
}

# A failure to open an optional file is not an error, nor is mkdir of an existing
# directory.  An object that cannot be opened is reported as bad input.  If every
# write fails, the message cannot be written either.
@test "any failed system call: the store is unchanged and the error reported" {
	need_strace
	begin_faults
	for fault in write:ENOSPC write:EIO fsync:EIO syncfs:EIO renameat:EIO \
	    mkdirat:ENOSPC openat:EIO; do
		call=${fault%:*}
		read -r first last < <(traced $call)
		for ((when = first; when <= last; when++)); do
			for times in $when $when+; do
				fault $fault-$times -e trace=$call \
					-e inject=$call:error=${fault#*:}:when=$times
			done
		done
	done
	no_staging runs
	check_runs >runs.txt
	cat runs.txt
	! grep -v '/\(openat\|mkdirat\).* 0 3$\|/openat.* 1 1$\| 2 [13]$' \
		runs.txt || return 1
	while read -r run status _; do
		[ "$status" -eq 0 ] || [ -s "$run/err" ] ||
			[[ $run == */write*+ ]]
	done <runs.txt
}

@test "a failed sync ends the run" {
	need_strace
	begin_faults
	for call in syncfs:1 syncfs:2 fsync:1 fsync:2; do
		fault $call -e trace=fsync,syncfs,renameat \
			-e inject=${call%:*}:error=EIO:when=${call#*:}
		run=runs/$call
		assert_equal "$(cat $run/status) $(cat $run/out)" "2 "
		sed '1,/INJECTED/d' $run/trace >after
		! grep -q 'sync(\|syncfs(\|rename' after || return 1
		[ -z "$(find $run/.perun/objects -name '.*')" ]
	done
}

@test "data is synced before renames, and renames before the record is written" {
	need_strace
	strace -o trace -e trace=write,syncfs,renameat,fsync \
		pidx-write <<<"$(record a 1)" >out
	order=$(sed -n 's/^\([a-z]*\)(\([0-9]*\).*/\1 \2/p' trace |
		sed 's/^write 1$/record/; s/ [0-9]*$//' | paste -sd' ')
	assert_equal "$order" "write syncfs renameat syncfs write fsync renameat fsync fsync record"
}

@test "objects of others are synced before an index refers to them" {
	need_strace
	record a 1 | pidx-write >out
	for path in a b; do
		strace -o trace -e trace=syncfs,write pidx-write \
			<<<"$(record $path 1)" >out
		grep -m 1 '^[sw]' trace | grep -q '^syncfs'
	done
}

@test "a full disk at standard output is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	record a 1 >in
	run -2 --separate-stderr bash -c 'pidx-write in >/dev/full'
	check 1
}

@test "a read-only store is an error" {
	record a 1 >in
	cp -a .perun ../kept
	run -2 --separate-stderr bash -c 'ulimit -f 0; trap "" XFSZ
		pidx-write in 2>../err | cat; exit "${PIPESTATUS[0]}"'
	[ ! -e "$(file "$id")" ]
	no_staging
	cd ..
	run -2 --separate-stderr pidx-write repo/in
	[[ $stderr == *"there is no .perun here or above" ]]
}

@test "1,000 profiles in one run: each index is written once" {
	oracle profiles 7 1 >p
	awk '{ for (i = 0; i < 1000; i++)
		printf "{\"type\":\"profile\",\"path\":\"p%d\",\"time\":%d,\"profile\":%s}\n", i, i, $0 }' p >in
	pidx-write in >out
	check 1000
	assert_equal "$(wc -l <out)" 1000
	assert_equal "$(find .perun/objects -type f | wc -l)" 2
}
