// SPDX-License-Identifier: MIT
// Joins the parts: frames from the player go to the stage, clicks to the panel, time to the charts.
import * as THREE from 'three';
import { Charts } from './charts.ts';
import { Colours } from './colours.ts';
import { Controls } from './controls.ts';
import { byId, el, metres, seconds } from './dom.ts';
import { bindKeys, showHelp, type KeyBinding } from './help.ts';
import { loadTables } from './load.ts';
import type { Messages } from './message.ts';
import { PickedPanel, describe, objectList, type Picked } from './panel.ts';
import { Player, SPEEDS } from './player.ts';
import type { Grown } from './protocol.ts';
import type { Run, StoredFrame } from './run.ts';
import { RunView } from './run-view.ts';
import { saveAs, takeScreenshot } from './screenshot.ts';
import { ConnectionLost } from './socket.ts';
import type { Source } from './source.ts';
import { Stage, type StageHit } from './stage.ts';
import { Timeline } from './timeline.ts';

const FASTEST = 60; // frames a second that are worth playing
const SCALE_BAR = 110; // pixels, at most

export class App {
  readonly stage: Stage;
  readonly player: Player;
  readonly colours: Colours;
  readonly charts: Charts;
  readonly picked = new PickedPanel();
  pickedNow: Picked | null = null;
  ready = false;
  firstPicture = 0; // ms since navigation
  private hit: StageHit | null = null;
  private readonly timeline: Timeline;
  private readonly keys: KeyBinding[];
  private framed = false;
  private aboutFrames = new Map<Run, number>(); // frames a run had when its ranges were asked for

  constructor(
    readonly runs: Run[],
    private readonly source: Source,
    private readonly messages: Messages,
  ) {
    this.stage = new Stage(byId<HTMLCanvasElement>('canvas'));
    this.setUpViews();
    this.player = new Player(runs, {
      show: (run, frame) => this.show(run, frame),
      changed: () => this.clockChanged(),
      problem: (text) => messages.problem(text),
    });
    this.colours = new Colours({ quantity: (name) => this.setQuantity(name), range: () => this.recolour() });
    this.colours.setQuantities(runs.map((run) => run.about.quantities));
    this.charts = new Charts(runs, (time) => this.player.seekTime(time));
    this.timeline = new Timeline(byId('timeline'), this.player);
    const objects = objectList(this.stage.views, () => this.stage.draw());
    byId('panel').append(objects, this.colours.section, this.picked.section, this.charts.section);
    this.keys = this.makeKeys();
    this.bind();
    this.stage.beforePicture = (now) => this.player.tick(now);
    this.stage.afterPicture = () => this.pictureDone();
    this.setTitle();
    if (this.player.growing) this.player.cursor = Math.max(0, this.player.frameCount - 1);
    this.player.update();
  }

