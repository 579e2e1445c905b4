# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What scripts of the guest begin with (guest.py puts it before each of them).
set -eu
OUT=/t/out
cgroups=/sys/fs/cgroup

die() {
    echo "guest: $*" >&2
    exit 1
}

make_cgroup() {
    mkdir -p "$cgroups$1"
}

# enter CGROUP COMMAND...: becomes the command, in that cgroup
enter() {
    echo 0 >"$cgroups$1/cgroup.procs"
    shift
    exec "$@"
}

# start_exporter CONFIG [WRAPPER...]: with that file of /t, in a cgroup of its own; returns when it
# is ready
start_exporter() {
    config=$1
    shift
    make_cgroup /exporter
    enter /exporter "$@" pmu_exporter --config.file="/t/$config" \
        --web.listen-address=127.0.0.1:10138 2>>"$OUT/exporter.log" &
    exporter=$!
    for _ in $(seq 200); do
        if wget -q -O /dev/null http://127.0.0.1:10138/-/ready 2>/dev/null; then
            return 0
        fi
        sleep 0.05
    done
    die "the exporter is not ready"
}

stop_exporter() {
    kill "$exporter"
    wait "$exporter"
}

# scrape NAME: into $OUT, with the time
scrape() {
    cut -d ' ' -f 1 /proc/uptime >"$OUT/$1.at"
    wget -q -O "$OUT/$1" http://127.0.0.1:10138/metrics
}

# On a bare v2 tree no cgroup but the root can be counted until a controller was once enabled.
enable_counting() {
    echo +pids >"$cgroups/cgroup.subtree_control"
}

# This script and what it starts have a cgroup too, so that nothing is without.
make_cgroup /rest
echo 0 >"$cgroups/rest/cgroup.procs"
