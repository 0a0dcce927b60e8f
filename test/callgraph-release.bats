load helper
load symbols

setup_file() {
	programs
}

# same_answers PROGRAM RELEASE - checks that both give the same answers
same_answers() {
	python3 "$ORACLE" addresses "$1" "$(fewer 4000)" "$(seed)" >where &&
		for form in '' -d; do
			symbols $form "$1" <where >want &&
				symbols $form "$2" <where >got &&
				cmp got want || return
		done
}

# section_at FILE SECTION - the offset of its contents in the file
section_at() {
	readelf -SW "$1" | sed -nE \
		"s/.* \\$2 +[A-Z_]+ +[0-9a-f]+ ([0-9a-f]+) .*/0x\1/p"
}

# refused MESSAGE ARGUMENT... - checks for status 2, the message, no record
refused() {
	local message=$1

	shift
	run -2 --separate-stderr callgraph-release "$@"
	lines "$stderr"
	[ -z "$output" ] && [[ $stderr == *"$message"* ]]
}

# --- the record -------------------------------------------------------------

@test "a release has the checksum, the build id and the path of the program" {
	c_program app -g
	run -0 --separate-stderr callgraph-release app
	assert_equal "$(jq -r '.checksum + " " + .build_id + " " + .path' \
		<<<"$output")" "$(checksum app) $(readelf -nW app |
		sed -n 's/.*Build ID: //p') app"
	[ -z "$stderr" ]
}

@test "the symbols are the functions of the symbol table" {
	c_program app -g
	callgraph-release app | jq -r '.symbols[] | "\(.address) \(.name)"' |
		sort -u >got
	nm app | sed -nE 's/^0*([0-9a-f]+) [tTwW] /0x\1 /p' | grep -v data_start |
		sort -u >want
	diff got want
	callgraph-release app | jq -e '.symbols[] | select(.name == "helper") |
		.kind == "function" and .size > 0'
}

@test "a release gives the same answers as the program: C, C++, split, compressed" {
	for program in c4 c5 cc4 cc5 cc_split two.so; do
		echo "-- $program"
		callgraph-release "$PROGRAMS/$program" >"$program.release"
		same_answers "$PROGRAMS/$program" "$program.release"
	done
}

@test "a release of many records gives the same answers" {
	seed=$(seed)
	python3 - "$seed" >many.c <<-'END'
		import random, sys
		rng = random.Random(int(sys.argv[1]))
		print("int g;")
		for i in range(9):
		    print("static inline int f%d(int x)\n{\n"
		        "return x * %d + g;\n}" % (i, i))
		for i in range(450):
		    print("__attribute__((noinline)) int u%d(int x)\n{\n" % i)
		    for j in range(rng.randrange(1, 12)):
		        print("\tx += f%d(x) ^ g++;" % rng.randrange(9))
		    print("\treturn x;\n}")
		print("int main(void) { return 0 %s; }" % "".join(
		    "+ u%d(%d)" % (i, i) for i in range(450)))
	END
	gcc -O1 -g many.c -o many
	callgraph-release many >many.release
	[ "$(wc -l <many.release)" -gt 1 ]
	same_answers many many.release
	# The records are contiguous and cover all addresses.
	jq -r .start many.release | tail -n +2 >starts
	jq -r .end many.release | head -n -1 | diff - starts
	assert_equal "$(jq -r .start many.release | head -n 1)" 0x0
}

# --- stripped programs --------------------------------------------------------

@test "a stripped program and its release are symbolized as the original" {
	for program in c4 c5 cc4 cc5 cc_split; do
		echo "-- $program"
		cp "$PROGRAMS/$program" app
		python3 "$ORACLE" record app 200 "$(seed)" 0x10000 >record
		callgraph-symbolize record >want
		strip app -o stripped
		callgraph-release stripped --debug app --release-dir store
		# The file that runs is the stripped one, at the same path.
		mv stripped app
		sum=$(checksum app)
		[ -e "store/$sum.release" ]
		sed -i 's/"checksum":"[0-9a-f]*"/"checksum":"'"$sum"'"/' record want
		callgraph-symbolize --release-dir store record | cmp - want
		rm app
		callgraph-symbolize -r none -r store record | cmp - want
	done
}

