/** Made by plugins/figures.js. */
declare module 'virtual:figures' {
  export const figures: readonly (readonly [core: string, solver: string, loss: string, penalty: string, flash: number, stack: number])[];
}
