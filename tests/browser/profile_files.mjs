// SPDX-License-Identifier: Apache-2.0
// Reads profiles of several formats. All become samples by stack: frames from the root, with ";" between
// them, and without what collapsed stacks mark kernel and JIT, and name programs, with.

import { packages } from "./stage.mjs";

const { Profile } = packages("pprof-format");

/* Adds up the samples of equal stacks. */
function sumOf(stacks) {
  const sums = {};
  for (const [stack, n] of stacks) sums[stack] = (sums[stack] ?? 0) + n;
  return sums;
}

/** Of collapsed stacks. */
export const collapsedOf = (text) => sumOf(text.trim().split("\n").map((line) => {
  const space = line.lastIndexOf(" ");
  const stack = line.slice(0, space).replace(/_\[[kj]\](?=;|$)/g, "").replace(/(^|;)[^;`]*`/g, "$1");
  return [stack, Number(line.slice(space + 1))];
}));

/** Of a profile of pprof. */
export function pprofOf(bytes) {
  const { stringTable: { strings }, function: functions, location: locations, sample } = Profile.decode(bytes);
  const names = new Map(functions.map(({ id, name }) => [id, strings[name]]));
  const frames = new Map(locations.map(({ id, line }) => [id, names.get(line[0].functionId)]));
  return sumOf(sample.map(({ locationId, value }) =>
    [locationId.map((id) => frames.get(id)).reverse().join(";"), Number(value[0])]));
}
