// SPDX-License-Identifier: MIT
// One run on the screen: its objects, filled from frames.
import * as THREE from 'three';
import { BODY_COLOUR, objectColour } from './colormap.ts';
import { NO_VALUE, VALUE_STEPS, type FrameValues, type ObjectGeometry } from './decode.ts';
import { curveLength } from './curves.ts';
import { pickTriangle, pickYarn, type PickRay, type TriangleHit, type YarnHit } from './pick.ts';
import type { ObjectInfo } from './protocol.ts';
import type { Run, StoredFrame } from './run.ts';
import { makeShared, setColours } from './shared.ts';
import { Surface, makeBackdrop, makeGround } from './surface.ts';
import { Yarns } from './yarns.ts';
import { CHUNK } from './yarn-shader.ts';

/** Where the vertices of an object are written: numbers of one array, or of two. */
interface Target {
  positions: Float32Array;
  stride: number;
  values: Float32Array;
  valueStride: number;
  valueAt: number;
}

export interface ObjectView {
  info: ObjectInfo;
  geometry: ObjectGeometry;
  yarns: Yarns | null;
  surface: Surface | null;
  node: THREE.Object3D;
}

export interface ObjectHit {
  object: number;
  distance: number;
  yarn: YarnHit | null;
  triangle: TriangleHit | null;
}

export class RunView {
  readonly scene = new THREE.Scene();
  readonly objects: ObjectView[];
  readonly shared = makeShared();
  private readonly marker: THREE.LineLoop;
  private frame: StoredFrame | null = null;
  private quantity = -1;

  constructor(
    readonly run: Run,
    readonly origin: THREE.Vector3,
    size: number,
  ) {
    this.scene.add(makeBackdrop());
    this.objects = run.geometry.objects.map((geometry, i) => this.makeObject(geometry, i, size));
    for (const object of this.objects) this.scene.add(object.node);
    this.marker = makeMarker();
    this.scene.add(this.marker);
  }

  private makeObject(geometry: ObjectGeometry, index: number, size: number): ObjectView {
    const info = this.run.about.objects[index];
    if (geometry.kind === 2) {
      const yarns = new Yarns(geometry, this.shared);
      return { info, geometry, yarns, surface: null, node: yarns.group };
    }
    const isBody = geometry.kind === 1;
    const surface = new Surface(geometry, this.shared, isBody ? BODY_COLOUR : objectColour(index), isBody);
    if (info.ground && isBody) makeGround(surface, size, new THREE.Vector3(...this.run.about.up).normalize());
    return { info, geometry, yarns: null, surface, node: surface.mesh };
  }

  get segments(): number {
    return this.objects.reduce((sum, o) => sum + (o.yarns?.table.count ?? 0), 0);
  }

  get triangles(): number {
    return this.objects.reduce((sum, o) => sum + o.geometry.triangles.length / 3, 0);
  }

  get isFilled(): boolean {
    return this.frame !== null;
  }

  /** Fills all objects from a frame; quantity is -1 for none. */
  show(frame: StoredFrame, quantity: number): void {
    const samePlace = this.frame === frame;
    if (samePlace && this.quantity === quantity) return;
    this.frame = frame;
    this.quantity = quantity;
    const values = frame.values.get(quantity)?.data ?? null;
    let body = 0;
    for (const object of this.objects) {
      if (object.geometry.offset < 0) this.pose(object.node, frame.poses, body++);
      else this.fill(targetOf(object), object.geometry, frame, values);
      object.yarns?.update();
      if (object.geometry.offset >= 0) object.surface?.update();
    }
  }

  private pose(node: THREE.Object3D, poses: Float64Array, body: number): void {
    const [x, y, z, qw, qx, qy, qz] = poses.subarray(7 * body, 7 * body + 7);
    node.position.set(x - this.origin.x, y - this.origin.y, z - this.origin.z);
    node.quaternion.set(qx, qy, qz, qw);
    node.updateMatrixWorld();
  }

  private fill(target: Target, geometry: ObjectGeometry, frame: StoredFrame, values: Uint16Array | null): void {
    const { step } = this.run.about;
    const { x: ox, y: oy, z: oz } = this.origin;
    const { positions: out, stride } = target;
    const q = frame.positions;
    let i = 3 * geometry.offset;
    for (let k = 0; k < geometry.vertices; k++, i += 3) {
      out[stride * k] = q[i] * step - ox;
      out[stride * k + 1] = q[i + 1] * step - oy;
      out[stride * k + 2] = q[i + 2] * step - oz;
      const value = values ? values[geometry.offset + k] : NO_VALUE;
      target.values[target.valueStride * k + target.valueAt] = value === NO_VALUE ? -1 : value;
    }
  }

  /** Values of the frame on the screen, if it has any. */
  get values(): FrameValues | null {
    return this.frame?.values.get(this.quantity) ?? null;
  }

  setColours(signed: boolean, range: [number, number]): void {
    setColours(this.shared, this.values, signed, range);
  }

