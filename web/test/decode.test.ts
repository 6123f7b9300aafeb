// SPDX-License-Identifier: MIT
// Messages through the encoder of these tests and back, messages written out by hand, and broken ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_VALUE, VALUE_STEPS, decodeFrame, decodeGeometry, messageKind } from '../src/decode.ts';
import { ProtocolError, parseText } from '../src/protocol.ts';
import { encodeAbout, encodeFrame, encodeGeometry, type TestRun } from './encode.ts';
import { crossing, drape, knit } from './scenes.ts';

const exact = (buffer: Uint8Array<ArrayBuffer>): ArrayBuffer => buffer.buffer;
const none = (): null => null;

function roundTrip(run: TestRun, frame: number, reference: number, quantity: number): void {
  const geometry = decodeGeometry(exact(encodeGeometry(run, 0)));
  const message = exact(encodeFrame(run, 0, frame, reference, quantity));
  const decoded = decodeFrame(message, geometry, (f) => run.frames[f].positions);
  assert.deepEqual(decoded.positions, run.frames[frame].positions);
  assert.equal(decoded.time, run.frames[frame].time);
  assert.deepEqual([...decoded.poses], run.frames[frame].poses.flat());
  if (quantity < 0) return;
  const { low, high, data } = decoded.values ?? assert.fail('no values');
  const half = (0.5 * (high - low)) / VALUE_STEPS;
  run.frames[frame].values[quantity].forEach((value, i) => {
    if (Number.isNaN(value)) assert.equal(data[i], NO_VALUE);
    // Half a step of the quantisation; low and high are rounded to 32 bits on the way.
    else assert.ok(Math.abs(low + ((high - low) * data[i]) / VALUE_STEPS - value) <= half * (1 + 1e-3) + 1e-6 * Math.abs(value));
  });
}

test('frames come back to the last bit, with and without a reference', () => {
  for (const run of [knit(3, 4, 24, 3), crossing(3), drape(7, 3)]) {
    for (let q = -1; q < run.quantities.length; q++) {
      roundTrip(run, 0, -1, q);
      roundTrip(run, 1, 0, q);
      roundTrip(run, 1, 1, q);
      roundTrip(run, 0, 2, q);
    }
  }
});

test('several objects in one frame, a body between them', () => {
  const sheet = drape(4, 2);
  const yarns = crossing(2);
  const join = (f: number): Int32Array => Int32Array.from([...sheet.frames[f].positions, ...yarns.frames[f].positions]);
  const run: TestRun = {
    ...sheet,
    objects: [sheet.objects[0], sheet.objects[1], yarns.objects[0]],
    frames: [0, 1].map((f) => ({
      time: f,
      poses: [[f, 2, 3, 1, 0, 0, 0]],
      positions: join(f),
      values: [Float32Array.from([...sheet.frames[f].values[0], ...yarns.frames[f].values[0]])],
    })),
  };
  roundTrip(run, 0, -1, 0);
  roundTrip(run, 1, 0, 0);
});

test('a frame written out by hand after docs/protocol.md', () => {
  const run: TestRun = {
    title: 't',
    step: 1,
    objects: [{ name: 'y', kind: 'yarns', vertices: 3, curves: [{ count: 3, closed: false, radius: 1, colour: 0x123456 }] }],
    quantities: [],
    frames: [],
    tables: [],
  };
  const geometry = decodeGeometry(exact(encodeGeometry(run, 0)));
  const head = new DataView(new ArrayBuffer(48));
  [0x31666468, 0, 7].forEach((v, i) => head.setUint32(4 * i, v, true));
  head.setInt32(12, -1, true);
  head.setInt32(16, -1, true);
  head.setFloat64(40, 0.5, true);
  // (1,-1,64) then (1,0,63) then (300,1,62): differences 1,-1,64; 0,1,-1; and from 2 q1 - q0: 299, 0, 0.
  const body = [2, 1, 0x80, 0x01, 0, 2, 1, 0xd6, 0x04, 0, 0];
  head.setUint32(28, body.length, true);
  const message = Uint8Array.from([...new Uint8Array(head.buffer), ...body]);
  const frame = decodeFrame(message.buffer, geometry, none);
  assert.deepEqual([...frame.positions], [1, -1, 64, 1, 0, 63, 300, 1, 62]);
  assert.equal(frame.frame, 7);
  assert.equal(frame.time, 0.5);
});

