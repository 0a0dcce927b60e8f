# oracle.bash - to ask a second implementation, $ORACLE; see oracles/oracle.py

# as_many COUNT - so many rounds, and fewer where each takes longer
as_many() {
	[[ ${WEIR_BUILD:-} != *san* ]] && echo "$1" || echo $(($1 / 10))
}

# agree MODE COUNT - the filter and the oracle agree about random input
agree() {
	run --separate-stderr python3 "$ORACLE" "$1" "$(seed)" "$(as_many "$2")"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}

# shuffled COUNT PIPELINE FILE - the order of the lines does not matter
shuffled() {
	run --separate-stderr python3 "$ORACLE" shuffle "$(seed)" \
		"$(as_many "$1")" "$2" "$3"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ]
}
