# pidx.bash - Perun stores for tests: load it after helper

ORACLE=$TEST/oracles/perun.py

# git and the filters see only the settings of the test.
export HOME=$BATS_TEST_TMPDIR GIT_CONFIG_NOSYSTEM=1 TZ=UTC
export GIT_AUTHOR_NAME="A U Thor" GIT_AUTHOR_EMAIL=author@example.org
export GIT_COMMITTER_NAME="C O Mitter" GIT_COMMITTER_EMAIL=c@example.org
export LSAN_OPTIONS=print_suppressions=0:suppressions=$TEST/vcs-leaks.supp
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE XDG_CONFIG_HOME PERUN_CONFIG_DIR

oracle() {
	python3 "$ORACLE" "$@"
}

# Each test runs in the repository ./repo, which has one commit, $id, and a store
# whose new indexes are of version 2; standard input is empty.
setup() {
	repository "$BATS_TEST_TMPDIR"
}

# repository DIR - creates DIR/repo with a commit and a store
repository() {
	exec </dev/null
	cd "$1" && git init -q -b main repo && cd repo &&
		git commit -q --allow-empty -m first &&
		id=$(git rev-parse HEAD) &&
		pidx-init --index-version 2 >/dev/null
}

# commit - makes another commit; $id is its id
commit() {
	git commit -q --allow-empty -m next
	id=$(git rev-parse HEAD)
}

# commits N - makes N commits on another branch; prints their ids
commits() {
	seq "$1" |
		sed 's,.*,commit refs/heads/many\ncommitter C <c> & +0000\ndata 0,' |
		git fast-import --quiet
	git rev-list many
}

# file ID [STORE] - prints the path of an object or an index
file() {
	echo "${2:-.perun}/objects/${1:0:2}/${1:2}"
}

# profile [CMD [WORKLOAD [TYPE [COLLECTOR]]]] - prints a small profile, on one line
profile() {
	jq -nc --arg cmd "${1:-cmd}" --arg workload "${2:-}" \
		--arg type "${3:-time}" --arg collector "${4:-time}" '{
		header: {type: $type, units: {time: "s"}, cmd: $cmd,
			workload: $workload},
		collector_info: {name: $collector, params: {}},
		postprocessors: [],
		global: {time: "1.5", resources: [
			{amount: 1.5, uid: "main", type: "time", order: 1},
			{amount: 2.5, uid: "main", type: "time", order: 2}]}}'
}

# record PATH TIME [CMD...] - prints a `profile` record for pidx-write, of the
# profile with these arguments
record() {
	local path=$1 time=$2
	shift 2
	profile "$@" | jq -c --arg path "$path" --argjson time "$time" \
		'{type: "profile", path: $path, time: $time, profile: .}'
}

# value KEY - prints a member of every record in $output
value() {
	jq -r ".$1" <<<"$output"
}

# listed [ID] - prints the entries of an index, read by the oracle
listed() {
	oracle entries "$(file "${1:-$id}")" | jq -cS .
}

# tree [STORE] - prints all files of a store: name, type, mode, size, time, SHA-1
tree() {
	(cd "${1:-.perun}" && find . -printf '%p %y %m %s %T@\n' | sort &&
		find . -type f -print0 | sort -z | xargs -0 sha1sum)
}

# no_staging [DIR] - expects no staging directory in the store, or in those below
# DIR
no_staging() {
	local found
	found=$(find "${1:-.perun}" -path '*/objects/.*')
	[ -z "$found" ] && return
	echo "not removed: $found"
	return 1
}

# check COUNT [ID [STORE]] - expects COUNT entries in a valid index
check() {
	assert_equal "$(oracle check "${3:-.perun}" "${2:-$id}")" "$1"
}

# traced CALL - prints the numbers of the first and the last of such calls in the
# file trace that were made after the store was locked; nothing if none was
traced() {
	awk -v call="$1(" '
		/weir\.lock/ { locked = 1 }
		index($0, call) == 1 { n++; if (locked && !first) first = n }
		END { if (first) print first, n }' trace
}
