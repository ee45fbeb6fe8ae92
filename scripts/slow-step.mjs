// The current activity of a slow step: "platform: migrating the database, 12 s".

/** A step that takes longer reports its activity. */
export const SLOW_AFTER_MS = 10_000
/** Without a terminal, the interval of these reports. */
export const AGAIN_EVERY_MS = 30_000

/** The duration, once it is long enough to be of interest: ", 12 s", else nothing. */
export function elapsedText(elapsedMs) {
  return elapsedMs < SLOW_AFTER_MS ? '' : `${Math.floor(elapsedMs / 1_000)} s`
}

/**
 * Writes a line about a slow step, after ten seconds and then every thirty, for an output without a terminal.
 *
 * @param {() => string} describe the current activity; empty if it is not known
 * @param {(line: string) => void} write
 * @param {{ after(ms: number, call: () => void): () => void, nowMs(): number }} clock
 * @returns a function to call when the step has ended
 */
export function reportSlowStep(name, describe, write, clock) {
  const startedMs = clock.nowMs()
  const report = () => {
    const doing = [describe() || 'still running', elapsedText(clock.nowMs() - startedMs)]
    write(`  · ${name}: ${doing.join(', ')}`)
    cancel = clock.after(AGAIN_EVERY_MS, report)
  }
  let cancel = clock.after(SLOW_AFTER_MS, report)
  return () => cancel()
}

/** The machine's clock. */
export const machineClock = {
  nowMs: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(() => call(), ms)
    return () => clearTimeout(timer)
  },
}
