# Tables of engines that need lanes: unknown without service levels, proven with them, a cycle where a table is wrong.
cp "$GOLDEN"/levels/ring-6* .
ring="ring-6.ibnetdiscover --lft ring-6-dfsssp.lfts"
run crosswind route $ring
run crosswind route $ring --path-records ring-6-dfsssp.saquery --sl2vl ring-6-dfsssp.smpquery
run crosswind route $ring --path-records ring-6-dfsssp.saquery --sl2vl ring-6-dfsssp.smpquery --from h0 --to h2
run crosswind route $ring --path-records ring-6-dfsssp.saquery
run crosswind route torus:6 --path-records ring-6-dfsssp.saquery --sl2vl ring-6-dfsssp.smpquery
sed '/^[0-9]/s/: .*/: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0/' ring-6-dfsssp.sl2vl >one-lane
run crosswind route $ring --path-records ring-6-dfsssp.path-records --sl2vl one-lane
sed 's/: 0  1  2  3 /: 0  1  2  15/' ring-6-dfsssp.sl2vl >discarding
run crosswind route $ring --path-records ring-6-dfsssp.path-records --sl2vl discarding
# All commands take them, and they are written.
levels="--path-records ring-6-dfsssp.path-records --sl2vl ring-6-dfsssp.sl2vl"
run crosswind congestion $ring $levels --traffic shift:by=2
run crosswind route $ring $levels --write-path-records records --write-sl2vl rows
cmp records ring-6-dfsssp.path-records
run crosswind route $ring --path-records records --sl2vl rows
run crosswind route $ring --write-sl2vl rows
run crosswind route torus:4x4 --write-sl2vl rows
run crosswind route xgft:2:2,2:1,2@100Gbit/s --write-path-records records --write-sl2vl rows
head -n 3 records
