load helper
load symbols

setup_file() {
	programs
}

# The modes of $ORACLE are explained in oracles/symbols.py.  `symbols` is a test
# program that symbolizes addresses with the code of callgraph-symbolize.

# agrees PROGRAM COUNT - checks that the functions and lines of COUNT random
# addresses are those that addr2line prints
agrees() {
	run python3 "$ORACLE" compare "$PROGRAMS/$1" "$(rounds "$2")" "$(seed)"
	lines "$output"
	[ "$status" -eq 0 ]
}

# node KEY... - prints these members of the last node of the output, or - for a
# missing one
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

# call_in FILE FUNCTION NAME - prints the return address of the first call of
# NAME in FUNCTION: the address of the instruction after the call
call_in() {
	objdump -d --no-show-raw-insn "$1" | awk -v inside="<$2>:" \
		-v call="<$3>" '/^[0-9a-f]+ </ { here = $2 == inside }
		found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }
		here && /call/ && index($0, call) { found = 1 }'
}

# line_of FILE TEXT - prints the number of the first line that begins with TEXT
# in a source file
line_of() {
	grep -n "^$2" "$SOURCES/$1" | head -n 1 | cut -d: -f1
}

# --- addresses ---------------------------------------------------------------

@test "addresses in C programs agree with addr2line, DWARF 4 and 5" {
	agrees c4 2000
	agrees c5 2000
}

@test "addresses in C++ programs agree with addr2line, compressed or not" {
	agrees cc4 3000
	agrees cc5 3000
}

# bats test_tags=normal
@test "addresses in lambdas and in members of local types agree with addr2line" {
	for level in -O1 -O2; do
		g++ $level -g "$SOURCES/lambdas.cc" -o "$PROGRAMS/lambdas"
		agrees lambdas 1000
	done
}

# bats test_tags=normal
@test "functions that the linker has discarded do not change the lines of others" {
	# The debug information of a discarded function begins at 0.  This one is
	# so long that its range reaches the addresses of the other functions.
	# addr2line prints its lines there; so the answers for the program
	# `long` are compared with those for `short`, which lacks the function.
	awk 'BEGIN {
		print "#include <stdio.h>"
		print "static inline int f(int x) { return x ^ (x >> 3); }"
		print "#ifdef UNUSED\nint unused(int x)\n{\n\tvolatile int n = x;"
		for (i = 1; i <= 350; i++)
			print "\tn += f(n) * " i ";"
		print "\treturn n;\n}\n#endif"
		for (i = 1; i <= 6; i++) {
			print "__attribute__((noinline)) int used" i "(int x)\n{"
			print "\tvolatile int n = x;\n\tn *= f(n);"
			print "\tputs(\"x\");\n\treturn n;\n}"
			sum = sum " + used" i "(c)"
		}
		print "int main(int c, char **v)\n{\n\t(void)v;"
		print "\treturn " substr(sum, 3) ";\n}"
	}' >long.c
	for dwarf in 4 5; do
		for form in "long -DUNUSED" short; do
			gcc -O2 -gdwarf-$dwarf -ffunction-sections -Wl,--gc-sections \
				long.c -o $form
		done
		cmp <(objcopy -O binary -j .text long /dev/stdout) \
			<(objcopy -O binary -j .text short /dev/stdout)
		cp short "$PROGRAMS/short"
		agrees short 1000
		python3 "$ORACLE" addresses short 1000 "$(seed)" >where
		for form in '' -d; do
			symbols $form short <where >want
			symbols $form long <where | cmp - want
		done
	done
}

@test "addresses in a shared library agree with addr2line" {
	agrees two.so 2000
}

# bats test_tags=normal
@test "addresses in a program linked by LTO agree with addr2line" {
	c_program "$PROGRAMS/lto" -g -flto
	agrees lto 1000
}

