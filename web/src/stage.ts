// SPDX-License-Identifier: MIT
// The canvas: runs side by side through one camera, drawn only when something changed.
import * as THREE from 'three';
import { OrbitCamera } from './camera.ts';
import { LEVELS } from './lod.ts';
import type { PickRay } from './pick.ts';
import type { ObjectHit, RunView } from './run-view.ts';

export interface StageHit extends ObjectHit {
  run: number;
  point: THREE.Vector3; // in the run's own coordinates
}

const SLACK_PIXELS = 2.5; // a click this near to a thin yarn means the yarn
const DENSEST = 2; // device pixels for one of CSS
const SOFTWARE_DETAIL = 0.4; // without a graphics processor, tubes are cut coarser

/** A graphics processor smooths edges for nothing; without one, that would cost a third of each picture. */
function openContext(canvas: HTMLCanvasElement): { context: WebGL2RenderingContext; isSoftware: boolean } {
  const wish = { alpha: false, powerPreference: 'high-performance' } as const;
  const fast = canvas.getContext('webgl2', { ...wish, antialias: true, failIfMajorPerformanceCaveat: true });
  if (fast) return { context: fast, isSoftware: false };
  const slow = canvas.getContext('webgl2', { ...wish, antialias: false });
  if (!slow) throw new Error('This browser has no WebGL 2, or it is switched off.');
  return { context: slow, isSoftware: true };
}

function nameOf(gl: WebGL2RenderingContext): string {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}

export class Stage {
  readonly orbit = new OrbitCamera();
  readonly views: RunView[] = [];
  readonly origin = new THREE.Vector3();
  private readonly renderer: THREE.WebGLRenderer;
  readonly rendererName: string;
  private readonly detail: number;
  private readonly up = new THREE.Vector3(0, 1, 0);
  private dirty = true;
  private scheduled = false;
  private width = 1;
  private height = 1;
  pictures = 0;
  /** Called before each picture. */
  beforePicture: (now: number) => void = () => {};
  /** Called after each picture. */
  afterPicture: () => void = () => {};

  constructor(readonly canvas: HTMLCanvasElement) {
    const { context, isSoftware } = openContext(canvas);
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.detail = isSoftware ? SOFTWARE_DETAIL : 1;
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace; // shaders write what the screen shows
    this.renderer.autoClear = false;
    this.renderer.info.autoReset = false;
    this.rendererName = nameOf(context);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  add(view: RunView): void {
    this.views.push(view);
    this.resize();
  }

  setUp(up: THREE.Vector3): void {
    this.up.copy(up).normalize();
    this.orbit.setUp(this.up);
  }

  resize(): void {
    this.width = Math.max(1, this.canvas.clientWidth);
    this.height = Math.max(1, this.canvas.clientHeight);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, DENSEST));
    this.renderer.setSize(this.width, this.height, false);
    this.orbit.setAspect(this.width / Math.max(1, this.views.length) / this.height);
    this.draw();
  }

  /** Asks for a picture soon. */
  draw(): void {
    this.dirty = true;
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame((now) => {
      this.scheduled = false;
      this.beforePicture(now);
      if (this.dirty && this.views.length > 0 && this.views.every((view) => view.isFilled)) this.render();
    });
  }

  /** Draws now, and waits until it is done if the picture is to be read. */
  render(): void {
    this.dirty = false;
    const { renderer } = this;
    const columns = Math.max(1, this.views.length);
    const pixel = this.orbit.pixel(this.height * renderer.getPixelRatio());
    renderer.info.reset();
    renderer.setScissorTest(true);
    this.views.forEach((view, i) => {
      const left = Math.round((i * this.width) / columns);
      const width = Math.round(((i + 1) * this.width) / columns) - left;
      renderer.setViewport(left, 0, width, this.height);
      renderer.setScissor(left, 0, width, this.height);
      view.prepare(this.orbit.camera, pixel, this.detail, this.up);
      renderer.clear();
      renderer.render(view.scene, this.orbit.camera);
    });
    renderer.setScissorTest(false);
    this.pictures++;
    this.afterPicture();
  }

  /** Waits until everything asked for is really in the picture. */
  finish(): void {
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  get drawn(): { triangles: number; calls: number; levels: Record<string, number> } {
    const { triangles, calls } = this.renderer.info.render;
    const levels: Record<string, number> = {};
    LEVELS.forEach((level, i) => {
      levels[level.name] = this.views.reduce(
        (sum, v) => sum + v.objects.reduce((s, o) => s + (o.yarns?.counts[i] ?? 0), 0),
        0,
      );
    });
    return { triangles, calls, levels };
  }

  /** The view under a place of the canvas (CSS pixels) and the place in it, from -1 to 1. */
  private locate(x: number, y: number): { index: number; x: number; y: number } {
    const columns = Math.max(1, this.views.length);
    const wide = this.width / columns;
    const index = Math.max(0, Math.min(columns - 1, Math.floor(x / wide)));
    return { index, x: (2 * (x - index * wide)) / wide - 1, y: 1 - (2 * y) / this.height };
  }

  pick(x: number, y: number): StageHit | null {
    const place = this.locate(x, y);
    const view = this.views[place.index];
    if (!view) return null;
    const ray = this.orbit.ray(place.x, place.y);
    const pickRay: PickRay = {
      origin: ray.origin.toArray(),
      direction: ray.direction.toArray(),
      slack: SLACK_PIXELS * this.orbit.pixel(this.height),
    };
    const hit = view.pick(pickRay);
    if (!hit) return null;
    return { ...hit, run: place.index, point: ray.at(hit.distance, new THREE.Vector3()).add(this.origin) };
  }

  /** The point to zoom about: what is under the cursor, else the plane of the target. */
  pivot(x: number, y: number): THREE.Vector3 {
    const hit = this.pick(x, y);
    if (hit) return hit.point.sub(this.origin);
    const place = this.locate(x, y);
    return this.orbit.pointAt(place.x, place.y);
  }

  /** Where a point (relative to the origin) is on the canvas, in CSS pixels. */
  project(point: THREE.Vector3, run: number): { x: number; y: number } {
    const wide = this.width / Math.max(1, this.views.length);
    const p = point.clone().project(this.orbit.camera);
    return { x: run * wide + (0.5 + 0.5 * p.x) * wide, y: (0.5 - 0.5 * p.y) * this.height };
  }

  bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    for (const view of this.views) box.union(view.bounds());
    return box;
  }

  frame(afresh: boolean): void {
    this.orbit.frame(this.bounds(), afresh);
    this.draw();
  }

  /** Metres on a CSS pixel at the target. */
  metresPerPixel(): number {
    return this.orbit.pixel(this.height) * this.orbit.distance;
  }
}
