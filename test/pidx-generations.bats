# pidx-generations.bats - stores of all generations of Perun
#
# oracles/perun-generations.py does to a store what a generation of Perun does,
# byte for byte, and lists what it lists.  A generation is named by its first
# release.  The sanitized half leaves these out: they are about formats, and the
# other tests of these filters run the same code.

# bats file_tags=normal,exhaustive

load helper
load pidx

GENERATIONS="0.10 0.16.6 0.22 0.23.8 0.25"
declare -gA LAYOUT=([0.10]=1 [0.16.6]=2args [0.22]=2 [0.23.8]=2label
	[0.25]=2label)

# perun COMMAND ARGUMENT... - does what a generation of Perun does
GENERATIONS_ORACLE=$TEST/oracles/perun-generations.py
perun() {
	python3 "$GENERATIONS_ORACLE" "$@"
}

# The repository has two commits, $ids; $id is the last.  They have the same ids
# in each run, as the random stores depend on them.  Each test makes its own
# stores.
export GIT_AUTHOR_DATE="@1600000000 +0000" GIT_COMMITTER_DATE="@1600000000 +0000"
setup() {
	enter_test
	repository "$BATS_TEST_TMPDIR"
	ids=$id
	commit
	ids+=" $id"
}

# empty_store [SYSTEM] - replaces the store by an empty one as Perun makes it,
# whose vcs.type is SYSTEM
empty_store() {
	rm -rf .perun
	mkdir -p .perun/objects .perun/jobs
	lines vcs: "  type: ${1:-git}" "  url: .." format: >.perun/local.yml
}

# fill GENERATION SEED [AGE] - registers random profiles with each of $ids as
# the generation does
fill() {
	perun fill "$1" .perun "$2" 8 "${3:-old}" $ids >filled
}

# store_of GENERATION SEED [SYSTEM] - replaces the store by a random one, as the
# generation leaves it; prints the generation in case the test fails
store_of() {
	echo "generation $1"
	empty_store "${3:-git}"
	fill "$1" "$2"
}

# as_shown - turns `entry` records into what the oracle prints
as_shown() {
	records | jq -cS 'del(.type, .minor_version)'
}

# expect_listing - expects that pidx-read lists the entries of $ids as they are
# meant, and complains about none
expect_listing() {
	perun listing .perun $ids >want
	pidx-read $ids 2>complaints | as_shown | diff want -
	diff /dev/null complaints
}

# expect_as STORE - expects that .perun and STORE have the same indexes, byte
# for byte, and the same objects, and that nothing is wrong with them
expect_as() {
	local version
	for version in $ids; do
		cmp "$(file "$version")" "$(file "$version" "$1")"
	done
	oracle objects "$1" .perun | sort | uniq -u | diff /dev/null -
	pidx-fsck >findings
}

# shown GENERATION - prints the entries of the index of $id as `perun status` of
# the generation shows them, without changing the store
shown() {
	rm -rf shown
	cp -r .perun shown
	perun status "$1" shown "$id"
}

# --- reading -----------------------------------------------------------------

@test "the entries of each generation are listed as they were registered" {
	seed=$(seed)
	for generation in $GENERATIONS; do
		store_of "$generation" "$seed"
		expect_listing
		pidx-fsck >findings
	done
}

@test "entries with args and with a label are told apart in one index" {
	seed=$(seed)
	store_of 0.16.6 "$seed"
	fill 0.25 "$seed" new
	expect_listing
	store_of 0.23.8 "$seed"
	fill 0.16.6 "$seed" new
	expect_listing
	# Perun before 0.22 has args, but they are not in the index of 0.25.
	empty_store
	for version in $ids; do
		perun profiles 0.16.6 "$seed" 8 old |
			perun add 0.25 .perun "$version"
	done
	expect_listing
}

# forget_all [ID] - removes the objects of the index of ID, or of all indexes
forget_all() {
	local object
	perun listing .perun ${1:-$ids} | jq -r .object | sort -u | while read -r object; do
		rm -f "$(file "$object")"
	done
}

