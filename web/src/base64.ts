// SPDX-License-Identifier: MIT
// Parts of a long base64 text, decoded only when they are needed.
import { ProtocolError } from './protocol.ts';

export class Base64Store {
  private readonly text: string;
  readonly bytes: number;

  constructor(source: string) {
    this.text = /\s/.test(source) ? source.replace(/\s+/g, '') : source;
    if (this.text.length % 4 !== 0) {
      throw new ProtocolError(`the data of the page are cut off: ${this.text.length} characters of base64`);
    }
    const padding = this.text.endsWith('==') ? 2 : this.text.endsWith('=') ? 1 : 0;
    this.bytes = (this.text.length / 4) * 3 - padding;
  }

  slice(offset: number, length: number): Uint8Array<ArrayBuffer> {
    if (offset < 0 || length < 0 || offset + length > this.bytes) {
      throw new ProtocolError(`the data of the page end at byte ${this.bytes}, ${length} wanted at ${offset}`);
    }
    const first = Math.floor(offset / 3);
    const last = Math.ceil((offset + length) / 3);
    let raw: string;
    try {
      raw = atob(this.text.slice(4 * first, 4 * last));
    } catch {
      throw new ProtocolError(`the data of the page are not base64 near byte ${offset}`);
    }
    const skip = offset - 3 * first;
    const result = new Uint8Array(length);
    for (let i = 0; i < length; i++) result[i] = raw.charCodeAt(skip + i);
    return result;
  }
}
