# vcs.bash - repositories for the tests of version control: load it after helper

ORACLE=$TEST/oracles/vcs.py
CALLS=$BUILD/test/programs/vcs-calls

# git and the filters see only the settings of the test.
export HOME=$BATS_TEST_TMPDIR
export GIT_AUTHOR_NAME="A U Thor" GIT_AUTHOR_EMAIL=author@example.org
export GIT_COMMITTER_NAME="C O Mitter" GIT_COMMITTER_EMAIL=c@example.org
export LSAN_OPTIONS=print_suppressions=0:suppressions=$TEST/vcs-leaks.supp

# agree MODE COUNT - expects that a filter and git agree on COUNT random
# histories, or a tenth as in rounds; oracles/vcs.py lists the modes
agree() {
	run --separate-stderr python3 "$ORACLE" "$1" "$(seed)" "$(rounds "$2")"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# commit MESSAGE - makes a commit that writes MESSAGE to the file f.  Its times
# are $n_commits, which each call increments, plus 1000000 (author) and 2000000
# (committer).
commit() {
	n_commits=$((${n_commits:-0} + 1))
	echo "$1" >f && git add f &&
		GIT_AUTHOR_DATE="@$((1000000 + n_commits)) +0000" \
		GIT_COMMITTER_DATE="@$((2000000 + n_commits)) +0100" \
		git commit -qm "$1" --allow-empty
}

# repository [OPTION...] - creates ./repo by git init with these options, and
# changes to it
repository() {
	git init -q -b main "$@" repo && cd repo
}

# hash_commit - stores standard input as a commit, even if malformed; prints its
# id
hash_commit() {
	git hash-object -t commit -w --stdin --literally
}

# assert_fatal MESSAGE COMMAND... - expects status 2, no output and this message
assert_fatal() {
	local message=$1

	shift
	run -2 --separate-stderr "$@" &&
		assert_equal "$output" "" &&
		assert_equal "$stderr" "$message"
}
