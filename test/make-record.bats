# make-record.bats - make-record writes a task for each target, and the build
# is as it is without make-record

load helper

# makefile - copies standard input to Makefile, with a tab for each > that
# begins a line, because <<- removes tabs
makefile() {
	sed 's/^> */\t/' >Makefile
}

# build COMMAND... - runs a build in a new directory `at` with a copy of the
# makefiles; prints its output and status, and then its files
build() {
	local status=0
	rm -rf at && mkdir at && cp -R Makefile ${INPUTS-} at && cd at &&
		{ "$@" >../out 2>../err || status=$?; } && cd .. &&
		lines "status $status" errors >heading && cat out heading err &&
		lines files && find at -type f -exec cksum {} + | sort
}

# assert_same ARG... - a build by `make ARG...` is the same with make-record;
# the records are in `rec`.  Since make 4.4 the pipe for -j and the file for -O
# have a random part in their names.
assert_same() {
	local names='s,/(GMfifo|Gm)[0-9A-Za-z]*,/\1,g'
	build make "$@" | sed -E "$names" >plain &&
		build make-record -o "$PWD/rec" make "$@" |
		sed -E "$names" >recorded && diff plain recorded
}

# task ID [FILTER] - prints the task with an id
task() {
	jq -c --arg id "$1" "select(.type == \"task\" and .id == \$id) |
		${2:-.}" rec
}

# tasks [COMMAND] - prints each task and its sorted dependencies, but not the
# parts of the command (default: make) before the first and after the last make
tasks() {
	jq -r --arg first "${1:-make} (part 1)" --arg last "${1:-make}" '
		select(.type == "task" and .id != $first and .id != $last) |
		.id + ": " + (.deps - [$first] | sort | join(" "))' rec | sort
}

# --- records ---

@test "a target is a task with its prerequisites, suffix and status" {
	makefile <<-'END'
	out/all: a.o | out
	> @echo $^ >$@
	out: ; @mkdir -p $@
	a.o: a.c ; @touch $@
	a.c: ; @touch $@
	END
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'a.c: ' 'a.o: a.c' 'out/all: a.o out' \
		'out: ')"
	assert_equal "$(task a.o '[.name, .target, .rule, .kind, .status]')" \
		'["a.o","a.o",".o","run","0"]'
	assert_equal "$(task out '.rule')" null
	[ "$(jq -rs 'map(.type) | unique | join(" ")' rec)" = \
		"begin build end task" ]
	[ "$(jq -rs '.[-2].format' rec)" = make ]
}

@test "the lines of a target are one task, and their times are summed" {
	makefile <<-'END'
	all: ; @:
	> @exit 0; true
	> @echo x
	END
	make-record -o rec make
	[ "$(tasks | wc -l)" -eq 1 ]
	task all '.elapsed_us <= .end_us - (.start_us // .started_us)' |
		grep -x true
	for line in 10,15 17,19 20,21; do
		jq -nc "[$line] | { type: \"task\", id: \"all\", deps: [],
			start_us: .[0], end_us: .[1], status: 0 }"
	done >log
	make-record -o rec python3 "$TEST/oracles/make-record.py" replay log
	assert_equal "$(task all '[.start_us // .started_us, .end_us,
		.elapsed_us]')" '[10,21,8]'
}

@test "a target that runs make depends on the targets of that make" {
	mkdir lib && lines 'x.o: ../y.h; @echo x' '../y.h: ; @: ' >lib/Makefile
	makefile <<-'END'
	all: first ; @for d in lib; do $(MAKE) -C $$d; done
	first: ; @echo first
	END
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'all (part 1): first' \
		'all: lib/x.o' 'first: ' 'lib/x.o: y.h' 'y.h: all (part 1)')"
}

@test "two make processes that make one target are two tasks" {
	makefile <<-'END'
	all: ; @$(MAKE) one; $(MAKE) one
	one: ; @echo one
	END
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'all (part 1): ' 'all (part 2): one' \
		'all: one (2)' 'one (2): all (part 2)' 'one: all (part 1)')"
	critpath rec >/dev/null
}

@test "a target of the name of its parent's does not depend on itself" {
	makefile <<-'END'
	all: ; @$(if $(IN),echo in,$(MAKE) IN=1 all)
	END
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'all (2): all (part 1)' \
		'all (part 1): ' 'all: all (2)')"
}

@test "of a real build, times and path are those of another implementation" {
	local lines=$RECORDED/make.ndjson
	make-record python3 "$TEST/oracles/make-record.py" replay "$lines" |
		jq -c 'select(.name != "python3")' >rec
	assert_equal "$(critpath --json rec |
		jq 'select(.type == "critpath").length_us')" \
		"$(python3 "$TEST/oracles/make-record.py" sum "$lines")"
	# A task for each target: lines of $(shell) have none.
	assert_equal "$(jq -s '[.[] | select(.type == "task").elapsed_us] |
		[length, add]' -c rec)" "$(jq -s 'map(select(.id != "")) |
		[(map(.id) | unique | length), (map(.elapsed_us) | add)]' \
		-c "$lines")"
}

