# execlog-parse-bazel-graph.bats - tests how Bazel's execution graph log is read

load helper
load oracle

# A second reader, which also writes logs; see its beginning.
ORACLE=$TEST/oracles/bazel-graph.py
GOLDEN=$DATA/execlog-parse/bazel-graph

# read_log STATUS FIELD... - reads a log of these fields, in which ";" ends a
# node, and expects the exit status.  2 is the index, 1 the description, 5 the
# metrics with start (1) and duration (2) in ms, 6 dependencies, 9 retry_of.
read_log() {
	local status=$1
	shift
	python3 "$ORACLE" text "$@" >log &&
		run "-$status" --separate-stderr execlog-parse \
			--format bazel-graph log
}

# tasks FILTER - found, for the tasks only
tasks() {
	found "select(.type == \"task\") | $1"
}

# Records

@test "a log with every field becomes the golden records" {
	run -0 --separate-stderr execlog-parse "$GOLDEN.in"
	assert_output "$(cat "$GOLDEN.out")"
	assert_equal "$stderr" ''
	assert_equal "$(python3 "$ORACLE" records "$GOLDEN.in")" "$output"
}

@test "random logs give the records of a second implementation" {
	agree random 30
}

# node INDEX TARGET START DURATION RUNNER DEPS - prints words as for read_log;
# START and DURATION are in ms
node() {
	lines ";" "1='making $2'" "2=$1" "3='//tea:$2'" "4='Genrule'" \
		"5={1=$((1790000000000 + $3)),2=$4,7=$4}" "7='$5'" "6=[$6]"
}

# In ms: leaf 1500, water 700, pot 2400, tray 600, and beside them stamp 100 and
# label 2800, which are not remote
@test "a log of seven nodes has the path, drags and groups found by hand" {
	mapfile -t words < <(lines "1='stamp'" "5={1=1790000000001,2=100}"
		node 6 tray 3950 600 remote 3,4,5
		node 3 pot 1510 2400 remote 1,2
		node 1 leaf 5 1500 remote '' && node 2 water 7 700 remote ''
		node 4 cup 720 900 remote 2
		node 5 label 104 2800 linux-sandbox 0)
	python3 "$ORACLE" text "${words[@]}" >raw
	zstd -qc raw >log
	execlog-parse log >records
	diff <(python3 "$ORACLE" records raw) <(records <records)
	assert_equal "$(python3 "$ORACLE" path raw)" 4500000
	run -0 critpath --by target --by host records
	assert_equal "$(found 'select(.type == "critpath") | .length_us')" \
		4500000
	# Without leaf, water takes its place; without pot, label is longest.
	assert_equal "$(found 'select(.type == "critical") |
		[.id, .potential_us]')" \
		$'["1",800000]\n["3",1000000]\n["6",600000]'
	assert_equal "$(found 'select(.type == "group" and .potential_us > 0) |
		[.value, .tasks, .work_us, .path_us, .potential_us]')" \
		'["//tea:pot",1,2400000,2400000,1000000]
["//tea:leaf",1,1500000,1500000,800000]
["//tea:tray",1,600000,600000,600000]
["remote",5,6100000,4500000,1600000]'
	# 100 + 2800 ms remain.
	run -0 critpath --drop host=remote records
	assert_equal "$(found 'select(.type == "critpath") | .saved_us')" \
		1600000
}

@test "the length of the path of the sample is that of a second computation" {
	run -0 critpath <(execlog-parse "$GOLDEN.in")
	assert_equal "$(found 'select(.type == "critpath") | .length_us')" \
		"$(python3 "$ORACLE" path "$GOLDEN.in")"
}

@test "the name is the description, else the target, else the mnemonic" {
	read_log 0 "2=1" "1='d'" "3='t'" "4='m'" ";" "2=2" "3='t'" "4='m'" \
		";" "2=3" "4='m'" ";" "2=4"
	assert_equal "$(tasks .name)" $'"d"\n"t"\n"m"\nnull'
}

@test "a node without metrics or duration took no time" {
	read_log 0 "2=1" ";" "2=2" "5={1=1000000000000}" ";" "2=3" "5={}"
	assert_equal "$(tasks '[.start_us, .end_us, .elapsed_us]')" \
		$'[null,null,0]\n[1000000000000000,1000000000000000,0]\n[null,null,0]'
}

