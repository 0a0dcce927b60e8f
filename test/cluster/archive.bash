# archive.bash - what the tests of weir-archive(7) share; the caller sets TEST, the
# folder of the tests

# The commands of the page that need other hosts, which hosts.sh runs
HOST_EXAMPLES=('./map-parallel -S 2/hostA,2/hostB'
	'sbatch --wait --array=1-8 map-slurm')

# make_archive FOLDER COUNT - makes the logs of COUNT builds, their graph, and the
# files that weir-archive(7) shows
make_archive() {
	local page
	page=$(realpath "$TEST/../man/weir-archive.7") && mkdir -p "$1" &&
		python3 "$TEST/gen/archive.py" "$TEST/data/demo/build.log" \
			"$2" "$1/logs" &&
		buildgraph-parse -o "$1/graph" "$TEST/data/demo/graph.json" &&
		(cd "$1" && awk -f "${page%/*}/files.awk" "$page" >/dev/null)
}

# page_command WORDS - prints the command of weir-archive(7) that contains WORDS;
# fails unless there is one and only one
page_command() {
	sed -n 's/^\$ //p' "$TEST/../man/weir-archive.7" | grep -F -- "$1" |
		awk '{ print } END { exit NR != 1 }'
}
