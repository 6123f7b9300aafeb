// SPDX-License-Identifier: MIT
// build.mjs OUT: bundles src/ into one page, script and style inside. build.mjs --tests DIR: bundles test/.
import { readFile, readdir, writeFile, mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const here = path.dirname(new URL(import.meta.url).pathname);

async function bundlePage(out) {
  const result = await build({
    entryPoints: [path.join(here, 'src/main.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari16'],
    outdir: here,
    write: false,
    legalComments: 'none',
    banner: { js: '/* heddle viewer: MIT. Contains three.js and uPlot, both MIT. */' },
  });
  const file = (ending) => result.outputFiles.find((f) => f.path.endsWith(ending)).text.trim();
  const template = await readFile(path.join(here, 'src/index.html'), 'utf8');
  const page = template
    .replace('/*STYLE*/', () => file('.css'))
    .replace('/*SCRIPT*/', () => file('.js'));
  await mkdir(path.dirname(out), { recursive: true });
  await writeFile(`${out}.part`, page);
  await rename(`${out}.part`, out);
}

async function bundleTests(directory) {
  const names = (await readdir(path.join(here, 'test'))).filter((name) => /\.(test|tool)\.ts$/.test(name));
  await build({
    entryPoints: names.map((name) => path.join(here, 'test', name)),
    bundle: true,
    format: 'esm',
    platform: 'node',
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
}

const [first, second] = process.argv.slice(2);
if (first === '--tests') await bundleTests(path.resolve(second));
else await bundlePage(path.resolve(first));
