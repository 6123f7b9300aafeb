// SPDX-License-Identifier: MIT
// START READING HERE: where the runs come from, then the app that shows them.
import 'uplot/dist/uPlot.min.css';
import './style.css';
import { App } from './app.ts';
import { byId } from './dom.ts';
import { EmbeddedSource } from './embedded.ts';
import { installHooks } from './hooks.ts';
import { loadRuns } from './load.ts';
import { Messages } from './message.ts';
import type { Grown } from './protocol.ts';
import { ConnectionLost, SocketSource } from './socket.ts';
import type { Connection, Source, SourceEvents } from './source.ts';

function openSource(events: SourceEvents): Source {
  const data = document.getElementById('heddle-data');
  if (data) {
    const source = new EmbeddedSource(data.textContent ?? '');
    events.connection('inside', '');
    return source;
  }
  if (location.protocol !== 'http:' && location.protocol !== 'https:') {
    throw new Error('This page has no data in it. Open a run with: heddle view RUN');
  }
  const address = new URL('socket', location.href.replace(/[^/]*$/, ''));
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return new SocketSource(address.href, events);
}

function start(): void {
  const messages = new Messages();
  let app: App | null = null;
  let opening = false;
  const early: Grown[] = []; // news of runs that are still being opened
  installHooks(() => app, messages);

  const fail = (error: unknown): void => {
    if (error instanceof ConnectionLost) return; // the source says so and tries again
    const text = error instanceof Error ? error.message : String(error);
    messages.problem(text);
    messages.stand(text);
    byId('wait').hidden = true;
  };
  const open = async (): Promise<void> => {
    if (opening || app) return;
    opening = true;
    try {
      const { runs } = await loadRuns(source);
      app = new App(runs, source, messages);
      for (const message of early.splice(0)) app.grown(message);
    } catch (error) {
      fail(error);
    }
    opening = false;
  };
  const connection = (state: Connection, note: string): void => {
    if (state === 'lost') messages.stand(note);
    if (state !== 'open') return;
    messages.stand('');
    if (app) app.reconnected();
    else void open();
  };
  window.addEventListener('error', (event) => messages.problem(event.message));
  window.addEventListener('unhandledrejection', (event) => messages.problem(String(event.reason)));

  let source: Source;
  try {
    source = openSource({
      grown: (message) => (app ? app.grown(message) : void early.push(message)),
      connection,
      problem: (text) => messages.problem(text),
    });
  } catch (error) {
    fail(error);
    return;
  }
  if (source instanceof EmbeddedSource) void open();
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
else start();
