// SPDX-License-Identifier: MIT
// Mouse, touch and wheel on the canvas.
import type { Stage } from './stage.ts';
import type * as THREE from 'three';

export interface ControlEvents {
  click(x: number, y: number): void;
  doubleClick(x: number, y: number): void;
  moved(): void;
}

const CLICK = 4; // pixels a pointer may move during a click
const TURN = 0.008; // rad a pixel
const GESTURE = 300; // ms of rest after which the wheel looks anew for the point under the cursor

interface Pointer {
  x: number;
  y: number;
}

export class Controls {
  private readonly pointers = new Map<number, Pointer>();
  private moved = 0; // pixels since the button went down
  private pans = false;
  private pivot: { point: THREE.Vector3; x: number; y: number; until: number } | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly events: ControlEvents,
  ) {
    const { canvas } = stage;
    canvas.addEventListener('pointerdown', (e) => this.down(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', (e) => this.pointers.delete(e.pointerId));
    canvas.addEventListener('wheel', (e) => this.wheel(e), { passive: false });
    canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    canvas.addEventListener('dblclick', (e) => this.events.doubleClick(...this.place(e)));
  }

  private place(e: { clientX: number; clientY: number }): [number, number] {
    const box = this.stage.canvas.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  }

  private down(e: PointerEvent): void {
    this.stage.canvas.setPointerCapture(e.pointerId);
    this.stage.canvas.focus({ preventScroll: true });
    this.pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (this.pointers.size === 1) this.moved = 0;
    this.pans = e.button !== 0 || e.shiftKey;
  }

  private move(e: PointerEvent): void {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.x;
    const dy = e.clientY - last.y;
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.pointers.size >= 2) this.pinch(e);
    else if (this.pans) this.stage.orbit.pan(dx / this.stage.canvas.clientHeight, dy / this.stage.canvas.clientHeight);
    else this.stage.orbit.orbit(dx * TURN, dy * TURN);
    last.x = e.clientX;
    last.y = e.clientY;
    this.change();
  }

  /** Two fingers: their middle pans, their distance zooms. */
  private pinch(e: PointerEvent): void {
    const moving = this.pointers.get(e.pointerId) as Pointer;
    const other = [...this.pointers.entries()].find(([id]) => id !== e.pointerId)?.[1] as Pointer;
    const before = Math.hypot(moving.x - other.x, moving.y - other.y);
    const after = Math.hypot(e.clientX - other.x, e.clientY - other.y);
    const height = this.stage.canvas.clientHeight;
    this.stage.orbit.pan((e.clientX - moving.x) / (2 * height), (e.clientY - moving.y) / (2 * height));
    if (before > 1 && after > 1) {
      const middle = { clientX: (e.clientX + other.x) / 2, clientY: (e.clientY + other.y) / 2 };
      this.stage.orbit.zoom(before / after, this.pivotAt(...this.place(middle), e.timeStamp, 80));
    }
  }

  private up(e: PointerEvent): void {
    const wasThere = this.pointers.delete(e.pointerId);
    if (wasThere && this.pointers.size === 0 && this.moved < CLICK && e.button === 0) this.events.click(...this.place(e));
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    const [x, y] = this.place(e);
    const pixels = e.deltaY * (e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1);
    const factor = Math.exp(Math.max(-240, Math.min(240, pixels)) * 0.0018);
    this.stage.orbit.zoom(factor, this.pivotAt(x, y, e.timeStamp, 6));
    this.change();
  }

  /** The point under the cursor, kept for the whole of a gesture so that it stays under the cursor. */
  private pivotAt(x: number, y: number, now: number, near: number): THREE.Vector3 {
    const old = this.pivot;
    const same = old && now < old.until && Math.hypot(x - old.x, y - old.y) < near;
    const point = same ? old.point : this.stage.pivot(x, y);
    this.pivot = { point, x, y, until: now + GESTURE };
    return point;
  }

  private change(): void {
    this.events.moved();
    this.stage.draw();
  }
}
