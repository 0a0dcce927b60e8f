# gitlab-ci.jq - tasks of the jobs of GitLab's API, pipelines/ID/jobs or GraphQL
#
# [...], a page of jobs; pages may follow each other.  A job: id, name, stage,
# status, started_at and finished_at, with milliseconds, null if it has not;
# runner{description}; pipeline{id}.  GraphQL: data.project.pipeline{id,
# jobs{nodes[], pageInfo{hasNextPage}}}, in camel case; stage{name};
# needs{nodes[]{name}}, maybe empty; schedulingType, dag if the YAML has needs.
# A job without needs waits for the stages before its own, in the order of their
# smallest ids; where that is a guess, deps are lacking.  No job waits for one
# that ended after it started.  A retry, of the same name, waits for its try.
# Rejected: jobs without a start, except skipped, manual and canceled ones;
# needed jobs that are not there, or a page.

def stream(items): {type: "begin", by: "gitlab-ci.jq"}, ([items] |
    (.[] | values), {type: "end", by: "gitlab-ci.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

# A time with any fraction and offset, or null, in microseconds.
def us: . as $time | if . == null then . else
    capture("^(?<s>.{19})(?<f>[.]\\d+)?(?<z>Z|[+-]..:..)$") //
    error("'\($time)' is not a time") | (.s + "Z" | fromdateiso8601) as $s |
    (if .z == "Z" then 0 else (.z[1:3] | tonumber) * 3600 + (.z[4:6] | tonumber)
    * 60 | if $time | test("-..:..$") then -. else . end end) as $offset | ($s -
    $offset) * 1000000 + ("0\(.f // "")" | tonumber * 1000000 | round) end;
# Of GraphQL, too: a connection, and the number of a global id.
def list: if type == "object" then .nodes else . end;
def number: tostring | split("/") | last;

# needs is null if all stages before count, or if that is not known.
def job($run; $more): (.schedulingType // .scheduling_type) as $by | {name,
    run: $run, more: $more, id: (.id | number), stage: (.stage | .name? // .),
    status: (.status | ascii_downcase), host: .runner.description,
    from: (.started_at // .startedAt | us),
    to: (.finished_at // .finishedAt | us),
    needs: (if .needs and ((.needs | type) == "array" or $by == "dag" or
    (.needs | list != [])) then .needs | list | map(.name? // .job? // .)
    else null end)} | .known = (.needs != null or $by == "stage");

# The jobs that one waits for if those that did not run count, too, and without
# an id those not there.  Parallel ones have a number or variables at the end.
def listed($jobs): . as $job | if .needs then .needs[] as $name | [$jobs[] |
    select(.id != $job.id and (.name | . == $name or (startswith($name) and
    (.[$name | length:] | test("^(: \\[.*\\]| \\d+/\\d+)$")))))] |
    if . == [] then {name: $name, from: 0} else .[] end
    else $jobs[] | select(.at == $job.at - 1) end;
def through($jobs; $depth): if .from or $depth == 0 then . else
    listed($jobs) | through($jobs; $depth - 1) end;
# What was needed by a job that started, but had not ended by then, in any try.
def absent($jobs): select(.needs and .from) | .from as $from |
    [listed($jobs) | through($jobs; 9)] | group_by(.name)[] |
    if any(.to and .to <= $from) then empty else .[0].name end;

# Of the stages before, the jobs that no job between them has waited for.
def deps($jobs; $stages): . as $job | def ended: select(.from and .to and
    .to <= $job.from and .id != $job.id);
    if .from == null then [listed($jobs) | select(.id)]
    elif .needs then [listed($jobs) | through($jobs; 9) | ended]
    else reduce ($stages[:.at] | reverse[]) as $stage ({of: [], after: 0};
    .after as $after | [$stage[] | ended] as $ended |
    .of += ($ended | map(select(.to > $after))) |
    .after = ([.after, ($ended[] | select(.needs == null).from)] | max)) | .of
    end + [$jobs[] | select(.name == $job.name) | ended] | map(.id) | unique;

def task($deps): {type: "task", id, name, rule: .stage, run, status,
    deps: $deps} + (if .from == null then {skipped: true} else {start_us: .from}
    + if .to == null then {} else {end_us: .to, elapsed_us: (.to - .from)} +
    if .status == "success" then {} else {failed: true} end end end) +
    if .host then {host} else {} end;
def counts: .from or (.status | IN("skipped", "manual", "canceled"));
def stages: group_by(.stage) | sort_by(map(.id | tonumber) | min) |
    [to_entries[] | .key as $at | .value | map(.at = $at)];

def jobs: if [try all(has("stage") and has("pipeline")) catch false] == [true]
    then .[] | job(.pipeline.id | number; false)
    elif [try (.data.project.pipeline.jobs.nodes | all(has("stage")))
    catch false] == [true] then .data.project.pipeline | (.id // .iid | number)
    as $run | .jobs | .pageInfo.hasNextPage as $more | .nodes[] |
    job($run; $more) else error("this is not an array of GitLab's jobs") end;

stream([(., inputs) | values | jobs] | group_by(.run)[] | stages as $stages |
    ($stages | add) as $jobs | [$jobs[] | absent($jobs)] as $absent |
    all($jobs[]; .more) as $more | [($jobs[] | if counts then
    task(deps($jobs; $stages)) else null end), ($absent | unique[] | null),
    if $more and $absent == [] then null else empty end] |
    [if $more then "tail" else empty end, if all(.) then empty else "rejected"
    end, if all($jobs[]; counts or .to) then empty else "unfinished" end,
    if all($jobs[]; .known) then empty else "deps" end] as $lacks | .[],
    if $lacks == [] then empty else {type: "build", run: $jobs[0].run,
    lacks: $lacks} + if $absent == [] then {} else {unknown_deps: ($absent |
    length)} end end)
