// SPDX-License-Identifier: MIT
// Binary messages of docs/protocol.md: what a run consists of, and its frames as whole numbers.
import { ProtocolError } from './protocol.ts';

export interface Curve {
  first: number; // vertex within its object
  count: number;
  closed: boolean;
  radius: number; // m
  colour: number; // 0xRRGGBB
}

export interface ObjectGeometry {
  kind: number; // 0 sheet, 1 body, 2 yarns
  vertices: number;
  offset: number; // of its first vertex among those sent in frames; -1 for bodies
  triangles: Uint32Array; // three vertices each
  curves: Curve[];
  own: Float32Array; // bodies: vertices in the body's own frame
}

export interface Geometry {
  run: number;
  objects: ObjectGeometry[];
  vertices: number; // of sheets and yarns, those of a frame
  bodies: number;
}

export interface FrameHeader {
  run: number;
  frame: number;
  reference: number;
  quantity: number;
}

export interface FrameValues {
  low: number;
  high: number;
  data: Uint16Array; // 0 .. VALUE_STEPS, or NO_VALUE
}

export interface DecodedFrame extends FrameHeader {
  time: number;
  poses: Float64Array; // seven numbers a body
  positions: Int32Array; // three numbers a vertex, multiples of the step
  values: FrameValues | null;
}

export const VALUE_STEPS = 4094;
export const NO_VALUE = 4095;
const GEOMETRY_MAGIC = 0x31676468; // hdg1
const FRAME_MAGIC = 0x31666468; // hdf1

export function messageKind(buffer: ArrayBuffer): 'geometry' | 'frame' | 'unknown' {
  if (buffer.byteLength < 4) return 'unknown';
  const magic = new DataView(buffer).getUint32(0, true);
  return magic === GEOMETRY_MAGIC ? 'geometry' : magic === FRAME_MAGIC ? 'frame' : 'unknown';
}

/** Reads numbers one after the other; a message that ends early is an error, not a crash. */
class Reader {
  readonly view: DataView;
  at = 0;

  constructor(
    readonly buffer: ArrayBuffer,
    readonly what: string,
  ) {
    this.view = new DataView(buffer);
  }

  private take(bytes: number): number {
    const at = this.at;
    if (bytes > this.buffer.byteLength - at) {
      throw new ProtocolError(`${this.what}: ends at byte ${this.buffer.byteLength}, ${bytes} more needed at ${at}`);
    }
    this.at = at + bytes;
    return at;
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }
  i32(): number {
    return this.view.getInt32(this.take(4), true);
  }
  f32(): number {
    return this.view.getFloat32(this.take(4), true);
  }
  f64(): number {
    return this.view.getFloat64(this.take(8), true);
  }
  u32s(count: number): Uint32Array {
    const at = this.take(4 * count);
    return new Uint32Array(this.buffer.slice(at, at + 4 * count));
  }
  f32s(count: number): Float32Array {
    const at = this.take(4 * count);
    return new Float32Array(this.buffer.slice(at, at + 4 * count));
  }
  f64s(count: number): Float64Array {
    const at = this.take(8 * count);
    return new Float64Array(this.buffer.slice(at, at + 8 * count));
  }
  bytes(count: number): Uint8Array {
    return new Uint8Array(this.buffer, this.take(count), count);
  }
  end(): void {
    if (this.at !== this.buffer.byteLength) {
      throw new ProtocolError(`${this.what}: ${this.buffer.byteLength - this.at} bytes too many`);
    }
  }
}

function readCurves(reader: Reader, count: number, vertices: number): Curve[] {
  const curves: Curve[] = [];
  let first = 0;
  for (let c = 0; c < count; c++) {
    const size = reader.u32();
    const flags = reader.u32();
    const radius = reader.f32();
    const colour = reader.u32() & 0xffffff;
    if (!(radius > 0 && Number.isFinite(radius))) {
      throw new ProtocolError(`geometry: radius of curve ${c} must be positive, found ${radius}`);
    }
    curves.push({ first, count: size, closed: (flags & 1) !== 0, radius, colour });
    first += size;
  }
  if (count > 0 && first !== vertices) {
    throw new ProtocolError(`geometry: curves have ${first} vertices, their object ${vertices}`);
  }
  return curves;
}

function readObject(reader: Reader, offset: number): ObjectGeometry {
  const kind = reader.u32();
  const vertices = reader.u32();
  const triangleCount = reader.u32();
  const curveCount = reader.u32();
  if (kind > 2) throw new ProtocolError(`geometry: kind of an object must be 0, 1 or 2, found ${kind}`);
  const triangles = reader.u32s(3 * triangleCount);
  for (const index of triangles) {
    if (index >= vertices) throw new ProtocolError(`geometry: no vertex ${index} among ${vertices}`);
  }
  const curves = readCurves(reader, curveCount, vertices);
  const isBody = kind === 1;
  const own = reader.f32s(isBody ? 3 * vertices : 0);
  return { kind, vertices, offset: isBody ? -1 : offset, triangles, curves, own };
}

export function decodeGeometry(buffer: ArrayBuffer): Geometry {
  const reader = new Reader(buffer, 'geometry');
  if (reader.u32() !== GEOMETRY_MAGIC) throw new ProtocolError('geometry: does not begin with hdg1');
  const run = reader.u32();
  const count = reader.u32();
  const geometry: Geometry = { run, objects: [], vertices: 0, bodies: 0 };
  for (let i = 0; i < count; i++) {
    const object = readObject(reader, geometry.vertices);
    geometry.objects.push(object);
    if (object.offset < 0) geometry.bodies++;
    else geometry.vertices += object.vertices;
  }
  reader.end();
  return geometry;
}

