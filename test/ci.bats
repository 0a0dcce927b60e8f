# ci.bats - what weir-ci(7) shows, run by stand-ins for the two services
#
# ci-services.py executes the steps of both files in a clone, with the variables
# that the service sets.  The times of builds are given: see ninja.bash.

# bats file_tags=normal

load helper
load ninja
load vcs

# setup_file - makes a repository with the scripts, and a profile of its build.
# Requests are built six times here; examples.bats builds ten times.
setup_file() {
	export NINJA NOISE N_BUILDS=$BATS_FILE_TMPDIR/builds
	NINJA=$(command -v ninja) || skip "ninja is not installed"
	NOISE=$(seed)
	export HOME=$BATS_FILE_TMPDIR
	cd "$BATS_FILE_TMPDIR" && write_ninja || return
	for tool in gh curl; do
		lines '#!/bin/sh' \
			"exec python3 '$TEST/ci-services.py' $tool \"\$@\"" \
			>bin/$tool && chmod +x bin/$tool || return
	done
	repository && write_project && mkdir ci &&
		(cd ci && extract_files "$ROOT/man/weir-history.7" &&
		extract_files "$ROOT/man/weir-ci.7" && mv ci-*.yml .. &&
		sed -i 's/5 6 7 8 9 10/5 6/' compare-builds.sh) &&
		git add . && git commit -qm first || return
	PATH=$BATS_FILE_TMPDIR/bin:$PATH \
		sh ci/profile-build.sh >../profile 2>../log || cat ../log >&2
	git clean -qfdx
}

# setup - makes the project of both services: a clone, to commit in, of origin.git
setup() {
	enter_test
	[ -n "$NINJA" ] || skip "ninja is not installed"
	export SERVICE=$PWD/service N_BUILDS=$PWD/builds
	PATH=$BATS_FILE_TMPDIR/bin:$PATH
	mkdir service && echo '[{"id": 1, "body": "Hello"}]' \
		>service/comments.json
	git clone -q --bare "$BATS_FILE_TMPDIR/repo" service/origin.git
	git clone -q service/origin.git project
	cd project || exit
}

# slow_link [LINE] - commits that the link is slower, with this line in the message
slow_link() {
	sed -i 's/^app 50/app 300/' times &&
		git commit -qam "slow link" -m "${1:-}"
}

# github_push - pushes main, and runs the jobs of GitHub
github_push() {
	git push -q origin main
	jq -n --arg sha "$(git rev-parse main)" '{_name: "push",
		ref: "refs/heads/main", after: $sha,
		repository: {full_name: "acme/app"}}' >../event
	python3 "$TEST/ci-services.py" github ci-github.yml ../event
}

# github_request [OWNER] - pushes HEAD as a pull request from the repository of
# OWNER, or from the project's own, and runs the jobs of GitHub
github_request() {
	git push -qf origin HEAD:refs/pull/7/head
	jq -n --arg head "$(git rev-parse HEAD)" --arg owner "${1-acme}" \
		--arg base "$(git rev-parse main)" '{_name: "pull_request",
		repository: {full_name: "acme/app"}, pull_request: {
		number: 7, base: {sha: $base},
		head: {sha: $head, repo: {full_name: "\($owner)/app"}}}}' \
		>../event
	python3 "$TEST/ci-services.py" github ci-github.yml ../event
}

# gitlab_variables COMMIT - prints the variables that all pipelines have
gitlab_variables() {
	jq -n --arg sha "$(git rev-parse "$1")" '{CI: "true",
		CI_API_V4_URL: "https://gitlab.example.org/api/v4",
		CI_PROJECT_ID: "5", CI_PROJECT_PATH: "acme/app",
		CI_SERVER_HOST: "gitlab.example.org", CI_COMMIT_SHA: $sha,
		CI_DEFAULT_BRANCH: "main", WEIR_TOKEN: "secret"}'
}

# gitlab_push - pushes main, and runs the jobs of GitLab
gitlab_push() {
	git push -q origin main
	gitlab_variables main | jq '. + {CI_PIPELINE_SOURCE: "push",
		CI_COMMIT_BRANCH: "main"}' >../event
	python3 "$TEST/ci-services.py" gitlab ci-gitlab.yml ../event
}