@test "a start of 0 is unknown, but the duration is known" {
	read_log 0 "2=1" "5={1=0,2=7}" ";" "2=2" "5={2=8}"
	assert_equal "$(tasks '[.start_us, .end_us, .elapsed_us]')" \
		$'[null,null,7000]\n[null,null,8000]'
	assert_equal "$(found 'select(.type == "build")')" ''
}

@test "a negative duration is kept, and does not extend the build" {
	read_log 0 "2=1" "5={1=1000000000000,2=-5}"
	assert_equal "$(tasks '[.start_us, .end_us, .elapsed_us]')" \
		'[1000000000000000,999999999995000,-5000]'
	assert_equal "$(found 'select(.type == "build") | [.start_us, .wall_us]')" \
		'[1000000000000000,0]'
}

@test "a retry depends on the attempt before, also on node 0" {
	read_log 0 "1='a'" ";" "2=1" "9=0" "6=[3]" ";" "2=2" "9=1" "6=[1]" \
		";" "2=3"
	assert_equal "$(tasks .deps)" $'null\n["3","0"]\n["1"]\nnull'
}

@test "dependencies are read packed, unpacked and mixed" {
	read_log 0 "2=9" "6=[0,300]" ";" "2=8" "6=0" "6=300" ";" \
		"2=7" "6=1" "6=[0,300]" "6=2" ";" "2=6" "6=[]"
	assert_equal "$(tasks '.deps // []')" \
		$'["0","300"]\n["0","300"]\n["1","0","300","2"]\n[]'
}

@test "a task from a cache is one whose runner says so" {
	read_log 0 "2=1" "7='remote cache hit'" ";" "2=2" "7='disk cache hit'" \
		";" "2=3" "7='remote'" ";" "2=4"
	assert_equal "$(tasks .from_cache)" $'true\ntrue\nnull\nnull'
}

@test "phases that took time are in parts_us" {
	read_log 0 "2=1" "5={10=3,7=0,4=-1,9=2,12={1=2,2=3},15=4}"
	assert_equal "$(tasks .parts_us)" '{"process_outputs":2000,"queue":3000}'
}

@test "nodes may have any order, and depend on nodes that come later" {
	shuffled 10 'python3 -c "
import sys
for line in sys.stdin: sys.stdout.buffer.write(bytes.fromhex(line))" |
		execlog-parse --format bazel-graph | critpath' \
		<(python3 - "$GOLDEN.in" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		while data:
		    n, start = data[0], 1
		    if n > 127:
		        n, start = n - 128 + (data[1] << 7), 2
		    print(data[:start + n].hex())
		    data = data[start + n:]
		END
		)
}

@test "a log without indexes is reported, and its nodes are not merged" {
	read_log 0 "1='a'" "5={1=1000000000000,2=1}" ";" "1='b'" ";" "1='a'" \
		"9=0"
	assert_equal "$(tasks '[.id, .name, .deps]')" \
		$'["0","a",null]\n["1","b",null]\n["2","a",null]'
	[[ $stderr == *"no dependencies"*log_dep_type=all* ]]
	# A node with an index does not belong to such a log.
	read_log 1 "1='a'" ";" "1='b'" ";" "2=1"
	assert_equal "$(tasks .id)" $'"0"\n"1"'
	[[ $stderr == *"log:3: "* ]]
}

@test "one node without an index is node 0" {
	for log in "1='a'" "1='a' ; 2=1 6=0" "2=1 6=0 ; 1='a'"; do
		read_log 0 $log
		assert_equal "$(tasks 'select(.name == "a") | .id')" '"0"'
		assert_equal "$stderr" ''
	done
}

# Bad input

@test "an index that occurs twice is rejected" {
	read_log 1 "2=5" "1='a'" ";" "2=7" ";" "2=5" "1='b'" ";" "2=8"
	assert_equal "$(tasks .id)" $'"5"\n"7"\n"8"'
	[[ $stderr == *"log:3: the index 5 is that of an earlier node"* ]]
	read_log 1 "2=5" ";" "1='a'" ";" "1='b'"
	assert_equal "$(tasks .id)" $'"5"\n"0"'
	read_log 1 "2=2147483647" ";" "2=2147483647" ";" "2=-1" ";" "2=4294967296"
	assert_equal "$(tasks .id)" '"2147483647"'
}

