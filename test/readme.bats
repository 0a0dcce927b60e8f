# readme.bats - the README's commands run, and print what the README shows

# bats file_tags=normal

load helper
load vcs

# commands - prints the README's commands, one on each line: in it they are
# indented by four spaces and follow a "$ "
commands() {
	sed -n 's/^    \$ //p' "$ROOT/README.md"
}

# shown_output COMMAND - prints the indented lines that follow a command in the
# README up to the next command or unindented line, except empty lines
shown_output() {
	COMMAND="    \$ $1" awk '
		$0 == ENVIRON["COMMAND"] { below = 1; next }
		below && !/^(    [^$]|$)/ { exit }
		below && NF { print substr($0, 5) }' "$ROOT/README.md"
}

# prepare_inputs - creates what a user of the README has: the samples, a build
# by ninja, a program, and a repository whose branch is not "main"
prepare_inputs() {
	cp "$PREFIX"/share/doc/weir/examples/* . &&
		cp "$DATA"/demo/project/* . && ninja >/dev/null &&
		echo 'int main() { return 0; }' >app.cc &&
		git init -q -b master && git add app.cc && commit first &&
		commit second
}

@test "the README's commands run after an installation, on its samples" {
	require ninja
	need_simple_path
	is_sanitized && san=SAN=1 || san=
	# packages.sh has installed weir.
	PREFIX=${WEIR_PREFIX:-$PWD/usr}
	[ -n "${WEIR_PREFIX:-}" ] ||
		make -s -C "$ROOT" $san PREFIX="$PREFIX" install >/dev/null 2>&1
	export PATH=$PREFIX/bin:/usr/bin:/bin
	export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig
	mkdir work && cd work && prepare_inputs
	commands | sed "s|/usr/local/|$PREFIX/|" >../commands
	# There are some twenty; this shows that they were found.
	[ "$(wc -l <../commands)" -gt 10 ]
	while IFS= read -r command; do
		echo "\$ $command"
		bash -o pipefail -c "$command" </dev/null >../out
	done <../commands
	# Each commit has a profile of ten runs.
	vcs-log | pidx-read --profiles | records |
		jq 'select(.type == "profile") | [.. | .amount? // empty] |
			flatten | length' >runs
	assert_equal "$(<runs)" $'10\n10'
}

@test "the README shows what its commands print" {
	cd "$DATA/demo"
	n_compared=0
	while IFS= read -r command; do
		shown_output "$command" >"$BATS_TEST_TMPDIR/shown"
		[ -s "$BATS_TEST_TMPDIR/shown" ] || continue
		echo "\$ $command"
		# --text: the report that the last filter writes to a terminal
		bash -c "$command --text" >"$BATS_TEST_TMPDIR/printed"
		# No line is shown that is not printed.
		run -1 grep -vxFf "$BATS_TEST_TMPDIR/printed" \
			"$BATS_TEST_TMPDIR/shown"
		n_compared=$((n_compared + 1))
	done < <(commands)
	[ "$n_compared" -ge 2 ]
}
