# hyperfine.jq - samples of the runs in hyperfine's --export-json
#
# .results[]: command, or the name that -n gave it; times[], one for each run,
# in seconds; exit_codes[] of these runs, null for a signal, absent in old
# versions; parameters{}, if any.  hyperfine subtracts the start of the shell: 0
# means that the command was too short to be measured.
# Rejected: a run that failed, a run of 0 s, a result without times.

def stream(items): {type: "begin", by: "hyperfine.jq"}, ([items] |
    (.[] | values), {type: "end", by: "hyperfine.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def workload: to_entries | map("\(.key)=\(.value)") | join(",");

def runs: . as $result | (.times // [null]) | range(length) as $i |
    if (.[$i] // 0) > 0 and
        ($result | has("exit_codes") | not or $result.exit_codes[$i] == 0)
    then {type: "sample", uid: $result.command,
        value: (.[$i] * 1e9 | round), unit: "ns", better: "less"} +
        ($result.parameters // {} | if . == {} then {}
        else {workload: workload} end)
    else null end;

stream(if [try (.results | all(has("command") and has("mean"))) catch false] ==
    [true] then .results[] | runs
    else error("this is not JSON of hyperfine: "
    + "it has no .results[] with command and mean") end)
