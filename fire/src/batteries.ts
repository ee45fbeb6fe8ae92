import type { Battery } from './battery.ts'

/** All there are, in the order they run: the quick ones first. Loaded when they run, each in a process of its own. */
export const BATTERIES: { readonly [name: string]: () => Promise<Battery> } = {
  faults: async () => (await import('./faults/battery.ts')).faults,
  breaches: async () => (await import('./breaches/battery.ts')).breaches,
  storms: async () => (await import('./storms/battery.ts')).storms,
  fuzz: async () => (await import('./fuzz/battery.ts')).fuzz,
  attacks: async () => (await import('./attacks/battery.ts')).attacks,
  simulator: async () => (await import('./simulator/battery.ts')).simulator,
}
