# repositories.bats - kinds of repositories are read, or refused, as git does

# bats file_tags=exhaustive

load helper
load vcs

setup() {
	enter_test
	repository
	for i in one two three; do commit $i; done
	git branch topic HEAD~1
	git config uploadpack.allowFilter true
	cd ..
	mv repo src
}

# ids_of COMMAND... - prints what the command lists, in one line, or "refuses" if
# it fails
ids_of() {
	local output

	output=$("$@" 2>>why) && paste -sd' ' <<<"$output" || echo refuses
}

log_ids() {
	local records

	records=$(vcs-log "$@") && jq -r '.id // empty' <<<"$records"
}

# agree_on_kinds - reads a table of kinds of repositories:
#
#	NAME | GIT | WEIR | RECIPE
#
# The recipe makes ./r from ./src, which has three commits, in a directory of its
# own, $top; it may set variables, and $where, the directory in which all are
# run.  GIT is "reads", "refuses", the first version of git that reads it, or
# "either", as git 2.47 has a bug there.  WEIR is "reads", that is, lists the same as git if git reads it, or a text of the
# message by which vcs-log refuses it.  With `here`, -C is not tried.
agree_on_kinds() {
	local name git weir recipe version n=0

	version=$(git version | cut -d' ' -f3)
	while IFS='|' read -r name git weir recipe; do
		name=${name%% *} git=${git// } weir=$(xargs <<<"$weir")
		case $git in
		[0-9]*) git=$(printf '%s\n' "$git" "$version" | sort -VC &&
			echo reads || echo refuses) ;;
		esac
		mkdir "$name"
		(
			cd "$name"
			top=$PWD where=r HOME=$PWD/home
			mkdir home
			cp -a ../src .
			eval "$recipe" >recipe.log 2>&1
			compare_answers "$1"
		)
		n=$((n + 1))
	done
	echo "$n kinds"
}

# compare_answers [here] - the part of agree_on_kinds for a kind
compare_answers() {
	local wanted=refuses theirs ours

	cd "$top/$where"
	theirs=$(ids_of git rev-list HEAD)
	ours=$(ids_of log_ids)
	echo "$name: git $theirs, weir $ours: $(tail -n 1 why)"
	[ "$git" != reads ] || [ "$theirs" != refuses ]
	[ "$git" != refuses ] || [ "$theirs" = refuses ]
	if [ "$weir" != reads ]; then
		[ "$ours" = refuses ]
		[[ $(tail -n 1 why) == "vcs-log: "*"$weir"* ]]
	elif [ "$theirs" = refuses ]; then
		[ "$ours" != refuses ]
	else
		assert_equal "$ours" "$theirs"
		assert_equal "$(vcs-resolve HEAD | jq -r '.id // empty')" \
			"$(git rev-parse HEAD)"
	fi
	cd "$top"
	[ "${1-}" = here ] ||
		assert_equal "$(ids_of log_ids -C "$where")" "$ours"
}

# extension NAME VALUE [VERSION] - makes ./r with this extension
extension() {
	git clone -q src r
	git -C r config core.repositoryFormatVersion "${3-1}"
	git -C r config "extensions.$1" "$2"
}