# framed HEX... - prints messages, each after its length
framed() {
	python3 -c 'import sys
for message in map(bytes.fromhex, sys.argv[1:]):
    sys.stdout.buffer.write(bytes([len(message)]) + message)' "$@"
}

# rejects FAULT... - checks that these messages are rejected, each between two nodes
# of a file of its own; more than ten would not be reported one by one
rejects() {
	python3 - "$@" <<-'END'
		import sys
		for i, fault in enumerate(sys.argv[1:]):
		    with open(fault, "wb") as log:
		        for message in (bytes([16, 2 * i + 1]), bytes.fromhex(fault),
		                bytes([16, 2 * i + 2])):
		            log.write(bytes([len(message)]) + message)
	END
	run -1 --separate-stderr execlog-parse --format bazel-graph \
		--rejects rejected "$@"
	assert_equal "$(tasks .id)" "$(seq -f '"%.0f"' 1 $(($# * 2)))" &&
		assert_equal "$(cut -d ' ' -f 1,2 <<<"$stderr")" \
			"$(printf 'execlog-parse: %s:2:\n' "$@")" &&
		cmp rejected <(framed "$@")
}

@test "a faulty message is rejected, named by its number, and kept" {
	# Wire types 3, 4, 6 and 7; field 0; a text, a packed list and metrics
	# beyond their message; a number of 11 bytes
	rejects 0b 0c 0e 0f 0000 0a05 0aff 320180 2a020880 \
		60ffffffffffffffffffff01
	# Known fields of another wire type; a text that is not UTF-8; a start
	# before 1970
	rejects 10 1200 0801 2801 4a00 31 2a020a00 0a01ff \
		2a0b08ffffffffffffffffff01
}

@test "an empty message is bad input, which an archive of 9 kB has 10^8 of" {
	framed 1001 '' '' 1003 >log
	run -1 --separate-stderr execlog-parse -f bazel-graph --rejects bad log
	assert_equal "$(tasks .id)" $'"1"\n"3"'
	[[ $stderr == *"log:2: the message is empty"*":3: the message is empty" ]]
	cmp bad <(head -c 2 /dev/zero)
}

@test "a file that ends within its first message of 1 MB is recognized" {
	# The whole message would have 2^24 - 1 bytes.
	{ printf '\xff\xff\xff\x07\n' && yes $'\x01a' | head -c 999998; } >log
	run -1 --separate-stderr execlog-parse log
	[[ $stderr == *"log:1: the file ends within a message"* ]]
}

@test "a message longer than --max-record ends the file" {
	{ framed 1001 && printf '\xff\xff\xff\xff\x0f...' ; } >log
	run -1 --separate-stderr execlog-parse -f bazel-graph --rejects bad log
	assert_equal "$(tasks .id)" '"1"'
	[[ $stderr == *"log:2: "*--max-record* ]]
	cmp bad <(tail -c +4 log)
}

# A Python script that cuts a log, its argument, at each STEP-th byte, and at the end
# of each message and one byte before and after it; and compares with the whole
# messages before the cut.
CUTS='
import subprocess, sys

log, step = open(sys.argv[1], "rb").read(), int(sys.argv[2])
ends, at = {0}, 0
while at < len(log):
    n, size = log[at], 1
    if n > 127:
        n, size = (n & 127) + (log[at + 1] << 7), 2
    at += size + n
    ends.add(at)
near = {end + i for end in ends for i in (-1, 0, 1)}
for n in sorted(near.union(range(0, len(log), step)) & set(range(len(log)))):
    for options in ["-f", "bazel-graph"], []:
        run = subprocess.run(["execlog-parse", *options], input=log[:n],
                             capture_output=True)
        tasks = run.stdout.count(b"\"type\":\"task\"")
        if options:
            whole = sum(end <= n for end in ends) - 1
            want = 0 if n in ends else 1, whole
            if (run.returncode, tasks) != want:
                sys.exit(f"{n} bytes: {run.returncode}, {tasks}, not {want}")
            if n not in ends and b"within a message" not in run.stderr:
                sys.exit(f"{n} bytes: {run.stderr}")
        elif run.returncode not in (0, 1):
            sys.exit(f"{n} bytes: status {run.returncode}")
'

