# pages.bats - the manual pages are valid and agree with the programs.  The tests
# find pages and filters by themselves: new ones need no change here.

# bats file_tags=normal

load helper

MAN=$ROOT/man
EXAMPLES=$DATA/demo

PAGES=("$MAN"/*.[1357])

find_filters

# expect_empty FILE COMPLAINT - fails and prints the file unless it is empty
expect_empty() {
	[ ! -s "$1" ] && return
	echo "$2"
	cat "$1"
	return 1
}

# options_of FILTER - prints the options that a filter lists, each as "LETTER LONG
# -ARGUMENT" in lower case, with - for a missing letter or argument
options_of() {
	"$1" --list-options | awk -F '\t' 'NR > 1 {
		sub(/^-/, "", $1); sub(/^--/, "", $2); sub(/^-$/, "", $3)
		print ($1 == "" ? "-" : $1), $2, "-" $3 }' |
		tr '[:upper:]' '[:lower:]' | sort
}

# options_in_page PAGE - prints the options that a page defines, in the same form
options_in_page() {
	sed -nE \
		-e 's/ Ns = Ns Ar /=/g' \
		-e 's/^\.It Fl -/.It Fl - , Fl -/' \
		-e 's/^\.It Fl (.) , Fl -([a-z-]+)( Ar (.*))?$/\1 \2 -\4/p' "$1" |
		tr '[:upper:]' '[:lower:]' | sort
}

# defined_keys - prints the keys that weir-records(5) defines, as "SECTION KEY"
defined_keys() {
	sed ':join; /\\$/ { N; s/\\\n//; b join; }' "$MAN/weir-records.5" | awk '
	/^\.S[hs] / { section = substr($0, 5) }
	/^\.It Ic / { n = split(substr($0, 8), key, " , ")
		for (i = 1; i <= n; i++) print section " " key[i] }'
}

# sample_records - prints the records that the filters for builds and call graphs
# write for the inputs in EXAMPLES, for those of callgraph-stat's tests and for a
# small program
sample_records() (
	local log=(build.log local.json ninja_log actions.json profile.json
		spark.log run_results.json)
	local graph=(graph.json graph.json graph.dot graph.json graph.json
		graph.dot manifest.json)
	cd "$EXAMPLES" || exit
	for i in "${!log[@]}"; do
		(buildgraph-parse "${graph[i]}" && execlog-parse "${log[i]}") \
			>"$BATS_TEST_TMPDIR/in" || exit
		cat "$BATS_TEST_TMPDIR/in"
		critpath -a -k 5 -w 2 "$BATS_TEST_TMPDIR/in" || exit
		critpath -b -d kind=run "$BATS_TEST_TMPDIR/in" || exit
		execlog-stat "$BATS_TEST_TMPDIR/in" || exit
	done
	execlog-parse --each cargo.jsonl || exit
	execlog-parse execution_graph_dump.proto.zst || exit
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

@test "there are pages, and mandoc has no complaints" {
	[ -e "${PAGES[0]}" ]
	require mandoc
	# mandoc suspects that the section RECORDS is a misspelled ERRORS.  Which
	# pages of other programs it finds depends on the machine; the next test
	# checks references.
	cd "$MAN"
	mandoc -Tlint -W style ./*.[1357] | grep -vE \
		-e 'section name: Sh RECORDS instead of ERRORS$' \
		-e 'referenced manual not found: ' \
		>"$BATS_TEST_TMPDIR/complaints" || true
	expect_empty "$BATS_TEST_TMPDIR/complaints" "mandoc complains"
}

# The pages of other programs to which pages refer
OTHER_PAGES="atoi.3 bash.1 debhelper.7 debootstrap.8 env.1 git-gc.1 make.1 sh.1
	strace.1"

@test "a page refers only to pages of weir, and to a few of other programs" {
	sed -nE 's/^\.(.* )?Xr ([^ ]+) ([0-9]).*/\2.\3/p' "${PAGES[@]}" |
		sort -u >referred
	{ ls "$MAN" && xargs -n 1 <<<"$OTHER_PAGES"; } | sort >known
	[ "$(wc -l <referred)" -gt 30 ]
	comm -23 referred known >unknown
	expect_empty unknown "there are no such pages"
	xargs -n 1 <<<"$OTHER_PAGES" | sort | comm -23 - referred >unused
	expect_empty unused "no page refers to these"
}

