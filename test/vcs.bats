# vcs.bats - common/vcs/vcs.h: each function, with each back end

load helper
load members
load vcs

# $CALLS is a program that calls one function of vcs.h, for the back end $type
# (git; or svs, which has one version), and prints its result.

# says TEXT FUNCTION [ARGUMENT...] - expects that the function, called for
# ./repo, succeeds with the result TEXT
says() {
	local wanted=$1

	shift
	run -0 --separate-stderr "$CALLS" "$type" repo "$@" &&
		assert_output "$wanted"
}

# fails REASON FUNCTION [ARGUMENT...] - expects that the function, called for
# ./repo, fails with REASON
fails() {
	local wanted=$1

	shift
	run -1 --separate-stderr "$CALLS" "$type" repo "$@" &&
		assert_equal "$output" "" && assert_equal "$stderr" "$wanted"
}

# history - creates ./repo of git with two versions, whose ids are $one and $two
history() {
	type=git
	run -0 "$CALLS" git repo init
	cd repo
	git symbolic-ref HEAD refs/heads/main
	commit one
	commit two
	one=$(git rev-parse HEAD~1) two=$(git rev-parse HEAD)
	cd ..
}

@test "each function of the interface answers for git" {
	history
	says "$two" get_minor_head
	says main get_head_major_version
	says "main $two" walk_major_versions
	says "$(lines "$two" "$one")" walk_minor_versions HEAD
	says "$one" walk_minor_versions HEAD~1
	says "$two" walk_minor_versions "$one.."
	says "" walk_minor_versions HEAD..HEAD
	says "$one commit" massage_parameter HEAD~1 any
	says "$one commit" massage_parameter "${one:0:10}" commit
	says clean is_dirty
	fails "nothing has this name" massage_parameter nothing
	fails "nothing has this name" get_minor_version_info x
	fails "it is a commit" massage_parameter HEAD blob
	fails "'x' does not name a commit: nothing has this name" \
		walk_minor_versions HEAD..x
	run -0 "$CALLS" "$type" repo get_minor_version_info HEAD
	assert_line -n 0 "id $two"
	assert_line -n 1 "parent $one"
	assert_line --regexp "^message two"
	# An existing repository is not changed.
	git -C repo config core.repositoryFormatVersion 1
	cp -a repo before
	run -0 "$CALLS" "$type" repo init
	diff -r before repo
	says "$two" get_minor_head
}

@test "svs has one version and answers in the same form" {
	type=svs
	run -0 "$CALLS" svs repo init
	says HEAD get_minor_head
	says master get_head_major_version
	says "master HEAD" walk_major_versions
	says HEAD walk_minor_versions HEAD
	says "" walk_minor_versions HEAD..HEAD
	says "HEAD commit" massage_parameter master any
	says clean is_dirty
	fails "it is a commit" massage_parameter HEAD blob
	fails "nothing has this name (svs has one version, HEAD)" \
		massage_parameter HEAD~1
	run -0 "$CALLS" svs repo get_minor_version_info HEAD
	assert_line -n 0 "id HEAD"
	assert_line --regexp "^message Singleton version"
}

@test "init creates a repository without versions" {
	type=git
	run -0 "$CALLS" git repo init
	run -1 --separate-stderr "$CALLS" git repo get_minor_head
	[[ $stderr == *" yet" ]]
	run -0 "$CALLS" git repo get_head_major_version
	assert_output --regexp '^(main|master)$'
	says "" walk_major_versions
	says clean is_dirty
	git -C repo rev-parse --git-dir
}

@test "init reports why it failed" {
	echo file >file
	run -1 --separate-stderr "$CALLS" git file/repo init
	[[ $stderr == "cannot create a repository in 'file/repo': "* ]]
	run -1 --separate-stderr "$CALLS" svs file/repo init
	[[ $stderr == "cannot create 'file/repo': Not a directory" ]]
	run -1 --separate-stderr "$CALLS" svs missing/repo init
	[[ $stderr == "cannot create 'missing/repo': No such file or directory" ]]
}

@test "a repository is opened only at the path given" {
	history
	mkdir repo/below
	run -1 --separate-stderr "$CALLS" git repo/below get_minor_head
	assert_equal "$stderr" \
		"there is no repository of type git in 'repo/below'"
}

@test "a system that is not known is refused by name" {
	unknown="unknown version control system 'none': it must be one of git, svs"
	run -1 --separate-stderr "$CALLS" none repo get_minor_head
	assert_equal "$stderr" "$unknown"
	repository
	commit one
	assert_fatal "vcs-log: --vcs must be git or svs, not 'none'" \
		vcs-log --vcs none
	pidx-init
	sed -i 's/type: git/type: none/' .perun/local.yml
	assert_fatal "pidx-read: cannot open the repository of '$PWD/.perun': $unknown" \
		pidx-read HEAD
}

# copy_tree - copies the source and what is built of it, without the rest of the
# tests, to ./tree; there "${make[@]}" builds in $build
copy_tree() {
	build=tree/build make=(make -s -C tree)
	! is_sanitized || { build=tree/build/san; make+=(SAN=1); }
	mkdir -p $build tree/test/programs
	cp -a "$ROOT"/{Makefile,common,filters,instrument} tree
	cp -a "$TEST/programs/instrument" tree/test/programs
	cp -a "$BUILD"/{common,filters,libraries,libweir.a} $build
	PATH=$PWD/$build:$PATH
}

