# pages.bats - the manual pages tell the truth: they are found in man/, and a
# page or a filter that is added is tested without a change here

load helper

MAN=$ROOT/man
EXAMPLES=$TEST/data/examples

PAGES=("$MAN"/*.[1357])

# The filters, found as the Makefile finds them.
FILTERS=()
for source in "$ROOT"/filters/*.c "$ROOT"/filters/*/main.c; do
	[ -e "$source" ] || continue
	source=${source%/main.c}
	source=${source##*/}
	FILTERS+=("${source%.c}")
done

# need PROGRAM - skips the test where it is not installed
need() {
	command -v "$1" >/dev/null || skip "no $1 here"
}

# none FILE COMPLAINT - the file is empty; else shows what is in it
none() {
	[ ! -s "$1" ] && return
	echo "$2"
	cat "$1"
	return 1
}

# helped FILTER - its options by --help, each as "LETTER LONG ARGUMENT"; a
# letter or an argument that it has not is -
helped() {
	"$1" --help | sed -nE \
		-e 's/^      --/  --, --/' \
		-e 's/^  -(.), --([a-z-]+)( ([A-Z=]+))?( .*)?$/\1 \2 -\4/p' |
		tr '[:upper:]' '[:lower:]' | sort
}

# paged PAGE - the options that a page defines, in the same way
paged() {
	sed -nE \
		-e 's/ Ns = Ns Ar /=/' \
		-e 's/^\.It Fl -/.It Fl - , Fl -/' \
		-e 's/^\.It Fl (.) , Fl -([a-z-]+)( Ar (.*))?$/\1 \2 -\4/p' "$1" |
		tr '[:upper:]' '[:lower:]' | sort
}

# commands PAGE - the shell commands of its EXAMPLES, a NUL behind each; a line
# that begins with "> " goes on with the one before
commands() {
	awk '
	function done() { if (command != "") printf "%s%c", command, 0
		command = "" }
	/^\.Sh / { here = /^\.Sh EXAMPLES$/ }
	/^\.Bd -literal/ { literal = 1; next }
	/^\.Ed/ { literal = 0; done() }
	!here || !literal { next }
	{ gsub(/\\e/, "\\"); gsub(/\\&/, "") }
	/^\$ / { done(); command = substr($0, 3); next }
	/^> / { command = command "\n" substr($0, 3); next }
	{ done() }' "$1"
}

# run_command COMMAND - it ends as it says ("# exits 1") and prints something
run_command() {
	local wanted=0 status=0
	[[ $1 =~ \#\ exits\ ([0-9]+) ]] && wanted=${BASH_REMATCH[1]}
	bash -o pipefail -c "$1" >"$BATS_TEST_TMPDIR/out" \
		2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
	[ "$status" -eq "$wanted" ] && [ -s "$BATS_TEST_TMPDIR/out" ] && return
	echo "status $status, not $wanted, or no output: $1"
	cat "$BATS_TEST_TMPDIR/err"
	return 1
}

# defined - what weir-records(5) defines, as "SECTION KEY"
defined() {
	awk '
	/^\.S[hs] / { section = substr($0, 5) }
	/^\.It Ic / { n = split(substr($0, 8), key, " , ")
		for (i = 1; i <= n; i++) print section " " key[i] }' \
		"$MAN/weir-records.5"
}

# answers - all that the filters have to say on the example inputs
answers() (
	local log=(build.log local.json ninja_log)
	local graph=(graph.json graph.json graph.dot)
	cd "$EXAMPLES" || exit
	for i in 0 1 2; do
		(execlog-parse "${log[i]}" && buildgraph-parse "${graph[i]}") \
			>"$BATS_TEST_TMPDIR/in" || exit
		cat "$BATS_TEST_TMPDIR/in"
		critpath -a -k 5 -w 2 "$BATS_TEST_TMPDIR/in" || exit
		critpath -b -d kind=run "$BATS_TEST_TMPDIR/in" || exit
		execlog-stat "$BATS_TEST_TMPDIR/in" || exit
	done
	callgraph-merge callgraph.ndjson || exit
	echo 'int main(void) { return 0; }' |
		gcc -g -x c - -o "$BATS_TEST_TMPDIR/app" &&
		callgraph-release "$BATS_TEST_TMPDIR/app"
	for by in function file module callsite; do
		callgraph-stat --by $by "$DATA/callgraph-stat/app.in" || exit
		callgraph-stat --by $by "$DATA/callgraph-stat/app.in" \
			--diff "$DATA/callgraph-stat/app.old" || exit
	done
	callgraph-stat --callers fib "$DATA/callgraph-stat/app.in" || exit
)

@test "there are pages, and mandoc finds nothing wrong with them" {
	[ -e "${PAGES[0]}" ]
	need mandoc
	# It takes the section RECORDS for a misspelt ERRORS.
	cd "$MAN"
	mandoc -Tlint -W style ./*.[1357] |
		grep -v 'section name: Sh RECORDS instead of ERRORS$' \
		>"$BATS_TEST_TMPDIR/complaints" || true
	none "$BATS_TEST_TMPDIR/complaints" "mandoc complains"
}

@test "every filter has a page with all sections" {
	for f in "${FILTERS[@]}"; do
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS RECORDS \
		    "EXIT STATUS" EXAMPLES CAVEATS "SEE ALSO"; do
			grep -qxF ".Sh $section" "$MAN/$f.1" ||
				{ echo "$f.1 has no $section"; return 1; }
		done
		grep -qxF ".Nm $f" "$MAN/$f.1"
	done
}

@test "weir(7) lists every filter, and none that does not exist" {
	sed -n 's/^\.It Xr \(.*\) 1$/\1/p' "$MAN/weir.7" | sort >listed
	lines "${FILTERS[@]}" | sort >there
	diff there listed
	(cd "$MAN" && lines *.1 | sed 's/\.1$//' | sort) >paged
	diff there paged
}

@test "every option of a filter is in its page or in weir(7), and no other" {
	paged "$MAN/weir.7" >common
	[ -s common ]
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		helped "$f" >helped
		paged "$MAN/$f.1" >own
		[ -s helped ]
		sort -u own common | comm -23 helped - >missing
		none missing "not in a page"
		comm -13 helped own >surplus
		none surplus "not in --help"
		comm -12 own common >twice
		none twice "in both pages"
		cat helped >>all
	done
	sort -u all | comm -13 - common >surplus
	none surplus "in weir(7) and of no filter"
}

@test "every command of every page's EXAMPLES runs and prints something" {
	need jq
	# The libraries are found as if they were installed.
	LIBRARY_PATH=$(realpath "$BUILD") LD_LIBRARY_PATH=$(realpath "$BUILD")
	CPATH=$(realpath "$ROOT/instrument")
	export LIBRARY_PATH LD_LIBRARY_PATH CPATH
	for page in "${PAGES[@]}"; do
		echo "-- ${page##*/}"
		rm -rf "$BATS_TEST_TMPDIR/here"
		cp -R "$EXAMPLES" "$BATS_TEST_TMPDIR/here"
		cd "$BATS_TEST_TMPDIR/here"
		n=0
		while IFS= read -r -d '' command; do
			run_command "$command"
			n=$((n + 1))
		done < <(commands "$page")
		[ "$n" -gt 0 ]
	done
}

@test "every key that a filter prints is defined in weir-records(5)" {
	need jq
	answers >records
	jq -r '(if .type == "stat" then "stat " + .stat else .type end) as $t
		| keys_unsorted[] | "\($t) \(.)"' records | sort -u >printed
	[ -s printed ]
	defined | sort >defined
	while IFS= read -r line; do
		key=${line##* }
		grep -qxF -e "$line" -e "every record $key" defined ||
			{ [[ $line == "stat "* ]] &&
			grep -qxF "stat $key" defined; } ||
			echo "$line"
	done <printed >undefined
	none undefined "printed and not defined"
}

@test "every key that weir-records(5) defines is one that the code knows" {
	defined | sed 's/.* //' | sort -u |
	while IFS= read -r key; do
		grep -rqF "\"$key\"" "$ROOT/filters" "$ROOT/common" ||
			echo "$key"
	done >unknown
	none unknown "defined and not in the code"
}

@test "no key is defined twice in one section" {
	defined | sort | uniq -d >twice
	none twice "defined twice"
}
