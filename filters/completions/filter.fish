# filter.fish - completes the command line of a filter of weir in fish
#
# It is installed under the name of each filter, and asks the filter itself what may
# be on its command line: opt_list() in common/filter/opt.h describes the answer.

set -l filter (string replace -r '\.fish$' '' -- (status basename))
set -l with_value
set -l is_command

$filter --list-options 2>/dev/null | while read -d \t -l letter name arg values help
    set -l option -c $filter -l (string sub -s 3 -- $name) -d $help
    test $letter = -; or set -a option -s (string sub -s 2 -- $letter)
    test $arg = -; or set -a with_value $name $letter
    switch $name/$arg/$values
        case '-/*/<command>'
            set is_command yes
        case '-/*/<file>'
        case '-/*/<directory>'
            complete -c $filter -x -a '(__fish_complete_directories)'
        case '-/*'
            complete -c $filter -f
        case '*/-/*'
            complete $option
        case '*/<file>'
            complete $option -r -F
        case '*/<directory>'
            complete $option -x -a '(__fish_complete_directories)'
        case '*/-'
            complete $option -x
        case '*'
            complete $option -x -a "$values"
    end
end

test -z "$is_command"; or complete -c $filter -x \
    -a "(__fish_complete_subcommand -- $with_value)"
