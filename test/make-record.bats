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
		lines "status $status" && cat out && lines errors && cat err &&
		lines files && find at -type f | sort | xargs cksum
}

# assert_same ARG... - a build by `make ARG...` is the same with make-record;
# the records are in `rec`.  Since make 4.4 the pipe for -j and the file for -O
# have a random part in their names.
assert_same() {
	local names='s/(GMfifo|fnm:[^ ]*Gm)[0-9A-Za-z]*/\1/g'
	build make "$@" | sed -E "$names" >plain &&
		build make-record -o "$PWD/rec" make "$@" |
		sed -E "$names" >recorded && diff plain recorded
}

# task ID [FILTER] - prints the task with an id
task() {
	jq -c --arg id "$1" "select(.type == \"task\" and .id == \$id) |
		${2:-.}" rec
}

# tasks - prints each task and its sorted dependencies
tasks() {
	jq -r 'select(.type == "task") | .id + ": " + (.deps | sort |
		join(" "))' rec | sort
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
	[ "$(jq -s 'map(select(.type == "task")) | length' rec)" -eq 1 ]
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
	assert_equal "$(tasks)" "$(lines 'all (start): first' \
		'all: first lib/x.o y.h' 'first: ' \
		'lib/x.o: all (start) y.h' 'y.h: all (start)')"
	assert_equal "$(task all .elapsed_us)" 0
}

@test "two make processes that make one target are two tasks" {
	makefile <<-'END'
	all: ; @$(MAKE) one; $(MAKE) one
	one: ; @echo one
	END
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'all: one one (2)' 'one (2): ' \
		'one: ')"
	critpath rec >/dev/null
}

@test "a target of the name of its parent's does not depend on itself" {
	makefile <<-'END'
	all: ; @$(if $(IN),echo in,$(MAKE) IN=1 all)
	END
	make-record -o rec make
	assert_equal "$(tasks)" "$(lines 'all (2): all' 'all: ')"
}

@test "of a real build, times and path are those of another implementation" {
	local lines=$RECORDED/make.ndjson
	make-record -o rec python3 "$TEST/oracles/make-record.py" replay "$lines"
	assert_equal "$(critpath --json rec |
		jq 'select(.type == "critpath").length_us')" \
		"$(python3 "$TEST/oracles/make-record.py" sum "$lines")"
	# A task for each target: lines of $(shell) have none.
	assert_equal "$(jq -s '[.[] | select(.type == "task").elapsed_us] |
		[length, add]' -c rec)" "$(jq -s 'map(select(.id != "")) |
		[(map(.id) | unique | length), (map(.elapsed_us) | add)]' \
		-c "$lines")"
	assert_equal "$(jq -c 'select(.type == "build") | [.start_us, .end_us]' \
		rec)" "$(jq -s 'map(select(.id != "")) |
		[(map(.start_us) | min), (map(.end_us) | max)]' -c "$lines")"
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
	assert_equal "$(found .tasks)" $'1\n0'
	run ! make-record -o third make -f none.mk
	[ -z "$(records <third)" ]
	run -2 --separate-stderr critpath third
}

@test "a damaged line of the log is reported, the others are read" {
	cat >damage.sh <<-'END'
	log=${MAKEFLAGS##*include\\ } log=${log%/rules}/log
	printf '!make\n1.1\0\0001\0005\0009\0000\0000\0/\0a\0\n' >>"$log"
	printf '\n1.2\0\0001\0x\0009\0000\0000\0/\0b\0\n1.3\0\0001' >>"$log"
	END
	run -0 --separate-stderr make-record -o rec sh damage.sh
	[ "$(grep -c 'a line of the log is damaged' <<<"$stderr")" -eq 3 ]
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
	[ "$(jq -s 'map(select(.type == "task")) | length' rec)" -eq 5 ]
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
	assert_equal "$(tasks)" "$(lines 'all: ' 'gen.mk: ')"
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
@test "the environment of recipes is the same, but for what the page names" {
	local arg
	makefile <<-'END'
	$(DO)
	all: x $(SUB)
	x: export X = 1
	x:
	> @env | sort | sed -e '/^\(_\|WEIR_MAKE_RECORD\)=/d' \
	>   -e 's/ *--eval=include[^ ]* [^ ]*rules//'
	> @echo '$(patsubst --eval=%,,$(filter-out %/rules,$(MAKEFLAGS)))'
	> @echo '$(MAKEOVERRIDES) $(MAKECMDGOALS) $(MAKEFILE_LIST) $(MAKELEVEL)'
	> @echo '$(MAKE_RESTARTS) $(CURDIR) $(.INCLUDE_DIRS) $(.DEFAULT_GOAL)'
	> @$(SHELL) $(.SHELLFLAGS) 'echo "$$0"'
	> @echo '$(shell env | grep -e ^SHELL -e ^MAKELEVEL)'
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

@test "a SHELL that is not a shell is reported, and the build is the same" {
	makefile <<-'END'
	SHELL = /usr/bin/python3
	all: ; @print("hi")
	END
	run -0 --separate-stderr make-record -o rec make
	assert_equal "$output" hi
	[[ $stderr == *"SHELL is '/usr/bin/python3', which is not recorded"* ]]
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

@test "names with a blank or a quote are not recorded, others are" {
	makefile <<-'END'
	all: a\ b q'r s$$t u*v w(x
	a\ b q'r s$$t u*v w(x:
	> @echo ran
	END
	run -0 --separate-stderr make-record -o rec make
	assert_equal "$(uniq <<<"$output")" ran
	[[ $stderr == *"the target 'a b' is not recorded"* ]]
	assert_equal "$(tasks)" "$(lines 's$t: ' 'u*v: ' 'w(x: ')"
}

# bats test_tags=normal
@test "weir's own makefile builds the same, and fails the same" {
	local INPUTS='common instrument test'
	unset SAN
	mkdir common test
	(cd "$ROOT" && cp -R Makefile instrument "$BATS_TEST_TMPDIR" &&
		cp -R common/base "$BATS_TEST_TMPDIR/common" &&
		cp -R test/programs "$BATS_TEST_TMPDIR/test")
	assert_same -s -j2 CFLAGS=-O0 build/libweir.a
	grep -q 'at/build/libweir.a$' plain
	[ "$(jq -s 'map(select(.rule == ".o")) | length' rec)" -eq \
		"$(ls common/base/*.c | wc -l)" ]
	critpath rec | jq -es 'map(select(.type == "critical").id)[-1] ==
		"build/libweir.a"'
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

# has_handled_signals PID - whether no signal is pending, and the process waits
has_handled_signals() {
	awk '$1 == "State:" && $2 != "S" || $1 == "ShdPnd:" && $2 !~ /^0+$/ {
		exit 1 }' "/proc/$1/status"
}

@test "SIGINT to the process group reaches a recipe once" {
	makefile <<-'END'
	all: ; @trap 'echo int >>caught' INT; echo $$PPID >ready; \
	> until [ -e go ]; do sleep 0.01; done; echo done >>caught
	END
	set -m		# make-record gets a process group of its own.
	make-record -o rec make >out 2>&1 3>&- &
	set +m
	wait_until test -s ready
	# The recipe's parent, make-record in place of its shell, gets the signal
	# when the recipe has handled its own.
	parent=$(cat ready)
	kill -STOP "$parent"
	kill -INT -- -$!
	wait_until test -e caught
	kill -CONT "$parent"
	wait_until has_handled_signals "$parent"
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
	[[ $stderr == *"nothing was recorded"* ]]
}
