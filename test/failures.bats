# failures.bats - a failure of the machine is never taken for something else

# bats file_tags=exhaustive

load helper
load pidx

# A failure of the machine is never taken for something else: see the top of
# oracles/failures.py, which runs a command once for each call that fails.

setup_file() {
	gcc -O1 -fno-builtin -shared -fPIC "$DATA/failing.c" \
		-o "$BATS_FILE_TMPDIR/failing.so" && cd "$BATS_FILE_TMPDIR" &&
		git init -q -b main --template= repo && cd repo &&
		echo 1 >f && git add f && git commit -q -m first &&
		pidx-init >/dev/null
}

setup() {
	! is_sanitized || skip "sanitizers have an allocator of their own"
	enter_test
	repository "$BATS_TEST_TMPDIR"
	export FAILING=$BATS_FILE_TMPDIR/failing.so
}

# The libraries that libgit2 needs for networks allocate memory when they are
# loaded.  libgit2 has a test of its own.
OTHERS='^\S+ (?!libcrypto|libgit2)'

# fails [OPTION...] COMMAND... - expects that no failure of a call of the command,
# which writes to `out`, is taken for something else
fails() {
	echo old >out
	run python3 "$TEST/oracles/failures.py" --sample 40 --seed "$(seed)" \
		"$@"
	lines "$output"
	[ "$status" -eq 0 ]
}

# store [LAYOUT] - fills the store: two profiles, one without an entry, and a
# pending one; LAYOUT is that of the index
store() {
	lines "$(profile a)" >a.perf && lines "$(profile b)" >b.perf &&
		lines "$(profile c)" >c.perf &&
		touch -d 2020-01-01 ./*.perf &&
		pidx-write --index-version "${1:-2label}" a.perf b.perf \
			c.perf >/dev/null &&
		pidx-rm c.perf >/dev/null && cp a.perf .perun/jobs/d.perf &&
		find .perun/jobs .perun/objects -type f \
			-exec touch -d 2020-01-01 {} +
}

@test "readers of a store" {
	store
	fails --sites "$OTHERS" pidx-read -o out HEAD
	fails --sites "$OTHERS" pidx-read --profiles -o out HEAD
	fails --sites "$OTHERS" pidx-read --pending -o out
	fails --sites "$OTHERS" perf-diff --unjudged pass -o out HEAD HEAD
	fails --sites "$OTHERS" pidx-fsck -o out
	lines 'cmds: [./a]' 'collectors: [{name: time}]' >.perun/local.yml
	fails --sites "$OTHERS" pidx-jobs -o out
}

@test "an index whose strings only the objects decide" {
	store 2args
	fails --sites "$OTHERS" pidx-read -o out HEAD
	fails --sites "$OTHERS" pidx-fsck -o out
}

@test "writers of a store" {
	store
	fails --sites "$OTHERS" --writes pidx-write -o out c.perf
	fails --sites "$OTHERS" --writes pidx-rm -o out a.perf
	fails --sites '^(unlinkat|openat) pidx' --writes pidx-rm -o out 0@p
	fails --sites '^(unlinkat|openat) pidx' --writes pidx-write -j -c HEAD \
		-o out
	fails --sites "$OTHERS" --writes pidx-fsck --prune -o out
	object=$(file "$(pidx-read HEAD | jq -r 'select(.path == "a.perf").object')")
	chmod u+w "$object" && truncate -s -3 "$object"
	truncate -s -1 "$(file "$id")"
	fails --sites "$OTHERS" --writes pidx-fsck --repair -o out
}

@test "git, as libgit2 reads it" {
	fails --sites '^stat libgit2' vcs-resolve -o out HEAD
	echo 2 >f && git commit -q -a -m second && git tag v1
	fails --sites '^access libgit2' vcs-resolve -o out HEAD~1
	for command in 'vcs-log' 'vcs-log HEAD~1..v1' vcs-heads \
		'vcs-heads --dirty' 'vcs-resolve v1'; do
		fails --lasting --sites '^\S+ libgit2' $command -o out
	done
}

@test "a repository that is packed and shallow" {
	echo 2 >f && git commit -q -a -m second
	git clone -q --depth 1 "file://$PWD" shallow && cd shallow
	fails --sites "$OTHERS" vcs-log -o out
	fails --sites "$OTHERS" vcs-resolve -o out :/second
	fails --lasting --sites '^(?!stat)\S+ libgit2' vcs-log -o out
	git repack -q -a -d
	fails --sites '^(access|open) libgit2' vcs-log -o out
}

@test "a store of svs in a repository of git" {
	rm -r .perun && pidx-init --vcs-type svs >/dev/null
	fails --sites '^(__)?(realpath|open)\S* vcs' vcs-resolve -o out HEAD
}

@test "debug information" {
	gcc -O2 -g -gz "$DATA/symbols/one.c" "$DATA/symbols/two.c" -o app
	cp app stripped && objcopy --only-keep-debug app app.debug &&
		strip stripped && objcopy --add-gnu-debuglink=app.debug stripped
	python3 "$TEST/oracles/symbols.py" record stripped 20 1 0x400000 >record
	# Some functions of libdw do not survive a failed allocation.
	fails --crash '^malloc libdw' callgraph-symbolize -e app -o out record
	fails --crash '^malloc libdw' callgraph-release -o out stripped
	fails --crash '^malloc libdw' callgraph-release -o out -d app.debug \
		stripped
}

@test "a database" {
	malparse "$DATA"/malparse/sample-s.json >rows
	malload db rows >/dev/null
	fails malstat --db db -o out
	# SQLite leaves a journal, by which the next program undoes a change.
	fails --varies malload db rows
}

@test "files, compressed or not, and what filters write beside their output" {
	cp "$DATA/execlog-parse/sample.log" in
	gzip -c in >in.gz && zstd -q in -o in.zst && echo garbage >>in
	fails execlog-parse -o out in.gz
	fails execlog-parse -o out in.zst
	fails --writes execlog-parse -o out --rejects rejects in
	fails --sites '^(open|read) execlog' execlog-parse --each -o out in.gz \
		in.zst
	fails --sites '^stat execlog' execlog-parse -o /dev/stdout in.gz
}

@test "a new store" {
	rm -r .perun
	fails --sites "$OTHERS" --writes pidx-init -o out .
	fails --sites '^openat pidx' --writes pidx-init -o out .
}

@test "weir, which lets other filters count" {
	cp "$DATA/critpath/sample.ndjson" in
	fails weir -o out in
	cp "$DATA/execlog-parse/sample-ninja.log" in
	fails --varies weir -o out in
}

@test "each filter that this file does not name" {
	find_filters
	for f in "${FILTERS[@]}"; do
		grep -qw -- "$f" "$BATS_TEST_FILENAME" && continue
		samples=("$DATA/$f"/sample*)
		cp "${samples[0]}" in
		fails "$f" -o out in
	done
}

@test "programs that are recorded" {
	printf 'all:\n\t@echo made\n' >Makefile
	fails --varies make-record -o out make
	fails --varies --sites '^fcntl make' --calls 3 make-record -o out make
	fails --varies callgraph-record -o out true
}
