// SPDX-License-Identifier: Apache-2.0
// Stands in the place of the bundle where npm was missing or could not fetch d3-flame-graph when this
// program was built. The page then shows lists instead (profile_list.js).

export const flamegraph = null;
export const select = null;
