# Replays of explicit cases: figures that agree, figures that do not, and the case's network or another.
# (Messages and channels one by one are in noise_trials.sh.)
figures()
{
    printf '$ crosswind noise %s\n' "$*"
    crosswind noise "$@" --format csv >figures.csv || status=" [exit status $?]"
    sed '/,level,src,/,$d' figures.csv
    echo "$status"
    status=
}
cp "$GOLDEN/noise/torus-6x6.txt" "$GOLDEN/noise/xgft-parallel.txt" "$GOLDEN/noise/xgft-uneven.txt" .
run crosswind noise --trial torus-6x6.txt
figures --trial xgft-parallel.txt
figures --trial xgft-uneven.txt
figures --trial xgft-uneven.txt --tables
crosswind noise --trial torus-6x6.txt --format csv >file.csv
crosswind noise --trial - --format csv <torus-6x6.txt >input.csv
same file.csv input.csv
sed 's/^level 3 4 4/level 3 4 5/; s/^time 4 5/time 4 6/' torus-6x6.txt >wrong.txt
run crosswind noise --trial wrong.txt | tail -n 12
grep -v '^net' torus-6x6.txt >elsewhere.txt
run crosswind noise --trial elsewhere.txt
figures torus:6x6 --trial elsewhere.txt
figures torus:9x4 --trial elsewhere.txt
# without expected figures, another schedule, and time in seconds
grep -v '^level\|^time\|^bisect\|^perturbation' torus-6x6.txt >bare.txt
figures --trial bare.txt --schedule ring-reduce-scatter
figures --trial bare.txt --time loggp --bytes 1MiB
figures --trial bare.txt --sends in-order
figures --trial bare.txt --routing minhop
grep '^net\|^app\|^bisect' torus-6x6.txt >bisection.txt
run crosswind noise --trial bisection.txt | tail -n 12
printf 'net torus 4 2\napp 1 3\n' >alone.txt
run crosswind noise --trial alone.txt
