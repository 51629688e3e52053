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
head -c 100 matrices > short
run crosswind rails rail:2,2,2 short
run crosswind rails rail:2,2,2 none
run crosswind rails torus:4x4 matrices
run crosswind rails rail:2,2,2
run crosswind rails rail:2,2,2 matrices --gap 2
