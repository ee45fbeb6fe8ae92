import type { BatteryProgress } from '../battery.ts'
import { formatSpan } from './format-scorecard.ts'

/** Shows how far a battery is. */
export interface ProgressLine {
  show(progress: BatteryProgress): void
  /** Takes the line away and stops its clock. */
  clear(): void
}

/** Where nobody watches, a line now and then says that it still goes on. */
const QUIET_MS = 60_000

/** One line that is drawn over again on a terminal, and a line a minute elsewhere. */
export function startProgress(name: string, out: NodeJS.WriteStream): ProgressLine {
  const startedMs = performance.now()
  let last: BatteryProgress = { doing: 'starting', done: 0, of: 0 }
  const isLive = out.isTTY && process.env['CI'] === undefined
  const timer = setInterval(
    () => {
      const { doing, done, of } = last
      const counted = of > 0 ? ` ${done.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}` : ''
      const line = `  ${name}  ${doing}${counted}  ${formatSpan((performance.now() - startedMs) / 1_000)}`
      out.write(isLive ? `\r\u001B[2K${line.slice(0, (out.columns ?? 80) - 1)}` : `${line}\n`)
    },
    isLive ? 250 : QUIET_MS,
  )
  return {
    show(progress) {
      last = progress
    },
    clear() {
      clearInterval(timer)
      if (isLive) out.write('\r\u001B[2K')
    },
  }
}