  /** The value at a vertex of an object; NaN for none. */
  valueAt(object: ObjectView, vertex: number): number {
    const { values } = this;
    const raw = object.geometry.offset >= 0 ? values?.data[object.geometry.offset + vertex] : undefined;
    if (!values || raw === undefined || raw === NO_VALUE) return NaN;
    return values.low + ((values.high - values.low) * raw) / VALUE_STEPS;
  }

  /** Where a vertex of an object is, relative to the origin. */
  vertex(object: ObjectView, vertex: number): THREE.Vector3 {
    if (object.yarns) return new THREE.Vector3().fromArray(object.yarns.points, 4 * vertex);
    const at = new THREE.Vector3();
    if (object.surface) at.fromArray(object.surface.positions, 3 * vertex).applyMatrix4(object.node.matrixWorld);
    return at;
  }

  length(object: ObjectView, curve: number): number {
    return object.yarns ? curveLength(object.yarns.curves[curve], object.yarns.points) : 0;
  }

  /** Bounds of the visible objects but the ground, relative to the origin. */
  bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    const at = new THREE.Vector3();
    for (const object of this.objects) {
      if (!object.node.visible || object.info.ground) continue;
      for (let k = 0; k < object.geometry.vertices; k++) box.expandByPoint(this.vertexInto(object, k, at));
    }
    return box;
  }

  private vertexInto(object: ObjectView, k: number, at: THREE.Vector3): THREE.Vector3 {
    if (object.yarns) return at.fromArray(object.yarns.points, 4 * k);
    if (object.surface) at.fromArray(object.surface.positions, 3 * k);
    return object.surface?.isBody ? at.applyMatrix4(object.node.matrixWorld) : at;
  }

  /** What a ray meets first among visible objects. */
  pick(ray: PickRay): ObjectHit | null {
    let best: ObjectHit | null = null;
    this.objects.forEach((object, index) => {
      if (!object.node.visible || object.info.ground) return;
      const hit = this.pickObject(object, index, ray);
      if (hit && hit.distance < (best?.distance ?? Infinity)) best = hit;
    });
    return best;
  }

  private pickObject(object: ObjectView, index: number, ray: PickRay): ObjectHit | null {
    if (object.yarns) {
      const { table, curves, points, spheres } = object.yarns;
      const yarn = pickYarn({ table, curves, points, spheres, chunk: CHUNK }, ray);
      return yarn && { object: index, distance: yarn.distance, yarn, triangle: null };
    }
    if (!object.surface) return null;
    const own = object.surface.isBody ? toOwnFrame(ray, object.node.matrixWorld) : ray;
    const triangle = pickTriangle(object.surface.positions, object.geometry.triangles, own);
    return triangle && { object: index, distance: triangle.distance, yarn: null, triangle };
  }

  /** Marks what was picked, or nothing. */
  highlight(hit: ObjectHit | null): void {
    this.objects.forEach((object, i) => object.yarns?.pick(hit?.object === i && hit.yarn ? hit.yarn.curve : -1));
    this.marker.visible = false;
    if (!hit?.triangle) return;
    const object = this.objects[hit.object];
    const corners = object.geometry.triangles.subarray(3 * hit.triangle.triangle, 3 * hit.triangle.triangle + 3);
    this.marker.geometry.setFromPoints([...corners].map((v) => this.vertex(object, v)));
    this.marker.visible = true;
  }

  /** Chooses levels of detail for a camera. */
  prepare(camera: THREE.Camera, pixel: number, detail: number, up: THREE.Vector3): void {
    this.shared.upView.value.copy(up).transformDirection(camera.matrixWorldInverse);
    const both = new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    const frustum = new THREE.Frustum().setFromProjectionMatrix(both);
    for (const object of this.objects) {
      if (object.node.visible) object.yarns?.choose(camera, frustum, pixel, detail);
      else object.yarns?.counts.fill(0);
    }
  }
}

function targetOf(object: ObjectView): Target {
  if (object.yarns) {
    const { points } = object.yarns;
    return { positions: points, stride: 4, values: points, valueStride: 4, valueAt: 3 };
  }
  const { positions, values } = object.surface as Surface;
  return { positions, stride: 3, values, valueStride: 1, valueAt: 0 };
}

function toOwnFrame(ray: PickRay, matrix: THREE.Matrix4): PickRay {
  const inverse = matrix.clone().invert();
  const origin = new THREE.Vector3(...ray.origin).applyMatrix4(inverse).toArray();
  const direction = new THREE.Vector3(...ray.direction).transformDirection(inverse).toArray();
  return { origin, direction, slack: ray.slack };
}

function makeMarker(): THREE.LineLoop {
  const geometry = new THREE.BufferGeometry().setFromPoints([0, 1, 2].map(() => new THREE.Vector3()));
  const material = new THREE.LineBasicMaterial({ color: 0xffa030, depthTest: false });
  const marker = new THREE.LineLoop(geometry, material);
  marker.visible = false;
  marker.frustumCulled = false;
  marker.renderOrder = 2;
  return marker;
}
