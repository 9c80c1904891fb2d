/** Cores that were measured, by their names in tests/firmware/figures.csv. */
export const measured = { m0plus: 'Cortex-M0+', m3: 'Cortex-M3', m4f: 'Cortex-M4F', m7: 'Cortex-M7', rv32imc: 'RV32IMC' } as const;

/** Well-known boards: what they have, by their makers' data sheets, and whose figures stand for their core. */
export interface Board {
  name: string;
  core: string;
  /** KiB. */
  ram: number;
  flash: number;
  figures: keyof typeof measured;
}

export const boards: readonly Board[] = [
  { name: 'BBC micro:bit', core: 'Cortex-M0', ram: 16, flash: 256, figures: 'm0plus' },
  { name: 'SparkFun RED-V (FE310)', core: 'RV32IMAC', ram: 16, flash: 4096, figures: 'rv32imc' },
  { name: 'Blue Pill (STM32F103)', core: 'Cortex-M3', ram: 20, flash: 64, figures: 'm3' },
  { name: 'Arduino Zero', core: 'Cortex-M0+', ram: 32, flash: 256, figures: 'm0plus' },
  { name: 'Arduino Uno R4', core: 'Cortex-M4F', ram: 32, flash: 256, figures: 'm4f' },
  { name: 'BBC micro:bit V2', core: 'Cortex-M4F', ram: 128, flash: 512, figures: 'm4f' },
  { name: 'Nucleo F411RE', core: 'Cortex-M4F', ram: 128, flash: 512, figures: 'm4f' },
  { name: 'Arduino Nano 33 BLE', core: 'Cortex-M4F', ram: 256, flash: 1024, figures: 'm4f' },
  { name: 'Raspberry Pi Pico', core: 'Cortex-M0+', ram: 264, flash: 2048, figures: 'm0plus' },
  { name: 'ESP32-C3', core: 'RV32IMC', ram: 400, flash: 4096, figures: 'rv32imc' },
  { name: 'Raspberry Pi Pico 2', core: 'Cortex-M33', ram: 520, flash: 4096, figures: 'm4f' },
  { name: 'Teensy 4.1', core: 'Cortex-M7', ram: 1024, flash: 7936, figures: 'm7' },
];

/** Which measured core stands for which others, in words. */
export function standIns(): string {
  const others = Object.entries(measured).map(([figures, name]) => ({
    name, cores: [...new Set(boards.filter((board) => board.figures === figures && board.core !== name).map(({ core }) => core))],
  }));
  return others.filter(({ cores }) => cores.length > 0).map(({ name, cores }) => `${name} stands for ${cores.join(' and ')}`).join(', ');
}
