/** Limits concurrent work for each key; further callers wait in order of arrival. */
export interface Slots {
  /**
   * Waits for a slot under `key` and resolves to the function that releases it, which has an effect once. Rejects with
   * the signal's reason.
   */
  take(key: string, signal: AbortSignal): Promise<() => void>
}

interface Queue {
  busy: number
  readonly waiting: Set<() => void>
}

/** Creates slots, `limit` for each key (SSRF-07). A key is deleted once no slot of it is used or waited for. */
export function createSlots(limit: number): Slots {
  const queues = new Map<string, Queue>()

  const giveBack = (key: string, queue: Queue): void => {
    const [next] = queue.waiting
    if (next !== undefined) {
      queue.waiting.delete(next)
      next()
      return
    }
    queue.busy--
    if (queue.busy === 0) queues.delete(key)
  }

  return {
    async take(key, signal) {
      signal.throwIfAborted()
      const queue = queues.get(key) ?? { busy: 0, waiting: new Set<() => void>() }
      queues.set(key, queue)
      if (queue.busy < limit) queue.busy++
      else await waitForTurn(queue, signal)
      let given = false
      return () => {
        if (given) return
        given = true
        giveBack(key, queue)
      }
    },
  }
}

function waitForTurn(queue: Queue, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      queue.waiting.delete(turn)
      reject(signal.reason as Error)
    }
    const turn = (): void => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    queue.waiting.add(turn)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
