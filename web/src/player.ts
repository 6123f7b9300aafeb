// SPDX-License-Identifier: MIT
// The clock of all runs: plays, seeks, follows a growing run, and asks for the frames that will be needed.
import { ConnectionLost } from './socket.ts';
import type { Run, StoredFrame } from './run.ts';

export interface PlayerEvents {
  /** A run shows another frame, or the same one with other values. */
  show(run: Run, frame: StoredFrame): void;
  /** Clock, playing, follow or frame counts changed. */
  changed(): void;
  problem(text: string): void;
}

const AHEAD = 4; // frames fetched before they are needed while playing
const AT_ONCE_SEEKING = 2; // few, so that the newest wish is met soon
const AT_ONCE_PLAYING = 4;
const LONGEST_TICK = 0.25; // s of wall time one tick may stand for

export const SPEEDS = [0.01, 0.03, 0.1, 0.25, 0.5, 1, 2, 4, 10] as const;

export class Player {
  cursor = 0; // frame of the leading run, with a fraction while playing
  playing = false;
  speed = 1;
  loop = true;
  follow = true;
  quantity = ''; // name, '' for none
  private readonly shown = new Map<Run, { frame: StoredFrame; quantity: number }>();
  private lastTick = 0;

  constructor(
    readonly runs: Run[],
    private readonly events: PlayerEvents,
  ) {}

  /** The run that ends last: its frames are the ticks of the timeline. */
  get leader(): Run {
    return this.runs.reduce((best, run) => (endOf(run) > endOf(best) ? run : best));
  }

  get time(): number {
    return this.leader.times.timeOf(this.cursor);
  }

  get frame(): number {
    return Math.round(this.cursor);
  }

  get frameCount(): number {
    return this.leader.frameCount;
  }

  get growing(): boolean {
    return this.runs.some((run) => run.about.growing);
  }

  get atEnd(): boolean {
    return this.frame >= this.frameCount - 1;
  }

  shownFrame(run: Run): StoredFrame | null {
    return this.shown.get(run)?.frame ?? null;
  }

  /** Whether every run shows what the clock wants. */
  get settled(): boolean {
    return this.runs.every((run) => {
      const now = this.shown.get(run);
      const wanted = this.wanted(run);
      const quantity = this.quantityOf(run);
      // A frame that cannot be had must not stop the clock.
      return (now?.frame.frame === wanted && now.quantity === quantity) || run.isBroken(wanted, quantity);
    });
  }

  seek(frame: number): void {
    this.cursor = Math.max(0, Math.min(Math.round(frame), this.frameCount - 1));
    this.update();
    this.events.changed();
  }

  seekTime(time: number): void {
    this.seek(this.leader.times.nearestFrame(time, this.frameCount));
  }

  play(): void {
    if (this.atEnd && !this.growing) this.cursor = 0;
    this.playing = this.frameCount > 1 || this.growing;
    this.lastTick = 0;
    this.update();
    this.events.changed();
  }

  pause(): void {
    this.playing = false;
    this.cursor = this.frame;
    this.update();
    this.events.changed();
  }

  setQuantity(name: string): void {
    this.quantity = name;
    this.update();
    this.events.changed();
  }

  /** A run has more frames now. Whoever stands at the end and follows, goes along. */
  grown(run: Run, frames: number, growing: boolean): void {
    const leader = this.leader;
    const stick = this.follow && this.frame >= leader.frameCount - 1;
    const more = frames > run.about.frames;
    run.about = { ...run.about, frames: Math.max(frames, run.about.frames), growing };
    if (more && stick && !this.playing) this.cursor = this.frameCount - 1;
    this.update();
    this.events.changed();
  }

  /** Called once a picture while playing; now in ms. */
  tick(now: number): void {
    if (!this.playing) return;
    const passed = this.lastTick > 0 ? Math.min((now - this.lastTick) / 1000, LONGEST_TICK) : 0;
    this.lastTick = now;
    // The clock waits for frames that are still on their way, so that none is skipped on a slow line.
    if (passed > 0 && this.settled) this.advance(passed * this.speed);
    this.update();
    this.events.changed();
  }

  private advance(seconds: number): void {
    const { times } = this.leader;
    const last = this.frameCount - 1;
    const end = times.timeOf(last);
    const next = this.time + seconds;
    if (next < end) {
      this.cursor = times.frameAt(next, this.frameCount);
    } else if (this.growing) {
      this.cursor = last; // wait for more
    } else if (this.loop && this.cursor >= last) {
      this.cursor = 0;
    } else {
      this.cursor = last;
      if (!this.loop) this.playing = false;
    }
  }

  private quantityOf(run: Run): number {
    return this.quantity === '' ? -1 : run.quantityIndex(this.quantity);
  }

  private wanted(run: Run): number {
    if (run === this.leader) return Math.min(this.frame, Math.max(0, run.frameCount - 1));
    return run.times.nearestFrame(this.time, run.frameCount);
  }

  /** Shows what is here, asks for what is not. */
  update(): void {
    for (const run of this.runs) {
      if (run.frameCount === 0) continue;
      const wanted = this.wanted(run);
      const quantity = this.quantityOf(run);
      this.showNearest(run, wanted, quantity);
      const limit = this.playing ? AT_ONCE_PLAYING : AT_ONCE_SEEKING;
      const ahead = this.playing ? AHEAD : 0;
      for (let i = 0; i <= ahead && run.outstanding < limit; i++) {
        let frame = wanted + i;
        if (frame >= run.frameCount) {
          if (!this.loop || this.growing) break;
          frame %= run.frameCount;
        }
        if (run.wants(frame, quantity)) this.fetch(run, frame, quantity);
      }
    }
  }

  private fetch(run: Run, frame: number, quantity: number): void {
    run
      .load(frame, quantity)
      .then(() => this.arrived(run, frame, quantity))
      .catch((error: unknown) => {
        if (error instanceof ConnectionLost) return; // said by the source; asked again when it is back
        this.events.problem(error instanceof Error ? error.message : String(error));
        this.update();
      });
  }

  private arrived(run: Run, frame: number, quantity: number): void {
    const now = this.shown.get(run);
    const wanted = this.wanted(run);
    // While the wish changes faster than answers come, anything nearer to it than what is shown is progress.
    const nearer = !now || Math.abs(frame - wanted) < Math.abs(now.frame.frame - wanted);
    if (!this.playing && nearer) this.showNearest(run, frame, quantity);
    this.update();
    this.events.changed();
  }

  private showNearest(run: Run, wanted: number, quantity: number): void {
    const now = this.shown.get(run);
    if (now?.frame.frame === wanted && now.quantity === quantity) return;
    const found = run.get(wanted, quantity);
    if (!found) return;
    this.shown.set(run, { frame: found, quantity });
    this.events.show(run, found);
  }
}

function endOf(run: Run): number {
  return run.times.timeOf(Math.max(0, run.frameCount - 1));
}
