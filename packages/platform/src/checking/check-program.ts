import { parentPort } from 'node:worker_threads'
import type { CheckOrder, CheckReport } from './check-messages.ts'
import { createChecks } from './checks.ts'

// One of the threads in which checks run, one at a time: started by check-thread.ts.

const checks = createChecks()

parentPort?.on('message', ({ kind, given }: CheckOrder) => {
  parentPort?.postMessage(report(kind, given))
})

function report(kind: CheckOrder['kind'], given: unknown): CheckReport {
  try {
    // Each kind is sent with what its check takes, which `Checker.run` asks for.
    const check = checks[kind] as (given: unknown) => unknown
    return { ok: true, result: check(given) }
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : 'unknown error' }
  }
}
