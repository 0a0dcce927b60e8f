# printed.bash - the examples of printed pages: for examples.bats and databases.sh

# printed_examples PAGE - prints each command, and the output that the page shows
# below it, each followed by a NUL.  A line after "> " continues a command.
printed_examples() {
	awk '
	function end_example() {
		if (command != "") printf "%s%c%s%c", command, 0, shown, 0
		command = shown = ""
	}
	match($0, /^ +\$ /) {
		end_example()
		indent = RLENGTH - 2
		command = substr($0, RLENGTH + 1)
		next
	}
	!NF || substr($0, 1, indent) ~ /[^ ]/ { end_example() }
	command == "" { next }
	{ text = substr($0, indent + 1) }
	shown == "" && sub(/^> /, "", text) {
		command = command "\n" text
		next
	}
	{ shown = shown text "\n" }
	END { end_example() }' "printed/$1"
}

# try_examples PAGE STATE - runs the examples on file descriptor 8 one after the
# other in this shell, as a reader does, and prints those that fail.  Each must
# exit with 0 or as its comment says ("# exits 1"), and print what the page shows,
# or something.  Files whose names begin with STATE get what they print.
try_examples() {
	local COMMAND SHOWN WANTED ENDED
	set -o pipefail
	while IFS= read -r -d '' -u 8 COMMAND &&
	    IFS= read -r -d '' -u 8 SHOWN; do
		WANTED=0 ENDED=(none)
		[[ $COMMAND =~ \#\ exits\ ([0-9]+) ]] && WANTED=${BASH_REMATCH[1]}
		eval "$COMMAND"$'\n''ENDED=("$?" "${PIPESTATUS[@]}")' \
			>"$2.out" 2>"$2.err" </dev/null
		# Of a pipeline a reader sees the last status.
		if [ "${ENDED[0]}" != "$WANTED" ] ||
		    [ "${ENDED[-1]}" != "$WANTED" ]; then
			echo "$1: status ${ENDED[*]}, not $WANTED: $COMMAND"
		elif [ -n "$SHOWN" ] && ! printf %s "$SHOWN" | cmp -s - "$2.out"
		then
			echo "$1: shows other output of: $COMMAND"
		elif [ ! -s "$2.out" ] && [ "$WANTED" -eq 0 ]; then
			echo "$1: no output of: $COMMAND"
		else
			continue
		fi
		cat "$2.out" "$2.err"
	done
}
