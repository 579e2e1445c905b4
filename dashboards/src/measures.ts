// SPDX-License-Identifier: Apache-2.0

// What is shown of a target, whatever kind it is. A measure is written over events; who shows
// it says what the count of an event is (of one service or all, per second or over the range,
// now or a week ago).

import { quotient } from "./promql";
import { Level, levels } from "./thresholds";

/**
 * The count of an event, summed over hosts; `where`: only over those that count that event too.
 * Events are the rest of their metric's name, behind the prefix of a scope.
 */
export type Count = (event: string, where?: string) => string;

export interface Measure {
  title: string;
  unit: string;
  description: string;
  levels: Level[];
  of: (count: Count) => string;
}

/** Of two events of one group: who counts the one counts the other. */
function share(part: string, whole: string): (count: Count) => string {
  return (count) => quotient(count(part), count(whole));
}

/** Of two events of which some hosts may count the second alone: those stay out of the sum. */
function shareWhereCounted(part: string, whole: string): (count: Count) => string {
  return (count) => quotient(count(part), count(whole, part));
}

function perKiloInstruction(event: string): (count: Count) => string {
  const share = shareWhereCounted(event, "instructions_total");
  return (count) => `1000 * ${share(count)}`;
}

function each(event: string): (count: Count) => string {
  return (count) => count(event);
}

export const instructionsPerCycle: Measure = {
  title: "Instructions per cycle",
  unit: "none",
  description:
    "Instructions executed in a cycle of the CPU's clock. It differs from program to program: " +
    "compare it with the same one's past. Far below 1 it mostly waits for memory.",
  levels: levels.falling(1, 0.5),
  of: share("instructions_total", "cycles_total"),
};

export const cpusUsed: Measure = {
  title: "CPUs used",
  unit: "none",
  description: "CPU time in a second, by the clock of the tasks: 1 is a CPU that is always busy.",
  levels: levels.none,
  of: each("task_clock_seconds_total"),
};

export const clockFrequency: Measure = {
  title: "Clock while it runs",
  unit: "hertz",
  description:
    "Cycles in a second of CPU time: the frequency that the CPUs gave it. Lower than a week ago " +
    "at the same load: less turbo, or throttling.",
  levels: levels.none,
  of: shareWhereCounted("cycles_total", "task_clock_seconds_total"),
};

export const branchMissRatio: Measure = {
  title: "Branches predicted wrongly",
  unit: "percentunit",
  description: "Share of the executed branches that the CPU had predicted wrongly.",
  levels: levels.rising(0.02, 0.05),
  of: share("branch_misses_total", "branches_total"),
};

export const branchMissesPerKilo: Measure = {
  title: "Branch misses in 1000 instructions",
  unit: "none",
  description: "Wrongly predicted branches in 1000 instructions: each costs some 10 to 20 cycles.",
  levels: levels.rising(5, 15),
  of: perKiloInstruction("branch_misses_total"),
};

export const cacheMissRatio: Measure = {
  title: "Cache miss ratio",
  unit: "percentunit",
  description:
    "Share of the accesses to the cache before memory, usually the last level, that memory had " +
    "to serve. Counted where a group has cache-references and cache-misses.",
  levels: levels.rising(0.3, 0.6),
  of: share("cache_misses_total", "cache_references_total"),
};

export const cacheMissesPerKilo: Measure = {
  title: "Cache misses in 1000 instructions",
  unit: "none",
  description: "Misses of the cache before memory in 1000 instructions.",
  levels: levels.rising(5, 20),
  of: perKiloInstruction("cache_misses_total"),
};

export const l1dMissesPerKilo: Measure = {
  title: "L1 data misses in 1000 instructions",
  unit: "none",
  description:
    "Loads that missed the first level data cache in 1000 instructions. Counted where a group " +
    "has L1-dcache-load-misses.",
  levels: levels.rising(30, 80),
  of: perKiloInstruction("l1_dcache_load_misses_total"),
};

export const llcMissesPerKilo: Measure = {
  title: "Last level misses in 1000 instructions",
  unit: "none",
  description:
    "Loads that missed the last level cache in 1000 instructions, each some 100 ns of waiting. " +
    "Counted where a group has LLC-load-misses.",
  levels: levels.rising(2, 10),
  of: perKiloInstruction("llc_load_misses_total"),
};

export const dtlbMissesPerKilo: Measure = {
  title: "Data TLB misses in 1000 instructions",
  unit: "none",
  description:
    "Loads whose address had to be translated by a walk of page tables, in 1000 instructions: " +
    "many are a case for huge pages. Counted where a group has dTLB-load-misses.",
  levels: levels.rising(2, 10),
  of: perKiloInstruction("dtlb_load_misses_total"),
};

export const frontendStalls: Measure = {
  title: "Stalled for instructions",
  unit: "percentunit",
  description:
    "Share of cycles in which no instruction could be issued: code that misses caches, or " +
    "branches. Counted where a group has stalled-cycles-frontend.",
  levels: levels.rising(0.3, 0.6),
  of: shareWhereCounted("stalled_cycles_frontend_total", "cycles_total"),
};

export const backendStalls: Measure = {
  title: "Stalled for data",
  unit: "percentunit",
  description:
    "Share of cycles in which no instruction could be completed: memory, or busy units. " +
    "Counted where a group has stalled-cycles-backend.",
  levels: levels.rising(0.4, 0.7),
  of: shareWhereCounted("stalled_cycles_backend_total", "cycles_total"),
};

export const contextSwitches: Measure = {
  title: "Context switches",
  unit: "cps",
  description: "Switches from one task to another in a second.",
  levels: levels.none,
  of: each("context_switches_total"),
};

export const switchesPerCpuSecond: Measure = {
  title: "Context switches in a second of CPU time",
  unit: "none",
  description:
    "Switches for each second that it ran, whatever the load: locks, small requests, or too " +
    "many threads. At some 2 us each, 20,000 take 4 % of the time, and 100,000 a fifth.",
  levels: levels.rising(20000, 100000),
  of: share("context_switches_total", "task_clock_seconds_total"),
};

export const migrations: Measure = {
  title: "Migrations",
  unit: "cps",
  description: "Moves of a task to another CPU in a second: its caches stay behind.",
  levels: levels.none,
  of: each("cpu_migrations_total"),
};

export const pageFaults: Measure = {
  title: "Page faults",
  unit: "cps",
  description: "Page faults in a second: first touches of memory, and what comes from disk.",
  levels: levels.none,
  of: each("page_faults_total"),
};
