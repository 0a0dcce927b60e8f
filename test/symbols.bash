# symbols.bash - programs and helpers for the tests of symbolization: load it
# after helper

SOURCES=$DATA/symbols
ORACLE=$TEST/oracles/symbols.py
PATH=$BUILD/test/programs:$PATH

# c_program FILE OPTION... - compiles a program of two files that have functions
# of the same name, or copies what another test has compiled with the options
c_program() {
	local to=$1 compiled

	shift
	compiled="$BATS_FILE_TMPDIR/compiled $*"
	[ -e "$compiled" ] || gcc -O2 "$@" "$SOURCES/one.c" "$SOURCES/two.c" \
		-o "$compiled" || return
	cp "$compiled" "$to"
}

# cpp_program FILE OPTION... - compiles a program with templates, namespaces and
# virtual functions
cpp_program() {
	local to=$1

	shift
	g++ -O2 "$@" "$SOURCES/shapes.cc" -o "$to"
}

# programs - builds C and C++ programs with several forms of debug information,
# in the directory $PROGRAMS
programs() {
	export PROGRAMS=$BATS_FILE_TMPDIR
	(cd "$PROGRAMS" && c_program c4 -gdwarf-4 -no-pie &&
		c_program c5 -gdwarf-5 && cpp_program cc4 -gdwarf-4 &&
		cpp_program cc5 -gdwarf-5 -gz &&
		cpp_program cc_split -g -gsplit-dwarf &&
		gcc -O2 -g -shared -fPIC "$SOURCES/two.c" -o two.so)
}

# function_at FILE NAME - prints the address of a function, by nm
function_at() {
	nm "$1" | sed -n "s/^0*\([0-9a-f]*\) [tTwW] $2\$/0x\1/p" | head -n 1
}

# callgraph PROGRAM BASE NODE... - prints a `callgraph` record with these nodes,
# which are JSON, as of a process that has the program loaded at the address
# BASE
callgraph() {
	local program=$1 base=$2 id

	shift 2
	id=$(readelf -nW "$program" | sed -n 's/.*Build ID: //p')
	python3 -ISc 'import hashlib, json, os, sys
program, base, id, *nodes = sys.argv[1:]
path = os.path.realpath(program)
module = {"path": path, "base": base, "start": base, "end": "0x600000000000"}
print(json.dumps({"type": "callgraph", "checksum": hashlib.new("sha512_224",
    open(path, "rb").read()).hexdigest(), "program": path, "pid": 1,
    "sequence": 0, "time_us": 1,
    "modules": [module | {"build_id": id} if id else module],
    "nodes": list(map(json.loads, nodes))}, separators=(",", ":")))' \
		"$program" "$base" "$id" "$@"
}

# without_memory STEP COMMAND... - runs a command once for each STEP-th of its
# allocations, with that allocation failing, and checks that the command ends with status 2
# and a message, or has the same output as without a failure.  It may also
# crash, since some functions of libdw do not check for failure.
without_memory() {
	local n i status step=$1

	shift
	gcc -O1 -shared -fPIC "$SOURCES/nomem.c" -o nomem.so &&
		"$@" >want 2>/dev/null || return
	# NOMEM is the number of the allocation that fails; 0: none fails, and
	# their number is printed at the end.
	n=$(NOMEM=0 LD_PRELOAD=./nomem.so "$@" 2>&1 >/dev/null | tail -n 1)
	# With fewer allocations, the command cannot have read any symbols.
	[ "$n" -gt 50 ] || return
	for ((i = 1; i <= n; i += step)); do
		status=0
		NOMEM=$i LD_PRELOAD=./nomem.so "$@" >got 2>errors || status=$?
		if [ "$status" -eq 2 ]; then
			grep -q "out of memory" errors
		elif [ "$status" -lt 128 ]; then
			[ "$status" -eq 0 ] && cmp got want
		fi || { echo "$1, allocation $i: status $status"; cat errors
			return 1; }
	done 2>/dev/null
}

# checksum FILE - prints the SHA-512/224 of a file, computed by Python
checksum() {
	python3 -ISc 'import hashlib, sys
print(hashlib.new("sha512_224", open(sys.argv[1], "rb").read()).hexdigest())' \
		"$1"
}

# plus A B - prints the sum of two addresses
plus() {
	printf '0x%x\n' $(($1 + $2))
}