@test "a make with nothing to do is a build in which nothing ran" {
	lines 'all: ; @:' >Makefile
	lines 'a: ; @touch $@' >one.mk
	make-record -o first make -f one.mk
	make-record -o second make -f one.mk
	[ "$(records <second | jq -r .type)" = build ]
	[ "$(records <second | jq 'has("start_us")')" = false ]
	run -0 --separate-stderr critpath --budget 0 --json second
	# Each make is a run, so that several are one stream.
	run -0 --separate-stderr critpath --summary first second
	assert_equal "$(found .tasks)" $'3\n0'
	run ! make-record -o third make -f none.mk
	[ -z "$(records <third)" ]
	run -2 --separate-stderr critpath third
}

@test "a damaged record of the log is reported, the others are read" {
	cat >damage.sh <<-'END'
	log=$(tr '\0' '\n' </proc/$$/environ |
	> sed -n 's/^WEIR_MAKE_RECORD=.* //p')/log
	exec >>"$log"
	printf 'M\0001.1\0000\000/\0\nS\0001.1\0001\0007\0005\0a\0\0\0\n'
	printf 'E\0001.1\0007\0009\0000\0000\0\nE\0001.1\0007\0x\0000\0000\0\n'
	printf 'S\0002.1\0001\0007\0005\0a\0\0\0\nE\0001.1\0007\0009'
	END
	sed -i 's/^> */ /' damage.sh
	run -0 --separate-stderr make-record -o rec sh damage.sh
	[ "$(grep -c 'a record of the log is damaged' <<<"$stderr")" -eq 3 ]
	assert_equal "$(task /a .elapsed_us)" 4
	[ "$(jq -s 'last.rejected' rec)" -eq 3 ]
}

@test "the tasks of random recursive makefiles are those expected" {
	local first=$(seed)
	for ((i = 0; i < $(rounds 5); i++)); do
		mkdir "$i" && cd "$i"
		python3 "$TEST/oracles/make-record.py" generate $((first + i))
		make-record -o rec make -j3 >/dev/null 2>&1
		tasks >got
		sed 's/: $/: /' expected | LC_ALL=C sort >want
		LC_ALL=C sort got | diff want -
		cd ..
	done
}

@test "critpath simulates workers in the order of make" {
	local first=$(seed) n k
	for ((i = 0; i < $(rounds 5); i++)); do
		mkdir "$i" && cd "$i"
		python3 "$TEST/oracles/make-record.py" generate $((first + i))
		make-record -o rec make -j3 >/dev/null 2>&1
		# Times that differ more than those of the recipes, several ways.
		for k in {1..8}; do
			jq -c --argjson k "$k" 'if .type == "task" then
				.elapsed_us = 1 + (.id | explode | add *
				(97 + $k) % 1009 * 7919 % (100 * $k)) |
				del(.start_us, .started_us, .end_us)
				else . end' rec >changed
			for n in 2 3 5; do
				critpath -w $n changed
			done | jq 'select(.type == "critpath").simulated_us' >got
			python3 "$TEST/oracles/make-record.py" simulate changed \
				2 3 5 | diff - got
		done
		cd ..
	done
	[ "$i" -gt 0 ]
}

# pools - prints the tasks that need the workers of a pool, the pool and its
# size, or "shared"
pools() {
	jq -r 'select(.pool) | "\(.id) \(.pool) \(.limit // "shared")"' rec |
		sort
}

@test "a make that does not share the jobserver has workers of its own" {
	makefile <<-'END'
	all: shared by-line plain one two
	shared: ; @$(MAKE) s
	by-line: ; +@make l
	plain: ; @make p
	one: ; @$(MAKE) -j1 o
	two: ; @$(MAKE) -sj2 t
	s l p o t: ; @true
	END
	local jobs plain='p plain 1'
	# From make 4.4 on, its jobserver is a fifo, which all makes share.
	[[ $(make -f - <<<'$(info $(.FEATURES))all: ; @true') != \
		*jobserver-fifo* ]] || plain='p plain shared'
	for jobs in -j4 -j1 ''; do
		make-record -o rec make $jobs 2>/dev/null >&2
		assert_equal "$(pools)" "$(lines 'l by-line shared' 'o one 1' \
			"$plain" 's shared shared' 't two 2')"
	done
	# The worker of a recipe is kept for it, but not for the command.
	assert_equal "$(jq -r 'select(.worker_of) | .id + " < " + .worker_of' \
		rec)" "$(lines 'shared < shared (part 1)' \
		'by-line < by-line (part 1)' 'plain < plain (part 1)' \
		'one < one (part 1)' 'two < two (part 1)')"
	# -j1 is that of the command, and passed on to the make in the recipe.
	make-record -o rec make -j1 -f - >&2 <<<'one: ; @$(MAKE) -f Makefile o'
	assert_equal "$(pools)" 'o one shared'
}

