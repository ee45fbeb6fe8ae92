import { Worker } from 'node:worker_threads'
import type { CheckOrder, CheckReport } from './check-messages.ts'

/** A worker thread that runs one check at a time. */
export interface CheckThread {
  /** Rejects when the thread ends before it answers: after an error, out of memory, or by `end()`. */
  run(order: CheckOrder): Promise<CheckReport>
  end(): Promise<void>
}

const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 } as const

/** Starts a thread. The thread does not keep the process alive. */
export function startCheckThread(): CheckThread {
  // Uses the built file even when a test loads this source. The environment is not passed on, because it holds secrets.
  const program = new URL(import.meta.resolve('#built/checking/check-program'))
  const worker = new Worker(program, { resourceLimits: LIMITS, env: {}, execArgv: [] })
  worker.unref()
  let settle: { resolve(report: CheckReport): void; reject(error: Error): void } | undefined
  let ended: Error | undefined
  worker.on('message', (report: CheckReport) => settle?.resolve(report))
  const onEnd = (error: Error): void => {
    ended ??= error
    settle?.reject(ended)
  }
  worker.on('error', onEnd)
  worker.on('exit', () => onEnd(new Error('the thread ended')))
  return {
    run: order =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        settle = { resolve, reject }
        worker.postMessage(order)
      }),
    async end() {
      await worker.terminate()
    },
  }
}
