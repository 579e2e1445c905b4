// SPDX-License-Identifier: Apache-2.0
//
// What is shown, as files: CSV with one row for each target and time (RFC 4180), and JSON.

function field(value) {
  const text = value === null || value === undefined || Number.isNaN(value) ? "" : String(value);
  // A spreadsheet takes a text that begins so for a formula.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// shown: [{target, times, columns: [{name, values}]}], as /api/v1/history has it.
export function toCsv(shown) {
  const names = [...new Set(shown.flatMap((one) => one.columns.map((column) => column.name)))];
  const lines = [["time", "target", ...names]];
  for (const one of shown) {
    const columns = names.map((name) => one.columns.find((column) => column.name === name));
    one.times.forEach((time, i) => {
      lines.push([time, one.target, ...columns.map((column) => column?.values[i])]);
    });
  }
  return lines.map((line) => `${line.map(field).join(",")}\r\n`).join("");
}

export function toJson(shown, start, end, step) {
  return `${JSON.stringify({start, end, step_seconds: step, targets: shown}, null, 1)}\n`;
}
