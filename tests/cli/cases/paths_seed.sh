# Of two paths of equal weight a seed takes either, for all messages; twenty seeds take both.
cat >two.paths <<'PATHS'
h0 h5 1 : h0 s1.0 s2.0 s1.1 h5
h0 h5 1 : h0 s1.0 s2.1 s1.1 h5
PATHS
for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    crosswind route xgft:2:4,2:1,2 --paths two.paths --from h0 --to h5 --seed $seed | grep -o 's2.[01]' | sort -u
done | sort -u
