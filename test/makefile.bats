# makefile.bats - what the Makefile promises to those who build and package weir

# bats file_tags=normal

load helper
load symbols
find_filters

# make cannot name a directory for OUT that has spaces.
setup() {
	enter_test
	need_simple_path
}

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

@test "the archiver is the one of the chosen gcc" {
	for pair in gcc:gcc-ar gcc-13:gcc-ar-13 'ccache gcc-13':gcc-ar-13 \
			my-cc:gcc-ar; do
		run_make CC="${pair%:*}" -n all >commands 2>err
		assert_equal "$(grep -o '^[^ ]* rcs' commands | sort -u)" \
			"${pair#*:} rcs"
	done
}

@test "make check-compilers tries each compiler in PATH, and fails if one does" {
	mkdir bin
	# One always fails, one fails where -Werror is, one writes empty files.
	printf '#!/bin/sh\nexit 1\n' >bin/gcc-97
	cat >bin/clang-98 <<-'END'
		#!/bin/sh
		case " $* " in
		*" -Werror "*" -c "*critpath*) exit 1 ;;
		*) exec "$0/../gcc-99" "$@" ;;
		esac
	END
	cat >bin/gcc-99 <<-'END'
		#!/bin/sh
		while [ $# -gt 1 ]; do
			[ "$1" != -o ] || >"$2"
			shift
		done
	END
	chmod +x bin/*
	for tool in bash cat find mkdir rm sed sh ln make nproc touch; do
		ln -s "$(command -v $tool)" bin
	done
	# One filter of many: all are compiled in the same way.
	run -2 --separate-stderr run_make PATH="$PWD/bin" LD=: AR=: \
		OBJCOPY=: -s check-compilers FILTERS=critpath
	assert_output "clang-98: failed
gcc-97: failed
gcc-99: no warnings"
	rm bin/*-9[78]
	run -0 --separate-stderr run_make PATH="$PWD/bin" LD=: AR=: \
		OBJCOPY=: -s check-compilers FILTERS=critpath
	assert_output "gcc-99: no warnings"
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

@test "after a change make compiles that file, and links what uses it" {
	# -W FILE: what would be done if the file had changed now
	run_make -n OUT="$(realpath "$BUILD")" -W filters/critpath/whatif.c \
		tests >commands
	assert_equal "$(grep -oE -- ' (-o|rcs) [^ ]*' commands |
		sed 's|.*/||')" "$(lines whatif.o critpath)"
}

