# Slurm's topology.conf
crosswind topo "$GOLDEN/fabric/rails.ibnetdiscover" --write topology.conf --format csv >log
cat topology.conf
crosswind topo 'xgft:3:3,4,3:1,3,2:1,1,2' --write topology.conf | grep -A3 Slurm
cat topology.conf