@test "without its object an entry is read as the others of the store" {
	seed=$(seed)
	for generation in 0.22 0.16.6 0.23.8 0.25; do
		store_of "$generation" "$seed"
		forget_all "$id"
		perun forget .perun "$seed"
		# One that decides remains.
		record decides.perf 1 c w |
			perun add "$generation" .perun "${ids% *}"
		expect_listing
	done
}

@test "without any object the settings decide, or the list says it guesses" {
	seed=$(seed)
	for generation in 0.16.6 0.25; do
		store_of "$generation" "$seed"
		forget_all
		lines "args:" "  - -v" >>.perun/local.yml
		expect_listing
		sed -i '/^args:/,$d' .perun/local.yml
		perun listing .perun "$id" >want
		grep -q '"undecided":true' want
		pidx-read "$id" 2>complaints | as_shown | diff want -
		assert_equal "$(wc -l <complaints)" 1
	done
}

# --- writing -----------------------------------------------------------------

# register GENERATION SEED AGE [OPTION...] - registers random profiles with $ids
# twice: in .perun with weir, and in a copy, theirs, as the generation does
register() {
	rm -rf theirs
	cp -r .perun theirs
	perun fill "$1" theirs "$2" 5 "$3" $ids >profiles
	pidx-write "${@:4}" <profiles >out
}

# bats test_tags=normal
@test "profiles are registered as each generation registers them" {
	seed=$(seed)
	for generation in $GENERATIONS; do
		store_of "$generation" "$seed"
		register "$generation" "$seed" new
		expect_as theirs
		expect_listing
	done
}

# bats test_tags=normal
@test "a new index is as each generation makes it" {
	seed=$(seed)
	for generation in $GENERATIONS; do
		echo "generation $generation"
		empty_store
		register "$generation" "$seed" new \
			--index-version "${LAYOUT[$generation]}"
		expect_as theirs
	done
}

# bats test_tags=normal
@test "a new index is like the other indexes of the store" {
	seed=$(seed)
	for generation in $GENERATIONS; do
		store_of "$generation" "$seed"
		rm "$(file "$id")"
		register "$generation" "$seed" new
		expect_as theirs
	done
}

@test "into an index of two kinds of entries the newer kind is written" {
	seed=$(seed)
	store_of 0.16.6 "$seed"
	fill 0.25 "$seed" new
	register 0.25 "$seed" newer
	expect_as theirs
	expect_listing
}

# bats test_tags=normal
@test "the args of a profile are in its command where they have no place" {
	seed=$(seed)
	for generation in 0.22 0.23.8 0.25; do
		store_of "$generation" "$seed"
		cp -r .perun theirs
		perun profiles 0.16.6 "$seed" 5 new | jq -c \
			'.path |= "args-" + .' >profiles
		pidx-write <profiles >out
		perun add "$generation" theirs "$id" joined <profiles
		expect_as theirs
		rm -r theirs
	done
}

@test "0.25 and weir replace the first of several entries of a name" {
	seed=$(seed)
	empty_store
	# 0.23.8 registers a name several times if the times differ.
	for version in $ids; do
		perun profiles 0.22 "$seed $version" 8 old |
			perun add 0.23.8 .perun "$version"
	done
	register 0.25 "$seed" new
	expect_as theirs
	# Those that are there already are not written again.
	cp -r .perun before
	pidx-write <profiles | records >out
	assert_equal "$(jq -s 'map(select(.existed)) | length' out)" 10
	diff -r before/objects .perun/objects
}

@test "an index that 0.25 did not truncate is read and written in full" {
	store_of 0.25 "$(seed)"
	index=$(file "$id")
	size=$(stat -c %s "$index")
	name=$(perun listing .perun "$id" | jq -r .path | sed -n 2p)
	record "$name" 1 c "" time t |
		perun add 0.25 .perun "$id" untruncated
	assert_equal "$(stat -c %s "$index")" "$size"
	expect_listing
	# Perun itself would add the entry after the bytes that it left.
	perun status 0.25 .perun "$id" >before
	record zz.perf 1 | pidx-write >out
	expect_listing
	perun status 0.25 .perun "$id" | grep -v '"zz.perf"' | diff before -
	pidx-fsck >findings
}

