# weir.bats - what files are, and whether the pipelines that weir prints work

load helper

setup() {
	enter_test
	find_filters
}

# pipelines - prints the pipelines in the output of weir, each followed by a NUL
pipelines() {
	awk '/^    / { text = text (text == "" ? "" : "\n") $0; next }
		text != "" { printf "%s%c", text, 0; text = "" }
		END { if (text != "") printf "%s%c", text, 0 }' "$@"
}

# try_pipelines NAME... - runs what weir prints for the files, each pipeline in a
# copy of ../store with these files, with sh; each must print something or write
# a file
try_pipelines() {
	local command n=0 status
	weir "$@" >weir.out
	while IFS= read -r -d '' command; do
		rm -rf ../tried && cp -r ../store ../tried && : >../marker
		[ "$1" = . ] || cp "$@" ../tried
		status=0
		(cd ../tried && sh -c "$command") >../out 2>../err </dev/null ||
			status=$?
		n=$((n + 1))
		# 2: with one run on each side nothing can be proven, and a
		# program may have no main.
		if [ $status -gt 1 ]; then
			grep -qe 'nothing can be said' -e "is named 'main'" \
				../err && continue
		elif [ -s ../out ] ||
			[ -n "$(find ../tried -newer ../marker -type f)" ]
		then
			continue
		fi
		echo "status $status: $command"
		cat ../out ../err
		return 1
	done < <(pipelines weir.out)
	[ $n -gt 0 ] || { cat weir.out; return 1; }
}

# make_store DIRECTORY - creates a repository with a commit and a store
make_store() {
	git init -q --template= "$1" &&
		git -C "$1" -c user.name=jo -c user.email=jo@x commit -q \
		--allow-empty -m first && pidx-init "$1" >init
}

@test "without a file, each filter is listed with what it answers, and no other" {
	weir >out
	sed -n 's/^  \([a-z-]*\) .*/\1/p' out | sort >listed
	lines "${FILTERS[@]}" | grep -vx weir | sort | diff - listed
	[ "$(awk 'length > 80' out)" = "" ]
}

@test "the samples of all filters are known, with the numbers that filters give" {
	for sample in "$DATA"/*/sample*; do
		run -0 weir "$sample"
		[[ ${lines[0]} == "$sample: "* ]]
		[[ ${lines[0]} != *"not known"* ]]
		[[ $output == *$'\n    '* || $output == *"has no times"* ]]
	done
	# The count is that of the reader, whatever the format.
	for sample in "$DATA"/execlog-parse/sample*; do
		n=$(execlog-parse "$sample" | grep -c '"type":"task"')
		run -0 weir "$sample"
		[[ ${lines[0]} =~ ", $n task"s?(,|$) ]]
	done
	for sample in "$DATA"/buildgraph-parse/sample*; do
		n=$(buildgraph-parse "$sample" | grep -c '"type":"node"')
		run -0 weir "$sample"
		[[ ${lines[0]} =~ ", $n node"s?(,|$) ]]
	done
}

# bats test_tags=normal
@test "each pipeline for the files of the examples works in sh" {
	mkdir in && cp "$DATA"/demo/*.* "$DATA/demo/ninja_log" in && cd in
	make_store ../store
	malparse mal-2018.json | malload ../x.db >../out && mv ../x.db .
	# One of each kind, and one that each reader reads
	for file in cargo.jsonl duckdb.json execution_graph_dump.proto.zst \
		callgraph.ndjson history.ndjson go-bench.txt mal-trace.csv x.db
	do
		try_pipelines "$file"
	done
}

# bats test_tags=normal
@test "each pipeline for files that belong together works in sh" {
	mkdir in && cp "$DATA"/demo/*.* "$DATA/demo/ninja_log" in && cd in
	make_store ../store
	execlog-parse -o tasks build.log
	buildgraph-parse -o nodes graph.json
	critpath -g nodes tasks >path
	jq '.results[].times[] *= 2' hyperfine.json >slow.json
	cp build.log other.log
	try_pipelines build.log graph.json
	try_pipelines tasks nodes
	try_pipelines tasks graph.json
	try_pipelines ninja_log graph.dot deps.txt
	grep -q -e '--deps deps.txt' weir.out
	try_pipelines build.log other.log
	try_pipelines build.log other.log local.json
	try_pipelines path
	try_pipelines mal-2018.json mal-2023.json
	try_pipelines callgraph.ndjson callgraph.ndjson
	try_pipelines hyperfine.json slow.json
	(cd ../store && try_pipelines .)
	rm -r ../store/.perun
	(cd ../store && try_pipelines .)
}

@test "names are quoted for sh, and control characters do not reach a terminal" {
	mkdir in && cd in
	for name in "a b.log" "it's.log" '$(touch made).log' '-x.log' 'a"\%s.log' \
		$'tab\there.log' $'esc\e[31m\nline.log' 'é.log'; do
		cp "$DATA/demo/build.log" "./$name"
		weir -- "$name" >../out
		[[ $(<../out) != *[$'\e\t']* ]]
		pipelines ../out >../commands
		IFS= read -r -d '' command <../commands
		sh -c "$command" >../answer 2>../err
		grep -q '"type":"critical"' ../answer
		rm -- "$name"
	done
	[ ! -e made ]
}

@test "what is no file of weir's has status 1 and a sentence" {
	mkdir in && cd in
	: >empty
	printf ' \n\n' >blank
	lines 'what is this?' >text
	lines '{}' >object
	lines '{"a":1}' >untyped
	lines '[1,2,3]' >array
	lines '"string"' >string
	lines '<?xml version="1.0"?>' >xml
	lines '<!DOCTYPE html>' >html
	lines '<svg xmlns="x"/>' >svg
	lines 'a,b,c' '1,2,3' >csv
	lines '# ninja log v5' >header
	lines '{"id":{"started":{}}}' >bep
	lines '{"resourceSpans":[]}' >otel
	lines '{"type":"unknown"}' >unknown
	lines 'make: Nothing to be done' >make
	lines 'all: b' >Makefile
	lines 'rule cc' >build.ninja
	printf 'PERFILE2\0\0' >perf
	printf '\0\1\2\3' >binary
	sqlite3 foreign.db 'CREATE TABLE t (a)'
	head -c 3000 /dev/zero >zeros
	gzip -c text >text.gz
	for file in *; do
		run --separate-stderr -1 weir "$file"
		[[ ${lines[0]} == "$file: "?* ]]
		[ "${#lines[@]}" -eq 1 ]
		[ -z "$stderr" ]
	done
	run -1 weir empty header Makefile build.ninja xml foreign.db
	assert_equal "${lines[0]}" "empty: empty"
	[[ ${lines[1]} == "header: a log of ninja, version 5, but execlog-parse "* ]]
	[[ ${lines[2]} == "Makefile: a makefile: 'make-record make' "* ]]
	[[ ${lines[3]} == *"what 'ninja -t graph' prints" ]]
	assert_equal "${lines[4]}" "xml: XML, which no filter reads"
	[[ ${lines[5]} == *", but not one of malload: "* ]]
}

@test "damaged files are still known, and what is rejected is said" {
	cp "$DATA/demo/build.log" . && sed -i '3s/.*/nonsense/' build.log
	run -0 weir build.log
	[[ ${lines[0]} =~ "; rejected: 1 line or value, the first: line 3: " ]]
	gzip -c "$DATA/demo/build.log" | head -c 2000 >cut.gz
	run -0 weir cut.gz
	[[ ${lines[0]} == "cut.gz: a log of distbuild, "*"; the file ends early"* ]]
	execlog-parse "$DATA/demo/build.log" >tasks
	run -0 weir <(head -n 9 tasks)
	[[ ${lines[0]} == *"of execlog-parse, 8 tasks; the end record is missing" ]]
	run -0 weir tasks
	[[ ${lines[0]} == *"of execlog-parse, 70 tasks" ]]
	lines nonsense >>tasks
	run -0 weir tasks
	[[ ${lines[0]} == *"of execlog-parse, 70 tasks; rejected: 1 "* ]]
	# Cut anywhere: known, or not, but never a crash or a foreign answer.
	size=$(wc -c <"$DATA/demo/graph.json")
	for ((n = 1; n < size; n += 391)); do
		head -c $n "$DATA/demo/graph.json" >cut.json
		run weir cut.json
		[ "$status" -le 1 ]
		[[ $output != *critpath* || $output == *"has no times"* ]]
	done
}

