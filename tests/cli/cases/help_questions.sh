# Questions and what to type: those of the guide that answers them, in its order.
crosswind help questions | head -8
crosswind help questions | sed -n 's/?$/?/p' | sed 's/^/### /' >asked
grep '^### ' "$GOLDEN/../../doc/guide/answers.md" | diff asked -
