// SPDX-License-Identifier: MIT
// Made-up runs to look at: knitted loops, two crossing yarns, a sheet over a ball.
import type { TestCurve, TestFrame, TestObject, TestRun } from './encode.ts';

const STEP = 1e-6;
const PALETTE = [0xc8553d, 0x2d6a8e, 0xe0a458, 0x5b8c5a, 0x8d6a9f, 0xd9cbb5];

function quantise(points: number[]): Int32Array {
  return Int32Array.from(points, (x) => Math.round(x / STEP));
}

function tables(frames: TestFrame[]): TestRun['tables'] {
  const rows = frames.map((f, i) => {
    const kinetic = 2e-4 * Math.exp(-2 * f.time) * (1 + Math.sin(20 * f.time) ** 2);
    const bending = 1e-4 * (1 - Math.exp(-3 * f.time));
    return [f.time, 10 * i, kinetic, bending, kinetic + bending];
  });
  return [
    { name: 'energy', columns: ['time', 'step', 'kinetic', 'bending', 'total'], units: ['s', '', 'J', 'J', 'J'], rows },
    {
      name: 'measure',
      columns: ['time', 'step', 'width', 'pull'],
      units: ['s', '', 'm', 'N'],
      rows: frames.map((f, i) => [f.time, 10 * i, 0.05 + 0.01 * f.time, 0.2 * Math.sqrt(f.time)]),
    },
  ];
}

/** Rows of knitted loops, each row one yarn, that sway in time. */
export function knit(rows: number, loops: number, perLoop: number, frameCount: number, title = 'knit'): TestRun {
  const count = loops * perLoop + 1;
  const [width, pitch, radius] = [4e-3, 2.6e-3, 4.5e-4];
  const curves: TestCurve[] = [];
  for (let r = 0; r < rows; r++) curves.push({ count, closed: false, radius, colour: PALETTE[Math.floor(r / 4) % PALETTE.length] });
  const frames: TestFrame[] = [];
  for (let f = 0; f < frameCount; f++) {
    const time = f / 25;
    const positions: number[] = [];
    const strain = new Float32Array(rows * count);
    const height = new Float32Array(rows * count);
    for (let r = 0; r < rows; r++) {
      for (let k = 0; k < count; k++) {
        const s = (2 * Math.PI * k) / perLoop;
        const x = width * (k / perLoop) + 0.32 * width * Math.sin(2 * s);
        const y = pitch * (r + 0.5 - 0.92 * Math.cos(s));
        const bulge = 0.55e-3 * Math.cos(2 * s);
        const sway = 0.06 * loops * width * Math.sin(3 * (x / (loops * width)) + 2.5 * time) * (y / (rows * pitch));
        positions.push(x, y, bulge + sway);
        strain[r * count + k] = 0.05 * Math.sin(6 * (x / (loops * width)) + time) * Math.cos((5 * y) / (rows * pitch));
        height[r * count + k] = k % 97 === 0 && r === 0 ? NaN : y;
      }
    }
    frames.push({ time, poses: [], positions: quantise(positions), values: [strain, height] });
  }
  return {
    title,
    step: STEP,
    objects: [{ name: 'swatch', kind: 'yarns', vertices: rows * count, curves }],
    quantities: [{ name: 'strain', unit: '', signed: true }, { name: 'height', unit: 'm', signed: false }],
    frames,
    tables: tables(frames),
  };
}

