// SPDX-License-Identifier: MIT
// Triangles: sheets that move, bodies that move as a whole, and the ground as a faint grid.
import * as THREE from 'three';
import type { ObjectGeometry } from './decode.ts';
import { COLOUR, LIGHT } from './glsl.ts';
import type { SharedUniforms } from './shared.ts';

const VERTEX = /* glsl */ `
precision highp float;
in vec3 position;
in vec3 normal;
in float value;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform mat3 normalMatrix;
out vec3 vNormal;
out vec3 vEye;
out float vValue;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  vNormal = normalMatrix * normal;
  vEye = eye.xyz;
  vValue = value;
  gl_Position = projectionMatrix * eye;
}
`;

const FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vNormal;
in vec3 vEye;
in float vValue;
out vec4 colour;
uniform vec3 base;
uniform bool hasValues;
uniform float gloss;
${LIGHT}
${COLOUR}
void main() {
  vec3 v = -normalize(vEye);
  vec3 n = normalize(vNormal);
  bool back = dot(n, v) < 0.0;
  if (back) n = -n;
  bool valued = byValue && hasValues;
  vec3 albedo = toLinear(valued ? valueColour(vValue) : base);
  if (back && !valued) albedo *= vec3(0.72, 0.74, 0.78);
  colour = vec4(toScreen(lit(albedo, n, v, gloss)), 1.0);
}
`;

const GROUND_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vNormal;
in vec3 vEye;
in float vValue;
in vec3 vPlace;
out vec4 colour;
uniform float cell;
uniform float reach;

float lines(vec2 p, float width) {
  vec2 w = fwidth(p);
  vec2 d = abs(fract(p - 0.5) - 0.5);
  vec2 a = 1.0 - smoothstep(w * (width - 0.5), w * (width + 0.5), d);
  a *= 1.0 - smoothstep(0.2, 0.5, w);
  return max(a.x, a.y);
}

void main() {
  vec2 p = vPlace.xz / cell;
  float fade = 1.0 - smoothstep(0.3, 1.0, length(vPlace.xz) / reach);
  float strength = max(0.16 * lines(p, 0.6), 0.3 * lines(p / 10.0, 0.8));
  colour = vec4(vec3(0.78, 0.82, 0.88), (0.035 + strength) * fade);
}
`;

const GROUND_VERTEX = VERTEX.replace(
  'out vec3 vNormal;',
  'out vec3 vPlace;\nuniform mat4 modelMatrix;\nuniform mat3 level;\nout vec3 vNormal;',
).replace('vValue = value;', 'vValue = value;\n  vPlace = level * (modelMatrix * vec4(position, 1.0)).xyz;');

/** Smooth normals: sums of the triangles' normals, which weigh by area. */
export function vertexNormals(positions: Float32Array, triangles: Uint32Array, out: Float32Array): void {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy;
    const ny = uz * vx - ux * vz;
    const nz = ux * vy - uy * vx;
    for (const i of [a, b, c]) {
      out[i] += nx;
      out[i + 1] += ny;
      out[i + 2] += nz;
    }
  }
}

export class Surface {
  readonly mesh: THREE.Mesh;
  readonly positions: Float32Array; // three numbers a vertex; bodies: in their own frame
  readonly values: Float32Array;
  private readonly normals: Float32Array;
  private readonly buffers: THREE.BufferAttribute[];

  constructor(
    readonly geometry: ObjectGeometry,
    shared: SharedUniforms,
    colour: THREE.ColorRepresentation,
    readonly isBody: boolean,
  ) {
    this.positions = new Float32Array(3 * geometry.vertices);
    this.normals = new Float32Array(3 * geometry.vertices);
    this.values = new Float32Array(geometry.vertices).fill(-1);
    const make = (array: Float32Array, size: number): THREE.BufferAttribute =>
      new THREE.BufferAttribute(array, size).setUsage(isBody ? THREE.StaticDrawUsage : THREE.DynamicDrawUsage);
    this.buffers = [make(this.positions, 3), make(this.normals, 3), make(this.values, 1)];
    const buffer = new THREE.BufferGeometry();
    buffer.setAttribute('position', this.buffers[0]);
    buffer.setAttribute('normal', this.buffers[1]);
    buffer.setAttribute('value', this.buffers[2]);
    buffer.setIndex(new THREE.BufferAttribute(geometry.triangles, 1));
    const base = new THREE.Color().setStyle(String(colour), THREE.LinearSRGBColorSpace);
    const material = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3,
      uniforms: {
        ...shared,
        base: { value: base },
        hasValues: { value: !isBody },
        gloss: { value: isBody ? 0.12 : 0.04 },
      },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      side: THREE.DoubleSide,
    });
    this.mesh = new THREE.Mesh(buffer, material);
    this.mesh.frustumCulled = false;
    if (isBody) {
      this.positions.set(geometry.own);
      this.update();
    }
  }

  /** Takes over what was written into positions and values. */
  update(): void {
    vertexNormals(this.positions, this.geometry.triangles, this.normals);
    for (const buffer of this.buffers) buffer.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}

/** Turns a body into a ground: the same triangles as a grid that fades away from what stands on it. */
export function makeGround(surface: Surface, size: number, up: THREE.Vector3): void {
  (surface.mesh.material as THREE.Material).dispose();
  const cell = 10 ** Math.floor(Math.log10(Math.max(size, 1e-6)) - 0.7);
  const toLevel = new THREE.Quaternion().setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
  const level = new THREE.Matrix3().setFromMatrix4(new THREE.Matrix4().makeRotationFromQuaternion(toLevel));
  surface.mesh.material = new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3,
    uniforms: { cell: { value: cell }, reach: { value: 2.2 * size }, level: { value: level } },
    vertexShader: GROUND_VERTEX,
    fragmentShader: GROUND_FRAGMENT,
    side: THREE.DoubleSide,
    transparent: true,
    depthWrite: false,
  });
  surface.mesh.renderOrder = 1;
}

/** A background that is lighter in the middle, drawn behind everything. */
export function makeBackdrop(): THREE.Mesh {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
  const material = new THREE.RawShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader: /* glsl */ `
      in vec3 position;
      out vec2 at;
      void main() { at = position.xy; gl_Position = vec4(position.xy, 0.999999, 1.0); }`,
    fragmentShader: /* glsl */ `
      precision mediump float;
      in vec2 at;
      out vec4 colour;
      void main() {
        float d = length(at * vec2(0.75, 0.9) - vec2(0.0, 0.15));
        colour = vec4(mix(vec3(0.196, 0.208, 0.231), vec3(0.094, 0.102, 0.118), smoothstep(0.0, 1.25, d)), 1.0);
      }`,
    depthTest: false,
    depthWrite: false,
  });
  const mesh = new THREE.Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = -1;
  return mesh;
}
