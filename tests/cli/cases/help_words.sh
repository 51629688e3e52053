# Every word that help texts and results use as a known one has an answer, and what help refers to is there.
crosswind help words
for word in units ranges seed text csv json ci95 endpoint cable channel hop bisection guid lid lmc lft sl vl lane hca \
    rank round trial perturbation congestion slowdown ebb loggp flit load offered accepted steady deadlock link-load z \
    LFT LMC eBB LogGP CSV JSON SL VL; do
    crosswind help $word >/dev/null
done
for verb in topo route diff noise ebb congestion flit model plan reproduce help man completion; do crosswind help $verb; done |
    tr -s ' \n' ' ' | grep -o 'crosswind help [a-z][a-z-]*' | sort -u | while read -r command; do
    $command >/dev/null || echo "$command: nothing"
done
run crosswind help lgogp
