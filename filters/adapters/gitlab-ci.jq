# gitlab-ci.jq - tasks of the jobs of GitLab's API, pipelines/ID/jobs or GraphQL
#
# [...], a page of jobs; pages may follow each other.  A job: id, name, stage,
# status, started_at and finished_at, with milliseconds, null if it has not;
# runner{description}; pipeline{id}.  GraphQL: data.project.pipeline{id,
# jobs{nodes[]}}, in camel case; stage{name}; needs{nodes[]{name}}, which may be
# empty; schedulingType, dag if the YAML has needs, otherwise stage.
# A job without needs waits for the stages before its own, in the order of their
# smallest ids; where that is a guess, deps are lacking.  No job waits for one
# that ended after it started.  A retry, of the same name, waits for its try.
# Rejected: jobs that have not ended, except skipped and manual ones.

def stream(items): {type: "begin", by: "gitlab-ci.jq"}, ([items] |
    (.[] | values), {type: "end", by: "gitlab-ci.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

# A time with any fraction and offset, or null, in microseconds.
def us: . as $time | if . == null then . else
    capture("^(?<s>.{19})(?<f>[.]\\d+)?(?<z>Z|[+-]..:..)$") //
    error("'\($time)' is not a time") | (.s + "Z" | fromdateiso8601) as $s |
    (if .z == "Z" then 0 else (.z[1:3] | tonumber) * 3600 + (.z[4:6] | tonumber)
    * 60 | if $time | test("-..:..$") then -. else . end end) as $offset |
    ($s - $offset) * 1000000 + ("0\(.f // "")" | tonumber * 1000000 | round)
    end;

# Of GraphQL, too: a connection, and the number of a global id.
def list: if type == "object" then .nodes else . end;
def number: tostring | split("/") | last;

# needs is null if all stages before count, or if that is not known.
def job($run): (.schedulingType // .scheduling_type) as $by | {name, run: $run,
    id: (.id | number), stage: (.stage | .name? // .),
    status: (.status | ascii_downcase), host: .runner.description,
    from: (.started_at // .startedAt | us),
    to: (.finished_at // .finishedAt | us),
    needs: (if .needs and ((.needs | type) == "array" or $by == "dag" or
    (.needs | list != [])) then .needs | list | map(.name? // .job? // .)
    else null end)} | .known = (.needs != null or $by == "stage");

# The jobs that one waits for if those that did not run count, too.  The name of
# one of several in parallel has its number or variables at the end.
def listed($jobs): . as $job | $jobs[] | . as $other | select(.id != $job.id and
    if $job.needs == null then .at == $job.at - 1 else any($job.needs[]; . as
    $name | $other.name | . == $name or (startswith($name) and
    (.[$name | length:] | test("^(: \\[.*\\]| \\d+/\\d+)$")))) end);
def through($jobs; $depth): if .from or $depth == 0 then . else
    listed($jobs) | through($jobs; $depth - 1) end;

# Of the stages before, the jobs that no job between them has waited for.
def deps($jobs; $stages): . as $job | def ended: select(.from and .to and
    .to <= $job.from and .id != $job.id);
    if .from == null then [listed($jobs)]
    elif .needs then [listed($jobs) | through($jobs; 9) | ended]
    else reduce ($stages[:.at] | reverse[]) as $stage ({of: [], after: 0};
    .after as $after | [$stage[] | ended] as $ended |
    .of += ($ended | map(select(.to > $after))) |
    .after = ([.after, ($ended[] | select(.needs == null).from)] | max)) | .of
    end + [$jobs[] | select($job.from and .name == $job.name) | ended] |
    map(.id) | unique;

def task($deps): {type: "task", id, name, rule: .stage, run, status,
    deps: $deps} + (if .from and .to then {start_us: .from, end_us: .to,
    elapsed_us: (.to - .from)} + if .status == "success" then {}
    else {failed: true} end else {skipped: true} end) + if .host then {host}
    else {} end;
def tasks: group_by(.stage) | sort_by(map(.id | tonumber) | min) |
    [to_entries[] | .key as $at | .value | map(.at = $at)] as $stages |
    ($stages | add) as $jobs | $jobs[] | if (.from and .to) or
    .status == "skipped" or .status == "manual" then
    task(deps($jobs; $stages)) else null end;

def jobs: if [try all(has("stage") and has("pipeline")) catch false] == [true]
    then .[] | job(.pipeline.id | number)
    elif [try (.data.project.pipeline.jobs.nodes | all(has("stage")))
    catch false] == [true] then .data.project.pipeline |
    (.id // .iid | number) as $run | .jobs.nodes[] | job($run)
    else error("this is not an array of GitLab's jobs") end;

stream([(., inputs) | values | jobs] | group_by(.run)[] | .[0].run as $run |
    all(.known) as $known | [tasks] | .[], if $known then empty else
    {type: "build", run: $run, lacks: (["deps"] +
    if any(. == null) then ["rejected"] else [] end)} end)
