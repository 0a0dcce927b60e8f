# streams.bats - if the stream in a pipeline is truncated, or the filter that
# writes it is killed, the status of the last filter shows that

# bats file_tags=normal

load helper
load pidx

EXAMPLES=$DATA/demo

setup() {
	enter_test
	exec </dev/null
}

# truncate_stream STREAM READER [STATE] - runs the command READER on the file
# STREAM truncated around the ends of records and at 8 random places, and expects
# status 2 or the answer for the whole stream.  STATE prints what READER stores:
# see oracles/cut.py.
truncate_stream() {
	python3 "$TEST/oracles/cut.py" cut "$(seed)" 8 "$@"
}

@test "builds: a truncated stream gives status 2 or the whole answer" {
	execlog-parse "$EXAMPLES/build.log" >tasks
	buildgraph-parse "$EXAMPLES/graph.json" >nodes
	cat tasks nodes >both
	# Each stream is truncated alone: of both in one file, truncated between
	# them, the first is a whole stream.
	truncate_stream tasks "critpath -g nodes"
	truncate_stream tasks "critpath --text -g nodes"
	truncate_stream tasks "execlog-stat -g nodes"
	truncate_stream nodes "critpath -g /dev/stdin tasks"
	critpath --all both >answer
	truncate_stream answer execlog-stat
}

@test "queries: a truncated stream gives status 2 and loads nothing, or gives all" {
	malparse "$EXAMPLES/mal-2018.json" >rows
	malparse --tasks "$EXAMPLES/mal-2018.json" >tasks
	truncate_stream rows malstat
	truncate_stream tasks critpath
	mkdir state.before
	malload state.before/db /dev/null 2>/dev/null || true
	truncate_stream rows 'malload db' 'sqlite3 db .dump'
}

@test "programs: a truncated stream gives status 2 or the whole answer" {
	cp "$EXAMPLES/callgraph.ndjson" graphs
	callgraph-merge graphs >merged
	truncate_stream merged callgraph-symbolize
	truncate_stream merged callgraph-merge
	truncate_stream merged 'callgraph-fold'
	truncate_stream merged 'callgraph-stat'
	truncate_stream merged "callgraph-stat --diff /dev/stdin merged"
}

@test "history: a truncated stream registers and removes nothing, or everything" {
	mkdir state.before
	(repository "$PWD/state.before" && profile >a.perf && pidx-write a.perf)
	(cd state.before/repo && pidx-read) >entries
	(cd state.before/repo && pidx-read --profiles) >profiles
	(cd state.before/repo && vcs-log) >versions
	truncate_stream versions 'cd state.before/repo && pidx-read'
	state='cd repo && find .perun/objects -type f | sort | xargs sha1sum'
	truncate_stream entries 'cd repo && pidx-rm' "$state"
	(cd state.before/repo && pidx-rm <../../entries >/dev/null)
	truncate_stream profiles 'cd repo && pidx-write' "$state"
}

@test "if a filter is killed, the last one gives status 2 or the whole answer" {
	"$BUILD/test/gen/distbuild" 2000 log graph
	for reader in critpath 'critpath --all | execlog-stat'; do
		run -0 python3 "$TEST/oracles/cut.py" kill "$(seed)" 10 \
			'execlog-parse log' "$reader"
		lines "$output"
	done
}
