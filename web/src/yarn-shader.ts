// SPDX-License-Identifier: MIT
// A tube about a uniform Catmull-Rom curve, made of the template of one segment for each instance. TUBE draws a
// round tube in the frames carried along the yarn, otherwise a ribbon faces the eye and is shaded as if round.
import { PLIES, PLY_TWIST } from './curves.ts';
import { COLOUR, HIGHLIGHT, LIGHT } from './glsl.ts';

export const CHUNK = 256; // segments that are drawn by one instance, culled and given a level of detail together
export const ROW = 2048; // texels in a row of the data textures, a power of two

export const YARN_VERTEX = /* glsl */ `
precision highp int;
precision highp isampler2D;
in vec3 position;  // x: along the segment, 0 to 1; y: around it, 0 to 1, or across, -1 to 1; z: which of the chunk
in float chunk;

uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform sampler2D points;    // xyz, w: value
uniform sampler2D normals;   // xyz, w unused
uniform isampler2D segments; // vertex before (-1: none), vertex, vertex after the next (-1: none), yarn
uniform sampler2D yarns;     // radius, colour, first vertex, end
uniform sampler2D lengths;   // along the yarn up to the vertex, in diameters
uniform int segmentCount;
uniform float pixel;         // width of a pixel at distance 1
uniform int pickedYarn;

out vec3 vNormal;
out vec3 vEye;
out float vValue;
out vec2 vAround;            // TUBE: angle, length along; else: across, 0
flat out vec3 vColour;
flat out float vPicked;
#ifdef TUBE
out vec3 vAlong;
#else
out vec3 vFacing;
out vec3 vSide;
#endif

ivec2 place(int i) { return ivec2(i & ${ROW - 1}, i >> ${Math.log2(ROW)}); }

void main() {
  int segment = int(chunk) * ${CHUNK} + int(position.z);
  if (segment >= segmentCount) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  ivec4 s = texelFetch(segments, place(segment), 0);
  vec4 yarn = texelFetch(yarns, place(s.w), 0);
  int i1 = s.y;
  float u = position.x;
#ifdef STRIDE
  // A straight piece from here to some vertices on, not beyond the end of the yarn.
  int i2 = min(i1 + STRIDE, int(yarn.w) - 1);
  vec4 t1 = texelFetch(points, place(i1), 0);
  vec4 t2 = texelFetch(points, place(i2), 0);
  vec3 centre = mix(t1.xyz, t2.xyz, u);
  vec3 along = normalize(t2.xyz - t1.xyz + vec3(1e-20, 0.0, 0.0));
#else
  int i2 = i1 + 1 == int(yarn.w) ? int(yarn.z) : i1 + 1;
  vec4 t1 = texelFetch(points, place(i1), 0);
  vec4 t2 = texelFetch(points, place(i2), 0);
  vec3 p1 = t1.xyz;
  vec3 p2 = t2.xyz;
  vec3 p0 = s.x < 0 ? 2.0 * p1 - p2 : texelFetch(points, place(s.x), 0).xyz;
  vec3 p3 = s.z < 0 ? 2.0 * p2 - p1 : texelFetch(points, place(s.z), 0).xyz;
  vec3 c1 = 0.5 * (p2 - p0);
  vec3 c2 = p0 - 2.5 * p1 + 2.0 * p2 - 0.5 * p3;
  vec3 c3 = 0.5 * (p3 - p0) + 1.5 * (p1 - p2);
  vec3 centre = p1 + u * (c1 + u * (c2 + u * c3));
  vec3 along = c1 + u * (2.0 * c2 + 3.0 * u * c3);
  along = dot(along, along) > 1e-20 ? normalize(along) : normalize(p2 - p1 + vec3(1e-20, 0.0, 0.0));
#endif

  vec4 eye = modelViewMatrix * vec4(centre, 1.0);
  vec3 t = mat3(modelViewMatrix) * along;
  float radius = yarn.x;
  vAround = vec2(position.y, 0.0);
#ifdef TUBE
  vec3 n = mat3(modelViewMatrix) * (mix(texelFetch(normals, place(i1), 0).xyz, texelFetch(normals, place(i2), 0).xyz, u) * 2.0 - 1.0);
  n = normalize(n - t * dot(n, t));
  vec3 b = cross(t, n);
  float angle = 6.28318530718 * position.y;
  vec3 outward = cos(angle) * n + sin(angle) * b;
  bool tip = (u == 0.0 && s.x < 0) || (u == 1.0 && s.z < 0);
  eye.xyz += (tip ? 0.0 : radius) * outward;
  vNormal = tip ? (u == 0.0 ? -t : t) : outward; // ends look rounded
  vAlong = t;
  float l1 = texelFetch(lengths, place(i1), 0).x;
  float l2 = i2 > i1 ? texelFetch(lengths, place(i2), 0).x : l1 + length(p2 - p1) / (2.0 * radius);
  vAround.y = mix(l1, l2, u);
#else
  vec3 v = -normalize(eye.xyz);
  vec3 side = cross(t, v);
  side = dot(side, side) > 1e-8 ? normalize(side) : vec3(1.0, 0.0, 0.0);
  float least = 0.55 * pixel * -eye.z; // thinner ribbons would break up into dots
  eye.xyz += position.y * max(radius, least) * side;
  vSide = side;
  vFacing = cross(side, t);
  vNormal = vFacing;
#endif
  vEye = eye.xyz;
  // A value that is missing at one end is missing on the half of the segment beside it.
  vValue = t1.w < 0.0 || t2.w < 0.0 ? (u < 0.5 ? t1.w : t2.w) : mix(t1.w, t2.w, u);
  int rgb = int(yarn.y);
  vColour = vec3(float(rgb >> 16), float((rgb >> 8) & 255), float(rgb & 255)) / 255.0;
  vPicked = s.w == pickedYarn ? 1.0 : 0.0;
  gl_Position = projectionMatrix * eye;
}
`;

export const YARN_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vNormal;
in vec3 vEye;
in float vValue;
in vec2 vAround;
flat in vec3 vColour;
flat in float vPicked;
#ifdef TUBE
in vec3 vAlong;
#else
in vec3 vFacing;
in vec3 vSide;
#endif
out vec4 colour;
${LIGHT}
${COLOUR}
uniform float plyStrength;

void main() {
  vec3 v = -normalize(vEye);
  float shade = 1.0;
#ifdef TUBE
  vec3 n = normalize(vNormal);
  // Strands twisted together: a groove between them, as darker lines and bent normals.
  float phase = ${PLIES.toFixed(1)} * (vAround.x - ${PLY_TWIST} * vAround.y);
  float turn = fract(phase);
  float near = abs(turn - 0.5) * 2.0; // 1 in the groove, 0 on top of a strand
  float sharp = fwidth(phase);
  float strength = plyStrength * (1.0 - smoothstep(0.2, 0.6, sharp));
  shade -= 0.5 * strength * smoothstep(0.5, 1.0, near);
  n = normalize(n + 0.9 * strength * (turn - 0.5) * cross(normalize(vAlong), n));
#else
  float s = clamp(vAround.x, -1.0, 1.0);
  vec3 n = normalize(s * vSide + sqrt(max(0.0, 1.0 - s * s)) * vFacing);
#endif
  vec3 albedo = toLinear(byValue ? valueColour(vValue) : vColour);
  albedo = mix(albedo, toLinear(${HIGHLIGHT}), 0.75 * vPicked) * shade;
  vec3 c = lit(albedo, n, v, 0.05) + vPicked * 0.12 * toLinear(${HIGHLIGHT});
  colour = vec4(toScreen(c), 1.0);
}
`;
