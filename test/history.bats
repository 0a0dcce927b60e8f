# history.bats - the scripts of weir-history(7), on the history of a small project
# that ninja builds

# bats file_tags=normal

load helper
load ninja
load vcs

# What the tests call a change, in percent: the slow step takes six times as long.
EFFECT=50

# setup_file - makes 33 commits: 16 that are fast, one without a build, and 16
# that are slow; the last fast one and the first slow one are built twice.  There are as many points before the
# change as after it, because then no other split has a greater Z, whatever the
# order of the points on a side is.
setup_file() {
	export NINJA NOISE N_BUILDS=$BATS_FILE_TMPDIR/builds
	NINJA=$(command -v ninja) || skip "ninja is not installed"
	NOISE=$(seed)
	export HOME=$BATS_FILE_TMPDIR
	cd "$BATS_FILE_TMPDIR" && write_ninja &&
		extract_files "$ROOT/man/weir-history.7" &&
		repository && write_project && git add . || return
	PATH=$BATS_FILE_TMPDIR/bin:$PATH
	for n in {1..33}; do
		[ "$n" -ne 18 ] || sed -i s/100/600/ times
		git add times && commit "$n" || return
	done
	git rev-list --reverse HEAD >../commits
	pidx-init >/dev/null
	sed '17d; 16p; 18p' ../commits |
		sh ../keep-builds.sh . >../log 2>&1 || cat ../log >&2
}

setup() {
	enter_test
	[ -n "$NINJA" ] || skip "ninja is not installed"
	PATH=$BATS_FILE_TMPDIR/bin:$PATH N_BUILDS=$BATS_TEST_TMPDIR/builds
	cp -R "$BATS_FILE_TMPDIR"/{repo,commits,*.sh,*.yml} "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR/repo" || exit
}

# id N - prints the id of the Nth commit
id() {
	sed -n "$1p" ../commits
}

# job NAME - prints the script of a job of gitlab-ci.yml
job() {
	python3 -c 'import sys, yaml
print("\n".join(yaml.safe_load(open(sys.argv[1]))[sys.argv[2]]["script"]))' \
		../gitlab-ci.yml "$1" | sed s,/srv/perf/app,../store,
}