@test "split debug information gives the same answers as unsplit" {
	python3 "$ORACLE" addresses "$PROGRAMS/cc5" 3000 "$(seed)" >where
	# Strings and sections have other addresses; the code is the same.
	cmp <(objcopy -O binary -j .text "$PROGRAMS/cc5" /dev/stdout) \
		<(objcopy -O binary -j .text "$PROGRAMS/cc_split" /dev/stdout)
	symbols "$PROGRAMS/cc5" <where >want
	symbols "$PROGRAMS/cc_split" <where >got
	cmp got want
}

@test "a missing .dwo file leaves the names of symbols, and is bad input" {
	c_program split -g -gsplit-dwarf
	rm "$BATS_FILE_TMPDIR"/compiled*.dwo
	callgraph split 0x555555554000 "{\"function\":\"$(plus \
		0x555555554000 "$(function_at split main)")\"}" >record
	run -1 --separate-stderr callgraph-symbolize record
	assert_equal "$(node name)" main
	[[ $stderr == *"a .dwo file of its debug information is missing"* ]]
}

@test "if the common file of dwz is missing, that is bad input" {
	cp "$PROGRAMS/cc4" app
	# What dwz -m adds: the name of the file, and its build id
	printf 'common.dwz\0%020d' 7 >link
	objcopy --add-section .gnu_debugaltlink=link app
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	run -1 --separate-stderr callgraph-symbolize record
	assert_equal "$(node name)" main
	[[ $stderr == *"the common file of its debug information, made by dwz, is missing"* ]]
}

@test "damaged files cause no crash" {
	for program in c4 cc5; do
		python3 "$ORACLE" record "$PROGRAMS/$program" 50 1 0x400000 >record
		run python3 "$ORACLE" damage "$PROGRAMS/$program" record \
			"$(rounds 40)" "$(seed)"
		lines "$output"
		[ "$status" -eq 0 ]
	done
}

# symbolized_without_memory STEP - without_memory for two programs
symbolized_without_memory() {
	local program
	c_program app -g -gz
	for program in app "$PROGRAMS/cc_split"; do
		python3 "$ORACLE" record "$program" 50 1 0x400000 >record &&
			without_memory "$1" callgraph-symbolize record || return
	done
}

# bats test_tags=normal
@test "symbols are never incomplete because memory has run out" {
	symbolized_without_memory 7
}

# bats test_tags=normal,exhaustive
@test "symbols are never incomplete whenever memory has run out" {
	symbolized_without_memory 1
}

# damaged_copy PROGRAM SECTION BYTE - makes ./app, a copy of the program in
# which the second half of the section consists of a byte, an octal number
damaged_copy() {
	local n

	objcopy -O binary -j "$2" --set-section-flags "$2=alloc" "$1" bytes &&
		n=$(stat -c %s bytes) && [ "$n" -gt 9 ] &&
		head -c $((n / 2)) /dev/zero | tr '\0' "\\$3" |
		dd of=bytes bs=1 seek=$((n - n / 2)) conv=notrunc status=none &&
		objcopy --update-section "$2=bytes" "$1" app
}

@test "debug information that cannot be read is bad input" {
	while read -r section byte reason; do
		echo "-- $section"
		damaged_copy "$PROGRAMS/c5" "$section" "$byte"
		python3 "$ORACLE" record app 50 1 0x0 >record
		run -1 --separate-stderr callgraph-symbolize record
		jq -e 'any(.nodes[]; .name == "main")' <<<"$output"
		[[ $stderr == *"app': $reason of its debug information is damaged"* ]]
		run -1 --separate-stderr callgraph-release app
		[[ $stderr == *"'app': $reason of its debug information is damaged"* ]]
	done <<-END
		.debug_info 377 a unit
		.debug_abbrev 377 a unit
		.debug_line 0 a line table
	END
}

