// SPDX-License-Identifier: MIT
// Levels of detail of yarns: templates of one segment, and the choice for each chunk of segments.

export interface Level {
  name: string;
  tube: boolean; // else a ribbon
  sides: number;
  rings: number;
  stride: number; // segments that one piece stands for
  from: number; // smallest radius on the screen, in pixels, it is meant for
}

export const LEVELS: readonly Level[] = [
  { name: 'tube 16x8', tube: true, sides: 16, rings: 8, stride: 1, from: 22 },
  { name: 'tube 10x4', tube: true, sides: 10, rings: 4, stride: 1, from: 8 },
  { name: 'tube 6x3', tube: true, sides: 6, rings: 3, stride: 1, from: 3.5 },
  { name: 'ribbon 2', tube: false, sides: 1, rings: 2, stride: 1, from: 1.2 },
  { name: 'ribbon 1', tube: false, sides: 1, rings: 1, stride: 1, from: 0 },
  { name: 'ribbon 1/4', tube: false, sides: 1, rings: 1, stride: 4, from: 0 },
];

export interface Template {
  position: Float32Array; // along the segment, around or across, number of the segment
  index: Uint16Array;
}

/**
 * Points and triangles of a row of segments. One instance draws the whole row: instances of a single segment are too
 * small for graphics processors, and for software renderers each costs as much as a draw call.
 */
export function template(level: Level, segments: number): Template {
  const { sides, rings, stride } = level;
  const pieces = segments / stride;
  const points = (rings + 1) * (sides + 1);
  const position = new Float32Array(3 * points * pieces);
  const index = new Uint16Array(6 * rings * sides * pieces);
  let p = 0;
  let i = 0;
  for (let n = 0; n < pieces; n++) {
    for (let r = 0; r <= rings; r++) {
      for (let s = 0; s <= sides; s++) {
        position[p++] = r / rings;
        position[p++] = level.tube ? s / sides : (2 * s) / sides - 1;
        position[p++] = n * stride;
        if (r === rings || s === sides) continue;
        const a = n * points + r * (sides + 1) + s;
        const b = a + sides + 1;
        index.set([a, a + 1, b, a + 1, b + 1, b], i); // seen from outside, against the clock
        i += 6;
      }
    }
  }
  return { position, index };
}

/** The level for a radius and a segment's length on the screen, in pixels; detail below 1 makes all levels coarser. */
export function chooseLevel(radius: number, length: number, detail: number): number {
  const tiny = LEVELS.length - 1;
  // Pieces of some pixels are as good as curves once the yarn is hardly wider than a pixel.
  if (radius < 1 && length * LEVELS[tiny].stride < 4) return tiny;
  const found = LEVELS.findIndex((level) => detail * radius >= level.from);
  return found < 0 ? tiny - 1 : found;
}
