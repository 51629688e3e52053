# Every experiment, whole: its files, and whether the claims hold. The numbers are for tests/oracle to check.
command -v gnuplot >/dev/null || skip "gnuplot is not installed"
show()
{
    run crosswind reproduce $1 $2 --directory "$1" >"$1.txt" 2>&1
    head -1 "$1.txt"
    grep 'exit status' "$1.txt"
    ls "$1"
    columns figure,holds <"$1/$1-claims.csv"
}
mkdir -p all/noise/noise-fig1.svg # a picture that cannot be written
run crosswind reproduce all --sizes quick --trials 10 --directory all --format csv --output all.csv --quiet
run crosswind reproduce all --sizes quick --figures 7
for experiment in noise dragonfly-fig3 optiq split-tree; do
    ls all/$experiment
    columns experiment,figure,holds <all.csv | grep "^$experiment,"
    columns figure,holds,found <all/$experiment/$experiment-claims.csv | tail -n +2 >own.csv
    grep -E "^(experiment|seed|.*$experiment)," all.csv | columns figure,holds,found | tail -n +2 >of_all.csv
    same own.csv of_all.csv
done
grep -E "figure 1 has failed|claims:|have measured" all.csv-metadata.json

echo "# a late picture cannot be written: all that was computed is there"
mkdir -p dragonfly-fig3/dragonfly-fig3e.svg optiq/optiq-destinations.svg
show dragonfly-fig3 "--sizes quick --figures 3d,3e,3f --format csv --output dragonfly-fig3.csv"
grep crosswind: dragonfly-fig3.txt
show optiq "--sizes quick --figures fixed,destinations,distance --format csv --output optiq.csv"
grep crosswind: optiq.txt
wc -l dragonfly-fig3.csv dragonfly-fig3/*.csv optiq.csv optiq/*.csv

echo "# what there is"
run crosswind reproduce
run crosswind reproduce dragonfly-fig4
run crosswind help experiments
for figures in 6 3a,4 '' 3a,; do run crosswind reproduce dragonfly-fig3 --figures "$figures"; done
run crosswind reproduce optiq --figures pattern
run crosswind reproduce optiq --trials 10
