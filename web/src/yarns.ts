// SPDX-License-Identifier: MIT
// The yarns of one object: data textures, one instanced mesh for each level of detail, and which chunks go where.
import * as THREE from 'three';
import { carryNormals, chunkLengths, chunkRadii, chunkSpheres, lengthsAlong, segmentTable, type SegmentTable } from './curves.ts';
import type { Curve, ObjectGeometry } from './decode.ts';
import { LEVELS, chooseLevel, template, type Level } from './lod.ts';
import type { SharedUniforms } from './shared.ts';
import { CHUNK, ROW, YARN_FRAGMENT, YARN_VERTEX } from './yarn-shader.ts';

function rowsFor(texels: number): number {
  return Math.max(1, Math.ceil(texels / ROW));
}

function dataTexture<T extends Float32Array | Int32Array | Uint8Array>(
  data: T,
  format: THREE.PixelFormat,
  type: THREE.TextureDataType,
  channels: number,
): THREE.DataTexture {
  const rows = data.length / channels / ROW;
  const texture = new THREE.DataTexture(data as unknown as THREE.TypedArray, ROW, rows, format, type);
  texture.needsUpdate = true;
  return texture;
}

interface Shape {
  position: THREE.BufferAttribute;
  index: THREE.BufferAttribute;
}

const shapes: (Shape | undefined)[] = []; // of all levels, made when first needed, the same for all objects

function shapeOf(level: number): Shape {
  let shape = shapes[level];
  if (!shape) {
    const { position, index } = template(LEVELS[level], CHUNK);
    shape = { position: new THREE.BufferAttribute(position, 3), index: new THREE.BufferAttribute(index, 1) };
    shapes[level] = shape;
  }
  return shape;
}

interface LevelMesh {
  mesh: THREE.Mesh;
  geometry: THREE.InstancedBufferGeometry;
  chunks: THREE.InstancedBufferAttribute;
}

export class Yarns {
  readonly group = new THREE.Group();
  readonly table: SegmentTable;
  readonly curves: readonly Curve[];
  readonly points: Float32Array; // four numbers a vertex: position relative to the origin, value
  readonly counts = LEVELS.map(() => 0); // segments drawn with each level in the last picture
  spheres: Float32Array = new Float32Array(0);
  private readonly radii: Float32Array;
  private segmentLengths: Float32Array = new Float32Array(0); // mean of each chunk in the first frame
  private readonly normals: Uint8Array;
  private readonly lengths: Float32Array;
  private readonly textures: { points: THREE.DataTexture; normals: THREE.DataTexture; lengths: THREE.DataTexture };
  private readonly levels: LevelMesh[];
  private readonly uniforms: Record<string, THREE.IUniform>;
  private normalsAreOld = true;
  private isFirst = true;

  constructor(
    readonly geometry: ObjectGeometry,
    shared: SharedUniforms,
  ) {
    this.curves = geometry.curves;
    this.table = segmentTable(geometry.curves);
    this.radii = chunkRadii(this.table, geometry.curves, CHUNK);
    const texels = ROW * rowsFor(geometry.vertices);
    this.points = new Float32Array(4 * texels);
    this.normals = new Uint8Array(4 * texels);
    this.lengths = new Float32Array(texels);
    this.textures = {
      points: dataTexture(this.points, THREE.RGBAFormat, THREE.FloatType, 4),
      normals: dataTexture(this.normals, THREE.RGBAFormat, THREE.UnsignedByteType, 4),
      lengths: dataTexture(this.lengths, THREE.RedFormat, THREE.FloatType, 1),
    };
    this.uniforms = {
      ...shared,
      points: { value: this.textures.points },
      normals: { value: this.textures.normals },
      lengths: { value: this.textures.lengths },
      segments: { value: this.segmentTexture() },
      yarns: { value: this.yarnTexture() },
      segmentCount: { value: this.table.count },
      pixel: { value: 0.001 },
      pickedYarn: { value: -1 },
      plyStrength: { value: 1 },
    };
    this.levels = LEVELS.map((level, i) => this.levelMesh(level, shapeOf(i)));
  }

