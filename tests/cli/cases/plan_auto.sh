# Where there is one path only, all plans are the same one: auto names the machine's own routes.
crosswind plan crossbar:4 --traffic permutation --method auto --format csv | columns method,paths_used,hops_mean
# Two switches by their names are all cables between them: three here, and nothing is left.
crosswind plan xgft:2:4,2:1,1:1,3 --traffic permutation --failed s1.0-s2.0 | sed -n -e 1p -e "/endpoints have no path/,/^h7/p"
# What auto has not tried is said: on large cases what chooses among k paths, and what comes after the budget.
crosswind plan torus:45x45 --relays switches --traffic permutation --method auto --epsilon 0.5 | sed -n '/^auto left/,/names them/p'
crosswind plan torus:4x4 --traffic disjoint:1x1 --method auto --budget 1ns | grep "over before"
