# A file of the user's has defaults of options. Every form of a result names it and what of it was used.
CROSSWIND_CONFIG=$PWD/config
cat >config <<'END'
seed = 7
quiet = yes

[noise]
trials = 20    # enough here
schedule = ring-allreduce
END
here()
{
    sed "s|$PWD|HERE|g"
}
run crosswind noise torus:4x4 --ratio 0.5 --threads 1 | here
# the command that is recorded gives the same without the file
crosswind noise torus:4x4 --ratio 0.5 --format csv >with.csv
CROSSWIND_CONFIG='' crosswind noise --seed=7 --trials=20 --schedule=ring-allreduce torus:4x4 --ratio 0.5 --format csv >without.csv
same with.csv without.csv
crosswind noise torus:4x4 --ratio 0.5 --seed 8 --format csv >typed.csv
differ with.csv typed.csv
crosswind noise torus:4x4 --ratio 0.5 --format json | here | grep -A 4 '"command"'
crosswind noise torus:4x4 --ratio 0.5 --output noise.csv
here <noise.csv-metadata.json | grep -A 4 '"configuration"'
crosswind topo torus:4x4 | here | tail -n 3
# what the verb refuses beside other options is passed over
crosswind noise torus:4x4 --ratio 0.5 --case 3 case.txt | here | tail -n 3
# where it is wrong
for line in 'sed = 7' 'ratio = 0.5' 'seed' 'seed = x' '[nois]' '[noise' 'output = here' '[noise] # all
scedule = tree'; do
    echo "$line" >config
    run crosswind topo torus:4x4 2>&1 | here
done
printf '[noise]\nrouting = minhpo\n' >config
run crosswind noise torus:4x4 2>&1 | here
run crosswind noise --help | head -n 2
rm config
run crosswind topo torus:4x4 2>&1 | here
crosswind help configuration
