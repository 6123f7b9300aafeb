// SPDX-License-Identifier: MIT
// Picking against geometry that is known: crossing yarns, a ring, a triangle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carryNormals, chunkRadii, chunkSpheres, curveLength, segmentTable } from '../src/curves.ts';
import { decodeGeometry } from '../src/decode.ts';
import { pickTriangle, pickYarn, type PickRay, type YarnShape } from '../src/pick.ts';
import { encodeGeometry, type TestRun } from './encode.ts';
import { crossing, knit } from './scenes.ts';

function shapeOf(run: TestRun, chunk = 8): YarnShape {
  const { curves } = decodeGeometry(encodeGeometry(run, 0).buffer).objects[0];
  const positions = run.frames[0].positions;
  const points = new Float32Array((4 * positions.length) / 3);
  positions.forEach((q, i) => (points[4 * Math.floor(i / 3) + (i % 3)] = q * run.step));
  const table = segmentTable(curves);
  return { table, curves, points, spheres: chunkSpheres(table, chunkRadii(table, curves, chunk), points, chunk), chunk };
}

const down = (x: number, y: number, slack = 0): PickRay => ({ origin: [x, y, 1], direction: [0, 0, -1], slack });

test('the yarn in front is met first, at the height of its radius', () => {
  const shape = shapeOf(crossing(1));
  const hit = pickYarn(shape, down(0, 0.001)) ?? assert.fail('nothing');
  assert.equal(hit.curve, 1);
  assert.equal(hit.segment, 10);
  assert.ok(Math.abs(hit.distance - (1 - 0.005 - 0.003)) < 1e-6, String(hit.distance));
});

test('the yarn behind is met where nothing covers it', () => {
  const hit = pickYarn(shapeOf(crossing(1)), down(0.02, 0.001)) ?? assert.fail('nothing');
  assert.equal(hit.curve, 0);
  // 20 segments from -0.05 to 0.05: x = 0.02 is where segment 14 begins.
  assert.ok(Math.abs(hit.segment + hit.along - 14) < 1e-3, `${hit.segment} ${hit.along}`);
});

test('a ring is met on its closing segment, and not in its middle', () => {
  const shape = shapeOf(crossing(1));
  const angle = (-Math.PI * 0.5) / 8; // between the last vertex and the first
  const hit = pickYarn(shape, down(0.03 + 0.012 * Math.cos(angle), -0.03 + 0.012 * Math.sin(angle)));
  assert.deepEqual([hit?.curve, hit?.segment, hit?.vertices], [2, 15, [57, 42]]);
  assert.equal(pickYarn(shape, down(0.03, -0.03)), null);
});

test('a thin yarn is met within the slack', () => {
  const shape = shapeOf(crossing(1));
  assert.equal(pickYarn(shape, down(0.02, 0.006)), null);
  assert.equal(pickYarn(shape, down(0.02, 0.006, 0.008))?.curve, 0);
});

test('chunks rule out nothing that a search without chunks finds', () => {
  const run = knit(4, 6, 24, 1);
  const [small, whole] = [shapeOf(run, 16), shapeOf(run, 1 << 20)];
  let hits = 0;
  for (let i = 0; i < 400; i++) {
    const ray = down(0.024 * ((i * 0.618) % 1), 0.011 * ((i * 0.4142) % 1));
    const found = pickYarn(small, ray);
    assert.deepEqual(found, pickYarn(whole, ray));
    if (found) hits++;
  }
  assert.ok(hits > 100 && hits < 400, String(hits));
});

test('triangles: the nearer one, from both sides', () => {
  const positions = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.5, 1, 0, 0.5, 0, 1, 0.5]);
  const triangles = Uint32Array.from([0, 1, 2, 3, 4, 5]);
  assert.deepEqual(pickTriangle(positions, triangles, down(0.2, 0.2)), { distance: 0.5, triangle: 1 });
  const up: PickRay = { origin: [0.2, 0.2, -1], direction: [0, 0, 1], slack: 0 };
  assert.deepEqual(pickTriangle(positions, triangles, up), { distance: 1, triangle: 0 });
  assert.equal(pickTriangle(positions, triangles, down(0.6, 0.6)), null);
});

test('normals are across the curve and turn little from vertex to vertex', () => {
  const shape = shapeOf(knit(2, 6, 24, 1));
  const normals = new Uint8Array(shape.points.length);
  carryNormals(shape.curves, shape.points, normals);
  const at = (i: number): number[] => [0, 1, 2].map((c) => normals[4 * i + c] / 127.5 - 1);
  const dot = (a: number[], b: number[]): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  for (let i = 1; i + 1 < shape.curves[0].count; i++) {
    const t = [0, 1, 2].map((c) => shape.points[4 * (i + 1) + c] - shape.points[4 * (i - 1) + c]);
    // Bytes are good to 1/255 in each of three coordinates.
    assert.ok(Math.abs(dot(at(i), t)) / Math.hypot(...t) < 0.01);
    // A loop of 24 segments turns its tangent by at most about half a right angle a vertex.
    if (i > 1) assert.ok(dot(at(i), at(i - 1)) > 0.6, `${i}: ${dot(at(i), at(i - 1))}`);
  }
});

test('around a closed curve that is not flat, normals come back to where they began', () => {
  const n = 60;
  const points = new Float32Array(4 * n);
  for (let k = 0; k < n; k++) {
    const a = (2 * Math.PI * k) / n;
    points.set([Math.cos(a), Math.sin(a), 0.5 * Math.sin(2 * a) + 0.3 * Math.cos(3 * a)], 4 * k);
  }
  const normals = new Uint8Array(4 * n);
  carryNormals([{ first: 0, count: n, closed: true, radius: 0.1, colour: 0 }], points, normals);
  const at = (i: number): number[] => [0, 1, 2].map((c) => normals[4 * (i % n) + c] / 127.5 - 1);
  for (let k = 0; k < n; k++) {
    const cosine = at(k).reduce((sum, x, c) => sum + x * at(k + 1)[c], 0);
    // The tangent turns by up to about 0.25 rad a vertex, and a share of the whole turn is added.
    assert.ok(cosine > 0.93, `${k}: ${cosine}`);
  }
});

test('length of a straight yarn and of a ring of 16', () => {
  const { curves, points } = shapeOf(crossing(1));
  assert.ok(Math.abs(curveLength(curves[0], points) - 0.1) < 1e-6);
  // 16 chords of a circle; positions are rounded to 1e-6 m.
  assert.ok(Math.abs(curveLength(curves[2], points) - 16 * 2 * 0.012 * Math.sin(Math.PI / 16)) < 1e-5);
});