test('geometry: counts, colours, offsets', () => {
  const run = crossing(1);
  const geometry = decodeGeometry(exact(encodeGeometry(run, 3)));
  assert.equal(geometry.run, 3);
  assert.equal(geometry.vertices, 58);
  assert.deepEqual(geometry.objects[0].curves.map((c) => [c.first, c.count, c.closed]), [[0, 21, false], [21, 21, false], [42, 16, true]]);
  assert.equal(geometry.objects[0].curves[1].colour, 0x2050c0);
});

test('every cut of a message is refused, none crashes', () => {
  const run = drape(4, 2);
  const geometry = decodeGeometry(exact(encodeGeometry(run, 0)));
  const wholes: [Uint8Array<ArrayBuffer>, (b: ArrayBuffer) => unknown][] = [
    [encodeGeometry(run, 0), decodeGeometry],
    [encodeFrame(run, 0, 1, -1, 0), (b) => decodeFrame(b, geometry, none)],
  ];
  for (const [whole, decode] of wholes) {
    decode(whole.buffer);
    for (let size = 0; size < whole.length; size += 7) {
      assert.throws(() => decode(whole.slice(0, size).buffer), ProtocolError, `${size} bytes`);
    }
    const longer = new Uint8Array(whole.length + 1);
    longer.set(whole);
    assert.throws(() => decode(longer.buffer), ProtocolError);
  }
});

test('any byte of a message may be wrong: an error or other numbers, never anything else', () => {
  const run = crossing(2);
  const geometry = decodeGeometry(exact(encodeGeometry(run, 0)));
  for (const [whole, decode] of [
    [encodeGeometry(run, 0), decodeGeometry],
    [encodeFrame(run, 0, 1, -1, 0), (b: ArrayBuffer): unknown => decodeFrame(b, geometry, none)],
  ] as [Uint8Array<ArrayBuffer>, (b: ArrayBuffer) => unknown][]) {
    for (let i = 0; i < whole.length; i++) {
      const changed = whole.slice();
      changed[i] ^= 0xff;
      try {
        decode(changed.buffer);
      } catch (error) {
        assert.ok(error instanceof ProtocolError, `byte ${i}: ${String(error)}`);
      }
    }
  }
});

test('a huge count is refused before memory is asked for', () => {
  const whole = encodeGeometry(crossing(1), 0);
  new DataView(whole.buffer).setUint32(20, 0x7fffffff, true); // triangles
  assert.throws(() => decodeGeometry(whole.buffer), ProtocolError);
});

test('a frame that refers to one that is not here', () => {
  const run = crossing(2);
  const geometry = decodeGeometry(exact(encodeGeometry(run, 0)));
  assert.throws(() => decodeFrame(exact(encodeFrame(run, 0, 1, 0, -1)), geometry, none), /refers to frame 0/);
});

test('kinds of binary messages', () => {
  assert.equal(messageKind(exact(encodeGeometry(crossing(1), 0))), 'geometry');
  assert.equal(messageKind(exact(encodeFrame(crossing(1), 0, 0, -1, -1))), 'frame');
  assert.equal(messageKind(new ArrayBuffer(2)), 'unknown');
});

test('text messages are checked field by field', () => {
  const about = encodeAbout(crossing(2), 0);
  assert.deepEqual(parseText(JSON.stringify(about)), about);
  for (const wrong of [
    { ...about, step: 0 },
    { ...about, frames: -1 },
    { ...about, box: [[0, 0, 0]] },
    { ...about, objects: [{ name: 'x', kind: 'cube' }] },
    { type: 'grown', run: 0, frames: 'many', growing: true },
    { type: 'table', run: 0, name: 'energy', first: 0, columns: ['a'], units: [''], rows: [[1, 2]] },
    { type: 'news' },
    [],
    7,
  ]) {
    assert.throws(() => parseText(JSON.stringify(wrong)), ProtocolError, JSON.stringify(wrong));
  }
  assert.throws(() => parseText('{"type":'), ProtocolError);
  const table = parseText('{"type":"table","run":0,"name":"m","first":0,"columns":["a"],"units":[""],"rows":[[null]]}');
  assert.ok(table.type === 'table' && Number.isNaN(table.rows[0][0]));
});

test('bytes a segment and frame of a moving knit stay within 16', () => {
  const run = knit(20, 20, 24, 2);
  const segments = 20 * 20 * 24;
  const alone = encodeFrame(run, 0, 0, -1, 0).length / segments;
  const moved = encodeFrame(run, 0, 1, 0, 0).length / segments;
  assert.ok(alone <= 16 && moved <= 16, `${alone} and ${moved}`);
});
