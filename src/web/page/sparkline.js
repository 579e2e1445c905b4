// SPDX-License-Identifier: Apache-2.0
// Small curves on a canvas.

const STEPS = 100;

let colours = null;
document.addEventListener("theme", () => { colours = null; });

function readColours() {
  const style = getComputedStyle(document.documentElement);
  colours = { line: style.getPropertyValue("--accent"), fill: style.getPropertyValue("--accent-ground") };
}

/* A backing store as large as the element has pixels; its size is looked up once. */
function prepare(canvas) {
  const ratio = devicePixelRatio || 1;
  if (canvas.dataset.ratio !== String(ratio)) {
    canvas.dataset.ratio = String(ratio);
    const { clientWidth, clientHeight } = canvas;
    canvas.width = Math.round(clientWidth * ratio);
    canvas.height = Math.round(clientHeight * ratio);
  }
  return ratio;
}

/* Points that fall into the same hundredth become their mean, so that a curve is as smooth where
 * points came live, one a second, as where the history had fewer. */
function thin({ times, values }, since, until) {
  const step = (until - since) / STEPS, thinned = { times: [], values: [] };
  let bin = -1, n = 0;
  times.forEach((time, i) => {
    if (time < since) return;
    const at = Math.floor((time - since) / step), last = thinned.values.length - 1;
    if (at === bin && values[i] !== null && thinned.values[last] !== null) {
      thinned.values[last] += (values[i] - thinned.values[last]) / ++n;
      return;
    }
    bin = at;
    n = 1;
    thinned.times.push(time);
    thinned.values.push(values[i]);
  });
  return thinned;
}

/* The runs of points that are known, as lists of places on the canvas. */
function segments({ times, values }, since, until, width, height, ratio) {
  const known = values.filter((value) => value !== null);
  const top = Math.max(...known, 1e-9);
  const inset = ratio * 1.5;
  const all = [];
  let standing = null;
  values.forEach((value, i) => {
    if (value === null) {
      standing = null;
      return;
    }
    if (!standing) all.push(standing = []);
    standing.push([(times[i] - since) / (until - since) * width,
      height - inset - value / top * (height - 2 * inset)]);
  });
  return all;
}

/** Draws the last `seconds` of a curve, from 0 to its own maximum. */
export function drawSparkline(canvas, curve, seconds, until) {
  if (!colours) readColours();
  const ratio = prepare(canvas);
  const { width, height } = canvas;
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, width, height);
  pen.lineWidth = ratio * 1.25;
  pen.lineJoin = "round";
  const thinned = thin(curve, until - seconds, until);
  for (const points of segments(thinned, until - seconds, until, width, height, ratio)) {
    pen.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)));
    pen.strokeStyle = colours.line;
    pen.stroke();
    pen.lineTo(points.at(-1)[0], height);
    pen.lineTo(points[0][0], height);
    pen.fillStyle = colours.fill;
    pen.globalCompositeOperation = "destination-over";
    pen.fill();
    pen.globalCompositeOperation = "source-over";
  }
}
