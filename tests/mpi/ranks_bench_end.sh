#!/bin/sh
# A measurement that is ended, or loses a rank, ends within seconds and keeps what it has measured.
. "$(dirname "$0")/launch.sh"

cat >with_pid <<'END'
#!/bin/sh
echo $$ >"pid.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
exec "$@"
END
chmod +x with_pid

# begin WAIT: a long measurement in the background; returns when it has measured something that counts.
begin()
{
    rm -f run.csv* pid.*
    timeout --foreground -k 10 "$LIMIT" "$launcher" -n 4 ./with_pid "$crosswind_mpi" bench noise --perturb permutation:64KiB \
        --splits 10000 --time 200s --wait "$1" --save run.csv </dev/null >out 2>err &
    job=$!
    tries=0
    until grep -q ',ok' run.csv 2>/dev/null || [ $tries -eq 1000 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# MPICH's launcher, when it is told to end, too, may miss that its ranks ended with an error (seen once in ten runs).
may_be_lost()
{
    [ "$mpi" = mpich ] && [ "${1%%,*}" = SIGTERM ]
}

# ended WHAT: it ends soon, not well, and what it measured is there.
ended()
{
    since=$(date +%s)
    status=0
    wait "$job" || status=$?
    [ $status -ne 0 ] || may_be_lost "$1" || fail "$1: exit status 0"
    [ $(($(date +%s) - since)) -le $SOON ] || fail "$1: it took $(($(date +%s) - since)) s to end"
    [ "$(wc -l <run.csv)" -gt 1 ] || fail "$1: no sample is left"
    "$crosswind" analyse run.csv >analysed 2>&1 || fail "$1: what is left cannot be read: $(cat analysed)"
    for pid in $(cat pid.*); do
        tries=0
        while kill -0 "$pid" 2>/dev/null && [ $tries -lt 200 ]; do
            sleep 0.1
            tries=$((tries + 1))
        done
        [ $tries -lt 200 ] || fail "$1: process $pid is left"
    done
}

# Open MPI's launcher kills ranks a second after it has told them to end: on a busy machine they may not have said all.
interrupted()
{
    begin "$1"
    kill -TERM "$job"
    ended "SIGTERM, $1"
    grep -qx "crosswind-mpi: interrupted.*" err || fail "SIGTERM, $1: said $(cat err)"
    grep -q '^INCOMPLETE: interrupted' out || fail "SIGTERM, $1: the result does not say so: $(cat out)"
}

for how in sleep spin; do
    attempts 3 interrupted $how
    begin $how
    kill -KILL "$(cat pid.3)"
    ended "SIGKILL of rank 3, $how"
done
[ $failed -eq 0 ]
