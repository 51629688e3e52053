# In which order and along which trees hosts pass on collectives; figures by hand are in test_host_trees.c.
{
    echo '# crosswind edge list'
    for host in 0 2 4 6; do printf '%s\n' "n$host a 100Mbit/s" "n$((host + 1)) b 100Mbit/s"; done
    echo 'a b 20Mbit/s'
} >thin.txt
# ranks go to and fro between two switches
crosswind tree thin.txt --placement contiguous --job 8 --bytes 64KiB,1MiB --o 100us --save fabric.txt
cat fabric.txt
crosswind tree thin.txt --placement contiguous --job 8 --bytes 1MiB --format csv
crosswind tree xgft:2:16,4:1,16 --bytes 1MiB | grep -e '^bcast' -e '^reduce' -e '^allreduce' -e '^(' -e '^Where all'
# a slow host: what the order of the fabric makes worse goes in that of ranks
sed 's/^n7 b .*/n7 b 5Mbit\/s/' thin.txt >slow.txt
crosswind tree slow.txt --placement contiguous --job 4,8 --bytes 32KiB,1MiB --o 100us --save slow-fabric.txt | head -9
grep ',' slow-fabric.txt
crosswind tree xgft:2:16,4:1,16 --threads 1 --format csv >one.csv
crosswind tree xgft:2:16,4:1,16 --threads 3 --format csv >three.csv
same one.csv three.csv
# names of hosts, of which one has two rails
printf 'node1 n0\nnode2 n2\nnode1 n4\n' >hosts.txt
crosswind tree thin.txt --hosts hosts.txt --placement contiguous --job 2 --bytes 1KiB --save named.txt >out.txt
grep '^host' named.txt
XDG_CACHE_HOME=$PWD/cache crosswind tree crossbar:3 --job 2 --bytes 1KiB --save auto | grep -o 'Written to '
cat cache/crosswind/fabric.txt
echo 'node1 n9' >wrong.txt
run crosswind tree thin.txt --hosts wrong.txt
run crosswind tree thin.txt --job 9
run crosswind tree crossbar:1
run crosswind tree --help