@test "builds in different directories give the same bytes" {
	for copy in a 'with some spaces'; do
		mkdir "$copy"
		ln -s "$(realpath "$ROOT")"/{Makefile,common,filters,instrument,test} \
			"$copy"
		ROOT=$PWD/$copy run_make CFLAGS='-g -O0' -s OUT=build \
			INSTRUMENT_CFLAGS='-g -O0' \
			build/common/base/text.o \
			build/libweir-instrument-noop.{a,so}
		# The object has the attribute that could name the directory.
		objdump --dwarf=info "$copy/build/common/base/text.o" |
			grep -q DW_AT_comp_dir
	done
	for file in common/base/text.o libweir-instrument-noop.{a,so}; do
		cmp a/build/$file "with some spaces/build/$file"
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

@test "only OUT is written to, and make clean removes only what was built" {
	mkdir -p out/common/base out/mine out/demo
	touch out/common/base/mine.c out/demo/mine.svg
	find . | sort >mine
	touch stamp
	[ ! -e "$ROOT/.git" ] || run_make -s dist
	mkdir -p out/deb/weir
	for san in '' SAN=1; do
		run_make -s $san "$PWD/out${san:+/san}/common/base/text.o" \
			"$PWD/out${san:+/san}/libweir-instrument-noop.so"
	done
	[ -e out/common/base/text.o ]
	[ -e out/san/common/base/text.o ]
	find "$ROOT" -name build -prune -o -name .git -prune -o \
		-type f -newer stamp -print >written
	run -1 grep -v '/\.' written
	rm written
	run_make -s clean
	rm stamp
	find . | grep -vx ./mine | sort | diff <(grep -vx ./mine mine) -
}

# fake_system ID - puts commands first in PATH: the user has this numeric ID, no
# package is installed, and apt-get, which fails, writes the file `changed`
fake_system() {
	mkdir fake && cd fake && lines '#!/bin/sh' "echo $1" >id &&
		lines '#!/bin/sh' 'exit 1' >dpkg-query &&
		lines '#!/bin/sh' "echo \"\$@\" >>'$PWD/../changed'; exit 1" \
			>apt-get &&
		chmod +x * && cd .. && PATH=$PWD/fake:$PATH
}

@test "a user who is not root gets the command for root, and nothing changes" {
	fake_system 1000
	run -2 --separate-stderr run_make demo
	[ ! -e changed ]
	[ ! -e out ]
	assert_equal "$output" ""
	assert_equal "${stderr_lines[0]%%: *}:" \
		"These packages are missing:"
	assert_equal "${stderr_lines[1]}" \
		"Install them as root, and run the command again:"
	[[ ${stderr_lines[2]} == 'apt-get update && apt-get install '*' libyajl-dev '* ]]
}

@test "an installation that fails says how to repeat it" {
	fake_system 0
	run -2 --separate-stderr run_make demo
	assert_equal "$(head -n 1 changed)" update
	[[ $stderr == *"The installation failed.  To run it again:
apt-get update && apt-get install "* ]]
}

@test "make says what to install if a library is missing, and changes nothing" {
	fake_system 0
	lines '#!/bin/sh' 'echo "yajl_parse.h: No such file" >&2; exit 1' >fake/cc
	chmod +x fake/cc
	run -2 --separate-stderr run_make CC=cc "$PWD/out/common/base/text.o"
	[ ! -e changed ]
	assert_equal "${stderr_lines[0]}" "yajl_parse.h: No such file"
	[[ $stderr == *"Install them as root, and run the command again:
apt-get update && apt-get install "* ]]
	assert_equal "$(grep -c 'No such file' <<<"$stderr")" 1
}

# for_prefix PREFIX TARGET - installs into "a stage", or uninstalls
for_prefix() {
	local san=
	! is_sanitized || san=SAN=1
	make -s -C "$ROOT" $san DESTDIR="$PWD/a stage" PREFIX="$1" "$2"
}

@test "what install writes, uninstall removes, and nothing else" {
	for_prefix '/my opt' install
	examples="$PWD/a stage/my opt/share/doc/weir/examples"
	touch "$examples/of-the-user"
	ls "$examples"/{build.log,answer.mk} "$PWD/a stage/my opt/bin/critpath"
	for_prefix '/my opt' uninstall
	assert_equal "$(find "a stage" -not -type d)" \
		'a stage/my opt/share/doc/weir/examples/of-the-user'
	assert_equal "$(find "a stage" -type d -empty)" ''
	rm "$examples/of-the-user"
	for_prefix '/my opt' uninstall
	[ ! -e "a stage" ]
}

@test "pages are installed with the folders of the examples and adapters" {
	for_prefix /opt/weir install
	for folder in weir:doc/weir/examples weir-adapters:weir/adapters \
		weir-ci:doc/weir/examples weir-cookbook:weir/adapters; do
		page="a stage/opt/weir/share/man/man7/${folder%:*}.7"
		grep -qF "/opt/weir/share/${folder#*:}" "$page"
		run -1 grep -F /usr/local/share "$page"
		[ "$(ls "a stage/opt/weir/share/${folder#*:}" | wc -l)" -gt 9 ]
	done
}

@test "make dist makes the same archive of each clone, of all that git lists" {
	[ -e "$ROOT/.git" ] || skip "the source is not a clone"
	for clone in a 'with some spaces'; do
		git clone -q --shared --no-checkout "$ROOT" "$clone"
		# What make reads
		git -C "$clone" checkout -q HEAD -- Makefile README.md \
			instrument test/programs
	done
	git -C 'with some spaces' config tar.umask 077
	git -C 'with some spaces' config core.autocrlf true
	touch -d 2001-01-01 'with some spaces/README.md'
	touch 'with some spaces/not-of-git'
	ROOT=$PWD/a run_make -s OUT=build dist
	(umask 077; ROOT=$PWD/with\ some\ spaces run_make -s OUT=out dist)
	cmp a/build/weir-*.tar.gz 'with some spaces'/out/weir-*.tar.gz
	tar -tvzf a/build/weir-*.tar.gz --full-time --utc >listed
	assert_equal "$(awk '{ print $2, $4, $5 }' listed | sort -u)" \
		"root/root $(TZ=UTC git -C a log -1 --format=%cd \
			--date='format-local:%Y-%m-%d %H:%M:%S')"
	tar -tzf a/build/weir-*.tar.gz | sed -n 's|^[^/]*/\(.*[^/]\)$|\1|p' |
		diff - <(git -C a ls-tree -r --name-only HEAD)
	# An unpacked archive is not a clone, also not of a repository around it.
	tar -xzf a/build/weir-*.tar.gz -C a --wildcards \
		'weir-*/Makefile' 'weir-*/instrument' 'weir-*/test/programs'
	cd a/weir-*
	ROOT=$PWD run -2 --separate-stderr run_make -s OUT=build dist
	assert_output 'make dist needs a clone of the repository'
	[ ! -e build ]
}

@test "the packages have the versions and the libraries of the Makefile" {
	read -r version abi < <(run_make -s \
		--eval='show: ; @echo $(VERSION) $(ABI_VERSION)' show)
	head -n 1 "$ROOT/.debian/changelog" | grep -F "weir ($version-"
	grep -x "Package: libweir-instrument$abi" "$ROOT/.debian/control"
	fake_system 0
	run -1 --separate-stderr sh "$TEST/setup.sh" --dry-run build
	assert_equal "$(sed -n '/^Build-Depends:/,/^S/{ //!p; s/.*:.*(= 13),//p; }' \
		"$ROOT/.debian/control" | tr -d , | xargs -n 1 | sort)" \
		"$(sed 's/.*://; q' <<<"$stderr" | xargs -n 1 |
		grep -v libc6-dev | sort)"
}

@test "an unknown set of packages ends the installation with status 2" {
	run -2 --separate-stderr sh "$TEST/setup.sh" build no-such-set
	assert_equal "$stderr" \
		"setup.sh: unknown set of packages: no-such-set"
}

@test "the compiler in CC is installed, and not gcc for a build by clang" {
	mkdir bin
	ln -s "$(command -v id)" bin
	sh=$(command -v sh)
	# Nothing can be installed: there is no apt-get.
	for pair in :gcc my-cc:gcc gcc-97:gcc-97 clang:clang /x/clang-98:clang-98 \
			'ccache clang-98 -m64':clang-98; do
		run -1 env CC="${pair%:*}" PATH="$PWD/bin" "$sh" \
			"$TEST/setup.sh" build
		assert_output --regexp "calls ${pair#*:} libc6-dev [^:]*$"
	done
	for pair in clang:libclang-rt-dev clang-98:libclang-rt-98-dev; do
		run -1 env CC="${pair%:*}" PATH="$PWD/bin" "$sh" \
			"$TEST/setup.sh" test
		assert_output --regexp "calls ${pair#*:} llvm bash-completion bats "
	done
}

# copy_source - copies the source to source/, and what it was built to, to
# source/build/: only what a test changes is copied, the rest is linked
copy_source() {
	local root build
	root=$(realpath "$ROOT") build=$(realpath "$BUILD") &&
		mkdir -p source/{filters,test} source/build/filters &&
		ln -s "$root"/{Makefile,README.md,common,instrument} source &&
		ln -s "$root"/filters/* source/filters &&
		ln -s "$root"/test/* source/test &&
		cp -R "$root/man" source &&
		ln -s "$build"/{common,libraries,libweir.a,tests} source/build &&
		ln -s "$build"/filters/* source/build/filters &&
		rm source/{,build/}filters/execlog-parse &&
		cp -Rp "$root/filters/execlog-parse" source/filters &&
		cp -Rp "$build/filters/execlog-parse" source/build/filters
}

# in_copy COMMAND... - runs the command for the copy; what make compiles there is
# not optimised
in_copy() {
	(cd source && env -u WEIR_BUILD -u MAKEFLAGS ALL_TESTS=1 \
		CFLAGS='-O0 -U_FORTIFY_SOURCE' "$@")
}

@test "a filter is three new files and entries in weir(7)" {
	copy_source
	cat >source/filters/pretend.c <<-'END'
		/* pretend - counts records */

		#include <stddef.h>

		#include "common/filter/filter-read.h"
		#include "common/filter/filter.h"

		static const char *const keys[] = { "type", NULL };
		static const struct opt options[] = { { 0 } };
		static const struct about about = {
		    .operands = "[file ...]",
		    .purpose = "Counts records.",
		    .reads = "records",
		    .keys = keys,
		};

		int
		main(int argc, char **argv)
		{
			struct filter f;
			uint64_t n = 0;

			filter_begin(&f, &about, options, argc, argv);
			while (filter_next(&f) != NULL)
				n++;
			json_uint(filter_begin_record(&f, "pretended"), "n", n);
			filter_end_record(&f);
			return filter_end(&f);
		}
	END
	in_copy make -s build/pretend
	printf '{"type":"%s"}\n' a b | source/build/pretend | grep '"n":2'
	# Before the other files, a test says what is missing.
	for f in "${FILTERS[@]}"; do
		ln -s "$(realpath "$BUILD/$f")" source/build
	done
	run in_copy bats -f 'page, a test file' test/contract.bats
	for missing in pretend.1 pretend.bats weir.7; do
		assert_output --partial "$missing"
	done
	sed 's/vcs-heads/pretend/g; /^\.It Fl/,/^\.El/{ /^\.El/!d; }' \
		source/man/vcs-heads.1 >source/man/pretend.1
	printf '@test "it counts" { pretend /dev/null; }\n' \
		>source/test/pretend.bats
	sed -i -e '0,/^\.It Xr vcs-heads 1/s//.It Xr pretend 1\ncounts\n&/' \
		-e 's/^\.Xr vcs-heads 1 ,/.Xr pretend 1 ,\n&/' \
		source/man/weir.7
	in_copy bats -f 'page, a test file|has a page with|all its options' \
		test/contract.bats test/pages.bats
	in_copy make -pn all | grep -q '^FILTERS.* pretend'
}

@test "a format of logs is one new file and one line" {
	copy_source
	cat >source/filters/execlog-parse/pretend.c <<-'END'
		/* pretend - reads a log whose lines begin with "pretend" */

		#include "common/filter/filter-read.h"
		#include "filters/execlog-parse/formats.h"

				static bool
		detect(struct input *in)
		{
			return format_begins_with(in, "pretend ");
		}

		static void
		read_all(struct filter *f, const struct format_options *options)
		{
			struct line line;

			(void)options;
			while (filter_line(f, &line)) {
				json_str(filter_begin_record(f, "task"), "id",
				    span_of(line.p, line.len));
				filter_end_record(f);
			}
		}

		const struct input_format pretend_format = { "pretend",
		    "a pretended log", NULL, detect, read_all };
	END
	sed -i 's/^	FORMAT(ninja)/	FORMAT(pretend)	\\\n&/' \
		source/filters/execlog-parse/formats.h
	in_copy make -s build/execlog-parse
	printf 'pretend %s\n' a b | source/build/execlog-parse >tasks
	assert_equal "$(jq -r '.id // empty' tasks)" \
		"$(lines 'pretend a' 'pretend b')"
	source/build/execlog-parse --help | grep 'pretend  *a pretended log'
	source/build/execlog-parse "$TEST"/data/execlog-parse/sample-ninja.log \
		>/dev/null
}

@test "the demo answers three questions, and draws a picture" {
	cp -R "$BUILD"/{execlog-parse,buildgraph-parse,critpath,malparse,malstat} \
		"$BUILD"/{perf-diff,timeline} .
	bash "$TEST/demo.sh" . >out
	# With the messages of the installation there are at most 90 lines.
	[ "$(wc -l <out)" -le 85 ]
	run -1 grep $'\033' out
	# Tables fit a terminal; only the first sentence of a report may not.
	run -1 grep -En '^.{81,}' out
	assert_equal "$(grep -c '^[1-9]\. .*?$' out)" 3
	# What the sentences below the answers say is what the answers say.
	for said in 8.61 '1\.1 of 3' 88aaf69c2d 581 1.041 table.h; do
		[ "$(grep -c "$said" out)" -ge 2 ]
	done
	tail -n 1 out | grep -F ./demo/build.svg
	grep -q '<svg' demo/build.svg
}

@test "a step of the demo that fails is named, with the command to repeat it" {
	cp "$BUILD"/{execlog-parse,buildgraph-parse,critpath,malparse} .
	PATH=/usr/bin:/bin run -1 --separate-stderr bash "$TEST/demo.sh" .
	[[ $output == *'malstat: command not found
The step "2. What costs most in this database query?" failed.  To run it again:
cd '*'/demo
PATH='*':$PATH
malparse trace.json | malstat --text' ]]
}

# check_commands TARGET [VARIABLE=VALUE...] - prints how make would run tests,
# without the number of jobs
check_commands() {
	run_make -n "$@" | sed -e ':join; /\\$/ { N; s/\\\n\t*//; b join; }' |
		sed -n 's/JOBS=[^ ]* + 2)) \(.*bash test\/check.sh\)/\1/p'
}

@test "T and F choose tests, SAN sanitizers; test is another name of check" {
	for target in check test; do
		assert_equal "$(check_commands $target T='critpath unit' \
			F='a diamond')" "FILTER='a diamond' TAGS='' bash"`
			`" test/check.sh '$PWD/out' test/critpath.bats test/unit.bats"
		assert_equal "$(check_commands $target T=unit SAN=1)" \
			"FILTER='' TAGS='!normal' bash"`
			`" test/check.sh '$PWD/out/san' test/unit.bats"
	done
}

@test "check leaves out exhaustive inputs and sanitizers, check-all nothing" {
	run -0 check_commands check
	assert_line --partial "TAGS='!exhaustive' bash test/check.sh '$PWD/out' "
	assert_equal "${#lines[@]}" 1
	assert_equal "$(xargs -n 1 <<<"$output" | grep bats$ | sort)" \
		"$(cd "$ROOT" && ls test/*.bats)"
	run -0 check_commands check-all
	assert_equal "$(grep -o "TAGS=.*sh '[^']*'" <<<"$output")" \
		"TAGS='' bash test/check.sh '$PWD/out'
TAGS='!normal' bash test/check.sh '$PWD/out/san'"
}


@test "random inputs are the same in each run, unless SEED is given" {
	unset SEED
	assert_equal "$(seed 2>err)" 1
	assert_equal "$(cat err)" SEED=1
	assert_equal "$(SEED=7 && seed 2>err)" 7
	# The tests are run with it, and what repeats a failure is printed.
	lines '#!/bin/sh' 'echo "$@"' 'exit 1' >make
	chmod +x make
	run -2 --separate-stderr run_make SEED=7 MAKE="$PWD/make" check-random
	assert_equal "${lines[0]}" "check-all SEED=7"
	assert_equal "${lines[1]}" "to repeat this: make check-all SEED=7"
}

@test "a test without its programs says how to build them" {
	for file in help unit; do
		WEIR_BUILD=$PWD/nothing run -1 bats -f 'both examples|buf:' \
			"$TEST/$file.bats"
		[[ $output == *"weir is not built in $PWD/nothing: make tests"* ]]
	done
}
