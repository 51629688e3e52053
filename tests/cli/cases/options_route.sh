# Every option of route, and what comes of tables that are written and read again.
run crosswind route torus:4x4 --routing dor:lanes=1
run crosswind route xgft:2:4,4:1,4
run crosswind route xgft:2:4,4:1,4 --from h0 --to h5
run crosswind route xgft:2:4,4:1,4 --from h0 --to h5 --routing smodk
run crosswind route xgft:2:4,4:1,4 --from h0 --to h0
run crosswind route dragonfly:2,4,2 --from h0 --to h60
seq -f h%g 0 299 >some.txt
crosswind route xgft:2:20,20:1,10 --routing smodk --endpoints some.txt --format csv | columns -context >base.csv
crosswind route xgft:2:20,20:1,10 --routing smodk --endpoints some.txt --format csv --max-pairs 1000 | columns -context >changed.csv
differ base.csv changed.csv
crosswind route torus:4x4 --routing random-minimal --format csv | columns -context >base.csv
crosswind route torus:4x4 --routing random-minimal --format csv --seed 2 | columns -context >changed.csv
differ base.csv changed.csv
figures=pairs,reached,holes,loops,minimal,hops_mean,hops_max
for net in torus:4x3 xgft:2:4,4:1,2:radix=8 dragonfly:2,4,2,g=5 crossbar:5; do
    # all figures but lanes, and what depends on these
    crosswind route $net --write tables.lfts --format csv | columns "$figures" >written.csv
    crosswind route $net --lft tables.lfts --write again.lfts --format csv | columns "$figures" >read.csv
    same written.csv read.csv
    same tables.lfts again.lfts
done
# a route that is missing is shown, and its exit status says so
grep -v '^0x0003 ' tables.lfts >holes.lfts
run crosswind route crossbar:5 --lft holes.lfts
run crosswind route crossbar:5 --lft holes.lfts --from h0 --to h2
run crosswind noise crossbar:5 --lft holes.lfts --ratio 0 --trials 5
cat >some.paths <<EOF
# there and back
h0 h1 1 : h0 s0 h1
h1 h0 1 : h1 s0 h0
EOF
run crosswind route crossbar:2 --paths some.paths
run crosswind route crossbar:2 --paths some.paths --from h0 --to h1
