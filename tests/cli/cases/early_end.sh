# Rows that were finished are never lost: not by a late error, not by Ctrl-C, not by a kill.
# The second ratio needs a path that the file does not have.
cat >some.paths <<EOF
h0 h1 1 : h0 s0 h1
h2 h3 1 : h2 s0 h3
h3 h2 1 : h3 s0 h2
EOF
late="crosswind noise crossbar:4 --paths some.paths --placement contiguous --ratio 0.5,0 --trials 2"
run $late --threads 1
run $late --threads 1 --format csv
run $late --threads 1 --format csv --output rows.csv
cat rows.csv
grep INCOMPLETE rows.csv-metadata.json
run $late --threads 1 --format json >late.json
grep -A 1 '"complete"' late.json
grep -c '"slowdown_mean": 1.0' late.json
# a file that cannot be written is found out before the work, and an old one is not touched by an error in the first row
run crosswind noise torus:40x40 --trials 1000000 --output missing/x.csv
echo "old" >old.csv
run crosswind noise crossbar:4 --paths some.paths --ratio 0 --trials 1 --format csv --output old.csv
cat old.csv

# 980 rows, a minute of them; whoever runs this in the background of a shell ignores Ctrl-C otherwise
long="env --default-signal=INT crosswind noise torus:12x12 --ratio 0.001..0.98:0.001 --trials 1000 --threads 2"
count()
{
    sed 's/has [1-9][0-9]* of 980 rows/has SOME of 980 rows/'
}
echo "# Ctrl-C after the first row"
mkfifo pipe
$long --format csv >pipe 2>errors &
pid=$!
{
    read -r header
    read -r first
    kill -INT $pid
    cat >rest
} <pipe
status=0
wait $pid || status=$?
printf '%s\n%s\n' "$header" "$first" | columns context,ratio
echo "exit status $status"
count <errors
{ echo "$header"; cat rest; } | awk -F, 'NR == 1 {n = NF} NF != n {bad++} END {print bad + 0, "bad rows"}'

echo "# Ctrl-C or SIGTERM, other formats; before the first row there is only a message"
interrupt()
{
    for delay in 0.2 0.4 0.8 1.6 3.2 6.4 12.8; do
        $long "$@" >out 2>errors &
        pid=$!
        sleep $delay
        kill -$signal $pid
        status=0
        wait $pid 2>/dev/null || status=$? # a busy machine has not begun: the shell says what ended it
        if [ -s out ]; then break; fi
    done
    echo "exit status $status"
    count <errors
}
signal=INT
interrupt --format json
count <out | grep -A 1 '"complete"'
signal=TERM
interrupt
count <out | grep INCOMPLETE

echo "# killed"
: >rows.csv
$long --format csv --output rows.csv &
pid=$!
while [ "$(wc -l <rows.csv)" -lt 3 ] && kill -0 $pid; do sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null || echo "exit status $?"
awk -F, 'END {print NF, (NR >= 3)}' rows.csv
