// SPDX-License-Identifier: MIT
// What all materials of one run share: where up is, the colours of the chosen quantity.
import * as THREE from 'three';
import { VALUE_STEPS, type FrameValues } from './decode.ts';
import { mapTexture } from './colormap.ts';

export interface SharedUniforms {
  [name: string]: THREE.IUniform;
  upView: THREE.IUniform<THREE.Vector3>;
  colourMap: THREE.IUniform<THREE.Texture>;
  valueMap: THREE.IUniform<THREE.Vector2>;
  byValue: THREE.IUniform<boolean>;
}

const maps = new Map<boolean, THREE.Texture>();

function colourMap(signed: boolean): THREE.Texture {
  let map = maps.get(signed);
  if (!map) {
    map = mapTexture(signed);
    maps.set(signed, map);
  }
  return map;
}

export function makeShared(): SharedUniforms {
  return {
    upView: { value: new THREE.Vector3(0, 1, 0) },
    colourMap: { value: colourMap(false) },
    valueMap: { value: new THREE.Vector2(1 / VALUE_STEPS, 0) },
    byValue: { value: false },
  };
}

/** Sets the colours for values that were sent between their own low and high, shown in a range. */
export function setColours(
  shared: SharedUniforms,
  values: FrameValues | null,
  signed: boolean,
  range: [number, number],
): void {
  shared.byValue.value = values !== null;
  if (!values) return;
  shared.colourMap.value = colourMap(signed);
  const width = range[1] - range[0] || 1;
  shared.valueMap.value.set((values.high - values.low) / (VALUE_STEPS * width), (values.low - range[0]) / width);
}
