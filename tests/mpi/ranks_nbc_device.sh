#!/bin/sh
# Memory of a device, of a driver that the program has loaded: communicators on which a rank shows some are left to MPI.
. "$(dirname "$0")/launch.sh"
. "$here/nbc.sh"
program="$2/program_device $2/preload_cuda.so"

for device in none all one; do
    launch 3 $program $device >native || fail "$device"
    careful=
    [ $device != one ] || careful=careful
    overlapped 3 $program $device $careful >ours || fail "$device, overlapped: $(cat said)"
    cmp native ours || fail "$device: other results"
    case $device in
    none) counts='18 collectives overlapped, 0 left' ;;
    all) counts='0 collectives overlapped, 18 left' ;;
    one) counts='9 collectives overlapped, 9 left' ;; # the others had begun the first of each two
    esac
    grep -q "^crosswind-nbc: rank 0: $counts to MPI" said || fail "$device: $(cat said)"
done

# The same by another driver, which says more of its memory.
for kind in device managed host; do
    FAKE_KIND=$kind overlapped 3 "$2/program_device" "$2/preload_hip.so" all >ours || fail "$kind: $(cat said)"
    counts='0 collectives overlapped, 18 left'
    [ $kind != host ] || counts='18 collectives overlapped, 0 left'
    grep -q "^crosswind-nbc: rank 0: $counts to MPI" said || fail "$kind: $(cat said)"
done
[ $failed -eq 0 ]
