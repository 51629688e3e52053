# Every option of ebb changes its result, where it should.
net=torus:5x4
crosswind ebb $net --trials 20 --format csv | columns -context >base.csv
cat base.csv
crosswind ebb $net --trials 20 --format csv --direction uni | columns -context >uni.csv
crosswind ebb $net --trials 20 --format csv --direction bi | columns -context >bi.csv
sed 1d bi.csv | cat uni.csv - >both.csv
same base.csv both.csv
crosswind ebb $net --trials 20 --format csv --tables | columns -context >changed.csv
same base.csv changed.csv
for options in '--trials 21' '--trials 20 --seed 2' '--trials 20 --routing dor:order=1x0' \
    '--trials 20 --routing minhop'; do
    crosswind ebb $net --format csv $options | columns -context >changed.csv
    echo "$options:"
    differ base.csv changed.csv
done
printf 'h0\nh1\nh7\nh13\n' >endpoints.txt
run crosswind ebb $net --trials 20 --format csv --endpoints endpoints.txt
run crosswind ebb crossbar:7 --trials 20
