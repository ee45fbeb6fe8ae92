import { setTimeout as delay } from 'node:timers/promises'

const EVERY_MS = 200

/** Asks until it is true, for so long at most; resolves to the milliseconds it took, undefined where it never was. */
export async function untilTrue(timeoutMs: number, ask: () => Promise<boolean>): Promise<number | undefined> {
  const startedMs = performance.now()
  for (;;) {
    if (await ask()) return performance.now() - startedMs
    if (performance.now() - startedMs > timeoutMs) return undefined
    await delay(EVERY_MS)
  }
}
