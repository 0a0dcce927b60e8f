# bare.bash - bare Debian systems, in which packages.sh and .ci/run try what a
# newcomer does
#
# A bare system is what debootstrap makes: with make, and nothing else that is
# not needed to start.  It is made once for each suite, such as bookworm, and kept
# in the folder BASES with the packages that were installed in copies of it, so
# that the next run downloads little.

BASES=${BASES:-/var/cache/weir}

# why_no_system - prints why no bare systems can be made here, or nothing
why_no_system() {
	local PATH=$PATH:/usr/sbin:/sbin
	if [ "$(id -u)" -ne 0 ]; then
		echo 'only root may make bare systems'
	elif ! command -v debootstrap >/dev/null; then
		echo 'there is no debootstrap'
	elif ! unshare --mount --pid --fork mount -t tmpfs tmpfs /mnt \
			2>/dev/null; then
		echo 'no namespaces with mounts can be made here'
	fi
}

# make_base SUITE - makes the bare system that the others are copies of, from the
# mirror that this system uses
make_base() {
	local base=$BASES/$1 mirror PATH=$PATH:/usr/sbin:/sbin
	[ ! -d "$base" ] || return 0
	mkdir -p "$BASES" && rm -rf "$base.part" || return
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' \
		2>/dev/null | head -n 1)
	if ! debootstrap --variant=minbase --include=make "$1" "$base.part" \
			$mirror >"$base.log" 2>&1; then
		tail "$base.log"
		return 1
	fi
	# How this system reaches its mirror
	apt-config dump | grep -E '^Acquire::(https?|Check|Retries)' \
		>"$base.part/etc/apt/apt.conf.d/99host"
	mv "$base.part" "$base"
}

# make_system SUITE DIR - makes DIR, a bare system
make_system() {
	make_base "$1" && cp -a "$BASES/$1" "$2" || return
	cp /etc/resolv.conf "$2/etc" || :
	rm -rf "$2"/var/cache/apt/archives/*
	echo "$BASES/$1/var/cache/apt/archives" >"$2/packages"
	in_system "$2" 'apt-get update -qq'
}

# in_system DIR COMMANDS - runs shell commands in the bare system, in /srv.  Mounts
# and processes end with the namespaces; a signal ends the wait for them.
in_system() {
	unshare --mount --pid --fork --kill-child bash -eu -c '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		mount --bind "$(<"$1/packages")" "$1/var/cache/apt/archives"
		exec chroot "$1" env -i HOME=/root LC_ALL=C.UTF-8 \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}" \
			DEBIAN_FRONTEND=noninteractive \
			bash -eu -o pipefail -c "cd /srv; $2"' - "$1" "$2" </dev/null &
	wait $!
}
