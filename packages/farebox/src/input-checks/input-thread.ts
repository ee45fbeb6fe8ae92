import type { Worker } from 'node:worker_threads'
import { InternalError } from '@farebox/protocol/errors/service-errors'
import type { InputResult } from '@farebox/protocol/fields/compile'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import type { CheckedInput, InputOrder } from './input-messages.ts'
import { startThread } from '../start-thread.ts'

/** A thread that checks inputs sequentially. */
export interface InputThread {
  /** @throws {InternalError} when the thread ended before it answered; the next check starts a new thread */
  check(capability: string, input: JsonObject): Promise<InputResult>
  close(): Promise<void>
}

/** Enough for an input of 1 MiB, its checked copy, and the compiled patterns of a whole declaration. */
const LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 } as const

interface Running {
  readonly worker: Worker
  readonly waiting: Map<number, { resolve(result: InputResult): void; reject(error: Error): void }>
}

/** Makes a thread for these schemas. It starts with the first check, and does not keep the process alive. */
export function createInputThread(schemas: { readonly [capability: string]: FieldMap }): InputThread {
  let running: Running | undefined
  let lastId = 0

  const start = (): Running => {
    const worker = startThread(import.meta.resolve('#built/input-checks/input-program'), {
      resourceLimits: LIMITS,
      workerData: schemas,
    })
    const started: Running = { worker, waiting: new Map() }
    const end = (cause: unknown): void => {
      if (running === started) running = undefined
      for (const { reject } of started.waiting.values())
        reject(new InternalError('the input could not be checked, nothing was charged', { cause }))
      started.waiting.clear()
    }
    worker.on('message', ({ id, result }: CheckedInput) => {
      started.waiting.get(id)?.resolve(result)
      started.waiting.delete(id)
    })
    worker.on('error', end)
    worker.on('exit', code => end(`the thread ended with ${code}`))
    return started
  }

  return {
    check: (capability, input) =>
      new Promise((resolve, reject) => {
        running ??= start()
        const order: InputOrder = { id: (lastId += 1), capability, input }
        running.waiting.set(order.id, { resolve, reject })
        running.worker.postMessage(order)
      }),
    async close() {
      await running?.worker.terminate()
    },
  }
}
