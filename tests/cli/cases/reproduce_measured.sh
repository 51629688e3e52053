# Figure 7 of split-tree, of what was measured: two MPIs from few ranks to all, one with progress threads in a run of its own.
measure()
{
    echo mpi,processors,operation,bytes,beside,ranks,cores,method,repetition,pure,compute,total,init,overlap_imb,overlap_osu
    for ranks in 2 3 4; do
        for repetition in 0 1 2; do
            for method in "$@"; do
                time=$(echo "$method $ranks" | awk '{ print ($1 == "auto" ? 1 : $1 == "native" ? 2 : 3) * (5 - $2) / 1000 + ($1 == "auto" && $2 == 4) * 0.005 }')
                echo "$mpi,4,reduce,2097152,cpu,$ranks,$((4 - ranks)),$method,$repetition,0.001,0.001,$time,1e-05,90,90"
            done
        done
    done
}
mpi='Open MPI v4.1.4' && measure native auto >openmpi.csv
mpi='MPICH 4.0.2' && measure native auto >mpich.csv && measure native-async >async.csv
run crosswind reproduce split-tree --figures 7 --runs openmpi.csv,mpich.csv,async.csv --directory out
ls out
head -4 out/split-tree-fig7.csv
grep -c native-async out/split-tree-fig7-reduce-2097152-cpu-mpich-4-0-2-4-processors.svg
sed 's/,4,reduce/,8,reduce/' mpich.csv >larger.csv
crosswind reproduce split-tree --figures 7 --runs mpich.csv,larger.csv --directory machines >machines.txt
ls machines/*.svg # a picture for each machine
run crosswind reproduce split-tree --figures 7
run crosswind reproduce split-tree --figures 2 --runs mpich.csv
run crosswind reproduce noise --runs mpich.csv
cp "$GOLDEN"/bench/noise.csv* "$GOLDEN"/bench/again.csv* .
run crosswind reproduce split-tree --runs noise.csv --figures 7
cp mpich.csv odd.csv && sed -i '1s/mpi,/mpis,/' odd.csv
run crosswind reproduce all --sizes quick --runs "mpich.csv,odd.csv"
echo "# figures 3 to 6 of noise"
run crosswind reproduce noise --figures 3,5
run crosswind reproduce noise --figures 11 --runs noise.csv
crosswind reproduce noise --figures 3,4,5,6 --runs noise.csv,again.csv --directory noise | sed '/^Written/,$d'
ls noise
cut -d, -f1-5,8-13 noise/noise-fig4.csv
