# go-bench.jq - samples of the text of go test -bench, read by jq -nR
#
# Lines: Benchmark... ITERATIONS VALUE UNIT [VALUE UNIT]..., "pkg: NAME" for the
# next ones, "Unit NAME better=higher assume=exact", "--- FAIL: Benchmark...".
# A process begins with "goos:" or "pkg:" and ends with PASS or FAIL.  -N at the
# end of a name is GOMAXPROCS, absent at 1, if all names of the package end so
# or the name is also there without it.
# Rejected: benchmarks that failed, times of 0.

def stream(items): {type: "begin", by: "go-bench.jq"}, ([items] |
    (.[] | values), {type: "end", by: "go-bench.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

def cpus: "-[0-9]+$";
def lines: foreach ((., inputs) | values) as $line ({pkg: ""};
    [$line | scan("\\S+")] as $f | .fields = null |
    if input_line_number == 1 or ($line | test("^((goos|pkg):|PASS$|FAIL)"))
    then .run = null else . end | if $f[0] == "pkg:" then .pkg = $f[1] + "."
    elif ($line | test("^(Unit|\\s*--- FAIL: Benchmark|Benchmark\\S*\\s+[0-9]+"
        + "(\\s+[-+.0-9e]+\\s+\\S+)+\\s*$)")) then .fields = $f | .run |= (. //
        "\(input_filename) \(input_line_number) \($f[1:] | join(" "))")
    else . end; select(.fields));
def key($names): if test(cpus) and (($names | all(test(cpus))) or
    (sub(cpus; "") | IN($names[]))) then {uid: sub(cpus; ""),
    workload: ("GOMAXPROCS=" + (split("-") | last))} else {uid: .} end;
def properties: map({"better=higher": {better: "more"}, "better=lower":
    {better: "less"}, "assume=exact": {exact: true}}[.]) | add;
def samples($units): (map(.fields[0]) | unique) as $names | .[] as {$fields,
    $pkg, $run} | ($fields[0] | key($names)) as $key |
    range(2; $fields | length; 2) as $i | $fields[$i + 1] as $unit |
    ($fields[$i] | tonumber * if $unit == "sec/op" then 1e9 else 1 end) |
    if . > 0 or ($unit | test("^(ns|sec)/op$") | not) then {type: "sample",
    value: ., unit: ($unit | sub("^(ns|sec)/op$"; "ns"))} + $key +
    {uid: ($pkg + $key.uid), run: $run} + $units[$unit] else null end;

stream([lines] | (map(.fields | select(.[0] == "Unit") |
    {(.[1]): properties}) | add) as $units | if . == [] then
    error("this is not output of go test -bench: it has no benchmark")
    else (.[] | select(.fields[0] == "---") | null), (map(select(
    .fields[0][0:1] == "B")) | group_by(.pkg)[] | samples($units)) end)
