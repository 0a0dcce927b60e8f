# bench-stores.sh - the part of bench.sh for stores of profiles and for histories
#
# pidx-write syncs the file system; git add does so with the settings that are
# given here.  CPU time includes little of the time of a sync.  A sync before each
# run writes what earlier commands have left in the cache.  Every run has a new
# directory, because after removals ext4 spends most of the time for a new file on
# the search for an inode that was not freed recently.

repo=$data/store
rm -rf "$repo"
mkdir -p "$repo/p"

# profiles N RESOURCES - writes N profiles of RESOURCES resources each to p/*.perf,
# and to the file records as `profile` records, each with a different commit as
# long as there are enough commits
profiles() {
	python3 - "$@" <<'END'
import json, random, subprocess, sys
rng = random.Random(1)
n, resources = map(int, sys.argv[1:])
commits = subprocess.check_output(["git", "rev-list", "HEAD"],
    text=True).split()
with open("records", "w") as records:
    for i in range(n):
        doc = {"header": {"type": "mixed", "units": {"mixed(time delta)": "us"},
            "cmd": "./app", "workload": "w%d" % i},
            "collector_info": {"name": "trace", "params": {}},
            "postprocessors": [], "global": {"time": "1.5", "resources": [
            {"amount": rng.randrange(10 ** 6) / 1000, "uid": "f%d" %
            rng.randrange(200), "type": "mixed", "subtype": "time delta",
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

cd "$repo" || exit 2
git init -q -b main .
for ((n = 1; n <= 1000; n++)); do
	printf 'commit refs/heads/main\ncommitter C <c> %d +0000\ndata 0\n' $n
done | git fast-import --quiet
pidx-init >/dev/null
cp -a .git clean.git
cp -a .perun clean.perun
profiles 1000 46	# 46 resources make about 5 KB

# fresh [STORE] - prints a command that creates a repository with a copy of STORE,
# or else of the empty store, and makes `run` a link to it
fresh() {
	echo "rm -f run; d=\$(mktemp -d run.XXXXXX); cp -a clean.git \$d/.git
		cp -a ${1:-clean.perun} \$d/.perun; ln -s \$d run; sync"
}
eval "$(fresh)"
pidx-write -C run records >/dev/null
cp -a run/.perun filled.perun
mv "$(readlink run)" read && rm run
# An index of 10,000 entries, which all refer to one object
head -n 1 records | jq -c 'del(.minor_version)' >one
jq -c '.path = "new"' one >new
eval "$(fresh)"
jq -c 'range(1; 10000) as $i | .path = "p\($i)"' one |
	pidx-write -C run >/dev/null
cp -a run/.perun long.perun

git_add='git -c core.fsync=loose-object -c core.fsyncMethod=batch'
git_add="$git_add --git-dir run/.git --work-tree . add"
group '1,000 profiles of 5 KB'
floor 'git add, synced' "$git_add p" "$(fresh)"
row 'pidx-write, one commit' 'pidx-write -C run p/*.perf' "$(fresh)"
row 'pidx-write, each to another commit' 'pidx-write -C run records' \
	"$(fresh)"
floor 'git log' 'git -C read log'
row 'vcs-log | pidx-read' 'vcs-log -C read | pidx-read -C read'
row 'vcs-log | pidx-read --profiles' 'vcs-log -C read | pidx-read -p -C read'
floor 'git fsck' 'git --git-dir added/.git fsck' \
	"[ -e added ] || { $(fresh); $git_add p; cp -a run/. added; }"
row 'pidx-fsck' 'pidx-fsck -C read'
floor 'git add of a file, synced' "$git_add one" "$(fresh)"
row 'pidx-write, the 10,000th entry' 'pidx-write -C run new' \
	"$(fresh long.perun)"
row 'pidx-read of 10,000 entries' 'pidx-read -C run HEAD' \
	"$(fresh long.perun)"
end_group
profiles 1 50000
group "A profile of $(($(wc -c <p/0.perf) / 1000000)) MB"
floor 'git hash-object -w' 'git --git-dir run/.git hash-object -w p/0.perf' \
	"$(fresh)"
row 'pidx-write' 'pidx-write -C run p/0.perf' "$(fresh)"
end_group
cd "$data" || exit 2
rm -rf "$repo"

PYTHON_MEDIANS='
import json, statistics, sys
values = {}
for path in sys.argv[1:]:
    for line in open(path):
        r = json.loads(line)
        values.setdefault((r["uid"], path), []).append(r["value"])
for key in values:
    statistics.median(values[key])
'
# 200,000 samples of 100 keys on two sides, and a history of 3,000 commits
python3 - <<'END'
import json, random
rng = random.Random(1)

def sample(uid, amount, **more):
    return json.dumps({"type": "sample", "uid": f"f{uid}", "value": amount,
                       "unit": "us", **more}) + "\n"

for side in "old", "new":
    with open(side, "w") as f:
        for i in range(100000):
            f.write(sample(i % 100, rng.lognormvariate(10, 0.1)))
with open("history", "w") as f:
    for i in range(3000):
        version = f"{i:040x}"
        for uid in range(100):
            f.write(sample(uid, rng.lognormvariate(10, 0.1),
                           minor_version=version))
END
group 'Samples: 200,000 on two sides; 100 keys at 3,000 commits'
floor 'simdjson, two sides' 'cat old new | json-floor'
row 'perf-diff' 'perf-diff old new || [ $? -eq 1 ]'
peer 'python3, medians' "python3 -c '$PYTHON_MEDIANS' old new"
floor 'simdjson, history' 'json-floor <history'
row 'perf-diff -H' 'perf-diff -H --oldest-first history || [ $? -eq 1 ]'
peer 'python3, medians' "python3 -c '$PYTHON_MEDIANS' history"

# A range of 20,000 of 90,000 commits, a third of which have two parents
if [ ! -e commits ]; then
	git init -q commits.new
	for ((n = 1; n <= 90000; n++)); do
		printf 'commit refs/heads/main\nmark :%d\n' "$n"
		printf 'committer C <c> %d +0000\ndata 0\n' "$n"
		((n == 1)) || printf 'from :%d\n' $((n - 1))
		((n < 4 || n % 3 != 0)) || printf 'merge :%d\n' $((n - 3))
	done | git -C commits.new fast-import --quiet
	git -C commits.new commit-graph write --reachable --no-progress
	mv commits.new commits
fi
range="$(git -C commits rev-list --first-parent --skip 20000 -n 1 main)..main"
group 'A range of 20,000 commits, with a commit-graph'
floor 'git log' "git -C commits log $range"
row 'vcs-log' "vcs-log -C commits $range"
