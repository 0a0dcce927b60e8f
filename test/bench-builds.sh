# bench-builds.sh - the part of bench.sh for builds
#
# The logs are made by the generators distbuild and builds.

PYTHON_PATH='
import json, sys
elapsed, deps, finish = {}, {}, {}
for path in sys.argv[1:]:
    for line in open(path):
        r = json.loads(line)
        if r["type"] == "task" and "elapsed_us" in r:
            elapsed[r["id"]] = max(r["elapsed_us"], elapsed.get(r["id"], 0))
        if r["type"] in ("task", "node"):
            deps.setdefault(r["id"], []).extend(r.get("deps", ()))
stack = list(elapsed)
while stack:
    v = stack[-1]
    todo = [d for d in deps.get(v, ()) if d in elapsed and d not in finish]
    if todo and v not in finish:
        stack += todo
        continue
    stack.pop()
    finish[v] = elapsed[v] + max((finish.get(d, 0) for d in deps.get(v, ())),
        default=0)
print(max(finish.values()))
'

# A loop that splits messages of protocol buffers into fields
PYTHON_FIELDS='
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

# build SIZE - the tables of a build whose graph has SIZE nodes
build() {
	local size=$1
	[ -e "$size.graph" ] || distbuild "$size" "$size.log" "$size.graph" \
		2>/dev/null
	once "$size.tasks" execlog-parse "$size.log"
	once "$size.nodes" buildgraph-parse "$size.graph"
	once "$size.path" critpath -g "$size.nodes" "$size.tasks"
	[ -p pipe ] || mkfifo pipe

	group "A build of $size nodes: a log of $(wc -l <"$size.log") lines"
	floor 'C, split lines and intern' "intern-floor <$size.log"
	row 'execlog-parse log' "execlog-parse $size.log"
	row 'log | critpath -g <(graph.json)' \
		"buildgraph-parse $size.graph >pipe & \
		execlog-parse $size.log | critpath -g pipe; wait"
	peer 'mawk, seven fields' "mawk '{ a = \$1; b = \$2; c = \$3; d = \$4;
		e = \$5; f = \$6; g = \$7 }' $size.log"
	floor 'simdjson, graph.json' "json-floor <$size.graph"
	row 'buildgraph-parse graph.json' "buildgraph-parse $size.graph"
	peer 'jq, ids and dependencies' \
		"jq -c '.graph[] | [.uid, .deps]' $size.graph"
	floor 'simdjson, nodes and tasks' "json-floor <$size.nodes; json-floor <$size.tasks"
	row 'critpath -g nodes tasks' "critpath -g $size.nodes $size.tasks"
	row 'critpath --by host' \
		"critpath -g $size.nodes --by host $size.tasks"
	row 'critpath --workers 100' \
		"critpath -g $size.nodes --workers 100 $size.tasks"
	row 'execlog-stat -g nodes tasks' \
		"execlog-stat -g $size.nodes $size.tasks"
	row 'timeline -p path' \
		"timeline -g $size.nodes -p $size.path $size.tasks"
	row 'trace-export -p path' \
		"trace-export -g $size.nodes -p $size.path $size.tasks"
	row 'profile-make tasks' "profile-make $size.tasks"
	peer 'python3, the longest path' \
		"python3 -c '$PYTHON_PATH' $size.nodes $size.tasks"

	group "The same: peak memory" MB
	row 'execlog-parse log' "peak execlog-parse $size.log"
	row 'critpath -g nodes tasks' \
		"peak critpath -g $size.nodes $size.tasks"
	row 'timeline' "peak timeline -g $size.nodes $size.tasks"
	peer 'python3, the longest path' \
		"peak python3 -c '$PYTHON_PATH' $size.nodes $size.tasks"
}

for size in ${SIZES:-100000}; do
	build "$size"
done

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

log_bytes=${LOG_BYTES:-20000000}
group "Logs of other builds, $((log_bytes / 1000000)) MB each"
for format in cargo chrome dbt go spark bazel-graph; do
	once $format.$log_bytes builds $format "$log_bytes"
	log=$format.$log_bytes
	if [ $format = bazel-graph ]; then
		floor 'python3, fields of messages' \
			"python3 -c '$PYTHON_FIELDS' <$log"
		row "execlog-parse, $format" "execlog-parse $log"
		continue
	fi
	floor "simdjson, $format" "json-floor <$log"
	row "execlog-parse, $format" "execlog-parse $log"
	peer 'jq, ids, times and dependencies' \
		"jq -c '$(jq_filter $format)' $log"
done

# 300 logs of ninja, of 735 outputs each
mkdir -p archive
{ builds ninja 1000000 || true; } 2>/dev/null | head -n 736 >one.log
tail -n +2 one.log | awk -F '\t' '{
	printf "{\"type\":\"node\",\"id\":\"%s\",\"deps\":[%s]}\n", $4,
		(NR > 3 ? "\"" id[int(NR / 2)] "\"" : "")
	id[NR] = $4 }' >archive.nodes
for i in {1..300}; do
	[ -e archive/$i.log ] || cp one.log archive/$i.log
done
group 'An archive of 300 builds of 735 outputs'
floor 'C, split lines and intern' 'cat archive/*.log | intern-floor'
row 'execlog-parse --each | critpath' \
	'execlog-parse --each archive/*.log | critpath -g archive.nodes'
row 'the same, --summary' 'execlog-parse --each archive/*.log |
	critpath --summary -g archive.nodes'

{
	printf 'all:'
	printf ' t%d' {1..1000}
	printf '\nt%%:; @: >/dev/null\n'
} >many.mk
group '1,000 recipe lines that need a shell'
floor 'make' 'make -s -f many.mk'
row 'make-record make' 'make-record -o make.rec make -s -f many.mk'
