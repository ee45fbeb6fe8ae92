import { parentPort } from 'node:worker_threads'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { runHistory, type Simulator } from './history/run-history.ts'
import { setStage } from './history/stage.ts'
import { pretendCurve } from './pretended-curve.ts'
import { serveSeeds } from './runner/serve-seeds.ts'

/** Creates the simulator of this process. This file is the entry of the bundle: see `runner/bundle-simulator.ts`. */
export async function createSimulator(): Promise<Simulator> {
  // Thousands of errors are thrown without being read, and their stacks cost more than the errors.
  Error.stackTraceLimit = 0
  const stage = setStage(pretendCurve(await loadEvmCrypto()))
  return (seed, isTraced) => runHistory(stage, seed, isTraced)
}

// Loaded as a worker, it accepts seeds from its parent.
if (parentPort !== null) await serveSeeds(parentPort, createSimulator)