@test "a section of debug information that cannot be decompressed is bad input" {
	# The second half of a compressed section is overwritten.
	python3 - "$PROGRAMS/cc5" app <<-'END'
		import re, subprocess, sys
		table = subprocess.run(["readelf", "-SW", sys.argv[1]],
		    capture_output=True, text=True).stdout
		data = bytearray(open(sys.argv[1], "rb").read())
		offset, size = re.search(r"\.debug_aranges +PROGBITS +[0-9a-f]+ "
		    r"([0-9a-f]+) ([0-9a-f]+) .* C ", table).groups()
		offset, size = int(offset, 16), int(size, 16)
		data[offset + size // 2:offset + size] = b"\xff" * (
		    size - size // 2)
		open(sys.argv[2], "wb").write(data)
	END
	run -1 --separate-stderr callgraph-release app
	[[ $stderr == *"a section of its debug information cannot be decompressed"* ]]
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

@test "a call has its line even if no instruction of that line follows it" {
	# stop calls helper in an endless loop, so the return address may be in
	# another line; the byte before it belongs to the call.
	site=$(call_in "$PROGRAMS/c5" stop helper)
	callgraph "$PROGRAMS/c5" 0x0 "{\"function\":\"$(function_at \
		"$PROGRAMS/c5" helper)\",\"call_site\":\"$site\"}" >record
	symbolized
	assert_equal "$(node call_line)" \
		"$(grep -n '		helper(x);' "$SOURCES/two.c" | cut -d: -f1)"
}

# bats test_tags=normal
@test "static functions of the same name are distinguished by their files" {
	# twice() in one.c and in two.c
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
	# deeper(), which calls helper(), is inlined into one().  The awk script
	# prints the return address of the first such call.
	site=$(objdump -d -l --inlines --no-show-raw-insn "$PROGRAMS/c5" |
		awk '/inlined by.*one.c:/ { chain = 1 }
		found && /^ +[0-9a-f]+:/ { sub(":", "", $1); print "0x" $1; exit }
		chain && /call.*<helper>/ { found = 1 } /^$/ { chain = 0 }')
	callgraph "$PROGRAMS/c5" 0x0 "{\"function\":\"$(function_at \
		"$PROGRAMS/c5" helper)\",\"call_site\":\"$site\"}" >record
	symbolized
	jq -e '.nodes[0].call_inlined | length >= 1 and
		all(has("name") and has("file") and has("line"))' <<<"$output"
	# The lines of the call and of the calls that were inlined around it, as
	# addr2line prints them for the last byte of the call
	jq -r '.nodes[0] | "\(.call_file):\(.call_line)",
		(.call_inlined[] | "\(.file):\(.line)")' <<<"$output" >got
	addr2line -i -e "$PROGRAMS/c5" "$(plus "$site" -1)" |
		sed 's/ (disc.*//' >want
	diff got want
}

@test "a call that occurs often has the same text each time" {
	# Texts are composed once; so the nodes are repeated three times.
	python3 "$ORACLE" record "$PROGRAMS/cc5" 100 "$(seed)" 0x0 >once
	jq -c '.nodes |= [range(3) as $i | .[]]' once >record
	symbolized
	jq -c '.nodes[]' <<<"$output" >got
	cp once record
	symbolized
	jq -c '[range(3) as $i | .nodes[]][]' <<<"$output" >want
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
	run -0 --separate-stderr timeout "$HANG_S" callgraph-symbolize record
	assert_equal "$(node name)" "$long"
}

@test "assembler code has the name of its symbol, and the symbol's line" {
	# `loose` has no type and no size.
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
	nodes=()
	# Symbol, offset from it in bytes, and the expected name and line
	for case in "main 0 main 4" "main 2 main 4" "loose 0 loose 9" \
	    "loose 1 loose 9"; do
		set -- $case
		echo "$3 $4" >>want
		nodes+=("{\"function\":\"$(plus "$(function_at hand "$1")" \
			"$2")\"}")
	done
	callgraph hand 0x0 "${nodes[@]}" >record
	symbolized
	jq -r '.nodes[] | "\(.name) \(.line)"' <<<"$output" | diff want -
}

@test "a part or copy of a function that a compiler made has its name" {
	# Other suffixes, as of the functions of a coroutine, remain.
	for symbol in f.isra.0 g.part.0.cold _Z1hv.constprop.1.lto_priv.3 \
	    _Z1iv.__uniq.77.llvm.12 nested.3 _Z1kv.actor.cold \
	    main._omp_fn.0 main._omp_fn.1 main.run _ZL1lv.resolver; do
		printf '.type "%s", @function\n"%s": ret\n' "$symbol" "$symbol"
	done >parts.s
	gcc -shared -nostdlib -o parts parts.s
	mapfile -t nodes < <(nm parts | awk '$2 == "t" {
		printf "{\"function\":\"0x%s\"}\n", $1 }' | sort)
	callgraph parts 0x0 "${nodes[@]}" >record
	symbolized
	jq -r '.nodes[].name' <<<"$output" >got
	for name in f g "h()" "i()" nested "k() [clone .actor]" main._omp_fn.0 \
	    main._omp_fn.1 main.run "l() [clone .resolver]"; do
		grep -qxF "$name" got
	done
	[ "$(wc -l <got)" -eq 10 ]
}

@test "names of D are demangled, unless they could be very long" {
	# In the last name each of 20 types is an array of the one before, twice.
	bomb=_D1fFi$(printf 'HQ%s' {a..t}{a..b} | tr -d '\n')Zv
	for symbol in _D3app4mainFZv _D3app5Shape4areaMFdZi _D3app "$bomb"; do
		printf '.type "%s", @function\n"%s": ret\n' "$symbol" "$symbol"
	done >parts.s
	gcc -shared -nostdlib -o parts parts.s
	mapfile -t nodes < <(nm -n parts | awk '$2 == "t" {
		printf "{\"function\":\"0x%s\"}\n", $1 }')
	callgraph parts 0x0 "${nodes[@]}" >record
	symbolized
	jq -r '.nodes[].name' <<<"$output" | diff - <(lines "app.main()" \
		"app.Shape.area(double)" _D3app "$bomb")
}

@test "a function with target_clones has its name, whichever clone runs" {
	cat >clones.cc <<-'END'
		namespace shop {
		__attribute__((target_clones("avx2", "default")))
		int sum(int x) { return x; }
		}
		int main() { return shop::sum(0); }
	END
	g++ -g -finstrument-functions -c clones.cc
	g++ -g -finstrument-functions -fcf-protection -c clones.cc -o cf.o
	for how in clones.o 'clones.o -no-pie' 'clones.o -static' \
		'clones.o -static-pie' 'cf.o -Wl,-z,ibtplt'; do
		g++ -o app $how "$BUILD/libweir-instrument.a"
		callgraph-record -o record ./app
		callgraph-symbolize record 2>/dev/null | jq -r 'select(.type ==
			"callgraph") | .nodes[].name' >names
		assert_equal "$(cat names)" "$(lines main 'shop::sum(int)')"
		# So it has by the release of a program that is stripped then.
		mkdir -p releases
		callgraph-release app -r releases
		strip app
		callgraph-symbolize -r releases record 2>/dev/null | jq -r 'select(
			.type == "callgraph") | .nodes[].name' | diff names -
	done
}

@test "the functions of a coroutine have names of their own" {
	g++ -std=c++20 -g -finstrument-functions "$SOURCES/coroutine.cc" -o app \
		"$BUILD/libweir-instrument.a"
	callgraph-record -o calls ./app 3 >printed
	for options in "" -g; do
		[ "$options" = "" ] || strip "$options" app
		callgraph-symbolize -e app calls |
			callgraph-stat | jq -r 'select(.name // "" | test("squares")) |
			"\(.calls) \(.name | sub("\\(.*\\)"; "()"))"' | sort >got
		printf '%s\n' '12 squares() [clone .actor]' '2 squares()' \
			'2 squares() [clone .destroy]' | diff - got
	done
}

@test "an inlined call, whose call site is not in its caller, has no line" {
	# The instrument records calls of outer() and inner() even where they
	# are inlined; then the call site is not in the caller.
	cat >app.c <<-'END'
		#include <stdlib.h>
		__attribute__((noinline)) static int leaf(int x) { return x ^ 1; }
		static inline int inner(int x) { return leaf(x) + 1; }
		static inline int outer(int x) { return inner(x) * 3; }
		__attribute__((noinline)) static int sum(int n)
		{
			return n == 0 ? outer(n) : sum(n - 1) + outer(n);
		}
		static int compare(const void *a, const void *b)
		{
			return outer(*(const int *)a) - *(const int *)b;
		}
		int main(void)
		{
			int list[] = { 3, 1, 2 };
			qsort(list, 3, sizeof *list, compare);
			return (sum(3) + outer(list[0])) & 1;
		}
	END
	# addr2line has no names for static functions that are inlined in C++.
	sed 's/static inline/inline/' app.c >app.cc
	for source in app.c app.cc; do
		gcc -O2 -g -finstrument-functions "$source" -o app \
			"$BUILD/libweir-instrument.a" -lstdc++
		callgraph-record -o calls ./app >printed || [ $? -eq 1 ]
		callgraph-symbolize calls >named
		python3 "$ORACLE" callers app <named
	done
	# The frames of a crash, innermost first, have the same lines.  These
	# frames are the last node and its callers.
	jq -c 'select(.type == "callgraph") | .nodes as $n |
		del(.nodes) + {type: "crash", frames: [$n | length - 1 |
		recurse($n[.].parent; . != null) | $n[.] | {function, call_site}]}' \
		calls >crash
	callgraph-symbolize crash | jq 'select(.type == "crash") | .frames |
		map(.call_line)' >got
	jq 'select(.type == "callgraph") | .nodes | . as $n | [length - 1 |
		recurse($n[.].parent; . != null) | $n[.].call_line]' named | diff got -
	jq -e 'any(. == null) and any(. != null)' got
}

