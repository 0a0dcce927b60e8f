# jmh.jq - samples of JMH's results, -rf json
#
# [...]: benchmark; mode, thrpt, avgt, sample or ss; threads; params{}, if any;
# primaryMetric, and secondaryMetrics{} by name: scoreUnit, such as ops/s or
# us/op; rawData[fork][iteration], or in mode sample rawDataHistogram[fork]
# [iteration][[value, count]].  A fork is a process.  Numbers may be texts, as
# "NaN", "+INF".  Metrics of a profiler, whose unit is neither a time nor per
# time, are left out.
# Rejected: values that are not numbers or not greater than 0.

def stream(items): {type: "begin", by: "jmh.jq"}, ([items] |
    (.[] | values), {type: "end", by: "jmh.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def ns: {ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, hr: 3.6e12}[.];
def workload: ((.params // {}) + if .threads == 1 then {}
    else {threads: .threads} end) | to_entries |
    map("\(.key)=\(.value)") | join(",") | if . == "" then {}
    else {workload: .} end;

# The factor that gives ns or operations per second, the unit, the direction.
def scale: split("/") | if .[1] == "op" and (.[0] | ns) then
        {by: (.[0] | ns), unit: "ns", better: "less"}
    elif .[0] == "ops" and (.[1] | ns) then
        {by: (1e9 / (.[1] | ns)), unit: "ops/s", better: "more"} else null end;
def samples($common): (.scoreUnit | scale) as $scale | if $scale then
    (.rawDataHistogram // .rawData) | range(length) as $fork | .[$fork][] |
    if type == "array" then .[] | range(.[1]) as $i | .[0] else . end |
    if type == "number" and . > 0 then {type: "sample", value: (. * $scale.by),
    unit: $scale.unit, better: $scale.better} + $common +
    {run: "\($common.run) \($fork)"} else null end else empty end;

stream(foreach (., inputs) as $document (0; . + 1; . as $n | $document |
    if [try all(has("jmhVersion") and has("primaryMetric")) catch false] ==
    [true] then .[] | ({uid: .benchmark} + workload +
    {run: "\(input_filename) \($n) \(.primaryMetric.score)"}) as $common |
    (.mode as $mode | .primaryMetric | samples($common + {subtype: $mode})),
    (.secondaryMetrics // {} | to_entries[] | .key as $key | .value |
    samples($common + {subtype: $key}))
    else error("this is not an array of results of JMH") end))
