// SPDX-License-Identifier: MIT
// Times of frames: exact where a frame or a table told them, in between and beyond on straight lines.

const GUESS = 1 / 25; // s between frames while only one time is known

export class TimeAxis {
  private readonly known: number[] = []; // NaN where unknown

  learn(frame: number, time: number): void {
    if (!Number.isFinite(time) || frame < 0) return;
    while (this.known.length < frame) this.known.push(NaN);
    this.known[frame] = time;
  }

  /** Time of a frame, which may be a fraction. */
  timeOf(frame: number): number {
    const low = Math.floor(frame);
    const a = this.at(low);
    return frame === low ? a : a + (frame - low) * (this.at(low + 1) - a);
  }

  /** The frame, as a fraction from 0 to frames - 1, at a time. */
  frameAt(time: number, frames: number): number {
    let low = 0;
    let high = frames - 1;
    if (high <= 0 || !(time > this.at(0))) return 0;
    if (time >= this.at(high)) return high;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.at(middle) <= time) low = middle;
      else high = middle;
    }
    const a = this.at(low);
    const b = this.at(high);
    return b > a ? low + (time - a) / (b - a) : low;
  }

  nearestFrame(time: number, frames: number): number {
    const f = this.frameAt(time, frames);
    const low = Math.floor(f);
    return low + 1 < frames && time - this.at(low) > this.at(low + 1) - time ? low + 1 : low;
  }

  private at(frame: number): number {
    const exact = this.known[frame];
    if (exact !== undefined && !Number.isNaN(exact)) return exact;
    const before = this.neighbour(frame, -1);
    const after = this.neighbour(frame, 1);
    if (before >= 0 && after >= 0) return this.line(before, after, frame);
    if (before >= 0) return this.beyond(before, this.neighbour(before, -1), frame);
    if (after >= 0) return this.beyond(after, this.neighbour(after, 1), frame);
    return frame * GUESS;
  }

  private beyond(near: number, far: number, frame: number): number {
    return far >= 0 ? this.line(near, far, frame) : this.known[near] + (frame - near) * GUESS;
  }

  private line(a: number, b: number, frame: number): number {
    return this.known[a] + ((frame - a) / (b - a)) * (this.known[b] - this.known[a]);
  }

  /** The next frame with a known time in a direction, -1 if there is none. */
  private neighbour(frame: number, direction: -1 | 1): number {
    let f = direction < 0 ? Math.min(frame - 1, this.known.length - 1) : frame + 1;
    for (; f >= 0 && f < this.known.length; f += direction) {
      if (!Number.isNaN(this.known[f])) return f;
    }
    return -1;
  }
}
