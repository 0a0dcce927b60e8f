# Writes the squares that square.c looks up; slowly, as generators are.
sleep 0.3
echo 'static const int squares[] = {'
i=0
while [ "$i" -lt 100 ]; do
	echo "$((i * i)),"
	i=$((i + 1))
done
echo '};'
