import { milliseconds } from '../report/figures.ts'
import type { Part } from '../report/bench.ts'

/** Characters from the beginning of a job to its end. */
const WIDTH = 56

/** A line for each part that takes time: its name, its time, and a bar that begins where the one before ends. */
export function drawTimeLine(parts: readonly Part[]): readonly string[] {
  const drawn = parts.filter(({ ms }) => ms > 0)
  const wholeMs = drawn.reduce((sum, { ms }) => sum + ms, 0)
  const nameWidth = Math.max(...drawn.map(({ name }) => name.length))
  const figureWidth = Math.max(...drawn.map(({ ms }) => milliseconds(ms).length))
  let passedMs = 0
  return drawn.map(({ name, ms }) => {
    const from = Math.round((passedMs / wholeMs) * WIDTH)
    passedMs += ms
    const to = Math.round((passedMs / wholeMs) * WIDTH)
    const bar = to > from ? '█'.repeat(to - from) : '▏'
    return `${name.padEnd(nameWidth)}  ${milliseconds(ms).padStart(figureWidth)}  ${' '.repeat(from)}${bar}`
  })
}