@test "work trees, clones and links are read as by git" {
	agree_on_kinds <<-'END'
		plain      | reads | reads | git clone -q src r
		below      | reads | reads | git clone -q src r; mkdir r/a; where=r/a
		gitdir     | reads | reads | git clone -q src r; where=r/.git/refs
		bare       | reads | reads | git clone -q --bare src r
		mirror     | reads | reads | git clone -q --mirror src r
		worktree   | reads | reads | git -C src worktree add -q "$top/r" topic
		ofbare     | reads | reads | git clone -q --bare src b; git -C b worktree add -q "$top/r" topic
		sparse     | reads | reads | git clone -q --bare src b; git -C b worktree add -q "$top/r" topic; git -C r sparse-checkout set a
		moved      | reads | reads | git -C src worktree add -q "$top/t" topic; mv t r
		orphan     | refuses | no repository | git clone -q src b; git -C b worktree add -q "$top/r" HEAD~1; rm -rf b
		separate   | reads | reads | git clone -q --separate-git-dir g src r
		relative   | reads | reads | git clone -q --separate-git-dir g src r; echo 'gitdir: ../g' >r/.git
		linked     | reads | reads | git clone -q src r; mv r/.git g; ln -s ../g r/.git
		submodule  | reads | reads | git init -q o; git -C o -c protocol.file.allow=always submodule add -q ../src s; where=o/s
		nested     | reads | reads | git clone -q src r; git clone -q --bare src r/b; where=r/b
		shallow    | reads | reads | git clone -q --depth 2 "file://$top/src" r
		partial    | reads | reads | git clone -q --filter=blob:none "file://$top/src" r
		treeless   | reads | reads | git clone -q --no-checkout --filter=tree:0 "file://$top/src" r
		shared     | reads | reads | git clone -q --shared src a; git clone -q --shared a r
		alternate  | reads | reads | git clone -q --shared src r; echo ../../../src/.git/objects >r/.git/objects/info/alternates
		lost       | refuses | cannot read commit | git clone -q --shared src r; rm -rf src
		packed     | reads | reads | git clone -q src r; git -C r gc -q; git -C r multi-pack-index write; git -C r pack-refs --all
		detached   | reads | reads | git clone -q src r; git -C r checkout -q HEAD~1
		remote     | reads | reads | git clone -q src r; git -C r symbolic-ref HEAD refs/remotes/origin/topic
		symbolic   | reads | reads | git clone -q src r; ln -sf refs/heads/main r/.git/HEAD
		unborn     | refuses | HEAD | git init -q r
		noconfig   | reads | reads | git clone -q src r; rm r/.git/config
		include    | reads | reads | git clone -q src r; echo '[core] bare = false' >i; git -C r config include.path "$top/i"
	END
}

@test "extensions are known, or refused by name" {
	agree_on_kinds <<-'END'
		noop       | reads | reads | extension noop true
		noopv1     | reads | reads | extension noop-v1 true
		precious   | reads | reads | extension preciousObjects true
		partial    | reads | reads | extension partialClone origin
		worktree   | reads | reads | extension worktreeConfig true
		sha1       | reads | reads | extension objectFormat sha1
		sha256     | reads | sha256 | git init -q --object-format=sha256 r; git -C r commit -q --allow-empty -m a
		sha256v0   | refuses | sha256 | git init -q --object-format=sha256 r; git -C r config core.repositoryFormatVersion 0
		sha3       | refuses | sha3 | extension objectFormat sha3
		compatible | either | extensions.compatobjectformat | extension compatObjectFormat sha1
		files      | 2.45 | extensions.refstorage | extension refStorage files
		reftable   | refuses | extensions.refstorage | extension refStorage reftable
		relative   | 2.48 | extensions.relativeworktrees | extension relativeWorktrees true
		unknown    | refuses | extensions.unknown | extension unknown true
		unknownv0  | reads | reads | extension unknown true 0
		version2   | refuses | version 2 | extension noop true; git -C r config core.repositoryFormatVersion 2
	END
}

# own DIRECTORY... - gives the directories and all in them to another user
own() {
	chown -R 65534 "$@"
}

# trust FILE VALUE... - adds the values of safe.directory to a file
trust() {
	local file=$1 value

	shift
	mkdir -p "$(dirname "$file")"
	for value; do git config --file "$file" --add safe.directory "$value"; done
}

# parameters VALUE... - passes the values on as git does for -c
parameters() {
	local value options=()

	for value; do options+=(-c "safe.directory=$value"); done
	GIT_CONFIG_PARAMETERS=$(git "${options[@]}" -c alias.p='!echo "$GIT_CONFIG_PARAMETERS"' p)
	export GIT_CONFIG_PARAMETERS
}

