# Networks and routings side by side: what each row is, what is best, and what becomes of cases that fail.
measures=ebb,noise,worst-shift,alltoall,hops,lanes,deadlock-free
crosswind compare 'xgft:2:4,4:1,2' --routing dmodk,minhop,nue:lanes=2,nue-even --measure $measures
crosswind compare 'xgft:2:4,4:1,2' torus:4x4 --measure 'time:alltoall bytes=64KiB,switches,cables' --format csv
crosswind route torus:4x4 --routing minhop --write now.lft >/dev/null
run crosswind compare torus:4x4 --lft now.lft --routing dmodk,dor --measure hops,saturation,deadlock-free

# Tables are what made them: every ratio is 1, and nothing is best.
crosswind route 'xgft:2:4,4:1,2' --routing minhop --write tables.lft >/dev/null
crosswind compare 'xgft:2:4,4:1,2' --lft tables.lft --routing minhop --measure $measures --format csv

run crosswind compare 'xgft:2:4,4:1,2' --lft tables.lft --routing minhop --measure ebb --failed s1.0-s2.0
crosswind compare 'xgft:2:4,4:1,2' --lft tables.lft --repair minhop --routing minhop --measure ebb --failed s1.0-s2.0 --format csv
crosswind ebb 'xgft:2:4,4:1,2' --lft tables.lft --repair minhop --direction bi --failed s1.0-s2.0 --format csv

# The same for any number of threads.
for threads in 1 3; do
    crosswind compare torus:4x4 --measure $measures --threads $threads >$threads.txt
done
same 1.txt 3.txt
