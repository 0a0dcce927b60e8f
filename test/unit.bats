# unit.bats - the modules of common/, each by a C program of its own in unit/

load helper

# What a program says is seen if it fails.
unit() {
	"$BUILD/test/unit/$1"
}

@test "text: UTF-8, escapes and numbers are right at their limits" {
	unit text
}

@test "mem: arenas keep what they hold, too large a size is fatal" {
	unit mem
}

@test "buf: numbers are what printf makes of them, buffers grow" {
	unit buf
}

@test "search: bounds and sorting are what their definitions say" {
	unit search
}

@test "map: is what a model is, with a million keys too" {
	unit map
}

@test "intervals: the innermost range answers for every address" {
	unit intervals
}

@test "intern: equal strings are one symbol" {
	unit intern
}

@test "input: lines are the same in files, gzip and small pieces" {
	unit input
}

@test "json: what is written reads back" {
	unit json
}

@test "skip: values end where yajl says, however the bytes arrive" {
	unit skip
}

@test "items: a walk gives what an array or object was made of" {
	unit items
}

@test "plain: what is read the short way is read as yajl would" {
	unit plain
}

@test "recio: records are read, everything else is refused" {
	unit recio
}

@test "scan: values are cut right, however the bytes come" {
	unit scan
}

@test "dag: circles and longest paths are those of trying all" {
	unit dag
}

@test "opt: options have the values given, or are refused" {
	unit opt
}

@test "cleanup: what must not be left is taken away before the program ends" {
	unit cleanup
}

@test "output: a file is whole or absent" {
	unit output
}

@test "config: YAML is read as it is meant, or refused with its place" {
	unit config
}

@test "pidx: indexes of every layout are read and written, others refused" {
	unit pidx
}

@test "object: what is packed is unpacked, everything else refused" {
	unit object
}

@test "pyjson: JSON is what Python would write" {
	unit pyjson
}

@test "each module that has a unit test has it here" {
	for source in "$TEST"/unit/*.c; do
		name=$(basename "$source" .c)
		grep -q "unit/$name\"\|unit $name\$" "$TEST/unit.bats" || {
			echo "nothing runs $name"
			false
		}
	done
}

@test "recio: JSONTestSuite's good texts are read, its bad ones are not" {
	need_shared json/test_parsing
	cd "$SHARED/json/test_parsing"
	"$BUILD/test/unit/parse" *.json >"$BATS_TEST_TMPDIR/said"
	cd "$BATS_TEST_TMPDIR"
	[ "$(wc -l <said)" -eq "$(ls "$SHARED/json/test_parsing" | wc -l)" ]
	run -1 grep -a '^n_.*: record$' said
	# These hold a key twice, which is JSON, but no record.
	grep -a '^y_' said | grep -av ': record$' |
		grep -av '^y_object_duplicated_key' >refused || true
	cat refused
	[ ! -s refused ]
	[ "$(grep -ac "^y_object_duplicated_key.*duplicate key" said)" -eq 2 ]
}

@test "symbols: symtabs agree with a model that looks at each address" {
	unit symbols
}
