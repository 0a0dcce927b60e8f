# array.bash - for formats of execlog-parse that are a JSON array of objects,
# written to the file whose name a test file sets in ARRAY

# write_array OBJECT... - writes an array of these objects, given without braces
write_array() {
	local separator='['
	for object; do
		printf '%s{%s}' "$separator" "$object"
		separator=,
	done >$ARRAY
	printf ']\n' >>$ARRAY
}

# read_array OBJECT... - expects that such an array is read without errors
read_array() {
	write_array "$@" && run -0 --separate-stderr execlog-parse $ARRAY
}

# reject_array MESSAGE OBJECT... - expects that only the last of these objects
# is rejected, with this message; it is on line 1.  There may be warnings.
reject_array() {
	local message=$1
	shift
	write_array "$@" &&
	run -1 --separate-stderr execlog-parse --rejects rejects $ARRAY &&
	assert_equal "$(grep -v ': warning: ' <<<"$stderr")" \
		"execlog-parse: $ARRAY:1: $message" &&
	assert_equal "$(cat rejects)" "{${*: -1}}" &&
	assert_equal "$(found 'select(.id) | .id' | wc -l)" $(($# - 1))
}
