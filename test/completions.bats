# completions.bats - bash, zsh and fish complete the command lines of all filters

# bats file_tags=normal

load helper
find_filters

setup_file() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$ROOT" \
		OUT="$(realpath "$BUILD")" PREFIX="$BATS_FILE_TMPDIR/usr" install
	cases >"$BATS_FILE_TMPDIR/cases"
	# All filters have these two options, at least.
	[ "$(grep -c ' --: .*--output .*--strict' \
		"$BATS_FILE_TMPDIR/cases")" -eq ${#FILTERS[@]} ]
}

setup() {
	enter_test
	PATH=$BATS_FILE_TMPDIR/usr/bin:$PATH
	export HOME=$PWD/home
	mkdir -p home cwd/folder && cd cwd && touch a-file
}

# formats FILTER - prints the formats that its --help lists, on one line
formats() {
	"$1" --help | awk '/^$/ { here = 0 } here { printf "%s ", $1 }
		/^Formats:/ { here = 1 }'
}

# cases - prints unfinished command lines, a colon, and the words that must be
# offered for the last word
cases() {
	local f
	for f in "${FILTERS[@]}"; do
		"$f" --list-options | awk -F '\t' -v f="$f" 'NR > 1 {
			long = long " " $2
			short = short ($1 == "-" ? "" : " " $1) }
		END { print f " --:" long
			if (f ~ /^(critpath|make-record|vcs-log)$/)
				print f " -:" long short }' || return
	done
	for f in execlog-parse buildgraph-parse; do
		lines "$f --format : $(formats $f)" "$f -f : $(formats $f)" \
			"$f --strict --format=: $(formats $f)" \
			"$f : a-file folder"
	done
	cat <<-'END'
	critpath --outp: --output
	critpath -o : a-file folder
	critpath --rejects=a: a-file
	critpath --max-record :
	critpath --to :
	critpath --by : target name rule host kind
	critpath --by rule --by ta: target
	critpath -- -:
	critpath -- a: a-file
	callgraph-fold --format : folded speedscope callgrind pprof svg
	callgraph-fold --by s: self samples
	callgraph-stat --by : function file module callsite
	callgraph-stat --diff : a-file folder
	perf-diff --unjudged : pass fail
	perf-diff --by : trace
	pidx-init --vcs-type : git svs
	pidx-init : folder
	pidx-init --index-version 2l: 2label
	pidx-write --index-version 2l: 2label
	pidx-read -C : folder
	vcs-log --repository=: folder
	vcs-resolve -t ta: tag
	make-record sha512su: sha512sum
	callgraph-record --time sha512su: sha512sum
	callgraph-record -o a-file sha512su: sha512sum
	callgraph-record -o a-file -- sha512su: sha512sum
	callgraph-record sort --rev: --reverse
	END
}

# expect_offers SHELL - the shell must offer what is to be offered
expect_offers() {
	require "$1"
	timeout "$HANG_S" python3 "$TEST/complete.py" "$1" \
		"$BATS_FILE_TMPDIR/usr/share" <"$BATS_FILE_TMPDIR/cases"
}

@test "bash offers options, words, formats, files, folders and commands" {
	[ -e /usr/share/bash-completion/bash_completion ] ||
		skip "bash-completion is not installed"
	need_terminal
	expect_offers bash
}

@test "zsh offers options, words, formats, files, folders and commands" {
	need_terminal
	expect_offers zsh
}

@test "fish offers options, words, formats, files, folders and commands" {
	need_terminal
	expect_offers fish
}
