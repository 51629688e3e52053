#!/bin/sh
# What is installed works from where it is installed: the preload library by its path, and cw_nbc_* through pkg-config.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
cmake --install "$(dirname "$crosswind")" --prefix "$folder/prefix" >/dev/null || fail "it cannot be installed"
lib=$(dirname "$(find prefix -name libcrosswind-nbc.so)")
preload=$folder/$lib/libcrosswind-nbc.so

launch 3 "$2/programs/stencil" >native || fail "stencil"
overlapped 3 "$2/programs/stencil" >ours || fail "stencil, overlapped: $(cat said)"
cmp native ours || fail "other results"
was_overlapped 0 "with the installed library"

cat >user.c <<'C'
#include <mpi.h>
#include <crosswind/mpi/nbc/nbc.h>
#include <stdio.h>

static int data[100000];

int main(int argc, char **argv)
{
    int rank, bad;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cw_nbc_request request;
    data[99999] = rank == 0 ? 42 : 0;
    bad = cw_nbc_init() || cw_nbc_ibcast(data, 100000, MPI_INT, 0, MPI_COMM_WORLD, &request) || cw_nbc_wait(&request);
    if (bad) fprintf(stderr, "%s\n", cw_nbc_error_message());
    if (rank == 1) printf("%d\n", data[99999]);
    MPI_Finalize();
    return bad;
}
C
PKG_CONFIG_PATH=$folder/$lib/pkgconfig
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags --libs "crosswind-nbc.$mpi") || fail "pkg-config"
# shellcheck disable=SC2086  # a list of flags
cc -std=c17 -Wall -Wno-stringop-overflow user.c -o user $flags || fail "a program of cw_nbc_*"
[ "$(launch 2 env LD_LIBRARY_PATH="$folder/$lib" ./user)" = 42 ] || fail "a program of cw_nbc_* goes wrong"
[ $failed -eq 0 ]