# gitlab_request [FILTER] - pushes HEAD as a merge request, and runs the jobs of
# GitLab, with the variables as a filter of jq changes them
gitlab_request() {
	git push -qf origin HEAD:refs/merge-requests/7/head
	gitlab_variables HEAD | jq --arg base "$(git merge-base main HEAD)" \
		'. + {CI_PIPELINE_SOURCE: "merge_request_event",
		CI_MERGE_REQUEST_IID: "7",
		CI_MERGE_REQUEST_DIFF_BASE_SHA: $base} | '"${1-.}" >../event
	python3 "$TEST/ci-services.py" gitlab ci-gitlab.yml ../event
}

# make_history FAST SLOW [LINE] - adds so many commits to main, and to the branch
# weir-store profiles of all, which are those of the first build with noise; the
# link of the last SLOW is slower, and the message of the first one has a LINE
make_history() {
	local i=0 profile
	pidx-init >/dev/null
	while IFS= read -r profile; do
		[ "$i" -ne "$1" ] || slow_link "${3:-}"
		git commit -q --allow-empty -m "commit $i"
		pidx-write <<<"$profile" >/dev/null
		i=$((i + 1))
	done < <(jq -c --argjson fast "$1" --argjson n $(($1 + $2)) '
		def noise($i): . * (1 + ($i * 37 % 11) / 500) | floor;
		range($n) as $i | (if $i < $fast then 1 else 6 end) as $times |
		(.global.resources // .resources) |= map(
		.amount = ((if .uid == "step app" then .amount * $times
		elif .uid == "build" then .amount + ($times - 1) * 50000
		else .amount end) | noise($i)))' "$BATS_FILE_TMPDIR/profile")
	export GIT_INDEX_FILE=$PWD/.perun/tmp/index
	git -C .perun --work-tree=. add -f objects
	git push -q origin "$(git commit-tree -m store \
		"$(git write-tree)"):refs/heads/weir-store"
	unset GIT_INDEX_FILE
	rm -r .perun
}

# stored COMMIT - prints how many profiles of a commit the branch has
stored() {
	rm -rf .perun
	pidx-init >/dev/null
	git fetch -q origin weir-store
	git archive FETCH_HEAD | tar -xf - -C .perun
	pidx-read "$1" | records | wc -l
}

# comments - prints of each comment the first line and the sentence after it
comments() {
	jq -r '.[].body | split("\n")[:2] | join(" ") | split(". ")[0]' \
		../service/comments.json
}

# expect_files NAME - expects the pictures among the artifacts
expect_files() {
	grep -q '<svg' "../service/artifacts/$1/build.svg"
	grep -q '<html' "../service/artifacts/$1/build.html"
	grep -q 'main.o' "../service/artifacts/$1/build.html"
}

@test "a young history passes with a sentence, and keeps the profile" {
	run -0 github_push
	assert_line --partial "Nothing can be said: no key has 14 commits"
	grep -q '^Nothing can be said' ../service/summary.md
	grep -q '^Limited by its path' ../service/summary.md
	expect_files weir
	assert_equal "$(stored main)" 1
	git commit -q --allow-empty -m second
	run -0 gitlab_push
	assert_line --partial "Nothing can be said: no key has 14 commits"
	assert_equal "$(stored main)" 1
	assert_equal "$(stored main~)" 1
	assert_equal "$(comments)" Hello
}

@test "a history in which the link became slower fails" {
	make_history 14 6
	run -1 github_push
	assert_line --regexp "keys are worse now than before in 20 measured commits of 22.*$(
		git rev-parse --short=10 main~6)"
	assert_line 'status 1: sh ci/ci-build.sh'
	grep -q 'are worse now' ../service/summary.md
	expect_files weir
	run -1 gitlab_push
	assert_line --partial 'are worse now'
}

@test "the message of the commit accepts that it became slower" {
	make_history 14 6 'Slower: it is safer'
	run -0 github_push
	assert_line --partial 'Accepted: '
}

@test "a change that is only suspected passes" {
	make_history 16 2
	run -0 github_push
	assert_line --partial suspected
	run -0 gitlab_push
}