# numbered VALUE - passes a value on in numbered variables
numbered() {
	export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c
	export GIT_CONFIG_KEY_1=Safe.Directory GIT_CONFIG_VALUE_1=$1
}

@test "a repository of another user is read if safe.directory names it" {
	[ "$(id -u)" = 0 ] || skip "only root can give files away"
	agree_on_kinds <<-'END'
		untrusted  | refuses | another user | git clone -q src r; own r
		path       | reads | reads | git clone -q src r; own r; trust "$HOME/.gitconfig" /x "$top/r"
		star       | reads | reads | git clone -q src r; own r; trust "$HOME/.gitconfig" '*'
		below      | reads | reads | git clone -q src r; own r; mkdir r/a; where=r/a; trust "$HOME/.gitconfig" "$top/r"
		home       | reads | reads | git clone -q src home/r; own home/r; where=home/r; trust "$HOME/.gitconfig" '~/r'
		slash      | 2.47 | reads | git clone -q src r; own r; trust "$HOME/.gitconfig" "$top/r/"
		allbelow   | 2.46 | reads | git clone -q src r; own r; trust "$HOME/.gitconfig" "$top/*"
		symbolic   | 2.47 | reads | git clone -q src r; own r; ln -s r l; trust "$HOME/.gitconfig" "$top/l"
		other      | refuses | another user | git clone -q src r; own r; trust "$HOME/.gitconfig" "$top" "$top/r/.git" "$top/src" "$top/r/*" r '~nobody'
		cancelled  | refuses | an empty safe.directory | git clone -q src r; own r; trust "$HOME/.gitconfig" '*' ''
		again      | reads | reads | git clone -q src r; own r; trust "$HOME/.gitconfig" '*' '' "$top/r"
		novalue    | refuses | another user | git clone -q src r; own r; printf '[safe]\n\tdirectory\n' >"$HOME/.gitconfig"
		included   | reads | reads | git clone -q src r; own r; trust i '*'; git config --global include.path "$top/i"
		xdg        | reads | reads | git clone -q src r; own r; trust "$HOME/.config/git/config" '*'
		xdghome    | reads | reads | git clone -q src r; own r; export XDG_CONFIG_HOME=$top/x; trust x/git/config '*'
		global     | reads | reads | git clone -q src r; own r; trust g '*'; export GIT_CONFIG_GLOBAL=$top/g
		noglobal   | refuses | another user | git clone -q src r; own r; trust "$HOME/.gitconfig" '*'; export GIT_CONFIG_GLOBAL=
		system     | reads | reads | git clone -q src r; own r; trust g '*'; export GIT_CONFIG_SYSTEM=$top/g GIT_CONFIG_NOSYSTEM=0
		nosystem   | refuses | another user | git clone -q src r; own r; trust g '*'; export GIT_CONFIG_SYSTEM=$top/g
		itself     | refuses | another user | git clone -q src r; trust r/.git/config '*'; own r
		numbered   | reads | reads | git clone -q src r; own r; numbered '*'
		numberless | refuses | an empty safe.directory | git clone -q src r; own r; trust "$HOME/.gitconfig" '*'; numbered ''
		parameter  | reads | reads | git clone -q src r; own r; parameters '*'
		quoted     | reads | reads | git clone -q src "o'x !"; mv o* r; mkdir "a'b !"; mv r "a'b !"; own "a'b !"; where="a'b !/r"; parameters "$top/a'b !/r"
		oldstyle   | reads | reads | git clone -q src r; own r; export GIT_CONFIG_PARAMETERS="'a.b=c' 'safe.directory=*'"
		cancelledp | refuses | an empty safe.directory | git clone -q src r; own r; parameters '*' ''
		sudo       | reads | reads | git clone -q src r; own r; export SUDO_UID=65534
		sudoother  | refuses | another user | git clone -q src r; own r; export SUDO_UID=12
		treeonly   | refuses | another user | git clone -q src r; chown 65534 r
		gitonly    | refuses | another user | git clone -q src r; chown 65534 r/.git
		inside     | reads | reads | git clone -q src r; chown 65534 r/f r/.git/HEAD
		bare       | refuses | another user | git clone -q --bare src r; own r
		barepath   | reads | reads | git clone -q --bare src r; own r; trust "$HOME/.gitconfig" "$top/r"
		worktree   | refuses | another user | git -C src worktree add -q "$top/r" topic; own r
		worktreep  | reads | reads | git -C src worktree add -q "$top/r" topic; own r; trust "$HOME/.gitconfig" "$top/r"
		submodule  | reads | reads | git init -q o; git -C o -c protocol.file.allow=always submodule add -q ../src s; own o; where=o/s; trust "$HOME/.gitconfig" "$top/o/s"
		elsewhere  | refuses | another user | git clone -q src r; own r; mkdir w; git config --file r/.git/config core.worktree "$top/w"; trust "$HOME/.gitconfig" "$top/w"
	END
}

