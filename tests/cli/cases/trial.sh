# Replays of explicit cases: figures that agree, figures that do not, and the case's network or another.
cp "$GOLDEN/noise/torus-6x6.txt" "$GOLDEN/noise/xgft-parallel.txt" "$GOLDEN/noise/xgft-uneven.txt" .
run crosswind noise --trial torus-6x6.txt
run crosswind noise --trial xgft-parallel.txt --format csv
run crosswind noise --trial xgft-uneven.txt --format csv
run crosswind noise --trial xgft-uneven.txt --format csv --tables
crosswind noise --trial torus-6x6.txt --format csv >file.csv
crosswind noise --trial - --format csv <torus-6x6.txt >input.csv
same file.csv input.csv
sed 's/^level 3 4 4/level 3 4 5/; s/^time 4 5/time 4 6/' torus-6x6.txt >wrong.txt
run crosswind noise --trial wrong.txt
grep -v '^net' torus-6x6.txt >elsewhere.txt
run crosswind noise --trial elsewhere.txt
run crosswind noise torus:6x6 --trial elsewhere.txt --format csv
run crosswind noise torus:9x4 --trial elsewhere.txt --format csv
# without expected figures, another schedule, and time in seconds
grep -v '^level\|^time\|^bisect\|^perturbation' torus-6x6.txt >bare.txt
run crosswind noise --trial bare.txt --schedule ring-reduce-scatter --format csv
run crosswind noise --trial bare.txt --time loggp --bytes 1MiB --format csv
run crosswind noise --trial bare.txt --serialise-sends --format csv
run crosswind noise --trial bare.txt --engine minhop --format csv
grep '^net\|^app\|^bisect' torus-6x6.txt >bisection.txt
run crosswind noise --trial bisection.txt
printf 'net torus 4 2\napp 1 3\n' >alone.txt
run crosswind noise --trial alone.txt