@test "- is standard input, and what cannot be read has status 2" {
	run -0 weir - <"$DATA/demo/build.log"
	assert_equal "${lines[0]}" "<stdin>: a log of distbuild, 70 tasks"
	[[ $output == *"execlog-parse FILE | critpath"* ]]
	run -2 weir missing "$DATA/demo/build.log"
	[[ ${lines[0]} == "missing: cannot open "* ]]
	[[ $output == *"| critpath"* ]]
	mkdir directory
	run -2 weir directory
	assert_equal "$output" "directory: a directory: name files in it"
}

@test "of a long file 16 MiB are read, and the sentence says so" {
	"$BUILD/test/gen/distbuild" 30000 long.log graph
	[ "$(wc -c <long.log)" -gt 20000000 ]
	execlog-parse <(head -c 16777216 long.log) 2>err >tasks || true
	n=$(grep -c '"type":"task"' tasks)
	run -0 weir long.log
	[[ ${lines[0]} =~ "in its first 16 MiB "([0-9]+)" tasks" ]]
	[ $((n - BASH_REMATCH[1])) -le 2000 ]
	[ "${BASH_REMATCH[1]}" -lt $((n + 2000)) ]
	zstd -q long.log
	run -0 weir long.log.zst
	[[ ${lines[0]} == *"in its first 16 MiB "* ]]
}

@test "what is missing beside a file is named, and programs have a path" {
	cp "$DATA"/demo/{graph.dot,deps.txt,ninja_log,build.log} .
	run -0 weir graph.dot
	[[ $output == *"name the log of the build"* ]]
	run -0 weir deps.txt
	[[ $output == *"belong to a graph"* ]]
	run -0 weir build.log
	[[ $output == *"name the graph of the build"* ]]
	run -0 weir ninja_log graph.dot
	[[ $output != *"name the"* ]]
	cp "$(type -P true)" prog
	run -0 weir prog
	[[ $output == *$'\n    callgraph-record -o calls ./prog' ]]
	run -0 weir "$DATA/demo/spark.log"
	[[ $output != *"name the"* ]]
}