@test "the advice for a repository of another user is what makes it readable" {
	[ "$(id -u)" = 0 ] || skip "only root can give files away"
	git clone -q src 'a b'
	own 'a b'
	mkdir 'a b/below'
	git config --global safe.directory "$PWD/a b/.git"
	assert_fatal "vcs-log: the repository in '$PWD/a b' belongs to another `
		`user: to trust it, git config --global --add safe.directory `
		`'$PWD/a b'" vcs-log -C 'a b/below'
	eval "${stderr#*, }"
	run -0 vcs-log -C 'a b/below'
}

@test "git's variables name the repository and its parts" {
	agree_on_kinds here <<-'END'
		gitdir     | reads | reads | git clone -q src r; export GIT_DIR=$top/r/.git; where=.
		gitfile    | reads | reads | git clone -q --separate-git-dir g src r; export GIT_DIR=$top/r/.git; where=.
		bare       | reads | reads | git clone -q --bare src r; export GIT_DIR=r; where=.
		worktree   | reads | reads | git clone -q src r; export GIT_WORK_TREE=$top/r
		both       | reads | reads | git clone -q src r; export GIT_DIR=$top/r/.git GIT_WORK_TREE=$top/r; where=.
		namespace  | reads | reads | git clone -q src r; export GIT_NAMESPACE=x
		objects    | reads | reads | git clone -q src r; mv r/.git/objects o; mkdir r/.git/objects; export GIT_OBJECT_DIRECTORY=$top/o
		alternates | reads | reads | git clone -q --shared src r; rm r/.git/objects/info/alternates; export GIT_ALTERNATE_OBJECT_DIRECTORIES=$top/src/.git/objects
		index      | reads | reads | git clone -q src r; export GIT_INDEX_FILE=$top/none
	END
	agree_on_kinds <<-'END'
		ceiling    | refuses | no repository | git clone -q src r; mkdir -p r/a/b; where=r/a/b; export GIT_CEILING_DIRECTORIES=$top/r/a
		higher     | reads | reads | git clone -q src r; mkdir -p r/a/b; where=r/a/b; export GIT_CEILING_DIRECTORIES=$top
	END
}

@test "a repository that GIT_DIR names may belong to another user" {
	[ "$(id -u)" = 0 ] || skip "only root can give files away"
	agree_on_kinds here <<-'END'
		gitdir     | reads | reads | git clone -q src r; own r; export GIT_DIR=.git
	END
}

@test "GIT_WORK_TREE names the work tree that is compared" {
	git clone -q src r
	cp -a r/f f
	cd r
	for text in three changed; do
		echo $text >../f
		run -0 --separate-stderr env GIT_WORK_TREE="$PWD/.." \
			vcs-heads --dirty
		run -0 jq -r 'select(.head).dirty // false' <<<"$output"
		assert_output "$([ $text = changed ] && echo true || echo false)"
	done
}
