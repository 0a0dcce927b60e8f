# svs.bats - stores without a repository, of Perun's single version system
#
# Such a store has one version, HEAD, whose index is objects/HE/AD.

load helper
load pidx

# Each test runs in ./work, which has a store of type svs and no repository.
setup() {
	enter_test
	exec </dev/null
	mkdir work && cd work &&
		pidx-init --vcs-type svs --index-version 2 >/dev/null
	id=HEAD
}

# add N - registers the profiles p1 to pN, at the times 1 to N, with HEAD
add() {
	for ((i = 1; i <= $1; i++)); do
		record "p$i" "$i" "cmd$i"
	done | pidx-write >/dev/null
}

# The objects' names begin with all kinds of digits: pidx-fsck must find each of
# them however "HE" compares with its directory.
@test "--prune removes no object that HEAD refers to, and all others" {
	add 40
	pidx-read | pidx-rm >/dev/null
	cp .perun/objects/HE/AD empty
	add 30
	find .perun/objects -type f -exec touch -d '2 hours ago' {} +
	run -0 --separate-stderr pidx-fsck
	assert_equal "$stderr" ""
	assert_equal "$(fields -w type=fsck indexes entries objects findings)" \
		'[1,30,40,{"unreferenced_object":10}]'
	run -0 pidx-fsck --prune
	assert_equal "$(find .perun/objects -type f | wc -l)" 31
	check 30
	cp empty .perun/objects/HE/AD
	run -0 pidx-fsck --prune
	assert_equal "$(find .perun/objects -type f)" .perun/objects/HE/AD
}

@test "a damaged index of HEAD prevents --prune and is repaired" {
	add 5
	# It counts more entries than there are.
	printf "\x63" |
		dd of=.perun/objects/HE/AD bs=1 seek=8 conv=notrunc 2>dd
	echo x >.perun/objects/HE/AD.changes
	find .perun/objects -type f -exec touch -d '2 hours ago' {} +
	tree >before
	run -2 --separate-stderr pidx-fsck --prune
	assert_regex "$stderr" "nothing was pruned: 1 index is damaged"
	tree | diff before -
	run -1 --separate-stderr pidx-fsck --repair --prune
	assert_equal "$(fields -w type=finding kind file minor_version lost)" \
		'["damaged_index","objects/HE/AD","HEAD","lost/HEAD.1"]'
	check 5
	assert_equal "$(cat .perun/objects/HE/AD.changes)" x
}

@test "other files beside the index of HEAD do not belong there" {
	add 1
	echo >.perun/objects/HE/AX
	mkdir .perun/objects/48
	cp .perun/objects/HE/AD \
		.perun/objects/48/45414400000000000000000000000000000000
	run -0 pidx-fsck
	assert_equal "$(fields -r -w kind=foreign_file file |
		sort | paste -sd' ')" "objects/48/`
		`45414400000000000000000000000000000000 objects/HE/AX"
	run -2 --separate-stderr pidx-fsck --prune
	check 1
}

@test "profiles are written, read and removed from below, without a repository" {
	mkdir -p a/b && cd a/b
	profile | jq -c '.origin = "HEAD"' >x.perf
	run -0 --separate-stderr pidx-write x.perf
	assert_equal "$stderr" ""
	assert_equal "$(fields -r -w type=entry minor_version)" HEAD
	cd ../..
	check 1
	for revision in "" HEAD master @; do
		run -0 pidx-read $revision
		assert_equal "$(jq -r 'select(.type == "entry") |
			"\(.minor_version) \(.path)"' <<<"$output")" \
			"HEAD x.perf"
	done
	vcs-log | pidx-read --profiles >copy
	run -0 pidx-rm 0@i
	check 0
	pidx-write <copy
	check 1
	pidx-read | pidx-rm
	check 0
}

@test "a pending profile of HEAD is registered, that of a commit is not" {
	record p.perf 1 | pidx-write --pending >/dev/null
	assert_equal "$(members -r origin <.perun/jobs/p.perf)" HEAD
	assert_equal "$(pidx-read -P | members -r -w minor_version \
		minor_version)" HEAD
	run -0 pidx-write .perun/jobs/p.perf
	check 1
	profile | jq -c '.origin = "'"$(printf %040d 1)"'"' >other.perf
	run -1 --separate-stderr pidx-write other.perf
	assert_regex "$stderr" "its origin is 0+1, not HEAD"
	check 1
}

@test "profiles of HEAD are not registered with a commit by themselves" {
	add 1
	pidx-read --profiles >copy
	repository "$BATS_TEST_TMPDIR"
	run -1 --separate-stderr pidx-write <../work/copy
	assert_regex "$stderr" "minor_version HEAD: this store has commits"
	run -0 pidx-write --commit "$id" <../work/copy
	check 1
}

@test "the settings decide, also inside a git repository" {
	add 1
	git init -q -b main .
	git commit -q --allow-empty -m first
	run -0 pidx-read
	assert_equal "$(fields -r -w path path)" p1
	assert_equal "$(vcs-log | members -r -w id id)" HEAD
	assert_equal "$(vcs-log --vcs git | members -r -w id id)" \
		"$(git rev-parse HEAD)"
	assert_equal "$(vcs-resolve master | members -r -w id id)" HEAD
	sed -i 's/type: svs/type: git/' .perun/local.yml
	assert_equal "$(vcs-log | members -r -w id id)" "$(git rev-parse HEAD)"
	assert_equal "$(pidx-read | members -r -w path path)" ""
	run -0 pidx-fsck
	assert_equal "$(fields -r -w kind kind)" unknown_commit
}

@test "the version is described, also if its directory is missing" {
	run -0 vcs-log
	assert_equal "$(fields -w type=version id parents author time \
		message)" \
		'["HEAD",[],"'"$(id -un)"'",'"$(stat -c %Z .)"`
		`',"Singleton version"]'
	run -0 vcs-heads --dirty
	assert_equal "$(jq -c 'select(.type == "head") | del(.type)' \
		<<<"$output")" '{"name":"master","id":"HEAD","head":true}'
	assert_equal "$(vcs-log HEAD..master | members -r -w id id)" ""
	run -1 vcs-resolve HEAD~1 "$(printf %040d 1)" HEAD^{tree}
	sed -i 's,url: .*,url: /nowhere/at/all,' .perun/local.yml
	add 1
	check 1
	assert_equal "$(vcs-log | members -w type=version time)" \
		null
}

@test "outside of a store there is no svs" {
	cd "$BATS_TEST_TMPDIR"
	run -2 --separate-stderr vcs-log --vcs svs
	assert_regex "$stderr" "there is no repository of type svs"
}

# Each of the three profiles has two values.
@test "perf-diff reads the profiles of HEAD, pidx-jobs the job matrix" {
	for n in 1 2 3; do
		record "p$n" "$n"
	done | pidx-write >/dev/null
	run -0 --separate-stderr perf-diff HEAD HEAD
	assert_equal "$stderr" ""
	assert_equal "$(fields -w type=change n_before n_after minor_version |
		sort -u)" '[6,6,"HEAD"]'
	lines "cmds: [a]" "workloads: [w]" "collectors:" "  - name: time" \
		>>.perun/local.yml
	run -0 pidx-jobs
	assert_equal "$(fields -r -w command command)" "a w"
}
