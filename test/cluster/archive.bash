# archive.bash - what archive.bats and hosts.sh share; the caller sets TEST, the
# folder of the tests

# make_archive FOLDER COUNT - makes the logs of COUNT builds, their graph, and
# copies of the files that weir-archive(7) shows
make_archive() {
	mkdir -p "$1" &&
		python3 "$TEST/gen/archive.py" "$TEST/data/demo/build.log" \
			"$2" "$1/logs" &&
		buildgraph-parse -o "$1/graph" "$TEST/data/demo/graph.json" &&
		cp "$TEST"/cluster/{answer,map*,reduce.sql} "$1"
}

# page_command WORDS - prints the command of weir-archive(7) that contains WORDS;
# fails unless there is one and only one
page_command() {
	sed -n 's/^\$ //p' "$TEST/../man/weir-archive.7" | grep -F -- "$1" |
		awk '{ print } END { exit NR != 1 }'
}
