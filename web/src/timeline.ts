// SPDX-License-Identifier: MIT
// The bar at the bottom: play, scrub, speed, loop, follow, the clock.
import { el, seconds } from './dom.ts';
import { SPEEDS, type Player } from './player.ts';

export class Timeline {
  private readonly play = el('button', { type: 'button', class: 'round', id: 'play' });
  private readonly slider = el('input', { type: 'range', min: '0', max: '0', step: '1', id: 'scrub', 'aria-label': 'Frame' });
  private readonly speed = el('select', { 'aria-label': 'Speed', id: 'speed', title: 'Speed of the clock' });
  private readonly loop = el('button', { type: 'button', id: 'loop', title: 'Begin again at the end (L)' }, 'Loop');
  private readonly follow = el('button', { type: 'button', id: 'follow', title: 'Stay at the newest frame while the run is computed' }, 'Follow');
  private readonly clock = el('span', { class: 'clock number', id: 'clock' });

  constructor(
    private readonly host: HTMLElement,
    private readonly player: Player,
  ) {
    const back = el('button', { type: 'button', class: 'round', title: 'One frame back (left arrow)', 'aria-label': 'One frame back' }, '◂');
    const on = el('button', { type: 'button', class: 'round', title: 'One frame on (right arrow)', 'aria-label': 'One frame on' }, '▸');
    for (const s of SPEEDS) this.speed.append(el('option', { value: String(s) }, `${s}×`));
    this.play.addEventListener('click', () => this.toggle());
    back.addEventListener('click', () => this.step(-1));
    on.addEventListener('click', () => this.step(1));
    this.slider.addEventListener('input', () => this.scrub());
    this.speed.addEventListener('change', () => (player.speed = Number(this.speed.value)));
    this.loop.addEventListener('click', () => this.toggleLoop());
    this.follow.addEventListener('click', () => this.toggleFollow());
    this.host.append(back, this.play, on, this.slider, this.clock, this.speed, this.loop, this.follow);
    this.update();
  }

  toggle(): void {
    if (this.player.playing) this.player.pause();
    else this.player.play();
  }

  step(by: number): void {
    if (this.player.playing) this.player.pause();
    this.player.seek(this.player.frame + by);
  }

  toggleLoop(): void {
    this.player.loop = !this.player.loop;
    this.update();
  }

  toggleFollow(): void {
    this.player.follow = !this.player.follow;
    if (this.player.follow) this.player.seek(this.player.frameCount - 1);
    this.update();
  }

  private scrub(): void {
    if (this.player.playing) this.player.pause();
    this.player.seek(Number(this.slider.value));
  }

  update(): void {
    const { player } = this;
    const last = Math.max(0, player.frameCount - 1);
    this.host.hidden = last === 0 && !player.growing; // a file that is no run
    this.slider.max = String(last);
    this.slider.value = String(player.frame);
    this.slider.disabled = last === 0;
    this.slider.setAttribute('aria-valuetext', `frame ${player.frame} of ${last}, ${seconds(player.time)}`);
    this.play.textContent = player.playing ? '❚❚' : '▶';
    this.play.setAttribute('aria-label', player.playing ? 'Pause' : 'Play');
    this.play.title = player.playing ? 'Pause (space)' : 'Play (space)';
    this.play.disabled = last === 0 && !player.growing;
    this.speed.value = String(player.speed);
    this.loop.setAttribute('aria-pressed', String(player.loop));
    this.follow.setAttribute('aria-pressed', String(player.follow));
    this.follow.hidden = !player.growing;
    this.clock.textContent = `${seconds(player.time)}  ·  ${player.frame} / ${last}`;
  }
}
