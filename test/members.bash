# members.bash - members of records: load it after helper

# members [-ar] [-d SEPARATOR] [-w KEY[=VALUE]]... KEY... - prints these members of
# each record of standard input, as jq would in twenty times as long: see
# programs/members.c
members() {
	"$BUILD/test/programs/members" "$@"
}

# fields ARGUMENT... - the same for the records in $output
fields() {
	members "$@" <<<"$output"
}
