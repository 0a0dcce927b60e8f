#!/bin/bash
# hosts.sh BUILD - an archive is answered by two hosts, of which one is lost
#
# The hosts are network namespaces, connected by a bridge.  First GNU parallel
# sends jobs to both by ssh; they share no files.  Then Slurm runs an array on
# both; they share a folder.  Each time, when a job on hostB is in the middle of
# a log, the link of hostB is cut.  The answers must be the same bytes as those
# of a run on one machine.  A log with a bad line is among the logs.
#
# All daemons are in a process namespace of this script, and the network and the
# mounts in namespaces of their own: they end with it, however it ends.

set -eu -o pipefail

skip() {
	echo "skipped: $1"
	exit 0
}

if [ $# -eq 1 ]; then
	[ "$(id -u)" -eq 0 ] || skip 'only root may make network namespaces'
	PATH=$PATH:/usr/sbin:/sbin
	for program in ip nsenter parallel python3 rsync ssh sshd; do
		command -v $program >/dev/null || skip "there is no $program"
	done
	unshare --net --mount --pid --fork true 2>/dev/null ||
		skip 'no namespaces can be made here'
	dir=$(mktemp -d)
	trap 'kill $! 2>/dev/null || :; wait; rm -rf "$dir"' EXIT
	trap 'exit 1' INT TERM
	unshare --net --mount --pid --fork --kill-child --mount-proc \
		bash "$0" "$1" "$dir" &
	wait $!
	exit
fi

TEST=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
dir=$2
# The process 1 of a namespace ignores these signals unless they are caught.
trap 'exit 1' INT TERM
PATH=$build:$PATH
source "$TEST/cluster/archive.bash"
export PARALLEL_HOME=$dir/parallel
mkdir "$dir/work" "$dir/parallel"
touch "$dir/parallel/will-cite"

# add_host NAME NUMBER - makes the network namespace of a host, connected to the
# bridge by the link called NAME
add_host() {
	ip netns add "$1"
	ip link add "$1" type veth peer name eth0 netns "$1"
	ip link set "$1" master bridge up
	ip -n "$1" addr add "10.77.0.$2/24" dev eth0
	ip -n "$1" link set eth0 up
	ip -n "$1" link set lo up
}

# on_host NAME COMMAND - runs a shell command on a host, with its own processes
# and mounts.  `ip netns exec` would mount another /sys, which slurmd refuses.
on_host() {
	nsenter --net=/run/netns/"$1" unshare --uts --mount --pid --fork \
		--kill-child --mount-proc sh -c "hostname $1
		[ $1 = hostA ] || mount --bind $dir/hanging $build/execlog-parse
		$2"
}

# wait_for WHAT COMMAND - waits until the command succeeds, for up to a minute
wait_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		sh -c "$2" >/dev/null 2>&1 && return
		sleep 0.1
	done
	echo "no $1 within a minute"
	return 1
}

# make_network - makes both hosts, and the execlog-parse of hostB, which never
# finishes the 30th log
make_network() {
	mount -t tmpfs none /run
	mkdir /run/sshd
	ip link set lo up
	ip link add bridge type bridge
	ip addr add 10.77.0.1/24 dev bridge
	ip link set bridge up
	add_host hostA 2
	add_host hostB 3
	cp "$build/execlog-parse" "$dir/execlog-parse"
	cat >"$dir/hanging" <<-END
		#!/bin/sh
		echo >>$dir/logs-of-hostB
		[ \$(wc -l <$dir/logs-of-hostB) -lt 30 ] ||
			{ touch $dir/hostB-hangs; sleep 600; }
		exec $dir/execlog-parse "\$@"
	END
	chmod +x "$dir/hanging"
}

# lose_hostB - cuts its link when a job of it is in the middle of a log.  Slurm
# would wait for two minutes before it starts a task again.
lose_hostB() {
	wait_for 'job on hostB' "[ -e $dir/hostB-hangs ]"
	ip link set hostB down
	[ -z "${SLURM_CONF:-}" ] && return
	wait_for 'requeued task' "squeue -h -t PD -o %r | grep -x BeginTime"
	scontrol update JobId="$(squeue -h -t PD -o %A)" StartTime=now
}

