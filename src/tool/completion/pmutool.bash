# SPDX-License-Identifier: Apache-2.0
# bash completion for pmutool. Needs nothing but bash 4.4; bash-completion loads it by its name.

# The options of each command, as --help has them; those with a value end in "=".
declare -gA _pmutool_options=(
    [annotate]="--duration= --end= --json --owner= --range= --socket= --start= -d"
    [check budget]="--json --scrape-interval= --targets= -i -n"
    [check config]="--json"
    [check web-config]="--json"
    [check event]="--filter= --json --path.sysfs="
    [encode]="--filter= --json --path.sysfs="
    [events]="--available --json --kind= --names --path.sysfs= --pmu= --try"
    [latency]="--duration= --json --kind= --socket= -d"
    [mark]="--json --socket= --time="
    [marks]="--json --socket="
    [pause]="--json --socket="
    [profile]="--diff= --diff-target= --duration= --end= --format= --json --lines= --measure= --min=
        --output= --range= --socket= --start= -d -n -o"
    [record]="--all-cpus --cgroup= --duration= --event= --format= --freq= --json --lines= --output=
        --pid= --process= --socket= --title= -F -G -a -d -e -g -n -o -p"
    [reload]="--json --socket="
    [runs]="--duration= --event= --free --interval= --json --notes= --socket= --target= -d -e -i"
    [schedule]="--duration= --json --lines= --output= --run= --socket= --timehist --title= -d -n -o"
    [stat]="--all-cpus --append --cgroup= --config.file= --cpu= --csv --duration= --event=
        --field-separator= --filter= --group= --interval-print= --json --no-aggr --output= --pid=
        --repeat= --run= --socket= --tid= -A -C -G -I -a -d -e -g -o -p -r -t -x"
    [top]="--batch --delay= --idle --iterations= --json --reverse --show= --socket= --sort=
        --standalone --tree -b -d -i -n -r -s -t -w"
)
_pmutool_common="--help --usage --version -h"

# What pmutool says of events that begin so, in a list with commas the last of them.
_pmutool_events() {
    local before= last=${1##*,} name
    [[ $1 == *,* ]] && before=${1%,*},
    "${COMP_WORDS[0]}" events --names "$last*" 2>/dev/null | while IFS= read -r name; do
        [[ $name == "$last"* ]] && printf '%s\n' "$before$name"
    done
}

# The values of an option of a command, for what is typed of one.
_pmutool_values() {
    local command=$1 option=$2 typed=$3
    case "$command $option" in
    *" --path.sysfs") compgen -d -- "$typed" ;;
    *" --socket" | *" --config.file" | "stat --output" | "stat -o" | "schedule --output" | "schedule -o" | \
        "profile --output" | "profile -o" | "record --output" | "record -o") compgen -f -- "$typed" ;;
    "events --kind")
        compgen -W "hardware software cache raw pmu libpfm4 tracepoint probe" -- "$typed"
        ;;
    "latency --kind")
        compgen -W "run_queue on_cpu off_cpu block_io interrupts kvm tcp system_calls spans" -- "$typed"
        ;;
    "profile --diff") compgen -W "previous hour day week mark: run:" -- "$typed" ;;
    "profile --diff-target") compgen -W "machine cgroup: process: run:" -- "$typed" ;;
    "profile --format" | "record --format")
        compgen -W "table tree collapsed speedscope pprof json" -- "$typed"
        ;;
    "profile --measure") compgen -W "shares time" -- "$typed" ;;
    "stat --event" | "stat -e" | "runs --event" | "runs -e" | "record --event" | "record -e") _pmutool_events "$typed" ;;
    "top --sort" | "top -s")
        compgen -W "cpus ipc cache-misses branch-misses switches migrations faults name" -- "$typed"
        ;;
    "top --show" | "top -w") compgen -W "cgroups processes all" -- "$typed" ;;
    esac
}

# The words that a command takes; n of them stand there already, -- among them or not.
_pmutool_words() {
    local command=$1 typed=$2
    case $command in
    "check config" | "check budget" | "check web-config") compgen -f -- "$typed" ;;
    "check event" | encode | events) _pmutool_events "$typed" ;;
    annotate | latency) compgen -W "machine cgroup: process:" -- "$typed" ;;
    profile) compgen -W "machine cgroup: process: run:" -- "$typed" ;;
    schedule) compgen -W "machine cgroup: process: pid:" -- "$typed" ;;
    pause) compgen -W "off 1m 10m 1h" -- "$typed" ;;
    runs) compgen -W "list show compare csv start stop delete" -- "$typed" ;;
    record | stat) compgen -c -- "$typed" ;;
    esac
}

# The first words of commands that begin so: "check" is one word of several commands.
_pmutool_commands() {
    local command
    for command in "${!_pmutool_options[@]}"; do
        if [[ -z $1 ]]; then
            printf '%s\n' "${command%% *}"
        elif [[ $command == "$1 "* ]]; then
            printf '%s\n' "${command#"$1 "}"
        fi
    done | sort -u
}

# Whether the option of the command takes a value that is a word of its own.
_pmutool_takes_value() {
    local command=$1 option=$2
    case "$command $option" in
    annotate\ -d | latency\ -d | profile\ -[dno] | record\ -[FGdenop] | runs\ -[dei] | schedule\ -[dno] | stat\ -[CGIdegoprtx] | top\ -[dnsw]) return 0 ;;
    esac
    [[ " ${_pmutool_options[$command]//$'\n'/ } " == *" $option= "* ]]
}

_pmutool_candidates() {
    local typed=$1 command= option= word
    shift
    for word; do
        if [[ ( $command == stat || $command == record ) && $word == -- ]]; then
            compgen -c -f -- "$typed"
            return
        fi
        if [[ -n $option ]]; then
            option=
        elif [[ $word == -* ]]; then
            _pmutool_takes_value "$command" "$word" && option=$word
        elif [[ -z ${_pmutool_options[$command]+is} ]]; then
            command="$command${command:+ }$word"
        fi
    done
    if [[ -n $option ]]; then
        _pmutool_values "$command" "$option" "$typed"
    elif [[ $typed == --*=* ]]; then
        _pmutool_values "$command" "${typed%%=*}" "${typed#*=}" | while IFS= read -r word; do
            printf '%s\n' "${typed%%=*}=$word"
        done
    elif [[ $typed == -* ]]; then
        compgen -W "${_pmutool_options[$command]-"--socket="} $_pmutool_common" -- "$typed"
    elif [[ -z ${_pmutool_options[$command]+is} ]]; then
        compgen -W "$(_pmutool_commands "$command")" -- "$typed"
    else
        _pmutool_words "$command" "$typed"
    fi
}

# readline takes the characters of COMP_WORDBREAKS, as : and =, for ends of words; names of events
# hold them. So the line is split at spaces here, and a reply is only what readline replaces.
_pmutool() {
    local line=${COMP_LINE:0:COMP_POINT} typed= kept reply
    local -a words
    read -ra words <<<"$line"
    if [[ $line != *[[:space:]] ]]; then
        typed=${words[-1]}
        unset 'words[-1]'
    fi
    kept=${typed##*["$COMP_WORDBREAKS"]}
    COMPREPLY=()
    while IFS= read -r reply; do
        [[ $reply == *= ]] && compopt -o nospace
        COMPREPLY+=("${reply:${#typed}-${#kept}}")
    done < <(_pmutool_candidates "$typed" "${words[@]:1}")
}

complete -F _pmutool pmutool
