# pidx.bash - Perun stores for tests: load it after helper

load members

ORACLE=$TEST/oracles/perun.py

# git and the filters see only the settings of the test.
export HOME=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}
export GIT_AUTHOR_NAME="A U Thor" GIT_AUTHOR_EMAIL=author@example.org
export GIT_COMMITTER_NAME="C O Mitter" GIT_COMMITTER_EMAIL=c@example.org
export LSAN_OPTIONS=print_suppressions=0:suppressions=$TEST/vcs-leaks.supp

# oracle COMMAND ARGUMENT... - reads or writes stores without weir;
# oracles/perun.py lists the commands.  A LAYOUT of an index is 1, 2args, 2 or
# 2label: see enum pidx_layout.
oracle() {
	# Python would compile the program in each run.
	local compiled=$BATS_FILE_TMPDIR/${ORACLE##*/}c
	[ -e "$compiled" ] || python3 -c 'import py_compile, sys
py_compile.compile(*sys.argv[1:])' "$ORACLE" "$compiled" || return
	python3 -S "$compiled" "$@"
}

# Each test runs in the repository ./repo, which has one commit, $id, and a
# store whose new indexes are of version 2; standard input is empty.  A store,
# .perun, has objects, which are profiles, and for each commit an index, whose
# entries register objects: see weir-pidx(5).
setup() {
	enter_test
	repository "$BATS_TEST_TMPDIR"
}

# setup_file - creates the repository that the tests of a file copy
setup_file() {
	cd "$BATS_FILE_TMPDIR" && git init -q -b main --template= repo &&
		cd repo && git commit -q --allow-empty -m first &&
		pidx-init --index-version 2 >/dev/null
}

# repository DIR - copies it to DIR/repo, whose commit is $id, and changes to that;
# standard input becomes empty
repository() {
	exec </dev/null
	cp -R "$BATS_FILE_TMPDIR/repo" "$1" && cd "$1/repo" &&
		id=$(<.git/refs/heads/main)
}

# commit - makes another commit; $id is its id
commit() {
	git commit -q --allow-empty -m next
	id=$(git rev-parse HEAD)
}

# commits N - makes N commits on the branch `many`; prints their ids.  The sed
# script turns each number from 1 to N into a commit of git's import stream, with
# the number as its time.
commits() {
	seq "$1" |
		sed 's,.*,commit refs/heads/many\ncommitter C <c> & +0000\ndata 0,' |
		git fast-import --quiet
	git rev-list many
}

# file ID [STORE] - prints the path of an object, or of the index of a commit
file() {
	echo "${2:-.perun}/objects/${1:0:2}/${1:2}"
}

# is_staging - whether a writer has a staging directory, and so the lock
is_staging() {
	compgen -G '.perun/objects/.new-*' >/dev/null
}

# escape TEXT... - sets the array $texts to the texts as in strings of JSON; jq
# would take longer to start
escape() {
	texts=("${@//\\/\\\\}")
	texts=("${texts[@]//\"/\\\"}")
	texts=("${texts[@]//$'\n'/\\n}")
	texts=("${texts[@]//$'\t'/\\t}")
	texts=("${texts[@]//$'\033'/\\u001b}")
}

# profile [CMD [WORKLOAD [TYPE [COLLECTOR]]]] - prints a small profile, on one line
profile() {
	local texts
	escape "${3:-time}" "${1:-cmd}" "${2:-}" "${4:-time}"
	printf '{"header":{"type":"%s","units":{"time":"s"},"cmd":"%s",'`
		`'"workload":"%s"},"collector_info":{"name":"%s","params":{}},'`
		`'"postprocessors":[],"global":{"time":"1.5","resources":['`
		`'{"amount":1.5,"uid":"main","type":"time","order":1},'`
		`'{"amount":2.5,"uid":"main","type":"time","order":2}]}}\n' \
		"${texts[@]}"
}

# record PATH TIME [CMD...] - prints a `profile` record for pidx-write, of the
# profile with these arguments
record() {
	local texts
	escape "$1"
	printf '{"type":"profile","path":"%s","time":%s,"profile":%s}\n' \
		"${texts[0]}" "$2" "$(profile "${@:3}")"
}

# value KEY - prints the member KEY of every record in $output, one per line
value() {
	fields -r "$1"
}

# listed [ID] - prints the entries in the index of a commit, $id by default, as
# the oracle reads them
listed() {
	oracle entries "$(file "${1:-$id}")" | jq -cS .
}

# tree [STORE] - prints all files of a store: name, type, mode, size, time, SHA-1
tree() {
	(cd "${1:-.perun}" && find . -printf '%p %y %m %s %T@\n' | sort &&
		find . -type f -print0 | sort -z | xargs -0 sha1sum)
}

# no_staging [DIR] - expects that no store below DIR, which is .perun by default,
# has a staging directory, objects/.new-*, in which a writer prepares files
no_staging() {
	local found
	found=$(find "${1:-.perun}" -path '*/objects/.*')
	[ -z "$found" ] && return
	echo "not removed: $found"
	return 1
}

# check COUNT [ID [STORE]] - expects that the index of a commit, $id by default,
# is valid, that it has COUNT entries, and that their objects are valid
check() {
	assert_equal "$(oracle check "${3:-.perun}" "${2:-$id}")" "$1"
}

# traced CALL - prints "FIRST LAST" from the file `trace`, an output of strace:
# numbers for its option when=, which counts the calls of CALL from 1.  FIRST is
# the first call after the store was locked, LAST the last call of all.  Prints
# nothing if there is no call after the store was locked.
traced() {
	awk -v call="$1(" '
		/weir\.lock/ { locked = 1 }
		index($0, call) == 1 { n++; if (locked && !first) first = n }
		END { if (first) print first, n }' trace
}
