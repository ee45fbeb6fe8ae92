// What a step that takes long is doing: "platform: migrating the database, 12 s".

/** A step that takes longer says what it is doing. */
export const SLOW_AFTER_MS = 10_000
/** Where lines stay, it says so this often. */
export const AGAIN_EVERY_MS = 30_000

/** How long, once it is long enough to be of interest: ", 12 s", else nothing. */
export function elapsedText(elapsedMs) {
  return elapsedMs < SLOW_AFTER_MS ? '' : `${Math.floor(elapsedMs / 1_000)} s`
}

/**
 * Writes a line about a step that takes long, after ten seconds and then every thirty, for an output on which lines stay.
 *
 * @param {() => string} describe what it is doing now; empty where that is not known
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

/** The machine's. */
export const machineClock = {
  nowMs: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(() => call(), ms)
    return () => clearTimeout(timer)
  },
}
