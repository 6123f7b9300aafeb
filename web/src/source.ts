// SPDX-License-Identifier: MIT
// Where runs come from: a program behind a socket, or data inside the page.
import type { About, Grown, Table, Welcome } from './protocol.ts';

export type Connection = 'opening' | 'open' | 'lost' | 'inside';

export interface SourceEvents {
  /** A run has more frames, or has ended. */
  grown(message: Grown): void;
  connection(state: Connection, note: string): void;
  /** Something that is wrong but answers no request. */
  problem(text: string): void;
}

export interface FrameWish {
  run: number;
  frame: number;
  quantity: number; // -1: none
  /** Whether the positions of a frame are here or on their way. */
  has(frame: number): boolean;
  alone: boolean; // without a reference
}

export interface Source {
  hello(): Promise<Welcome>;
  about(run: number): Promise<About>;
  geometry(run: number): Promise<ArrayBuffer>;
  table(run: number, name: string, first: number): Promise<Table>;
  /** Frame messages in the order in which they can be decoded, the wanted one last. */
  frame(wish: FrameWish): Promise<ArrayBuffer[]>;
}

/** Reference frames beyond this distance save nothing. */
const NEAR = 2;

/** The best frame to send differences from: itself if only values are missing, else a neighbour. */
export function chooseReference(wish: FrameWish, frames = Infinity): number {
  if (wish.alone) return -1;
  if (wish.has(wish.frame)) return wish.frame;
  for (let d = 1; d <= NEAR; d++) {
    if (wish.frame - d >= 0 && wish.has(wish.frame - d)) return wish.frame - d;
    if (wish.frame + d < frames && wish.has(wish.frame + d)) return wish.frame + d;
  }
  return -1;
}
