# What is shown to those who ask for help with data movements.
run crosswind plan --help=all
run crosswind help disjoint
run crosswind help methods
crosswind man plan >page
grep -c '^\.TP' page
if command -v groff >/dev/null; then groff -man -Tutf8 -ww page >/dev/null; fi
