// SPDX-License-Identifier: MIT
// Pieces of shaders that yarns, sheets and bodies share. Light is in camera space, like lamps beside the camera,
// so that a thing is well lit from every side; only the sky knows where up is.

export const LIGHT = /* glsl */ `
uniform vec3 upView; // up, in camera space

vec3 toLinear(vec3 c) { return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878); }
vec3 toScreen(vec3 c) {
  c = max(c, vec3(0.0));
  c = c / (1.0 + 0.18 * c); // the brightest parts bend instead of being cut
  return max(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, vec3(0.0));
}

// n towards the viewer's side, v from the point to the eye, both of length 1.
vec3 lit(vec3 albedo, vec3 n, vec3 v, float gloss) {
  const vec3 key = vec3(-0.4243, 0.5657, 0.7071);
  const vec3 fill = vec3(0.8242, 0.1030, 0.5571);
  float facing = max(dot(n, v), 0.0);
  float sky = 0.5 + 0.5 * dot(n, upView);
  vec3 light = mix(vec3(0.13, 0.12, 0.12), vec3(0.34, 0.37, 0.42), sky);
  light += vec3(1.05, 1.0, 0.93) * max(dot(n, key), 0.0);
  light += vec3(0.13, 0.16, 0.22) * max(dot(n, fill), 0.0);
  light *= mix(0.5, 1.0, smoothstep(0.0, 0.65, facing)); // sides turn away into their neighbours' shade
  vec3 h = normalize(key + v);
  float shine = gloss * pow(max(dot(n, h), 0.0), 28.0);
  return albedo * light + vec3(shine);
}
`;

export const COLOUR = /* glsl */ `
uniform sampler2D colourMap;
uniform vec2 valueMap;   // colour coordinate = x value + y
uniform bool byValue;
const vec3 NO_VALUE_COLOUR = vec3(0.42, 0.43, 0.45);

// value from 0 to 4094, negative for none
vec3 valueColour(float value) {
  if (value < -0.5) return NO_VALUE_COLOUR;
  float t = clamp(valueMap.x * value + valueMap.y, 0.0, 1.0);
  return texture(colourMap, vec2(t * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
}
`;

export const HIGHLIGHT = 'vec3(1.0, 0.62, 0.16)';
