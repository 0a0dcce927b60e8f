# buildkit.jq - tasks of docker buildx build --progress=rawjson 2>FILE
#
# Lines: vertexes[], statuses[], logs[], warnings[], each if there are any.  A
# vertex: digest, name, inputs[] (digests), started, completed, cached, error.
# It comes again with each change; the last word on each start counts.  A
# digest may start several times, for the look-up in the cache and for the
# work: these are attempts at one task.  One that did not start is a phony node.
# Inputs that are not there are counted as unknown.

def stream(items): {type: "begin", by: "buildkit.jq"}, ([items] |
    (.[] | values), {type: "end", by: "buildkit.jq",
    records: (map(values) | length), rejected: (map(nulls) | length)});

# A time with any fraction and offset, in microseconds.
def us: . as $time | capture("^(?<s>.{19})(?<f>[.]\\d+)?(?<z>Z|[+-]..:..)$") //
    error("'\($time)' is not a time") | (.s + "Z" | fromdateiso8601) as $s |
    (if .z == "Z" then 0 else (.z[1:3] | tonumber) * 3600 + (.z[4:6] | tonumber)
    * 60 | if $time | test("-..:..$") then -. else . end end) as $offset |
    ($s - $offset) * 1000000 + ("0\(.f // "")" | tonumber * 1000000 | round);

def record($type; $there): {type: $type, id: .digest, name: .name,
    deps: (.inputs // [] | map(select($there[.])))};
def task($there): (.started | us) as $start |
    record("task"; $there) + {start_us: $start} +
    (if .completed then (.completed | us) as $stop | {end_us: $stop,
    elapsed_us: ($stop - $start)} else {} end) +
    (if .cached then {from_cache: true} else {} end) +
    if (.error // "") == "" then {} else {failed: true, status: .error} end;

stream([(., inputs) | values | if type == "object" and
    ((keys - ["vertexes", "statuses", "logs", "warnings"]) == []) then
    .vertexes // [] | .[] else
    error("this is not a line of --progress=rawjson") end] |
    (map({(.digest): true}) | add // {}) as $there |
    (map(select(.started) | {(.digest): true}) | add // {}) as $ran |
    (group_by([.digest, .started])[] | last |
    if .started then task($there) elif $ran[.digest] then empty
    else record("node"; $there) + {rule: "phony"} end),
    ([group_by(.digest)[] | last.inputs // [] | .[] | select($there[.] | not)] |
    if . == [] then empty else {type: "build", unknown_deps: length} end))
