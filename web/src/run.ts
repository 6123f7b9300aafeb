// SPDX-License-Identifier: MIT
// One run as far as it is known here: what it is, its frames (kept up to a bound of memory), its tables.
import { decodeFrame, type FrameValues, type Geometry } from './decode.ts';
import type { About, Table } from './protocol.ts';
import type { Source } from './source.ts';
import { ConnectionLost } from './socket.ts';
import { TimeAxis } from './times.ts';

export interface StoredFrame {
  frame: number;
  time: number;
  poses: Float64Array;
  positions: Int32Array;
  values: Map<number, FrameValues>;
  used: number; // when it was last asked for
}

export interface TableData {
  columns: string[];
  units: string[];
  rows: number[][];
}

/** Bytes a message had, for the numbers of state(). */
export interface Traffic {
  frames: number;
  bytes: number;
  lastBytes: number;
}

export class Run {
  readonly times = new TimeAxis();
  readonly tables = new Map<string, TableData>();
  readonly traffic: Traffic = { frames: 0, bytes: 0, lastBytes: 0 };
  private readonly frames = new Map<number, StoredFrame>();
  private readonly loading = new Map<string, number>(); // key to frame
  private readonly broken = new Set<string>();
  private clock = 0;

  constructor(
    readonly index: number,
    public about: About,
    readonly geometry: Geometry,
    private readonly source: Source,
    private readonly budget: number, // bytes
  ) {}

  get frameCount(): number {
    return this.about.frames;
  }

  quantityIndex(name: string): number {
    return this.about.quantities.findIndex((q) => q.name === name);
  }

  /** A frame that is here with its values, or null. */
  get(frame: number, quantity: number): StoredFrame | null {
    const found = this.frames.get(frame);
    if (!found || (quantity >= 0 && !found.values.has(quantity))) return null;
    found.used = ++this.clock;
    return found;
  }

  get outstanding(): number {
    return this.loading.size;
  }

  isBroken(frame: number, quantity: number): boolean {
    return this.broken.has(`${frame} ${quantity}`);
  }

  wants(frame: number, quantity: number): boolean {
    const key = `${frame} ${quantity}`;
    return !this.loading.has(key) && !this.broken.has(key) && !this.get(frame, quantity);
  }

  /** Fetches a frame. A frame that cannot be read with a reference is asked for once more without. */
  async load(frame: number, quantity: number): Promise<void> {
    const key = `${frame} ${quantity}`;
    if (this.loading.has(key)) return;
    this.loading.set(key, frame);
    try {
      await this.fetch(frame, quantity, false).catch((error: unknown) => {
        if (error instanceof ConnectionLost) throw error;
        return this.fetch(frame, quantity, true);
      });
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.broken.add(key);
      throw error;
    } finally {
      this.loading.delete(key);
    }
  }

  private async fetch(frame: number, quantity: number, alone: boolean): Promise<void> {
    const key = `${frame} ${quantity}`;
    const onTheirWay = new Set([...this.loading].filter(([k]) => k !== key).map(([, f]) => f));
    const has = (f: number): boolean => this.frames.has(f) || onTheirWay.has(f);
    const messages = await this.source.frame({ run: this.index, frame, quantity, has, alone });
    for (const message of messages) this.store(message);
    this.evict(frame);
  }

  private store(message: ArrayBuffer): void {
    const decoded = decodeFrame(message, this.geometry, (f) => this.frames.get(f)?.positions ?? null);
    this.traffic.frames++;
    this.traffic.bytes += message.byteLength;
    this.traffic.lastBytes = message.byteLength;
    this.times.learn(decoded.frame, decoded.time);
    const known = this.frames.get(decoded.frame);
    const entry: StoredFrame = known ?? {
      frame: decoded.frame,
      time: decoded.time,
      poses: decoded.poses,
      positions: decoded.positions,
      values: new Map(),
      used: ++this.clock,
    };
    if (decoded.values) entry.values.set(decoded.quantity, decoded.values);
    this.frames.set(decoded.frame, entry);
  }

  private evict(kept: number): void {
    const sizeOf = (f: StoredFrame): number => f.positions.byteLength + f.values.size * 2 * this.geometry.vertices;
    let total = 0;
    for (const f of this.frames.values()) total += sizeOf(f);
    if (total <= this.budget) return;
    const oldest = [...this.frames.values()].sort((a, b) => a.used - b.used);
    for (const f of oldest) {
      if (total <= this.budget) break;
      if (f.frame === kept) continue;
      this.frames.delete(f.frame);
      total -= sizeOf(f);
    }
  }

  /** Fetches the rows of a table that are new; whether there were any. */
  async loadTable(name: string): Promise<boolean> {
    const first = this.tables.get(name)?.rows.length ?? 0;
    const table = await this.source.table(this.index, name, first);
    this.append(table);
    return table.rows.length > 0 || first === 0;
  }

  private append(table: Table): void {
    const known = this.tables.get(table.name);
    const kept = known ? known.rows.slice(0, table.first) : [];
    const rows = [...kept, ...table.rows];
    this.tables.set(table.name, { columns: table.columns, units: table.units, rows });
    const time = table.columns.indexOf('time');
    // One row of energies a frame: the times of frames that were never loaded.
    if (table.name === 'energy' && time >= 0) table.rows.forEach((row, i) => this.times.learn(table.first + i, row[time]));
  }
}
