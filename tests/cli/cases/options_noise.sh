# Every option of noise changes its result, where it should.
figures()
{
    columns -context
}
try()
{
    how=$1
    shift
    echo "$*:"
    crosswind noise torus:5x5 --format csv "$@" | figures >changed.csv
    $how base.csv changed.csv
}
crosswind noise torus:5x5 --format csv --ratio 0.4 --trials 10 | figures >base.csv
sed 1d base.csv
try same --ratio 0.4 --trials 10 --schedule binomial-bcast --background derangement --perturbation constant
try same --ratio 0.4 --trials 10 --placement random --seed 1 --threads 3 --quiet --endpoints all --time unit
try same --ratio 0.4 --trials 10 --tables
try same --ratio 0.4 --trials 10 --routing dor
try differ --ratio 0.44 --trials 10
try differ --ratio 0.4 --trials 11
try differ --ratio 0.4 --trials 10 --seed 2
try differ --ratio 0.4 --trials 10 --schedule binomial-reduce
try differ --ratio 0.4 --trials 10 --background shift:2
try differ --ratio 0.4 --trials 10 --perturbation per-round
try differ --ratio 0.4 --trials 10 --placement contiguous
try differ --ratio 0.4 --trials 10 --sends in-order
try differ --ratio 0.4 --trials 10 --routing dor:order=1x0
try differ --ratio 0.4 --trials 10 --routing minhop
try differ --ratio 0.4 --trials 10 --time loggp
# tables of another engine, and some of the endpoints, which keep the routes of the whole torus
crosswind route torus:5x5 --routing dor:order=1x0 --write other.lfts >/dev/null
crosswind noise torus:5x5 --format csv --ratio 0.4 --trials 10 --routing dor:order=1x0 | figures >base.csv
try same --ratio 0.4 --trials 10 --lft other.lfts
for i in 0 1 2 3 7 8 11 13; do echo h$i; done >endpoints.txt
try differ --ratio 0.4 --trials 10 --endpoints endpoints.txt
sed 1d changed.csv
mv changed.csv base.csv
try same --ratio 0.4 --trials 10 --endpoints endpoints.txt --routing dor
try differ --ratio 0.4 --trials 10 --endpoints endpoints.txt --routing minhop
# LogGP: what is not said comes from the channels, 40 Gbit/s and 100 ns here
crosswind noise torus:5x5 --format csv --ratio 0.4 --trials 10 --time loggp | figures >base.csv
try same --ratio 0.4 --trials 10 --bytes 8B
try same --ratio 0.4 --trials 10 --o 1us
try same --ratio 0.4 --trials 10 --G 0.2ns
try same --ratio 0.4 --trials 10 --G 40Gbit/s
try same --ratio 0.4 --trials 10 --time loggp --bytes 8B --o 1us
try differ --ratio 0.4 --trials 10 --bytes 1MiB
try differ --ratio 0.4 --trials 10 --L 2us
try differ --ratio 0.4 --trials 10 --o 2us
try differ --ratio 0.4 --trials 10 --G 100Gbit/s
# the network's own latency and speed, and the same stated: on a crossbar every way has two channels
run crosswind noise crossbar:8@400Gbit/s,50ns --ratio 0.5 --trials 10 --bytes 8B,1MiB --format csv
crosswind noise crossbar:8@400Gbit/s,50ns --ratio 0.5 --trials 10 --bytes 1MiB --format csv | figures >base.csv
crosswind noise crossbar:8 --ratio 0.5 --trials 10 --bytes 1MiB --L 100ns --G 400Gbit/s --format csv | figures >changed.csv
same base.csv changed.csv
run crosswind noise torus:5x5 --ratio 0.4 --trials 10 --bytes 8B,4KiB,1MiB
run crosswind noise torus:5x5 --ratio 0.4 --trials 10 --time unit --bytes 8B
run crosswind noise torus:5x5 --ratio 0.4 --trials 10 --time unit --L 1us
run crosswind noise torus:5x5 --ratio 0.4 --schedule barrier --bytes 8B
run crosswind noise torus:5x5 --ratio 0.4 --schedule alltoall --bytes 1EiB
run crosswind noise torus:5x5 --ratio 0.4 --G 0.2
run crosswind noise torus:5x5 --ratio 0.4 --G 0.2s
run crosswind noise torus:5x5 --ratio 0.4 --G 0bit/s
# rows do not depend on their company
crosswind noise torus:5x5 --trials 10 --format csv >all.csv
crosswind noise torus:5x5 --trials 10 --format csv --ratio 0.7 | tail -n 1 >one.csv
grep ',0\.7,,10,' all.csv >row.csv
same one.csv row.csv
columns ratio <all.csv | tr '\n' ' '
echo
echo "# by flows"
run crosswind noise xgft:2:4,4:1,1 --ratio 0.5 --bytes 64KiB --trials 20 --model flows
run crosswind noise torus:4x4 --model flows --time unit
run crosswind noise torus:4x4 --model flows --perturbation per-round
