import type { EconomyStep } from '@farebox/local/economy'
import type { Clock } from 'farebox'
import type { Screen } from '../../world.ts'

const SLOW_AFTER_MS = 10_000
/** Where lines stay. */
const AGAIN_AFTER_MS = 30_000
const FRAME_MS = 1_000
const CLEAR_LINE = '\r\u001b[2K'

/** The start of an economy as it is shown, until `end` is called. */
export interface ShownStart {
  /** For the economy: reports which part is doing what. */
  readonly step: EconomyStep
  /** Takes the line away. */
  end(): void
}

/**
 * Shows that an economy is being started: on a terminal at once, and everywhere what it is doing where that takes long,
 * as "facilitator: migrating the database, 12 s".
 */
export function showStart(screen: Pick<Screen, 'live' | 'write' | 'columns'>, clock: Clock): ShownStart {
  let doing = 'starting'
  let partSinceMs = clock.nowMs()
  const describe = (): string => {
    const seconds = Math.floor((clock.nowMs() - partSinceMs) / 1_000)
    // A line that breaks could not be taken away again.
    return `  ${doing}, ${seconds} s`.slice(0, screen.columns - 1)
  }
  const report = (): void => {
    screen.write(screen.live ? `${CLEAR_LINE}${describe()}` : `${describe()}\n`)
    cancel = clock.after(screen.live ? FRAME_MS : AGAIN_AFTER_MS, report)
  }
  if (screen.live) screen.write('  starting a chain, a database and a facilitator on this machine …')
  let cancel = clock.after(SLOW_AFTER_MS, report)
  return {
    async step(name, work) {
      partSinceMs = clock.nowMs()
      doing = `${name}: starting`
      return await work(activity => {
        doing = `${name}: ${activity}`
      })
    },
    end() {
      cancel()
      if (screen.live) screen.write(CLEAR_LINE)
    },
  }
}
