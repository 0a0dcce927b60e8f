# pytest-benchmark.jq - samples of the rounds in --benchmark-json
#
# .machine_info.node: the host.  .commit_info: id, dirty.  .datetime, to the
# microsecond: a document is a run of the program.  .benchmarks[]:
# fullname; stats.data[], in seconds, a value for each round, which is already
# divided by the iterations of the round.  --benchmark-json always writes data,
# --benchmark-autosave only with --benchmark-save-data.  Nothing marks a test
# that failed after its benchmark.
# Rejected: times of 0.

def stream(items): {type: "begin", by: "pytest-benchmark.jq"}, ([items] |
    (.[] | values), {type: "end", by: "pytest-benchmark.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def commit: if (.dirty | not) and (.id // "" | test("^[0-9a-f]{40}$"))
    then {minor_version: .id} else {} end;

def samples($common): .fullname as $uid | .stats.data //
    error("'\($uid)' has no data: give pytest --benchmark-save-data") |
    .[] | if . > 0 then {type: "sample", uid: $uid, value: (. * 1e9),
    unit: "ns", better: "less"} + $common else null end;

stream(foreach (., inputs) as $document (0; . + 1; . as $n | $document |
    if [try (.benchmarks | all(has("fullname") and has("stats")))
    catch false] == [true] and (.machine_info | type) == "object" then
    ({run: "\(input_filename) \($n) \(.datetime)"} +
    (.commit_info // {} | commit) + (.machine_info.node // null |
    if . then {machine: .} else {} end)) as $common |
    .benchmarks[] | samples($common)
    else error("this is not JSON of pytest-benchmark: "
    + "it has no .machine_info and .benchmarks[] with fullname and stats") end))
