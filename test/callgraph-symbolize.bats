load helper
load symbols

setup_file() {
	programs
}

# agrees PROGRAM COUNT - compares COUNT addresses with addr2line
agrees() {
	run python3 "$ORACLE" compare "$PROGRAMS/$1" "$(fewer "$2")" "$(seed)"
	lines "$output"
	[ "$status" -eq 0 ]
}

# node KEY... - prints members of the last node of the output
node() {
	jq -r --args '.nodes[-1] as $n | $ARGS.positional | map($n[.] // "-") |
		join(" ")' "$@" <<<"$output"
}

# symbolized OPTION... - symbolizes ./record into $output
symbolized() {
	run --separate-stderr callgraph-symbolize "$@" record
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# call_in FILE FUNCTION NAME - the return address of a call of NAME
call_in() {
	objdump -d --no-show-raw-insn "$1" | awk -v inside="<$2>:" \
		-v call="<$3>" '/^[0-9a-f]+ </ { here = $2 == inside }
		found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }
		here && /call/ && index($0, call) { found = 1 }'
}

# line_of FILE TEXT - the number of the first line that begins with TEXT
line_of() {
	grep -n "^$2" "$SOURCES/$1" | head -n 1 | cut -d: -f1
}

# --- addresses ---------------------------------------------------------------

@test "all code of C programs agrees with addr2line, DWARF 4 and 5" {
	agrees c4 2000
	agrees c5 2000
}

@test "all code of C++ programs agrees with addr2line, compressed or not" {
	agrees cc4 3000
	agrees cc5 3000
}

@test "all code of a shared library agrees with addr2line" {
	agrees two.so 2000
}

@test "a program linked by LTO agrees with addr2line" {
	c_program "$PROGRAMS/lto" -g -flto
	agrees lto 1000
}

@test "split debug information gives the same answers as unsplit" {
	cpp_program whole -g
	python3 "$ORACLE" addresses whole 3000 "$(seed)" >where
	# Strings and sections have other addresses; the code is the same.
	cmp <(objcopy -O binary -j .text whole /dev/stdout) \
		<(objcopy -O binary -j .text "$PROGRAMS/cc_split" /dev/stdout)
	symbols whole <where >want
	symbols "$PROGRAMS/cc_split" <where >got
	cmp got want
}

@test "a missing .dwo file leaves lines and symbols, and is bad input" {
	cpp_program split -g -gsplit-dwarf
	rm ./*.dwo
	callgraph split 0x555555554000 "{\"function\":\"$(plus \
		0x555555554000 "$(function_at split main)")\"}" >record
	run -1 --separate-stderr callgraph-symbolize record
	assert_equal "$(node name)" main
	[[ $stderr == *"a .dwo file of its debug information is missing"* ]]
}

@test "damaged files cause no crash" {
	for program in c4 cc5; do
		python3 "$ORACLE" record "$PROGRAMS/$program" 50 1 0x400000 >record
		run python3 "$ORACLE" damage "$PROGRAMS/$program" record \
			"$(fewer 40)" "$(seed)"
		lines "$output"
		[ "$status" -eq 0 ]
	done
}

# --- records -----------------------------------------------------------------

@test "every node of a record agrees with addr2line" {
	for program in "c4 0x0" "cc5 0x7f0000000000"; do
		set -- $program
		python3 "$ORACLE" record "$PROGRAMS/$1" 400 "$(seed)" "$2" >record
		symbolized
		run python3 "$ORACLE" check "$PROGRAMS/$1" "$2" <<<"$output"
		lines "$output"
		[ "$status" -eq 0 ]
	done
}

@test "a node gets its function, the declaration, and the call" {
	callgraph "$PROGRAMS/c5" 0x10000 "{\"function\":\"$(plus 0x10000 \
		"$(function_at "$PROGRAMS/c5" helper)")\",\"call_site\":\"$(plus \
		0x10000 "$(call_in "$PROGRAMS/c5" two twice)")\"}" >record
	symbolized
	assert_equal "$(node name file line call_file call_line)" \
		"helper $(realpath "$SOURCES")/two.c $(line_of two.c helper) $(
		realpath "$SOURCES")/two.c $(grep -n 'return twice' \
		"$SOURCES/two.c" | cut -d: -f1)"
}

@test "the call site of a function that never returns is right" {
	# The call of helper is the last instruction of stop's loop, or else the
	# jump after it: the byte before the return address is the call's.
	site=$(call_in "$PROGRAMS/c5" stop helper)
	callgraph "$PROGRAMS/c5" 0x0 "{\"function\":\"$(function_at \
		"$PROGRAMS/c5" helper)\",\"call_site\":\"$site\"}" >record
	symbolized
	assert_equal "$(node call_line)" \
		"$(grep -n '		helper(x);' "$SOURCES/two.c" | cut -d: -f1)"
}

@test "static functions of the same name are distinguished by their files" {
	mapfile -t addresses < <(nm "$PROGRAMS/c5" |
		sed -n 's/^0*\([0-9a-f]*\) t twice.*/0x\1/p')
	[ "${#addresses[@]}" -eq 2 ]
	for address in "${addresses[@]}"; do
		callgraph "$PROGRAMS/c5" 0x0 "{\"function\":\"$address\"}" >record
		symbolized
		node name file line
	done | sort >got
	dir=$(realpath "$SOURCES")
	sort >want <<-END
		twice $dir/one.c $(line_of one.c twice)
		twice $dir/two.c $(line_of two.c twice)
	END
	diff <(grep '^twice' got) want
}

