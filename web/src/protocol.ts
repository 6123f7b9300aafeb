// SPDX-License-Identifier: MIT
// The words of docs/protocol.md: requests as text, answers as JSON, checked before anything trusts them.

export type Vec3 = [number, number, number];

export type ObjectKind = 'sheet' | 'body' | 'yarns';
export const OBJECT_KINDS: readonly ObjectKind[] = ['sheet', 'body', 'yarns'];

export interface ObjectInfo {
  name: string;
  kind: ObjectKind;
  ground: boolean;
  vertices: number;
  triangles: number;
  curves: number;
}

export interface Quantity {
  name: string;
  unit: string;
  signed: boolean;
  low: number;
  high: number;
}

export interface Welcome {
  type: 'welcome';
  version: string;
  runs: number;
}

export interface About {
  type: 'about';
  run: number;
  title: string;
  path: string;
  is_run: boolean;
  growing: boolean;
  frames: number;
  step: number;
  up: Vec3;
  box: [Vec3, Vec3];
  tables: string[];
  objects: ObjectInfo[];
  quantities: Quantity[];
}

export interface Table {
  type: 'table';
  run: number;
  name: string;
  first: number;
  columns: string[];
  units: string[];
  rows: number[][];
}

export interface Grown {
  type: 'grown';
  run: number;
  frames: number;
  growing: boolean;
}

export interface Refusal {
  type: 'error';
  run: number;
  text: string;
}

export type TextMessage = Welcome | About | Table | Grown | Refusal;

export const SUBPROTOCOL = 'heddle-1';
export const MOST_WAITING = 16; // requests without an answer; more close the connection

export const request = {
  hello: (): string => 'hello',
  about: (run: number): string => `about ${run}`,
  geometry: (run: number): string => `geometry ${run}`,
  frame: (run: number, frame: number, reference: number, quantity: number): string =>
    `frame ${run} ${frame} ${reference} ${quantity}`,
  table: (run: number, name: string, first: number): string => `table ${run} ${name} ${first}`,
};

/** A message that breaks the rules of docs/protocol.md; the text says which. */
export class ProtocolError extends Error {}

type Json = Record<string, unknown>;

function bad(what: string, found: unknown): never {
  const shown = JSON.stringify(found) ?? String(found);
  throw new ProtocolError(`${what}, found ${shown.slice(0, 60)}`);
}

function record(value: unknown, name: string): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : bad(`${name} must be an object`, value);
}

function list(value: unknown, name: string): unknown[] {
  return Array.isArray(value) ? value : bad(`${name} must be a list`, value);
}

function text(value: unknown, name: string): string {
  return typeof value === 'string' ? value : bad(`${name} must be a text`, value);
}

function flag(value: unknown, name: string): boolean {
  return typeof value === 'boolean' ? value : bad(`${name} must be true or false`, value);
}

function real(value: unknown, name: string): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : bad(`${name} must be a number`, value);
}

function count(value: unknown, name: string): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31
    ? value
    : bad(`${name} must be a whole number from 0`, value);
}

function vector(value: unknown, name: string): Vec3 {
  const numbers = list(value, name).map((x) => real(x, name));
  return numbers.length === 3 ? (numbers as Vec3) : bad(`${name} must have three numbers`, value);
}

function objectInfo(value: unknown): ObjectInfo {
  const o = record(value, 'an object');
  const kind = text(o.kind, 'kind') as ObjectKind;
  return {
    name: text(o.name, 'name'),
    kind: OBJECT_KINDS.includes(kind) ? kind : bad('kind must be sheet, body or yarns', kind),
    ground: flag(o.ground, 'ground'),
    vertices: count(o.vertices, 'vertices'),
    triangles: count(o.triangles, 'triangles'),
    curves: count(o.curves, 'curves'),
  };
}

function quantity(value: unknown): Quantity {
  const o = record(value, 'a quantity');
  return {
    name: text(o.name, 'name'),
    unit: text(o.unit, 'unit'),
    signed: flag(o.signed, 'signed'),
    low: real(o.low, 'low'),
    high: real(o.high, 'high'),
  };
}

function about(o: Json): About {
  const corners = list(o.box, 'box');
  const step = real(o.step, 'step');
  return {
    type: 'about',
    run: count(o.run, 'run'),
    title: text(o.title, 'title'),
    path: text(o.path, 'path'),
    is_run: flag(o.is_run, 'is_run'),
    growing: flag(o.growing, 'growing'),
    frames: count(o.frames, 'frames'),
    step: step > 0 ? step : bad('step must be positive', step),
    up: vector(o.up, 'up'),
    box: [vector(corners[0], 'box'), vector(corners[1], 'box')],
    tables: list(o.tables, 'tables').map((x) => text(x, 'tables')),
    objects: list(o.objects, 'objects').map(objectInfo),
    quantities: list(o.quantities, 'quantities').map(quantity),
  };
}

// A cell that is no finite number has been sent as null: a gap in the chart.
function cell(value: unknown): number {
  return typeof value === 'number' ? value : value === null ? NaN : bad('a cell must be a number', value);
}

function table(o: Json): Table {
  const columns = list(o.columns, 'columns').map((x) => text(x, 'columns'));
  const units = list(o.units, 'units').map((x) => text(x, 'units'));
  const rows = list(o.rows, 'rows').map((row) => list(row, 'a row').map(cell));
  for (const row of rows) {
    if (row.length !== columns.length) bad(`a row must have ${columns.length} numbers`, row.length);
  }
  if (units.length !== columns.length) bad(`units must have ${columns.length} entries`, units.length);
  return {
    type: 'table',
    run: count(o.run, 'run'),
    name: text(o.name, 'name'),
    first: count(o.first, 'first'),
    columns,
    units,
    rows,
  };
}

/** Reads a JSON message; throws a ProtocolError that names the field. */
export function parseText(source: string): TextMessage {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    bad('a message must be JSON', source);
  }
  const o = record(value, 'a message');
  switch (o.type) {
    case 'welcome':
      return { type: 'welcome', version: text(o.version, 'version'), runs: count(o.runs, 'runs') };
    case 'about':
      return about(o);
    case 'table':
      return table(o);
    case 'grown':
      return {
        type: 'grown',
        run: count(o.run, 'run'),
        frames: count(o.frames, 'frames'),
        growing: flag(o.growing, 'growing'),
      };
    case 'error':
      return { type: 'error', run: typeof o.run === 'number' ? o.run : -1, text: text(o.text, 'text') };
    default:
      return bad('the type of a message must be known', o.type);
  }
}
