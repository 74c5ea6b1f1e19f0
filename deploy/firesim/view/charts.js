// SPDX-License-Identifier: BSD-3-Clause
// Charts of what grows, by uPlot. Pull across one to zoom in, press it twice to see all again.
const CHART_PX = 190, LABEL_PX = 76, LINE_PX = 30, TICK_SPACE_PX = 64;

// Returns what shows points in a figure; x and y have a label and turn a value into words.
function chartIn(figure, x, y) {
  if (!figure) return () => {}; // uPlot is not here: there are tables.
  const wide = () => figure.firstElementChild.clientWidth; // Of its caption: without the padding.
  const words = (one) => (_, value) => (value === null ? "" : one.words(value));
  const axis = (one) => ({
    stroke: () => colour("--soft"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { show: false },
    space: TICK_SPACE_PX,
    values: (_, values) => values.map(one.words),
  });
  const made = new uPlot({
    width: wide(),
    height: CHART_PX,
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, 1.05 * high || 1] } },
    axes: [{ ...axis(x), size: LINE_PX }, { ...axis(y), size: LABEL_PX, space: LINE_PX }],
    series: [
      { label: x.label, value: words(x) },
      { label: y.label, value: words(y), stroke: () => colour("--s0"), width: 1.6, points: { show: false } },
    ],
    cursor: { drag: { x: true, y: false } },
  }, [[], []], figure);
  new ResizeObserver(() => made.setSize({ width: wide(), height: CHART_PX })).observe(figure);
  onScheme(() => made.redraw());
  return (points) => {
    const [before] = made.data, { min, max } = made.scales.x;
    const isZoomed = before.length > 1 && (min > before[0] || max < before.at(-1));
    made.setData([points.map(([at]) => at), points.map(([, value]) => value)], !isZoomed);
    if (isZoomed) made.redraw();
  };
}

// A number in a few letters, with its unit: 1.25 MHz.
function short(value, unit = "") {
  const thousands = Math.min(4, Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1) / 3)));
  return `${Number((value / 1000 ** thousands).toPrecision(3))} ${["", "k", "M", "G", "T"][thousands]}${unit}`.trim();
}
