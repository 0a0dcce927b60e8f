# Tests that no filter has become slower unseen: the instructions that it takes
# are compared with those in data/instructions.txt.

load helper
bats_require_minimum_version 1.5.0

# bats file_tags=normal,exhaustive,counted

# compare WANTED GOT - prints the rows that are missing, or above 1.03 times the
# wanted one
compare() {
	awk 'NR == FNR { n = $NF; NF--; wanted[$0] = n; next }
		{ n = $NF; NF--; seen[$0] = 1 }
		!($0 in wanted) { print $0, n, "is not in the file" }
		$0 in wanted && n > wanted[$0] * 1.03 {
			print $0, n, "instead of", wanted[$0] }
		END { for (name in wanted) if (!(name in seen))
			print name, "was not counted" }' "$1" "$2"
}

@test "no filter takes 3 % more instructions than data/instructions.txt says" {
	. /etc/os-release
	[ "$ID ${VERSION_ID:-} $(uname -m)" = "debian 12 x86_64" ] ||
		skip "the instructions are those of Debian 12 on x86-64"
	command -v valgrind >/dev/null || skip "valgrind missing"
	bash "$ROOT/test/instructions.sh" "$BUILD" >got
	compare "$ROOT/test/data/instructions.txt" got >more
	[ ! -s more ] || fail "$(cat more)
If the change is worth it, say why in its commit, and write the file again:
test/instructions.sh $BUILD >test/data/instructions.txt"
}

@test "the comparison of instructions notices 4 %, and rows that are missing" {
	lines 'a b 1.000' 'c 2.000' 'd 3.000' >wanted
	lines 'a b 1.040' 'c 2.040' 'e 1.000' >got
	assert_equal "$(compare wanted got)" "$(lines \
		'a b 1.040 instead of 1.000' 'e 1.000 is not in the file' \
		'd was not counted')"
}