@test "entries that are neither removed nor replaced keep all their bytes" {
	seed=$(seed)
	store_of 0.16.6 "$seed"
	fill 0.25 "$seed" new
	perun forget .perun "$seed"	# now the layout of some is undecided
	index=$(file "$id")
	cp "$index" before
	perun profiles 0.23.8 "$seed" 5 newer | pidx-write 2>complaints >out
	assert_equal "$(perun untouched 6 before "$index")" "0 5"
	pidx-rm newerB.perf newerz.perf 2>complaints >out
	assert_equal "$(perun untouched 6 before "$index")" "0 3"
	pidx-rm 0@i 3@i 2>complaints >out
	cp "$index" after
	run -0 perun untouched 6 before after
	assert_equal "$(perun untouched 6 after before | cut -d' ' -f1)" \
		"${output#* }"
}

# --- removing ----------------------------------------------------------------

# remove GENERATION SEED - removes random profiles from the indexes of $ids
# twice: from .perun with weir, and from a copy, theirs, as the generation does
remove() {
	local version names
	rm -rf theirs
	cp -r .perun theirs
	for version in $ids; do
		pidx-read "$version" | records | jq -r .path | sort -u |
			shuf -n 2 --random-source=<(yes "$2") >names
		mapfile -t names <names
		pidx-rm -c "$version" "${names[@]}" >out
		perun rm "$1" theirs "$version" "${names[@]}"
	done
}

@test "profiles are removed as each generation removes them" {
	seed=$(seed)
	for generation in $GENERATIONS; do
		store_of "$generation" "$seed"
		remove "$generation" "$seed"
		expect_as theirs
		expect_listing
		# What is left is an index to which profiles can be added again.
		register "$generation" "$seed" new
		expect_as theirs
	done
}

# --- what Perun reads --------------------------------------------------------

# reads GENERATION - whether the generation shows each profile of the index of
# $id with its workload, as in the file `want`, if it shows workloads at all
reads() {
	shown "$1" 2>unreadable >status || return
	jq -r '.path + " " + (.workload // "W")' status | sort | cmp -s want -
}

# bats test_tags=normal
@test "each generation reads the layouts of which the manual says so" {
	declare -A readers=([1]="$GENERATIONS" [2args]="0.16.6" [2]="0.22"
		[2label]="0.23.8 0.25")
	seed=$(seed)
	perun profiles 0.22 "$seed" 5 new | jq -c '.profile.header +=
		{args: "A", workload: "W", label: "L"}' >profiles
	for layout in "${!readers[@]}"; do
		empty_store
		pidx-write --index-version "$layout" <profiles >out
		records <out | jq -r '.path + " W"' | sort >want
		found=
		for generation in $GENERATIONS; do
			if reads "$generation"; then
				found+="$generation "
			fi
		done
		assert_equal "$layout: $found" "$layout: ${readers[$layout]} "
	done
}

# bats test_tags=normal
@test "Perun shows both profiles of one name and second if weir adds two" {
	for generation in 0.10 0.16.6 0.22; do
		empty_store
		for workload in a b; do
			record same.perf 1 cmd "$workload"
		done | pidx-write --index-version "${LAYOUT[$generation]}" >out
		run -0 perun status "$generation" .perun "$id"
		assert_equal "${#lines[@]}" 2
	done
}

# without_args - prints the entries of $ids without what only Perun before 0.22
# has in an index
without_args() {
	pidx-read $ids | records | jq -cS 'del(.type, .minor_version, .args)'
}

