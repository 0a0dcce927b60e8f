# github-actions.jq - tasks of the jobs of GitHub's API, runs/ID/jobs
#
# {total_count, jobs[]}, a page of at most per_page jobs; pages and runs may
# follow each other.  A job: id, run_id, run_attempt, name, status, conclusion,
# labels, runner_name, started_at and completed_at, in whole seconds, null if it
# has not ended.  Skipped ones, those canceled before they had a runner, and
# those that wait for one have times, but did not run.  What a job needs is only
# in the workflow: there are no deps, the graph is lacking.
# A re-run list names each job once: those of an earlier attempt ran at another
# time, and have only how long.  If it has both (filter=all), each is a run.
# Rejected: jobs that wait, jobs on pages that are not there.

def stream(items): {type: "begin", by: "github-actions.jq"}, ([items] |
    (.[] | values), {type: "end", by: "github-actions.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def us: fromdateiso8601 * 1000000;
def did_not_run: .conclusion == "skipped" or (.conclusion == "cancelled" and
    .runner_name == "");
def runs: .status == "in_progress" and .started_at and .completed_at == null;
def times($now): (.started_at | us) as $start | if did_not_run then
    {skipped: true} elif runs then {start_us: $start} else
    (.completed_at | us) as $stop |
    (if $now then {start_us: $start, end_us: $stop} else {} end) +
    {elapsed_us: ($stop - $start)} + if .conclusion == "success" or
    .conclusion == "neutral" then {} else {failed: true} end end;
def task($run; $now): if .started_at and .completed_at or runs then
    {type: "task", id: (.id | tostring), name: .name, run: $run} + times($now) +
    {status: (.conclusion // .status)} +
    (if (.labels // []) == [] then {} else {rule: (.labels | join(","))} end) +
    (if (.runner_name // "") == "" then {} else {host: .runner_name} end)
    else null end;
def attempt: .run_attempt // 1;
def tasks($absent): (map(attempt) | max) as $last | (group_by(.name) |
    any(map(attempt) | unique | length > 1)) as $all |
    group_by(if $all then attempt else 0 end)[] | ("\(.[0].run_id)" +
    if $all then " attempt \(.[0] | attempt)" else "" end) as $run |
    (map(select(.completed_at and (did_not_run | not)) | attempt) | unique |
    length) as $n | any(.completed_at == null) as $open |
    map(task($run; $all or attempt == $last)) | .[], {type: "build", run: $run,
    lacks: (["graph"] + (if $absent > 0 then ["tail"] else [] end) +
    (if $absent > 0 or any(. == null) then ["rejected"] else [] end) +
    if $open then ["unfinished"] else [] end)} +
    if $n > 1 then {mixed_runs: $n} else {} end;

stream([(., inputs) | values | if [try (.jobs | all(has("run_id") and
    has("conclusion"))) catch false] == [true] then . else
    error("this is not a list of jobs of GitHub: it has no .jobs[] with run_id")
    end] | map(select(.jobs != [])) | group_by(.jobs[0].run_id)[] |
    ((.[0].total_count // 0) - (map(.jobs | length) | add)) as $absent |
    (map(.jobs[]) | tasks($absent)), (range($absent) | null))
