import type { Score } from '../../battery.ts'
import type { Memory } from './read-memory.ts'

/** For a byte of body that was received, and for a connection whatever it sent. */
const TIMES = 3
const BYTES_A_CONNECTION = 262_144

/** Whether a process holds no more for bodies than it may: 3 × what came of them + 256 KiB for each connection. */
export function checkMemory(seen: {
  readonly test: string
  readonly before: Memory
  readonly after: Memory
  readonly connections: number
  /** Of bodies, received at most. */
  readonly bytes: number
}): Score {
  const { test, before, after, connections, bytes } = seen
  const held = after.retained - before.retained
  const most = mostHeld({ connections, bytes })
  return {
    test,
    reached: `${kib(held)} KiB held for ${kib(bytes)} KiB of body (${(held / Math.max(1, bytes)).toFixed(1)} × its bytes)`,
    target: `at most 3 × its bytes + 256 KiB a connection: ${kib(most)} KiB`,
    isMet: held <= most,
  }
}

/** What a process may hold for these bodies and connections, in bytes. */
export function mostHeld(sent: { readonly connections: number; readonly bytes: number }): number {
  return TIMES * sent.bytes + sent.connections * BYTES_A_CONNECTION
}

function kib(bytes: number): number {
  return Math.round(bytes / 1_024)
}