@test "a call in an inlined function has the chain of inlined calls" {
	# deeper(), which calls helper(), is inlined into one().
	site=$(objdump -d -l --inlines --no-show-raw-insn "$PROGRAMS/c5" |
		awk '/inlined by.*one.c:/ { chain = 1 }
		found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }
		chain && /call.*<helper>/ { found = 1 } /^$/ { chain = 0 }')
	callgraph "$PROGRAMS/c5" 0x0 "{\"function\":\"$(function_at \
		"$PROGRAMS/c5" helper)\",\"call_site\":\"$site\"}" >record
	symbolized
	jq -e '.nodes[0].call_inlined | length >= 1 and
		all(has("name") and has("file") and has("line"))' <<<"$output"
	jq -r '.nodes[0] | "\(.call_file):\(.call_line)",
		(.call_inlined[] | "\(.file):\(.line)")' <<<"$output" >got
	addr2line -i -e "$PROGRAMS/c5" "$(plus "$site" -1)" |
		sed 's/ (disc.*//' >want
	diff got want
}

@test "a call that occurs often has the same text each time" {
	python3 "$ORACLE" record "$PROGRAMS/cc5" 400 "$(seed)" 0x0 >once
	jq -c '.nodes |= [range(20) as $i | .[]]' once >record
	symbolized
	jq -c '.nodes[]' <<<"$output" >got
	cp once record
	symbolized
	jq -c '[range(20) as $i | .nodes[]][]' <<<"$output" >want
	grep -q call_inlined want
	cmp got want
}

@test "C++ names are demangled, unless --no-demangle is given" {
	symbol=$(nm "$PROGRAMS/cc5" | grep -o '_ZN6shapes.*census.*add.*$' |
		head -n 1)
	address=$(function_at "$PROGRAMS/cc5" "$symbol")
	callgraph "$PROGRAMS/cc5" 0x0 "{\"function\":\"$address\"}" >record
	symbolized
	assert_equal "$(node name)" "$(c++filt "$symbol")"
	[[ $(node name) == "shapes::detail::census::add("* ]]
	symbolized --no-demangle
	assert_equal "$(node name)" "$symbol"
}

@test "a name that would demangle to gigabytes stays mangled" {
	# f(a<int>, a<a<int>, a<int> >, ...): each type is twice as long as the
	# one before.
	long=_Z1f1aIiE
	for i in {0..9} {A..Z}; do
		long+=S_IS${i}_S${i}_E
	done
	printf '.globl %s\n%s: ret\n.globl main\nmain: ret\n' "$long" "$long" \
		>long.s
	gcc -o long long.s
	callgraph long 0x0 "{\"function\":\"$(function_at long "$long")\"}" \
		>record
	run -0 --separate-stderr timeout 20 callgraph-symbolize record
	assert_equal "$(node name)" "$long"
}

@test "code without debug information has its symbol and the symbol's line" {
	cat >hand.s <<-'END'
		.globl main
		.type main, @function
		main:
		xor %eax, %eax
		inner:
		ret
		.size main, . - main
		loose:
		nop
		nop
		.globl last
		last:
		ret
	END
	gcc -g -o hand hand.s
	for at in "main 0 main 4" "main 2 main 4" "loose 0 loose 9" \
	    "loose 1 loose 9"; do
		set -- $at
		address=$(plus "$(function_at hand "$1")" "$2")
		callgraph hand 0x0 "{\"function\":\"$address\"}" >record
		symbolized
		assert_equal "$(node name line)" "$3 $4"
	done
}

