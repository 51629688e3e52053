# Which cores to leave to communication, on machines that are described; the plan itself is tested in test_core_plan.c.
run crosswind cores --machine 'pack:2 [numa] core:4 pu:2'
crosswind cores --machine 'core:64 pu:1' --ranks 40 --collective reduce | grep -A1 '^Open MPI'
crosswind cores --machine 'core:64 pu:1' --compute 100 | grep -A1 '^Stay'
crosswind cores --machine 'core:2 pu:1' | grep -A1 '^No spare'
crosswind cores --machine 'core:4 pu:1' --format csv
run crosswind cores --machine 'core:4 pu:1' --ranks 5
run crosswind cores --machine 'four cores'
# as it was measured: a communication core of these is faster than MPI's own; in the second file MPI's own is
measured()
{
    printf 'version VERSION\nmpi Open MPI v4.1.4\nprocessors 64\ntime 2026-01-02T03:04:05Z\n'
    echo "bcast,60,4,1048576,$1,$2,0.013,0.012,0.01475,3e-06"
}
measured auto 0.021 >measured.txt
measured native 0.0125 >native.txt
crosswind cores --machine 'core:64 pu:1' --tuning measured.txt | grep -v '^ *[0-9]* *0 *0 '
crosswind cores --machine 'core:64 pu:1' --tuning native.txt | grep -A12 '^Stay'
crosswind cores --machine 'core:64 pu:1' --tuning native.txt --bytes 4KiB --ranks 60 | grep -A3 '^60 ranks'
run crosswind cores --machine 'core:64 pu:1' --tuning none.txt
# on two packages, as ranks are
crosswind cores --machine 'pack:2 core:8 pu:1' --ranks 13 --format csv | grep comm
# of this machine: whatever it is, the answer is one of three
crosswind cores --tuning off | grep -cE '^(No spare core|Stay with|[0-9]+ ranks and)'