export function frameHeader(buffer: ArrayBuffer): FrameHeader {
  const reader = new Reader(buffer, 'frame');
  if (reader.u32() !== FRAME_MAGIC) throw new ProtocolError('frame: does not begin with hdf1');
  return { run: reader.u32(), frame: reader.u32(), reference: reader.i32(), quantity: reader.i32() };
}

/** Variable-length integers of a byte array; reading past the end gives zeros and is found out by end(). */
class Varints {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  next(): number {
    const bytes = this.bytes;
    let byte = bytes[this.at++];
    if (byte < 128) return (byte >>> 1) ^ -(byte & 1);
    let value = byte & 127;
    for (let shift = 7; shift < 35; shift += 7) {
      byte = bytes[this.at++];
      value |= (byte & 127) << shift;
      if (!(byte >= 128)) break;
    }
    return (value >>> 1) ^ -(value & 1);
  }

  end(what: string): void {
    if (this.at !== this.bytes.length) {
      throw new ProtocolError(`frame: ${what} take ${this.at} bytes, ${this.bytes.length} were announced`);
    }
  }
}

/** Positions of vertices first..end that are sent as differences from a reference's. */
function addDifferences(numbers: Varints, q: Int32Array, r: Int32Array, first: number, end: number): void {
  let dx = 0;
  let dy = 0;
  let dz = 0;
  for (let i = 3 * first; i < 3 * end; i += 3) {
    q[i] = r[i] + (dx += numbers.next());
    q[i + 1] = r[i + 1] + (dy += numbers.next());
    q[i + 2] = r[i + 2] + (dz += numbers.next());
  }
}

/** Positions of vertices first..end that continue one chain: straight on for curves, in place for sheets. */
function addChain(numbers: Varints, q: Int32Array, first: number, end: number, straight: boolean): void {
  let i = 3 * first;
  const before = i - 3;
  for (let c = 0; c < 3 && first < end; c++, i++) {
    q[i] = (before >= 0 ? q[before + c] : 0) + numbers.next();
  }
  for (let c = 0; c < 3 && first + 1 < end; c++, i++) q[i] = q[i - 3] + numbers.next();
  if (straight) {
    for (; i < 3 * end; i++) q[i] = 2 * q[i - 3] - q[i - 6] + numbers.next();
  } else {
    for (; i < 3 * end; i++) q[i] = q[i - 3] + numbers.next();
  }
}

function decodePositions(bytes: Uint8Array, geometry: Geometry, reference: Int32Array | null): Int32Array {
  if (bytes.length < 3 * geometry.vertices) {
    throw new ProtocolError(`frame: ${bytes.length} bytes cannot hold ${geometry.vertices} positions`);
  }
  const q = new Int32Array(3 * geometry.vertices);
  const numbers = new Varints(bytes);
  for (const object of geometry.objects) {
    if (object.offset < 0) continue;
    const end = object.offset + object.vertices;
    if (reference) {
      addDifferences(numbers, q, reference, object.offset, end);
    } else if (object.curves.length > 0) {
      for (const curve of object.curves) {
        const first = object.offset + curve.first;
        addChain(numbers, q, first, first + curve.count, true);
      }
    } else {
      addChain(numbers, q, object.offset, end, false);
    }
  }
  numbers.end('positions');
  return q;
}

function decodeValues(bytes: Uint8Array, count: number): Uint16Array {
  if (bytes.length < count) throw new ProtocolError(`frame: ${bytes.length} bytes cannot hold ${count} values`);
  const data = new Uint16Array(count);
  const numbers = new Varints(bytes);
  let value = 0;
  for (let i = 0; i < count; i++) {
    value += numbers.next();
    if (value < 0 || value > NO_VALUE) {
      throw new ProtocolError(`frame: value ${i} must be from 0 to ${NO_VALUE}, found ${value}`);
    }
    data[i] = value;
  }
  numbers.end('values');
  return data;
}

/** Reads a frame; reference gives the positions of the frame it refers to. */
export function decodeFrame(
  buffer: ArrayBuffer,
  geometry: Geometry,
  reference: (frame: number) => Int32Array | null,
): DecodedFrame {
  const header = frameHeader(buffer);
  const reader = new Reader(buffer, 'frame');
  reader.at = 20;
  const low = reader.f32();
  const high = reader.f32();
  const positionBytes = reader.u32();
  const valueBytes = reader.u32();
  const bodies = reader.u32();
  const time = reader.f64();
  if (bodies !== geometry.bodies) {
    throw new ProtocolError(`frame: ${bodies} bodies, the geometry has ${geometry.bodies}`);
  }
  const poses = reader.f64s(7 * bodies);
  const from = header.reference < 0 ? null : reference(header.reference);
  if (header.reference >= 0 && !from) {
    throw new ProtocolError(`frame ${header.frame}: refers to frame ${header.reference}, which is not here`);
  }
  const positions = decodePositions(reader.bytes(positionBytes), geometry, from);
  const valueData = reader.bytes(valueBytes);
  const values = header.quantity < 0 ? null : { low, high, data: decodeValues(valueData, geometry.vertices) };
  reader.end();
  return { ...header, time, poses, positions, values };
}

