# Every option of congestion changes its result, where it should.
net=torus:4x4
run crosswind congestion $net --traffic shift:5 --top 3 --channels channels.csv
head -n 4 channels.csv
wc -l <channels.csv
columns congestion <channels.csv | awk 'NR > 1 {sum += $1} END {print "messages times hops:", sum}'
crosswind congestion $net --trials 20 --format csv | columns -context >base.csv
cat base.csv
for options in '--trials 21' '--trials 20 --traffic derangement' '--trials 20 --placement random' \
    '--trials 20 --ranks 15' '--trials 20 --seed 2' '--trials 20 --routing dor:order=1x0' \
    '--trials 20 --routing minhop'; do
    crosswind congestion $net --format csv $options | columns -context >changed.csv
    echo "$options:"
    differ base.csv changed.csv
done
crosswind congestion $net --trials 20 --format csv --tables --ranks 16 --top 2 | columns -context >changed.csv
same base.csv changed.csv
crosswind congestion $net --format csv | columns trials | tail -n 1
crosswind congestion $net --traffic bitcomp --format csv | columns trials | tail -n 1
crosswind congestion $net --traffic bitcomp --placement random --format csv | columns trials | tail -n 1
run crosswind congestion $net --traffic bitcomp --top 0
printf '0 1 100\n2 1 5\n' >matrix.txt
run crosswind congestion $net --traffic matrix:matrix.txt --format csv
printf 'h5\nh1\nh4\n' >places.txt
run crosswind congestion $net --traffic incast --placement file:places.txt --ranks 3 --top 2
echo "# bytes count where they differ"
printf '0 1 1GiB\n2 1 1\n' >matrix.txt
run crosswind congestion crossbar:4 --traffic matrix:matrix.txt --top 2 --channels channels.csv
columns tail,head,bytes_max,time,bytes <channels.csv
printf '0 1 1GiB\n2 1 1GiB\n' >matrix.txt
crosswind congestion crossbar:4 --traffic matrix:matrix.txt --format csv | columns -context
