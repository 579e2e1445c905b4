// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";

import { changeColour, frameColour, hex, hueOf, matchColour, quietColour, rgbOf, TEXT }
  from "../../src/web/page/profile_colours.js";

const KINDS = [["kernel", "[kernel]"], ["kernel", "nf_tables"], ["jit", "perf-1.map"], ["note", ""],
  ...Array.from({ length: 60 }, (_, i) => ["user", `lib${i}.so`])];
const functions = KINDS.flatMap(([kind, owner]) => Array.from({ length: 20 }, (_, i) =>
  ({ kind, owner, name: `function_${i * 37}` })));

/* Relative luminance and contrast as WCAG 2 defines them. */
function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => part / 255).map((part) =>
    (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

for (const theme of ["light", "dark"])
  test(`texts can be read on all colours, ${theme}`, () => {
    const steps = [0, 0.25, 0.5, 0.75, 1];
    const all = [...functions.map((of) => frameColour(of, theme)), quietColour(theme), matchColour(theme),
      ...steps.flatMap((step) => [1, -1].map((way) => changeColour(way, step, theme)))];
    for (const colour of all)
      assert.ok(contrast(colour, TEXT[theme]) >= 4.5,
        `${hex(colour)}: ${contrast(colour, TEXT[theme]).toFixed(2)}`);
  });

test("kinds and owners have their colours, and these stay", () => {
  assert.equal(hueOf({ kind: "user", owner: "libc.so.6" }), hueOf({ kind: "user", owner: "libc.so.6" }));
  const hues = new Set(KINDS.slice(0, 3).map(([kind, owner]) => hueOf({ kind, owner })));
  assert.equal(hues.size, 3);
  for (const [kind, owner] of KINDS.slice(4)) assert.ok(!hues.has(hueOf({ kind, owner })), owner);
});

test("what is no function is grey", () => {
  const grey = frameColour({ kind: "note", owner: "", name: "[truncated]" }, "light");
  assert.ok(Math.max(...grey) - Math.min(...grey) < 12);
});

test("more is red, less is blue, and the stronger the change the stronger the colour", () => {
  const strength = (rgb) => Math.max(...rgb) - Math.min(...rgb);
  for (const theme of ["light", "dark"]) {
    const [red, , blue] = changeColour(1, 1, theme);
    assert.ok(red > blue);
    assert.ok(changeColour(-1, 1, theme)[2] > changeColour(-1, 1, theme)[0]);
    assert.ok(strength(changeColour(1, 1, theme)) > strength(changeColour(1, 0, theme)));
  }
});

test("a hue becomes red, green and blue", () => {
  assert.deepEqual([rgbOf(0, 100, 50), rgbOf(120, 100, 50), rgbOf(240, 100, 50), rgbOf(0, 0, 50)],
    [[255, 0, 0], [0, 255, 0], [0, 0, 255], [128, 128, 128]]);
  assert.equal(hex([1, 171, 255]), "#01abff");
});