@test "a page refers only to sections that it has" {
	awk '
	/^\.S[hs] / { sections[FILENAME, substr($0, 5)] }
	sub(/^(\.|\.It )Sx /, "") {
		sub(/ [.,;:]$/, "")
		referred[FILENAME, $0]
	}
	END {
		for (reference in referred)
			if (!(reference in sections)) {
				split(reference, part, SUBSEP)
				print part[1] ": " part[2]
			}
	}' "${PAGES[@]}" >missing
	expect_empty missing "pages have no such sections"
}

@test "the index of weir-records(5) lists every record, and no other" {
	page=$MAN/weir-records.5
	sed -n 's/^\.It Sx //p' "$page" | sort >listed
	[ -s listed ]
	awk '/^\.Sh / { records = /^\.Sh (RECORDS|TABLES)/ }
		records && sub(/^\.Ss /, "")' "$page" | sort | diff - listed
}

@test "every filter has a page with all sections" {
	for f in "${FILTERS[@]}"; do
		lines CAVEATS DESCRIPTION EXAMPLES "EXIT STATUS" NAME OPTIONS \
			RECORDS "SEE ALSO" SYNOPSIS |
			comm -23 - <(sed -n 's/^\.Sh //p' "$MAN/$f.1" | sort) \
			>missing
		expect_empty missing "$f.1 lacks sections"
		grep -qxF ".Nm $f" "$MAN/$f.1"
	done
}

@test "weir(7) and section 1 cover every filter, and no other" {
	sed -n 's/^\.It Xr \(.*\) 1$/\1/p' "$MAN/weir.7" | sort >listed
	lines "${FILTERS[@]}" | sort >there
	diff there listed
	(cd "$MAN" && lines *.1 | sed 's/\.1$//' | sort) >paged
	diff there paged
}

@test "weir(7) and the README name all formats of logs and graphs" {
	for f in execlog-parse buildgraph-parse; do
		sed -n "/^\.It Xr $f 1/,/^\.\(It\|El\)/p" "$MAN/weir.7" >tour
		grep "^| \`$f\`" "$ROOT/README.md" >table
		"$f" --help | sed -n '/^Formats:/,/^$/s/^  \([a-z-]*\) .*/\1/p' |
			sed -e 's/^local$/ya/' -e 's/^bazel-graph$/bazel/' >formats
		[ -s formats ]
		while IFS= read -r format; do
			grep -qiw "$format" tour && grep -qiw "$format" table ||
				{ echo "$f: $format"; return 1; }
		done <formats
	done
}

@test "weir(7) refers to every other page under SEE ALSO" {
	sed -n '/^\.Sh SEE ALSO/,$s/^\.Xr \([^ ]*\) \([1-7]\).*/\1.\2/p' \
		"$MAN/weir.7" | sort >listed
	(cd "$MAN" && lines *.[1357] | grep -vx weir.7 | sort) | diff - listed
}

@test "the change log begins with the version that filters and make know" {
	version=$(sed -n 's/^\.Ss //p' "$MAN/weir-changes.7" | head -n 1)
	[ "$(sed -n 's/^VERSION = //p' "$ROOT/Makefile")" = "$version" ]
	[ "$(critpath --version)" = "critpath (weir) $version" ]
}

@test "a filter's page and weir(7) define all its options, and no others" {
	options_in_page "$MAN/weir.7" >common
	[ -s common ]
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		options_of "$f" >helped
		options_in_page "$MAN/$f.1" >own
		[ -s helped ]
		sort -u own common | comm -23 helped - >missing
		expect_empty missing "not in a page"
		comm -13 helped own >surplus
		expect_empty surplus "not an option"
		comm -12 own common >twice
		expect_empty twice "in both pages"
		cat helped >>all
	done
	sort -u all | comm -13 - common >surplus
	expect_empty surplus "in weir(7), but no filter has it"
}