# The system "flat" has one version, as svs, but its directories have a mark: a
# directory .flat.
@test "a back end that is added as weir-vcs(7) says is found by itself" {
	copy_tree
	cd tree/common/vcs
	cat >mark <<-'END'

		static bool
		has_mark(const char *path, bool upwards)
		{
			struct buf b = { 0 };
			bool found = false;

			buf_str(&b, path != NULL ? path : ".");
			for (int i = 0; !found && i < (upwards ? 40 : 1); i++) {
				buf_str(&b, "/.flat");
				found = access(buf_cstr(&b), F_OK) == 0;
				b.len -= strlen(".flat");
				buf_str(&b, "..");
			}
			buf_release(&b);
			return found;
		}

		static int
		make_mark(const char *path)
		{
			struct buf b = { 0 };
			int result;

			buf_printf(&b, "%s/.flat", path);
			result = mkdir(buf_cstr(&b), 0777);
			buf_release(&b);
			return result;
		}
	END
	# Steps 1 and 3: the example gets another name, and finds its mark.
	sed -e 's/vcs_svs/vcs_flat/; s/"svs"/"flat"/; /needs_store/d' \
		-e '/^static const struct vcs_id head/r mark' \
		-e 's/^\tif (upwards)$/\tif (!has_mark(path, upwards))/' \
		-e 's/mkdir(path, 0777)/make_mark(path)/' svs.c >flat.c
	# Step 2: it is registered.
	sed -i -e 's/^\(extern.* vcs_git, \)/\1vcs_flat, /' \
		-e 's/{ &vcs_git, /&\&vcs_flat, /' vcs.c
	cd ../../..
	"${make[@]}" "${build#tree/}"/{vcs-log,vcs-heads,vcs-resolve} \
		"${build#tree/}"/{pidx-init,pidx-read}

	# It is made, found from below, and may be named.
	mkdir work work/below plain
	run -0 --separate-stderr pidx-init --vcs-type flat --vcs-init work
	assert_equal "$(jq -r '.vcs_created, .vcs_type, .vcs_url' <<<"$output" |
		paste -sd' ')" "true flat .."
	rm -r work/.perun
	cd work/below
	for options in "" "--vcs flat"; do
		run -0 --separate-stderr vcs-log $options
		assert_equal "$(fields -r -w message message)" \
			"Singleton version"
		run -0 --separate-stderr vcs-heads $options --text
		assert_output "  *  HEAD  master"
		run -0 --separate-stderr vcs-resolve $options HEAD --text
	done
	run -0 --separate-stderr pidx-init
	assert_equal "$(jq -r '.vcs_type, .vcs_url' <<<"$output" | paste -sd' ')" \
		"flat ../.."
	run -0 --separate-stderr pidx-read HEAD
	# git comes first, and svs is never found.
	git init -q ..
	assert_fatal "vcs-log: HEAD has no commit yet" vcs-log
	cd ../../plain
	assert_fatal "vcs-log: there is no repository in '.' or above" vcs-log
	assert_fatal "vcs-log: there is no repository of type flat in '.' or above" \
		vcs-log --vcs flat
	assert_fatal "vcs-log: --vcs must be git, flat or svs, not 'none'" \
		vcs-log --vcs none
}

# $CALLS calls other functions in the middle of walk_minor_versions.
@test "other calls may be made in the middle of a walk" {
	history
	cd repo
	for i in 3 4 5 6 7 8; do commit line$i; done
	want=$(git rev-list HEAD)
	cd ..
	says "$want" walk_minor_versions HEAD
	says "$(head -n 5 <<<"$want")" walk_minor_versions HEAD~5..HEAD
}

# bats test_tags=normal
@test "everything that was opened is released" {
	history
	command -v valgrind >/dev/null || skip "no valgrind here"
	valgrind -q --leak-check=full --error-exitcode=9 "$CALLS" git repo \
		walk_minor_versions HEAD
}

# The library fail.so makes allocation number $FAIL_AT and all later ones fail;
# its end() prints the number of allocations.  The sanitizers have an allocator of
# their own.
# bats test_tags=normal
@test "when memory runs out at any allocation, the filter exits with 2" {
	repository
	for i in 1 2 3; do commit $i; done
	git tag -a -m x v1
	gcc -fPIC -shared -x c -o fail.so - <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
	void *__libc_realloc(void *, size_t);
	static long n, limit;
	static int fails(void)
	{
		if (limit == 0)
			limit = atol(getenv("FAIL_AT"));
		return ++n >= limit;
	}
	void *malloc(size_t size)
	{
		return fails() ? NULL : __libc_malloc(size);
	}
	void *calloc(size_t count, size_t size)
	{
		return fails() ? NULL : __libc_calloc(count, size);
	}
	void *realloc(void *p, size_t size)
	{
		return fails() ? NULL : __libc_realloc(p, size);
	}
	__attribute__((destructor)) static void end(void)
	{
		fprintf(stderr, "%ld\n", n);
	}
	END
	for filter in vcs-log 'vcs-heads --dirty' 'vcs-resolve v1^0 HEAD@{1}'; do
		FAIL_AT=99999999 LD_PRELOAD=./fail.so $filter >out 2>count
		seed=$(seed)
		echo "SEED=$seed $filter: $(cat count)"
		# The last tenth is left out: it includes allocations at the
		# exit, such as that of fprintf() in end().
		for n in $(shuf -n 12 -i 1-$(($(cat count) * 9 / 10)) \
			--random-source=<(yes $seed)); do
			FAIL_AT=$n LD_PRELOAD=./fail.so $filter >out 2>&1 &&
				false || [ $? -eq 2 ]
		done
	done
}
