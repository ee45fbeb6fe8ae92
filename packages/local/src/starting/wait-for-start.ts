import { setTimeout as delay } from 'node:timers/promises'

/**
 * How long a starting part may take while its process lives; the only limit on a start. A slow or busy machine needs
 * minutes; a part that takes longer than this hangs.
 */
export const START_LIMIT_MS = 300_000

/** Calls `callback` once after a delay, unless the returned function is called first. */
export type Timer = (delayMs: number, callback: () => void) => () => void

/** How a start is waited for. */
export interface StartWaitOptions {
  /** Cancels the start; the wait then rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Default: the timers of this process. */
  readonly timer?: Timer | undefined
}

/** Thrown when a part was not ready within {@link START_LIMIT_MS}. */
export class StartLimitError extends Error {
  override readonly name = 'StartLimitError'

  constructor() {
    super(`it was not ready after ${START_LIMIT_MS / 60_000} minutes`)
  }
}

/**
 * Waits until something has started.
 *
 * @param ready - resolves when it has started, and rejects when it no longer can, for example because its process ended.
 * Its signal aborts when the wait is over
 * @throws StartLimitError after {@link START_LIMIT_MS}; the reason of `signal`; the rejection of `ready`
 */
export async function waitForStart<Ready>(
  ready: (over: AbortSignal) => Promise<Ready>,
  { signal, timer = machineTimer }: StartWaitOptions = {},
): Promise<Ready> {
  signal?.throwIfAborted()
  const over = new AbortController()
  const cancel = timer(START_LIMIT_MS, () => over.abort(new StartLimitError()))
  const giveUp = (): void => over.abort(signal?.reason)
  signal?.addEventListener('abort', giveUp, { once: true })
  const givenUp = new Promise<never>((_, reject) => {
    over.signal.addEventListener('abort', () => reject(toError(over.signal.reason)), { once: true })
  })
  try {
    return await Promise.race([ready(over.signal), givenUp])
  } finally {
    cancel()
    signal?.removeEventListener('abort', giveUp)
    // Ends polling that is still in progress. The resulting rejection is ignored.
    givenUp.catch(() => undefined)
    over.abort(new Error('the wait is over'))
  }
}

/**
 * Polls until there is an answer: {@link waitForStart} for a part that sends no notification.
 *
 * @param ask - resolves to `undefined` while there is no answer; throws when none can come any more
 */
export async function askUntilStarted<Answer>(
  ask: () => Promise<Answer | undefined>,
  options: StartWaitOptions & { readonly everyMs: number },
): Promise<Answer> {
  return await waitForStart(async over => {
    for (;;) {
      const answer = await ask()
      if (answer !== undefined) return answer
      await delay(options.everyMs, undefined, { signal: over })
    }
  }, options)
}

const machineTimer: Timer = (delayMs, callback) => {
  const timeout = setTimeout(callback, delayMs)
  return () => clearTimeout(timeout)
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
