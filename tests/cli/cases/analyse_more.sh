# Two runs compared, figures, and predictions beside a measurement.
cp "$GOLDEN"/bench/*.csv "$GOLDEN"/bench/*.json .
echo "# the same splits once more, of which a slope of 4 has become 2"
crosswind analyse noise.csv --compare faster.csv >compared.txt
sed -n '/(first)/,/^allreduce of/p; /^allreduce.*second run/,/^Splits/p' compared.txt | grep -v ' takes '
echo "# other splits"
crosswind analyse noise.csv --compare again.csv | sed -n '/no difference/,/^#/p' | grep -v '^#'
run crosswind analyse noise.csv --compare noise.csv,few.csv
echo "# on a network: 'hN' are its hosts"
crosswind analyse few.csv --fabric xgft:2:4,2:1,1 --rounds 50 | sed -n '/^Slowdown of each/,/^# crosswind/p' | grep -v '^Hosts'
for n in 1 2; do
    crosswind analyse noise.csv --fabric torus:4x2@1GB/s --threads $n --format json >$n.json
done
same 1.json 2.json
crosswind analyse noise.csv --fabric torus:4x2@1GB/s --format json --G 10ns >3.json
differ 1.json 3.json
echo "# hosts by another name"
sed 's/"h\([0-7]\)"/"node\1.cluster"/' noise.csv-metadata.json >named.csv-metadata.json
cp noise.csv named.csv
run crosswind analyse named.csv --fabric xgft:2:4,2:1,1
for i in 7 6 5 4 3 2 1 0; do echo "node$i.cluster h$((7 - i))"; done >map.txt
crosswind analyse named.csv --fabric xgft:2:4,2:1,1 --hosts map.txt | grep -c 'permutation .* congestion'
echo "node3.cluster h9" >map.txt
run crosswind analyse named.csv --fabric xgft:2:4,2:1,1 --hosts map.txt
echo "# options that mean nothing"
run crosswind analyse noise.csv --hosts map.txt
run crosswind analyse noise.csv --lft tables.lst
run crosswind analyse noise.csv --fabric torus:4x2 --endpoints map.txt
run crosswind analyse noise.csv --figure times
if command -v gnuplot >/dev/null; then
    echo "# figures"
    for figure in auto times ratio size prediction; do
        crosswind analyse noise.csv --fabric xgft:2:4,2:1,1 --plot $figure.svg --figure $figure >/dev/null
        grep -c . $figure.gp >/dev/null && grep -o '<svg' $figure.svg
        grep -o "set .label '.*'\|title '.*allreduce.*'" $figure.gp
    done
    run crosswind analyse noise.csv --plot p.svg --figure prediction
    echo "# a few splits are points, and a single number of ranks is no axis by itself"
    for figure in times size; do
        crosswind analyse few.csv --plot few.svg --figure $figure >/dev/null
        grep -c '^.boxes' few.gp
        sed -n '/^set xtics/p; /^set xrange/p; /^set yrange/p; /^set ylabel/p; /^.series0/,/END$/p' few.gp
    done
    echo "# many are boxes"
    crosswind analyse noise.csv again.csv --plot many.svg --figure size >/dev/null
    grep -c '^.boxes' many.gp
    sed -n '/^set xtics/p; /^set xrange/p' many.gp
    echo "# prediction and measurement have the same scale"
    sed -n '/^set [xy]range/p; s/ linecolor.*title/ .../p' prediction.gp
    sed -n '/^.errors0/,/END$/p' prediction.gp | sed -n '1,3p'
else
    skip "gnuplot is not installed"
fi
