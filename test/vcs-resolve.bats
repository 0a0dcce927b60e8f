# vcs-resolve.bats - names of commits and other objects become ids, as git
# parses them

load helper
load members
load vcs

# history - creates a repository with light and annotated tags, a merge and a
# remote branch
history() {
	repository &&
		commit one && commit two && git checkout -qb side &&
		commit "side way" && git checkout -q main && commit three &&
		git merge -q -X ours -m merge side && commit four &&
		git tag light HEAD~1 && git tag -a -m note noted HEAD~2 &&
		git tag -a -m "note of a note" twice noted &&
		git update-ref refs/remotes/origin/main HEAD~1 &&
		git config branch.main.remote origin &&
		git config branch.main.merge refs/heads/main &&
		git config remote.origin.url ../repo &&
		git config remote.origin.fetch \
			'+refs/heads/*:refs/remotes/origin/*'
}

# id - prints the ids of the records in $output
id() {
	fields -r id
}

# unknown [OPTION...] - for each line NAME|WHAT of standard input, of which there
# are at most ten, expects the message that NAME does not name WHAT, which is a
# kind of object and the reason; and status 1, and no record
unknown() {
	local cases

	mapfile -t cases
	run -1 --separate-stderr vcs-resolve "$@" -- "${cases[@]%|*}" &&
		assert_equal "$output" "" &&
		assert_equal "$stderr" "$(lines "${cases[@]}" | sed \
			"s/\(.*\)|\(.*\)/vcs-resolve: '\1' does not name \2/")"
}

# resolves KIND NAME... - expects that each name resolves to an object of this
# kind, as in git, where everything after a colon is a path or a text
resolves() {
	local kind=$1

	shift
	run -0 --separate-stderr vcs-resolve -t "$kind" -- "$@" &&
		assert_equal "$(jq -r '"\(.type) \(.kind) \(.id) \(.name)"' \
			<<<"$output")" "$(lines "$@" |
			sed "/:/! s/\$/^{$kind}/" | xargs -d '\n' git rev-parse |
			paste -d' ' - <(lines "$@") | sed "s/^/resolved $kind /")"
}

# --- Against git itself ---

@test "random histories: names resolve as in git" {
	agree resolve 4
}

@test "every form of a revision resolves as in git" {
	history
	# A commit that is not in the history of HEAD, for :/alone.
	git branch alone "$(git commit-tree -m 'alone here' HEAD^{tree})"
	# The checkouts make @{-1} the branch side, and add to the reflog of
	# HEAD.
	git checkout -q side
	git checkout -q main
	resolves commit HEAD @ main heads/main refs/heads/main light tags/light \
		noted twice refs/tags/noted origin/main remotes/origin/main \
		HEAD~ HEAD~0 HEAD~3 HEAD^ HEAD^0 HEAD~1^2 HEAD^^2~1 @~2 @^ \
		light~1 noted^0 'noted^{}' 'noted^{commit}' 'twice^{}' \
		'HEAD^{commit}~1' 'HEAD^{object}' 'HEAD^{object}~1' \
		'@{-1}' '@{-1}~1' '@{u}' '@{upstream}' 'main@{u}' 'HEAD@{0}' \
		'HEAD@{1}' 'HEAD@{3}^' '@{1}' 'main@{1}' 'main@{1}~1' ':/t' \
		':/^one' ':/side' ':/alone' \
		':/!-e' 'HEAD^{/t}' 'HEAD^{/^tw}' 'HEAD~1^{/o}~1' \
		'HEAD^{/!-four}' 'HEAD^{/t(w|hr)}^0' 'HEAD^{/}' \
		"$(git rev-parse HEAD)" "$(git rev-parse HEAD | tr a-f A-F)" \
		"$(git rev-parse --short HEAD~2)" \
		"$(git rev-parse --short HEAD)~2" "$(git describe HEAD)"
}

@test "--object-type resolves to trees, blobs and tags" {
	history
	resolves tree HEAD^{tree} HEAD: noted^{tree} HEAD twice
	resolves blob HEAD:f HEAD~2:f :f :0:f
	resolves tag noted twice
	resolves commit HEAD light
	run -0 --separate-stderr vcs-resolve --object-type any HEAD^{tree} HEAD: \
		noted^{tree} HEAD:f HEAD~2:f :f :0:f noted twice HEAD light
	assert_equal "$(fields -r kind | paste -sd' ')" \
		"tree tree tree blob blob blob blob tag tag commit commit"
}

@test "the sides of a conflict are found in the index" {
	repository
	commit base
	git checkout -qb side
	commit side
	git checkout -q main
	commit main
	! git merge -q side >/dev/null
	resolves blob :1:f :2:f :3:f
	unknown -t blob <<<":f|a blob: the index has no such file"
}

# like KIND FORMAT ID - creates an object of this kind whose id begins with the
# same four digits as ID, by trying numbers in place of %d in FORMAT
like() {
	python3 - "$@" <<-'END' | git hash-object -t "$1" -w --stdin
		import hashlib, sys
		kind, form, id = sys.argv[1:]
		for i in range(100000000):
		    text = form.replace("%d", str(i)).encode()
		    if hashlib.sha1(b"%s %d\0%s" % (kind.encode(), len(text),
		        text)).hexdigest().startswith(id[:4]):
		        sys.stdout.buffer.write(text)
		        break
	END
}

