# The inside of hosts: GPUs with NVLink and PCI Express behind the HCAs of a map.
run()
{
    echo "$ $*"
    "$@" 2>&1 || echo "[exit status $?]"
}
cp "$GOLDEN/nodes/mixed.nodes" .
run crosswind topo xgft:1:8:1 --nodes mixed.nodes | sed -n '1,8p; /^By/,/^$/p'
echo "# routes within a host, between hosts, and by the receiver's rail"
for nodes in dgx-h100:hcas=2 dgx-h100:hcas=2,pxn; do
    for to in gpu1 gpu7; do
        run crosswind route xgft:2:2,2:1,2 --nodes $nodes --from 'h0 gpu0' --to "h0 $to"
        run crosswind route xgft:2:2,2:1,2 --nodes $nodes --from 'h0 gpu0' --to "h2 $to"
    done
done | sed '/^# /d'
echo "# to an HCA at the other socket: by NVLink, or without it by the link between sockets"
for nodes in dgx-h100:hcas=1 dgx-h100:hcas=1,nvlink=0; do
    run crosswind route xgft:2:2,2:1,2 --nodes $nodes,sockets=2,intersocket=30GB/s --from 'h0 gpu4' --to 'h2 gpu7'
done | sed '/^# /d'
echo "# each of 8 GPUs to the one at the other socket: 4 x 64 KiB at 30 GB/s take 8.738 us, beside latencies"
for model in flows flits; do
    crosswind jobs xgft:2:2,2:1,2@32Gbit/s --nodes dgx-h100:hcas=1,nvlink=0,sockets=2,intersocket=30GB/s --endpoints h0 \
        --jobs 'shift:4 bytes=64KiB' --model $model --format csv 2>/dev/null | columns time_mean | tail -n 1
done
echo "# two hosts of 4 GPUs: 16 messages of 64 KiB leave each by 4 GB/s, which takes 262.1 us"
for model in counts flows flits; do
    crosswind jobs xgft:2:2,2:1,2@32Gbit/s --nodes dgx-a100:gpus=4,hcas=1 --endpoints h0,h1 --jobs 'alltoall bytes=64KiB' \
        --model $model --format csv 2>/dev/null | awk -F, -v model=$model '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == "time_mean") at = i }
            NR == 2 { print model, $(at + 2) } # the network has commas, too'
done
echo "# 8 KiB: inside a host after 3.4 us, by NICs after 14 us, each with 1 us for its chunk, cables and bytes"
planned()
{
    echo "$2,8KiB" >move.csv
    crosswind plan $1 --traffic matrix:move.csv --method default --format csv | columns predicted_seconds | tail -n 1
}
for to in 1 4; do planned 'rail:2,4,4,nvlink=450GB/s@400Gbit/s' h0,h$to; done
for to in 'h0 gpu1' 'h4 gpu0'; do
    planned 'xgft:2:4,4:1,2@400Gbit/s --nodes dgx-h100:hcas=4' "h0 gpu0,$to"
done
echo "# what cannot be"
refused()
{
    printf '%b' "$1" >wrong.nodes
    run crosswind topo xgft:1:8:1 --nodes wrong.nodes
}
refused ''
refused '# nothing\n'
refused 'h[0-7 dgx-h100\n'
refused '* gpus=2\n'
refused '* gpus=2 nvlink=1GB/s\n'
refused '* gpus=65 nvlink=1GB/s pcie=1GB/s\n'
refused '* gpus=2 nvlink=fast pcie=1GB/s\n'
refused '* dgx-h1000\n'
refused '* dgx-h100 hcas=1 sockets=2\n'
refused '* dgx-h100 hcas=1 intersocket=30GB/s\n'
refused '* dgx-h100 hcas=1 sockets=3 intersocket=30GB/s\n'
refused '* dgx-h100 hcas=1 nvlink=0 domain=2\n'
refused '* dgx-h100 hcas=3\n'
refused '* dgx-h100 gpus=4\n'
refused '\nh0,h9 dgx-h100 hcas=1\n'
refused 'h0 dgx-h100 hcas=1\nh0 dgx-a100 hcas=1\n'
run crosswind topo xgft:1:8:1 --nodes dgx-h10
run crosswind topo xgft:1:8:1 --nodes missing.nodes
run crosswind topo xgft:1:8:1 --nodes dgx-h100:gpu=4
run crosswind topo rail:2,4,4 --nodes dgx-h100
printf '# crosswind edge list\n"a mlx5_0" s\n"a mlx5_1" s\n"a mlx5_2" s\nb s\n' >map.edges
run crosswind topo map.edges --nodes dgx-h100:hcas=2
run crosswind route xgft:1:8:1 --nodes dgx-h100 --routing adaptive
run crosswind jobs xgft:1:8:1 --nodes dgx-h100 --jobs 'alltoall bytes=1KiB' --lids all
run crosswind route xgft:1:8:1 --nodes dgx-h100 --tables
run crosswind route xgft:1:8:1 --nodes dgx-h100 --write tables.lfts
run crosswind topo xgft:1:8:1 --nodes dgx-h100:hcas=4 --endpoints h0
echo "# what has failed: an HCA, whose GPUs go by others; cables, without which tables lack a route"
cp "$GOLDEN"/fabric/two-level.* .
run crosswind route xgft:1:8:1 --nodes dgx-h100:hcas=4 --failed h1 --from 'h0 gpu2' --to 'h4 gpu0'
run crosswind route two-level.ibnetdiscover --lft two-level.lfts --nodes dgx-h100:gpus=2,hcas=1 --failed 30% | sed '/^# /d'
run crosswind route two-level.ibnetdiscover --lft two-level.lfts --nodes dgx-h100:gpus=2,hcas=1 --failed 30% --repair minhop |
    sed -n '3,5p; /^By two-level/,$p' | sed '/^# /d'