  private segmentTexture(): THREE.DataTexture {
    const data = new Int32Array(4 * ROW * rowsFor(this.table.count));
    data.set(this.table.data);
    const texture = dataTexture(data, THREE.RGBAIntegerFormat, THREE.IntType, 4);
    texture.internalFormat = 'RGBA32I';
    return texture;
  }

  private yarnTexture(): THREE.DataTexture {
    const data = new Float32Array(4 * ROW * rowsFor(this.curves.length));
    this.curves.forEach((c, i) => data.set([c.radius, c.colour, c.first, c.first + c.count], 4 * i));
    return dataTexture(data, THREE.RGBAFormat, THREE.FloatType, 4);
  }

  private levelMesh(level: Level, shape: Shape): LevelMesh {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute('position', shape.position);
    geometry.setIndex(shape.index);
    const chunks = new THREE.InstancedBufferAttribute(new Float32Array(Math.max(1, this.radii.length)), 1);
    chunks.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute('chunk', chunks);
    geometry.instanceCount = 0;
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      defines: { ...(level.tube ? { TUBE: 1 } : {}), ...(level.stride > 1 ? { STRIDE: level.stride } : {}) },
      uniforms: this.uniforms,
      vertexShader: 'precision highp float;\n' + YARN_VERTEX,
      fragmentShader: YARN_FRAGMENT,
      side: level.tube ? THREE.FrontSide : THREE.DoubleSide,
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.visible = false;
    this.group.add(mesh);
    return { mesh, geometry, chunks };
  }

  /** Takes over the positions and values that were written into points. */
  update(): void {
    this.textures.points.needsUpdate = true;
    this.spheres = chunkSpheres(this.table, this.radii, this.points, CHUNK);
    this.normalsAreOld = true;
    if (this.isFirst) {
      this.isFirst = false;
      this.segmentLengths = chunkLengths(this.table, this.curves, this.points, CHUNK);
      lengthsAlong(this.curves, this.points, this.lengths);
      this.textures.lengths.needsUpdate = true;
    }
  }

  pick(curve: number): void {
    this.uniforms.pickedYarn.value = curve;
  }

  /** Sorts chunks into levels for a camera; pixel is the width of one at distance 1, detail 1 or less. */
  choose(camera: THREE.Camera, frustum: THREE.Frustum, pixel: number, detail: number): void {
    this.uniforms.pixel.value = pixel;
    const lists: number[][] = LEVELS.map(() => []);
    const sphere = new THREE.Sphere();
    for (let c = 0; c < this.radii.length; c++) {
      const s = 4 * c;
      sphere.center.set(this.spheres[s], this.spheres[s + 1], this.spheres[s + 2]);
      sphere.radius = this.spheres[s + 3];
      if (!frustum.intersectsSphere(sphere)) continue;
      const distance = sphere.center.distanceTo(camera.position) - 0.5 * sphere.radius;
      const scale = distance > 0 ? 1 / (distance * pixel) : Infinity; // pixels a metre
      lists[chooseLevel(scale * this.radii[c], scale * this.segmentLengths[c], detail)].push(c);
    }
    if (this.normalsAreOld && LEVELS.some((level, i) => level.tube && lists[i].length > 0)) {
      carryNormals(this.curves, this.points, this.normals);
      this.textures.normals.needsUpdate = true;
      this.normalsAreOld = false;
    }
    this.levels.forEach((level, i) => this.fill(level, lists[i], i));
  }

  private fill(level: LevelMesh, list: number[], index: number): void {
    level.mesh.visible = list.length > 0;
    level.geometry.instanceCount = list.length;
    const missing = list.includes(this.radii.length - 1) ? CHUNK * this.radii.length - this.table.count : 0;
    this.counts[index] = CHUNK * list.length - missing;
    const array = level.chunks.array;
    if (list.every((c, i) => array[i] === c)) return;
    array.set(list);
    level.chunks.needsUpdate = true;
  }

  dispose(): void {
    for (const { geometry, mesh } of this.levels) {
      geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    for (const uniform of Object.values(this.uniforms)) {
      if (uniform.value instanceof THREE.DataTexture) uniform.value.dispose();
    }
  }
}