@test "GitHub: a request that is as fast passes, with a comment that is replaced" {
	git push -q origin main
	git checkout -qb good
	git commit -q --allow-empty -m good
	run -0 github_request
	expect_files weir
	assert_equal "$(comments)" "Hello
<!-- weir --> No change for the worse was found"
	git ls-remote --exit-code origin weir-store && false
	slow_link
	run -1 github_request
	[[ $(comments) == "Hello"*"<!-- weir --> "*"slower"* ]]
	assert_equal "$(jq length ../service/comments.json)" 2
	grep -q 'slower' ../service/summary.md
	expect_files weir
}

@test "GitLab: a request that is slower fails, with a comment that is replaced" {
	git push -q origin main
	git checkout -qb slow
	slow_link
	run -1 gitlab_request
	[[ $(comments) == "Hello"*"<!-- weir --> "*"slower"* ]]
	expect_files weir
	git reset -q --hard main
	git commit -q --allow-empty -m good
	run -0 gitlab_request
	assert_equal "$(comments)" "Hello
<!-- weir --> No change for the worse was found"
}

@test "a request from a fork is compared, but not commented on" {
	git checkout -qb good
	git commit -q --allow-empty -m good
	run -0 github_request mallory
	assert_line --partial "No change for the worse was found"
	run -0 gitlab_request 'del(.WEIR_TOKEN)'
	assert_line --partial "No change for the worse was found"
	assert_equal "$(comments)" Hello
}

@test "a line in the message of a commit accepts what a request makes slower" {
	git checkout -qb slow
	slow_link 'Slower: it is safer'
	git commit -q --allow-empty -m last
	run -0 github_request
	assert_line '### Accepted: 4'
}

@test "a commit that cannot be built is trouble, and not slower" {
	echo error >calc.c
	git commit -qam broken
	git push -q origin main
	git checkout -qb good
	: >calc.c
	git commit -qam repaired
	run -1 github_request
	assert_line 'status 2: sh ci/ci-build.sh "$BASE"'
	assert_equal "$(comments)" "Hello
<!-- weir --> Not compared: see the log of the job."
	# If it is what is checked out, there is nothing to comment.
	echo error >main.c
	git commit -qam broken
	run -1 github_request
	assert_line 'status 2: sh ci/ci-build.sh "$BASE"'
	run -1 gitlab_request
	assert_equal "$(jq length ../service/comments.json)" 2
}

@test "of two jobs that end at the same time both profiles are kept" {
	git clone -q ../service/origin.git ../other
	make_history 1 0
	git push -q origin main
	git -C ../other pull -q
	cp "$BATS_FILE_TMPDIR/profile" ../other
	# Before the first push of this job, the other one pushes.
	mkdir -p .git/hooks
	cat >.git/hooks/pre-push <<-'END'
	#!/bin/sh
	[ ! -e ../other/.perun ] || exit 0
	cd ../other && env -u GIT_DIR -u GIT_INDEX_FILE \
		sh ci/keep-profile.sh origin profile
	END
	chmod +x .git/hooks/pre-push
	sh ci/keep-profile.sh origin "$BATS_FILE_TMPDIR/profile" 2>../log
	grep -q rejected ../log
	# One of make_history, and two
	assert_equal "$(stored main)" 3
}

@test "a profile that cannot be pushed is trouble" {
	make_history 1 0
	git remote set-url --push origin /no-permission
	run -2 sh ci/keep-profile.sh origin "$BATS_FILE_TMPDIR/profile"
}

@test "a project that make builds is recorded, too" {
	git rm -qf build.ninja
	printf '%s\n' 'app: main.o calc.o; cat $^ >$@' \
		'%.o: %.c; cp $< $@' 'clean: ; rm -f *.o app' >Makefile
	git add Makefile
	git commit -qm make
	run -0 github_push
	assert_line --partial "Nothing can be said: no key has 14 commits"
	run -0 --separate-stderr pidx-read -C ../service/work main
	assert_equal "$(found .cmd)" '"make"'
	grep -q calc.o ../service/artifacts/weir/build.html
}
