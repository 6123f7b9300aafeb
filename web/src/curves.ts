// SPDX-License-Identifier: MIT
// Tables about the segments of curves, and what must be computed for each frame along them.
import type { Curve } from './decode.ts';

export const PLIES = 3; // strands a yarn is twisted from
export const PLY_TWIST = 0.15; // turns of them a diameter of length
const SHORT = 64; // vertices of a curve that is always drawn whole

export interface SegmentTable {
  count: number;
  data: Int32Array; // four numbers a segment: vertex before or -1, vertex, vertex after the next or -1, curve
}

export function segmentCount(curve: Curve): number {
  return curve.count < 2 ? 0 : curve.closed ? curve.count : curve.count - 1;
}

export function segmentTable(curves: readonly Curve[]): SegmentTable {
  const count = curves.reduce((sum, curve) => sum + segmentCount(curve), 0);
  const data = new Int32Array(4 * count);
  let at = 0;
  curves.forEach((curve, c) => {
    const n = curve.count;
    for (let k = 0; k < segmentCount(curve); k++) {
      const inside = curve.closed;
      data[at] = k > 0 ? curve.first + k - 1 : inside ? curve.first + n - 1 : -1;
      data[at + 1] = curve.first + k;
      data[at + 2] = k + 2 < n ? curve.first + k + 2 : inside ? curve.first + ((k + 2) % n) : -1;
      data[at + 3] = c;
      at += 4;
    }
  });
  return { count, data };
}

/** The vertex at the end of the k-th segment of a curve. */
export function segmentEnd(curve: Curve, vertex: number): number {
  return vertex + 1 === curve.first + curve.count ? curve.first : vertex + 1;
}

/**
 * Lengths along each curve up to each vertex, in diameters: where the twist of the plies is. On a closed curve they are
 * stretched a little, so that a whole number of plies goes around it and no seam shows. points: four numbers each.
 */
export function lengthsAlong(curves: readonly Curve[], points: Float32Array, out: Float32Array): void {
  for (const curve of curves) {
    const total = curveLength(curve, points) / (2 * curve.radius);
    const plies = Math.round(PLIES * PLY_TWIST * total);
    const stretch = curve.closed && plies > 0 ? plies / (PLIES * PLY_TWIST * total) : 1;
    let length = 0;
    for (let k = 0; k < curve.count; k++) {
      const i = 4 * (curve.first + k);
      if (k > 0) {
        length += Math.hypot(points[i] - points[i - 4], points[i + 1] - points[i - 3], points[i + 2] - points[i - 2]);
      }
      out[curve.first + k] = (stretch * length) / (2 * curve.radius);
    }
  }
}

/** Length of one curve as a chain of straight segments, in the unit of the points (four numbers each). */
export function curveLength(curve: Curve, points: Float32Array): number {
  let length = 0;
  for (let k = 0; k < segmentCount(curve); k++) {
    const i = 4 * (curve.first + k);
    const j = 4 * segmentEnd(curve, curve.first + k);
    length += Math.hypot(points[j] - points[i], points[j + 1] - points[i + 1], points[j + 2] - points[i + 2]);
  }
  return length;
}

/**
 * A normal for each vertex, carried along its curve without twist (each is the one before made orthogonal to the
 * new tangent), as bytes 0..255 for -1..1. The shader makes them orthogonal again, so bytes are enough.
 */
export function carryNormals(curves: readonly Curve[], points: Float32Array, out: Uint8Array): void {
  for (const curve of curves) {
    const frame = new Carried();
    for (let k = 0; k < curve.count; k++) {
      frame.move(curve, k, points);
      frame.store(out, curve.first + k, 0);
    }
    if (!curve.closed || curve.count < 3) continue;
    // Once around, the normal has turned: a share of that is taken back at each vertex.
    const again = new Carried();
    again.move(curve, 0, points);
    frame.move(curve, 0, points);
    const turned = again.angleTo(frame);
    for (let k = 0; k < curve.count; k++) {
      if (k > 0) again.move(curve, k, points);
      again.store(out, curve.first + k, (-turned * k) / curve.count);
    }
  }
}

/** A tangent and a normal that go along a curve. */
class Carried {
  private tx = 0;
  private ty = 0;
  private tz = 0;
  private nx = 0;
  private ny = 0;
  private nz = 0;

  /** Goes to a vertex of a curve: the new tangent, and the normal made orthogonal to it. */
  move(curve: Curve, k: number, points: Float32Array): void {
    const { first, count: n, closed } = curve;
    const before = 4 * (first + (k > 0 ? k - 1 : closed ? n - 1 : 0));
    const after = 4 * (first + (k + 1 < n ? k + 1 : closed ? 0 : n - 1));
    const x = points[after] - points[before];
    const y = points[after + 1] - points[before + 1];
    const z = points[after + 2] - points[before + 2];
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    this.tx = x / length;
    this.ty = y / length;
    this.tz = z / length;
    // At the first vertex, or in a sharp turn, begin with the axis most across the tangent.
    if (!this.straighten()) {
      const [ax, ay, az] = [Math.abs(this.tx), Math.abs(this.ty), Math.abs(this.tz)];
      this.nx = ax <= ay && ax <= az ? 1 : 0;
      this.ny = this.nx === 0 && ay <= az ? 1 : 0;
      this.nz = this.nx === 0 && this.ny === 0 ? 1 : 0;
      this.straighten();
    }
  }

