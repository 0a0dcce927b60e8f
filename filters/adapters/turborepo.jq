# turborepo.jq - tasks of .turbo/runs/ID.json, written by turbo run --summarize
#
# id; execution{attempted}, how many tasks began; tasks[], without those that
# were killed: taskId, such as web#build; task; package; dependencies[] and
# dependents[]; cache{status}, HIT or MISS; execution{startTime, endTime, in
# milliseconds of Unix; exitCode}.  A task without a script is not in tasks[],
# or has no execution.  Others wait through it: a phony node, on what has it in
# dependents[].  Of two in a row nothing says that: if one is needed by a task
# and another one needs tasks that had ended by then, that is guessed, and deps
# are lacking.
# Rejected: tasks without a time, and those that were killed.

def stream(items): {type: "begin", by: "turborepo.jq"}, ([items] |
    (.[] | values), {type: "end", by: "turborepo.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def ran: .execution.startTime and .execution.endTime;
def task($run): .execution as $e | if ran then
    {type: "task", id: .taskId, run: $run, rule: .task} +
    (if .package then {target: .package} else {} end) +
    {deps: (.dependencies // []), start_us: ($e.startTime * 1000),
    end_us: ($e.endTime * 1000), status: ($e.exitCode | tostring),
    elapsed_us: (($e.endTime - $e.startTime) * 1000)} +
    (if .cache.status == "HIT" then {from_cache: true} else {} end) +
    (if $e.exitCode == 0 then {} else {failed: true} end)
    elif .command == "<NONEXISTENT>" then empty else null end;

# By id: the tasks that need what did not run, and those that it needs.
def by(list): reduce .[] as $task ({}; reduce ($task | list // [])[] as $id (.;
    .[$id] += [$task]));
def nodes($run): by(.dependencies) as $users | by(.dependents) as $needs |
    (map(select(ran) | {(.taskId): true}) | add // {}) as $ran |
    (map({(.taskId): .dependencies}) | add // {}) as $own |
    [$needs | keys_unsorted[] | select($ran[.] or $users[.] | not) | . as $id |
    $needs[$id][]] as $open | ($users + $needs + $own) | keys[] |
    select($ran[.] | not) | . as $id |
    (($own[$id] // []) + ($needs[$id] // [] | map(.taskId)) | unique) as $deps |
    ([$users[$id] // [] | .[] | select(ran) |
    .execution.startTime] | min) as $start | {type: "node", id: $id, run: $run,
    rule: "phony", deps: (if $deps == [] and $start then [$open[] | select(ran
    and .execution.endTime <= $start) | .taskId] | unique else $deps end),
    guess: ($deps == [])};

stream(if [try (.tasks | all(has("taskId"))) catch false] == [true] then
    .id as $run | [.tasks | nodes($run)] as $nodes |
    (.execution.attempted // 0) as $attempted | [.tasks[] | task($run)] |
    . + [range($attempted - length) | null] | .[], ($nodes[] | del(.guess)),
    ([if any($nodes[]; .guess and .deps != []) then "deps" else empty end,
    if all(.) then empty else "rejected" end] | if . == [] then empty else
    {type: "build", run: $run, lacks: .} end) else
    error("this is not a summary of turbo: it has no .tasks[] with taskId") end)