  private setUpViews(): void {
    const box = new THREE.Box3();
    for (const { about } of this.runs) {
      box.union(new THREE.Box3(new THREE.Vector3(...about.box[0]), new THREE.Vector3(...about.box[1])));
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    const size = box.getSize(new THREE.Vector3()).length();
    box.getCenter(this.stage.origin);
    for (const run of this.runs) this.stage.add(new RunView(run, this.stage.origin, size));
    const up = new THREE.Vector3(...this.runs[0].about.up);
    this.stage.setUp(up.lengthSq() > 0 ? up : new THREE.Vector3(0, 1, 0));
    const around = box.translate(this.stage.origin.clone().negate());
    this.stage.orbit.setBounds(around);
    this.stage.orbit.frame(around, true);
  }

  private setTitle(): void {
    const titles = this.runs.map((run) => run.about.title);
    document.title = `${titles.join(' | ')} – heddle`;
    byId('title').textContent = titles.join('  |  ');
    byId('path').textContent = this.runs.map((run) => run.about.path).join('  |  ');
    if (this.runs.length > 1) byId('captions').replaceChildren(...titles.map((title) => el('div', {}, title)));
    this.showLive();
  }

  private showLive(): void {
    byId('live').hidden = !this.player.growing;
  }

  private makeKeys(): KeyBinding[] {
    const key = (keys: string[], shown: string, text: string, run: () => void): KeyBinding => ({ keys, shown, text, run });
    return [
      key([' '], 'space', 'play or pause', () => this.timeline.toggle()),
      key(['ArrowLeft'], '←', 'one frame back', () => this.timeline.step(-1)),
      key(['ArrowRight'], '→', 'one frame on', () => this.timeline.step(1)),
      key(['Home'], 'home', 'first frame', () => this.player.seek(0)),
      key(['End'], 'end', 'last frame', () => this.player.seek(this.player.frameCount - 1)),
      key(['f', 'F'], 'f', 'see everything', () => this.stage.frame(false)),
      key(['r', 'R'], 'r', 'see everything from the first side', () => this.stage.frame(true)),
      key(['l', 'L'], 'l', 'loop or stop at the end', () => this.timeline.toggleLoop()),
      key(['s', 'S'], 's', 'save the picture', () => this.saveScreenshot()),
      key(['p', 'P'], 'p', 'show or hide the panel', () => this.togglePanel()),
      key(['Escape'], 'esc', 'pick nothing', () => this.pickNothing()),
      key(['?'], '?', 'this page', () => showHelp(this.keys)),
    ];
  }

  private bind(): void {
    byId('frame-all').addEventListener('click', () => this.stage.frame(false));
    byId('screenshot').addEventListener('click', () => this.saveScreenshot());
    byId('help').addEventListener('click', () => showHelp(this.keys));
    byId('panel-toggle').addEventListener('click', () => this.togglePanel());
    if (window.innerWidth <= 760) this.togglePanel();
    bindKeys(this.keys);
    new Controls(this.stage, {
      click: (x, y) => this.pickAt(x, y),
      doubleClick: (x, y) => this.goTo(x, y),
      moved: () => (this.framed = true),
    });
  }

  private togglePanel(): void {
    const hidden = document.body.classList.toggle('narrow');
    byId('panel-toggle').setAttribute('aria-expanded', String(!hidden));
  }

  private show(run: Run, frame: StoredFrame): void {
    const view = this.stage.views[run.index];
    view.show(frame, this.player.quantity === '' ? -1 : run.quantityIndex(this.player.quantity));
    if (!this.framed && this.stage.views.every((v) => v.isFilled)) {
      // Until the user moves the camera, the first real frame decides what is seen.
      this.framed = true;
      this.stage.frame(true);
    }
    this.recolour();
    if (this.hit?.run === run.index) this.refreshPicked();
  }

  private recolour(): void {
    const ranges = this.stage.views.map((view) => view.values).filter((values) => values !== null);
    const low = Math.min(...ranges.map((values) => values.low));
    const high = Math.max(...ranges.map((values) => values.high));
    this.colours.setFrameRange(ranges.length > 0 ? [low, high] : null);
    const signed = this.colours.current?.signed ?? false;
    for (const view of this.stage.views) view.setColours(signed, this.colours.range);
    this.stage.draw();
  }

  setQuantity(name: string): void {
    this.colours.setName(name);
    this.player.setQuantity(name);
    this.recolour();
  }

  private clockChanged(): void {
    this.timeline?.update();
    this.charts?.setTime(this.player.time);
    this.showLive();
    if (this.player.playing) this.stage.draw();
  }

  private pictureDone(): void {
    this.showScale();
    if (this.ready) return;
    byId('wait').hidden = true;
    this.stage.finish();
    this.firstPicture = performance.now();
    this.ready = true;
    void this.refreshTables(); // the picture comes first
  }

  private showScale(): void {
    const most = SCALE_BAR * this.stage.metresPerPixel();
    const power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map((f) => f * power).find((l) => l <= most) ?? power;
    const [text, bar] = byId('scale').children as unknown as [HTMLElement, HTMLElement];
    text.textContent = metres(Number(length.toPrecision(1)), 1);
    bar.style.width = `${length / this.stage.metresPerPixel()}px`;
  }

  pickAt(x: number, y: number): Picked | null {
    this.hit = this.stage.pick(x, y);
    this.refreshPicked();
    this.stage.draw();
    return this.pickedNow;
  }

  private pickNothing(): void {
    this.hit = null;
    this.refreshPicked();
    this.stage.draw();
  }

  private refreshPicked(): void {
    const { hit } = this;
    this.stage.views.forEach((view, i) => view.highlight(hit?.run === i ? hit : null));
    this.pickedNow = hit ? describe(this.stage.views[hit.run], hit) : null;
    const quantity = this.colours.current;
    this.picked.show(this.pickedNow, quantity?.name ?? '', quantity?.unit ?? '', this.runs.length > 1);
  }

  private goTo(x: number, y: number): void {
    const hit = this.stage.pick(x, y);
    if (hit) this.stage.orbit.lookAt(hit.point.sub(this.stage.origin), 0.4 * this.stage.orbit.distance);
    else this.stage.frame(false);
    this.stage.draw();
  }

  screenshot(): string {
    return takeScreenshot(this.stage, {
      titles: this.runs.map((run) => run.about.title),
      time: seconds(this.player.time),
      quantity: this.colours.current,
      range: this.colours.range,
    });
  }

  private saveScreenshot(): void {
    const name = this.runs.map((run) => run.about.title).join('-').replace(/[^\w.-]+/g, '_');
    saveAs(this.screenshot(), `${name || 'heddle'}-${String(this.player.frame).padStart(6, '0')}.png`);
  }

  /** More frames: tables grow too, and now and then the ranges of the colours. */
  grown(message: Grown): void {
    const run = this.runs[message.run];
    if (!run) return;
    this.player.grown(run, message.frames, message.growing);
    const asked = this.aboutFrames.get(run) ?? run.frameCount;
    if (!message.growing || run.frameCount > 2 * asked) void this.refreshAbout(run);
    void this.refreshTables();
  }

  private async refreshAbout(run: Run): Promise<void> {
    this.aboutFrames.set(run, run.frameCount);
    try {
      const about = await this.source.about(run.index);
      run.about = { ...about, frames: Math.max(about.frames, run.about.frames), objects: run.about.objects };
      this.colours.setQuantities(this.runs.map((r) => r.about.quantities));
      this.player.update();
      this.recolour();
      this.clockChanged();
    } catch (error) {
      this.report(error);
    }
  }

  private refreshing = false;
  private again = false;

  private async refreshTables(): Promise<void> {
    this.again = true;
    if (this.refreshing) return;
    this.refreshing = true;
    while (this.again) {
      this.again = false;
      const results = await Promise.allSettled(this.runs.map((run) => loadTables(run)));
      for (const result of results) if (result.status === 'rejected') this.report(result.reason);
      if (results.some((r) => r.status === 'fulfilled' && r.value)) this.charts.update(this.player.time);
      this.chooseSpeed();
      this.clockChanged();
    }
    this.refreshing = false;
  }

  private speedChosen = false;

  /** A run with very many frames a second is played slower, so that they can be seen. */
  private chooseSpeed(): void {
    const { leader, frameCount } = this.player;
    const duration = leader.times.timeOf(frameCount - 1) - leader.times.timeOf(0);
    if (this.speedChosen || frameCount < 3 || !(duration > 0)) return;
    this.speedChosen = true;
    const most = (FASTEST * duration) / (frameCount - 1);
    if (most < 1) this.player.speed = [...SPEEDS].reverse().find((s) => s <= most) ?? SPEEDS[0];
  }

  /** The connection is back: whatever was lost with it is asked for again. */
  reconnected(): void {
    for (const run of this.runs) void this.refreshAbout(run);
    void this.refreshTables();
  }

  private report(error: unknown): void {
    if (error instanceof ConnectionLost) return; // said by the source
    this.messages.problem(error instanceof Error ? error.message : String(error));
  }
}
