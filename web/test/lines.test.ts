// SPDX-License-Identifier: MIT
// Lines of charts can be told from each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LINE_COLOURS, LINE_LIMIT, lineStyle } from '../src/lines.ts';

type Colour = readonly number[];

const linear = (hex: string): Colour =>
  [1, 3, 5].map((at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });

const times = (m: readonly Colour[], c: Colour): Colour => m.map((row) => row[0] * c[0] + row[1] * c[1] + row[2] * c[2]);

// What eyes without one kind of cones see, on linear RGB: Machado, Oliveira and Fernandes 2009, severity 1.
const EYES: Record<string, readonly Colour[]> = {
  full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deutan: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};

/** OKLab (Ottosson 2020), where equal distances look equal. */
function lab(c: Colour): Colour {
  const lms = times([[0.4122215, 0.5363325, 0.0514460], [0.2119035, 0.6806996, 0.1073970], [0.0883025, 0.2817188, 0.6299787]], c);
  const root = lms.map((x) => Math.cbrt(Math.max(0, x)));
  return times([[0.2104543, 0.7936178, -0.0040720], [1.9779985, -2.4285922, 0.4505937], [0.0259040, 0.7827718, -0.8086758]], root);
}

test('no two lines of a chart look the same', () => {
  const styles = new Set<string>();
  for (let index = 0; index < LINE_LIMIT; index++) {
    for (const run of [0, 1]) styles.add(JSON.stringify(lineStyle(index, run)));
  }
  assert.equal(styles.size, 2 * LINE_LIMIT);
  // The most that a simulation writes: the columns of energy of sliding yarns, fifteen of them.
  assert.ok(LINE_LIMIT >= 15);
});

test('lines of one dash differ in colour for all eyes', () => {
  for (const [eyes, matrix] of Object.entries(EYES)) {
    const seen = LINE_COLOURS.map((hex) => lab(times(matrix, linear(hex))));
    for (let i = 0; i < seen.length; i++) {
      for (let j = 0; j < i; j++) {
        const apart = Math.hypot(...seen[i].map((x, k) => x - seen[j][k]));
        // Twice 0.02, a difference in OKLab that is just noticed side by side.
        assert.ok(apart > 0.04, `${eyes}: ${LINE_COLOURS[i]} and ${LINE_COLOURS[j]} are ${apart.toFixed(3)} apart`);
      }
    }
  }
});

test('lines stand out from the page', () => {
  for (const hex of LINE_COLOURS) assert.ok(lab(linear(hex))[0] > 0.55, hex);
});
