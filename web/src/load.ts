// SPDX-License-Identifier: MIT
// Opens the runs of a source: what they are, their geometry; tables follow when the first picture is there.
import { decodeGeometry } from './decode.ts';
import { OBJECT_KINDS, ProtocolError, type About } from './protocol.ts';
import { Run } from './run.ts';
import type { Source } from './source.ts';
import type { Geometry } from './decode.ts';

const MEMORY = 256e6; // bytes of frames kept, for all runs
export const MOST_RUNS = 4; // shown side by side

function checkTogether(about: About, geometry: Geometry): void {
  if (about.objects.length !== geometry.objects.length) {
    throw new ProtocolError(`about has ${about.objects.length} objects, the geometry ${geometry.objects.length}`);
  }
  about.objects.forEach((info, i) => {
    const object = geometry.objects[i];
    if (OBJECT_KINDS[object.kind] !== info.kind || object.vertices !== info.vertices) {
      throw new ProtocolError(`object '${info.name}' is not the same in about and geometry`);
    }
  });
}

export async function loadRuns(source: Source): Promise<{ runs: Run[]; version: string }> {
  const welcome = await source.hello();
  const count = Math.min(welcome.runs, MOST_RUNS);
  if (count === 0) throw new ProtocolError('there is no run to show');
  const runs = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const [about, buffer] = await Promise.all([source.about(i), source.geometry(i)]);
      const geometry = decodeGeometry(buffer);
      checkTogether(about, geometry);
      return new Run(i, about, geometry, source, MEMORY / count);
    }),
  );
  return { runs, version: welcome.version };
}

/** Fetches new rows of all tables of a run. */
export async function loadTables(run: Run): Promise<boolean> {
  const news = await Promise.all(run.about.tables.map((name) => run.loadTable(name)));
  return news.some((isNew) => isNew);
}