# bats test_tags=normal
@test "an index that a later generation has converted is read as before" {
	seed=$(seed)
	for generation in 0.16.6 0.22 0.23.8 0.25; do
		store_of 0.10 "$seed"
		register 0.10 "$seed" new
		without_args >before
		for version in $ids; do
			perun status "$generation" .perun "$version" >status
			cmp -n 5 "$(file "$version")" <(printf 'pidx\2')
		done
		without_args | diff before -
		expect_listing
		register "$generation" "$seed" newer
		expect_as theirs
	done
}

# --- numbers -----------------------------------------------------------------

# expect_numbers GENERATION - expects that each N@i is the profile that the
# status of the generation shows as the Nth: for each binary digit, those whose
# numbers have it are selected at once
expect_numbers() {
	local count digit n selectors
	shown "$1" | jq -c '[.path, .time, .object]' >status
	[ -s status ]
	count=$(wc -l <status)
	for digit in 1 2 4 8; do
		selectors=()
		for ((n = digit; n < count; n++)); do
			((!(n & digit))) || selectors+=(-f $n@i)
		done
		[ -z "$selectors" ] ||
			pidx-read "${selectors[@]}" "$id" 2>complaints |
			records | sed "s/^{/&\"digit\":$digit,/"
	done | jq -c '[.digit, [.path, .time, .object]]' | sort >selected
	awk '{ for (digit = 1; digit < NR; digit *= 2)
		if (int((NR - 1) / digit) % 2)
			print "[" digit "," $0 "]" }' status | sort |
		diff - selected
}

# 0.10 shows the profiles in the order of the index.  It cannot be told from
# 0.14.2, which sorts them and whose numbers weir takes.
NUMBERED=${GENERATIONS/0.10/0.14.2}

@test "N@i is the profile to which each generation gives this number" {
	seed=$(seed)
	for generation in $NUMBERED; do
		store_of "$generation" "$seed"
		expect_numbers "$generation"
	done
}

# sort_by KEYS [ORDERS] - sets the order of the status
sort_by() {
	sed -i '/^  sort_profiles/d' .perun/local.yml
	lines "  sort_profiles_by: $1" >>.perun/local.yml
	[ -z "${2:-}" ] ||
		lines "  sort_profiles_order: $2" >>.perun/local.yml
}

# bats test_tags=normal
@test "N@i follows the settings that each generation knows" {
	seed=$(seed)
	for generation in $NUMBERED; do
		store_of "$generation" "$seed"
		for key in time source; do
			sort_by $key
			expect_numbers "$generation"
		done
	done
	for generation in 0.23.8 0.25; do
		store_of "$generation" "$seed"
		for order in asc desc; do
			sort_by type $order
			expect_numbers "$generation"
		done
	done
	sort_by "[type, time, stem]" "[desc, asc, desc]"
	expect_numbers 0.25
	sort_by "[label, stem, copy]" "[desc]"
	expect_numbers 0.25
}

# --- svs ---------------------------------------------------------------------

# bats test_tags=normal
@test "stores without a version system are read and written as by Perun" {
	seed=$(seed)
	mkdir ../svs && cd ../svs
	ids=HEAD id=HEAD
	for generation in 0.22 0.23.8 0.25; do
		store_of "$generation" "$seed" svs
		expect_listing
		expect_numbers "$generation"
		register "$generation" "$seed" new
		expect_as theirs
		remove "$generation" "$seed"
		expect_as theirs
		expect_listing
		forget_all
		expect_listing
	done
}

# bats test_tags=normal
@test "pruning keeps the profiles of a store without a version system" {
	mkdir ../svs && cd ../svs
	ids=HEAD id=HEAD
	store_of 0.25 "$(seed)" svs
	perun listing .perun HEAD >want
	oracle objects .perun >objects
	record other.perf 1 | pidx-write >out
	pidx-rm other.perf >out
	find .perun -type f -exec touch -d '2 hours ago' {} +
	pidx-fsck --prune >out
	oracle objects .perun | diff objects -
	perun listing .perun HEAD | diff want -
}
