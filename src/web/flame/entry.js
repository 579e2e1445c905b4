// SPDX-License-Identifier: Apache-2.0
// What the page has of d3-flame-graph (profile_flame.js draws with it). Its style sheet stays out:
// profile.css knows both themes.

export { default as flamegraph } from "d3-flame-graph";
export { select } from "d3-selection";
