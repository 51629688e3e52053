# Where there is one path only, all plans are the same one: auto names the machine's own routes.
crosswind plan crossbar:4 --traffic permutation --method auto --format csv | columns method,paths_used,hops_mean
# Two switches by their names are all cables between them: three here, and nothing is left.
crosswind plan xgft:2:4,2:1,1:1,3 --traffic permutation --failed s1.0-s2.0 | sed -n "/^These/,/^h6/p"