@test "the other members of a record stay in their order" {
	address=$(function_at "$PROGRAMS/c5" main)
	callgraph "$PROGRAMS/c5" 0x0 '{"calls":1.5,"own":{"a":[1,{"b":"}"}]}}' \
		"{\"own\":\"]}\",\"function\":\"$address\",\"calls\":2}" |
		sed 's/^{/{"own":[{"nodes":[]}],/; s/}$/,"final":true}/
		s/1\.5/1.50/' >record
	symbolized
	jq -c 'del(.nodes[] | .name, .file, .line)' <<<"$output" >without
	diff without <(jq -c . record)
	[[ $output == *'{"calls":1.50,"own":{"a":[1,{"b":"}"}]}}'* ]]
	[[ $output == *',"name":"main","file":'* ]]
}

@test "a symbolized record is not changed again" {
	python3 "$ORACLE" record "$PROGRAMS/cc5" 300 "$(seed)" 0x0 >record
	callgraph-symbolize record >once
	callgraph-symbolize once >twice
	cmp once twice
}

@test "the frames of a crash are symbolized like nodes" {
	callgraph "$PROGRAMS/c5" 0x0 "{\"function\":\"$(function_at \
		"$PROGRAMS/c5" helper)\",\"call_site\":\"$(call_in \
		"$PROGRAMS/c5" two twice)\"}" |
		jq -c '.type = "crash" | .frames = .nodes | del(.nodes)' >record
	symbolized
	assert_equal "$(jq -r '.frames[0] | "\(.name) \(.call_line)"' \
		<<<"$output")" "helper $(grep -n 'return twice' \
		"$SOURCES/two.c" | cut -d: -f1)"
}

@test "other records pass through byte for byte" {
	grep -v '"callgraph"\|"crash"' \
		"$DATA/callgraph-symbolize/sample.ndjson" >others
	callgraph-symbolize others | cmp - others
}

@test "a stack of 100,000 nodes can be symbolized" {
	python3 -c '
nodes = ",".join("{%s\"function\":\"%s\",\"calls\":1}" % (
    "\"parent\":%d," % (i - 1) if i else "", hex(0x1000 + i % 64))
    for i in range(100000))
print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % nodes)' >deep
	run --separate-stderr -0 callgraph-symbolize -o out deep
	cmp out deep
	[[ $stderr == *"100000 of 100000 addresses have no symbols"* ]]
}

# --- sources of symbols ------------------------------------------------------

@test "a module that was rebuilt meanwhile is not used" {
	c_program app -g
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	c_program app -g -O1
	symbolized
	assert_equal "$(node name)" -
	[[ $stderr == *"warning: no symbols for '"*"/app': it is a different build"* ]]
	[[ $stderr == *"1 of 1 addresses have no symbols"* ]]
}

@test "a program without a build id is recognized by its checksum" {
	c_program app -g -Wl,--build-id=none
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	symbolized
	assert_equal "$(node name)" main
	echo >>app
	symbolized
	assert_equal "$(node name)" -
	[[ $stderr == *"it has no build id, so it may be a different build"* ]]
}

@test "--executable names a file that has moved, if the build id agrees" {
	c_program app -g
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	mv app moved
	symbolized
	assert_equal "$(node name)" -
	symbolized --executable "$PROGRAMS/c5" --executable moved
	assert_equal "$(node name)" main
	symbolized --executable "$PROGRAMS/c4"
	assert_equal "$(node name)" -
	run -2 --separate-stderr callgraph-symbolize -e record record
	[[ $stderr == *"cannot read 'record': it is not an ELF file"* ]]
}

@test "an address belongs to the module that contains it" {
	callgraph "$PROGRAMS/c5" 0x10000000 "{\"function\":\"$(plus 0x10000000 \
		"$(function_at "$PROGRAMS/c5" main)")\"}" "{\"function\":\"$(
		plus 0x20000000 "$(function_at "$PROGRAMS/two.so" two)")\"}" \
		'{"function":"0x30000000"}' '{"function":"0x1"}' |
		jq -c --arg so "$PROGRAMS/two.so" --arg id "$(readelf -nW \
		"$PROGRAMS/two.so" | sed -n 's/.*Build ID: //p')" '
		.modules[0].end = "0x10100000" | .modules += [{path: $so,
		base: "0x20000000", start: "0x20000000", end: "0x20100000",
		build_id: $id}]' >record
	symbolized
	assert_equal "$(jq -r '.nodes | map(.name // "-") | join(" ")' \
		<<<"$output")" "main two - -"
	[[ $stderr == *"2 of 4 addresses have no symbols"* ]]
}

