# examples.bats - after an installation, each example of each page runs as printed
#
# An example is a command that a page shows after "$ ".  The list HOST_EXAMPLES of
# cluster/archive.bash has those that need other hosts; cluster/hosts.sh runs
# these.  databases.sh runs those that begin with duckdb, which Debian does not
# have.  Sanitizers would find nothing here: each filter has tests of its own.

# bats file_tags=normal

load helper
load printed
load cluster/archive

# write_stubs - writes bin/sleep, which does not sleep, and bin/ninja, which runs
# ninja and then replaces the times in its log, also those of files, by those of
# a machine without noise: a step takes 30 ms and what it would have slept.  So the examples of
# weir-history(7) find their slow commit on a busy machine as well.  They build 40
# times: the gcc that this ninja finds compiles the same sources only once.
write_stubs() {
	mkdir -p bin made/bin && ln -s "$(type -P true)" bin/sleep &&
		cat >made/bin/gcc <<-END && cat >bin/ninja <<-END &&
	#!/bin/sh
	case "\$*" in *' -o main.o' | *' -o calc.o' | *' -o app') ;;
	*) exec $(command -v gcc) "\$@" ;; esac
	made='$PWD/made/'\$(echo "\$@" \$(cksum *.c *.h))
	for out; do :; done
	[ -e "\$made" ] || $(command -v gcc) "\$@" -o "\$made" || exit
	cp "\$made" "\$out"
	END
	#!/bin/sh
	PATH='$PWD/made/bin':\$PATH
	[ "\$1" != -t ] || exec $(command -v ninja) "\$@"
	$(command -v ninja) "\$@" || exit
	awk -v OFS='\t' -v now="\$((\$(date +%s) - 60))" '
	match(\$0, /sleep [0-9.]+/) {
		ms = 1000 * substr(\$0, RSTART + 6, RLENGTH - 6)
		slept[/gcc/ ? "app" : "table.h"] = ms
	}
	/^# ninja log/ { in_log = 1; print; next }
	in_log {
		\$1 = 0
		if (\$4 == "main.o") \$1 = end["table.h"]
		if (\$4 == "app") \$1 = end["main.o"]
		\$2 = end[\$4] = \$1 + 30 + slept[\$4]
		\$3 = now + int(\$2 / 1000) sprintf("%03d000000", \$2 % 1000)
		print
	}' table.sh build.ninja .ninja_log | sort -s -n -k 2,2 >.sorted &&
		mv .sorted .ninja_log
	END
	chmod +x bin/ninja made/bin/gcc
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" && write_stubs || return
	# packages.sh has installed weir, with compressed pages, which mandoc reads
	# by their names without .gz.
	export PREFIX=${WEIR_PREFIX:-$PWD/usr}
	[ -n "${WEIR_PREFIX:-}" ] ||
		env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$ROOT" \
			OUT="$(realpath "$BUILD")" PREFIX="$PREFIX" install
	mkdir printed
	for page in "$ROOT"/man/*.[1357]; do
		page=${page##*/}
		mandoc -Tutf8 "$PREFIX/share/man/man${page##*.}/$page" |
			sed 's/.\x08//g' >printed/"$page"
	done
}

setup() {
	enter_test
	ln -s "$BATS_FILE_TMPDIR/printed" .
	mkdir home
}

