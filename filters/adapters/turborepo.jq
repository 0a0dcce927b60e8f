# turborepo.jq - tasks of .turbo/runs/ID.json, written by turbo run --summarize
#
# id; tasks[]: taskId, such as web#build; task; package; dependencies[];
# cache{status}, HIT or MISS; execution{startTime, endTime, in milliseconds of
# Unix; exitCode}.  dependents[] also names tasks without a script, which are
# not in the file, so only dependencies[] is used.
# Rejected: tasks without a time.

def stream(items): {type: "begin", by: "turborepo.jq"}, ([items] |
    (.[] | values), {type: "end", by: "turborepo.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def task($run): .execution as $e | if $e.startTime and $e.endTime then
    {type: "task", id: .taskId, run: $run, rule: .task, target: .package,
    deps: (.dependencies // []), start_us: ($e.startTime * 1000),
    end_us: ($e.endTime * 1000), status: ($e.exitCode | tostring),
    elapsed_us: (($e.endTime - $e.startTime) * 1000)} +
    (if .cache.status == "HIT" then {from_cache: true} else {} end) +
    (if $e.exitCode == 0 then {} else {failed: true} end) else null end;

stream(if [try (.tasks | all(has("taskId"))) catch false] == [true] then
    .id as $run | .tasks[] | task($run) else
    error("this is not a summary of turbo: it has no .tasks[] with taskId") end)
