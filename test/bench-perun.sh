# bench-perun.sh - the part of bench.sh for pidx-write and pidx-read
#
# It is sourced by bench.sh, which defines cpu().  pidx-write syncs the file
# system, which git add does not do, but CPU time includes little of the time of
# a sync.  A sync before each run writes what earlier commands have left in the
# cache.  Every run has a new directory and nothing is removed, because after
# removals ext4 spends most of the time for a new file on the search for an
# inode that was not freed recently.

repo=$data/perun

# timed COMMAND [PREPARE] - prints the milliseconds of CPU time of COMMAND, the
# minimum of eight runs; PREPARE runs before each
timed() {
	jq -n "$(cpu 8 "$@") * 1000"
}

# ms_row NAME MILLISECONDS [REMARK] - prints a row
ms_row() {
	printf '%-50s %8.1f ms  %s\n' "$1" "$2" "${3:-}"
}

# multiple MS BASE WORD - prints MS / BASE and WORD, such as "1.50 git"
multiple() {
	printf '%.2f %s' "$(jq -n "$1 / $2")" "$3"
}

# profiles N RESOURCES UIDS - writes N profiles of RESOURCES resources each, with
# one of UIDS uids, to p/*.perf, and to the file records as `profile` records,
# each with a different commit as long as there are enough commits
profiles() {
	python3 - "$@" <<'END'
import json, random, subprocess, sys
rng = random.Random(1)
n, resources, uids = map(int, sys.argv[1:])
commits = subprocess.check_output(["git", "rev-list", "HEAD"],
    text=True).split()
with open("records", "w") as records:
    for i in range(n):
        doc = {"header": {"type": "mixed", "units": {"mixed(time delta)": "us"},
            "cmd": "./app", "workload": "w%d" % i},
            "collector_info": {"name": "trace", "params": {}},
            "postprocessors": [], "global": {"time": "1.5", "resources": [
            {"amount": rng.randrange(10 ** 6) / 1000, "uid": "f%d" %
            rng.randrange(uids), "type": "mixed", "subtype": "time delta",
            "structure-unit-size": rng.randrange(10000)}
            for _ in range(resources)]}}
        text = json.dumps(doc)
        with open("p/%d.perf" % i, "w") as f:
            f.write(text)
        records.write('{"type":"profile","path":"%d.perf","time":%d,'
            '"minor_version":"%s","profile":%s}\n' % (i, i, commits[i %
            len(commits)], text))
END
}

rm -rf "$repo"
mkdir -p "$repo/p"
cd "$repo"
git init -q -b main .
for ((n = 1; n <= 1000; n++)); do
	printf 'commit refs/heads/main\ncommitter C <c> %d +0000\ndata 0\n' $n
done | git fast-import --quiet
pidx-init >/dev/null
cp -a .git clean.git
cp -a .perun clean.perun

# fresh [STORE] - prints a command that creates a repository with a copy of
# STORE, or else of the empty store, and makes `run` a link to it
fresh() {
	echo "rm -f run; d=\$(mktemp -d run.XXXXXX); cp -a clean.git \$d/.git
		cp -a ${1:-clean.perun} \$d/.perun; ln -s \$d run; sync"
}

for uids in 200 46000; do
	profiles 1000 46 $uids	# 46 resources make about 5 KB
	printf '\n1,000 profiles of %d bytes, with uids from %d\n' \
		$(($(cat p/*.perf | wc -c) / 1000)) $uids
	base=$(timed 'git --git-dir run/.git --work-tree . add p' "$(fresh)")
	ms_row 'git add' "$base"
	ms=$(timed 'pidx-write -C run p/*.perf >/dev/null' "$(fresh)")
	ms_row 'pidx-write, one commit' "$ms" \
		"$(multiple "$ms" "$base" git) (at most 1)"
	ms=$(timed 'pidx-write -C run records >/dev/null' "$(fresh)")
	ms_row 'pidx-write, each to another commit' "$ms" \
		"$(multiple "$ms" "$base" git) (at most 1.3)"
done
eval "$(fresh)"
pidx-write -C run records >/dev/null
ms_row 'vcs-log | pidx-read: the entries of 1,000 commits' \
	"$(timed 'vcs-log -C run | pidx-read -C run >/dev/null')"
ms_row 'git log' "$(timed 'git -C run log >/dev/null')"
ms_row 'pidx-read of one commit' "$(timed 'pidx-read -C run HEAD >/dev/null')"

# nth[count] is the time in ms to add entry number `count`, 1 or 10,000, to an
# index that has count - 1 entries, which all refer to one object.  The two
# sizes are measured alternately, since a machine with other load is slower at
# some times than at others.
head -n 1 records | jq -c 'del(.minor_version)' >one
jq -c '.path = "new"' one >new
for count in 1 10000; do
	eval "$(fresh)"
	# pidx-write fails if its input is empty.
	[ "$count" = 1 ] ||
		jq -c --argjson n $count 'range(1; $n) as $i |
			.path = "p\($i)"' one | pidx-write -C run >/dev/null
	cp -a run/.perun filled.$count
	nth[count]=1e9
done
for _ in {1..3}; do
	for count in 1 10000; do
		ms=$(timed 'pidx-write -C run new >/dev/null' \
			"$(fresh filled.$count)")
		nth[count]=$(jq -n "[${nth[count]}, $ms] | min")
	done
done
ms_row 'the first entry of an index' "${nth[1]}"
ms_row 'its 10,000th' "${nth[10000]}" \
	"$(jq -n "${nth[10000]} - ${nth[1]} | . * 10 | round / 10") ms more"
# `run` still links to the last repository: its index has the 10,000 entries.
listing=$(timed 'pidx-read -C run HEAD >/dev/null')
ms_row 'pidx-read of 10,000 entries' "$listing"

# batch[count] is the time in ms to add count different profiles in one run.
for count in 1000 10000; do
	jq -c --argjson n $count 'range($n) as $i | .path = "p\($i)" |
		.profile.header.workload = "w\($i)"' one >batch.$count
	batch[count]=$(timed "pidx-write -C run batch.$count >/dev/null" \
		"$(fresh)")
done
ms_row 'a batch of 10,000 profiles' "${batch[10000]}" \
	"$(multiple "${batch[10000]}" "${batch[1000]}" 'of one of 1,000')"

profiles 1 100000 200
printf '\none profile of %.1f MB\n' \
	"$(jq -n "$(wc -c <p/0.perf) / 1000000")"
base=$(timed 'git --git-dir run/.git hash-object -w p/0.perf' "$(fresh)")
ms_row 'git hash-object -w' "$base"
big=$(timed 'pidx-write -C run p/0.perf >/dev/null' "$(fresh)")
ms_row 'pidx-write' "$big" "$(multiple "$big" "$base" git)"
cd "$data"
rm -rf "$repo"
