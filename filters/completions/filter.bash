# filter.bash - completes the command line of a filter of weir in bash
#
# It is installed under the name of each filter, and asks the filter itself what may
# be on its command line: opt_list() in common/filter/opt.h describes the answer.

_weir_filter()
{
	local cur=$2 prev=$3 operands= ended= letter name arg values help i
	local -A values_of=()	# the options that need a value
	local -a names=()

	# In --name=value, = is a word of its own.
	case = in
	"${COMP_WORDS[COMP_CWORD]}") cur= ;;
	"$prev") prev=${COMP_WORDS[COMP_CWORD - 2]} ;;
	esac
	while IFS=$'\t' read -r letter name arg values help; do
		if [[ $name == - ]]; then
			operands=$values
			continue
		fi
		names+=("$name")
		[[ $letter == - ]] || names+=("$letter")
		[[ $arg == - ]] || values_of[$letter]=$values \
			values_of[$name]=$values
	done < <("${1/#\~/$HOME}" --list-options 2>/dev/null)

	for ((i = 1; i < COMP_CWORD; i++)); do
		name=${COMP_WORDS[i]}
		if [[ $name == -- ]]; then
			ended=1
		elif [[ $ended || $name != -?* ]]; then
			[[ $operands != '<command>' ]] || break
		elif [[ ${values_of[$name]-} ]]; then
			[[ ${COMP_WORDS[i + 1]} != = ]] || ((i++))
			((i++))
		fi
	done

	if [[ $operands == '<command>' ]] && ((i < COMP_CWORD)); then
		_command_offset $i
		return
	elif ((i > COMP_CWORD)); then
		values=${values_of[$prev]}
	elif [[ ! $ended && $cur == -* ]]; then
		values=${names[*]}
	else
		values=$operands
	fi

	# Without an answer readline completes the names of files.
	case $values in
	'<file>') return ;;
	'<directory>') compopt +o default +o bashdefault -o dirnames ;;
	'<command>') COMPREPLY=($(compgen -c -- "$cur")) ;;
	-) compopt +o default +o bashdefault ;;
	*)
		compopt +o default +o bashdefault
		COMPREPLY=($(compgen -W "$values" -- "$cur")) ;;
	esac
}

complete -o bashdefault -o default -F _weir_filter "${BASH_SOURCE[0]##*/}"
