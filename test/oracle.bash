# oracle.bash - compares filters with a second implementation, $ORACLE; see
# oracles/oracle.py

# rounds COUNT - prints the number of rounds: fewer with sanitizers, which are slow
rounds() {
	[[ ${WEIR_BUILD:-} != *san* ]] && echo "$1" || echo $(($1 / 10))
}

# agree MODE COUNT - expects that filter and oracle agree on random input
agree() {
	run --separate-stderr python3 "$ORACLE" "$1" "$(seed)" "$(rounds "$2")"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# shuffled COUNT PIPELINE FILE - expects the same output for the lines of FILE in
# any order
shuffled() {
	run --separate-stderr python3 "$ORACLE" shuffle "$(seed)" \
		"$(rounds "$1")" "$2" "$3"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}
