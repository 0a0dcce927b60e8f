# postgresql.jq - tasks of a plan, EXPLAIN (ANALYZE, FORMAT JSON)
#
# [{Plan}], of auto_explain {Plan}.  A node: Node Type, Relation Name, Plans[],
# Actual Total Time in ms, children included, the mean of Actual Loops.  Below a
# Gather the loops are those of Workers Launched and the leader, except in an
# InitPlan: times here are of one process, as on a clock.  A CTE hangs below the
# node that declares it (Subplan Name "CTE c"), but runs within its CTE Scans
# (CTE Name): its time is taken from the longest of them.
# elapsed_us is exclusive: all together are the time of the root.
# Rejected: that children took longer than their node, which then counts as 0.

def stream(items): {type: "begin", by: "postgresql.jq"}, ([items] |
    (.[] | values), {type: "end", by: "postgresql.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

# A node and those below it; n is the number of processes that run it.
def nodes($id; $of; $n): .["Actual Loops"] as $loops |
    (if $loops > 0 then $loops / ([$n, $loops] | min) else 0 end) as $runs |
    {id: $id, of: $of, us: (.["Actual Total Time"] * 1000 * $runs), runs: $runs,
    rule: .["Node Type"], on: (.["Relation Name"] // .["CTE Name"]),
    scan: .["CTE Name"], cte: (.["Subplan Name"] // "" |
    if startswith("CTE ") then .[4:] else null end)},
    (($n * (1 + (.["Workers Launched"] // 0))) as $below |
    .Plans // [] | to_entries[] | "\($id).\(.key)" as $child | .value |
    nodes($child; $id; if .["Parent Relationship"] == "InitPlan" then $n
    else $below end));

def task($parts): (.us - ($parts | map(.us) | add // 0)) as $self |
    {type: "task", id: .id, kind: "instruction", run: (input_filename // "-"),
    rule: .rule, name: (.rule + if .on then " on \(.on)" else "" end),
    deps: ($parts | map(.id)), elapsed_us: ([$self, 0] | max | round)},
    if $self < -([.] + $parts | map(.runs) | add) / 2 then null else empty end;

stream((if type == "array" then .[] else . end) | if
    [try (.Plan | has("Actual Total Time")) catch false] == [true] then . else
    error("this is not a plan of EXPLAIN (ANALYZE, FORMAT JSON), with times")
    end | [.Plan | nodes("0"; ""; 1)] as $all | ($all | map(if .cte then
    .cte as $cte | .of = (([$all[] | select(.scan == $cte)] |
    max_by(.us).id) // .of) else . end) | group_by(.of) | map({(.[0].of): .}) |
    add) as $in | $all[] | .id as $id | task($in[$id] // []))
