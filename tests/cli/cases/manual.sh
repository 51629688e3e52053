# Manual pages: every option of --help=all is there, the parts are in order, and groff has nothing to say against them.
for verb in topo route diff noise ebb collective congestion compare what-if study results map program rails analyse report "model split-tree" help man completion; do
    crosswind man "$verb" >page
    grep -c '^\.TP' page | sed "s/^/$verb: options /"
    grep '^\.SH' page | tr '\n' ' '
    echo
    crosswind $verb --help=all | grep -Eo '^  (-., )?--[a-zA-Z0-9-]*' | sed 's/^ *//' | sort >shown
    sed -n '/^\\fB\\-/s/\\fR.*//p' page | sed 's/\\-/-/g; s/\\fB//' | sort >written
    same shown written
    if command -v groff >/dev/null; then groff -man -Tutf8 -ww page >/dev/null; fi
done
run crosswind man ebb
run crosswind man
run crosswind man nois
