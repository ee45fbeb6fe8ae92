import { parentPort } from 'node:worker_threads'
import type { CheckOrder, CheckReport } from './check-messages.ts'
import { createChecks } from './checks.ts'

// The entry point of a worker thread, started by check-thread.ts. It runs checks one at a time.

const checks = createChecks()

parentPort?.on('message', ({ kind, given }: CheckOrder) => {
  parentPort?.postMessage(report(kind, given))
})

function report(kind: CheckOrder['kind'], given: unknown): CheckReport {
  try {
    // Safe: `Checker.run` requires the argument that fits the kind.
    const check = checks[kind] as (given: unknown) => unknown
    return { ok: true, result: check(given) }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : 'unknown error' }
  }
}
