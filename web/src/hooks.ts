// SPDX-License-Identifier: MIT
// window.heddle: what the tests of the page, and curious users, may ask and do.
import type { App } from './app.ts';
import type { Messages } from './message.ts';

export interface Hooks {
  state(): Record<string, unknown>;
  pickAt(x: number, y: number): unknown;
  project(run: number, object: number, vertex: number): { x: number; y: number };
  seek(frame: number): void;
  setQuantity(name: string): void;
  play(): void;
  pause(): void;
  frameAll(): void;
  zoom(factor: number, x: number, y: number): void;
  screenshot(): string;
  /** Draws the picture that many times and waits; ms a picture. */
  time(pictures: number): number;
}

function stateOf(app: App | null, messages: Messages): Record<string, unknown> {
  if (!app) return { ready: false, errors: [...messages.errors] };
  const { player, stage } = app;
  return {
    ready: app.ready,
    settled: player.settled,
    frame: player.frame,
    frames: player.frameCount,
    time: player.time,
    playing: player.playing,
    speed: player.speed,
    growing: player.growing,
    follow: player.follow,
    shown: app.runs.map((run) => player.shownFrame(run)?.frame ?? -1),
    times: app.runs.map((run) => player.shownFrame(run)?.time ?? NaN),
    titles: app.runs.map((run) => run.about.title),
    segments: stage.views.map((view) => view.segments),
    triangles: stage.views.map((view) => view.triangles),
    picked: app.pickedNow,
    quantity: player.quantity,
    quantities: app.runs.map((run) => run.about.quantities.map((q) => q.name)),
    range: app.colours.range,
    charts: app.charts.count,
    rows: app.runs.map((run) => Object.fromEntries([...run.tables].map(([name, t]) => [name, t.rows.length]))),
    traffic: app.runs.map((run) => ({ ...run.traffic })),
    drawn: stage.drawn,
    pictures: stage.pictures,
    firstPicture: app.firstPicture,
    renderer: stage.rendererName,
    errors: [...messages.errors],
  };
}

export function installHooks(getApp: () => App | null, messages: Messages): void {
  const need = (): App => {
    const app = getApp();
    if (!app) throw new Error('the viewer is not ready');
    return app;
  };
  const hooks: Hooks = {
    state: () => stateOf(getApp(), messages),
    pickAt: (x, y) => need().pickAt(x, y),
    project: (run, object, vertex) => {
      const { stage } = need();
      const view = stage.views[run];
      return stage.project(view.vertex(view.objects[object], vertex), run);
    },
    seek: (frame) => need().player.seek(frame),
    setQuantity: (name) => need().setQuantity(name),
    play: () => need().player.play(),
    pause: () => need().player.pause(),
    frameAll: () => need().stage.frame(true),
    zoom: (factor, x, y) => {
      const { stage } = need();
      stage.orbit.zoom(factor, stage.pivot(x, y));
      stage.draw();
    },
    screenshot: () => need().screenshot(),
    time: (pictures) => {
      const { stage } = need();
      stage.finish();
      const start = performance.now();
      for (let i = 0; i < pictures; i++) stage.render();
      stage.finish();
      return (performance.now() - start) / pictures;
    },
  };
  Object.assign(window, { heddle: hooks });
}
