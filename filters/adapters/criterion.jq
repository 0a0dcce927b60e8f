# criterion.jq - samples of cargo criterion --message-format=json
#
# Lines.  Of reason benchmark-complete: id; unit, ns for time;
# iteration_count[]; measured_values[], the total of that many iterations.
# The estimates are made from these.  Other lines, such as those of reason
# group-complete, measure nothing.  Only an id that comes again shows that
# another run of the program began.
# Rejected: values of 0, and values without an iteration.

def stream(items): {type: "begin", by: "criterion.jq"}, ([items] |
    (.[] | values), {type: "end", by: "criterion.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def benchmarks: (., inputs) | values | if
    [try has("reason") catch false] != [true] then
    error("this is not a line of cargo criterion: it has no reason")
    elif .reason != "benchmark-complete" then empty
    elif (.iteration_count | length) != (.measured_values | length) then
    error("'\(.id)' has \(.measured_values | length) values, "
    + "but \(.iteration_count | length) numbers of iterations")
    else . end;

stream(foreach benchmarks as $b ({}; if .run and (.ids[$b.id] | not) then .
    else {n: (.n + 1), ids: {},
    run: "\(input_filename) \(.n + 1) \($b.measured_values[0])"} end |
    .ids[$b.id] = true; .run as $run | range($b.measured_values | length) |
    $b.measured_values[.] as $total | $b.iteration_count[.] as $n |
    if $total > 0 and $n > 0 then {type: "sample", uid: $b.id,
    value: ($total / $n), unit: $b.unit, run: $run} else null end))
