# oracle.bash - compares filters with a second implementation, $ORACLE; see
# oracles/oracle.py

# rounds COUNT - the number of rounds: fewer with sanitizers, which are slow
rounds() {
	[[ ${WEIR_BUILD:-} != *san* ]] && echo "$1" || echo $(($1 / 10))
}

# agree MODE COUNT - the filter and the oracle agree on random input
agree() {
	run --separate-stderr python3 "$ORACLE" "$1" "$(seed)" "$(rounds "$2")"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# shuffled COUNT PIPELINE FILE - the order of lines does not matter
shuffled() {
	run --separate-stderr python3 "$ORACLE" shuffle "$(seed)" \
		"$(rounds "$1")" "$2" "$3"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}
