# github-actions.jq - tasks of the jobs of GitHub's API, runs/ID/jobs
#
# {total_count, jobs[]}, a page of at most per_page jobs; pages and runs may
# follow each other.  A job: id, run_id, name, conclusion, labels[],
# runner_name, started_at and completed_at, in whole seconds, null if it has
# not started or ended.  What a job needs is only in the workflow, so there
# are no deps.
# Rejected: jobs that have not ended, jobs on pages that are not there.

def stream(items): {type: "begin", by: "github-actions.jq"}, ([items] |
    (.[] | values), {type: "end", by: "github-actions.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def us: fromdateiso8601 * 1000000;

def task: if .started_at and .completed_at then
    {type: "task", id: (.id | tostring), name: .name, run: (.run_id | tostring),
    start_us: (.started_at | us), end_us: (.completed_at | us),
    elapsed_us: ((.completed_at | us) - (.started_at | us)),
    status: .conclusion} +
    (if (.labels // []) == [] then {} else {rule: (.labels | join(","))} end) +
    (if (.runner_name // "") == "" then {} else {host: .runner_name} end) +
    (if .conclusion == "skipped" then {skipped: true}
    elif .conclusion == "success" or .conclusion == "neutral" then {}
    else {failed: true} end) else null end;

stream([(., inputs) | values | if [try (.jobs | all(has("run_id") and
    has("conclusion"))) catch false] == [true] then . else
    error("this is not a list of jobs of GitHub: it has no .jobs[] with run_id")
    end] | (.[].jobs[] | task),
    (map(select(.jobs != [])) | group_by(.jobs[0].run_id)[] |
    range((.[0].total_count // 0) - (map(.jobs | length) | add)) | null))
