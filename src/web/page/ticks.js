// SPDX-License-Identifier: Apache-2.0
//
// Where the axis of time has its labels: at round times of the reader's own clock.

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
       86400, 2 * 86400, 7 * 86400, 14 * 86400, 28 * 86400];
const DAY = 86400;

// Seconds by which the reader's clock is ahead of UTC at that time.
function offset(time) {
  return -new Date(time * 1000).getTimezoneOffset() * 60;
}

const two = (number) => String(number).padStart(2, "0");
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

// The day stands where it begins, else hours and minutes, with seconds if the step needs them.
function label(time, step) {
  const date = new Date(time * 1000);
  if (date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0) {
    return `${DAYS[date.getDay()]} ${date.getDate()} ${MONTHS[date.getMonth()]}`;
  }
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return step < 60 ? `${minutes}:${two(date.getSeconds())}` : minutes;
}

// At most `most` labels: [{time, label}]. One that would be cut off at the end is left out.
export function timeTicks(start, end, most) {
  const room = (end - start) * 0.2 / Math.max(most, 1);
  const step = STEPS.find((each) => (end - start) / each <= Math.max(most, 1)) ?? STEPS.at(-1);
  const ticks = [];
  let time = start;
  for (;;) {
    const ahead = offset(time);
    time = Math.ceil((time + ahead) / step) * step - ahead;
    time += step >= 3600 ? ahead - offset(time) : 0; // where the clock was put forward or back
    if (time > end - room) {
      return ticks;
    }
    ticks.push({time, label: label(time, Math.min(step, DAY))});
    time += step / 2;
  }
}

// "17:42:05", with the day where the range is longer than one.
export function timeWords(time, span = 0) {
  const date = new Date(time * 1000);
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return span < DAY * 0.9 ? clock
    : `${date.getDate()} ${MONTHS[date.getMonth()]} ${clock}`;
}

// "22 Nov 17:00:00 to 18:00:00"
export function rangeWords(start, end) {
  const days = [start, end].map((time) => {
    const date = new Date(time * 1000);
    return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
  });
  const from = `${days[0]} ${timeWords(start)}`;
  return `${from} to ${days[0] === days[1] ? "" : `${days[1]} `}${timeWords(end)}`;
}