@test "of a truncated log the whole messages are read" {
	python3 -c "$CUTS" "$GOLDEN.in" "$(stride 17)"
}

# bats test_tags=exhaustive
@test "of a log truncated at any byte the whole messages are read" {
	python3 -c "$CUTS" "$GOLDEN.in" "$(stride 1)"
}

@test "a truncated zstd stream gives what is whole, and both faults are named" {
	head -c -20 "$DATA/demo/execution_graph_dump.proto.zst" >log
	run -1 --separate-stderr execlog-parse --format bazel-graph log
	[[ $stderr == *"zstd stream is truncated"* ]]
	"$BUILD/test/gen/builds" bazel-graph 3000000 | zstd -q | head -c 60000 >log
	run -1 --separate-stderr execlog-parse log
	[[ $stderr == *"the file ends within a message"* ]]
	[[ $stderr == *"zstd stream is truncated"* ]]
	[ "$(tasks .id | wc -l)" -gt 10 ]
}

@test "random bytes are never fatal, and never crash the reader" {
	local seed
	seed=$(seed)
	python3 -c 'import random, sys
rng = random.Random(int(sys.argv[1]))
for i in range(40):
    with open(f"noise{i}", "wb") as f:
        f.write(rng.randbytes(rng.choice([1, 2, 10, 300])))' "$seed"
	for log in noise*; do
		for options in '' '--format=bazel-graph'; do
			execlog-parse $options $log >out 2>&1 || [ $? -eq 1 ]
		done
	done
}

# Detection and input

@test "the raw, zstd and gzip log are recognized, in pieces and as a file" {
	cp "$GOLDEN.in" raw
	zstd -qc raw >zstd
	gzip -c raw >gzip
	for log in raw zstd gzip; do
		run -0 execlog-parse $log
		assert_output "$(cat "$GOLDEN.out")"
		run -0 execlog-parse <$log
		assert_output "$(cat "$GOLDEN.out")"
		in_pieces 1 9 <$log | execlog-parse | records |
			diff "$GOLDEN.out" -
	done
}

@test "a first message whose length is a white-space character is recognized" {
	local n
	for n in 9 10 11 12 13 32; do
		# 2 bytes and the text, and 4 bytes of metrics
		python3 "$ORACLE" text "1='$(printf "%$((n - 6))s" x)'" \
			"5={2=5}" ";" "1='b'" "2=1" >log
		assert_equal "$(head -c 1 log | od -An -tu1 | tr -d ' ')" $n
		run -0 --separate-stderr execlog-parse log
		assert_equal "$(tasks .id)" $'"0"\n"1"'
	done
}

@test "text is not taken for a log of Bazel" {
	agree lookalikes 50
}

@test "text is rejected as a whole if --format says that it is a log of Bazel" {
	# A part of it would be a message without faults.
	run -1 --separate-stderr execlog-parse -f bazel-graph --rejects bad \
		"$DATA/demo/local.json"
	assert_equal "$(tasks .id)" ''
	[[ $stderr == *"local.json:1: the file is text, and not Bazel's "* ]]
	cmp bad "$DATA/demo/local.json"
	# Larger than a buffer, with characters above ASCII; and another file.
	yes '{"имя": "значение"}' | head -n 20000 >text
	framed 1001 >log
	run -1 --separate-stderr execlog-parse -f bazel-graph text log
	assert_equal "$(tasks .id)" '"1"'
	[[ $stderr == *"text:1: the file is text, and not Bazel's "* ]]
}

@test "a log of another format is recognized before more of it arrives" {
	mkfifo pipe
	execlog-parse --line-buffered <pipe >out 2>err 3>&- &
	exec 4>pipe
	printf '10 finished_from_cache u h OK 1\n' >&4
	wait_until grep -q '"task"' out
	exec 4>&-
	wait
}

@test "an empty log has no tasks" {
	: >log
	run -0 --separate-stderr execlog-parse --format bazel-graph log
	assert_output ''
	[[ $stderr == *"no task came"* ]]
}

@test "several files are read as one log" {
	framed 1001 1002 >a
	framed 1003 1001 >b
	run -1 --separate-stderr execlog-parse -f bazel-graph a b
	assert_equal "$(tasks .id)" $'"1"\n"2"\n"3"'
	[[ $stderr == *"b:2: the index 1 "* ]]
}