@test "an ambiguous abbreviation is resolved by the kind of object wanted" {
	repository
	commit one
	id=$(git rev-parse HEAD)
	short=${id:0:4}
	# The same four digits begin the id of a blob, but a tree or a commit is
	# wanted.
	like blob %d "$id"
	tree=$(git rev-parse "$id^{tree}")
	run -0 --separate-stderr vcs-resolve -t tree $short $short~0 "$short^{tree}"
	assert_equal "$(id)" "$(lines $tree $tree $tree)"
	run -0 --separate-stderr vcs-resolve $short
	assert_equal "$(id)" "$id"
	run -0 --separate-stderr vcs-resolve -t blob "$short:f"
	unknown -t any \
		<<<"$short|an object: it is ambiguous: several ids begin with it"
	unknown <<<"${short:0:3}|a commit: it is ambiguous: several ids begin with it"
	# Now the same digits begin the id of another commit, too.
	like commit "tree $tree
author A <a> 1 +0000
committer C <c> 1 +0000

%d
" "$id"
	unknown <<<"$short|a commit: it is ambiguous: several ids begin with it"
}

@test "a tag wins over a branch of the same name" {
	repository
	commit one
	git tag both
	commit two
	git branch both
	run -0 --separate-stderr vcs-resolve both heads/both
	assert_equal "$(id)" "$(git rev-parse HEAD~1 HEAD)"
}

@test "a full id wins over a branch of that name, a branch over an abbreviated id" {
	repository
	commit one
	commit two
	id=$(git rev-parse HEAD~1)
	git update-ref "refs/heads/$id" HEAD
	run -0 --separate-stderr vcs-resolve "$id"
	assert_equal "$(id)" "$id"
	git update-ref "refs/heads/${id:0:7}" HEAD
	run -0 --separate-stderr vcs-resolve "${id:0:7}"
	assert_equal "$(id)" "$(git rev-parse HEAD)"
}

@test "a malformed commit can be named" {
	repository
	commit one
	id=$(printf "tree $(git rev-parse HEAD^{tree})\nauthor A\n"\
"committer C\n\nm" | hash_commit)
	git update-ref refs/heads/odd "$id"
	run -0 --separate-stderr vcs-resolve "$id" odd
	assert_equal "$(id)" "$(lines $id $id)"
}

# --- Unknown names ---

@test "an unknown name is reported, the others are resolved" {
	history
	run -1 --separate-stderr vcs-resolve HEAD nothing main
	assert_equal "$(fields -r name | paste -sd' ')" "HEAD main"
	assert_equal "$stderr" "vcs-resolve: 'nothing' does not name a commit: "\
"nothing has this name"
}

@test "each reason why a name does not resolve has its message" {
	history
	tree=$(git rev-parse HEAD^{tree})
	unknown <<-END
		x|a commit: nothing has this name
		HEAD~9|a commit: nothing has this name
		HEAD^3|a commit: nothing has this name
		HEAD:g|a commit: nothing has this name
		$(printf '%040d' 0)|a commit: nothing has this name
		|a commit: it is not a revision that git understands
		HEAD^{|a commit: it is not a revision that git understands
		HEAD^{/x|a commit: it is not a revision that git understands
	END
	unknown <<-END
		$tree|a commit: it is a tree
		HEAD:f|a commit: it is a blob
		:/zzz|a commit: no message matches
		HEAD^{/zzz}|a commit: no message matches
		:/(|a commit: the regular expression is invalid
		:/!x|a commit: only - or ! may follow :/!
	END
	unknown -t tag <<<"HEAD|a tag: it is a commit"
	unknown -t blob <<<"HEAD|a blob: it is a commit"
	unknown -t any <<-'END'
		:g|an object: the index has no such file
		x|an object: nothing has this name
	END
}

@test "after ten messages the rest are counted" {
	repository
	run -1 --separate-stderr vcs-resolve $(seq 1000 1024)
	assert_equal "$(grep -v more <<<"$stderr" |
		grep -c "does not name a commit")" 10
	[[ $stderr == *"15 more like: "* ]]
}

@test "--strict stops at the first unknown name" {
	history
	run -2 --separate-stderr vcs-resolve --strict -o out HEAD nothing main
	[ ! -e out ]
}

@test "names are escaped in messages, but not in records" {
	repository
	commit one
	# unknown() fails, since it expects the name as it is.
	unknown <<<$'a\u009b|a commit: nothing has this name' || true
	[[ $stderr == *'a\u{9b}'* ]]
	git update-ref $'refs/heads/a"\xff' HEAD
	run -0 --separate-stderr vcs-resolve $'a"\xff'
	assert_equal "$(fields -r name)" 'a"�'
}

# --- The report and usage errors ---

@test "the report has only the id" {
	repository
	commit one
	run -0 --separate-stderr vcs-resolve --text HEAD main
	assert_output "$(git rev-parse HEAD main)"
}

@test "no operand, an unknown object type and no repository are fatal" {
	repository
	assert_fatal "vcs-resolve: there is no revision to resolve" vcs-resolve
	assert_fatal "vcs-resolve: --object-type must be commit, tree, blob, tag "\
"or any, not 'object'" vcs-resolve -t object HEAD
	cd ..
	assert_fatal "vcs-resolve: there is no repository in '.' or above" \
		vcs-resolve HEAD
}

# bats test_tags=normal
@test "a name that is not found because a pack cannot be opened ends the filter" {
	need_strace
	repository
	commit a
	commit b
	git gc -q
	pack=$(echo "$PWD"/.git/objects/pack/*.pack)
	run -0 vcs-resolve HEAD~1
	for error in EIO EMFILE EACCES ENOMEM; do
		for name in HEAD~1 v9; do
			run -2 --separate-stderr strace -o /dev/null -P "$pack" \
				-e inject=openat,open:error=$error \
				vcs-resolve $name
		done
	done
	[[ $stderr == *": Cannot allocate memory" ]]
}
