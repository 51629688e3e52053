# What was finished survives kill -9, in every format, with --output and behind ">": CSV is FILE itself, of the other
# formats the rows are in FILE.unfinished.csv; an old FILE stays. A whole result leaves no such file behind.
#   killed ROWS WAYS ARGUMENTS    is killed when ROWS rows are there
killed()
{
    wanted=$1 ways=$2
    shift 2
    for format in csv json text; do
        for way in $ways; do
            rows=result.unfinished.csv
            [ $format != csv ] || rows=result
            rm -f result*
            if [ $way = output ]; then
                echo old >result
                crosswind "$@" --quiet --threads 1 --format $format --output result >printed &
            else
                crosswind "$@" --quiet --threads 1 --format $format >result &
            fi
            pid=$!
            until [ "$(cat $rows 2>/dev/null | wc -l)" -gt "$wanted" ]; do kill -0 $pid || break; sleep 0.02; done
            kill -KILL $pid
            status=0
            wait $pid 2>/dev/null || status=$?
            # Of a row that is being written the kernel may leave a part, up to where a page of the file ends.
            page_end=$(($(stat -c %s $rows) % $(getconf PAGESIZE) == 0))
            if [ $page_end = 1 ] && [ -n "$(tail -c 1 $rows)" ]; then sed -i '$d' $rows; fi
            # every row is whole, and those that the first run of all left begin what each other one left
            awk -F, 'NR == 1 {n = NF} NF != n {bad++} END {exit bad > 0 || NR < 2}' $rows && state=whole || state=BROKEN
            head -n $((wanted + 1)) $rows >some
            [ -f first ] || cp some first
            diff first some || state="$state, DIFFERENT"
            other=$([ $format = csv ] || cat result)
            echo "$1 $format $way: exit status $status, rows $state, result '$other'"
        done
    done
    rm first
}
killed 2 'output redirect' noise torus:12x12 --ratio 0.001..0.98:0.001 --trials 100
killed 2 output flit torus:4x4 --load 0.001..0.9:0.001 --cycles 5000
killed 2 output plan bgq:2048 --traffic 3 --method default,heuristic,optimum --k 20
echo "# a result that is whole"
rm -f result*
crosswind noise torus:4x4 --ratio 0.1,0.5 --trials 5 --format json >result
crosswind noise torus:4x4 --ratio 0.1,0.5 --trials 5 --output result2
ls result*

echo "# a connection that is lost ends the program as SIGTERM does, unless it is to be ignored"
for signal in TERM HUP; do
    env --default-signal=HUP crosswind noise torus:12x12 --ratio 0.001..0.98:0.001 --trials 100 --quiet --output result 2>errors &
    pid=$!
    until [ -s result.unfinished.csv ]; do kill -0 $pid && sleep 0.02 || break; done
    kill -$signal $pid
    status=0
    wait $pid || status=$?
    echo "exit status $status: $(cut -d';' -f1 errors), $(grep -c INCOMPLETE result) result that says so"
    ls result*
    rm result
done
nohup crosswind noise torus:12x12 --ratio 0.001..0.98:0.001 --trials 100 --quiet --output result 2>errors >printed &
pid=$!
rows()
{
    until [ "$(cat result.unfinished.csv 2>/dev/null | wc -l)" -gt "$1" ]; do kill -0 $pid && sleep 0.02 || break; done
}
rows 1
kill -HUP $pid
rows $(($(wc -l <result.unfinished.csv) + 50))
kill -KILL $pid && echo "went on"