@test "an address outside the code of its module has no name" {
	data=0x$(nm "$PROGRAMS/c5" | sed -n 's/^0*\([0-9a-f]*\) [dDbB] .*/\1/p' |
		head -n 1)
	end=$(readelf -SW "$PROGRAMS/c5" | sed -nE \
		's/.* \.fini +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) .*/0x\1 0x\2/p')
	callgraph "$PROGRAMS/c5" 0x0 '{"function":"0x8"}' \
		"{\"function\":\"$data\"}" "{\"function\":\"$(plus $end)\"}" \
		'{"function":"0x7ffffff"}' >record
	symbolized
	assert_equal "$(jq -c '.nodes | map(has("name"))' <<<"$output")" \
		'[false,false,false,false]'
	[[ $stderr == *"4 of 4 addresses have no symbols"* ]]
}

@test "a stripped program uses a file under --debug-dir by its build id" {
	c_program app -g
	callgraph app 0x0 "{\"function\":\"$(function_at app helper)\"}" >record
	id=$(readelf -nW app | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug app "debug/.build-id/${id:0:2}/${id:2}.debug"
	strip app
	symbolized
	assert_equal "$(node name)" -
	[[ $stderr == *"it is stripped, and no debug information was found"* ]]
	symbolized --debug-dir debug
	assert_equal "$(node name line)" \
		"helper $(line_of two.c helper)"
}

@test "a debuglink is followed: beside the program, in .debug, under --debug-dir" {
	c_program app -g
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	objcopy --only-keep-debug app app.debug
	strip app
	objcopy --add-gnu-debuglink=app.debug app
	here=$(realpath .)
	for dir in . .debug "global$here"; do
		mkdir -p "$dir"
		[ "$dir" = . ] || mv app.debug "$dir"
		symbolized --debug-dir global
		assert_equal "$(node name)" main
		[ "$dir" = . ] || mv "$dir/app.debug" .
	done
	# Another file of that name has a different checksum.
	echo >>app.debug
	symbolized --debug-dir global
	assert_equal "$(node name)" -
}

@test "debug information that libdw cannot read because of zstd is reported" {
	c_program app -g -gz
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	# objcopy may not know zstd either: change the header alone.
	python3 - app <<-'END'
		import re, subprocess, sys
		table = subprocess.run(["readelf", "-SW", sys.argv[1]],
		    capture_output=True, text=True).stdout
		with open(sys.argv[1], "r+b") as file:
		    for offset in re.findall(r"\.debug_\S+ +PROGBITS +[0-9a-f]+ "
		            r"([0-9a-f]+) .* C ", table):
		        file.seek(int(offset, 16))
		        file.write(b"\2")
	END
	symbolized -e app
	assert_equal "$(node name line)" "main -"
	[[ $stderr == *zstd* ]]
	run -2 --separate-stderr callgraph-release app
	[[ $stderr == *zstd* ]]
}

# --- bad input --------------------------------------------------------------------

@test "a record with a malformed address is rejected as a whole" {
	good='{"type":"callgraph","modules":[],"nodes":[]}'
	while read -r bad; do
		lines "$good" "$bad" "$good" >records
		run -1 --separate-stderr callgraph-symbolize --rejects kept records
		assert_equal "$output" "$good"$'\n'"$good"
		assert_equal "$(cat kept)" "$bad"
		[[ $stderr == *"records:2: "* ]]
	done <<-'END'
		{"type":"callgraph","modules":[],"nodes":[{"function":4096}]}
		{"type":"callgraph","modules":[],"nodes":[{"function":"4096"}]}
		{"type":"callgraph","modules":[],"nodes":[{"function":"0x"}]}
		{"type":"callgraph","modules":[],"nodes":[{"function":"0x12345678123456789"}]}
		{"type":"callgraph","modules":[],"nodes":[{"call_site":"0xg"}]}
		{"type":"callgraph","modules":[],"nodes":[7]}
		{"type":"callgraph","modules":[],"nodes":{}}
		{"type":"callgraph","modules":[]}
		{"type":"callgraph","nodes":[]}
		{"type":"callgraph","modules":[{"path":"x"}],"nodes":[]}
		{"type":"callgraph","modules":[[]],"nodes":[]}
		{"type":"crash","modules":[],"nodes":[]}
	END
}
