# Up-down routes: which switches are the roots, and what follows from it.
echo "# roots that OpenSM finds: the spines; with more leaves also all leaves"
run crosswind route 'xgft(2,12,6)' --routing updn --format csv
run crosswind route 'xgft(2,24,12)' --routing updn
echo "# the spines named; and no root is found"
for spine in 0 1 2 3 4 5 6 7 8 9 10 11; do echo "s2.$spine"; done >spines.txt
run crosswind route 'xgft(2,24,12)' --routing updn:spines.txt --format csv
run crosswind route torus:4x4 --routing updn --format csv
run crosswind route torus:4x4 --routing updn:found