# copy_printed_files PAGE FOLDER - writes the scripts and makefiles that a page
# shows as a reader copies them: without the indentation, and without tabs
copy_printed_files() {
	awk -v folder="$2" '
	match($0, /^ +(# [a-z-]+\.(mk|sh|yml)|\$ cat [a-z.-]+)$/) {
		file = folder "/" $NF
		match($0, /^ +/)
		indent = RLENGTH
		if ($1 == "$") next
	}
	!NF { file = "" }
	file { print substr($0, indent + 1) >file }' "printed/$1"
}

# needs_hosts COMMAND - whether HOST_EXAMPLES has the command
needs_hosts() {
	local example
	for example in "${HOST_EXAMPLES[@]}"; do
		[ "$1" != "$example" ] || return 0
	done
	return 1
}

# is_run COMMAND - whether an example needs neither other hosts nor DuckDB
is_run() {
	! needs_hosts "$1" && [[ $1 != duckdb\ * ]]
}

# copy_named PAGE FOLDER - copies those files of the installed folder that a page
# names, which are what its examples read, and the Makefile, which make finds
copy_named() {
	local file files=() text
	text=$(<"printed/$1")$'\nMakefile'
	for file in "$PREFIX"/share/doc/weir/examples/*; do
		[[ $text != *"${file##*/}"* ]] || files+=("$file")
	done
	mkdir "$2" && cp "${files[@]}" "$2"
}

# try_page PAGE - runs the examples of a page that can be run here, in a copy of
# the installed folder, with the environment that weir(7) describes
try_page() {
	local example shown
	copy_named "$1" "$1" && copy_printed_files "$1" "$1" || return
	printed_examples "$1" |
	while IFS= read -r -d '' example && IFS= read -r -d '' shown; do
		! is_run "$example" || printf '%s\0%s\0' "$example" "$shown"
	done >"$1.run"
	# What weir-hacking(7) shows needs the source, which is not installed.
	[ -s "$1.run" ] || [ "$1" = weir-hacking.7 ] || echo "$1: no example"
	env -i -C "$1" HOME="$PWD/home" LC_ALL=C.UTF-8 \
		PATH="$PREFIX/bin:$BATS_FILE_TMPDIR/bin:/usr/bin:/bin" \
		CPATH="$PREFIX/include" \
		LIBRARY_PATH="$PREFIX/lib" \
		PKG_CONFIG_PATH="$PREFIX/lib/pkgconfig" \
		bash -c "$(declare -f try_examples); try_examples $1 '$PWD/$1'" \
			8<"$1.run"
}

@test "each example of each page runs as printed" {
	need_simple_path
	for page in printed/*; do
		try_page "${page##*/}"
	done >failed 2>&1
	cat failed
	[ ! -s failed ]
}

@test "what is installed as a script or makefile is what the page prints" {
	mkdir files
	for page in printed/*; do
		copy_printed_files "${page##*/}" files
	done
	for file in files/*; do
		expand "$PREFIX/share/doc/weir/examples/${file##*/}" |
			diff - "$file"
	done
	# The other files are the inputs.
	(cd files && lines *) | sort - <(cd "$DATA/demo" && find . -type f,l \
		-path './*' ! -path './project/*' -printf '%P\n') |
		diff - <(cd "$PREFIX/share/doc/weir/examples" && lines * | sort)
}

@test "the examples that are not run are those of check-hosts" {
	for page in printed/*; do
		printed_examples "${page##*/}" |
		while IFS= read -r -d '' example && IFS= read -r -d '' shown; do
			! needs_hosts "$example" || echo "$example"
		done
	done >named
	lines "${HOST_EXAMPLES[@]}" | diff - named
}

@test "the examples for DuckDB are in the section that check-databases runs" {
	grep -lE '^ +\$ duckdb ' printed/* | diff - <(echo printed/weir-cookbook.7)
	sed '/^ARCHIVES/,/^QUERIES/d' printed/weir-cookbook.7 >others
	run -1 grep -E '^ +[$>] .*duckdb ' others
}

@test "a command on a page is an example" {
	# A display without "$ " must not begin with the name of a program.
	for page in printed/*; do
		printed_examples "${page##*/}"
	done | tr '\0' '\n' | grep -o '^[a-z0-9-]*' | sort -u >programs
	grep -qx critpath programs
	awk '
	/^\.Bd -literal/ { first = 1; next }
	first || /^\.D[l1] / {
		sub(/^\.D[l1] /, "")
		print $1
	}
	{ first = 0 }' "$ROOT"/man/*.[1357] | sort -u >first
	[ -s first ]
	run -1 grep -xFf programs first
}
