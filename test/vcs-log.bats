# vcs-log.bats - the commits of a repository become records, as git log lists
# them

load helper
load members
load vcs

# ids - prints the ids of the records in $output; jq would take longer to start
ids() {
	cut -d'"' -f 8 <<<"$output"
}

# as_git ARGUMENT... - expects the same ids in the same order as from git log
as_git() {
	run -0 --separate-stderr vcs-log "$@" &&
		assert_equal "$stderr" "" &&
		assert_equal "$(ids)" "$(git log --format=%H "$@")"
}

# --- Against git itself ---

@test "random histories: ids and order are those of git rev-list" {
	agree log 3
}

@test "random histories: all fields of a commit are as in git log" {
	agree text 3
}

@test "a damaged commit-graph is not used, or does no harm" {
	agree graph 3
}

@test "the commit-graph is used for ranges, unless the settings forbid it" {
	repository
	commit one
	commit two
	commit three
	git commit-graph write --reachable
	as_git HEAD~2..
	# A graph in which the second commit has no parent.
	python3 - <<-'END'
		path = ".git/objects/info/commit-graph"
		data = open(path, "rb").read()
		n = data[6]
		chunks = {data[8 + 12 * i:12 + 12 * i]: int.from_bytes(
		    data[12 + 12 * i:20 + 12 * i], "big") for i in range(n)}
		import os, subprocess
		second = subprocess.check_output(["git", "rev-parse", "HEAD^"])
		at = data.index(bytes.fromhex(second.decode()), chunks[b"OIDL"])
		at = chunks[b"CDAT"] + (at - chunks[b"OIDL"]) // 20 * 36 + 20
		os.chmod(path, 0o644)
		open(path, "wb").write(data[:at] + b"\x70\0\0\0" + data[at + 4:])
	END
	run -2 --separate-stderr vcs-log HEAD~2..
	[[ $stderr == *"the commit-graph of git is wrong: commit $(
		git rev-parse HEAD^) has other parents"* ]]
	git config core.commitGraph false
	as_git HEAD~2..
}

# --- The record ---

@test "a commit becomes one record with all its fields" {
	repository
	commit one
	commit $'two\n\n"quoted"\ttext\n\nand more'
	run -0 --separate-stderr vcs-log
	assert_line -n 0 '{"type":"version",'\
'"id":"'"$(git rev-parse HEAD)"'",'\
'"parents":["'"$(git rev-parse HEAD~1)"'"],"author":"A U Thor",'\
'"email":"author@example.org","time":2000002,"utc_offset_minutes":60,'\
'"author_time":1000002,"message":"two\n\n\"quoted\"\ttext\n\nand more\n"}'
	assert_equal "$(members parents <<<"${lines[1]}")" '[]'
}

@test "a message keeps every byte, or is empty" {
	repository
	commit one
	tree=$(git rev-parse HEAD^{tree})
	messages=('' '\n' '\n\nx' 'no newline' 'x\n\n\n' 'a\r\nb\0c\177')
	for message in "${messages[@]}"; do
		time=$((${time:-9} - 1))	# the latest commit comes first
		printf "tree $tree\nauthor A <a> 1 +0000\n"\
"committer C <c> $time +0000\n\n$message" | hash_commit
	done >ids
	run -0 --separate-stderr vcs-log $(<ids)
	cmp <(jq -j '.message, "|"' <<<"$output") \
		<(printf '%b|' "${messages[@]}")
}

@test "text in another encoding becomes UTF-8, or U+FFFD if invalid" {
	repository
	commit one
	tree=$(git rev-parse HEAD^{tree})
	# Each line is an encoding, the bytes of author and message as printf
	# writes them, and the text that is wanted.
	while read -r encoding bytes want; do
		time=$((${time:-99} - 1))	# the latest commit comes first
		printf "tree $tree\nauthor $bytes <a@b> 1 +0000\n"\
"committer C <c> $time +0000\nencoding $encoding\n\n$bytes\n" | hash_commit >>ids
		echo "$want $want" >>wanted
	done <<-'END'
		ISO-8859-1 Gr\374n Grün
		latin1 Gr\374n Grün
		KOI8-R \363 С
		UTF-8 Gr\303\274n Grün
		utf8 Gr\303\274n Grün
		UTF-8 Gr\374n Gr�n
		EUC-JP \306\374 日
		EUC-JP \306 �
		no-such-code Gr\374n Gr�n
		UTF-16//TRANSLIT Gr\374n Gr�n
		a-name-that-is-longer-than-any-encoding-has Gr\374n Gr�n
	END
	run -0 --separate-stderr vcs-log $(<ids)
	jq -j '"\(.author) \(.message)"' <<<"$output" | diff wanted -
}

@test "a long message is converted completely" {
	repository
	commit one
	tree=$(git rev-parse HEAD^{tree})
	id=$( (printf "tree $tree\nauthor A <a> 1 +0000\n"
		printf 'committer C <c> 1 +0000\nencoding latin1\n\n'
		head -c 300000 /dev/zero | tr '\0' '\374') | hash_commit)
	vcs-log "$id" >out
	# With the end of the line
	assert_equal "$(members -r -w id message <out | wc -m)" 300001
}

@test "a malformed commit is shown as far as it can be parsed" {
	repository
	commit one
	tree=$(git rev-parse HEAD^{tree})
	# AUTHOR|COMMITTER|the fields that depend on them
	while IFS='|' read -r author committer want; do
		id=$(printf "tree $tree\nauthor $author\n"\
"committer $committer\n\nm" | hash_commit)
		echo "$id $want" >>wanted
	done <<-'END'
		A|C|{"author":"","email":""}
		A <|C <|{"author":"A","email":""}
		A <a>|C <c>|{"author":"A","email":"a"}
		 <> 5 +0000| <> 6 -0130|{"author":"","email":"","time":6,"utc_offset_minutes":-90,"author_time":5}
		A <a> x +0000|C <c> -1 +0000|{"author":"A","email":"a","utc_offset_minutes":0}
		A <a> 9007199254740992 +0|C <c> 99999999999999999999 +123456|{"author":"A","email":"a"}
		A <a> 9007199254740991 +0|C <c> 7|{"author":"A","email":"a","time":7,"author_time":9007199254740991}
		A <a> <b> 5 +0000|C <c> 6|{"author":"A","email":"a","time":6,"author_time":5}
	END
	run -0 --separate-stderr vcs-log $(cut -d' ' -f1 wanted)
	jq -r '"\(.id) \(del(.type, .id, .parents, .message))"' <<<"$output" |
		sort | diff <(sort wanted) -
	id=$(printf "tree $tree\n" | hash_commit)
	run -0 --separate-stderr vcs-log "$id"
	assert_output "{\"type\":\"version\",\"id\":\"$id\",\"parents\":[],"\
'"author":"","email":"","message":""}'
}

@test "a signature is not part of the message, nor an author" {
	repository
	commit one
	id=$(printf "tree $(git rev-parse HEAD^{tree})
author A <a> 1 +0000
committer C <c> 2 +0000
gpgsig -----BEGIN
 author X <x> 3 +0000
 
 -----END
encoding latin1

text \374" | hash_commit)
	run -0 --separate-stderr vcs-log "$id"
	assert_equal "$(jq -r '.author, .time, .message' <<<"$output" |
		paste -sd' ')" "A 2 text ü"
}

# --- Revisions and ranges ---

@test "the default is HEAD, and ranges exclude the history of their start" {
	repository
	for i in 1 2 3 4 5; do commit $i; done
	git tag -a -m v v1 HEAD~3
	run -0 --separate-stderr vcs-log
	assert_equal "$(jq -rj '.message[:1]' <<<"$output")" 54321
	run -0 --separate-stderr vcs-log v1..
	assert_equal "$(jq -rj '.message[:1]' <<<"$output")" 543
	run -0 --separate-stderr vcs-log ..v1
	assert_output ""
	as_git v1..HEAD~1
	as_git HEAD~1 ^v1
	as_git -n 2
	as_git --max-count=0
	as_git HEAD..HEAD
	as_git ^HEAD
}

@test "--first-parent follows only the first parent of a merge" {
	repository
	commit base
	git checkout -qb side
	commit s1
	commit s2
	git checkout -q main
	commit m1
	git merge -q -X ours -m merged side
	commit m2
	as_git
	as_git --first-parent
	assert_equal "$(ids | wc -l)" 4
	as_git --first-parent HEAD ^side
	as_git HEAD ^HEAD~1^2
}

@test "--no-walk writes only the commits that are given, in their order" {
	repository
	for i in one two three; do commit $i; done
	git tag -a -m note v1
	run -0 --separate-stderr vcs-log --no-walk HEAD~2 v1 HEAD~2
	assert_equal "$(jq -r ".message[:-1]" <<<"$output" | paste -sd' ')" \
		"one three one"
	run -0 --separate-stderr vcs-log HEAD~1 -n 1
	one=$output
	run -0 --separate-stderr vcs-log --no-walk HEAD~1
	assert_equal "$output" "$one"
	run -0 --separate-stderr vcs-log --no-walk
	assert_equal "$(jq -r ".message[:-1]" <<<"$output")" three
	for name in HEAD~1..HEAD ^HEAD; do
		assert_fatal "vcs-log: --no-walk takes no ranges" \
			vcs-log --no-walk "$name"
	done
	run -2 --separate-stderr vcs-log --no-walk HEAD:f
	[[ $stderr == "vcs-log: 'HEAD:f' does not name a commit: "* ]]
}

@test "a text with dots in :/text is not a range" {
	repository
	commit "stop.. here"
	commit other
	run -0 --separate-stderr vcs-log ':/stop.. h'
	assert_equal "$(fields -r message)" "stop.. here"
}

@test "ranges are right if commits are older than their parents" {
	repository
	for i in 1 2 3; do commit $i; done
	# From 5 on each commit is ten seconds older than its parent.
	for i in 4 5 6 7 8 9; do
		n_commits=$((100 - 10 * i))
		commit $i
	done
	as_git HEAD~2..HEAD
	as_git HEAD~7..HEAD
	as_git HEAD ^HEAD~5
}

# at N - makes a commit whose time is that of a commit number N + 1, by setting
# the counter from which commit() computes times
at() {
	n_commits=$1 && commit "$1"
}

@test "the walk continues past commits older than their parents" {
	repository
	at 100
	git tag first
	for i in 50 40 30 200; do at $i; done
	run -0 --separate-stderr vcs-log first ^HEAD
	assert_output ""
	as_git first ^HEAD
	# Git continues for only five more commits (SLOP in its revision.c), and
	# may then list a commit although it is excluded.  vcs-log does the
	# same.
	for i in 50 49 48 47 46 45 44 43 300; do at $i; done
	git tag last
	as_git first ^last
	as_git HEAD~9 ^last
}

@test "thousands of revisions come in the order of git rev-list" {
	git init -q --bare repo
	cd repo
	for ((i = 1; i <= 3000; i++)); do
		printf 'reset refs/heads/b\ncommit refs/heads/b\nmark :%d\n' $i
		# Primes: all times differ, and their order is not that of i.
		printf 'committer C <c> %d +0000\n' $((i * 7919 % 20011))
		printf 'data 1\nx\n'
	done | git fast-import --quiet --force --export-marks=marks
	cut -d ' ' -f 2 marks >heads
	readarray -t heads <heads
	vcs-log "${heads[@]}" | records | members -r id >ours
	git rev-list --stdin <heads >theirs
	cmp ours theirs
}

# --- Kinds of repositories ---

@test "the repository is found from a directory in it, or by -C" {
	repository
	commit one
	mkdir -p a/b
	(cd a/b && run -0 --separate-stderr vcs-log &&
		assert_equal "$(ids)" "$(git rev-parse HEAD)")
	cd ..
	run -0 --separate-stderr vcs-log -C repo/a/b
	assert_equal "$(ids)" "$(git -C repo rev-parse HEAD)"
	run -0 --separate-stderr vcs-log --repository=repo/.git
	assert_equal "$(ids)" "$(git -C repo rev-parse HEAD)"
}

@test "GIT_DIR names the repository, unless -C does" {
	repository
	commit one
	git init -q ../other
	cd ..
	GIT_DIR=repo/.git run -0 --separate-stderr vcs-log
	assert_equal "$(ids)" "$(git -C repo rev-parse HEAD)"
	cd other
	GIT_DIR=$PWD/.git run -0 --separate-stderr vcs-log -C ../repo
	assert_equal "$(ids)" "$(git -C ../repo rev-parse HEAD)"
}

@test "a hook reads the repository that it runs in" {
	repository
	mkdir .git/hooks
	printf '#!/bin/sh\nvcs-log -n 1 >seen\n' >.git/hooks/post-commit
	chmod +x .git/hooks/post-commit
	commit one
	assert_equal "$(records <seen | members -r message)" one
}

@test "work trees, bare, packed and shallow repositories are read" {
	repository
	for i in 1 2 3 4 5; do commit $i; done
	git branch topic/x HEAD~2
	git worktree add -q ../tree topic/x
	git gc -q
	(cd ../tree && as_git && as_git main)
	git clone -q --bare . ../bare
	(cd ../bare && as_git && as_git topic/x)
	git clone -q --depth 3 "file://$PWD" ../shallow
	cd ../shallow
	as_git
	assert_equal "$(ids | wc -l)" 3
	assert_equal "$(fields parents | tail -n 1)" '[]'
	as_git HEAD~1..
	as_git --first-parent
}

@test "a shallow clone of merges ends at the same commits as for git" {
	repository
	commit base
	for i in 1 2; do
		git checkout -q -b side$i HEAD
		commit s$i
		git checkout -q main
		commit m$i
		git merge -q -X ours -m merge$i side$i
	done
	# It ends at a merge, at its parents, and at the merge before.
	for depth in 1 2 3; do
		git clone -q --depth $depth "file://$PWD" ../shallow$depth
		(cd ../shallow$depth && as_git && as_git HEAD ^HEAD^0 &&
			as_git --first-parent)
	done
}

@test "a submodule is a repository of its own" {
	repository
	commit inner
	cd ..
	git init -q -b main outer
	cd outer
	git -c protocol.file.allow=always submodule --quiet add ../repo sub
	commit outer
	as_git
	cd sub
	as_git
	assert_equal "$(fields -r message)" inner
}
