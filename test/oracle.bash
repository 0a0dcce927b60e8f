# oracle.bash - compares a filter with its oracle, a second implementation in
# Python whose path a test file sets in ORACLE; see oracles/oracle.py

# agree MODE COUNT - expects that filter and oracle agree on COUNT random inputs,
# or a tenth as in rounds; mode_MODE() of the oracle makes an input and compares
agree() {
	run --separate-stderr python3 "$ORACLE" "$1" "$(seed)" "$(rounds "$2")"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# shuffled COUNT PIPELINE FILE - expects the same output of PIPELINE for the
# lines of FILE in COUNT random orders
shuffled() {
	run --separate-stderr python3 "$ORACLE" shuffle "$(seed)" \
		"$(rounds "$1")" "$2" "$3"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}