@test "makes that one recipe runs have pools of their own, makes in them share" {
	makefile <<-'END'
	all: ; @make -j2 a & make -j3 b; wait
	a: ; @$(MAKE) c
	b c d: ; @true
	END
	make-record -o rec make 2>/dev/null >&2
	assert_equal "$(pools | sed -E 's/ all( .make 2.)?//' | xargs)" \
		'a (part 1) 2 a 2 b 3 c a shared'
	assert_equal "$(jq -r 'select(.pool).pool' rec | sort -u | xargs)" \
		'a all all (make 2)'
}

@test "the build says how many targets make would have run at once" {
	makefile <<<'all: ; @true'
	local jobs
	for jobs in '1 -j1' '1 -k' '7 -j7' 'null -j' '3 -k -j3 -l5'; do
		make-record -o rec make ${jobs#* } >&2
		assert_equal "$(jq 'select(.type == "build").limit' rec)" \
			"${jobs%% *}"
	done
	assert_equal "$(jq 'select(.type == "build").load_limit' rec)" true
	make-record -o rec sh -c 'make -j2; make -j5' >&2
	assert_equal "$(jq 'select(.type == "build").limit' rec)" 5
	lines 'MAKEFLAGS += -j6' 'all: ; @true' >Makefile
	make-record -o rec make >&2
	assert_equal "$(jq 'select(.type == "build").limit' rec)" 6
}

@test "a failed target is marked, and an ignored failure is not" {
	makefile <<-'END'
	all: ok bad
	ok: ; -@exit 3
	> @true
	bad: ; @exit 4
	END
	run -2 make-record -o rec make -k
	assert_equal "$(task bad '[.status, .failed]')" '["4",true]'
	assert_equal "$(task ok '[.status, .failed]')" '["0",null]'
}

@test "without -o, records go to standard output, the build's to error" {
	makefile <<<'all: ; @echo built'
	run -0 --separate-stderr make-record make
	assert_equal "$stderr" built
	[ "$(jq -rs 'map(.type) | join(" ")' <<<"$output")" = \
		"begin task build end" ] || lines "$output"
}

@test "makes of one recipe that run one after the other wait for each other" {
	lines '#!/bin/bash' 'make -s T=5 a' 'xargs -n1 make -s T=5 <<<"b c"' \
		>do-it && chmod +x do-it
	makefile <<-'END'
	M = $(MAKE) -s T=
	ifdef T
	a b c: ; @sleep 0.05
	endif
	loop: ; @for d in a b; do $(M)1 $$d; done
	lines: ; @$(M)2 a && :
	> @$(M)2 b
	wait: ; @$(M)3 a & $(M)3 b & wait; $(M)3 c
	double:: ; @$(M)4 a
	double:: ; @timeout 9 $(M)4 b; env -i PATH=$$PATH $(M)4 c
	script: ; @./do-it
	END
	for t in 'loop|a: loop (part 1)|b: loop (part 2)|loop: b' \
		'lines|a: lines (part 1)|b: lines (part 2)|lines: b' \
		'wait|a: wait (part 1)|b: wait (part 1)|c: wait (part 2)|wait: c' \
		'double|a: double (part 1)|b: double (part 2)|c: double (part 3)|double: c' \
		'script|a: script (part 1)|b: script (part 2)|c: script (part 3)|script: c'
	do
		make-record -o rec make ${t%%|*} >out
		assert_equal "$(tasks | grep -v 'part [0-9]):')" \
			"$(tr '|' '\n' <<<"${t#*|}")"
	done
	assert_equal "$(tasks | grep 'part [23]')" "$(lines \
		'b: script (part 2)' 'c: script (part 3)' \
		'script (part 2): a' 'script (part 3): b')"
	# A shell looks for make in each directory of PATH.
	PATH=/nosuch:$PATH run_whole -0 make-record -o rec \
		sh -c 'make -s T=6 a; exec make -s T=6 b'
	assert_equal "$output" ''
	assert_equal "$(tasks sh)" "$(lines 'a: ' 'b: sh (part 2)' \
		'sh (part 2): a')"
	assert_equal "$(task 'sh (part 1)' .deps)$(task a .deps)$(task sh \
		.deps)" '[]["sh (part 1)"]["b"]'
}

@test "a make is recorded that a program starts in any way" {
	local how
	cat >run.c <<-'END'
	#include <spawn.h>
	#include <stdlib.h>
	#include <sys/wait.h>
	#include <unistd.h>
	extern char **environ;
	int main(int argc, char **argv)
	{
		char *env[] = { getenv("PATH") - 5, "X=y", NULL };
		char *args[] = { "make", "-s", "x", NULL };
		pid_t pid;
		switch (argc > 1 ? argv[1][0] : 0) {
		case 'l': return execl(argv[2], "make", "-s", "x", NULL);
		case 'e': return execle(argv[2], "make", "-s", "x", NULL, env);
		case 'p': return execlp("make", "make", "-s", "x", NULL);
		case 's': return posix_spawnp(&pid, "make", NULL, NULL, args,
		    environ) || waitpid(pid, NULL, 0) != pid;
		case 'f': return (pid = fork()) == 0 ? execvp("make", args) :
		    waitpid(pid, NULL, 0) != pid;
		}
		return 1;
	}
	END
	gcc -o run run.c
	makefile <<<'x: ; @echo $(X)'
	for how in l e p s f; do
		run_whole -0 make-record -o rec ./run $how "$(command -v make)"
		[ "$how" = e ] && assert_equal "$output" y || [ -z "$output" ]
		assert_equal "$(tasks run)" 'x: '
	done
	# It is in a text among the arguments of a program that a shell runs.
	make-record -o rec sh -c "python3 -c 'import subprocess
subprocess.run([\"make\", \"-s\", \"x\"])'; :"
	assert_equal "$(tasks sh)" 'x: '
}

@test "what a recipe does before, between and after makes is a part of it" {
	makefile <<-'END'
	all: ; @sleep 0.2; $(MAKE) -s a; sleep 0.1; $(MAKE) -s a
	> @sleep 0.3
	a: ; @sleep 0.1
	END
	make-record -o rec make
	# The parts take at least what they sleep, and all of the wall time.
	jq -s 'map(select(.type == "task")) | map({ key: .id,
		value: .elapsed_us }) | from_entries | .["all (part 1)"] >= 2e5
		and .["all (part 2)"] >= 1e5 and .all >= 3e5' rec | grep -x true
	critpath rec | jq -es 'map(select(.type == "verdict"))[0] |
		.limit == "path" and .idle_us < .wall_us / 20'
}

@test "the time of \$(shell) in a recipe is that of the target" {
	makefile <<-'END'
	export X = $(shell sleep 0.1)
	all: ; @echo $(shell sleep 0.2)
	never: ; @: $(shell sleep 0.1)
	END
	make-record -o rec make
	task all '.elapsed_us >= 3e5 and .elapsed_us > (.end_us -
		(.start_us // .started_us)) * 0.9' | grep -x true
	# Without a line it is make's.
	make-record -o rec make -n
	assert_equal "$(tasks)" ''
	task make '.elapsed_us >= 2e5 and has("cpu_us") == false' |
		grep -x true
	run -1 --separate-stderr critpath --text --budget 100ms rec
	assert_line --regexp '^Limited by its path: '
	lines 'all: ; @echo' >plain.mk
	make-record -o rec make -n -f plain.mk
	[ "$(records <rec | jq -r .type)" = build ]
}

@test "all outputs of a recipe are those of its task" {
	makefile <<-'END'
	all: a b d
	a: g.h ; @touch $@
	b: g.c ; @touch $@
	g.h g.c &: ; @touch g.h g.c
	d: x.q y.q ; @touch $@
	x.% y.%: ; @touch x.$* y.$*
	END
	assert_same -j4
	assert_equal "$(task g.h .outputs)" '["g.h","g.c"]'
	assert_equal "$(tasks)" "$(lines 'a: g.h' 'b: g.h' 'd: x.q' 'g.h: ' \
		'x.q: ')"
	make-record -o rec make -f at/Makefile b
	assert_equal "$(tasks)" "$(lines 'b: g.c' 'g.c: ')"
}

@test "targets without a recipe, or without need of it, lead to others" {
	makefile <<-'END'
	all: prog ; @echo $@
	prog: obj lib ; @echo $@
	obj: headers ; @sleep 0.1; echo $@
	headers: a.h b.h ;
	a.h b.h: ; @echo $@
	lib: | dir
	dir: ; @echo $@
	other: a.h
	END
	touch dir lib
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'a.h: ' 'all: prog' 'b.h: ' \
		'obj: headers' 'prog: obj')"
	assert_equal "$(jq -c 'select(.type == "node") | [.id, .rule, .deps]' \
		rec)" '["headers","phony",["a.h","b.h"]]'
	rm dir
	make-record -o rec make
	assert_equal "$(tasks | tail -1)" 'prog: lib obj'
	critpath rec | jq -es '[.[] | select(.type == "critical").id][-4:] ==
		["obj", "prog", "all", "make"]'
}

@test "members of archives, chains of rules and second expansions are linked" {
	makefile <<-'END'
	vpath %.src srcs
	.SECONDEXPANSION:
	all: l.a(x.o) l.a(y.o) foo v.out sec
	> @echo $@
	l.a(x.o) l.a(y.o): l.a(%): % ; @ar cr l.a $%
	x.o y.o: ; @echo $@ >$@
	%.mid: %.in ; @cp $< $@
	foo: foo.mid ; @cp $< $@
	foo.in: ; @echo in >$@
	v.out: v.src ; @cp $< $@
	sec: $$(addsuffix .dep,$$@) | od ; @echo sec >$@
	sec.dep: ; @echo >$@
	od: ; @mkdir $@
	END
	mkdir srcs && echo >srcs/v.src
	INPUTS=srcs assert_same
	assert_equal "$(tasks)" "$(lines 'all: foo l.a(x.o) l.a(y.o) sec v.out' \
		'foo.in: ' 'foo.mid: foo.in' 'foo: foo.mid' 'l.a(x.o): x.o' \
		'l.a(y.o): y.o' 'od: ' 'sec.dep: ' 'sec: od sec.dep' \
		'v.out: ' 'x.o: ' 'y.o: ')"
}

@test "with .NOTPARALLEL each target waits for the one before it" {
	makefile <<-'END'
	all: a b c
	a b c: ; @echo $@
	.NOTPARALLEL:
	END
	make-record -o rec make -j3
	assert_equal "$(tasks)" "$(lines 'a: ' 'b: a' 'c: b')"
	# Since GNU make 4.4, as if .WAIT were between the prerequisites of all.
	echo '.NOTPARALLEL: all' >>Makefile && sed -i '/^.NOTPARALLEL:$/d' Makefile
	make-record -o rec make -j3
	[[ $(task b '.deps[0]') =~ ^'"a"'|'"all (wait 1)"'$ ]]
	[[ $(task c '.deps[0]') =~ ^'"b"'|'"all (wait 2)"'$ ]]
	[[ $(jq -r 'select(.type == "node").id' rec) != *NOTPARALLEL* ]]
}

# GNU make has it since 4.4, and prints it among the prerequisites.
@test "targets after .WAIT wait for those before it, if they began later" {
	cat >log.py <<-'END'
	import re
	start = open("/proc/self/environ").read()
	log = open(re.search(r"WEIR_MAKE_RECORD=\S+ \S+ (\S+?)\0", start)[1] +
	    "/log", "ab")
	def put(*fields):
	    log.write(b"".join(str(x).encode() + b"\0" for x in fields) + b"\n")
	put("M", "1.1", "0", "/")
	times = [("a1", 0, 9), ("c1", 1, 3), ("a", 9, 20), ("b1", 20, 30),
	    ("b", 30, 31), ("c", 31, 40), ("all", 40, 41)]
	for n, (target, start_us, end_us) in enumerate(times, 1):
	    put("S", "1.1", n, n, start_us, target, "", "")
	    put("E", "1.1", n, end_us, 0, 0)
	put("D", "1.1", "all: a .WAIT b .WAIT c", "a: a1", "b: b1", "c: c1 b1")
	END
	make-record -o rec python3 log.py
	assert_equal "$(tasks python3)" "$(lines '/a1: ' '/a: /a1' '/all: /a /b /c' \
		'/b1: /all (wait 1)' '/b: /all (wait 1) /b1' \
		'/c1: ' '/c: /all (wait 2) /b1 /c1')"
	assert_equal "$(jq -c 'select(.type == "node") | [.id, .deps]' rec)" \
		"$(lines '["/all (wait 1)",["/a"]]' \
		'["/all (wait 2)",["/a","/b"]]')"
}

@test "a line that did not end is an unfinished task" {
	makefile <<-'END'
	all: a ; @echo $@
	a: ; @sleep 0.1; kill -9 $$PPID
	END
	run -137 make-record -o rec make
	assert_equal "$(task a '[has("start_us"), has("end_us")]')" \
		'[true,false]'
	critpath rec >out || :
	assert_equal "$(jq -r 'select(.type == "unfinished").id' out)" a
	# Of a recipe that goes on after its make was killed, all has times.
	makefile <<-'END'
	all: ; @$(MAKE) -s sub; echo after
	sub: ; @sleep 0.1; kill -9 $$PPID
	END
	make-record -o rec make
	assert_equal "$(task all '[.elapsed_us, .status]')" '[0,"0"]'
	[ "$(jq '(.start_us // .started_us // 0) < 9e15' rec | sort -u)" = true ]
	assert_equal "$(task sub 'has("end_us")')" false
}

# --- the same build ---

@test "a build with \$(shell), define and double-colon rules is the same" {
	makefile <<-'END'
	define R
	echo one $(1)
	echo 'two' $(shell echo nested $@)
	endef
	X != echo bang
	all: d e
	> @$(call R,$@)
	> @echo "it's $(X)" 'a  b' \
	>   cont; echo '#hash'
	> @echo -e 'a\tb'
	d:: a ; @echo d1
	d:: b ; @echo d2
	a b: ; @echo $@
	e f &: a ; @echo grouped $@; touch e f
	END
	assert_same
	assert_equal "$(task d '.deps | sort | join(" ")')" '"a b"'
	[ "$(tasks | wc -l)" -eq 5 ]
}

@test "\$(shell) in an exported variable is not taken for the line" {
	makefile <<-'END'
	export X = $(shell echo x $@)
	all: a ; @echo $$X
	a: ; @$(MAKE) -s b
	> -@nosuch
	b: ; @echo $$X
	END
	assert_same
	assert_equal "$(tasks)" "$(lines 'a (part 1): ' 'a: b' 'all: a' \
		'b: a (part 1)')"
	assert_equal "$(task a .status)" '"127"'
}

@test "a line is recorded if another one starts while its \$(shell) runs" {
	makefile <<-'END'
	export X = $(shell sleep 0.2)
	all: a b
	a: ; @sleep 0.3
	> @echo second
	> @echo third
	b: ; @echo b
	END
	make-record -o rec make -j2
	assert_equal "$(tasks)" "$(lines 'a: ' 'b: ')"
	assert_equal "$(task b .status)$(task a .status)" '"0""0"'
}

@test "a recursive build is the same, with -j, -k and an early MAKEFLAGS" {
	makefile <<-'END'
	all: lib prog bad ; @echo never
	lib: ; @$(MAKE) --no-print-directory l1
	prog: lib ; @+$(MAKE) -s -j2 $(MAKEFLAGS:%=) l2
	bad: prog ; @exit 7
	l1 l2: ; @echo $@ $(firstword $(MAKEFILE_LIST)) $(MAKELEVEL)
	> @$(SHELL) -c 'echo in a shell'; test -z "$$CDPATH"
	END
	assert_same -s -k
	MAKEFLAGS=k assert_same -s
	MAKEFLAGS='A=1 B=2' assert_same -s -j2
}

@test "an included makefile that is made is the same, and a task" {
	makefile <<-'END'
	include gen.mk
	all: ; @echo $(V) $(MAKE_RESTARTS)
	gen.mk: ; @echo making; echo V=3 >$@
	END
	assert_same
	assert_equal "$(tasks)" "$(lines 'all: make (part 2)' 'gen.mk: ' \
		'make (part 2): gen.mk')"
}

@test "a makefile that sets SHELL and .SHELLFLAGS is the same" {
	makefile <<-'END'
	SHELL := /bin/bash
	.SHELLFLAGS := -eu -o pipefail -c
	all: ; @[[ a == a ]] && echo $$-; false | true; echo no
	END
	assert_same
	assert_equal "$(task all .status)" '"1"'
	makefile <<-'END'
	override SHELL = /bin/bash
	all: x ; @[[ a == a ]] && echo yes
	x: .SHELLFLAGS = -ec
	x: ; @false; echo no
	END
	assert_same -k
	makefile <<<'all: ; @[[ a == a ]] && echo yes; env | grep ^SHELL'
	assert_same SHELL=/bin/bash
	assert_equal "$(task all .status)" '"0"'
}

# bats test_tags=normal
@test "SHELL in the environment of a recipe is the same" {
	local recipe='all: ; @env | grep ^SHELL=; $(SUB)' arg makefile
	for makefile in '' 'export' $'SHELL := /bin/bash\nexport SHELL'; do
		makefile <<<"$makefile"$'\n'"$recipe"
		for arg in SHELL=/bin/bash SUB='$(MAKE) SUB='; do
			SHELL=/bin/dash assert_same "$arg"
			unset SHELL
			assert_same "$arg"
		done
	done
}

# bats test_tags=normal
@test "the environment and the variables of recipes are the same" {
	local arg
	makefile <<-'END'
	$(DO)
	all: x $(SUB)
	x: export X = 1
	x:
	> @env | grep -v ^_=; ls /proc/self/fd
	> @echo '$(MAKEFLAGS) $(MFLAGS) $(MAKEFILES) $(origin SHELL)'
	> @echo '$(MAKEOVERRIDES) $(MAKECMDGOALS) $(MAKEFILE_LIST) $(MAKELEVEL)'
	> @echo '$(MAKE_RESTARTS) $(CURDIR) $(.INCLUDE_DIRS) $(.DEFAULT_GOAL)'
	> @echo '$(SHELL) $(.SHELLFLAGS) $(origin .SHELLFLAGS)'
	> @echo '$(shell env | grep -v ^_=)'
	sub: x ; @$(MAKE) SUB= x
	END
	for arg in '-j2 -k -B -Otarget' '-s -i -I at --no-print-directory' \
		'-w -r -R -f Makefile' --warn-undefined-variables \
		'-C . A=1 B:=2' DO=export DO=unexport MAKEFLAGS=-k \
		--eval=Q=1 SHELL=/bin/bash; do
		echo "-- $arg"
		assert_same $arg
		SHELL=/bin/dash MAKELEVEL=3 GNUMAKEFLAGS=-s MAKEFLAGS=k \
			assert_same $arg SUB=sub
	done
}

@test "a makefile that has a variable IFS is the same, and not recorded" {
	makefile <<<'all: ; @echo $(IFS) $(origin IFS)'
	IFS=, run -0 --separate-stderr make-record -o rec make
	[[ $stderr == *'a make that has a variable IFS is not recorded'* ]]
	assert_equal "$output" ', environment'
}

@test "a makefile that names IFS finds its own, and is not recorded" {
	local form
	for form in 'IFS = ,' 'IFS := ,' 'IFS ?= ,' 'IFS += ,' 'IFS != echo ,' \
		'override IFS = ,' 'export IFS = ,' 'export IFS' 'undefine IFS' \
		$'define IFS\n,\nendef' 'a: IFS = ,' 'a: private IFS += ,' \
		'%: IFS ?= ,' 'include set' '$(eval IFS ?= ,)' \
		'X = $(eval IFS += ,)' 'X = $(origin IFS) $(value IFS)' \
		$'ifdef IFS\nX = set\nendif'; do
		echo "-- $form"
		echo 'IFS ?= ,' >set
		lines "$form" 'all: a ; @echo $(X) "[$(IFS)]"; env | grep ^IFS= ||:' \
			'a: ; @echo "[$(IFS)]" $(origin IFS)' >Makefile
		make >plain
		run -0 --separate-stderr make-record -o rec make
		assert_equal "$output" "$(<plain)"
		assert_equal "$stderr" \
			'make-record: a make that has a variable IFS is not recorded'
		run -1 critpath rec
	done
}

# bats test_tags=normal
@test "makes in a chroot, of another user or static run as they are" {
	makefile <<-'END'
	all: a b c ; @echo all
	a: ; @$(ROOT) chroot --skip-chdir / $(MAKE) -s x T=$@
	b: ; @$(ROOT) unshare -m $(MAKE) -s x T=$@
	c: ; @$(ROOT) $(USER) $(MAKE) -s x T=$@
	d: ; @./make -s x T=$@
	x: ; @echo $@ $(T) $(MAKELEVEL); env | grep -v ^_=
	END
	cat >static.c <<-'END'
	#include <unistd.h>
	int main(int c, char **v) { (void)c; return execvp("make", v); }
	END
	gcc -static -o make static.c
	[ "$(id -u)" -eq 0 ] && user='USER=runuser -u nobody --' ||
		user='ROOT=: USER='
	chmod 755 .
	assert_same "$user"
	run -0 --separate-stderr make-record -o rec make -s d
	[[ $stderr == *"what './make' runs cannot be followed"* ]]
	assert_equal "$(tasks)" 'd: '
}

@test "a program between makes may have no environment at all" {
	makefile <<-'END'
	all: ; @./run $(MAKE) -s x
	x: ; @:; echo x
	END
	cat >run.c <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	int main(int c, char **v)
	{
		(void)c;
		clearenv();
		return execv("/bin/sh", (char *[]){ "sh", "-c", "make -s x",
		    NULL });
	}
	END
	gcc -o run run.c
	INPUTS=run assert_same
	assert_equal "$(tasks)" "$(lines 'all (part 1): ' 'all: x' \
		'x: all (part 1)')"
}

# bats test_tags=normal
@test "without a private directory make runs, and nothing is recorded" {
	unshare -m true 2>/dev/null || skip "needs root"
	makefile <<<'all: ; @echo built'
	# In /proc nobody can create a directory.
	cat >run.sh <<-'END'
	mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp &&
		mount -t tmpfs -o noexec x /dev/shm &&
		TMPDIR=/proc HOME=/proc exec make-record make
	END
	run -0 --separate-stderr unshare -m sh run.sh
	assert_equal "$output" ''
	assert_equal "$stderr" "$(lines "make-record: nothing is recorded: no \
private directory can be created in TMPDIR, /tmp, /dev/shm or HOME" built)"
}

@test "a makefile with .ONESHELL or .POSIX is the same" {
	makefile <<-'END'
	.ONESHELL:
	all: a b c
	> @x=1
	> -@echo $$x "$^"
	> @echo 'quo"te'
	a b c:
	> echo $@
	> @exit 3
	END
	assert_same -k
	makefile <<-'END'
	.ONESHELL:
	all: a b c
	> @x=1
	> @echo $$x "$^"
	a b c: ; echo $@
	END
	assert_same
	assert_equal "$(task all '.deps | sort | join(" ")')" '"a b c"'
	makefile <<-'END'
	.POSIX:
	all: a b
	> -@false; echo seen
	> @false; echo unseen
	a b: ; @echo $@ $^ '|'
	END
	assert_same
	assert_equal "$(task all '.deps | sort | join(" ")')" '"a b"'
}

@test "a SHELL of any kind is recorded, also that of one target" {
	makefile <<-'END'
	SHELL = /usr/bin/python3
	all: one ; @print("hi")
	one: SHELL = /bin/bash
	one: .SHELLFLAGS = -ec
	one: ; @[[ 1 == 1 ]]; echo one
	END
	assert_same
	assert_equal "$(tasks)" "$(lines 'all: one' 'one: ')"
}

@test "commands that make runs without a shell are the same" {
	makefile <<-'END'
	all:
	> -@echo -e y
	> -@echo 'a\tb' '' c\ d e\
	>    f \
	>     g
	> -@local a
	> -@A=1 echo x=y
	> -@echo x=y a"b"
	> -@nosuch 'a b'
	> -@/etc
	> -@./script 1 2
	> -@kill -9 0x
	> -@test 1 = 2
	> @$(MAKE) -s sub
	sub: ; @nosuch
	END
	lines 'echo in a script $1 $2' >script && chmod +x script
	INPUTS=script assert_same
	assert_equal "$(task sub .status)" '"127"'
}

@test "-n, -q, -t and --warn-undefined-variables are the same" {
	makefile <<-'END'
	Y = $(shell echo y)
	all: a ; @echo $(Y)
	> +@echo really $(Y)
	> @echo $(Y)
	a: ; @echo a; touch $@
	END
	assert_same -n
	assert_same -q
	assert_same -t
	assert_same -e --warn-undefined-variables
}

@test "names have blanks, quotes, colons and characters of shells" {
	makefile <<-'END'
	all: a\ b q'r s$$t u*v w(x y\:z
	a\ b q'r s$$t u*v w(x y\:z:
	> @echo ran
	END
	assert_same
	assert_equal "$(tasks)" "$(lines 'a b: ' "q'r: " 's$t: ' 'u*v: ' \
		'w(x: ' 'y:z: ')"
}

# bats test_tags=normal
@test "weir's own makefile builds the same, and fails the same" {
	local INPUTS='common instrument test'
	unset SAN
	# A few files of the library are enough.
	mkdir -p common/base instrument test/programs/instrument
	(cd "$ROOT" && cp Makefile "$BATS_TEST_TMPDIR" &&
		cp instrument/rules.mk "$BATS_TEST_TMPDIR/instrument" &&
		cp common/base/*.h common/base/{err,mem,sort,text}.c \
			"$BATS_TEST_TMPDIR/common/base" &&
		cp test/programs/instrument/rules.mk \
			"$BATS_TEST_TMPDIR/test/programs/instrument")
	assert_same -s -j2 CFLAGS=-O0 build/libweir.a
	grep -q 'at/build/libweir.a$' plain
	[ "$(jq -s 'map(select(.rule == ".o")) | length' rec)" -eq \
		"$(ls common/base/*.c | wc -l)" ]
	critpath rec | jq -es 'map(select(.type == "critical").id)[-2:] ==
		["build/libweir.a", "make"]'
	echo 'this is an error' >>common/base/text.c
	# Not -j2: make may then name the line of another job of the rule.
	assert_same -s -k CFLAGS=-O0 build/libweir.a
	grep -q "text.c:.*error" plain
	assert_equal "$(task build/common/base/text.o '.failed')" true
}

# --- how it ends ---

@test "a signal ends make and its recipes, and the records are written" {
	makefile <<-'END'
	all: ; @echo $$$$ >pid; exec tail -f /dev/null
	END
	make-record -o rec make >out 2>&1 3>&- &
	wait_until test -s pid
	kill -TERM $!
	wait $! && false || status=$?
	[ "$status" -eq 143 ]
	! kill -0 "$(cat pid)"
	assert_equal "$(task all '[.status, .failed]')" '["143",true]'
	[ "$(jq -rs '.[-1].type' rec)" = end ]
}

@test "SIGINT to the process group reaches a recipe once" {
	makefile <<-'END'
	all: ; @trap 'echo int >>caught' INT; echo >ready; \
	> until [ -e go ]; do sleep 0.01; done; echo done >>caught
	END
	set -m		# make-record gets a process group of its own.
	make-record -o rec make >out 2>&1 3>&- &
	set +m
	wait_until test -s ready
	kill -INT -- -$!
	wait_until test -e caught
	touch go
	wait $! && false || status=$?
	[ "$status" -eq 130 ] || [ "$status" -eq 2 ]
	assert_equal "$(cat caught)" "$(lines int done)"
	[ "$(jq -rs '.[-1].type' rec)" = end ]
}

@test "no file is left in TMPDIR" {
	mkdir tmp
	makefile <<<'all: ; @echo x'
	TMPDIR=$PWD/tmp make-record -o rec make
	assert_equal "$(ls -A tmp)" ''
}

@test "a command that cannot be run gives 127 or 126, none gives 2" {
	run -127 make-record -o rec ./nosuch
	run -126 make-record -o rec /etc
	run -2 make-record -o rec
	run -0 --separate-stderr make-record -o rec true
	assert_equal "$stderr" "make-record: warning: nothing was recorded: no GNU \
make from version 4.0 on was seen"
	[ "$(jq -s 'last.rejected' rec)" -eq 0 ]
}

@test "that what a program runs cannot be followed is said, and is a loss" {
	makefile <<<'all: ; @echo built'
	local command
	cat >run.c <<-'END'
	#include <stdlib.h>
	int main(void) { return system("make"); }
	END
	gcc -o run run.c && gcc -static -o static run.c
	for command in ./run ./static "sh -c './run make'"; do
		run -0 --separate-stderr eval "make-record -o rec $command"
		assert_equal "$output" built
		[[ $stderr == *": what './"*"' runs cannot be followed"* ]]
		[ "$(jq -s 'last.rejected' rec)" -eq 1 ]
	done
	# The others are recorded, and the status of the next filter is 1.
	make-record -o rec sh -c './run make; make'
	assert_equal "$(tasks sh)" 'all: '
	run -1 critpath rec
}