/** Yarn 0 lies behind (z = -5 mm) and runs along x, yarn 1 in front (z = +5 mm) along y; yarn 2 is a closed ring. */
export function crossing(frameCount = 12): TestRun {
  const n = 21;
  const frames: TestFrame[] = [];
  for (let f = 0; f < frameCount; f++) {
    const lift = (0.03 * f) / Math.max(1, frameCount - 1);
    const points: number[] = [];
    for (let k = 0; k < n; k++) points.push(-0.05 + (0.1 * k) / (n - 1), lift, -0.005);
    for (let k = 0; k < n; k++) points.push(0, -0.05 + (0.1 * k) / (n - 1), 0.005);
    for (let k = 0; k < 16; k++) points.push(0.03 + 0.012 * Math.cos((k * Math.PI) / 8), -0.03 + 0.012 * Math.sin((k * Math.PI) / 8), 0);
    const values = [new Float32Array(2 * n + 16).map((_, i) => (i < n ? -1 : 1) * (0.2 + f))];
    frames.push({ time: 0.1 * f, poses: [], positions: quantise(points), values });
  }
  const curve = (count: number, closed: boolean, colour: number): TestCurve => ({ count, closed, radius: 3e-3, colour });
  return {
    title: 'crossing',
    step: STEP,
    objects: [{ name: 'yarns', kind: 'yarns', vertices: 2 * n + 16, curves: [curve(n, false, 0xc03020), curve(n, false, 0x2050c0), curve(16, true, 0x30a050)] }],
    quantities: [{ name: 'pull', unit: 'N', signed: true }],
    frames,
    tables: tables(frames),
  };
}

function ball(radius: number, rings: number, name: string): TestObject {
  const own: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rings; i++) {
    for (let j = 0; j <= 2 * rings; j++) {
      const [a, b] = [(Math.PI * i) / rings, (Math.PI * j) / rings];
      own.push(radius * Math.sin(a) * Math.cos(b), radius * Math.cos(a), radius * Math.sin(a) * Math.sin(b));
      const at = i * (2 * rings + 1) + j;
      if (i < rings && j < 2 * rings) triangles.push(at, at + 1, at + 2 * rings + 1, at + 1, at + 2 * rings + 2, at + 2 * rings + 1);
    }
  }
  return { name, kind: 'body', vertices: own.length / 3, triangles, own };
}

/** A sheet that settles on a ball above the ground. */
export function drape(side = 41, frameCount = 20, title = 'drape'): TestRun {
  const triangles: number[] = [];
  for (let i = 0; i + 1 < side; i++) {
    for (let j = 0; j + 1 < side; j++) {
      const a = i * side + j;
      triangles.push(a, a + 1, a + side, a + 1, a + side + 1, a + side);
    }
  }
  const frames: TestFrame[] = [];
  for (let f = 0; f < frameCount; f++) {
    const t = f / Math.max(1, frameCount - 1);
    const points: number[] = [];
    const strain = new Float32Array(side * side);
    for (let i = 0; i < side; i++) {
      for (let j = 0; j < side; j++) {
        const [x, z] = [i / (side - 1) - 0.5, j / (side - 1) - 0.5];
        const d = Math.hypot(x, z);
        const fold = 0.04 * t * Math.cos(6 * Math.atan2(z, x)) * Math.max(0, d - 0.2);
        points.push(x * (1 - 0.25 * t), 0.42 - t * (1.3 * d * d + fold), z * (1 - 0.25 * t));
        strain[i * side + j] = t * (d - 0.3);
      }
    }
    frames.push({ time: f / 25, poses: [[0, 0.2, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0]], positions: quantise(points), values: [strain] });
  }
  return {
    title,
    step: STEP,
    objects: [
      { name: 'cloth', kind: 'sheet', vertices: side * side, triangles },
      ball(0.2, 24, 'ball'),
      { name: 'floor', kind: 'body', ground: true, vertices: 4, own: [-9, 0, -9, 9, 0, -9, 9, 0, 9, -9, 0, 9], triangles: [0, 2, 1, 0, 3, 2] },
    ],
    quantities: [{ name: 'strain', unit: '', signed: true }],
    frames,
    tables: tables(frames),
  };
}

/** Runs by name, for pages. */
export const SCENES: Record<string, () => TestRun[]> = {
  knit: () => [knit(24, 24, 24, 40)],
  crossing: () => [crossing()],
  drape: () => [drape()],
  pair: () => [drape(41, 20, 'coarse'), { ...drape(61, 40, 'fine') }],
  'segments-100k': () => [knit(105, 40, 24, 2, 'segments-100k')],
  'segments-500k': () => [knit(232, 90, 24, 2, 'segments-500k')],
};
