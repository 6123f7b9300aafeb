// SPDX-License-Identifier: MIT
// The choice of a quantity, its legend, and the range its colours stand for.
import { mapGradient } from './colormap.ts';
import { digits, el } from './dom.ts';
import type { Quantity } from './protocol.ts';

export type RangeMode = 'run' | 'frame' | 'fixed';

export interface ColourEvents {
  quantity(name: string): void;
  range(): void;
}

export class Colours {
  readonly section = el('section', {}, el('h2', {}, 'Colour'));
  mode: RangeMode = 'run';
  private fixed: [number, number] = [0, 1];
  private frameRange: [number, number] | null = null;
  private quantities: Quantity[] = [];
  private readonly select = el('select', { 'aria-label': 'Colour by', id: 'quantity', class: 'grow' });
  private readonly legend = el('div', { class: 'legend' });
  private readonly bar = el('div', { class: 'bar', role: 'img' });
  private readonly ticks = el('div', { class: 'ticks number' });
  private readonly modes = el('select', { 'aria-label': 'Range of the colours', id: 'range-mode' });
  private readonly low = el('input', { type: 'number', step: 'any', 'aria-label': 'Lowest value of the colours', id: 'range-low' });
  private readonly high = el('input', { type: 'number', step: 'any', 'aria-label': 'Highest value of the colours', id: 'range-high' });

  constructor(private readonly events: ColourEvents) {
    for (const [value, text] of [['run', 'whole run'], ['frame', 'this frame'], ['fixed', 'fixed']]) {
      this.modes.append(el('option', { value }, text));
    }
    this.legend.append(this.bar, this.ticks, el('div', { class: 'range' }, this.low, this.high, this.modes));
    this.section.append(el('div', { class: 'row' }, this.select), this.legend);
    this.legend.hidden = true;
    this.select.addEventListener('change', () => this.events.quantity(this.select.value));
    this.modes.addEventListener('change', () => this.setMode(this.modes.value as RangeMode));
    for (const input of [this.low, this.high]) input.addEventListener('change', () => this.edited());
  }

  /** The quantities of the runs; those of the same name are one. */
  setQuantities(lists: Quantity[][]): void {
    const kept = this.name;
    const merged = new Map<string, Quantity>();
    for (const q of lists.flat()) {
      const old = merged.get(q.name);
      merged.set(q.name, old ? { ...old, low: Math.min(old.low, q.low), high: Math.max(old.high, q.high) } : q);
    }
    this.quantities = [...merged.values()];
    this.select.replaceChildren(el('option', { value: '' }, 'Own colours'));
    for (const q of this.quantities) {
      this.select.append(el('option', { value: q.name }, q.unit ? `${q.name} (${q.unit})` : q.name));
    }
    this.select.value = merged.has(kept) ? kept : '';
    this.section.hidden = this.quantities.length === 0;
    this.render();
  }

  get name(): string {
    return this.select.value;
  }

  get current(): Quantity | null {
    return this.quantities.find((q) => q.name === this.name) ?? null;
  }

  setName(name: string): void {
    this.select.value = name;
    this.render();
  }

  /** Lowest and highest values that occur in the frames on the screen. */
  setFrameRange(range: [number, number] | null): void {
    const moved = range?.[0] !== this.frameRange?.[0] || range?.[1] !== this.frameRange?.[1];
    this.frameRange = range;
    if (moved && this.mode === 'frame') this.render();
  }

  get range(): [number, number] {
    const q = this.current;
    if (!q) return [0, 1];
    if (this.mode === 'fixed') return this.fixed;
    if (this.mode === 'run' || !this.frameRange) return [q.low, q.high];
    const [low, high] = this.frameRange;
    const most = Math.max(Math.abs(low), Math.abs(high));
    return q.signed ? [-most, most] : [low, high];
  }

  setRange(low: number, high: number): void {
    this.fixed = [low, high];
    this.setMode('fixed');
  }

  private setMode(mode: RangeMode): void {
    if (mode === 'fixed' && this.mode !== 'fixed' && this.modes.value === 'fixed') this.fixed = this.range;
    this.mode = mode;
    this.render();
    this.events.range();
  }

  private edited(): void {
    const low = this.low.valueAsNumber;
    const high = this.high.valueAsNumber;
    if (Number.isFinite(low) && Number.isFinite(high) && high > low) this.setRange(low, high);
    else this.render();
  }

  private render(): void {
    const q = this.current;
    this.legend.hidden = !q;
    if (!q) return;
    const [low, high] = this.range;
    this.bar.style.background = mapGradient(q.signed);
    this.bar.setAttribute('aria-label', `${q.name} from ${digits(low)} to ${digits(high)} ${q.unit}`);
    const middle = (low + high) / 2;
    const round = Math.abs(middle) < 1e-4 * (high - low) ? 0 : middle; // sums of 32-bit numbers
    const marks = [low, round, high].map((v) => el('span', {}, digits(v, 3)));
    this.ticks.replaceChildren(...marks);
    this.modes.value = this.mode;
    this.low.value = String(Number(low.toPrecision(4)));
    this.high.value = String(Number(high.toPrecision(4)));
  }
}
