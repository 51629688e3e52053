# Matrices of 64-bit integers below 256, least byte first.
matrix() { for i in "$@"; do printf "\\$(printf %o "$i")\0\0\0\0\0\0\0"; done; }
rows() { crosswind rails "$@" --format csv; }
{
    matrix 0 9 100 100  9 0 0 0  0 0 0 9  0 0 0 0
    matrix 0 9 110 90  9 0 0 0  0 0 0 9  0 0 0 0
    matrix 0 9 0 0  9 0 0 0  0 0 0 9  0 0 0 0
} > matrices
run rows rail:2,2,2,nvlink=8GB/s@1GB/s - < matrices
run rows rail:2,2,2,nvlink=8GB/s@1GB/s matrices --degraded n0-p0r0=500MB/s
matrix 0 100  50 0 > two
run rows rail:2,2,2,nvlink=8GB/s@1GB/s two --endpoints h0,h3
run rows rail:2,2,2,nvlink=8GB/s@1GB/s two --endpoints h0,h3 --failed h1
run crosswind rails rail:2,2,2 matrices --failed h3
echo "# the same boxes behind the HCAs of a map: the same shares; PCI Express may be the slower part"
{
    echo "# crosswind edge list"
    for rail in 0 1; do
        for node in 0 1; do echo "endpoint \"n$node mlx5_$rail\""; done
        for node in 0 1; do echo "\"n$node mlx5_$rail\" rail$rail 1GB/s"; done
    done
} > rails.edges
for pcie in 2GB/s 500MB/s; do
    echo "* gpus=2 nvlink=8GB/s pcie=$pcie" > gpus.nodes
    run rows rails.edges matrices --nodes gpus.nodes
done
run rows rails.edges matrices --nodes gpus.nodes --degraded 'n0 mlx5_0-rail0=250MB/s'
run crosswind rails xgft:2:2,2:1,2 matrices --nodes dgx-h100:hcas=2,gpus=2
head -c 100 matrices > short
run crosswind rails rail:2,2,2 short
run crosswind rails rail:2,2,2 none
run crosswind rails torus:4x4 matrices
run crosswind rails rail:2,2,2
run crosswind rails rail:2,2,2 matrices --gap 2
