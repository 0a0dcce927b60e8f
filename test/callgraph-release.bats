load helper
load symbols

setup_file() {
	programs
}

# same_answers PROGRAM RELEASE - checks that symbols, a test program, finds the
# same functions and lines for random addresses in both files, and with -d the
# same declarations
same_answers() {
	python3 "$ORACLE" addresses "$1" "$(rounds 1500)" "$(seed)" >where &&
		for form in '' -d; do
			symbols $form "$1" <where >want &&
				symbols $form "$2" <where >got &&
				cmp got want || return
		done
}

# section_offset FILE SECTION - prints the offset of the section's contents
section_offset() {
	readelf -SW "$1" | sed -nE \
		"s/.* \\$2 +[A-Z_]+ +[0-9a-f]+ ([0-9a-f]+) .*/0x\1/p"
}

# refused MESSAGE ARGUMENT... - checks that callgraph-release exits with 2 and
# the message, and writes no record
refused() {
	local message=$1

	shift
	run_whole -2 --separate-stderr callgraph-release "$@"
	lines "$stderr"
	[ -z "$(records <<<"$output")" ] && [[ $stderr == *"$message"* ]]
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

# bats test_tags=normal
@test "the symbols are the functions of the symbol table" {
	c_program app -g
	callgraph-release app | records |
		jq -r '.symbols[] | "\(.address) \(.name)"' | sort -u >got
	# nm marks data_start with W, for weak, although it is not a function.
	nm app | sed -nE 's/^0*([0-9a-f]+) [tTwW] /0x\1 /p' | grep -v data_start |
		sort -u >want
	diff got want
	callgraph-release app | records | jq -e '.symbols[] |
		select(.name == "helper") | .kind == "function" and .size > 0'
}

@test "a release gives the same answers as the program: C, C++, split, compressed" {
	for program in c4 c5 cc4 cc5 cc_split two.so; do
		echo "-- $program"
		callgraph-release "$PROGRAMS/$program" >"$program.release"
		same_answers "$PROGRAMS/$program" "$program.release"
	done
}

@test "a release of a program at high addresses gives the same answers" {
	echo 'int f(int x) { return x + 1; } void _start(void) { f(1); }' >high.c
	gcc -g -O0 -nostdlib -static -no-pie -fno-pic -mcmodel=kernel \
		-Wl,-Ttext-segment=0xffffffff81000000 high.c -o high
	callgraph-release high >high.release
	same_answers high high.release
	function_at high f | symbols high.release | grep -w f
}

@test "a release of many records gives the same answers" {
	# 300 functions, each of which inlines some of nine others.
	seed=$(seed)
	python3 - "$seed" >many.c <<-'END'
		import random, sys
		rng = random.Random(int(sys.argv[1]))
		print("int g;")
		for i in range(9):
		    print("static inline __attribute__((always_inline)) int "
		        "f%d(int x)\n{\n"
		        "return x * %d + g;\n}" % (i, i))
		for i in range(300):
		    print("__attribute__((noinline)) int u%d(int x)\n{\n" % i)
		    for j in range(rng.randrange(1, 12)):
		        print("\tx += f%d(x) ^ g++;" % rng.randrange(9))
		    print("\treturn x;\n}")
		print("int main(void) { return 0 %s; }" % "".join(
		    "+ u%d(%d)" % (i, i) for i in range(300)))
	END
	gcc -O0 -g many.c -o many
	callgraph-release many >many.release
	same_answers many many.release
	# The ranges of the records are contiguous and begin at address 0.
	records <many.release >parts
	[ "$(wc -l <parts)" -gt 1 ]
	jq -r .start parts | tail -n +2 >starts
	jq -r .end parts | head -n -1 | diff - starts
	assert_equal "$(jq -r .start parts | head -n 1)" 0x0
}

@test "a function without a name in the debug information has its symbol's name" {
	cp "$PROGRAMS/c5" app
	python3 "$ORACLE" record app 50 1 0x0 >record
	callgraph-symbolize record | jq -c '.nodes[]?.name' >want
	callgraph-release app --release-dir store
	# A scope is four numbers: the first is its name, and the last is 0 for
	# a function, as opposed to an inlined call.  All functions lose their
	# names.
	jq -c '.scopes |= [range(length) as $i | if $i % 4 == 0 and
		.[$i + 3] == 0 then 0 else .[$i] end]' store/*.release >app.release
	mv app.release store/*.release
	rm app
	# The symbol of a part of a function that gcc has split off ends with
	# ".part.0"; the name in the debug information does not.
	callgraph-symbolize -r store record | jq -c '.nodes[]?.name' |
		sed 's/\.part\.0//g' | diff - want
}

# --- stripped programs --------------------------------------------------------

# bats test_tags=normal
@test "a stripped program and its release are symbolized as the original" {
	for program in c4 c5 cc4 cc5 cc_split; do
		echo "-- $program"
		cp "$PROGRAMS/$program" app
		python3 "$ORACLE" record app 200 "$(seed)" 0x10000 >record
		callgraph-symbolize record >want
		strip app -o stripped
		callgraph-release stripped --debug app --release-dir store
		# The file that runs is the stripped one, at the same path: the
		# records get its checksum.
		mv stripped app
		sum=$(checksum app)
		[ -e "store/$sum.release" ]
		sed -i 's/"checksum":"[0-9a-f]*"/"checksum":"'"$sum"'"/' record want
		callgraph-symbolize --release-dir store record | cmp - want
		# The program is not needed.  The directory `none` does not
		# exist.
		rm app
		callgraph-symbolize -r none -r store record | cmp - want
	done
}

@test "--debug may name a file with only the debug information" {
	c_program app -g
	callgraph-release app >want
	objcopy --only-keep-debug app app.debug
	strip app
	callgraph-release app --debug app.debug >got
	diff <(jq -c 'del(.checksum)' got) <(jq -c 'del(.checksum)' want)
}

# bats test_tags=normal
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

@test "the release of a stripped shared library is found by its build id" {
	cp "$PROGRAMS/two.so" lib.so
	callgraph lib.so 0x0 "{\"function\":\"$(function_at lib.so \
		helper)\"}" | jq -c '.program = "/elsewhere"' >record
	callgraph-symbolize record >want
	cp lib.so whole.so
	strip --strip-all lib.so
	callgraph-release lib.so --debug whole.so --release-dir store
	run -0 --separate-stderr callgraph-symbolize -r store record
	assert_equal "$output" "$(records <want)"
	[[ $output == *'"name":"helper"'* ]]
}

@test "a release without its end record is damaged" {
	c_program app -g
	callgraph-release app | head -n -1 >truncated.release
	run -2 symbols truncated.release <<<0x1
	assert_equal "$output" "symbols: cannot read 'truncated.release': it is not \
a release, or it is damaged"
}

@test "a release is stored as it is printed, and a second time adds no file" {
	cp "$PROGRAMS/cc5" app
	callgraph-release app --release-dir store
	callgraph-release app | records | cmp - "store/$(checksum app).release"
	ls -a store >before
	for _ in 1 2 3; do callgraph-release app --release-dir store; done
	ls -a store | diff before -
	run -2 callgraph-release app --release-dir /dev/null
}

@test "a link is stored although an interrupted run left its temporary link" {
	cp "$PROGRAMS/cc5" app
	callgraph-release app --release-dir store
	link=$(echo store/.build-id/*/*.release)
	# exec keeps the process number, which is in the name of the temporary link.
	run -0 bash -c 'ln -s nothing "$1.$$"
		exec callgraph-release app --release-dir store' bash "$link"
	assert_equal "$(ls -A "${link%/*}")" "${link##*/}"
	cmp "$link" "store/$(checksum app).release"
	rm "$link"
	mkdir "$link"
	run -2 --separate-stderr callgraph-release app --release-dir store
	[[ $stderr == *"cannot link '$link': Is a directory"* ]]
	assert_equal "$(ls -A "${link%/*}")" "${link##*/}"
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

