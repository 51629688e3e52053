# The script is bash, and completes verbs, options, values and, elsewhere, files.
command -v bash >/dev/null || skip "bash is missing"
crosswind completion >script
bash -n script
complete()
{
    bash -c 'source ./script; COMP_WORDS=(crosswind "$@"); COMP_CWORD=$#; _crosswind; echo "$* -> ${COMPREPLY[*]}"' \
        bash "$@"
}
rm -f script.txt
complete ''
complete no
complete noise --p
complete noise --s
complete help --
complete noise --perturbation ''
complete noise --time l
complete noise --schedule ring
complete noise --schedule allr
complete noise --background de
complete noise --placement ''
complete noise --routing d
complete congestion --traffic b
complete ebb --direction ''
complete topo --format ''
complete topo scr
mkdir pictures
touch pictures.csv
complete noise --threads ''
complete noise --quiet scr
complete noise --lft scr
complete noise --endpoints a
complete plan --traffic d
complete plan --k ''
complete plan --method h
complete flit --paths scr
complete flit --routing valiant
complete flit --routing dor
complete reproduce --directory pict
complete topo --input-format ib
complete topo tor
complete noise hyperc
complete reproduce opt
complete reproduce a
complete reproduce --fabrics scr
complete man fl
complete help rou
complete plan --export m
complete topo --node-name-map scr
complete completion ''
complete model sp
complete model split-tree --col
complete model split-tree --collective s
complete model --traffic sh
complete model split-tree ''
run crosswind completion bash
