# makefile.bats - what the Makefile promises to those who build and package weir

load helper
load symbols

# run_make [VARIABLE=VALUE...] ARGUMENT... - runs make in the project, with these
# variables in the environment and none from an outer make.  A variable after the
# first ARGUMENT, such as -s, is one of make's command line instead.
run_make() {
	local environment=()
	while [[ $1 == *=* ]]; do
		environment+=("$1")
		shift
	done
	env -u MAKEFLAGS -u MAKELEVEL -u CFLAGS -u CPPFLAGS -u LDFLAGS \
		"${environment[@]}" make -s -C "$ROOT" OUT="$PWD/out" "$@"
}

@test "flags from the environment are used, and replace the default CFLAGS" {
	run_make CFLAGS=-DMY_C CPPFLAGS=-DMY_CPP LDFLAGS=-Wl,-my -n all >commands
	grep -e ' -c -o .*/common/' commands >compile
	[ -s compile ]
	# No line lacks the flags.
	run -1 grep -v -e '-DMY_CPP -DMY_C ' compile
	run -1 grep -e '-O3' compile
	grep -e ' -pie ' -e ' -shared ' commands >link
	# There are more than 20 filters.
	[ "$(wc -l <link)" -gt 20 ]
	run -1 grep -v -e '-Wl,-my' link
}

@test "the compiler, the archiver and objcopy can be chosen" {
	run_make CC=my-cc AR=my-ar OBJCOPY=my-objcopy -n all >commands 2>err
	for tool in 'my-cc -std' 'my-ar rcs' 'my-objcopy '; do
		grep -q "^$tool" commands
	done
	run -1 grep -E '^(cc|gcc|ar|gcc-ar|objcopy) ' commands
}

@test "make itself does not mention that the compiler is missing" {
	run -0 --separate-stderr run_make CC=no-such-compiler -n clean
	assert_equal "$stderr" ""
}

@test "_FORTIFY_SOURCE can be raised without being defined twice" {
	for variable in CFLAGS CPPFLAGS; do
		rm -rf out
		run_make $variable='-O2 -D_FORTIFY_SOURCE=3' \
			"$PWD/out/common/base/text.o" 2>err
		run -1 grep redefined err
	done
}

@test "builds in different directories give the same bytes" {
	for copy in a some/where/else; do
		mkdir -p $copy
		cp -R "$ROOT"/{Makefile,common,filters,instrument,test} $copy
		ROOT=$PWD/$copy run_make CFLAGS='-g -O1' -s OUT=build \
			build/common/base/text.o build/libweir-instrument.{a,so}
		# The object has the attribute that could name the directory.
		objdump --dwarf=info $copy/build/common/base/text.o |
			grep -q DW_AT_comp_dir
	done
	for file in common/base/text.o libweir-instrument.{a,so}; do
		cmp a/build/$file some/where/else/build/$file
	done
}

@test "without libiberty, libstdc++ demangles names of C++, up to a limit" {
	# A bomb: f(a<int>, a<a<int>, a<int> >, ...) would expand to gigabytes,
	# so its name must stay mangled.
	bomb=_Z1f1aIiE
	for i in {0..9} {A..Z}; do
		bomb+=S_IS${i}_S${i}_E
	done
	symbol=_ZN5outer5innerEv
	for name in $bomb $symbol main; do
		printf '.globl %s\n%s: ret\n' $name $name
	done >names.s
	gcc -o names names.s
	callgraph names 0x0 "{\"function\":\"$(function_at names $bomb)\"}" \
		"{\"function\":\"$(function_at names $symbol)\"}" >record
	# All other object files are those of the usual build.
	mkdir out
	cp -a "$BUILD/common" "$BUILD/filters" out
	rm out/common/program/demangle.o
	is_sanitized && san=SAN=1 || san=
	run_make -s $san DEMANGLER=stdc++ "$PWD/out/callgraph-symbolize"
	# The demangler of libstdc++ is used.
	nm out/callgraph-symbolize | grep __gcclibcxx_demangle_callback
	run -0 --separate-stderr timeout "$HANG_S" out/callgraph-symbolize record
	assert_equal "$(jq -r 'select(.nodes) | .nodes[].name' <<<"$output")" \
		"$(lines $bomb 'outer::inner()')"
}

@test "an unknown set of packages ends the installation with status 2" {
	run -2 --separate-stderr sh "$TEST/setup.sh" build no-such-set
	assert_equal "$stderr" \
		"setup.sh: unknown set of packages: no-such-set"
}

@test "the demo runs, and writes no escape sequences into a file" {
	(cd "$ROOT" && bash test/demo.sh "${WEIR_BUILD:-build}") >out
	grep -qx 'Filters turn it into records.*' out
	run -1 grep $'\033' out
	command -v ninja >/dev/null || return 0
	# The last report names the step that was made slower on purpose.
	sed -n '/^One step becomes slower/,$p' out >report
	grep -q 'keys are worse' report
	sed -n '/^Worse/,/^$/p' report | grep -q ' step table\.h$'
	# No line is wider than a terminal, except for records and their paths.
	sed '/^{/d' out >texts
	run -1 grep -En '^.{81,}' texts
}
