// SPDX-License-Identifier: MIT
// Runs inside the page (element #heddle-data): the messages of docs/protocol.md in a row, found by an index.
import { Base64Store } from './base64.ts';
import { frameHeader, messageKind, type FrameHeader } from './decode.ts';
import { ProtocolError, parseText, type About, type Table, type Welcome } from './protocol.ts';
import type { FrameWish, Source } from './source.ts';

interface Place {
  offset: number;
  length: number;
}

interface FramePlace extends Place {
  header: FrameHeader;
}

interface RunIndex {
  about: About | null;
  geometry: Place | null;
  tables: Table[];
  frames: Map<number, FramePlace[]>; // by frame, one for each quantity
}

const HEAD = 8; // length and kind before each message
const PEEK = 20; // bytes of a binary message that say what it is

export class EmbeddedSource implements Source {
  private readonly store: Base64Store;
  private readonly runs = new Map<number, RunIndex>();
  private welcome: Welcome | null = null;

  constructor(base64: string) {
    this.store = new Base64Store(base64);
    for (let at = 0; at < this.store.bytes; ) at = this.index(at);
  }

  async hello(): Promise<Welcome> {
    if (!this.welcome) throw new ProtocolError('the data of the page have no welcome');
    return this.welcome;
  }

  async about(run: number): Promise<About> {
    const about = this.runs.get(run)?.about;
    if (!about) throw new ProtocolError(`the data of the page say nothing about run ${run}`);
    return about;
  }

  async geometry(run: number): Promise<ArrayBuffer> {
    const place = this.runs.get(run)?.geometry;
    if (!place) throw new ProtocolError(`the data of the page have no geometry of run ${run}`);
    return this.read(place);
  }

  async table(run: number, name: string, first: number): Promise<Table> {
    const table = this.runs.get(run)?.tables.find((t) => t.name === name);
    if (!table) throw new ProtocolError(`the data of the page have no table '${name}' of run ${run}`);
    return { ...table, first, rows: table.rows.slice(first - table.first) };
  }

  async frame(wish: FrameWish): Promise<ArrayBuffer[]> {
    const frames = this.runs.get(wish.run)?.frames;
    let next = this.find(frames, wish.frame, wish.quantity);
    if (!next) throw new ProtocolError(`the data of the page have no frame ${wish.frame} of run ${wish.run}`);
    const chain: ArrayBuffer[] = [];
    const seen = new Set<FramePlace>();
    while (next) {
      if (seen.has(next)) throw new ProtocolError(`frame ${next.header.frame} refers to itself in a circle`);
      seen.add(next);
      chain.unshift(this.read(next));
      const reference: number = next.header.reference;
      if (reference < 0 || (!wish.alone && wish.has(reference))) break;
      next = this.find(frames, reference, -1, seen);
    }
    return chain;
  }

  /** The message of a frame with a quantity, else without one, else any that leads on. */
  private find(
    frames: Map<number, FramePlace[]> | undefined,
    frame: number,
    quantity: number,
    not: Set<FramePlace> = new Set(),
  ): FramePlace | undefined {
    const places = (frames?.get(frame) ?? []).filter((p) => !not.has(p));
    return (
      places.find((p) => p.header.quantity === quantity) ??
      places.find((p) => p.header.quantity === -1) ??
      places.find((p) => p.header.reference !== frame) ??
      places[0]
    );
  }

  private read(place: Place): ArrayBuffer {
    return this.store.slice(place.offset, place.length).buffer;
  }

  private run(number: number): RunIndex {
    let run = this.runs.get(number);
    if (!run) {
      run = { about: null, geometry: null, tables: [], frames: new Map() };
      this.runs.set(number, run);
    }
    return run;
  }

  /** Notes the message at a byte; returns where the next one begins. */
  private index(at: number): number {
    const head = new DataView(this.store.slice(at, HEAD).buffer);
    const place = { offset: at + HEAD, length: head.getUint32(0, true) };
    const kind = head.getUint32(4, true);
    if (place.offset + place.length > this.store.bytes) {
      throw new ProtocolError(`the data of the page are cut off: ${this.store.bytes} bytes`);
    }
    if (kind === 0) this.indexText(place);
    else if (kind === 1) this.indexBinary(place);
    else throw new ProtocolError(`the data of the page: kind of a message must be 0 or 1, found ${kind}`);
    return place.offset + place.length;
  }

  private indexText(place: Place): void {
    const message = parseText(new TextDecoder().decode(this.store.slice(place.offset, place.length)));
    if (message.type === 'welcome') this.welcome = message;
    else if (message.type === 'about') this.run(message.run).about = message;
    else if (message.type === 'table') this.run(message.run).tables.push(message);
    else throw new ProtocolError(`the data of the page: a message of type '${message.type}' has no place there`);
  }

  private indexBinary(place: Place): void {
    const start = this.store.slice(place.offset, Math.min(PEEK, place.length)).buffer;
    const kind = messageKind(start);
    if (kind === 'geometry') {
      this.run(new DataView(start).getUint32(4, true)).geometry = place;
    } else if (kind === 'frame') {
      const header = frameHeader(start);
      const frames = this.run(header.run).frames;
      const places = frames.get(header.frame);
      if (places) places.push({ ...place, header });
      else frames.set(header.frame, [{ ...place, header }]);
    } else {
      throw new ProtocolError('the data of the page: a binary message of an unknown kind');
    }
  }
}
