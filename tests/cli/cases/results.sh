# What a store has: all of it, or what conditions choose. Times differ from run to run.
cp "$GOLDEN/study/engines.yaml" .
crosswind study engines.yaml --store s.db >/dev/null
crosswind results s.db --format csv | columns -finished,took,version
crosswind results s.db network=torus:4x4 measure=lanes failed= --format csv | columns -finished,took,version
crosswind results s.db measure=ebb seed=2 --format json | grep -c '"finished": "2'
crosswind results s.db failed= seed=1 --format json | sed -n "/Which are best is/p"
run crosswind results s.db seeds=2
run crosswind results s.db minhop
run crosswind results none.db
run crosswind results engines.yaml