@test "the other members of a record stay in their order" {
	# Members of no known meaning are added at several places, with brackets
	# in strings, and a number that a JSON library might rewrite, 1.50.
	address=$(function_at "$PROGRAMS/c5" main)
	callgraph "$PROGRAMS/c5" 0x0 '{"calls":1.5,"own":{"a":[1,{"b":"}"}]}}' \
		"{\"own\":\"]}\",\"function\":\"$address\",\"calls\":2}" |
		sed 's/^{/{"own":[{"nodes":[]}],/; s/}$/,"final":true}/
		s/1\.5/1.50/' >record
	symbolized
	# Without the added members the record is as before.
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
	callgraph-symbolize others | records | cmp - others
}

@test "a stack of 100,000 nodes can be symbolized" {
	# There is no module, so that nothing is added.
	python3 -c '
nodes = ",".join("{%s\"function\":\"%s\",\"calls\":1}" % (
    "\"parent\":%d," % (i - 1) if i else "", hex(0x1000 + i % 64))
    for i in range(100000))
print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % nodes)' >deep
	run --separate-stderr -0 callgraph-symbolize -o out deep
	records <out | cmp - deep
	[[ $stderr == *"100000 of 100000 addresses have no symbols"* ]]
}

# --- sources of symbols ------------------------------------------------------

