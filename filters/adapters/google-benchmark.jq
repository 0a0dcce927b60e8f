# google-benchmark.jq - samples of --benchmark_format=json, version 1.5 or later
#
# .context: date, host_name, executable.  .benchmarks[]: run_name; run_type,
# iteration or aggregate; real_time and cpu_time of one iteration, in
# time_unit; counters beside these.  Of the counters only bytes_per_second and
# items_per_second have a known meaning.  A repetition that failed has
# error_occurred, or since 1.8 skipped.  jq also reads the counters NaN and
# Infinity, which are not JSON.  A document is a run of the program.
# Left out: aggregates of repetitions that are there.
# Rejected: other aggregates, failed repetitions, times of 0.

def stream(items): {type: "begin", by: "google-benchmark.jq"}, ([items] |
    (.[] | values), {type: "end", by: "google-benchmark.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def ns: {ns: 1, us: 1e3, ms: 1e6, s: 1e9}[.] //
    error("google-benchmark has no time unit \(.)");

def samples($common; $measured):
    if .run_type == "aggregate" and (.run_name | IN($measured[])) then empty
    elif .run_type != "iteration" or .error_occurred or .skipped then null else
    ($common + {uid: .run_name}) as $common |
    (("real_time", "cpu_time") as $key | if .[$key] > 0 then
        $common + {subtype: $key, value: (.[$key] * (.time_unit | ns)),
        unit: "ns", better: "less"} else null end),
    (("bytes", "items") as $what | .["\($what)_per_second"] | values |
        $common + {subtype: "\($what)_per_second", value: (. + 0),
        unit: (if $what == "bytes" then "B/s" else "items/s" end),
        better: "more"}) end;

stream(foreach (., inputs) as $document (0; . + 1; . as $n | $document |
    if [try ((.context | has("executable")) and
    (.benchmarks | all(has("run_type")))) catch false] == [true] then
    {type: "sample", cmd: .context.executable, machine: .context.host_name, run:
    "\(input_filename) \($n) \(.context.date) \(.benchmarks[0].real_time)"} as
    $common | [.benchmarks[] | select(.run_type == "iteration").run_name] as
    $measured | .benchmarks[] |
    samples($common | with_entries(select(.value)); $measured)
    else error("this is not JSON of google-benchmark 1.5 or later: "
    + "it has no .context and .benchmarks[] with run_type") end))
