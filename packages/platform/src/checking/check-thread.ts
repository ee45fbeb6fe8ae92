import { Worker } from 'node:worker_threads'
import type { CheckOrder, CheckReport } from './check-messages.ts'

/** A thread that does one check at a time. */
export interface CheckThread {
  /** Rejects where the thread ended before it answered: of itself, for lack of memory, or because it was told to. */
  run(order: CheckOrder): Promise<CheckReport>
  end(): Promise<void>
}

const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 } as const

/** Starts a thread; it does not keep the process alive. */
export function startCheckThread(): CheckThread {
  // As built, also where a test has loaded this source; without the environment, which holds secrets.
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