@test "a program that was rebuilt after it was recorded is not used" {
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
	# One byte more changes the checksum.
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
	# The program is at 0x10000000 and the library at 0x20000000; the last
	# two addresses are in neither.
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
	# In a header, in data, at the end of the code, and beyond the file
	data=0x$(nm "$PROGRAMS/c5" | sed -n 's/^0*\([0-9a-f]*\) [dDbB] .*/\1/p' |
		head -n 1)
	# The address and the size of .fini, the last section of code.
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

# bats test_tags=normal
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
	# Another file of that name has a different CRC.
	echo >>app.debug
	symbolized --debug-dir global
	assert_equal "$(node name)" -
	assert_equal "${stderr_lines[0]}" "callgraph-symbolize: warning: $here/app: `
		`its debug information is in another file, 'app.debug', which was not found"
}

# bats test_tags=normal
@test "a program compiled without -g is reported once" {
	# The library has debug information, as libweir-instrument.a has.
	gcc -O2 -c -g "$SOURCES/two.c"
	gcc -O2 "$SOURCES/one.c" two.o -o linked
	c_program plain
	for app in linked plain; do
		for _ in 1 2; do
			callgraph "$app" 0x0 \
				"{\"function\":\"$(function_at "$app" main)\"}"
		done >record
		symbolized
		assert_equal "$stderr" "callgraph-symbolize: warning: $(realpath "$app"): `
			`it was compiled without -g: its functions have no lines"
	done
}

# bats test_tags=normal
@test "parts of a program that were compiled without -g are reported" {
	gcc -O2 -c -g "$SOURCES/two.c"
	gcc -O2 "$SOURCES/one.c" two.o -o app
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" \
		"{\"function\":\"$(function_at app two)\"}" >record
	symbolized
	assert_equal "$stderr" "callgraph-symbolize: warning: $(realpath app): `
		`parts of it were compiled without -g: their functions have no lines"
}

# bats test_tags=normal
@test "the libraries of the system cause one warning in all" {
	c_program app -g
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" \
		'{"function":"0x700000000010"}' '{"function":"0x710000000010"}' \
		'{"function":"0x720000000010"}' '{"function":"0x730000000010"}' |
		jq -c '.modules += [["/usr/lib/a.so", 0], ["/lib/b.so", 1],
		["[vdso]", 2] | {path: .[0], base: "0x7\(.[1])0000000000",
		start: "0x7\(.[1])0000000000", end: "0x7\(.[1])0000001000",
		build_id: "abcd"}]' >record
	symbolized
	diff - <(lines "$stderr") <<-'END'
	callgraph-symbolize: warning: 3 of 5 addresses are in libraries of the system without symbols, such as '/usr/lib/a.so'
	callgraph-symbolize: warning: 1 of 5 addresses have no symbols
	END
}

@test "debug information that libdw cannot read because of zstd is reported" {
	c_program app -g -gz
	callgraph app 0x0 "{\"function\":\"$(function_at app main)\"}" >record
	# objcopy may not know zstd either, so the script only changes the type
	# of compression at the beginning of the compressed sections.
	python3 - app <<-'END'
		import re, subprocess, sys
		table = subprocess.run(["readelf", "-SW", sys.argv[1]],
		    capture_output=True, text=True).stdout
		with open(sys.argv[1], "r+b") as file:
		    for offset in re.findall(r"\.debug_\S+ +PROGBITS +[0-9a-f]+ "
		            r"([0-9a-f]+) .* C ", table):
		        file.seek(int(offset, 16))
		        file.write(b"\2")          # ELFCOMPRESS_ZSTD
	END
	symbolized -e app
	assert_equal "$(node name line)" "main -"
	[[ $stderr == *zstd* ]]
	run -2 --separate-stderr callgraph-release app
	[[ $stderr == *zstd* ]]
}

# --- bad input --------------------------------------------------------------------

@test "a record with a malformed address, node or module is rejected as a whole" {
	valid='{"type":"callgraph","modules":[],"nodes":[]}'
	cat >bad <<-'END'
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
	(lines "$valid"; cat bad; lines "$valid") >records
	run -1 --separate-stderr callgraph-symbolize --rejects rejects records
	assert_equal "$output" "$valid"$'\n'"$valid"
	diff rejects bad
	grep -o '^callgraph-symbolize: records:[0-9]*: ' <<<"$stderr" |
		diff - <(seq -f 'callgraph-symbolize: records:%.0f: ' 2 13)
}
