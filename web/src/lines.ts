// SPDX-License-Identifier: MIT
// How the lines of a chart look: no two of one chart alike, also for eyes that tell red and green apart badly.

/** The colours of Okabe and Ito (2008), lightened for a dark page where they need it. */
export const LINE_COLOURS = ['#56b4e9', '#e69f00', '#00b98a', '#f0e442', '#d986b5', '#3f82ff', '#e8652a', '#b9c0cc'];

/** Of the lines in each round of colours: those of the first run, and of the second beside it. */
const DASHES: readonly (readonly number[])[][] = [
  [[], [4, 3]],
  [[11, 3], [11, 3, 2, 3]],
  [[1.5, 3], [1.5, 3, 1.5, 8]],
];

export const LINE_LIMIT = LINE_COLOURS.length * DASHES.length;

export interface LineStyle {
  stroke: string;
  dash: number[];
}

/** The style of a column, counted in its chart from 0, and a run; alike again after LINE_LIMIT columns. */
export function lineStyle(index: number, run: number): LineStyle {
  const round = Math.floor(index / LINE_COLOURS.length) % DASHES.length;
  return { stroke: LINE_COLOURS[index % LINE_COLOURS.length], dash: [...DASHES[round][run > 0 ? 1 : 0]] };
}