echo "# failures of the fabric cost the same whoever asks"
cat >study.yaml <<'EOF'
network: xgft:2:4,4:1,2
nodes: dgx-h100:hcas=4
failed: ["", "s2.0,s2.1-s1.1"]
routing: minhop
measure: alltoall
EOF
gpus="xgft:2:4,4:1,2 --nodes dgx-h100:hcas=4"
crosswind study study.yaml --format csv | columns failed,alltoall
crosswind compare $gpus --measure alltoall --routing minhop --failed s2.0,s2.1-s1.1 --format csv | columns alltoall
crosswind what-if $gpus --measure alltoall --routing minhop --fail s2.0,s2.1-s1.1 --format csv | columns case,cut_off,alltoall
for nodes in dgx-h100:hcas=4 dgx-h100:hcas=2; do
    crosswind compare xgft:2:4,4:1,2 --nodes $nodes --measure alltoall --routing dmodk --store figures.db --format csv |
        columns alltoall
done
run crosswind map xgft:2:4,4:1,2 map.svg --nodes dgx-h100:hcas=4 --failed s2.0-s1.1 --top 0 | sed '/^# /d'
grep -c 'h12 gpu7' map.svg
run crosswind tree $gpus --save trees.json
echo "# what has changed, between GPUs: entries that lead from one rail to the other are lost, which no GPU uses with pxn"
printf '# crosswind edge list\n"a mlx5_0" rail0\n"a mlx5_1" rail1\n"b mlx5_0" rail0\n"b mlx5_1" rail1\nrail0 rail1\n' >two.edges
crosswind route two.edges --routing minhop --write whole.lfts >/dev/null
sed "/('rail0')/,/dumped/{/mlx5_1/d}; /('rail1')/,/dumped/{/mlx5_0/d}" whole.lfts >within.lfts
changed()
{
    status=0
    crosswind diff two.edges --before-lft whole.lfts --lft within.lfts "$@" --format csv >changed.csv || status=$?
    columns what,before,after,changed <changed.csv | sed -n '/^entries/p; /^pairs/p'
    echo "status $status"
}
changed
changed --nodes dgx-h100:hcas=2,gpus=2
changed --nodes dgx-h100:hcas=2,gpus=2,pxn
echo "# GPUs are those of their names: a host that comes or goes changes no route of others"
printf '"0 mlx5_0" rail0\n"0 mlx5_1" rail1\n' | cat two.edges - >three.edges
for maps in 'three.edges two.edges' 'two.edges three.edges'; do
    crosswind diff $maps --nodes dgx-h100:hcas=2,gpus=4 --routing minhop --format csv |
        columns what,before,after,came,went,changed | sed -n '/^endpoints/p; /^pairs/p'
done
run crosswind diff xgft:2:4,4:1,2 --nodes dgx-h100:hcas=4,pxn --failed h1,s2.0-s1.1
run crosswind diff two.edges --nodes dgx-h100:hcas=2 --before-path-records x --before-sl2vl y
echo "# a testbed of GPUs"
crosswind testbed xgft:1:2:1 --nodes dgx-a100:gpus=2,hcas=1 --print | sed -n '2p; /^for n in h0/p'
run crosswind testbed xgft:1:2:1 --nodes dgx-a100:gpus=2,hcas=2,pxn --print
