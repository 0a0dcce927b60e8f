# gitlab-ci.jq - tasks of the jobs of GitLab's API, pipelines/ID/jobs
#
# [...], a page of at most per_page jobs; pages may follow each other.  A job:
# id, name, stage, status, started_at and finished_at, with milliseconds, null
# if it has not started or ended; runner{description}; pipeline{id}.  What a
# job needs is only in the YAML: here it waits for all jobs of the stage
# before its own.  The stages are in the order of their smallest ids.
# Rejected: jobs that have not ended, except skipped and manual ones.

def stream(items): {type: "begin", by: "gitlab-ci.jq"}, ([items] |
    (.[] | values), {type: "end", by: "gitlab-ci.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

# A time with any fraction and offset, in microseconds.
def us: . as $time | capture("^(?<s>.{19})(?<f>[.]\\d+)?(?<z>Z|[+-]..:..)$") //
    error("'\($time)' is not a time") | (.s + "Z" | fromdateiso8601) as $s |
    (if .z == "Z" then 0 else (.z[1:3] | tonumber) * 3600 + (.z[4:6] | tonumber)
    * 60 | if $time | test("-..:..$") then -. else . end end) as $offset |
    ($s - $offset) * 1000000 + ("0\(.f // "")" | tonumber * 1000000 | round);

def times: if .started_at and .finished_at then (.started_at | us) as $start |
    (.finished_at | us) as $stop | {start_us: $start, end_us: $stop,
    elapsed_us: ($stop - $start)} + if .status == "success" then {}
    else {failed: true} end
    elif .status == "skipped" or .status == "manual" then
    {elapsed_us: 0, skipped: true} else null end;
def tasks: group_by(.stage) | sort_by(map(.id) | min) | . as $stages |
    range(length) as $i | (if $i == 0 then [] else $stages[$i - 1] |
    map(.id | tostring) end) as $deps | .[$i][] | times as $times |
    if $times then {type: "task", id: (.id | tostring), name: .name,
    rule: .stage, run: (.pipeline.id | tostring), status: .status,
    deps: $deps} + $times +
    (.runner.description // null | if . then {host: .} else {} end)
    else null end;

stream([(., inputs) | values | if
    [try all(has("stage") and has("pipeline")) catch false] == [true] then .[]
    else error("this is not an array of GitLab's jobs") end] |
    group_by(.pipeline.id)[] | tasks)
