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
