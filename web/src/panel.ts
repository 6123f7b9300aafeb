// SPDX-License-Identifier: MIT
// Objects with their check marks, and the numbers of what was picked.
import { BODY_COLOUR, objectColour } from './colormap.ts';
import { digits, el, metres } from './dom.ts';
import type { RunView } from './run-view.ts';
import type { StageHit } from './stage.ts';

const LIMIT = 200; // objects listed for a run

function kindText(view: RunView, index: number): string {
  const { info } = view.objects[index];
  if (info.ground) return 'ground';
  const count = info.kind === 'yarns' ? `${info.curves} yarn${info.curves === 1 ? '' : 's'}` : `${info.triangles} tri.`;
  return info.kind === 'yarns' ? count : `${info.kind}, ${count}`;
}

function swatchColour(view: RunView, index: number): string {
  const { info, geometry } = view.objects[index];
  if (info.kind === 'body') return BODY_COLOUR;
  if (info.kind === 'sheet') return objectColour(index);
  return `#${(geometry.curves[0]?.colour ?? 0x888888).toString(16).padStart(6, '0')}`;
}

export function objectList(views: readonly RunView[], changed: () => void): HTMLElement {
  const section = el('section', { id: 'objects' }, el('h2', {}, 'Objects'));
  views.forEach((view, run) => {
    if (views.length > 1) section.append(el('div', { class: 'quiet' }, `${run + 1}: ${view.run.about.title}`));
    view.objects.slice(0, LIMIT).forEach((object, i) => {
      const box = el('input', { type: 'checkbox' });
      box.checked = object.node.visible;
      box.addEventListener('change', () => {
        object.node.visible = box.checked;
        changed();
      });
      const swatch = el('span', { class: 'swatch', style: `background:${swatchColour(view, i)}` });
      const name = el('span', { class: 'grow', title: object.info.name }, object.info.name);
      section.append(el('label', { class: 'row' }, box, swatch, name, el('span', { class: 'quiet' }, kindText(view, i))));
    });
    const more = view.objects.length - LIMIT;
    if (more > 0) section.append(el('div', { class: 'quiet' }, `and ${more} more`));
  });
  return section;
}

export interface Picked {
  run: number;
  object: string;
  kind: string;
  yarn: number; // -1: none
  segment: number;
  triangle: number; // -1: none
  vertices: number[];
  position: [number, number, number];
  value: number | null;
  radius: number | null;
  length: number | null;
  area: number | null;
}

function triangleArea(view: RunView, object: number, vertices: number[]): number {
  const [a, b, c] = vertices.map((v) => view.vertex(view.objects[object], v));
  return 0.5 * b.sub(a).cross(c.sub(a)).length();
}

/** The numbers of what is under a click. */
export function describe(view: RunView, hit: StageHit): Picked {
  const object = view.objects[hit.object];
  const { yarn, triangle } = hit;
  const corners = triangle ? object.geometry.triangles.subarray(3 * triangle.triangle, 3 * triangle.triangle + 3) : [];
  const vertices = yarn ? [...yarn.vertices] : [...corners];
  const values = vertices.map((v) => view.valueAt(object, v));
  const weights = yarn ? [1 - yarn.along, yarn.along] : values.map(() => 1 / values.length);
  const value = values.reduce((sum, v, i) => sum + v * weights[i], 0);
  return {
    run: hit.run,
    object: object.info.name,
    kind: object.info.kind,
    yarn: yarn?.curve ?? -1,
    segment: yarn?.segment ?? -1,
    triangle: triangle?.triangle ?? -1,
    vertices,
    position: hit.point.toArray(),
    value: Number.isFinite(value) ? value : null,
    radius: yarn ? object.geometry.curves[yarn.curve].radius : null,
    length: yarn ? view.length(object, yarn.curve) : null,
    area: triangle ? triangleArea(view, hit.object, vertices) : null,
  };
}

export class PickedPanel {
  readonly section = el('section', { id: 'picked', 'aria-live': 'polite' });

  constructor() {
    this.show(null, '', '', false);
  }

  show(picked: Picked | null, quantity: string, unit: string, several: boolean): void {
    const rows: [string, string][] = [];
    if (picked) {
      rows.push(['Object', picked.object]);
      if (several) rows.push(['Run', String(picked.run + 1)]);
      if (picked.yarn >= 0) rows.push(['Yarn', String(picked.yarn)], ['Segment', String(picked.segment)]);
      else rows.push(['Triangle', String(picked.triangle)]);
      rows.push(['Vertices', picked.vertices.join(', ')]);
      rows.push(['Position', picked.position.map((x) => metres(x)).join(', ')]);
      if (quantity) rows.push([quantity, picked.value === null ? 'none here' : `${digits(picked.value)} ${unit}`]);
      if (picked.radius !== null) rows.push(['Radius', metres(picked.radius)]);
      if (picked.length !== null) rows.push(['Length', metres(picked.length)]);
      if (picked.area !== null) rows.push(['Area', `${digits(1e6 * picked.area)} mm²`]);
    }
    const table = el('table', { class: 'facts' });
    for (const [name, text] of rows) table.append(el('tr', {}, el('td', {}, name), el('td', {}, text)));
    const hint = el('div', { class: 'quiet' }, 'Click a yarn or a triangle to read its numbers.');
    this.section.replaceChildren(el('h2', {}, 'Picked'), picked ? table : hint);
  }
}
