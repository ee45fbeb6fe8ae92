import type { BatteryProgress } from '../battery.ts'
import { formatSpan } from './format-scorecard.ts'

/** Draws how far a battery is. */
export interface ProgressLine {
  show(progress: BatteryProgress): void
  /** Prints above the line. */
  print(text: string): void
  /** Takes the line away and stops its clock. */
  clear(): void
}

/** Where nobody watches, a line now and then says that it still goes on. */
const QUIET_MS = 60_000

const BAR = 24

/** One line that is drawn over again on a terminal, and a line a minute elsewhere. */
export function startProgress(name: string, out: NodeJS.WriteStream): ProgressLine {
  const startedMs = performance.now()
  let last: BatteryProgress = { doing: 'starting', done: 0, of: 0 }
  const isLive = out.isTTY && process.env['CI'] === undefined
  const draw = (): void => {
    const line = `  ${name}  ${describe(last)}  ${formatSpan((performance.now() - startedMs) / 1_000)}`
    out.write(isLive ? `\r\u001B[2K${line.slice(0, (out.columns ?? 80) - 1)}` : `${line}\n`)
  }
  const timer = setInterval(draw, isLive ? 250 : QUIET_MS)
  if (isLive) draw()
  return {
    show(progress) {
      last = progress
    },
    print(text) {
      out.write(isLive ? `\r\u001B[2K${text}` : text)
    },
    clear() {
      clearInterval(timer)
      if (isLive) out.write('\r\u001B[2K')
    },
  }
}

function describe({ doing, done, of }: BatteryProgress): string {
  if (of <= 0) return doing
  const share = Math.min(1, done / of)
  const full = Math.round(share * BAR)
  const bar = `${'━'.repeat(full)}${'─'.repeat(BAR - full)}`
  return `${bar}  ${doing}  ${done.toLocaleString('en-US')} of ${of.toLocaleString('en-US')}`
}
