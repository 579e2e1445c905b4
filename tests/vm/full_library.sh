# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Functions for the scripts of the full guest; full_guest.py puts this text before each of them.
OUT=/tmp/out
PATH=/usr/bin:/usr/sbin:/guest/bin
unit=pmu_exporter.service

die() {
    echo "guest: $*" >&2
    systemctl status --no-pager $unit >&2 || true
    exit 1
}

wget() {
    busybox wget "$@"
}

is_ready() {
    wget -q -O /dev/null http://127.0.0.1:10138/-/ready 2>/dev/null
}

wait_until_ready() {
    for _ in $(seq 200); do
        ! is_ready || return 0
        sleep 0.1
    done
    die "the exporter is not ready"
}

# show NAME: writes what systemd knows of the service to $OUT/NAME.state
show() {
    systemctl show $unit >"$OUT/$1.state"
}

# scrape NAME: writes a scrape to $OUT/NAME, and its time to $OUT/NAME.at
scrape() {
    cut -d ' ' -f 1 /proc/uptime >"$OUT/$1.at"
    wget -q -O "$OUT/$1" http://127.0.0.1:10138/metrics
}
