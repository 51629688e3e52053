# Options that contradict one another, or that would be passed over.
run crosswind route torus:4x4 --from h0
run crosswind route torus:4x4 --to h0
run crosswind route torus:4x4 --from h0 --to h16
run crosswind route torus:4x4 --from h0 --to 's(0,0)'
run crosswind route torus:4x4 --from h0 --to h1 --max-pairs 5
run crosswind route torus:4x4 --lft x --routing dor
run crosswind route torus:4x4 --lft x --paths y
run crosswind route torus:4x4 --lft x --tables
run crosswind noise torus:4x4 --paths x --tables
run crosswind route xgft:2:4,4:1,4 --routing smodk --tables
run crosswind noise xgft:2:4,4:1,4 --routing smodk --tables
run crosswind route xgft:2:4,4:1,4 --routing smodk --write x.lfts
run crosswind noise torus:4x4 --time unit --bytes 1MiB
run crosswind noise torus:4x4 --time unit --L=1us
run crosswind noise torus:4x4 --time unit --o 1us
run crosswind noise torus:4x4 --time unit --G 1ns
printf 'net torus 4 2\napp 2 0 1\n' >case.txt
run crosswind noise --trial case.txt --ratio 0.5
run crosswind noise --trial case.txt --trials 5
run crosswind noise --trial case.txt --background shift
run crosswind noise --trial case.txt --perturbation constant
run crosswind noise --trial case.txt --placement random
printf 'app 2 0 1\n' >case.txt
run crosswind noise --trial case.txt
