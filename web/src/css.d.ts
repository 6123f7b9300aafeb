// SPDX-License-Identifier: MIT
// Style sheets are imported for the bundler's sake.
declare module '*.css';
