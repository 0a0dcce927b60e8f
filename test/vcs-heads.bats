# vcs-heads.bats - the branches of a repository, and whether its work tree
# changed

load helper
load members
load vcs

# is dirty|clean - expects this state of the work tree from vcs-heads and from
# git
is() {
	local state=clean state_for_git=clean

	[ -z "$(git --no-optional-locks status --porcelain -uno \
		2>/dev/null)" ] || state_for_git=dirty
	run -0 --separate-stderr vcs-heads --dirty &&
		assert_equal "$stderr" "" &&
		{ ! grep -q '"dirty":true' <<<"$output" || state=dirty; } &&
		assert_equal "$state" "$1" &&
		assert_equal "$state_for_git" "$1"
}

# --- The branches ---

@test "random histories: branches are those of git for-each-ref" {
	agree heads 4
}

@test "branches are sorted by name, and HEAD's is marked" {
	repository
	commit one
	git branch topic/x
	commit two
	git branch Zed
	git branch a
	git pack-refs --all
	git branch b
	git tag light
	git update-ref refs/remotes/origin/main HEAD
	run -0 --separate-stderr vcs-heads
	assert_line -n 3 '{"type":"head","name":"main","id":"'"$(
		git rev-parse HEAD)"'","head":true}'
	assert_equal "$(fields -r name | paste -sd' ')" \
		"Zed a b main topic/x"
	assert_equal "$(members -r id <<<"${lines[4]}")" \
		"$(git rev-parse HEAD~1)"
}

@test "a detached HEAD comes last, named by its id" {
	repository
	commit one
	commit two
	git checkout -q HEAD~1
	run -0 --separate-stderr vcs-heads
	id=$(git rev-parse HEAD)
	assert_line -n 1 \
		'{"type":"head","name":"'$id'","id":"'$id'","head":true}'
	assert_equal "$(members head <<<"${lines[0]}")" null
}

@test "a branch without a commit has no id" {
	repository
	run -0 --separate-stderr vcs-heads
	assert_output '{"type":"head","name":"main","head":true}'
	commit one
	git checkout -q --orphan topic/y
	run -0 --separate-stderr vcs-heads
	assert_equal "${#lines[@]}" 2
	assert_line -n 1 '{"type":"head","name":"topic/y","head":true}'
}

@test "each work tree has a HEAD of its own" {
	repository
	commit one
	git worktree add -q -b side ../tree
	run -0 --separate-stderr vcs-heads -C ../tree
	assert_equal "$(fields -r -w head name)" side
	run -0 --separate-stderr vcs-heads
	assert_equal "$(fields -r -w head name)" main
}

# --- The work tree ---

@test "changes to tracked files make a work tree dirty, untracked files do not" {
	repository
	is clean
	echo x >f
	is clean
	git add f
	is dirty
	git commit -qm one
	is clean
	echo y >f
	is dirty
	git add f
	is dirty
	echo x >f
	is dirty
	git add f
	is clean
	touch -d 1990-01-01 f
	is clean
	rm f
	is dirty
	git checkout -q f
	chmod +x f
	is dirty
	git checkout -q f
	is clean
	ln -sf elsewhere f
	is dirty
	git checkout -q f
	git rm -q --cached f
	is dirty
	git reset -q
	git mv f g
	is dirty
	git mv g f
	is clean
	# An untracked file and an ignored one; then -N, the intent to add.
	mkdir folder
	echo z >folder/z
	mkdir .git/info
	echo '*.o' >.git/info/exclude
	echo o >x.o
	is clean
	git add -N folder/z
	is dirty
}

# The time and size of the file may be those in the index.
@test "a change of the same size right after a commit or checkout is detected" {
	repository
	for i in 1 2 3; do
		commit aaaa
		echo bbbb >f
		is dirty
		git checkout -q f
		is clean
	done
}

@test "a work tree with a conflict is dirty" {
	repository
	commit base
	git checkout -qb side
	commit side
	git checkout -q main
	commit main
	! git merge -q side >/dev/null
	is dirty
}

@test "a submodule with another commit or a change makes the work tree dirty" {
	repository
	commit one
	commit two
	cd ..
	git init -q -b main outer
	cd outer
	git -c protocol.file.allow=always submodule --quiet add ../repo sub
	commit outer
	is clean
	git -C sub checkout -q HEAD~1
	is dirty
	git -C sub checkout -q main
	is clean
	echo changed >sub/f
	is dirty
}

@test "--dirty does not write the index" {
	repository
	commit one
	# git status would write the new time of f to the index.
	touch -d 1990-01-01 f
	chmod -R a-w .git
	before=$(sha1sum <.git/index)
	is clean
	assert_equal "$(sha1sum <.git/index)" "$before"
	chmod -R u+w .git
}

@test "a bare repository is never dirty" {
	repository --bare
	is clean
	# Here the setting moves to a file of its own.
	cd ..
	git init -q src
	cd src
	commit one
	git clone -q --bare . ../bare
	cd ../bare
	git worktree add -q ../tree
	git -C ../tree sparse-checkout set a
	is clean
}

@test "only the branch of HEAD is reported as dirty" {
	repository
	commit one
	git branch a
	echo changed >f
	run -0 --separate-stderr vcs-heads -d
	assert_equal "$(fields -r -w dirty name)" main
	run -0 --separate-stderr vcs-heads
	refute_output --partial dirty
}

# --- The report ---

@test "the report marks the branch of HEAD" {
	repository
	commit one
	git branch a
	id=$(git rev-parse HEAD)
	echo changed >f
	run -0 --separate-stderr vcs-heads --text --dirty
	assert_output "     $id  a
  *  $id  main (changed)"
	git checkout -q --orphan topic/y
	run -0 --separate-stderr vcs-heads --text
	assert_line -n 2 \
		"  *  no commit yet                             topic/y"
}

@test "control characters are escaped in the report" {
	repository
	commit one
	git branch $'a\u009b1m'
	git branch $'b\u202e'
	run -0 --separate-stderr vcs-heads --text
	assert_output --partial 'a\u{9b}1m'
	assert_output --partial 'b\u{202e}'
}

# --- Errors ---

@test "operands and unknown systems are usage errors" {
	repository
	assert_fatal "vcs-heads: there are no operands: all branches are listed" \
		vcs-heads main
	assert_fatal "vcs-heads: --vcs must be git or svs, not 'hg'" \
		vcs-heads --vcs hg
	cd ..
	assert_fatal "vcs-heads: there is no repository in '.' or above" vcs-heads
}

@test "a damaged index is an error only with --dirty" {
	repository
	commit one
	echo garbage >.git/index
	run -2 --separate-stderr vcs-heads --dirty
	[[ $stderr == "vcs-heads: cannot compare the work tree: "* ]]
	run -0 --separate-stderr vcs-heads
}
