# Which cores to leave to communication, on machines that are described; the plan itself is tested in test_core_plan.c.
run crosswind cores --machine 'pack:2 [numa] core:4 pu:2'
crosswind cores --machine 'core:64 pu:1' --ranks 40 --collective reduce | grep -A2 '^Open MPI'
crosswind cores --machine 'core:64 pu:1' --compute 100 | grep -A1 '^Stay'
crosswind cores --machine 'core:2 pu:1' | grep -A1 '^No spare'
crosswind cores --machine 'core:4 pu:1' --format csv
run crosswind cores --machine 'core:4 pu:1' --ranks 5
run crosswind cores --machine 'four cores'
# of this machine: whatever it is, the answer is one of three
crosswind cores | grep -cE '^(No spare core|Stay with|[0-9]+ ranks and)'
