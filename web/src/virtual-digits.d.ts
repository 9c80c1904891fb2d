/** Made by plugins/digits.js. */
declare module 'virtual:digits' {
  export const labels: string;
  export const heldOut: string;
  export const pixels: string;
}
