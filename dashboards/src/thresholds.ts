// SPDX-License-Identifier: Apache-2.0

import { ThresholdsConfigBuilder, ThresholdsMode } from "@grafana/grafana-foundation-sdk/dashboard";

/** From this value on, this colour; null: from below all values. */
export interface Level {
  value: number | null;
  color: string;
}

export const levels = {
  /** For what has no bound that is true of all programs. */
  none: [{ value: null, color: "text" }] as Level[],

  /** High is bad. */
  rising: (doubtful: number, bad: number): Level[] => [
    { value: null, color: "green" },
    { value: doubtful, color: "yellow" },
    { value: bad, color: "red" },
  ],

  /** Low is bad. */
  falling: (doubtful: number, bad: number): Level[] => [
    { value: null, color: "red" },
    { value: bad, color: "yellow" },
    { value: doubtful, color: "green" },
  ],

  /** Counts: any at all is worth a look. */
  zeroIsBetter: [
    { value: null, color: "green" },
    { value: 1e-9, color: "yellow" },
  ] as Level[],

  /** One or more is as it should be. */
  oneIsGood: [
    { value: null, color: "red" },
    { value: 1, color: "green" },
  ] as Level[],

  /** Anything above 0 is bad. */
  zeroIsGood: [
    { value: null, color: "green" },
    { value: 1e-9, color: "red" },
  ] as Level[],
};

export function thresholds(steps: Level[]): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}
