// SPDX-License-Identifier: MIT
// The line for things the user should know: errors go away after a while, the state of the connection stays.
import { byId } from './dom.ts';

const SHOWN = 8000; // ms
const KEPT = 50; // errors remembered for state()

export class Messages {
  readonly errors: string[] = [];
  private readonly line = byId<HTMLElement>('message');
  private standing = '';
  private timer = 0;

  problem(text: string): void {
    this.errors.push(text);
    if (this.errors.length > KEPT) this.errors.shift();
    this.show(text, false);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.show(this.standing, true), SHOWN);
  }

  /** A text that stays until it is replaced by another or by ''. */
  stand(text: string): void {
    this.standing = text;
    this.show(text, true);
  }

  private show(text: string, mild: boolean): void {
    this.line.textContent = text;
    this.line.hidden = text === '';
    this.line.classList.toggle('mild', mild);
  }
}
