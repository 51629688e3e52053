# Split trees: the model's figures were found by an independent program and are in tests/unit/model/test_split_tree.c; here
# is what users see of them.
run crosswind model split-tree --cores 8 --simulate
crosswind model split-tree --cores 64 --format csv >all.csv
head -1 all.csv
grep -E ',(least|yes),' all.csv | sed -n '51,52p;57,63p'
echo "# parts of different sizes"
crosswind model split-tree --cores 64 --collective scatter --format csv | grep ',least,'
echo "# the equation as printed: the same best S"
crosswind model split-tree --cores 64 --equation printed --format csv | awk -F, '$9 != "no" {print $2, $4, $9}' >printed
awk -F, '$9 != "no" {print $2, $4, $9}' all.csv >exact
same exact printed
echo "# where strides collide, the simulation takes longer than the model"
crosswind model split-tree --cores 64 --collective reduce --simulate --placement round-robin | grep -A3 '^Simulated'
crosswind model split-tree --cores 64 --simulate --executor parent --chunks 8 --threads 1 --format csv >one.csv
crosswind model split-tree --cores 64 --simulate --executor parent --chunks 8 --threads 2 --format csv >two.csv
same one.csv two.csv
echo "# the picture draws the larger half of N, or all of few, as the table has them"
crosswind model split-tree --cores 8 --plot eight.svg >/dev/null
crosswind model split-tree --cores 16 --plot split.svg --format csv >16.csv
grep -h 'range' eight.gp split.gp
grep -o "title '.*'" split.gp
drawn() { awk -v name="\$series$1" '$1 == name {on = 1; next} on && $1 == "END" {exit} on' split.gp; }
table() { awk -F, -v s="$1" "NR > 1 && \$4 == s && \$2 >= 8 {printf \"%d %.10g\\n\", \$2, $2}" 16.csv; }
for s in 0 1 2 3; do
    drawn $s >drawn-$s
    table $s '$7' >table-$s
    same drawn-$s table-$s
done
drawn 4 >drawn-blocking
table 0 '$5 + $8' >table-blocking
drawn 5 >drawn-compute
table 0 '$8' >table-compute
drawn 6 >drawn-slices
table 0 '$10' >table-slices
for what in blocking compute slices; do same drawn-$what table-$what; done
run crosswind model split-tree
run crosswind model split-tree --cores 1
run crosswind model split-tree --cores 8 --chunks 2
run crosswind model split-tree --cores 8 --figure alone
run crosswind model split-tree torus:4x4 --cores 8
