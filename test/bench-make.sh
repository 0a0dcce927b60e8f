# bench-make.sh - what make-record costs for each recipe line, as a part of
# bench.sh, whose functions it uses
#
# The recipe lines do nothing: make itself runs one kind, and a shell the other.

lines=2000
unset MAKEFLAGS MAKELEVEL MFLAGS
printf '\n%s recipe lines of one target\n' $lines
printf '%-42s %10s %10s %10s %7s\n' '' 'make' 'recorded' 'added' 'ratio'
for line in 'true' ': in a shell'; do
	(echo all: && seq $lines | sed "s/.*/\t@$line/") >trivial.mk
	plain=1e9 recorded=1e9
	for _ in {1..5}; do
		plain=$(jq -n "[$plain, $(cpu 1 'make -f trivial.mk')] | min")
		recorded=$(jq -n "[$recorded, $(cpu 1 \
			'make-record -o make.rec make -f trivial.mk')] | min")
	done
	# Milliseconds for each line
	jq -rn "[$plain, $recorded, $recorded - $plain | . * 1000 / $lines] |
		. + [.[1] / .[0]] | .[]" | xargs printf \
		'%-42s %7.3f ms %7.3f ms %7.3f ms %7.2f\n' "a line '$line'"
done
