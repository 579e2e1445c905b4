// SPDX-License-Identifier: Apache-2.0
// Colours of frames: orange for the kernel, green for code that was made at run time, grey for what is
// no function, and others by their program or library. Texts on all of them have a contrast of at
// least 4.5 to 1, in the light and in the dark (tests/page/test_profile_colours.mjs).

const KERNEL = 28;
const MODULE = 48;
const JIT = 135;
const OWNERS = [208, 262, 188, 312, 232, 340, 286, 358];
const RED = 4;
const BLUE = 212;
const LOOK = { light: { saturation: 62, lightness: 80, least: 90, most: 68 },
  dark: { saturation: 42, lightness: 27, least: 22, most: 40 } };

export const TEXT = { light: [26, 31, 36], dark: [228, 232, 236] };

/** [red, green, blue] of a hue in degrees and percents of saturation and lightness. */
export function rgbOf(hue, saturation, lightness) {
  const light = lightness / 100;
  const strength = saturation / 100 * Math.min(light, 1 - light);
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - strength * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  });
}

export const hex = (rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/* A number of a text, the same at each time. */
function hash(text) {
  let sum = 2166136261;
  for (let i = 0; i < Math.min(text.length, 200); i++)
    sum = Math.imul(sum ^ text.charCodeAt(i), 16777619) >>> 0;
  return (sum ^ (sum >>> 15)) >>> 0;
}

export function hueOf({ kind, owner }) {
  if (kind === "kernel") return owner === "[kernel]" ? KERNEL : MODULE;
  return kind === "jit" ? JIT : OWNERS[hash(owner) % OWNERS.length];
}

/** The colour of a function. Names of one owner differ by a shade, so that neighbours can be told. */
export function frameColour(of, theme) {
  const { saturation, lightness } = LOOK[theme];
  if (of.kind === "note") return rgbOf(210, 6, theme === "light" ? 86 : 26);
  return rgbOf(hueOf(of), saturation, lightness + hash(of.name) % 7 - 3);
}

/** What has not changed, or not matched. */
export function quietColour(theme) {
  return rgbOf(210, 8, theme === "light" ? 91 : 20);
}

/** The colour of a change: red is more, blue less; strength is from 0 to 1. */
export function changeColour(direction, strength, theme) {
  const { least, most } = LOOK[theme];
  const at = 0.25 + 0.75 * Math.min(Math.max(strength, 0), 1);
  return rgbOf(direction > 0 ? RED : BLUE, theme === "light" ? 85 : 58, least + (most - least) * at);
}

/** What a search has found. */
export function matchColour(theme) {
  return theme === "light" ? rgbOf(292, 78, 78) : rgbOf(292, 52, 36);
}
