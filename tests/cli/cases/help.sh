# What is shown to those who ask, in each way of asking.
run crosswind
crosswind help >help.txt
for way in --help -h; do
    crosswind $way >way.txt
    same help.txt way.txt
done
run crosswind --version
for verb in topo route diff noise ebb collective congestion compare what-if study results map program rails analyse report help man completion; do
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
# what few need is named by --help, and explained by --help=all; nothing is said twice
crosswind flit --help=all | grep -Eo '^  (-., )?--[a-z0-9-]+' | sed 's/.*--/--/' | sort >all.txt
{
    crosswind flit --help | grep -Eo '^  (-., )?--[a-z0-9-]+' | sed 's/.*--/--/'
    crosswind flit --help | sed -n '/^Also/,/^$/p' | grep -Eo -- '--[a-z0-9-]+[,:]' | tr -d ',:'
} | sort >both.txt
same all.txt both.txt
run crosswind flit --help=most