@test "a program with neither debug information nor symbols is refused" {
	c_program app
	strip app
	refused "has no debug information at all" app
	c_program app
	run -0 --separate-stderr callgraph-release app
	assert_equal "$stderr" "callgraph-release: warning: 'app' was compiled `
		`without -g: the release will have no lines"
	jq -e '.lines == [] and (.symbols | length) > 0' <<<"$output"
}

# bats test_tags=normal
@test "a main() without -g is reported although a part has debug information" {
	gcc -O2 -c -g "$SOURCES/two.c"
	gcc -O2 "$SOURCES/one.c" two.o -o app
	run -0 --separate-stderr callgraph-release app
	assert_equal "$stderr" "callgraph-release: warning: the main() of 'app' `
		`was compiled without -g: the release will have no lines of it"
	c_program app -g
	run -0 --separate-stderr callgraph-release app
	assert_equal "$stderr" ""
}

@test "debug information in a file that was not found is reported" {
	c_program app -g
	objcopy --only-keep-debug app app.debug
	strip -g app
	objcopy --add-gnu-debuglink=app.debug app
	rm app.debug
	run -0 --separate-stderr callgraph-release app
	assert_equal "$stderr" "callgraph-release: warning: the debug information `
		`of 'app' is in another file, 'app.debug', which was not found: `
		`the release will have no lines"
}

# bats test_tags=normal
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
		# The first byte of the section is changed.
		cp app other
		printf X | dd of=other bs=1 conv=notrunc status=none \
			seek=$(($(section_offset app $section)))
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
	# The offsets of sh_flags, sh_addr and sh_size in a section header, each
	# with a part of the message.  The script flips a bit of this member in
	# the header of .data.
	for field in "8 different flags" "16 is at" "32 bytes in one"; do
		python3 - app other ${field%% *} <<-'END'
			import struct, sys
			elf = bytearray(open(sys.argv[1], "rb").read())
			# e_shoff; e_shnum and e_shstrndx
			headers, = struct.unpack_from("<Q", elf, 40)
			n, names_index = struct.unpack_from("<HH", elf, 60)
			header = lambda i: headers + 64 * i
			# sh_offset of the section names; sh_name of section i
			names, = struct.unpack_from("<Q", elf,
			    header(names_index) + 24)
			name = lambda i: struct.unpack_from("<I", elf, header(i))[0]
			data = next(i for i in range(n) if
			    elf[names + name(i):].startswith(b".data\0"))
			elf[header(data) + int(sys.argv[3])] ^= 4
			open(sys.argv[2], "wb").write(elf)
		END
		refused "section .data" app --debug other
		[[ $stderr == *"${field#* }"* ]]
	done
}

# bats test_tags=normal
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
	c_program split -g -gsplit-dwarf
	rm "$BATS_FILE_TMPDIR"/compiled*.dwo
	run -1 --separate-stderr callgraph-release split
	[[ $stderr == *"'split': the .dwo files of 2 units are missing"* ]]
	jq -e '(.lines | length) > 0' <<<"$output"
	run -2 callgraph-release --strict split
}

# bats test_tags=normal
@test "a release is never incomplete because memory has run out" {
	c_program app -g -gz
	without_memory 7 callgraph-release app
}

# bats test_tags=normal,exhaustive
@test "a release is never incomplete whenever memory has run out" {
	c_program app -g -gz
	without_memory 1 callgraph-release app
}

@test "a damaged release record is bad input; a damaged release file is not used" {
	cp "$PROGRAMS/c5" app
	python3 "$ORACLE" record app 50 1 0x0 >record
	callgraph-release app --release-dir store
	release=store/$(checksum app).release
	cp "$release" whole
	# Each edit makes a member of the record invalid: a number that is too
	# large, negative or an index beyond the end, a wrong type or key, or an
	# array whose length does not fit.
	for edit in 's/"lines":\[[0-9]*,/"lines":[18446744073709551616,/' \
	    's/"lines":\[[0-9]*,[0-9]*,/"lines":[1,999999,/' \
	    's/"inlines":\[0,/"inlines":[0,999999,/' \
	    's/"scopes":\[/&-1,/' 's/"scopes":\[/&1,1,1,7,/' \
	    's/"names":\[/&7,/' 's/"files":/"filez":/' \
	    's/"lines":/"linez":/' 's/"inlines":/"inlinez":/' \
	    's/"scopes":/"scopez":/' 's/"symbols":/"symbolz":/' \
	    's/"lines":\[/"lines":7,"linez":[/' \
	    's/\("lines":\[[^]]*\),[0-9]*\]/\1]/' \
	    's/\("inlines":\[[^]]*\),[0-9]*\]/\1]/' \
	    's/\("scopes":\[[^]]*\),[0-9]*\]/\1]/' \
	    's/"size":[0-9]*/"size":"x"/' 's/"kind":"function"/"kind":"x"/'; do
		echo "-- $edit"
		sed "$edit" whole >"$release"
		run -1 --separate-stderr callgraph-symbolize -r store record
		[[ $stderr == *"a release record is damaged"* ]]
	done
	# With these edits the file is not recognized as a release.
	for edit in 's/"start":"0x0"/"start":"0x"/' 's/^/x/' \
	    's/"end":"[^"]*"/"end":"0x0"/'; do
		sed "$edit" whole >"$release"
		rm -rf store/.build-id
		run -0 --separate-stderr callgraph-symbolize -r store record
		[[ $stderr == *"cannot use "*"not a release, or it is damaged"* ]]
		# The program itself can still be used.
		[[ $output == *'"name":"main"'* ]]
	done
	rm "$release"
	for create in mkfifo mkdir; do
		$create "$release"
		run -0 --separate-stderr timeout "$HANG_S" callgraph-symbolize -r store record
		[[ $stderr == *"cannot use "*": it is not a regular file"* ]]
		rm -r "$release"
	done
	# The last 20 bytes are missing.
	head -c -20 whole >"$release"
	run --separate-stderr callgraph-symbolize -r store record
	[[ $stderr == *"cannot use "* ]]
}
