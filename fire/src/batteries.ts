import type { Battery } from './battery.ts'

/** How a battery is loaded, and the folders whose later changes make its record outdated. */
export interface BatteryEntry {
  load(): Promise<Battery>
  readonly packages: readonly string[]
  /** Runs only when it is named, because it needs programs that few machines have. */
  readonly onlyNamed?: true
}

const SERVED = ['packages/farebox', 'packages/facilitator', 'packages/payments', 'packages/protocol']

/** All batteries in the order they run, the quick ones first. Each is loaded in its own process. */
export const BATTERIES: { readonly [name: string]: BatteryEntry } = {
  faults: {
    load: async () => (await import('./storms/faults.ts')).faults,
    packages: [...SERVED, 'packages/client'],
  },
  breaches: {
    load: async () => (await import('./breaches/battery.ts')).breaches,
    packages: [...SERVED, 'packages/flows', 'packages/platform'],
  },
  storms: { load: async () => (await import('./storms/battery.ts')).storms, packages: SERVED },
  fuzz: {
    load: async () => (await import('./fuzz/battery.ts')).fuzz,
    packages: ['packages/farebox', 'packages/payments', 'packages/protocol'],
  },
  attacks: {
    load: async () => (await import('./attacks/battery.ts')).attacks,
    packages: [...SERVED, 'packages/client', 'packages/cli', 'packages/platform'],
  },
  failover: {
    load: async () => (await import('./failover/battery.ts')).failover,
    packages: [...SERVED, 'packages/server'],
    onlyNamed: true,
  },
  deployment: {
    load: async () => (await import('./deployment/battery.ts')).deployment,
    packages: [...SERVED, 'packages/client', 'packages/platform', 'packages/server', 'deploy'],
    onlyNamed: true,
  },
  simulator: {
    load: async () => (await import('./simulator/battery.ts')).simulator,
    packages: [...SERVED, 'packages/client'],
  },
}
