import type { BatteryProgress } from '../battery.ts'
import { formatSpan } from './format-scorecard.ts'

/** Says a line a minute how far a battery is, until it is stopped. */
export function startProgress(name: string) {
  const startedMs = performance.now()
  let last: BatteryProgress = { doing: 'starting', done: 0, of: 0 }
  const timer = setInterval(() => {
    const { doing, done, of } = last
    const counted = of > 0 ? ` ${done.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}` : ''
    const span = formatSpan((performance.now() - startedMs) / 1_000)
    process.stdout.write(`  ${name}  ${doing}${counted}  ${span}\n`)
  }, 60_000)
  return {
    show: (progress: BatteryProgress): void => void (last = progress),
    stop: (): void => clearInterval(timer),
  }
}
