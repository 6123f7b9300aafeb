// SPDX-License-Identifier: MIT
// A program behind a WebSocket. Answers come in the order of the requests, so a queue is enough to match them.
import {
  MOST_WAITING,
  ProtocolError,
  SUBPROTOCOL,
  parseText,
  request,
  type About,
  type Table,
  type TextMessage,
  type Welcome,
} from './protocol.ts';
import { chooseReference, type FrameWish, type Source, type SourceEvents } from './source.ts';

type Answer = TextMessage | ArrayBuffer;

interface Waiting {
  text: string;
  resolve(answer: Answer): void;
  reject(reason: Error): void;
}

const FIRST_PAUSE = 500; // ms before the first attempt to connect again; doubles
const LONGEST_PAUSE = 8000;
const AT_ONCE = MOST_WAITING / 2;

export class ConnectionLost extends Error {}

export class SocketSource implements Source {
  private socket: WebSocket | null = null;
  private sent: Waiting[] = [];
  private unsent: Waiting[] = [];
  private pause = FIRST_PAUSE;
  private wasOpen = false;

  constructor(
    private readonly address: string,
    private readonly events: SourceEvents,
  ) {
    this.connect();
  }

  async hello(): Promise<Welcome> {
    return this.ofType(await this.ask(request.hello()), 'welcome');
  }
  async about(run: number): Promise<About> {
    return this.ofType(await this.ask(request.about(run)), 'about');
  }
  async table(run: number, name: string, first: number): Promise<Table> {
    return this.ofType(await this.ask(request.table(run, name, first)), 'table');
  }
  async geometry(run: number): Promise<ArrayBuffer> {
    return this.binary(await this.ask(request.geometry(run)));
  }
  async frame(wish: FrameWish): Promise<ArrayBuffer[]> {
    const text = request.frame(wish.run, wish.frame, chooseReference(wish), wish.quantity);
    return [this.binary(await this.ask(text))];
  }

  private ofType<T extends TextMessage['type']>(answer: Answer, type: T): Extract<TextMessage, { type: T }> {
    if (answer instanceof ArrayBuffer || answer.type !== type) {
      throw new ProtocolError(`expected the answer '${type}'`);
    }
    return answer as Extract<TextMessage, { type: T }>;
  }

  private binary(answer: Answer): ArrayBuffer {
    if (!(answer instanceof ArrayBuffer)) throw new ProtocolError('expected a binary answer');
    return answer;
  }

  private ask(text: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.unsent.push({ text, resolve, reject });
      this.flush();
    });
  }

  private flush(): void {
    while (this.socket?.readyState === WebSocket.OPEN && this.unsent.length > 0 && this.sent.length < AT_ONCE) {
      const next = this.unsent.shift() as Waiting;
      this.sent.push(next);
      this.socket.send(next.text);
    }
  }

  private connect(): void {
    this.events.connection('opening', '');
    const socket = new WebSocket(this.address, SUBPROTOCOL);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.pause = FIRST_PAUSE;
      this.wasOpen = true;
      this.events.connection('open', '');
      this.flush();
    };
    socket.onmessage = (event: MessageEvent<unknown>) => this.receive(event.data);
    socket.onclose = () => this.lost();
  }

  private lost(): void {
    this.socket = null;
    const dropped = [...this.sent, ...this.unsent];
    this.sent = [];
    this.unsent = [];
    const seconds = this.pause / 1000;
    const what = this.wasOpen ? 'The connection to heddle was lost' : 'heddle does not answer';
    this.events.connection('lost', `${what}; trying again in ${seconds} s. What was loaded stays here.`);
    for (const waiting of dropped) waiting.reject(new ConnectionLost('the connection was lost'));
    setTimeout(() => this.connect(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  private receive(data: unknown): void {
    let answer: Answer;
    try {
      answer = typeof data === 'string' ? parseText(data) : (data as ArrayBuffer);
    } catch (error) {
      this.fail(error as Error);
      return;
    }
    if (!(answer instanceof ArrayBuffer) && answer.type === 'grown') {
      this.events.grown(answer);
      return;
    }
    const waiting = this.sent.shift();
    this.flush();
    if (!waiting) {
      this.events.problem('heddle sent an answer that nobody asked for');
    } else if (!(answer instanceof ArrayBuffer) && answer.type === 'error') {
      waiting.reject(new Error(answer.text));
    } else {
      waiting.resolve(answer);
    }
  }

  /** A message that cannot be read stands for the answer to the oldest request. */
  private fail(error: Error): void {
    const waiting = this.sent.shift();
    this.flush();
    if (waiting) waiting.reject(error);
    else this.events.problem(error.message);
  }
}
