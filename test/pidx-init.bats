# pidx-init.bats - a Perun store, the directory .perun, is created or completed

load helper
load members

setup() {
	enter_test
	export HOME=$BATS_TEST_TMPDIR
	export LSAN_OPTIONS=print_suppressions=0:suppressions=$TEST/vcs-leaks.supp
	git init -q repo
}

# answer KEY - prints a member of the record, or another object, in $output
answer() {
	jq -r ".$1" <<<"$output"
}

# setting FILE KEY - prints the value of vcs.type, vcs.url or
# weir.index_version, read by PyYAML if it is installed, otherwise by a search
# for the line
setting() {
	if python3 -c 'import yaml' 2>/dev/null; then
		python3 -c '
import functools, sys, yaml
with open(sys.argv[1], encoding="utf-8") as f:
    print(functools.reduce(dict.get, sys.argv[2].split("."),
                           yaml.safe_load(f)))' "$1" "$2"
	else
		awk -v section="${2%.*}:" -v key="${2#*.}:" '
			/^[^ #]/ { here = $1 }
			here == section && $1 == key { print $2 }' "$1" |
			sed 's/^"\(.*\)"$/\1/'
	fi
}

# is_whole STORE [FILE] - expects all files of a store, and no others
is_whole() {
	(cd "$1" && ls -A) >listed
	lines $2 cache jobs local.yml logs objects stats tmp | diff - listed
}

@test "a store is created beside a repository and reported by a record" {
	run -0 --separate-stderr pidx-init repo
	assert_equal "$stderr" ""
	assert_output '{"type":"store","path":"repo/.perun","created":true,'`
		`'"made":["cache","jobs","logs","objects","stats","tmp",'`
		`'"local.yml",".gitignore"],"vcs_type":"git","vcs_url":"..",'`
		`'"index_version":"2label"}'
	is_whole repo/.perun .gitignore
	assert_equal "$(ls -A repo | paste -sd' ')" ".git .perun"
}

@test "git shows nothing of a new store, wherever it is" {
	git -C repo -c user.name=a -c user.email=b commit -q --allow-empty -m c
	git -C repo worktree add -q ../second
	mkdir -p repo/a repo/b repo/c
	pidx-init repo
	pidx-init repo/a 2>warning
	pidx-init --vcs-type svs repo/b 2>>warning
	pidx-init --vcs-url ../../../second repo/c 2>>warning
	pidx-init second
	for _ in 1 2; do
		for dir in repo second; do
			assert_equal "$(git -C $dir status --porcelain)" ""
		done
		pidx-init repo
		pidx-init second
	done
	# Nor does git remove what it does not show.
	git -C repo clean -qfd
	is_whole repo/.perun .gitignore
}

@test "without its .gitignore a store is committed like other files" {
	pidx-init repo
	rm repo/.perun/.gitignore
	run -0 pidx-init repo
	assert_equal "$(answer made)" "[]"
	is_whole repo/.perun
	git -C repo add .
	assert_equal "$(git -C repo status --porcelain)" "A  .perun/local.yml"
}

@test "local.yml has the chosen settings, also for Python" {
	pidx-init repo
	assert_equal "$(setting repo/.perun/local.yml vcs.type)" git
	assert_equal "$(setting repo/.perun/local.yml vcs.url)" ..
	assert_equal "$(setting repo/.perun/local.yml weir.index_version)" 2label
	pidx-init --vcs-type svs --index-version 2 --vcs-url ../x .
	assert_equal "$(setting .perun/local.yml vcs.type)" svs
	assert_equal "$(setting .perun/local.yml vcs.url)" ../x
	assert_equal "$(setting .perun/local.yml weir.index_version)" 2
}

@test "the commented settings in local.yml are valid if uncommented" {
	pidx-init repo
	# A setting begins right after the "#", explanations after a space.
	sed -E 's/^#([a-z]|  )/\1/' repo/.perun/local.yml >local.yml
	! diff -q repo/.perun/local.yml local.yml || return 1
	# This unit test, run with a file, prints it as JSON.
	run -0 --separate-stderr "$BUILD/test/unit/config" local.yml
	assert_equal "$(answer 'cmds[0]')" ./build/program
	assert_equal "$(answer 'collectors[0].params.repeat')" 10
	assert_equal "$(answer 'degradation.strategies[0].method')" \
		average_amount_threshold
	mv local.yml repo/.perun
	# These settings describe two jobs.
	run -0 --separate-stderr pidx-jobs -C repo
	assert_equal "${#lines[@]}" 2
}

@test "--index-version is written to local.yml" {
	run -0 --separate-stderr pidx-init --index-version 2label repo
	assert_equal "$(answer index_version)" 2label
	run -2 --separate-stderr pidx-init --index-version 3 repo
	run -2 --separate-stderr pidx-init --index-version 0 repo
}

@test "the default is the current directory" {
	cd repo
	run -0 --separate-stderr pidx-init
	assert_equal "$(answer path)" .perun
	is_whole .perun .gitignore
	run -0 --separate-stderr pidx-init .
	assert_equal "$(answer path)" .perun
	run -0 --separate-stderr pidx-init ../repo//
	assert_equal "$(answer path)" ../repo/.perun
}

@test "inside a repository the url points upwards to it" {
	mkdir -p repo/a/b
	run -0 --separate-stderr pidx-init repo/a/b
	assert_equal "$(answer vcs_url)" ../../..
	assert_equal "$(cd repo/a/b/.perun/../../.. && pwd -P)" \
		"$(cd repo && pwd -P)"
}

@test "the url is relative to the target of a symbolic link" {
	mkdir -p repo/a/b
	ln -s repo/a/b link
	run -0 --separate-stderr pidx-init link
	assert_equal "$(answer vcs_url)" ../../..
	[ -d repo/a/b/.perun ]
}

@test "bare repositories and linked work trees are recognized" {
	git init -q --bare bare
	run -0 --separate-stderr pidx-init bare
	assert_equal "$(answer vcs_url)" ..
	git -C repo -c user.name=a -c user.email=b commit -q \
		--allow-empty -m first
	git -C repo worktree add -q ../second
	run -0 --separate-stderr pidx-init second
	assert_equal "$(answer vcs_url)" ..
}

@test "--vcs-url is relative to .perun, must be a repository and is kept" {
	mkdir store
	run -0 --separate-stderr pidx-init --vcs-url ../../repo store
	assert_equal "$(answer vcs_url)" ../../repo
	assert_equal "$(setting store/.perun/local.yml vcs.url)" ../../repo
	mkdir other
	run -0 --separate-stderr pidx-init --vcs-url "$PWD/repo" other
	assert_equal "$(setting other/.perun/local.yml vcs.url)" "$PWD/repo"
	mkdir third
	for url in ../repo .. repo "$PWD" ""; do
		run -2 --separate-stderr pidx-init --vcs-url "$url" third
		[[ $stderr == *"no repository at '"* ]]
	done
	[ ! -e third/.perun ]
}

@test "a url with any characters is read back unchanged" {
	for name in "a b" "a'b" 'a"b\c' 'a: b #c' '&<>' 'é𝄞' $'a\tb\nc\177d' \
	    $'a\u2028b\u0085c\ufeffd\u00a0'; do
		rm -rf store
		mkdir store
		git init -q "r$name"
		pidx-init --vcs-url "../../r$name" store >>stores
		"$BUILD/test/unit/config" store/.perun/local.yml >>read
		lines "../../r$name" >>urls
	done
	records <stores | members -r vcs_url | diff urls -
	members -r vcs.url <read | diff urls -
	run -2 --separate-stderr pidx-init --vcs-type svs --vcs-url $'\377' .
	[[ $stderr == *UTF-8* ]]
}

# bats test_tags=normal
@test "Python reads a url with any characters unchanged" {
	python3 -c 'import yaml' 2>/dev/null ||
		skip "no YAML module; the test before this one holds without"
	for name in "a'b" 'a"b\c' 'a: b #c' '&<>' 'é𝄞' $'a\tb\nc\177d'; do
		rm -rf .perun
		pidx-init --vcs-type svs --vcs-url "$name"
		assert_equal "$(setting .perun/local.yml vcs.url)" "$name"
	done
}

@test "without a repository nothing is created, with advice" {
	mkdir empty
	for path in empty "$BATS_TEST_TMPDIR"; do
		run -2 --separate-stderr pidx-init "$path"
		[[ $stderr == *"no repository in or above"*"--vcs-url"* ]]
		[[ $stderr == *"--vcs-type svs"* ]]
	done
	# These directories alone are not a repository.
	mkdir empty/.git empty/refs empty/objects
	run -2 --separate-stderr pidx-init empty
	[ ! -e empty/.perun ]
	[ ! -e .perun ]
	assert_equal "$output" ""
}

@test "a repository that no filter could read is refused" {
	git init -q --object-format=sha256 other || skip "git lacks SHA-256"
	mkdir other/below store
	for options in other other/below '--vcs-url ../../other store'; do
		run -2 --separate-stderr pidx-init $options
		# weir says what the ids are; libgit2 1.9 refuses it before that.
		[[ $stderr == *"the repository in '$PWD/"*"other': "*sha256* ]]
	done
	[ -z "$(find . -name '.perun*')" ]
	# libgit2 does not know this version of the format either.
	git -C repo config core.repositoryformatversion 9
	run -2 --separate-stderr pidx-init repo
	[ ! -e repo/.perun ]
}

@test "--vcs-type svs needs no repository, unknown types are refused" {
	run -0 --separate-stderr pidx-init --vcs-type svs .
	assert_equal "$(answer vcs_type)" svs
	assert_equal "$(answer vcs_url)" ..
	run -2 --separate-stderr pidx-init --vcs-type svn repo
	[[ $stderr == *"--vcs-type must be git or svs, not 'svn'"* ]]
}

@test "--vcs-init creates a repository where there is none" {
	mkdir -p a/b c
	run -0 --separate-stderr pidx-init --vcs-init a/b
	assert_equal "$(answer 'vcs_created, .vcs_type, .vcs_url' | paste -sd' ')" \
		"true git .."
	is_whole a/b/.perun .gitignore
	git -C a/b -c user.name=a -c user.email=b commit -q --allow-empty -m c
	run -0 vcs-log -C a/b
	# It is at the url, if there is one, and made as git makes it.
	git config --global init.defaultBranch trunk
	run -0 --separate-stderr pidx-init --vcs-init --vcs-type git \
		--vcs-url ../../new/here c
	assert_equal "$(answer 'vcs_created, .vcs_url' | paste -sd' ')" \
		"true ../../new/here"
	assert_equal "$(git -C new/here symbolic-ref HEAD)" refs/heads/trunk
	assert_equal "$(git -C new/here rev-parse --is-bare-repository)" false
}

@test "--vcs-init changes no repository that is there" {
	mkdir repo/below
	cp -a repo before
	for directory in below .; do
		run -0 --separate-stderr pidx-init --vcs-init "repo/$directory"
		assert_equal "$(answer vcs_created)" null
		rm -r "repo/$directory/.perun"
	done
	diff -r before repo
	# Nor does it create one instead of one that cannot be read.
	git -C repo config core.repositoryFormatVersion 9
	run -2 --separate-stderr pidx-init --vcs-init repo/below
	[[ $stderr == *"repository version 9"* ]]
	assert_equal "$(ls -A repo/below)" ""
}

@test "a repository that cannot be created is reported, and no store is made" {
	touch file
	mkdir store
	run -2 --separate-stderr pidx-init --vcs-init --vcs-url ../../file/x store
	[[ $stderr == "pidx-init: cannot create a repository in '"*"file/x': "* ]]
	assert_equal "$(ls -A store)" ""
}

@test "what an existing store lacks is created" {
	pidx-init repo
	echo '# mine' >>repo/.perun/local.yml
	mkdir repo/.perun/objects/ab
	echo kept >repo/.perun/objects/ab/cd
	cp -a repo/.perun before
	run -0 --separate-stderr pidx-init repo
	assert_equal "$(fields created made)" "[null,[]]"
	diff -r before repo/.perun
	rmdir repo/.perun/cache repo/.perun/tmp
	run -0 --separate-stderr pidx-init repo
	assert_equal "$(answer made | jq -c .)" '["cache","tmp"]'
	diff -r before repo/.perun
	rm repo/.perun/local.yml
	run -0 --separate-stderr pidx-init --index-version 2 repo
	assert_equal "$(answer made | jq -c .)" '["local.yml"]'
	assert_equal "$(answer index_version)" 2
	assert_equal "$(cat repo/.perun/objects/ab/cd)" kept
}

@test "an empty .perun becomes a store" {
	mkdir repo/.perun
	run -0 --separate-stderr pidx-init repo
	assert_equal "$(jq -c '[.created, (.made | length)]' <<<"$output")" \
		"[null,7]"
	is_whole repo/.perun
}

@test "an existing local.yml with other settings is not changed: status 1" {
	pidx-init --index-version 1 repo
	cp repo/.perun/local.yml before
	for option in --index-version=2 --vcs-url=../x --vcs-type=svs; do
		run -1 --separate-stderr pidx-init "$option" repo
		[[ $stderr == *"local.yml exists and is not changed: ${option%=*} does not set"* ]]
		run -2 --separate-stderr pidx-init --strict "$option" repo
	done
	cmp before repo/.perun/local.yml
	run -0 --separate-stderr pidx-init --index-version=1 --vcs-url=.. \
		--vcs-type=git repo
	assert_equal "$stderr" ""
}

@test "an invalid local.yml is reported with its line, nothing is created" {
	mkdir repo/.perun
	printf 'vcs:\n  type: git\n  type: svs\n' >repo/.perun/local.yml
	run -2 --separate-stderr pidx-init repo
	[[ $stderr == *"repo/.perun/local.yml:3:3: the key 'type' occurs twice" ]]
	assert_equal "$(ls -A repo/.perun)" local.yml
}

@test "a .perun that is a file or a link is refused" {
	mkdir elsewhere
	ln -s ../elsewhere repo/.perun
	run -2 --separate-stderr pidx-init repo
	[[ $stderr == *"/repo/.perun' exists and is not a directory" ]]
	assert_equal "$(ls -A elsewhere)" ""
	ln -sfn ../nowhere repo/.perun
	run -2 --separate-stderr pidx-init repo
	rm repo/.perun
	echo text >repo/.perun
	run -2 --separate-stderr pidx-init repo
	assert_equal "$(cat repo/.perun)" text
}

@test "a directory of the store that is a file or a dangling link is reported" {
	pidx-init repo
	rmdir repo/.perun/objects
	ln -s nothing repo/.perun/objects
	run -2 --separate-stderr pidx-init repo
	[[ $stderr == *"cannot create 'objects' of a store"* ]]
	rm repo/.perun/objects
	echo text >repo/.perun/objects
	run -2 --separate-stderr pidx-init repo
	[[ $stderr == *"cannot create 'objects' of a store"* ]]
	assert_equal "$(cat repo/.perun/objects)" text
}

@test "an operand that is not a directory, and two operands, are refused" {
	echo text >file
	run -2 --separate-stderr pidx-init file
	[[ $stderr == *"'file' is not a directory" ]]
	run -2 --separate-stderr pidx-init missing
	[[ $stderr == *"cannot open 'missing': "* ]]
	run -2 --separate-stderr pidx-init repo repo
	run -2 --separate-stderr pidx-init ""
	[ ! -e repo/.perun ]
}

@test "if nothing can be written, nothing remains" {
	# Root may write to all directories but those of file systems such as
	# /proc, which the test then uses.
	[ "$(id -u)" -ne 0 ] || ! [ -d /proc/self ] || {
		run -2 --separate-stderr pidx-init --vcs-type svs /proc
		[[ $stderr == *"cannot create '.perun' of a store in '/proc'"* ]]
		return
	}
	chmod a-w repo
	run -2 --separate-stderr pidx-init repo
	[[ $stderr == *"cannot create '.perun' of a store in "* ]]
	chmod u+w repo
	assert_equal "$(ls -A repo)" .git
}

# local.yml is longer than the limit for files, 1 KiB.
@test "a failed write leaves neither .perun nor a temporary" {
	run -2 --separate-stderr bash -c 'ulimit -f 1; trap "" XFSZ
		pidx-init repo | cat; exit "${PIPESTATUS[0]}"'
	[[ $stderr == *"cannot create 'local.yml' of a store in "* ]]
	assert_equal "$(ls -A repo)" .git
}

@test "a new store below another causes a warning, an existing one does not" {
	mkdir -p repo/a/b
	pidx-init repo
	run -0 --separate-stderr pidx-init repo/a/b
	[[ $stderr == *"warning: the new store hides the one above"*"/repo/.perun'" ]]
	run -0 --separate-stderr pidx-init repo/a/b
	assert_equal "$stderr" ""
}

# A new store has eight parts; the member "made" of a record lists those that this run
# has created.
@test "one of many concurrent runs creates the store, which is complete" {
	for ((round = $(rounds 4); round > 0; round--)); do
		rm -rf repo/.perun
		for i in {1..12}; do
			pidx-init repo >"out$i" 2>>err &
		done
		for pid in $(jobs -p); do
			wait "$pid"
		done
		assert_equal "$(cat out* | grep -c created)" 1
		assert_equal "$(cat out* | records | wc -l)" 12
		assert_equal "$(jq -s 'map(.made | length) | add' out*)" 8
		is_whole repo/.perun .gitignore
		assert_equal "$(ls -A repo | paste -sd' ')" ".git .perun"
	done
	[ ! -s err ]
}

@test "files have the usual modes" {
	(umask 027 && pidx-init repo)
	assert_equal "$(stat -c %a repo/.perun repo/.perun/objects \
		repo/.perun/local.yml | paste -sd' ')" "750 750 640"
}

@test "shared.yml is neither read nor created" {
	mkdir shared
	echo 'a: [' >shared/shared.yml
	PERUN_CONFIG_DIR=$PWD/shared run -0 --separate-stderr pidx-init repo
	rm -rf repo/.perun
	PERUN_CONFIG_DIR=$PWD/none run -0 --separate-stderr pidx-init repo
	[ ! -e none ]
}

@test "outside a store each filter names the directory and pidx-init" {
	mkdir -p repo/a empty
	for dir in repo/a empty; do
		for filter in 'pidx-fsck' 'pidx-jobs' 'pidx-read' 'pidx-rm a' \
		    'pidx-write' 'perf-diff HEAD HEAD~'; do
			run -2 --separate-stderr $filter -C $dir </dev/null
			[[ $stderr == "${filter%% *}: "*"there is no .perun in '$PWD/$dir' or above: pidx-init creates one" ]]
		done
	done
}
