# No output is one of the inputs, or another output: by its name, by a hard or a symbolic link, in a folder of another
# name. That is said before any work, and nothing is written.
crosswind topo crossbar:4 --write net.json --output /dev/null
crosswind route net.json --write tables.lft --output /dev/null
crosswind noise net.json --case 1 --ratio 0.5 case.txt --output /dev/null
cat >matrix.txt <<END
h0 h1 10
h1 h0 10
END
for name in net.json tables.lft matrix.txt; do
    ln "$name" "hard-$name"
    ln -s "$name" "link-$name"
done
mkdir folder
ln -s . folder/here
md5sum net.json tables.lft matrix.txt case.txt >sums
before=$(ls)

echo "# an input"
run crosswind topo net.json --output net.json
run crosswind topo net.json --output ./hard-net.json
run crosswind topo net.json --write link-net.json
run crosswind topo hard-net.json --format json --output folder/../net.json
run crosswind route net.json --lft tables.lft --write hard-tables.lft
run crosswind congestion net.json --traffic matrix:matrix.txt --channels matrix.txt
run crosswind congestion net.json --traffic matrix:hard-matrix.txt --format csv --output link-matrix.txt
run crosswind plan net.json --traffic matrix:matrix.txt --plan matrix.txt
run crosswind plan net.json --traffic matrix:hard-matrix.txt --moves link-matrix.txt
run crosswind noise net.json --case 1 --ratio 0.5 hard-net.json
run crosswind noise --trial case.txt --output case.txt
run crosswind diff net.json hard-net.json --output link-net.json

echo "# another output, also what comes with one: metadata, the script of a figure"
run crosswind flit net.json --load 0.1 --cycles 100 --series new.csv --channels ./new.csv
run crosswind flit net.json --load 0.1 --cycles 100 --series new.csv --histogram folder/here/../new.csv
run crosswind flit net.json --load 0.1 --cycles 100 --series new.csv --channels new.csv-metadata.json
run crosswind model split-tree --cores 8 --plot new.svg --output new.gp
run crosswind topo net.json --write link-net.json --output hard-net.json

echo "# nothing was written"
[ "$before" = "$(ls)" ] && md5sum -c --quiet sums && echo "all is as before"
echo "# devices may be given several times, and what is not there yet is no input"
run crosswind flit net.json --load 0.1 --cycles 100 --series /dev/null --channels /dev/null --output /dev/null
