# github-actions.jq - tasks of the jobs of GitHub's API, runs/ID/jobs
#
# {total_count, jobs[]}, a page of at most per_page jobs; pages and runs may
# follow each other.  A job: id, run_id, run_attempt, name, conclusion, labels,
# runner_name, started_at and completed_at, in whole seconds, null if it has
# not started or ended; skipped ones have times, but did not run.  What a job
# needs is only in the workflow: there are no deps, the graph is lacking.
# A re-run list names each job once: those of an earlier attempt ran at another
# time, and have only how long.  If it has both (filter=all), each is a run.
# Rejected: jobs that have not ended, jobs on pages that are not there.

def stream(items): {type: "begin", by: "github-actions.jq"}, ([items] |
    (.[] | values), {type: "end", by: "github-actions.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def us: fromdateiso8601 * 1000000;
def times($now): (.started_at | us) as $start | (.completed_at | us) as $stop |
    if .conclusion == "skipped" then {skipped: true}
    else (if $now then {start_us: $start, end_us: $stop} else {} end) +
    {elapsed_us: ($stop - $start)} + if .conclusion == "success" or
    .conclusion == "neutral" then {} else {failed: true} end end;
def task($run; $now): if .started_at and .completed_at then {type: "task",
    id: (.id | tostring), name: .name, run: $run} + times($now) +
    {status: .conclusion} +
    (if (.labels // []) == [] then {} else {rule: (.labels | join(","))} end) +
    (if (.runner_name // "") == "" then {} else {host: .runner_name} end)
    else null end;
def attempt: .run_attempt // 1;
def tasks($absent): (map(attempt) | max) as $last | (group_by(.name) |
    any(map(attempt) | unique | length > 1)) as $all |
    group_by(if $all then attempt else 0 end)[] | ("\(.[0].run_id)" +
    if $all then " attempt \(.[0] | attempt)" else "" end) as $run |
    map(task($run; $all or attempt == $last)) | .[],
    {type: "build", run: $run, lacks: (["graph"] +
    if $absent > 0 or any(. == null) then ["rejected"] else [] end)};

stream([(., inputs) | values | if [try (.jobs | all(has("run_id") and
    has("conclusion"))) catch false] == [true] then . else
    error("this is not a list of jobs of GitHub: it has no .jobs[] with run_id")
    end] | map(select(.jobs != [])) | group_by(.jobs[0].run_id)[] |
    ((.[0].total_count // 0) - (map(.jobs | length) | add)) as $absent |
    (map(.jobs[]) | tasks($absent)), (range($absent) | null))