@test "a file with only the debug information works as well" {
	c_program app -g
	callgraph-release app >want
	objcopy --only-keep-debug app app.debug
	strip app
	callgraph-release app --debug app.debug >got
	diff <(jq -c 'del(.checksum)' got) <(jq -c 'del(.checksum)' want)
}

@test "without --debug the debuglink or the build id is followed" {
	c_program app -g
	callgraph-release app >want
	objcopy --only-keep-debug app app.debug
	strip app
	id=$(readelf -nW app | sed -n 's/.*Build ID: //p')
	mkdir -p "dir/.build-id/${id:0:2}"
	cp app.debug "dir/.build-id/${id:0:2}/${id:2}.debug"
	callgraph-release --debug-dir dir app >got
	diff <(jq -c 'del(.checksum)' got) <(jq -c 'del(.checksum)' want)
	objcopy --add-gnu-debuglink=app.debug app
	callgraph-release app >got
	diff <(jq -c 'del(.checksum)' got) <(jq -c 'del(.checksum)' want)
}

@test "a stripped shared library is found by its build id" {
	cp "$PROGRAMS/two.so" lib.so
	callgraph lib.so 0x0 "{\"function\":\"$(function_at lib.so \
		helper)\"}" | jq -c '.program = "/elsewhere"' >record
	callgraph-symbolize record >want
	cp lib.so whole.so
	strip --strip-all lib.so
	callgraph-release lib.so --debug whole.so --release-dir store
	run -0 --separate-stderr callgraph-symbolize -r store record
	assert_equal "$output" "$(cat want)"
	[[ $output == *'"name":"helper"'* ]]
}

@test "a release is stored atomically" {
	cp "$PROGRAMS/cc5" app
	callgraph-release app --release-dir store
	callgraph-release app | cmp - "store/$(checksum app).release"
	ls -a store >before
	for _ in 1 2 3; do callgraph-release app --release-dir store; done
	ls -a store | diff before -
	run -2 callgraph-release app --release-dir /dev/null
}

# --- refusals -------------------------------------------------------------------

@test "a file that is not an ELF program or library is refused" {
	echo text >text
	: >empty
	gcc -g -c "$SOURCES/two.c" -o two.o
	refused "cannot read 'text': it is not an ELF file" text
	refused "cannot read 'empty': it is not an ELF file" empty
	refused "cannot read 'missing': No such file" missing
	refused "cannot read '.': it is not a regular file" .
	refused "it is not linked yet" two.o
	refused "exactly one executable must be named"
	refused "exactly one executable must be named" "$PROGRAMS/c5" "$PROGRAMS/c4"
	refused "it is not an ELF file" "$PROGRAMS/c5" --debug text
}

@test "a program without any debug information is refused" {
	c_program app
	strip app
	refused "has no debug information at all" app
	c_program app
	run -0 --separate-stderr callgraph-release app
	[[ $stderr == *"warning: "*"no lines"* ]]
	jq -e '.lines == [] and (.symbols | length) > 0' <<<"$output"
}

@test "two different programs are refused by their build ids" {
	c_program app -g
	c_program other -g -O1
	refused "different programs: section .note.gnu.build-id: one is" \
		app --debug other
	refused "different" app --debug "$PROGRAMS/cc5"
}

@test "two different programs are refused, with the section that differs" {
	none=-Wl,--build-id=none
	c_program app -g $none
	for section in .text .rodata .data .eh_frame .dynstr; do
		cp app other
		printf X | dd of=other bs=1 conv=notrunc status=none \
			seek=$(($(section_at app $section)))
		refused "different programs: section $section has different contents" \
			app --debug other
		strip other
		refused "different programs: section $section" other --debug app
	done
	c_program other -g $none -DUNUSED -Wl,--section-start=.text=0x9000
	refused "different programs: one has section" app --debug other
	c_program other -g $none -static
	refused "different" app --debug other
	c_program other -g $none -no-pie
	refused "they are of different types" app --debug other
}

