# duckdb.jq - tasks of a plan, EXPLAIN (ANALYZE, FORMAT json)
#
# Since version 1.1, also what PRAGMA profiling_output writes.  The root:
# latency, cpu_time, children[].  A node: operator_name, operator_timing,
# children[], extra_info{Table}.  Times are in seconds.  operator_timing is
# exclusive and the sum over all threads: all together are the root's
# cpu_time, not its latency.
# Rejected: nodes without operator_timing, which profiling_mode may leave out.

def stream(items): {type: "begin", by: "duckdb.jq"}, ([items] |
    (.[] | values), {type: "end", by: "duckdb.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def tasks($id): (.extra_info.Table? // null) as $table |
    if .operator_timing then {type: "task", id: $id, kind: "instruction",
    run: (input_filename // "-"), rule: .operator_name,
    name: (.operator_name + if $table then " on \($table)" else "" end),
    deps: [range(.children | length) | "\($id).\(.)"],
    elapsed_us: (.operator_timing * 1000000 | round)} else null end,
    (.children | to_entries[] | "\($id).\(.key)" as $child |
    .value | tasks($child));

stream((if type == "array" then .[] else . end) | if
    type == "object" and has("latency") and has("children") then
    .children | to_entries[] | "\(.key)" as $id | .value | tasks($id)
    else error("this is not a profile of DuckDB 1.1 or later") end)
