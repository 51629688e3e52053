# What the word that is being typed may become, by what it is; and a script of bash that asks. cli/shells asks in three shells.
answer()
{
    echo "$*"
    crosswind completion -- "$@" | cut -f 1 | tr '\n' ' '
    echo
}
for words in '' no 'noise --p' 'noise --s' 'help --' 'noise --perturbation ' 'noise --time l' 'noise --schedule ring' \
    'noise --background de' 'noise --placement ' 'noise --routing d' 'congestion --traffic b' 'topo --format ' 'topo scr' \
    'noise --threads ' 'noise --lft scr' 'noise --endpoints a' 'plan --method h' 'flit --routing valiant' \
    'flit --allocator ' 'flit --buffers shared:' 'reproduce --directory pict' 'topo --input-format ib' 'topo tor' \
    'reproduce opt' 'man fl' 'help rou' 'plan --export m' 'topo --node-name-map scr' 'completion ' 'model sp' \
    'model split-tree --col' 'model split-tree '; do
    IFS=' '
    # shellcheck disable=SC2086  # words
    case $words in
    *' ') answer $words '' ;;
    *) answer $words ;;
    esac
done
run crosswind completion -- noise --schedule allr
for shell in bash zsh fish; do
    crosswind completion $shell >script.$shell
    if command -v $shell >/dev/null; then $shell -n script.$shell; fi
done
crosswind completion | same - script.bash
run crosswind completion ksh
run crosswind completion bash zsh
