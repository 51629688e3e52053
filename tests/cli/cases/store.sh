# What a verb has computed is taken from its store as long as its command and its files are the same, in any format.
noise() { crosswind noise "$@" --ratio .5 --trials 50 --store s.db; }
noise torus:4x4 >first
noise torus:4x4 2>taken >second
cmp first second && sed 's/computed .*/computed …/' taken
crosswind noise torus:4x4 --ratio .5 --trials 50 >alone
cmp first alone
noise torus:4x4 --quiet --threads 1 --format json >second.json
crosswind noise torus:4x4 --ratio .5 --trials 50 --format json >alone.json
cmp second.json alone.json
noise torus:4x4 --quiet --output 'a "b".csv'
mkdir apart
(cd apart && crosswind noise torus:4x4 --ratio .5 --trials 50 --output 'a "b".csv')
cmp 'a "b".csv' 'apart/a "b".csv' && cmp 'a "b".csv-metadata.json' 'apart/a "b".csv-metadata.json'

# Another file of the same name is another input; what was there before is found again.
printf '# crosswind edge list\n%s\n' 'a s' 'b s' 'c s' 'd s' >net
crosswind ebb net --trials 9 --store s.db >one
printf '# crosswind edge list\n%s\n' 'a s' 'b s' 'c t' 'd t' 's t' >net
crosswind ebb net --trials 9 --store s.db 2>&1 >two
cmp one two >/dev/null && echo "the same of two networks"
printf '# crosswind edge list\n%s\n' 'a s' 'b s' 'c s' 'd s' >net
crosswind ebb net --trials 9 --store s.db --quiet | cmp one -

# An exit status is kept; what comes from a pipe, fails, or writes more is computed each time.
for i in 1 2; do
    crosswind route torus:4x4 --failed 50% --store s.db --format json 2>said >routes$i.json
    echo "exit status $?, $(wc -l <said) notes"
done
cmp routes1.json routes2.json
crosswind ebb - --trials 9 --store s.db <net >/dev/null
printf '# crosswind edge list\n%s\n' 'a s' 'b s' 'c s' >changed
crosswind ebb - --trials 9 --store s.db <changed | grep -c 'SHA-256'
run crosswind ebb none --store s.db
crosswind route net --store s.db --write first.lft >/dev/null
crosswind route net --store s.db --write first.lft >/dev/null && ls first.lft

# What it has, on a page, too; with figures.
crosswind results s.db --format csv | columns -finished,took,version
crosswind report s.db page.html && grep -c 'crosswind ebb net' page.html
crosswind compare torus:4x4 --routing dor --measure ebb --store s.db >/dev/null
crosswind results s.db --format json | grep -cE '"(figures|results)": {'
crosswind results s.db network=torus:4x4 --format json | grep -cE '"(figures|results)": {'

# The store of nobody, and none.
run crosswind ebb net --store net
run crosswind ebb net --store no/s.db
