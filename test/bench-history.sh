# bench-history.sh - the part of bench.sh for perf-diff, and for ranges of
# vcs-log in a repository with a commit-graph

# A million samples of 100 keys on two sides, and a history of 10,000 commits.
python3 - <<'END'
import json, random
rng = random.Random(1)

def sample(uid, amount, **more):
    return json.dumps({"type": "sample", "uid": f"f{uid}", "value": amount,
                       "unit": "us", **more}) + "\n"

for side in "old", "new":
    with open(side, "w") as f:
        for i in range(500000):
            f.write(sample(i % 100, rng.lognormvariate(10, 0.1)))
with open("history", "w") as f:
    for i in range(10000):
        version = f"{i:040x}"
        for uid in range(100):
            f.write(sample(uid, rng.lognormvariate(10, 0.1),
                           minor_version=version))
END

# diff_row NAME LIMIT ARGUMENT... - prints the CPU seconds of perf-diff, which
# exits with 1 if it finds a change
diff_row() {
	printf '%-42s %8.2f s, at most %s\n' "$1" \
		"$(cpu 3 "perf-diff ${*:3} >/dev/null || [ \$? -eq 1 ]")" "$2"
}
printf '\n'
diff_row 'perf-diff, 1,000,000 samples' 1 old new
diff_row 'perf-diff -H, 10,000 commits, 100 keys' 5 -H history
rm old new history

# A range of 20,000 of 90,000 commits, a third of which have two parents.
rm -rf commits
git init -q commits
for ((n = 1; n <= 90000; n++)); do
	printf 'commit refs/heads/main\nmark :%d\n' "$n"
	printf 'committer C <c> %d +0000\ndata 0\n' "$n"
	((n == 1)) || printf 'from :%d\n' $((n - 1))
	((n < 4 || n % 3 != 0)) || printf 'merge :%d\n' $((n - 3))
done | git -C commits fast-import --quiet
git -C commits commit-graph write --reachable --no-progress
range="$(git -C commits rev-list --first-parent --skip 20000 -n 1 main)..main"
print_ratio "vcs-log, a range with a commit-graph" 1 \
	"vcs-log -C commits $range >/dev/null" \
	"git -C commits log $range >/dev/null"
rm -rf commits
