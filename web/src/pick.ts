// SPDX-License-Identifier: MIT
// What a ray meets first. Done on the processor: chunks of segments are ruled out by their spheres, so that even half
// a million segments take about a millisecond, and the answer needs no second picture.
import { segmentEnd, type SegmentTable } from './curves.ts';
import type { Curve } from './decode.ts';

export interface PickRay {
  origin: [number, number, number];
  direction: [number, number, number]; // length 1
  slack: number; // thin yarns are met within this, as a fraction of the distance
}

export interface YarnHit {
  distance: number; // along the ray
  curve: number;
  segment: number; // of its curve, from 0
  along: number; // 0..1 within the segment
  vertices: [number, number];
}

export interface TriangleHit {
  distance: number;
  triangle: number;
}

export interface YarnShape {
  table: SegmentTable;
  curves: readonly Curve[];
  points: Float32Array; // four numbers a vertex
  spheres: Float32Array;
  chunk: number;
}

const PIECES = 8; // straight pieces a segment is replaced by

function sphereMayBeHit(ray: PickRay, x: number, y: number, z: number, radius: number): boolean {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  const px = x - ox;
  const py = y - oy;
  const pz = z - oz;
  const t = px * dx + py * dy + pz * dz;
  const reach = radius + ray.slack * Math.max(0, t + radius);
  if (t < -reach) return false;
  return px * px + py * py + pz * pz - t * t <= reach * reach;
}

/** Distance along a ray to where it enters a straight piece of yarn with ends a and b; Infinity if it passes by. */
function enterPiece(ray: PickRay, a: Float64Array, b: Float64Array, radius: number): { t: number; s: number } {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  const ex = b[0] - a[0];
  const ey = b[1] - a[1];
  const ez = b[2] - a[2];
  const wx = a[0] - ox;
  const wy = a[1] - oy;
  const wz = a[2] - oz;
  const ee = ex * ex + ey * ey + ez * ez;
  const ed = ex * dx + ey * dy + ez * dz;
  const we = wx * ex + wy * ey + wz * ez;
  const wd = wx * dx + wy * dy + wz * dz;
  const across = ee - ed * ed;
  let s = across > 1e-12 * ee ? (wd * ed - we) / across : 0;
  s = Math.max(0, Math.min(1, s));
  const t = wd + s * ed;
  if (t <= 0) return { t: Infinity, s };
  const hx = wx + s * ex - t * dx;
  const hy = wy + s * ey - t * dy;
  const hz = wz + s * ez - t * dz;
  const reach = Math.max(radius, ray.slack * t);
  const gap = hx * hx + hy * hy + hz * hz;
  if (gap > reach * reach) return { t: Infinity, s };
  return { t: t - Math.sqrt(Math.max(0, radius * radius - gap)), s };
}

function point(points: Float32Array, vertex: number, out: Float64Array): Float64Array {
  out[0] = points[4 * vertex];
  out[1] = points[4 * vertex + 1];
  out[2] = points[4 * vertex + 2];
  return out;
}

/** Four control points of a segment; beyond the ends of an open curve the segment goes straight on. */
function controls(shape: YarnShape, segment: number, out: Float64Array[]): void {
  const { table, curves, points } = shape;
  const [before, vertex, after, curve] = table.data.subarray(4 * segment, 4 * segment + 4);
  const [p0, p1, p2, p3] = out;
  point(points, vertex, p1);
  point(points, segmentEnd(curves[curve], vertex), p2);
  for (let c = 0; c < 3; c++) {
    p0[c] = before < 0 ? 2 * p1[c] - p2[c] : points[4 * before + c];
    p3[c] = after < 0 ? 2 * p2[c] - p1[c] : points[4 * after + c];
  }
}

/** A point of the uniform Catmull-Rom curve between p1 and p2. */
export function catmullRom(p: readonly Float64Array[], u: number, out: Float64Array): void {
  for (let c = 0; c < 3; c++) {
    const [a, b, d, e] = [p[0][c], p[1][c], p[2][c], p[3][c]];
    out[c] = b + u * (0.5 * (d - a) + u * (a - 2.5 * b + 2 * d - 0.5 * e + u * (0.5 * (e - a) + 1.5 * (b - d))));
  }
}

/** The yarn a ray meets first, or null. */
export function pickYarn(shape: YarnShape, ray: PickRay): YarnHit | null {
  const { table, curves, points, spheres, chunk } = shape;
  const p = [0, 1, 2, 3].map(() => new Float64Array(3));
  let a = new Float64Array(3);
  let b = new Float64Array(3);
  let best: YarnHit | null = null;
  for (let c = 0; c * chunk < table.count; c++) {
    const q = 4 * c;
    if (!sphereMayBeHit(ray, spheres[q], spheres[q + 1], spheres[q + 2], spheres[q + 3])) continue;
    for (let s = c * chunk; s < Math.min(table.count, (c + 1) * chunk); s++) {
      const vertex = table.data[4 * s + 1];
      const curve = curves[table.data[4 * s + 3]];
      const next = segmentEnd(curve, vertex);
      const [i, j] = [4 * vertex, 4 * next];
      const length = Math.hypot(points[j] - points[i], points[j + 1] - points[i + 1], points[j + 2] - points[i + 2]);
      // A segment bulges by less than its neighbours' lengths; one and a half of its own is ample for even curves.
      if (!sphereMayBeHit(ray, points[i], points[i + 1], points[i + 2], 1.5 * length + curve.radius)) continue;
      controls(shape, s, p);
      catmullRom(p, 0, a);
      for (let k = 1; k <= PIECES; k++) {
        catmullRom(p, k / PIECES, b);
        const hit = enterPiece(ray, a, b, curve.radius);
        if (hit.t < (best?.distance ?? Infinity)) {
          const along = (k - 1 + hit.s) / PIECES;
          best = { distance: hit.t, curve: table.data[4 * s + 3], segment: vertex - curve.first, along, vertices: [vertex, next] };
        }
        [a, b] = [b, a];
      }
    }
  }
  return best;
}

/** The triangle a ray meets first, from either side; positions have three numbers a vertex. */
export function pickTriangle(positions: Float32Array, triangles: Uint32Array, ray: PickRay): TriangleHit | null {
  const [ox, oy, oz] = ray.origin;
  const [dx, dy, dz] = ray.direction;
  let best: TriangleHit | null = null;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const px = dy * vz - dz * vy;
    const py = dz * vx - dx * vz;
    const pz = dx * vy - dy * vx;
    const det = ux * px + uy * py + uz * pz;
    if (det === 0) continue;
    const sx = ox - positions[a];
    const sy = oy - positions[a + 1];
    const sz = oz - positions[a + 2];
    const u = (sx * px + sy * py + sz * pz) / det;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy;
    const qy = sz * ux - sx * uz;
    const qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / det;
    if (v < 0 || u + v > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / det;
    if (distance > 0 && distance < (best?.distance ?? Infinity)) best = { distance, triangle: t / 3 };
  }
  return best;
}