@test "every key in the sample records is defined in weir-records(5)" {
	require jq
	sample_records >records
	jq -r '(if .type == "stat" then "stat " + .stat else .type end)
		as $section | keys_unsorted[] | "\($section) \(.)"' records |
		sort -u >printed
	[ -s printed ]
	defined_keys | sort >defined
	# A key may also be defined for every record, or for all stat records.
	awk 'NR == FNR { defined[$0]; next }
	!($0 in defined || ("every record " $NF) in defined ||
		/^stat / && ("stat " $NF) in defined)' defined printed >undefined
	expect_empty undefined "printed, but not defined"
}

@test "every key that weir-records(5) defines is in the code" {
	defined_keys | sed 's/.* //' | sort -u >defined
	[ -s defined ]
	# malstat writes keys that begin with these also without that.
	grep -rohE '"[a-z_0-9]+"' "$ROOT/filters" "$ROOT/common" | tr -d '"' |
		sed -E 'p;s/^(before|query)_//' | sort -u | comm -23 defined - >unknown
	expect_empty unknown "defined, but not in the code"
}

@test "the columns of malload's tables are the keys of weir-records(5)" {
	malparse "$EXAMPLES/trace.json" | malload --sql >sql
	sed -nE 's/^CREATE TABLE "(.*)" \($/\1/; T column; h; d
		:column; /^\);/ { s/.*//; h; d; }
		s/^\t"([a-z_]+)" .*/\1/; T; G; s/(.*)\n(.+)/\2 \1/p' sql |
		sort >columns
	[ "$(wc -l <columns)" -gt 100 ]
	defined_keys | awk 'NR == FNR { tables[$1]; next }
		NF == 2 && $1 in tables' columns - | sort | diff columns -
}

@test "no key is defined twice in one section" {
	defined_keys | sort | uniq -d >twice
	expect_empty twice "defined twice"
}

# setup_file - writes each page as a terminal of 80 columns shows it, without its
# first and its last line
setup_file() {
	local page
	mkdir "$BATS_FILE_TMPDIR/shown" && cd "$BATS_FILE_TMPDIR/shown" || return
	! command -v mandoc >/dev/null || for page in "${PAGES[@]}"; do
		mandoc -Tutf8 -O width=80 "$page" >"${page##*/}" || return
	done
	[ ! -e weir.7 ] || sed -s -i -e '1d;$d' -e 's/.\x08//g' ./*
}

# shown PAGE - prints a page as a terminal shows it
shown() {
	cat "$BATS_FILE_TMPDIR/shown/$1"
}

# section PAGE NAME - prints a section as it is shown, its heading first
section() {
	shown "$1" | awk -v name="$2" '/^[^ ]/ { on = $0 == name } on'
}

# reasons - prints what the EXIT STATUS of pages of section 1 says, as lines of a
# page, a status and a reason; the reasons for a status are between semicolons
reasons() {
	local page
	for page in "$MAN"/*.1; do
		section "${page##*/}" "EXIT STATUS" |
		awk -v page="${page##*/}" '
		function print_reasons() {
			n = split(text, reason, ";")
			for (i = 1; i <= n; i++)
				print page, status, reason[i]
			text = ""
		}
		match($0, /^ +[0-9]+  +/) {
			print_reasons()
			status = $1
			text = substr($0, RLENGTH + 1)
			next
		}
		/^     ?[^ ]/ { print_reasons() }
		text != "" { sub(/^ +/, " "); text = text $0 }
		END { print_reasons() }'
	done
}

# status_cases - prints the cases of statuses.txt as page, status, words and
# command, each followed by a NUL
status_cases() {
	awk '
	/^#/ || !NF { next }
	/^\t/ { printf "%s%c", substr($0, 2), 0; next }
	{
		page = $1
		status = $2
		sub(/^[^ ]+ [^ ]+ /, "")
		printf "%s%c%s%c%s%c", page, 0, status, 0, $0, 0
	}' "$TEST/statuses.txt"
}

