#!/bin/sh
# pictures.sh [FOLDER] - draws the picture in README.md, in test/data/pictures
# or in FOLDER; the filters are found by PATH

set -eu
here=$(cd "$(dirname "$0")" && pwd)
demo=$here/data/demo
to=${1:-$here/data/pictures}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

mkdir -p "$to"
(execlog-parse "$demo/build.log"
buildgraph-parse "$demo/graph.json") >"$dir/build"
critpath "$dir/build" >"$dir/path"
timeline -o "$to/build.svg" -p "$dir/path" "$dir/build"