# make_store - clones the repository to the store of the jobs; copies the scripts,
# which a project has in its repository
make_store() {
	git clone -q . ../store && pidx-init ../store >/dev/null && cp ../*.sh .
}

# history [OPTION...] - searches the history of HEAD
history() {
	vcs-log | pidx-read --profiles |
		perf-diff --history --effect $EFFECT "$@"
}

# changed_uids - prints the uids of the changes in $output
changed_uids() {
	found 'select(.type == "change") | .uid' | sort
}

# expect_table_changed - expects changes of the slow step and of what it delays,
# and of nothing else
expect_table_changed() {
	[ "$(changed_uids)" = "$(lines '"build"' '"critical path"' \
		'"drag of table.h"' '"step table.h"')" ]
}

@test "a profile has the times of ninja's log" {
	sh ../profile-build.sh >profile 2>/dev/null
	amount() {
		jq --arg uid "$1" '.global.resources // .resources | .[] |
			select(.uid == $uid).amount' profile
	}
	for target in table.h main.o app; do
		awk -v target=$target '$4 == target {
			print ($2 - $1) * 1000 }' .ninja_log >took
		[ -s took ]
		assert_equal "$(amount "step $target")" "$(<took)"
	done
	awk 'NR > 1 && $2 > end { end = $2 } END { print end * 1000 }' \
		.ninja_log >wall
	[ "$(amount build)" -le "$(<wall)" ]
	# Nothing could replace the table while it is made, except calc.o.
	awk '{ took[$4] = ($2 - $1) * 1000 } END {
		print took["table.h"] - took["calc.o"] - took["main.o"] }' \
		.ninja_log >least
	[ "$(amount 'drag of table.h')" -ge "$(<least)" ]
	[ "$(amount 'drag of table.h')" -le "$(amount 'step table.h')" ]
}

@test "a log has one build only, however often it is built" {
	sh ../profile-build.sh >profile 2>/dev/null
	run -0 --separate-stderr sh ../profile-build.sh
	[[ $stderr != *warning* ]]
	assert_equal "$(found '[.. | objects | select(.uid == "build")] |
		length')" 1
	# ninja's header, and a line for each of four outputs
	[ "$(wc -l <.ninja_log)" -eq 5 ]
}

@test "a history names the slow commit and its step, and no other" {
	run -1 --separate-stderr history
	expect_table_changed
	assert_equal "$(found 'select(.type == "change") |
		[.verdict, .minor_version]' | sort -u)" \
		"[\"degraded\",\"$(id 18)\"]"
	[[ $stderr == *" to $(id 18 | cut -c -10)"*", of which 1 was not measured"* ]]
}

@test "a commit without builds before the slow one is untested" {
	run -1 --separate-stderr history
	assert_equal "$(found 'select(.type == "change") |
		[.last_good, .untested]' | sort -u)" \
		"[\"$(id 16)\",[\"$(id 17)\"]]"
	run -1 --separate-stderr history --text
	assert_output --partial '1 untested'
	# When it is built, too, no commit is untested.
	id 17 | sh ../keep-builds.sh . >/dev/null 2>&1
	run -1 --separate-stderr history
	assert_equal "$(found 'select(.type == "change").untested // []' |
		sort -u)" '[]'
}

@test "a history without the slow commit names none" {
	git checkout -q "$(id 16)"
	run -0 --separate-stderr history
	assert_equal "$(changed_uids)" ''
	# It is long enough: it would name a commit that is slower.
	vcs-log | pidx-read --profiles | records >in
	sed -n 9,16p ../commits >slow
	jq -c --rawfile slow slow '
		if .type == "profile" and (.minor_version | inside($slow)) then
			(.. | objects | .amount? // empty) |= map(. * 4)
		else . end' in >slower
	run -1 --separate-stderr perf-diff -H --effect $EFFECT slower
	assert_equal "$(found 'select(.type == "key" and
		.uid == "step table.h").minor_version')" "\"$(id 9)\""
}

@test "an accepted change is reported, and the status is 0" {
	echo "$(id 18)" >accepted
	run -0 --separate-stderr history --accept accepted
	expect_table_changed
	assert_equal "$(found 'select(.type == "change").accepted' | sort -u)" \
		true
	run -0 --separate-stderr history --accept accepted --svg
	assert_output --partial accepted
}

@test "the gate fails until the change is accepted" {
	: >accepted
	run -1 sh ../gate.sh . accepted
	[[ ${lines[0]} == *"keys are worse now than before in"* ]]
	id 18 >accepted
	run -0 sh ../gate.sh . accepted
	[[ ${lines[0]} == "No key is worse now "* ]]
}

@test "two builds a side are unverified; the CI job compares ten" {
	run -2 --separate-stderr perf-diff "$(id 16)" "$(id 18)"
	assert_equal "$(found 'select(.uid == "step table.h").verdict')" \
		'"unverified"'
	# A merge request that makes the link slower
	git checkout -q "$(id 16)"
	sed -i 's/app 50/app 800/' times
	git commit -qam 'slow link'
	sed -i 's/-- --text/-- --json/; s/--effect 10/--effect 100/' \
		../compare-builds.sh
	make_store
	CI_MERGE_REQUEST_DIFF_BASE_SHA=$(id 16) \
		run -1 --separate-stderr sh -ec "$(job compare)"
	assert_equal "$(found 'select(.verdict == "degraded").uid' | sort)" \
		"$(lines '"build"' '"critical path"' '"drag of app"' \
			'"step app"')"
	assert_equal "$(found 'select(.uid == "step app") |
		[.last_good, .minor_version]')" \
		"[\"$(id 16)\",\"$(git rev-parse HEAD)\"]"
}

@test "the CI job keeps a build in another clone" {
	make_store
	git checkout -q --detach
	commit 'only here'
	job build | CI_COMMIT_SHA=$(git rev-parse HEAD) sh -e >/dev/null 2>&1
	run -0 --separate-stderr pidx-read -C ../store "$(git rev-parse HEAD)"
	assert_equal "$(found '[.cmd, .workload, .profile_type]')" \
		'["ninja","full","time"]'
}

@test "a commit that does not build gets no profile, and the next one does" {
	git checkout -qb broken "$(id 1)"
	echo error >calc.c
	git commit -qam broken
	broken=$(git rev-parse HEAD)
	git checkout -q main
	commit next
	next=$(git rev-parse HEAD)
	lines "$broken" "$next" >ids
	run -1 --separate-stderr sh ../keep-builds.sh . <ids
	[ ! -e .keep-builds ]
	assert_equal "$(pidx-read "$broken" | records)" ''
	[ -n "$(pidx-read "$next" | records)" ]
}

@test "keep-builds.sh that is killed leaves nothing to a second run" {
	id 1 >../ids
	setsid sh ../keep-builds.sh . <../commits >/dev/null 2>&1 3>&- &
	wait_until [ -e .keep-builds/.ninja_log ]
	kill -KILL -- "-$!"
	wait $! || [ $? -eq 137 ]
	[ -e .keep-builds ]
	# What git leaves if it is killed itself: locks, and a worktree that is
	# not complete.
	: >".git/refs/builds/$(id 1).lock"
	mkdir -p .git/worktrees/-keep-builds1
	: >.git/worktrees/-keep-builds1/locked
	sh ../keep-builds.sh . <../ids >../out
	grep -q entry ../out
	[ ! -e .keep-builds ]
	assert_equal "$(git worktree list | wc -l)" 1
	assert_equal "$(find .git -name '*.lock')" ""
	pidx-fsck --prune >../out
	assert_equal "$(git status --porcelain)" ""
}
