// SPDX-License-Identifier: MIT
// Energies and measurements over time, with a line at the time of the picture; a click goes to that time.
import uPlot from 'uplot';
import { digits, el } from './dom.ts';
import { lineStyle } from './lines.ts';
import type { Run, TableData } from './run.ts';

const HEIGHT = 150;
const NOT_SHOWN = new Set(['time', 'step']);

interface Line {
  label: string;
  run: number;
  column: number;
}

interface ChartPlan {
  key: string;
  title: string;
  unit: string;
  table: string;
  lines: Line[];
}

/** Which charts there are: one for each table and unit, with a line for each column and run. */
export function planCharts(runs: readonly Run[]): ChartPlan[] {
  const plans = new Map<string, ChartPlan>();
  for (const run of runs) {
    for (const [name, table] of run.tables) {
      table.columns.forEach((column, c) => {
        if (NOT_SHOWN.has(column)) return;
        const unit = table.units[c];
        const key = `${name} ${unit}`;
        let plan = plans.get(key);
        if (!plan) {
          plan = { key, title: name === 'energy' ? 'Energy' : 'Measurements', unit, table: name, lines: [] };
          plans.set(key, plan);
        }
        const label = runs.length > 1 ? `${column} (${run.index + 1})` : column;
        plan.lines.push({ label, run: run.index, column: c });
      });
    }
  }
  return [...plans.values()];
}

function columnOf(table: TableData | undefined, column: number): (number | null)[] {
  return (table?.rows ?? []).map((row) => (Number.isFinite(row[column]) ? row[column] : null));
}

/** Times and lines on one common axis of times. */
function chartData(plan: ChartPlan, runs: readonly Run[]): uPlot.AlignedData {
  const parts: uPlot.AlignedData[] = [];
  for (const run of runs) {
    const lines = plan.lines.filter((line) => line.run === run.index);
    const table = run.tables.get(plan.table);
    if (lines.length === 0 || !table) continue;
    const times = table.rows.map((row) => row[table.columns.indexOf('time')]);
    parts.push([times, ...lines.map((line) => columnOf(table, line.column))]);
  }
  if (parts.length === 0) return [[]];
  return parts.length === 1 ? parts[0] : uPlot.join(parts);
}

class Chart {
  readonly box = el('div', { class: 'chart' });
  private readonly now = el('div', { class: 'now' });
  private readonly plot: uPlot;
  private time = 0;

  constructor(
    readonly plan: ChartPlan,
    runs: readonly Run[],
    width: number,
    seek: (time: number) => void,
  ) {
    const grid = { stroke: '#ffffff14', width: 1 };
    const ticks = { stroke: '#ffffff22', width: 1, size: 4 };
    const axis = { stroke: '#9aa1ad', grid, ticks, font: '11px system-ui, sans-serif', gap: 3 };
    const columns = [...new Set(plan.lines.map((line) => line.column))];
    this.plot = new uPlot(
      {
        width,
        height: HEIGHT,
        scales: { x: { time: false } },
        legend: { live: true },
        cursor: { drag: { x: true, y: false }, points: { size: 5 } },
        axes: [
          { ...axis, size: 24, values: (_, v) => v.map((x) => `${digits(x)} s`), space: 60 },
          { ...axis, size: 52, values: (_, v) => v.map((x) => digits(x, 3)) },
        ],
        series: [
          { label: 'time', value: (_, v) => (v === null ? '' : `${digits(v)} s`) },
          ...plan.lines.map((line) => ({
            label: line.label,
            ...lineStyle(columns.indexOf(line.column), line.run),
            width: 1.5,
            spanGaps: true,
            points: { show: false },
            value: (_: uPlot, v: number | null) => (v === null ? '–' : digits(v)),
          })),
        ],
        hooks: { draw: [() => this.place()], setCursor: [(u) => u.cursor.idx === null && this.legend()] },
      },
      chartData(plan, runs),
      this.box,
    );
    this.plot.over.append(this.now);
    this.bindClick(seek);
  }

  /** A click goes to its time; a drag, which zooms, does not. */
  private bindClick(seek: (time: number) => void): void {
    const { over } = this.plot;
    let down = 0;
    over.style.cursor = 'pointer';
    over.addEventListener('mousedown', (e) => (down = e.clientX));
    over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - down) < 4) seek(this.plot.posToVal(e.clientX - over.getBoundingClientRect().left, 'x'));
    });
  }

  update(runs: readonly Run[]): void {
    this.plot.setData(chartData(this.plan, runs));
    this.legend();
  }

  resize(width: number): void {
    this.plot.setSize({ width, height: HEIGHT });
  }

  setTime(time: number): void {
    this.time = time;
    this.place();
    this.legend();
  }

  private place(): void {
    const { plot, now } = this;
    if (!plot) return; // the first drawing, from within the constructor
    const x = plot.valToPos(this.time, 'x');
    now.hidden = !(x >= -1 && x <= plot.over.clientWidth + 1);
    now.style.left = `${x - 0.75}px`;
    now.style.height = '100%';
  }

  /** Values at the time of the picture, unless the mouse asks for others. */
  private legend(): void {
    const { plot } = this;
    if (!plot || (plot.cursor.left ?? -1) >= 0 || plot.data[0].length === 0) return;
    plot.setLegend({ idx: nearest(plot.data[0] as number[], this.time) }, false);
  }
}

function nearest(sorted: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= x) low = middle;
    else high = middle;
  }
  return x - sorted[low] <= sorted[high] - x ? low : high;
}

export class Charts {
  readonly section = el('section', {}, el('h2', {}, 'Charts'));
  private charts: Chart[] = [];
  private readonly list = el('div', {});

  constructor(
    private readonly runs: readonly Run[],
    private readonly seek: (time: number) => void,
  ) {
    this.section.append(this.list);
    this.section.hidden = true;
    // Not at once: a chart that changes its size within the observer would call it again.
    const resize = (): void => this.charts.forEach((chart) => chart.resize(this.width()));
    new ResizeObserver(() => requestAnimationFrame(resize)).observe(this.list);
  }

  private width(): number {
    return Math.max(160, this.list.clientWidth);
  }

  /** Tables have new rows or columns. */
  update(time: number): void {
    const plans = planCharts(this.runs);
    this.section.hidden = plans.length === 0;
    const shape = (list: ChartPlan[]): string => JSON.stringify(list);
    if (shape(plans) === shape(this.charts.map((chart) => chart.plan))) {
      for (const chart of this.charts) chart.update(this.runs);
    } else {
      this.list.replaceChildren();
      this.charts = plans.map((plan) => {
        const unit = plan.unit ? `, ${plan.unit}` : '';
        const chart = new Chart(plan, this.runs, this.width(), this.seek);
        this.list.append(el('div', { class: 'quiet' }, plan.title + unit), chart.box);
        return chart;
      });
    }
    this.setTime(time);
  }

  setTime(time: number): void {
    for (const chart of this.charts) chart.setTime(time);
  }

  get count(): number {
    return this.charts.length;
  }
}
