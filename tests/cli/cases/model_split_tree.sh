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
crosswind model split-tree --cores 16 --plot split.svg >/dev/null
grep -c 'S = 2' split.gp
run crosswind model split-tree
run crosswind model split-tree --cores 1
run crosswind model split-tree --cores 8 --chunks 2
run crosswind model split-tree --cores 8 --figure alone
run crosswind model split-tree torus:4x4 --cores 8
