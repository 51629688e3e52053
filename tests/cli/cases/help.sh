# What is shown to those who ask, in each way of asking.
run crosswind
crosswind help >help.txt
for way in --help -h; do
    crosswind $way >way.txt
    same help.txt way.txt
done
run crosswind --version
for verb in topo route diff noise ebb congestion analyse help man completion; do
    run crosswind $verb --help
    crosswind $verb --help >asked.txt
    crosswind help $verb >help.txt
    same asked.txt help.txt
done
# --help wins over what else is there, and over what is missing
crosswind noise --help --ratio 0.3 >way.txt
crosswind help noise | cmp - way.txt
run crosswind help tpo
run crosswind help topo noise
