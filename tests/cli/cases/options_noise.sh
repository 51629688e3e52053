# Every option of noise changes its result, where it should.
try()
{
    how=$1
    shift
    echo "$*:"
    crosswind noise torus:5x5 --format csv "$@" >changed.csv
    $how base.csv changed.csv
}
crosswind noise torus:5x5 --format csv --ratio 0.4 --trials 10 >base.csv
sed 1d base.csv
try same --ratio 0.4 --trials 10 --schedule binomial-bcast --background derangement --perturbation constant
try same --ratio 0.4 --trials 10 --placement random --seed 1 --threads 3 --quiet --endpoints all --time unit
try same --ratio 0.4 --trials 10 --tables
try same --ratio 0.4 --trials 10 --engine dor
try differ --ratio 0.44 --trials 10
try differ --ratio 0.4 --trials 11
try differ --ratio 0.4 --trials 10 --seed 2
try differ --ratio 0.4 --trials 10 --schedule binomial-reduce
try differ --ratio 0.4 --trials 10 --background shift:2
try differ --ratio 0.4 --trials 10 --perturbation per-round
try differ --ratio 0.4 --trials 10 --placement contiguous
try differ --ratio 0.4 --trials 10 --serialise-sends
try differ --ratio 0.4 --trials 10 --engine dor:order=1x0
try differ --ratio 0.4 --trials 10 --engine minhop
try differ --ratio 0.4 --trials 10 --time loggp
# tables of another engine, and some of the endpoints, which keep the routes of the whole torus
crosswind route torus:5x5 --engine dor:order=1x0 --write other.lfts >/dev/null
crosswind noise torus:5x5 --format csv --ratio 0.4 --trials 10 --engine dor:order=1x0 >base.csv
try same --ratio 0.4 --trials 10 --lft other.lfts
for i in 0 1 2 3 7 8 11 13; do echo h$i; done >endpoints.txt
try differ --ratio 0.4 --trials 10 --endpoints endpoints.txt
sed 1d changed.csv
mv changed.csv base.csv
try same --ratio 0.4 --trials 10 --endpoints endpoints.txt --engine dor
try differ --ratio 0.4 --trials 10 --endpoints endpoints.txt --engine minhop
# LogGP
crosswind noise torus:5x5 --format csv --ratio 0.4 --trials 10 --time loggp >base.csv
try same --ratio 0.4 --trials 10 --time loggp --bytes 8B --L 1us --o 0.5us --G 0.2ns
try differ --ratio 0.4 --trials 10 --time loggp --bytes 1MiB
try differ --ratio 0.4 --trials 10 --time loggp --L 2us
try differ --ratio 0.4 --trials 10 --time loggp --o 2us
try differ --ratio 0.4 --trials 10 --time loggp --G 2ns
# rows do not depend on their company
crosswind noise torus:5x5 --trials 10 --format csv >all.csv
crosswind noise torus:5x5 --trials 10 --format csv --ratio 0.7 | tail -n 1 >one.csv
grep ',0\.7,10,' all.csv >row.csv
same one.csv row.csv
cut -d, -f4 all.csv | tr '\n' ' '
