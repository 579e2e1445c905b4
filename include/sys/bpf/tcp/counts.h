/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What the cells of the program for TCP count (sys/bpf/keyed.h). The program in the kernel and user
 * space share it. Detail and subject of its keys are 0.
 *
 * Whose: the cgroup in which the socket was made, in the hierarchy of cgroup v2; packets are
 * handled on behalf of whoever runs. Connects are counted for the process that called connect(2),
 * too, if it is watched. Retransmits are not: nothing tells the process of a socket.
 *
 * Distribution 0 has how long connects took that succeeded: from the first SYN until its answer has
 * been handled here.
 */
#define TCP_RETRANSMITS 0 /* segments that were sent again, as in RetransSegs of /proc/net/snmp */
#define TCP_CONNECTS    1 /* connections that were asked for and established */
#define TCP_FAILURES    2 /* that were refused, timed out, or were given up before */

/* The first bucket of the distribution counts up to 2^this s, 15 us; the last but one, 64 s. */
#define TCP_FIRST_EXPONENT (-16)
