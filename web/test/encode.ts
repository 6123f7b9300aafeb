// SPDX-License-Identifier: MIT
// An encoder after docs/protocol.md, for tests: written apart from the one in src/show, so that the two check each other.
import type { About, ObjectInfo, Quantity, Table } from '../src/protocol.ts';

export interface TestCurve {
  count: number;
  closed: boolean;
  radius: number;
  colour: number;
}

export interface TestObject {
  name: string;
  kind: 'sheet' | 'body' | 'yarns';
  ground?: boolean;
  vertices: number;
  triangles?: number[];
  curves?: TestCurve[];
  own?: number[];
}

export interface TestFrame {
  time: number;
  poses: number[][];
  positions: Int32Array; // of sheets and yarns
  values: Float32Array[]; // one array for each quantity, NaN for none
}

export interface TestRun {
  title: string;
  step: number;
  objects: TestObject[];
  quantities: { name: string; unit: string; signed: boolean }[];
  frames: TestFrame[];
  tables: { name: string; columns: string[]; units: string[]; rows: number[][] }[];
}

const KINDS = { sheet: 0, body: 1, yarns: 2 };

class Bytes {
  private parts: Uint8Array[] = [];

  add(part: ArrayLike<number> & ArrayBufferView): this {
    this.parts.push(new Uint8Array(part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength) as ArrayBuffer));
    return this;
  }
  u32(...values: number[]): this {
    return this.add(Uint32Array.from(values));
  }
  f32(...values: number[]): this {
    return this.add(Float32Array.from(values));
  }
  f64(...values: number[]): this {
    return this.add(Float64Array.from(values));
  }
  text(value: string): this {
    return this.add(new TextEncoder().encode(value));
  }
  done(): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(this.parts.reduce((sum, p) => sum + p.length, 0));
    let at = 0;
    for (const part of this.parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
}

export function varint(value: number, out: number[]): void {
  let z = value >= 0 ? 2 * value : -2 * value - 1;
  while (z >= 128) {
    out.push((z % 128) + 128);
    z = Math.floor(z / 128);
  }
  out.push(z);
}

export function encodeGeometry(run: TestRun, index: number): Uint8Array<ArrayBuffer> {
  const bytes = new Bytes().text('hdg1').u32(index, run.objects.length);
  for (const object of run.objects) {
    const triangles = object.triangles ?? [];
    const curves = object.curves ?? [];
    bytes.u32(KINDS[object.kind], object.vertices, triangles.length / 3, curves.length);
    bytes.u32(...triangles);
    for (const c of curves) bytes.u32(c.count, c.closed ? 1 : 0).f32(c.radius).u32(c.colour);
    if (object.kind === 'body') bytes.f32(...(object.own ?? []));
  }
  return bytes.done();
}

function predict(run: TestRun, q: Int32Array, r: Int32Array | null, visit: (i: number, prediction: number) => void): void {
  let first = 0;
  for (const object of run.objects) {
    if (object.kind === 'body') continue;
    const starts = new Set<number>([0]);
    let sum = 0;
    for (const curve of object.curves ?? []) starts.add((sum += curve.count));
    let start = 0;
    for (let k = 0; k < object.vertices; k++) {
      if (starts.has(k)) start = k;
      for (let c = 0; c < 3; c++) {
        const i = 3 * (first + k) + c;
        let prediction: number;
        if (r) prediction = r[i] + (k > 0 ? q[i - 3] - r[i - 3] : 0);
        else if (k === start) prediction = i >= 3 ? q[i - 3] : 0;
        else if (object.kind === 'sheet' || k === start + 1) prediction = q[i - 3];
        else prediction = 2 * q[i - 3] - q[i - 6];
        visit(i, prediction);
      }
    }
    first += object.vertices;
  }
}

export function encodeFrame(run: TestRun, index: number, frame: number, reference: number, quantity: number): Uint8Array<ArrayBuffer> {
  const now = run.frames[frame];
  const positions: number[] = [];
  predict(run, now.positions, reference < 0 ? null : run.frames[reference].positions, (i, p) => varint(now.positions[i] - p, positions));
  const values: number[] = [];
  const data = quantity < 0 ? new Float32Array(0) : now.values[quantity];
  const finite = [...data].filter((v) => !Number.isNaN(v));
  const low = finite.length > 0 ? finite.reduce((a, b) => Math.min(a, b)) : 0;
  const high = finite.length > 0 ? finite.reduce((a, b) => Math.max(a, b)) : 0;
  let last = 0;
  for (const v of data) {
    const code = Number.isNaN(v) ? 4095 : high > low ? Math.round(((v - low) / (high - low)) * 4094) : 0;
    varint(code - last, values);
    last = code;
  }
  const bytes = new Bytes().text('hdf1').u32(index, frame).add(Int32Array.from([reference, quantity])).f32(low, high);
  bytes.u32(positions.length, values.length, now.poses.length).f64(now.time).f64(...now.poses.flat());
  return bytes.add(Uint8Array.from(positions)).add(Uint8Array.from(values)).done();
}

function infoOf(object: TestObject): ObjectInfo {
  return {
    name: object.name,
    kind: object.kind,
    ground: object.ground ?? false,
    vertices: object.vertices,
    triangles: (object.triangles?.length ?? 0) / 3,
    curves: object.curves?.length ?? 0,
  };
}

function boxOf(run: TestRun): About['box'] {
  const box: About['box'] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const frame of run.frames) {
    frame.positions.forEach((q, i) => {
      box[0][i % 3] = Math.min(box[0][i % 3], q * run.step);
      box[1][i % 3] = Math.max(box[1][i % 3], q * run.step);
    });
  }
  return box;
}

export function encodeAbout(run: TestRun, index: number, keepValues = true): About {
  const quantities: Quantity[] = run.quantities.map((q, i) => {
    const all = run.frames.flatMap((f) => [...f.values[i]].filter((v) => !Number.isNaN(v)));
    return { ...q, low: all.reduce((a, b) => Math.min(a, b), 0), high: all.reduce((a, b) => Math.max(a, b), 1e-9) };
  });
  return {
    type: 'about',
    run: index,
    title: run.title,
    path: `out/${run.title}`,
    is_run: true,
    growing: false,
    frames: run.frames.length,
    step: run.step,
    up: [0, 1, 0],
    box: boxOf(run),
    tables: run.tables.map((t) => t.name),
    objects: run.objects.map(infoOf),
    quantities: keepValues ? quantities : [],
  };
}

/** The content of #heddle-data for runs. */
export function encodePage(runs: TestRun[], keyFrames = 32): string {
  const parts: Buffer[] = [];
  const push = (kind: 0 | 1, data: Uint8Array | string): void => {
    const body = Buffer.from(data as Uint8Array);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(body.length, 0);
    head.writeUInt32LE(kind, 4);
    parts.push(head, body);
  };
  push(0, JSON.stringify({ type: 'welcome', version: '0.1.0', runs: runs.length }));
  runs.forEach((run, index) => {
    push(0, JSON.stringify(encodeAbout(run, index)));
    push(1, encodeGeometry(run, index));
    for (const table of run.tables) {
      const message: Table = { type: 'table', run: index, first: 0, ...table };
      push(0, JSON.stringify(message));
    }
    run.frames.forEach((_, frame) => {
      const reference = frame % keyFrames === 0 ? -1 : frame - 1;
      push(1, encodeFrame(run, index, frame, reference, -1));
      run.quantities.forEach((_q, q) => push(1, encodeFrame(run, index, frame, reference, q)));
    });
  });
  return Buffer.concat(parts).toString('base64');
}
