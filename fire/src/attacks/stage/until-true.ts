import { setTimeout as delay } from 'node:timers/promises'

const EVERY_MS = 200

/** Ends what hangs. */
export const HANG_MS = 600_000

/** Asks until it is true; resolves to the milliseconds it took, undefined where it is not after ten minutes. */
export async function untilTrue(ask: () => Promise<boolean>): Promise<number | undefined> {
  const startedMs = performance.now()
  for (;;) {
    if (await ask()) return performance.now() - startedMs
    if (performance.now() - startedMs > HANG_MS) return undefined
    await delay(EVERY_MS)
  }
}
