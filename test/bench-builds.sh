# bench-builds.sh - the part of bench.sh that measures the readers of other
# formats of logs, an archive of logs, and make-record
#
# It is sourced by bench.sh, which defines cpu() and peak().  The logs are made
# by the generator builds.  The ratios are to a program that only counts the
# lines ("/read") and to one that only parses the JSON with yajl ("/parse").
# Below each reader is what people would use without it: jq, which prints ids,
# times and dependencies, but for a log of Bazel, which no packaged tool
# decodes, a loop in Python that splits messages into fields.

log_bytes=${LOG_BYTES:-50000000}
long_bytes=${LONG_BYTES:-1000000000}

# log_row NAME SECONDS - prints a row, with the ratios of SECONDS to $read and,
# unless it is empty, to $parse
log_row() {
	printf '%-42s %8.2f s %7.1f %7s\n' "$1" "$2" \
		"$(jq -n "$2 / $read")" "${parse:+$(printf %.2f \
		"$(jq -n "$2 / ${parse:-1}")")}"
}

# jq_filter FORMAT - prints a jq filter for what execlog-parse reads
jq_filter() {
	case $1 in
	cargo) echo 'select(.elapsed or .dependencies) |
		[.reason, .index, .elapsed, .dependencies]' ;;
	chrome) echo '.traceEvents[] | select(.ph == "X") |
		[.name, .args.target, .ts, .dur]' ;;
	dbt) echo '.results[] | [.unique_id, .status, .timing]' ;;
	go) echo '.[] | [.ID, .Mode, .Package, .TimeStart, .TimeDone, .Deps]' ;;
	spark) echo 'select(.Event == "SparkListenerTaskEnd") | [."Stage ID",
		(."Task Info" | ."Task ID", ."Launch Time", ."Finish Time")]' ;;
	esac
}

PROTOBUF_LOOP='
import sys

def varint(b, at):
    value = shift = 0
    while True:
        byte = b[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7

log, at = sys.stdin.buffer.read(), 0
while at < len(log):
    n, at = varint(log, at)
    end, fields = at + n, {}
    while at < end:
        key, at = varint(log, at)
        value, at = varint(log, at)
        if key & 7 == 2:
            value, at = log[at:at + value], at + value
        fields[key >> 3] = value
'

printf '\nlogs of other builds, %d MB each\n' $((log_bytes / 1000000))
printf '%-42s %10s %7s %7s\n' '' CPU /read /parse
for format in bazel-graph cargo chrome dbt go spark; do
	builds $format "$log_bytes" >log
	read=$(cpu 3 'grep -c ^ log')
	if [ $format = bazel-graph ]; then
		parse= name='python, fields'
		other="python3 -c '$PROTOBUF_LOOP' <log"
	else
		parse=$(cpu 3 'yajl-floor parse <log') name='jq -c'
		other="jq -c '$(jq_filter $format)' log >/dev/null"
	fi
	log_row "execlog-parse, $format" \
		"$(cpu 3 'execlog-parse log >/dev/null')"
	log_row "  $name" "$(cpu 1 "$other")"
	# The long log is read from a pipe to save disk space.
	builds $format "$long_bytes" | command time -f %M -o peak.txt \
		execlog-parse -f $format >/dev/null
	printf '  peak memory: %d MB, of a log of %d MB %d MB\n' \
		$(($(peak execlog-parse log) / 1024)) \
		$((long_bytes / 1000000)) $(($(tail -n 1 peak.txt) / 1024))
done
rm log

# An archive: 1,000 logs of ninja for a graph of 735 outputs
mkdir -p archive
{ builds ninja 1000000 || true; } 2>/dev/null | head -n 736 >one.log
tail -n +2 one.log | awk -F '\t' '{
	printf "{\"type\":\"node\",\"id\":\"%s\",\"deps\":[%s]}\n", $4,
		NR > 3 ? "\"" id[int(NR / 2)] "\"" : ""
	id[NR] = $4 }' >nodes
for i in {1..1000}; do
	[ -e archive/$i.log ] || cp one.log archive/$i.log
done
printf '\nan archive of 1000 logs of %d outputs\n' $(($(wc -l <one.log) - 1))
# build_row NAME COMMAND - prints the CPU time of each build
build_row() {
	printf '%-42s %8.2f ms a build\n' "$1" "$(cpu 3 "$2")"
}
build_row 'a process for each build, xargs' "printf '%s\n' archive/*.log |
	xargs -I LOG sh -c 'execlog-parse LOG | critpath -g nodes >/dev/null'"
if execlog-parse --help | grep -q -e --each; then
	build_row 'execlog-parse --each | critpath, at most 2' \
		'execlog-parse --each archive/*.log | critpath -g nodes >/dev/null'
	execlog-parse --each archive/*.log >tasks
	execlog-parse --each archive/1.log >task
	printf 'peak memory: critpath %d MB, of one build %d MB\n' \
		$(($(peak critpath -g nodes tasks) / 1024)) \
		$(($(peak critpath -g nodes task) / 1024))
	rm tasks task
fi

# timeline, with the path that critpath finds; both read the same stream.
for size in $sizes; do
	critpath -g "$size.nodes" "$size.tasks" >path 2>/dev/null
	print_ratio "timeline, $size nodes" 1.5 \
		"timeline -g $size.nodes -p path $size.tasks >picture.svg" \
		"critpath -g $size.nodes $size.tasks >/dev/null"
	printf '  %d tasks, %.2f MB (at most 2), peak memory %d MB\n' \
		"$(grep -c '"task"' "$size.tasks")" \
		"$(jq -n "$(wc -c <picture.svg) / 1e6")" \
		$(($(peak timeline -g "$size.nodes" "$size.tasks") / 1024))
	print_ratio "profile-make, $size nodes" 3 \
		"profile-make $size.tasks >/dev/null" \
		"critpath $size.tasks >/dev/null 2>&1"
done

# make-record: 1,000 recipe lines that need a shell
unset MAKEFLAGS MAKELEVEL MFLAGS
{
	printf 'all:'
	printf ' t%d' {1..1000}
	printf '\nt%%:; @: >/dev/null\n'
} >Makefile
make_alone=$(cpu 3 'make -s')
printf '\nmake-record: %.2f ms (at most 1) a line more than the %.2f ms of make\n' \
	"$(jq -n "$(cpu 3 'make-record make -s >/dev/null') - $make_alone")" \
	"$make_alone"

# The trace of a build with 200,000 nodes, some 550,000 tasks, beside critpath.
distbuild 200000 log graph
execlog-parse log >tasks
buildgraph-parse graph >nodes
critpath -g nodes tasks >path
read=$(cpu 3 'critpath -g nodes tasks >/dev/null') parse=
printf '\na trace of %d tasks\n' "$(grep -c '"type":"task"' tasks)"
printf '%-42s %10s %7s\n' '' CPU /critpath
log_row 'trace-export' \
	"$(cpu 3 'trace-export -g nodes -p path tasks >/dev/null 2>&1')"
log_row 'trace-export --all' \
	"$(cpu 3 'trace-export --all -g nodes -p path tasks >/dev/null')"
