// SPDX-License-Identifier: Apache-2.0
//
// Series of several targets, each with times of its own, as the rows of one table: what a plot with
// one axis of time takes. In a row, a number is a value, NaN says that the series has a gap there,
// and null that it has nothing to say at this time, so that its line passes by.

// A series {times, values} with NaN where a value is unknown, and one more NaN where there is none
// for longer than steps usually take.
export function withGaps(series, step) {
  const times = [];
  const values = [];
  for (let i = 0; i < series.times.length; i++) {
    if (i > 0 && series.times[i] - series.times[i - 1] > 2.5 * step) {
      times.push(series.times[i - 1] + step);
      values.push(NaN);
    }
    times.push(series.times[i]);
    values.push(series.values[i] ?? NaN);
  }
  return {times, values};
}

// Rows [time, value of series 0, value of series 1, …]. Times that differ by less than half a step
// are one row: the targets were read in the same cycle. No value is lost and none moves further. A
// series that has a step of its own is coarser than the others.
export function aligned(allSeries, step) {
  const tracks = allSeries.map((series) => withGaps(series, series.step ?? step));
  const next = tracks.map(() => 0);
  const rows = [];
  for (;;) {
    let time = Infinity;
    tracks.forEach((track, i) => {
      time = Math.min(time, track.times[next[i]] ?? Infinity);
    });
    if (time === Infinity) {
      return rows;
    }
    const row = [time];
    tracks.forEach((track, i) => {
      const is = track.times[next[i]] < time + step / 2;
      row.push(is ? track.values[next[i]] : null);
      next[i] += is ? 1 : 0;
    });
    rows.push(row);
  }
}

// The same series, shown later by so many seconds.
export function later(series, seconds) {
  return {times: series.times.map((time) => time + seconds), values: series.values};
}

// The place of the time that is nearest, or -1 where there is none. The times ascend.
export function nearest(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const before = low > 0 && time - times[low - 1] <= times[low] - time;
  return times.length === 0 ? -1 : low - (before ? 1 : 0);
}

// The value of a series at that time, or null if it has none within one step of it.
export function valueAt(series, time, step) {
  const i = nearest(series.times, time);
  return i >= 0 && Math.abs(series.times[i] - time) <= step ? series.values[i] ?? null : null;
}

// Adds a point behind the last one, and drops what is before `start`. Returns whether it was new:
// the same point may come from the history and from the live feed.
export function append(series, time, value, start, step) {
  const last = series.times.at(-1);
  if (last !== undefined && time < last + step / 4) {
    return false;
  }
  series.times.push(time);
  series.values.push(value);
  let old = 0;
  while (series.times[old] < start) {
    old++;
  }
  series.times.splice(0, old);
  series.values.splice(0, old);
  return true;
}

// Number, mean and standard deviation of what is known in [start, end); null where nothing is.
export function summary(series, start, end) {
  const known = series.values.filter((value, i) => Number.isFinite(value) &&
    series.times[i] >= start && series.times[i] < end);
  if (known.length === 0) {
    return null;
  }
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {n: known.length, mean,
      spread: known.length > 1 ? Math.sqrt(squares / (known.length - 1)) : null,
      least: Math.min(...known), most: Math.max(...known)};
}
