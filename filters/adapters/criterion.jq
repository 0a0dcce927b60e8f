# criterion.jq - samples of cargo criterion --message-format=json
#
# Lines.  Of reason benchmark-complete: id; unit, ns for time;
# iteration_count[]; measured_values[], the total of that many iterations.
# The estimates are made from these.  Other lines, such as those of reason
# group-complete, measure nothing.
# Rejected: values of 0, and values without an iteration.

def stream(items): {type: "begin", by: "criterion.jq"}, ([items] |
    (.[] | values), {type: "end", by: "criterion.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def samples: . as $benchmark | range(.measured_values | length) |
    $benchmark.measured_values[.] as $total |
    $benchmark.iteration_count[.] as $n | if $total > 0 and $n > 0 then
    {type: "sample", uid: $benchmark.id, value: ($total / $n),
    unit: $benchmark.unit} else null end;

stream((., inputs) | values | if
    [try has("reason") catch false] != [true] then
    error("this is not a line of cargo criterion: it has no reason")
    elif .reason != "benchmark-complete" then empty
    elif (.iteration_count | length) != (.measured_values | length) then
    error("'\(.id)' has \(.measured_values | length) values, "
    + "but \(.iteration_count | length) numbers of iterations")
    else samples end)
