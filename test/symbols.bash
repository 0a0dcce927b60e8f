# symbols.bash - programs and helpers for the tests of symbolization

SOURCES=$DATA/symbols
ORACLE=$TEST/oracles/symbols.py
PATH=$BUILD/test/programs:$PATH

# c_program FILE OPTION... - compiles two files with functions of the same name
c_program() {
	local to=$1

	shift
	gcc -O2 "$@" "$SOURCES/one.c" "$SOURCES/two.c" -o "$to"
}

# cpp_program FILE OPTION... - compiles templates, namespaces, virtual functions
cpp_program() {
	local to=$1

	shift
	g++ -O2 "$@" "$SOURCES/shapes.cc" -o "$to"
}

# programs - builds C and C++ programs in several forms in $PROGRAMS
programs() {
	export PROGRAMS=$BATS_FILE_TMPDIR
	(cd "$PROGRAMS" && c_program c4 -gdwarf-4 -no-pie &&
		c_program c5 -gdwarf-5 && cpp_program cc4 -gdwarf-4 &&
		cpp_program cc5 -gdwarf-5 -gz &&
		cpp_program cc_split -g -gsplit-dwarf &&
		gcc -O2 -g -shared -fPIC "$SOURCES/two.c" -o two.so)
}

# fewer COUNT - prints the count, or a tenth of it under sanitizers
fewer() {
	[[ ${WEIR_BUILD:-} != *san* ]] && echo "$1" || echo $(($1 / 10))
}

# function_at FILE NAME - prints the address of a function, by nm
function_at() {
	nm "$1" | sed -n "s/^0*\([0-9a-f]*\) [tTwW] $2\$/0x\1/p" | head -n 1
}

# callgraph PROGRAM BASE NODE... - prints a record of the program loaded at BASE
callgraph() {
	local program=$1 base=$2 id

	shift 2
	id=$(readelf -nW "$program" | sed -n 's/.*Build ID: //p')
	jq -cn --arg path "$(realpath "$program")" --arg base "$base" \
		--arg id "$id" --arg sum "$(checksum "$program")" \
		'{type: "callgraph", checksum: $sum, program: $path, pid: 1,
		sequence: 0, time_us: 1, modules: [{path: $path, base: $base,
		start: $base, end: "0x600000000000", build_id: $id} |
		if .build_id == "" then del(.build_id) else . end],
		nodes: ($ARGS.positional | map(fromjson))}' --args "$@"
}

# checksum FILE - prints the SHA-512/224, by another implementation
checksum() {
	python3 -c 'import hashlib, sys
print(hashlib.new("sha512_224", open(sys.argv[1], "rb").read()).hexdigest())' \
		"$1"
}

# plus A B - prints the sum of two addresses
plus() {
	printf '0x%x\n' $(($1 + $2))
}
