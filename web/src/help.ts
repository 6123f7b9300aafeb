// SPDX-License-Identifier: MIT
// Keys and what they do: one table for the keyboard and for the page of help.
import { byId, el } from './dom.ts';

export interface KeyBinding {
  keys: string[]; // as KeyboardEvent.key
  shown: string;
  text: string;
  run(): void;
}

const MOUSE: [string, string][] = [
  ['drag', 'turn'],
  ['right drag, shift drag', 'move across'],
  ['wheel', 'go towards what is under the cursor'],
  ['click', 'pick a yarn or a triangle'],
  ['double click', 'look at that point; beside everything: see all'],
];

export function bindKeys(bindings: KeyBinding[]): void {
  window.addEventListener('keydown', (event) => {
    const inField = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const isSlider = event.target instanceof HTMLInputElement && event.target.type === 'range';
    if (event.ctrlKey || event.altKey || event.metaKey || (inField && !isSlider)) return;
    // A button in focus is pressed by the space bar.
    if (event.target instanceof HTMLButtonElement && (event.key === ' ' || event.key === 'Enter')) return;
    const found = bindings.find((b) => b.keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.run();
  });
}

export function showHelp(bindings: KeyBinding[]): void {
  const box = byId<HTMLDialogElement>('help-box');
  if (box.open) {
    box.close();
    return;
  }
  const table = el('table', { class: 'facts' });
  const row = (name: string, text: string): void => {
    table.append(el('tr', {}, el('td', {}, el('kbd', {}, name)), el('td', {}, text)));
  };
  for (const [name, text] of MOUSE) row(name, text);
  for (const binding of bindings) row(binding.shown, binding.text);
  const close = el('button', { type: 'button' }, 'Close');
  close.addEventListener('click', () => box.close());
  box.replaceChildren(el('h1', {}, 'Mouse and keys'), table, el('p', {}, close));
  box.showModal();
}
