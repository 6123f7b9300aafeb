// SPDX-License-Identifier: MIT
// Small helpers for elements and numbers of the page.

type Child = Node | string;

/** An element with attributes, then children. 'class', 'title', 'aria-...' and the like are plain attributes. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function byId<T extends HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no element #${id}`);
  return node as T;
}

/** A number with a few digits, in powers of ten only when that is shorter to read. */
export function digits(value: number, count = 4): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(count - 1).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(count)));
}

const LENGTHS: [number, string][] = [
  [1, 'm'],
  [1e-2, 'cm'],
  [1e-3, 'mm'],
  [1e-6, 'µm'],
];

/** A length in the unit people would choose. */
export function metres(value: number, count = 4): string {
  const size = Math.abs(value);
  const [factor, name] = LENGTHS.find(([f]) => size >= f && f !== 1e-2) ?? (size === 0 ? LENGTHS[0] : LENGTHS[3]);
  return `${digits(value / factor, count)} ${name}`;
}

export function seconds(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || size >= 1) return `${value.toFixed(3)} s`;
  return size >= 1e-3 ? `${(1e3 * value).toFixed(2)} ms` : `${digits(1e6 * value)} µs`;
}
