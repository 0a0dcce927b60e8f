# ninja.bash - a project that ninja builds, and a ninja whose times are given
#
# A wrapper of ninja replaces the times in its log by those that the project has
# in the file `times`, with noise of up to 5 %: so the results are the same on a
# busy machine.

# write_project - writes a program with a table.  The file `times` has for each
# target its time in ms and the targets after which it starts.  A step is done by
# the shell alone, because there are hundreds of builds; it fails if a file begins
# with a line "error".
write_project() {
	cat >build.ninja <<-'END'
	rule copy
	  command = for f in $in; do read line <$$f; [ "$$line" != error ] || $
	    { echo $$f: error; exit 1; }; done; : >$out
	build table.h: copy table
	build main.o: copy main.c | table.h
	build calc.o: copy calc.c
	build app: copy main.o calc.o
	END
	touch table main.c calc.c &&
		lines 'table.h 100' 'calc.o 30' 'main.o 40 table.h' \
			'app 50 main.o calc.o' >times
}

# write_ninja - writes bin/ninja, the wrapper.  It runs $NINJA; the noise depends
# on $NOISE and on the number of builds in the file $N_BUILDS.
write_ninja() {
	mkdir bin && cat >bin/ninja <<-'END' && chmod +x bin/ninja
	#!/bin/sh
	[ "$1" != -t ] || exec "$NINJA" "$@"
	"$NINJA" "$@" || exit
	echo build >>"$N_BUILDS"
	awk -v OFS='\t' -v noise="$NOISE" -v builds="$N_BUILDS" '
	BEGIN {
		while ((getline <builds) > 0)
			noise++
		srand(noise)
	}
	FNR == NR {
		for (i = 3; i <= NF; i++)
			if (end[$i] > start[$1])
				start[$1] = end[$i]
		end[$1] = int(start[$1] + $2 * (1 + rand() / 20))
		next
	}
	FNR > 1 {
		$1 = start[$4] + 0
		$2 = end[$4]
		$3 = sprintf("%d%03d000000", 1700000000 + int($2 / 1000),
			$2 % 1000)
	}
	{ print }' times .ninja_log | sort -s -n -k 2,2 >log
	mv log .ninja_log
	END
}