# map FOLDER COMMAND - answers the archive in FOLDER by a command of the page, while
# hostB is lost; compares the answers with those of one machine
map() {
	make_damaged_archive "$dir/$1"
	rm -f "$dir"/hostB-hangs "$dir"/logs-of-hostB
	lose_hostB &
	(cd "$dir/$1" && bash -c "$2") >"$dir/$1.log" 2>&1 || {
		cat "$dir/$1.log" "$dir"/slurmctld.log
		return 1
	}
	wait $!
	# The critpath that hangs on hostB still has its temporary file.
	diff -r --exclude='*.ndjson.*' "$dir/single/answers" "$dir/$1/answers"
	echo "$2: the same bytes as on one machine"
}

# make_damaged_archive FOLDER - makes 200 logs, one with a bad line
make_damaged_archive() {
	make_archive "$1" 200
	echo 'not an event' >>"$1/logs/2026-11-13/0080.log"
}

# start_sshd - starts sshd on both hosts, and configures ssh for them
start_sshd() {
	local host
	ssh-keygen -q -t ed25519 -N '' -f "$dir/host_key"
	ssh-keygen -q -t ed25519 -N '' -f "$dir/user_key"
	cat >"$dir/sshd_config" <<-END
		HostKey $dir/host_key
		AuthorizedKeysFile $dir/user_key.pub
		StrictModes no
		PidFile none
		SetEnv PATH=$build:/usr/bin:/bin
	END
	mount -t tmpfs none /etc/ssh/ssh_config.d
	cat >/etc/ssh/ssh_config.d/weir.conf <<-END
		Host hostA
		HostName 10.77.0.2
		Host hostB
		HostName 10.77.0.3
		Host *
		IdentityFile $dir/user_key
		UserKnownHostsFile /dev/null
		StrictHostKeyChecking no
		LogLevel ERROR
	END
	for host in hostA hostB; do
		# The folder that the jobs work in is empty on each host.
		on_host $host "mount -t tmpfs none $dir/work &&
			exec /usr/sbin/sshd -D -e -f $dir/sshd_config" \
			2>"$dir/$host.log" &
		wait_for "sshd on $host" "ssh $host true"
	done
}

# start_slurm - starts a controller here and a node on each host
start_slurm() {
	local host
	mkdir "$dir/munge" "$dir/state" "$dir"/spool.host{A,B}
	head -c 128 /dev/urandom >"$dir/munge/key"
	chmod 600 "$dir/munge/key"
	munged --foreground --force --key-file "$dir/munge/key" \
		--socket "$dir/munge/socket" --pid-file "$dir/munge/pid" \
		--log-file "$dir/munge/log" --seed-file "$dir/munge/seed" \
		2>/dev/null &
	cat >"$dir/slurm.conf" <<-END
		ClusterName=weir
		SlurmctldHost=$(hostname)(10.77.0.1)
		SlurmUser=root
		AuthInfo=socket=$dir/munge/socket
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		MpiDefault=none
		ReturnToService=2
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SlurmctldTimeout=10
		SlurmdTimeout=10
		StateSaveLocation=$dir/state
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdSpoolDir=$dir/spool.%n
		SlurmdPidFile=$dir/slurmd.%n.pid
		SlurmdLogFile=$dir/slurmd.%n.log
		SlurmdParameters=config_overrides
		NodeName=hostA NodeAddr=10.77.0.2 CPUs=1
		NodeName=hostB NodeAddr=10.77.0.3 CPUs=1
		PartitionName=weir Nodes=hostA,hostB Default=YES State=UP
	END
	export SLURM_CONF=$dir/slurm.conf
	wait_for munged "[ -S $dir/munge/socket ]"
	slurmctld -D -f "$SLURM_CONF" 2>/dev/null &
	for host in hostA hostB; do
		on_host $host "exec slurmd -D -f $SLURM_CONF" 2>/dev/null &
	done
	wait_for 'idle nodes' '[ "$(sinfo -h -t idle -o %D)" = 2 ]'
}

make_damaged_archive "$dir/single"
(cd "$dir/single" && ./map-xargs 2>/dev/null)
make_network
start_sshd
for command in "${HOST_EXAMPLES[@]}"; do
	case $command in
	sbatch*)
		[ "$(command -v sbatch slurmctld slurmd munged |
			wc -l)" -eq 4 ] || {
			echo "skipped: $command: Slurm is not installed"
			continue
		}
		ip link set hostB up
		start_slurm
		map array "$command" ;;
	*)
		map work "$command" ;;
	esac
done
