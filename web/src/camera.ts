// SPDX-License-Identifier: MIT
// An orbit camera: turns about a target, moves across the view, goes towards the point under the cursor.
import * as THREE from 'three';

const FIELD = 30; // degrees over the shorter side
const START_AZIMUTH = (35 * Math.PI) / 180;
const START_ELEVATION = (20 * Math.PI) / 180;
const STEEPEST = Math.PI / 2 - 0.002;

export class OrbitCamera {
  readonly camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
  readonly target = new THREE.Vector3();
  distance = 1;
  azimuth = START_AZIMUTH;
  elevation = START_ELEVATION;
  private size = 1; // of what there is to see
  private centre = new THREE.Vector3();
  private readonly toWorld = new THREE.Quaternion(); // from y up to the run's own up

  setUp(up: THREE.Vector3): void {
    this.toWorld.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up.clone().normalize());
    this.camera.up.copy(up).normalize();
  }

  /** Bounds of everything, for clipping planes and limits of the distance. */
  setBounds(box: THREE.Box3): void {
    box.getCenter(this.centre);
    this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-9);
  }

  setAspect(aspect: number): void {
    this.camera.aspect = aspect;
    const half = Math.tan((FIELD * Math.PI) / 360);
    this.camera.fov = (360 / Math.PI) * Math.atan(aspect >= 1 ? half : half / aspect);
    this.apply();
  }

  /** Sees the whole of a box, from where the camera is or from the side it started at. */
  frame(box: THREE.Box3, afresh: boolean): void {
    if (box.isEmpty()) return;
    if (afresh) {
      this.azimuth = START_AZIMUTH;
      this.elevation = START_ELEVATION;
    }
    box.getCenter(this.target);
    this.distance = 1;
    this.apply();
    this.distance = this.fit(box);
    this.apply();
  }

  /** The distance at which all corners of a box are in the picture, with a margin. */
  private fit(box: THREE.Box3): number {
    const inverse = this.camera.quaternion.clone().invert();
    const tanY = Math.tan((this.camera.fov * Math.PI) / 360) * 0.9;
    const tanX = tanY * this.camera.aspect;
    let distance = 1e-6 * this.size;
    for (let i = 0; i < 8; i++) {
      const corner = new THREE.Vector3(
        i & 1 ? box.max.x : box.min.x,
        i & 2 ? box.max.y : box.min.y,
        i & 4 ? box.max.z : box.min.z,
      )
        .sub(this.target)
        .applyQuaternion(inverse);
      distance = Math.max(distance, corner.z + Math.abs(corner.x) / tanX, corner.z + Math.abs(corner.y) / tanY);
    }
    return distance;
  }

  orbit(dx: number, dy: number): void {
    this.azimuth -= dx;
    this.elevation = Math.max(-STEEPEST, Math.min(STEEPEST, this.elevation + dy));
    this.apply();
  }

  /** Moves across the view, by fractions of the picture's height. */
  pan(dx: number, dy: number): void {
    const height = 2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360);
    const right = new THREE.Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion);
    const up = new THREE.Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion);
    this.target.addScaledVector(right, -dx * height).addScaledVector(up, dy * height);
    this.apply();
  }

  /** Scales the distance to a point, which stays where it is on the screen. */
  zoom(factor: number, about: THREE.Vector3): void {
    const limited = Math.max(1e-4 * this.size, Math.min(20 * this.size, this.distance * factor)) / this.distance;
    this.target.sub(about).multiplyScalar(limited).add(about);
    this.distance *= limited;
    this.apply();
  }

  lookAt(point: THREE.Vector3, distance: number): void {
    this.target.copy(point);
    this.distance = distance;
    this.apply();
  }

  /** The point under a place of the picture (-1..1) at the target's depth. */
  pointAt(x: number, y: number): THREE.Vector3 {
    const ray = this.ray(x, y);
    const forward = new THREE.Vector3(0, 0, -1).applyQuaternion(this.camera.quaternion);
    return ray.at(this.distance / ray.direction.dot(forward), new THREE.Vector3());
  }

  ray(x: number, y: number): THREE.Ray {
    const end = new THREE.Vector3(x, y, 0.5).unproject(this.camera);
    return new THREE.Ray(this.camera.position.clone(), end.sub(this.camera.position).normalize());
  }

  /** Width of a pixel at distance 1 in a picture of a height. */
  pixel(height: number): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
  }

  private apply(): void {
    const c = Math.cos(this.elevation);
    const back = new THREE.Vector3(Math.sin(this.azimuth) * c, Math.sin(this.elevation), Math.cos(this.azimuth) * c);
    back.applyQuaternion(this.toWorld);
    this.camera.position.copy(this.target).addScaledVector(back, this.distance);
    this.camera.lookAt(this.target);
    const far = this.camera.position.distanceTo(this.centre) + 3 * this.size;
    this.camera.near = Math.max(this.distance * 0.01, far * 1e-4, 1e-9);
    this.camera.far = far;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }
}
