# unit.bats - the modules of common/, each tested by a C program in unit/

load helper

# unit NAME - runs a test program; bats shows its output if it fails
unit() {
	SEED=$(seed) "$BUILD/test/unit/$1"
}

@test "text: UTF-8 and numbers are read and escapes written, at their limits" {
	unit text
}

@test "mem: arenas keep their contents, impossible sizes are fatal" {
	unit mem
}

@test "buf: numbers are written as printf writes them, buffers grow" {
	unit buf
}

@test "search: binary search and sorting agree with their definitions" {
	unit search
}

@test "lanes: no two tasks overlap, and as many lanes as tasks overlap" {
	unit lanes
}

@test "map: random steps agree with a model, a million keys are found" {
	unit map
}

@test "intervals: for every address the innermost range is found" {
	unit intervals
}

@test "intern: equal strings are one symbol" {
	unit intern
}

@test "texts: texts that begin alike are read back unchanged" {
	unit texts
}

@test "input: lines are the same from files, gzip, zstd and small reads" {
	unit input
}

@test "json: recio reads back what is written" {
	unit json
}

@test "skip: skipped values end where yajl says, however the bytes arrive" {
	unit skip
}

@test "items: a walk returns the items of an array or object" {
	unit items
}

@test "plain: the fast reader of JSON agrees with yajl" {
	unit plain
}

@test "recio: records are read, everything else is rejected" {
	unit recio
}

@test "scan: a stream is split into values, however its bytes arrive" {
	unit scan
}

@test "dag: cycles and longest paths agree with an exhaustive search" {
	unit dag
}

@test "opt: options take their values, invalid values are fatal" {
	unit opt
}

@test "cleanup: registered functions are called before the program ends" {
	unit cleanup
}

@test "output: a file is replaced when the output is complete, or not at all" {
	unit output
}

@test "config: YAML is read, or rejected with the position of the error" {
	unit config
}

@test "pidx: valid indexes are read and written, others rejected" {
	unit pidx
}

@test "object: packed objects are unpacked, everything else is rejected" {
	unit object
}

@test "pyjson: JSON is written as Python writes it" {
	unit pyjson
}

@test "each program in unit/ is run by a test" {
	for source in "$TEST"/unit/*.c; do
		name=$(basename "$source" .c)
		grep -q "unit/$name\"\|unit $name\$" "$TEST/unit.bats" || {
			echo "no test runs $name"
			false
		}
	done
}

# json_texts MODE [N] - runs the second reader of JSON, for every Nth text
json_texts() {
	python3 "$TEST/oracles/json-texts.py" "$1" "$DATA/json/cases" \
		"$BUILD/test/unit/parse" "${2:-1}"
}

@test "recio: texts that are JSON are read, all others are rejected" {
	json_texts cases
}

@test "recio: texts that differ from those by one byte are read or rejected" {
	json_texts edits "$(is_sanitized && echo 11)"
}

@test "tree: the walk visits all nodes as a recursive one does" {
	unit tree
}

@test "symbols: symbol tables agree with a model, names are demangled" {
	unit symbols
}

@test "shorten: names fit, and keep the function's identifier" {
	unit shorten
}

@test "fingerprint: the text of a query without its constants" {
	unit fingerprint
}

@test "stats: change detection gives the known answers of small examples" {
	unit stats
}
