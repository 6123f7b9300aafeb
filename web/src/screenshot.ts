// SPDX-License-Identifier: MIT
// The picture on the screen as a PNG, with the time and, if there are colours of a quantity, their legend.
import { mapColour } from './colormap.ts';
import { digits } from './dom.ts';
import type { Quantity } from './protocol.ts';
import type { Stage } from './stage.ts';

export interface Notes {
  titles: string[];
  time: string;
  quantity: Quantity | null;
  range: [number, number];
}

function drawLegend(pen: CanvasRenderingContext2D, notes: Notes, unit: number, width: number, height: number): void {
  const { quantity, range } = notes;
  if (!quantity) return;
  const wide = Math.min(260 * unit, width - 32 * unit);
  const left = width - wide - 16 * unit;
  const top = height - 34 * unit;
  const blur = pen.shadowBlur;
  pen.shadowBlur = 0;
  pen.shadowColor = 'transparent';
  for (let i = 0; i < wide; i++) {
    pen.fillStyle = `rgb(${mapColour(quantity.signed, i / (wide - 1)).map((c) => Math.round(255 * c)).join(' ')})`;
    pen.fillRect(left + i, top, 1.5, 10 * unit);
  }
  pen.shadowBlur = blur;
  pen.shadowColor = '#000';
  pen.fillStyle = '#fff';
  pen.fillText(quantity.unit ? `${quantity.name} (${quantity.unit})` : quantity.name, left, top - 6 * unit);
  const marks: [number, CanvasTextAlign][] = [[0, 'left'], [0.5, 'center'], [1, 'right']];
  for (const [t, align] of marks) {
    pen.textAlign = align;
    pen.fillText(digits(range[0] + t * (range[1] - range[0]), 3), left + t * wide, top + 24 * unit);
  }
  pen.textAlign = 'left';
}

/** The picture as a data address. */
export function takeScreenshot(stage: Stage, notes: Notes): string {
  stage.render(); // the picture is only there until the browser has shown it
  const { canvas } = stage;
  const copy = document.createElement('canvas');
  copy.width = canvas.width;
  copy.height = canvas.height;
  const pen = copy.getContext('2d');
  if (!pen) throw new Error('the browser gives no canvas to draw the screenshot on');
  pen.drawImage(canvas, 0, 0);
  const unit = canvas.width / Math.max(1, canvas.clientWidth);
  pen.font = `${13 * unit}px system-ui, sans-serif`;
  pen.fillStyle = '#fff';
  pen.shadowColor = '#000';
  pen.shadowBlur = 3 * unit;
  notes.titles.forEach((title, i) => {
    pen.fillText(`${title}   ${notes.time}`, (i * copy.width) / notes.titles.length + 14 * unit, 24 * unit);
  });
  drawLegend(pen, notes, unit, copy.width, copy.height);
  return copy.toDataURL('image/png');
}

export function saveAs(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