  private straighten(): boolean {
    const d = this.nx * this.tx + this.ny * this.ty + this.nz * this.tz;
    const norm = this.nx * this.nx + this.ny * this.ny + this.nz * this.nz - d * d;
    if (norm < 1e-4) return false;
    const scale = 1 / Math.sqrt(norm);
    this.nx = (this.nx - d * this.tx) * scale;
    this.ny = (this.ny - d * this.ty) * scale;
    this.nz = (this.nz - d * this.tz) * scale;
    return true;
  }

  /** Angle about the tangent from this normal to another one at the same place. */
  angleTo(other: Carried): number {
    const bx = this.ty * this.nz - this.tz * this.ny;
    const by = this.tz * this.nx - this.tx * this.nz;
    const bz = this.tx * this.ny - this.ty * this.nx;
    const across = bx * other.nx + by * other.ny + bz * other.nz;
    return Math.atan2(across, this.nx * other.nx + this.ny * other.ny + this.nz * other.nz);
  }

  /** Writes the normal, turned about the tangent by an angle. */
  store(out: Uint8Array, vertex: number, angle: number): void {
    const c = angle === 0 ? 1 : Math.cos(angle);
    const s = angle === 0 ? 0 : Math.sin(angle);
    const o = 4 * vertex;
    out[o] = 127.5 * (c * this.nx + s * (this.ty * this.nz - this.tz * this.ny)) + 128;
    out[o + 1] = 127.5 * (c * this.ny + s * (this.tz * this.nx - this.tx * this.nz)) + 128;
    out[o + 2] = 127.5 * (c * this.nz + s * (this.tx * this.ny - this.ty * this.nx)) + 128;
  }
}

/** The largest radius of a curve in each chunk of segments. */
export function chunkRadii(table: SegmentTable, curves: readonly Curve[], chunk: number): Float32Array {
  const radii = new Float32Array(Math.ceil(table.count / chunk));
  for (let s = 0; s < table.count; s++) {
    const c = Math.floor(s / chunk);
    radii[c] = Math.max(radii[c], curves[table.data[4 * s + 3]].radius);
  }
  return radii;
}

/** Mean length of the segments in each chunk; Infinity where curves are too short to leave out vertices. */
export function chunkLengths(table: SegmentTable, curves: readonly Curve[], points: Float32Array, chunk: number): Float32Array {
  const lengths = new Float32Array(Math.ceil(table.count / chunk));
  for (let s = 0; s < table.count; s++) {
    const curve = curves[table.data[4 * s + 3]];
    const i = 4 * table.data[4 * s + 1];
    const j = 4 * segmentEnd(curve, i / 4);
    const length = Math.hypot(points[j] - points[i], points[j + 1] - points[i + 1], points[j + 2] - points[i + 2]);
    lengths[Math.floor(s / chunk)] += curve.count < SHORT ? Infinity : length / chunk;
  }
  return lengths;
}

/** Bounding spheres (centre, radius) of chunks of segments; points have four numbers each. */
export function chunkSpheres(table: SegmentTable, radii: Float32Array, points: Float32Array, chunk: number): Float32Array {
  const spheres = new Float32Array(4 * radii.length);
  for (let c = 0; c < radii.length; c++) {
    const end = Math.min(table.count, (c + 1) * chunk);
    let x0 = Infinity;
    let y0 = Infinity;
    let z0 = Infinity;
    let x1 = -Infinity;
    let y1 = -Infinity;
    let z1 = -Infinity;
    for (let s = c * chunk; s < end; s++) {
      // Vertices beside the segment bound its end and, nearly, its bulges.
      for (let k = 0; k < 3; k++) {
        const vertex = table.data[4 * s + k];
        if (vertex < 0) continue;
        const x = points[4 * vertex];
        const y = points[4 * vertex + 1];
        const z = points[4 * vertex + 2];
        if (x < x0) x0 = x;
        if (x > x1) x1 = x;
        if (y < y0) y0 = y;
        if (y > y1) y1 = y;
        if (z < z0) z0 = z;
        if (z > z1) z1 = z;
      }
      const next = 4 * (table.data[4 * s + 1] + 1); // the end of an open curve's last segment
      if (table.data[4 * s + 2] < 0 && next < points.length) {
        x0 = Math.min(x0, points[next]);
        x1 = Math.max(x1, points[next]);
        y0 = Math.min(y0, points[next + 1]);
        y1 = Math.max(y1, points[next + 1]);
        z0 = Math.min(z0, points[next + 2]);
        z1 = Math.max(z1, points[next + 2]);
      }
    }
    spheres[4 * c] = 0.5 * (x0 + x1);
    spheres[4 * c + 1] = 0.5 * (y0 + y1);
    spheres[4 * c + 2] = 0.5 * (z0 + z1);
    spheres[4 * c + 3] = 0.5 * Math.hypot(x1 - x0, y1 - y0, z1 - z0) + radii[c];
  }
  return spheres;
}
