import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import type { Simulator } from '../history/run-history.ts'
import type { createSimulator } from '../simulator.ts'

/** Loads a bundle into this process: see `bundleSimulator`. */
export async function loadSimulator(bundle: string): Promise<Simulator> {
  // Its only export, defined by the entry of the bundle.
  const module = (await import(pathToFileURL(bundle).href)) as { createSimulator: typeof createSimulator }
  return await module.createSimulator()
}

/** All events of a history, in order, as one hash. */
export async function hashHistory(simulate: Simulator, seed: number): Promise<string> {
  const { trace } = await simulate(seed, true)
  return createHash('sha256').update(trace.join('\n')).digest('hex')
}

/** Whether a seed gives the same history again, to the last event, with others in between. */
export async function isRepeatable(simulate: Simulator, seed: number): Promise<boolean> {
  const first = await hashHistory(simulate, seed)
  for (let other = seed + 1; other <= seed + 10; other += 1) await simulate(other)
  return (await hashHistory(simulate, seed)) === first
}
