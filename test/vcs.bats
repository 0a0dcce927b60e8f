# vcs.bats - the interface itself, each function by Perun's name, both back ends

load helper
load vcs

# says TEXT FUNCTION [ARGUMENT...] - what the function of ./repo answers
says() {
	local wanted=$1

	shift
	run -0 --separate-stderr "$CALLS" "$type" repo "$@" &&
		assert_output "$wanted"
}

# fails REASON FUNCTION [ARGUMENT...]
fails() {
	local wanted=$1

	shift
	run -1 --separate-stderr "$CALLS" "$type" repo "$@" &&
		assert_equal "$output" "" && assert_equal "$stderr" "$wanted"
}

# history - ./repo by init, with two versions: their ids are $one and $two
history() {
	run -0 "$CALLS" "$type" repo init
	cd repo
	if [ "$type" = git ]; then
		git symbolic-ref HEAD refs/heads/main
		commit one
		commit two
		one=$(git rev-parse HEAD~1) two=$(git rev-parse HEAD)
	else
		number one two
		one=$(head -n 1 .weir-versions | tr -d '\n' | sha1sum)
		two=$(tail -n 1 .weir-versions | tr -d '\n' | sha1sum)
		one=${one%% *} two=${two%% *}
	fi
	cd ..
}

# The same story for both: only ids, names of people and times differ.
tell() {
	type=$1
	history
	says "$two" get_minor_head
	says main get_head_major_version
	says "main $two HEAD" walk_major_versions
	says "$(lines "$two" "$one")" walk_minor_versions HEAD
	says "$one" walk_minor_versions HEAD~1
	says "$two" walk_minor_versions "$one.."
	says "" walk_minor_versions HEAD..HEAD
	says "$one commit" massage_parameter HEAD~1 any
	says "$one commit" massage_parameter "${one:0:10}" commit
	says "" check_minor_version_validity "$one"
	says clean is_dirty
	fails "there is nothing of this name" massage_parameter nothing
	fails "there is nothing of this name" check_minor_version_validity x
	fails "there is nothing of this name" get_minor_version_info x
	fails "it is a commit" massage_parameter HEAD blob
	fails "'x' names no commit: there is nothing of this name" \
		walk_minor_versions HEAD..x
	run -0 "$CALLS" "$type" repo get_minor_version_info HEAD
	assert_line -n 0 "id $two"
	assert_line -n 1 "parent $one"
	assert_line --regexp "^message two"
	# What is there already stays.
	run -0 "$CALLS" "$type" repo init
	says "$two" get_minor_head
}

@test "git and none tell the same story" {
	tell git
	rm -r repo
	tell none
}

@test "what init has made is a repository without a version" {
	for type in git none; do
		run -0 "$CALLS" $type repo init
		run -1 --separate-stderr "$CALLS" $type repo get_minor_head
		[[ $stderr == *" yet" ]]
		run -0 "$CALLS" $type repo walk_major_versions
		assert_output --regexp '^(main|master) - HEAD$'
		says clean is_dirty
		rm -r repo
	done
	"$CALLS" git repo init
	git -C repo rev-parse --git-dir
}

@test "init says why it could not" {
	echo file >file
	run -1 --separate-stderr "$CALLS" git file/repo init
	[[ $stderr == "cannot make a repository in 'file/repo': "* ]]
	run -1 --separate-stderr "$CALLS" none file/repo init
	[[ $stderr == "cannot make 'file/repo': Not a directory" ]]
	run -1 --separate-stderr "$CALLS" none missing/repo init
	[[ $stderr == "cannot make 'missing/repo': No such file or directory" ]]
}

@test "a repository is opened exactly where it is said to be" {
	type=git
	history
	mkdir repo/below
	run -1 --separate-stderr "$CALLS" git repo/below get_minor_head
	assert_equal "$stderr" \
		"there is no repository of type git in 'repo/below'"
	number one
	run -1 --separate-stderr "$CALLS" none repo get_minor_head
	assert_equal "$stderr" "there is no repository of type none in 'repo'"
}

@test "other questions may be asked amid a walk" {
	type=git
	history
	cd repo
	for i in 3 4 5 6 7 8; do commit line$i; done
	want=$(git rev-list HEAD)
	cd ..
	says "$want" walk_minor_versions HEAD
	says "$(head -n 5 <<<"$want")" walk_minor_versions HEAD~5..HEAD
}

@test "nothing is lost of what was opened" {
	type=git
	history
	command -v valgrind >/dev/null || skip "no valgrind here"
	[[ ${WEIR_BUILD:-} != *san* ]] || skip "the sanitizers see to it"
	valgrind -q --leak-check=full --error-exitcode=9 "$CALLS" git repo \
		walk_minor_versions HEAD
}
