// SPDX-License-Identifier: MIT
// Frames from an embedded source, the cache, the clock and a growing run, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Base64Store } from '../src/base64.ts';
import { decodeGeometry } from '../src/decode.ts';
import { EmbeddedSource } from '../src/embedded.ts';
import { Player } from '../src/player.ts';
import { Run } from '../src/run.ts';
import type { FrameWish, Source } from '../src/source.ts';
import { chooseReference } from '../src/source.ts';
import { TimeAxis } from '../src/times.ts';
import { encodePage, type TestRun } from './encode.ts';
import { crossing, drape } from './scenes.ts';

async function open(source: Source, budget = 1e9): Promise<Run> {
  return new Run(0, await source.about(0), decodeGeometry(await source.geometry(0)), source, budget);
}

const pageOf = (run: TestRun, keyFrames?: number): EmbeddedSource => new EmbeddedSource(encodePage([run], keyFrames));
const turns = async (): Promise<void> => {
  for (let i = 0; i < 30; i++) await Promise.resolve();
  await new Promise((resolve) => setTimeout(resolve, 1));
};

test('any part of a base64 text', () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => (i * 7) & 255);
  for (const cut of [1000, 999, 998]) {
    const store = new Base64Store(Buffer.from(bytes.slice(0, cut)).toString('base64'));
    assert.equal(store.bytes, cut);
    for (const [offset, length] of [[0, 1], [1, 2], [2, 5], [3, 300], [cut - 1, 1], [cut, 0], [0, cut]]) {
      assert.deepEqual(store.slice(offset, length), bytes.slice(offset, offset + length));
    }
    assert.throws(() => store.slice(cut, 1));
  }
  assert.throws(() => new Base64Store('abcde'));
});

test('frames of an embedded run in any order, through chains of references', async () => {
  const made = crossing(12);
  for (const keyFrames of [1, 5, 100]) {
    const run = await open(pageOf(made, keyFrames));
    for (const frame of [11, 0, 7, 3, 4, 11]) {
      await run.load(frame, 0);
      assert.deepEqual(run.get(frame, 0)?.positions, made.frames[frame].positions, `frame ${frame}`);
    }
  }
});

test('the cache stays within its bound and still finds everything', async () => {
  const made = crossing(12);
  const size = made.frames[0].positions.byteLength + 2 * 58;
  const run = await open(pageOf(made, 4), 3 * size);
  for (const frame of [0, 5, 10, 2, 8, 0]) {
    await run.load(frame, 0);
    assert.deepEqual(run.get(frame, 0)?.positions, made.frames[frame].positions);
    const kept = made.frames.filter((_, f) => run.get(f, -1)).length;
    assert.ok(kept <= 3, `${kept} frames are kept`);
  }
});

test('broken data in a page are said, not thrown at random', async () => {
  const good = Buffer.from(encodePage([crossing(3)]), 'base64');
  assert.throws(() => new EmbeddedSource(good.subarray(0, good.length - 5).toString('base64')), /data of the page/);
  const wrongKind = Buffer.from(good);
  wrongKind.writeUInt32LE(9, 4);
  assert.throws(() => new EmbeddedSource(wrongKind.toString('base64')), /kind of a message/);
  await assert.rejects(new EmbeddedSource('').hello(), /no welcome/);
});

test('a frame that cannot be read is asked for once more without reference, then given up', async () => {
  const source = pageOf(crossing(3));
  const asked: boolean[] = [];
  const broken: Source = Object.create(source, {
    frame: {
      value: async (wish: FrameWish) => {
        asked.push(wish.alone);
        return [new ArrayBuffer(10)];
      },
    },
  });
  const run = await open(broken);
  await assert.rejects(run.load(1, -1));
  assert.deepEqual(asked, [false, true]);
  assert.ok(run.isBroken(1, -1) && !run.wants(1, -1));
});

test('references: itself for values, then neighbours, never far ones', () => {
  const wish = (frame: number, here: number[], alone = false): FrameWish => ({ run: 0, frame, quantity: 0, alone, has: (f) => here.includes(f) });
  assert.equal(chooseReference(wish(5, [4, 5, 6])), 5);
  assert.equal(chooseReference(wish(5, [4, 6])), 4);
  assert.equal(chooseReference(wish(5, [7])), 7);
  assert.equal(chooseReference(wish(5, [8, 1])), -1);
  assert.equal(chooseReference(wish(5, [4], true)), -1);
});

test('times: exact where known, straight lines elsewhere', () => {
  const axis = new TimeAxis();
  assert.equal(axis.timeOf(10), 0.4); // a guess of 25 frames a second
  axis.learn(0, 1);
  axis.learn(4, 3);
  assert.equal(axis.timeOf(2), 2);
  assert.equal(axis.timeOf(6), 4);
  assert.equal(axis.frameAt(2.25, 9), 2.5);
  assert.equal(axis.frameAt(99, 9), 8);
  assert.equal(axis.frameAt(-1, 9), 0);
  assert.equal(axis.nearestFrame(2.26, 9), 3);
  assert.equal(axis.nearestFrame(2.24, 9), 2);
});

test('two runs show their frames nearest to one time', async () => {
  const source = new EmbeddedSource(encodePage([drape(4, 6), drape(4, 11)]));
  const runs = [await open(source), new Run(1, await source.about(1), decodeGeometry(await source.geometry(1)), source, 1e9)];
  for (const run of runs) await run.loadTable('energy');
  const shown = new Map<number, number>();
  const player = new Player(runs, { show: (run, f) => shown.set(run.index, f.frame), changed: () => {}, problem: assert.fail });
  assert.equal(player.leader, runs[1]);
  player.seek(9);
  await turns();
  assert.deepEqual([...shown].sort(), [[0, 5], [1, 9]]);
});

test('playing goes on with the time, waits for frames and begins again', async () => {
  const source = pageOf(crossing(4)); // frames 0.1 s apart
  const run = await open(source);
  await run.loadTable('energy');
  const shown: number[] = [];
  const player = new Player([run], { show: (_, f) => shown.push(f.frame), changed: () => {}, problem: assert.fail });
  player.play();
  let now = 1000;
  for (let i = 0; i < 14; i++) {
    player.tick(now);
    now += 50;
    await turns();
  }
  assert.deepEqual([...new Set(shown)], [0, 1, 2, 3]);
  assert.ok(shown.lastIndexOf(0) > shown.indexOf(3), `it must begin again: ${shown.join(' ')}`);
});

test('who stands at the end follows a growing run, who looks back stays', async () => {
  const source = pageOf(crossing(12));
  const run = await open(source);
  run.about = { ...run.about, frames: 5, growing: true };
  const player = new Player([run], { show: () => {}, changed: () => {}, problem: assert.fail });
  player.seek(4);
  player.grown(run, 6, true);
  assert.equal(player.frame, 5);
  player.seek(2);
  player.grown(run, 9, true);
  assert.equal(player.frame, 2);
  player.seek(8);
  player.follow = false;
  player.grown(run, 12, false);
  assert.equal(player.frame, 8);
  assert.equal(player.growing, false);
});