# link_named COMMAND FOLDER - links those files of EXAMPLES that a command names
link_named() {
	local file name files=()
	for file in "$EXAMPLES"/*; do
		name=${file##*/}
		name=${name/Makefile/make}	# which make finds itself
		[[ $1 != *"$name"* ]] || files+=("$file")
	done
	[ ${#files[@]} -eq 0 ] || ln -s "${files[@]}" "$2"
}

# try_statuses - runs the command of each of status_cases in a folder of its own,
# named by a number, and prints what is not as a page says
try_statuses() {
	local n=0 page status words command ended text=
	export CPATH=$ROOT/instrument LIBRARY_PATH=$BUILD
	while IFS= read -r -d '' page && IFS= read -r -d '' status &&
	    IFS= read -r -d '' words && IFS= read -r -d '' command; do
		[ -e "$page" ] || shown "$page" | tr -s ' \n' ' ' >"$page"
		text=$(<"$page")
		[[ $text == *"$words"* ]] || echo "$page does not say: $words"
		mkdir $((++n)) && link_named "$command" $n
		ended=0
		(cd $n && exec bash -c "$command") >out 2>&1 </dev/null ||
			ended=$?
		[ "$ended" = "$status" ] || {
			echo "$page: status $ended, not $status: $command"
			cat out
		}
	done < <(status_cases)
}

@test "a command ends with the status that a page gives it" {
	require mandoc
	try_statuses >wrong
	[ -d 1 ]
	expect_empty wrong "statuses are not as pages say"
}

@test "each reason for a status has a case" {
	require mandoc
	reasons >said
	status_cases | tr '\n\0' ' \n' | paste - - - - >cases
	while read -r page status reason; do
		awk -F '\t' -v page="$page" -v status="$status" \
			-v reason="$reason" '
		$1 == page && $2 == status && index(reason, $3) { found = 1 }
		END { exit !found }' cases || echo "$page $status: $reason"
	done <said >untried
	expect_empty untried "no case in statuses.txt"
	# Each filter says what 0 and 2 mean.
	for f in "${FILTERS[@]}"; do
		grep -q "^$f.1 0 " said && grep -q "^$f.1 2 " said || echo "$f"
	done >silent
	expect_empty silent "says nothing of a status"
}

@test "the first screens of a page answer, and its length is limited" {
	require mandoc
	for page in "${PAGES[@]}"; do
		page=${page##*/}
		[ "$page" != weir-changes.7 ] || continue
		lines=$(section "$page" DESCRIPTION | wc -l)
		[ "$lines" -le 48 ] ||
			echo "$page: DESCRIPTION has $lines lines, not 48"
		[[ $page == *.1 ]] || continue
		section "$page" DESCRIPTION | grep -q '^ *\$ ' ||
			echo "$page: no command in DESCRIPTION"
		words=$(shown "$page" | wc -w)
		[ "$words" -le 1500 ] || echo "$page: $words words, not 1500"
		[ "$(sed -n 's/^\.Sh //p' "$MAN/$page" | sed -n 4p)" = \
			"EXIT STATUS" ] ||
			echo "$page: EXIT STATUS does not follow DESCRIPTION"
	done >long
	expect_empty long "of a page the first screens do not answer"
}

# lost_headings FILE - prints the headings of a page, which is shown on standard
# input, that are not shown as they are written: mdoc would take .Ss In CI for the
# header file <CI>
lost_headings() {
	sed -n 's/^\.S[hs] //p' "$1" | sed 's/\\&//g; s/"//g' | sort >written
	sed 's/.\x08//g; s/^   \([^ ]\)/\1/' | sort | comm -23 written -
}

@test "headings are shown as they are written, and none is taken for a macro" {
	require mandoc
	for page in "${PAGES[@]}"; do
		shown "${page##*/}" | lost_headings "$page" |
			sed "s/^/${page##*/}: /"
	done >lost
	expect_empty lost "a heading contains a macro: write \\& before it"
	{ cat "$MAN/weir-make.7"; lines '.Ss In CI' '.Ss \&In a year'; } >page
	assert_equal "$(mandoc -Tutf8 page | lost_headings page)" "In CI"
}

@test "each page shows a command with its output" {
	require mandoc
	for page in "$MAN"/*.1; do
		shown "${page##*/}" | awk '
		shows && NF && !/^ *[>$] / { found = 1 }
		{ shows = /^ +[>$] / }
		END { exit !found }' || echo "${page##*/}"
	done >silent
	expect_empty silent "no example shows its output"
}
