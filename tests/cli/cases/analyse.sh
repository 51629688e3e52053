# What runs of the noise benchmark say. Slowdowns of 2, 3 and 4 at ratios of 1/4, 1/2 and 3/4 are planted.
cp "$GOLDEN"/bench/*.csv "$GOLDEN"/bench/*.json .
run crosswind analyse noise.csv
echo "# two runs that were measured alike are one"
crosswind analyse noise.csv again.csv --format csv | sed -n '1p; /perturbed.clean/p' | cut -d, -f 6,9-15,18-19
echo "# whatever can be wrong with a run"
crosswind analyse few.csv | sed -n '/^allreduce of/,/^#/p'
echo "# other conditions"
run crosswind analyse noise.csv few.csv
echo "# results are the same for one seed"
for n in 1 2; do crosswind analyse noise.csv --format json --seed 7 >$n.json; done
same 1.json 2.json
crosswind analyse noise.csv --format json --seed 8 >3.json
differ 1.json 3.json
echo "# files that are none"
run crosswind analyse
run crosswind analyse missing.csv
sed '/^7,/s/,ok$/,fine/' noise.csv >wrong.csv
cp noise.csv-metadata.json wrong.csv-metadata.json
run crosswind analyse wrong.csv
cp noise.csv alone.csv
run crosswind analyse alone.csv
