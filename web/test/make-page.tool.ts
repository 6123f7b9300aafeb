// SPDX-License-Identifier: MIT
// make-page VIEWER SCENE OUT: a page that stands alone, with a made-up run in it.
import { readFileSync, writeFileSync } from 'node:fs';
import { encodePage } from './encode.ts';
import { SCENES } from './scenes.ts';

const [viewer, scene, out] = process.argv.slice(2);
const make = SCENES[scene];
if (!make) throw new Error(`no scene '${scene}'; there are ${Object.keys(SCENES).join(', ')}`);
const data = `<script type="application/octet-stream" id="heddle-data">${encodePage(make())}</script>`;
writeFileSync(out, readFileSync(viewer, 'utf8').replace('<!--DATA-->', () => data));