@test "a different address, size or permission of a section is a difference" {
	c_program app -g -Wl,--build-id=none
	# The offset of sh_flags, sh_addr and sh_size in the header of .data, and
	# what the message says of it.
	for field in "8 different flags" "16 is at" "32 bytes in one"; do
		python3 - app other ${field%% *} <<-'END'
			import struct, sys
			b = bytearray(open(sys.argv[1], "rb").read())
			at, = struct.unpack_from("<Q", b, 40)
			n, names = struct.unpack_from("<HH", b, 60)
			name = lambda i: struct.unpack_from("<I", b, at + 64 * i)[0]
			text, = struct.unpack_from("<Q", b, at + 64 * names + 24)
			i = next(i for i in range(n) if
			    b[text + name(i):].startswith(b".data\0"))
			b[at + 64 * i + int(sys.argv[3])] ^= 4
			open(sys.argv[2], "wb").write(b)
		END
		refused "section .data" app --debug other
		[[ $stderr == *"${field#* }"* ]]
	done
}

@test "the changes by strip and objcopy are not differences" {
	c_program app -g -Wl,--build-id=none
	callgraph-release app >want
	strip --strip-debug app -o a1
	strip --strip-all app -o a2
	objcopy --strip-unneeded --remove-section .comment app a3
	objcopy --only-keep-debug app debug
	objcopy --add-gnu-debuglink=debug a2 a4
	objcopy --compress-debug-sections app compressed
	for program in a1 a2 a3 a4; do
		for full in app debug compressed; do
			callgraph-release $program --debug $full |
				jq -c 'del(.checksum, .path)' |
				diff - <(jq -c 'del(.checksum, .path)' want)
		done
	done
}

@test "missing .dwo files are reported, and the status is 1" {
	cpp_program split -g -gsplit-dwarf
	rm ./*.dwo
	run -1 --separate-stderr callgraph-release split
	[[ $stderr == *"'split': the .dwo files of 1 units are missing"* ]]
	jq -e '(.lines | length) > 0' <<<"$output"
	run -2 callgraph-release --strict split
}

@test "a damaged release is bad input, and no reader crashes" {
	cp "$PROGRAMS/c5" app
	python3 "$ORACLE" record app 50 1 0x0 >record
	callgraph-release app --release-dir store
	release=store/$(checksum app).release
	cp "$release" whole
	for edit in 's/"lines":\[[0-9]*,/"lines":[18446744073709551616,/' \
	    's/"lines":\[[0-9]*,[0-9]*,/"lines":[1,999999,/' \
	    's/"inlines":\[0,/"inlines":[0,999999,/' \
	    's/"scopes":\[/&-1,/' 's/"scopes":\[/&1,1,1,7,/' \
	    's/"names":\[/&7,/' 's/"files":/"filez":/' \
	    's/"size":[0-9]*/"size":"x"/' 's/"kind":"function"/"kind":"x"/'; do
		echo "-- $edit"
		sed "$edit" whole >"$release"
		run -1 --separate-stderr callgraph-symbolize -r store record
		[[ $stderr == *"a release record is damaged"* ]]
	done
	for edit in 's/"start":"0x0"/"start":"0x"/' 's/^/x/' \
	    's/"end":"[^"]*"/"end":"0x0"/'; do
		sed "$edit" whole >"$release"
		rm -rf store/.build-id
		run -0 --separate-stderr callgraph-symbolize -r store record
		[[ $stderr == *"cannot use "*"not a release, or it is damaged"* ]]
		# The program itself can still be used.
		[[ $output == *'"name":"main"'* ]]
	done
	head -c -20 whole >"$release"
	run --separate-stderr callgraph-symbolize -r store record
	[[ $stderr == *"cannot use "* ]]
}
