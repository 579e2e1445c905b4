# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Functions for the scripts of the guest; guest.py puts this text before each of them.
#
# While the guest waits for a file of the host, its time leaps to whatever is due next. So nothing
# may wait for such a file while something is measured: init copies $OUT to the host when the script
# has ended, and programs are copied and their libraries read before it begins.
set -eu
OUT=/tmp/out
cgroups=/sys/fs/cgroup # scripts run in /rest

die() {
    echo "guest: $*" >&2
    exit 1
}

# wait_until CONDITION: a command, for a minute at the most
wait_until() {
    for _ in $(seq 600); do
        ! eval "$1" || return 0
        sleep 0.1
    done
    die "in vain: $1"
}

make_cgroup() {
    mkdir -p "$cgroups$1"
}

# enter CGROUP COMMAND...: the shell becomes the command, in that cgroup
enter() {
    echo 0 >"$cgroups$1/cgroup.procs"
    shift
    exec "$@"
}

# start_exporter CONFIG [WRAPPER...]: starts the exporter with that file of /t, in its own cgroup.
# Returns when it has numbers, which it has also where it may count nothing and is not ready.
start_exporter() {
    config=$1
    shift
    make_cgroup /exporter
    enter /exporter "$@" pmu_exporter --config.file="/t/$config" \
        --web.listen-address=127.0.0.1:10138 --control.socket=/tmp/control 2>>"$OUT/exporter.log" &
    exporter=$!
    for _ in $(seq 600); do
        if wget -q -O /dev/null http://127.0.0.1:10138/metrics 2>/dev/null; then
            return 0
        fi
        sleep 0.05
    done
    die "the exporter has no numbers"
}

stop_exporter() {
    kill "$exporter"
    wait "$exporter"
}

# scrape NAME: writes a scrape to $OUT/NAME, and its time to $OUT/NAME.at
scrape() {
    cut -d ' ' -f 1 /proc/uptime >"$OUT/$1.at"
    wget -q -O "$OUT/$1" http://127.0.0.1:10138/metrics
}

# scrape_until NAME PATTERN PID: scrapes until there is such a line, or that process has ended
scrape_until() {
    until scrape "$1" && grep -q "$2" "$OUT/$1" || ! kill -0 "$3"; do
        sleep 0.2
    done
}

# On a bare v2 tree no cgroup but the root can be counted until a controller was once enabled.
enable_counting() {
    echo +pids >"$cgroups/cgroup.subtree_control"
}

# read_ahead PROGRAM: reads the program and its libraries, so that they are in memory
read_ahead() {
    /lib/ld-linux-aarch64.so.1 --list "$1" | awk '$3 ~ "/" { print $3 }' | xargs cat "$1" >/dev/null
}

# Copies perf and its libraries: run it as /tmp/perf/perf with LD_LIBRARY_PATH=/tmp/perf.
install_perf() {
    mkdir /tmp/perf
    LD_LIBRARY_PATH=/perf /lib/ld-linux-aarch64.so.1 --list /perf/perf |
        awk '$3 ~ "^/perf/" { print $3 }' | xargs sh -c 'cp /perf/perf "$@" /tmp/perf' sh
}
