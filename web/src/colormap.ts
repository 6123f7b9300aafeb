// SPDX-License-Identifier: MIT
// Colours of quantities: few colours chosen by hand, blended in a space where equal steps look equal (OKLab).
import * as THREE from 'three';

export type Rgb = [number, number, number]; // 0..1, sRGB

const ONE_SIDED = ['#241e58', '#2f4a9c', '#1f78a8', '#1fa08a', '#68c05a', '#c9d443', '#fbe58a'];
const TWO_SIDED = ['#173f8a', '#3f7fc4', '#9cc3e4', '#e9e6df', '#f0b08c', '#cf5f4c', '#8c1a35'];
export const MAP_SIZE = 256;

function parse(hex: string): Rgb {
  const n = parseInt(hex.slice(1), 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

const toLinear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const fromLinear = (c: number): number => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

function toLab([r, g, b]: Rgb): Rgb {
  const [R, G, B] = [toLinear(r), toLinear(g), toLinear(b)];
  const l = Math.cbrt(0.4122214708 * R + 0.5363325363 * G + 0.0514459929 * B);
  const m = Math.cbrt(0.2119034982 * R + 0.6806995451 * G + 0.1073969566 * B);
  const s = Math.cbrt(0.0883024619 * R + 0.2817188376 * G + 0.6299787005 * B);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromLab([L, a, b]: Rgb): Rgb {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb: Rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return rgb.map((c) => Math.min(1, Math.max(0, fromLinear(Math.max(0, c))))) as Rgb;
}

/** The colour at t from 0 to 1. */
export function mapColour(signed: boolean, t: number): Rgb {
  const stops = signed ? TWO_SIDED : ONE_SIDED;
  const x = Math.min(1, Math.max(0, t)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x));
  const a = toLab(parse(stops[i]));
  const b = toLab(parse(stops[i + 1]));
  return fromLab(a.map((c, k) => c + (x - i) * (b[k] - c)) as Rgb);
}

export function mapBytes(signed: boolean): Uint8Array {
  const bytes = new Uint8Array(4 * MAP_SIZE);
  for (let i = 0; i < MAP_SIZE; i++) {
    const rgb = mapColour(signed, i / (MAP_SIZE - 1));
    bytes.set([...rgb.map((c) => Math.round(255 * c)), 255], 4 * i);
  }
  return bytes;
}

export function mapTexture(signed: boolean): THREE.DataTexture {
  const texture = new THREE.DataTexture(mapBytes(signed), MAP_SIZE, 1, THREE.RGBAFormat);
  texture.magFilter = THREE.LinearFilter;
  texture.minFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** The same colours as a background of CSS, from left to right. */
export function mapGradient(signed: boolean): string {
  const stops = Array.from({ length: 17 }, (_, i) => mapColour(signed, i / 16));
  return `linear-gradient(to right, ${stops
    .map((c) => `rgb(${c.map((x) => Math.round(255 * x)).join(' ')})`)
    .join(', ')})`;
}

const OBJECT_COLOURS = ['#c98f6b', '#7f9fc4', '#8fae7c', '#b58bb4', '#c4b070', '#79aeb0'];
export const BODY_COLOUR = '#8b9099';

export function objectColour(index: number): string {
  return OBJECT_COLOURS[index % OBJECT_COLOURS.length];
}
