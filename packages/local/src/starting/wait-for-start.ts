import { setTimeout as delay } from 'node:timers/promises'

/**
 * How long a part that starts is waited for while its process lives: the one limit on a start. A slow or busy machine
 * needs minutes; longer than this, the part hangs.
 */
export const START_LIMIT_MS = 300_000

/** Calls back once after a delay, unless the returned function is called before. */
export type Timer = (delayMs: number, callback: () => void) => () => void

/** How a start is waited for. */
export interface StartWaitOptions {
  /** Gives up the start; the wait rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Default: the machine's. */
  readonly timer?: Timer | undefined
}

/** It was not ready within {@link START_LIMIT_MS}. */
export class StartLimitError extends Error {
  override readonly name = 'StartLimitError'

  constructor() {
    super(`it was not ready after ${START_LIMIT_MS / 60_000} minutes`)
  }
}

/**
 * Waits until something has started.
 *
 * @param ready - resolves once it has, rejects where it cannot any more, because its process ended for example. Its
 * signal aborts when the wait is over
 * @throws StartLimitError after {@link START_LIMIT_MS}; the reason of `signal`; what `ready` rejects with
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
    // Ends what still asks. Nobody waits for the rejection.
    givenUp.catch(() => undefined)
    over.abort(new Error('the wait is over'))
  }
}

/**
 * Asks at intervals until there is an answer: {@link waitForStart} for what sends no notification.
 *
 * @param ask - undefined: not yet; throws where no answer can come any more
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
