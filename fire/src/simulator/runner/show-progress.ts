import type { HistoryCounts } from '../history/count-history.ts'
import type { SeedProgress } from './simulate-seeds.ts'

/** One line that is written over again. */
export function showProgress({ done, broken }: SeedProgress, of: number, startedMs: number): void {
  const perSecond = (done / (performance.now() - startedMs)) * 1_000
  const line = `${grouped(done)} of ${grouped(of)} histories, ${perSecond.toFixed(0)}/s, ${broken} broken`
  process.stderr.write(process.stderr.isTTY ? `\r${line}\u001B[K` : done % 5_000 === 0 ? `${line}\n` : '')
}

/** What happened in all of them together, a line for each. */
export function formatCounts(counts: HistoryCounts, tookMs: number): string {
  const width = Math.max(...Object.keys(counts).map(what => what.length))
  const lines = Object.entries(counts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([what, number]) => `  ${what.padEnd(width)}  ${grouped(number).padStart(14)}`)
  const perSecond = ((counts['histories'] ?? 0) / tookMs) * 1_000
  return `${lines.join('\n')}\n  ${perSecond.toFixed(0)} histories a second\n`
}

function grouped(number: number): string {
  return number.toLocaleString('en-US')
}
