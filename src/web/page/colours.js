// SPDX-License-Identifier: Apache-2.0
//
// Colours for canvases, from the properties of time.css, where light and dark have theirs.

export const N_COLOURS = 8;

let known = null;

/** Forgets what was read, after the theme has changed. */
export function forgetColours() {
  known = null;
}

function properties() {
  if (!known) {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    known = {
      series: Array.from({ length: N_COLOURS }, (_, i) => read(`--series-${i}`)),
      grid: read("--line"),
      dark: read("--heat") === "dark",
    };
  }
  return known;
}

/** The colour of a series, "#rrggbb" with so much of it to be seen. */
export function colourOf(number, opacity = 1) {
  const hex = properties().series[number % N_COLOURS];
  const alpha = Math.round(opacity * 255).toString(16).padStart(2, "0");
  return `${hex}${alpha}`;
}

export function drawing() {
  return properties();
}

/** "light" or "dark". */
export function themeNow() {
  return properties().dark ? "dark" : "light";
}

// From nothing to all, each step as much lighter or darker as the one before: it can be read in
// grey, and by people who do not see red or green.
const LIGHT = [[247, 248, 250], [214, 229, 244], [166, 204, 230], [105, 166, 210], [52, 120, 183],
  [24, 76, 138], [10, 38, 84]];
const DARK = [[27, 32, 38], [28, 51, 86], [30, 82, 128], [33, 121, 152], [64, 163, 150],
  [140, 204, 125], [248, 232, 110]];

/** [red, green, blue] of a share from 0 to 1. */
export function heatColour(share) {
  const ramp = properties().dark ? DARK : LIGHT;
  const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1);
  const low = Math.min(Math.floor(at), ramp.length - 2);
  return [0, 1, 2].map((i) => Math.round(ramp[low][i] + (ramp[low + 1][i] - ramp[low][i]) * (at - low)));
}
