import type { Flow } from '@farebox/flows/document/flow'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { systemClock } from '@farebox/protocol/time/clock'
import { paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { columnsFor, drawStep, type StepLine, stepLines } from './step-lines.ts'

export interface RunScreen {
  /** After each change: steps that have ended get a line for good, those at work are shown below. */
  show(run: RunProgress): void
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Takes the moving lines away for good. May be called twice. */
  end(): void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 100
/** More steps at work are counted: a block that is higher than the terminal could not be taken away again. */
const MOST_MOVING = 8

/** Shows a run on the error screen: on a terminal with lines that move, elsewhere a line for each step that ends. */
export function createRunScreen({ err }: World, flow: Flow): RunScreen {
  const columns = columnsFor(flow)
  const { cyan, dim } = paintFor(err)
  /** What was written for good, so that it is not written again: by step, its line. */
  const written = new Map<string, string>()
  const begun = new Map<string, number>()
  let working: readonly StepLine[] = []
  let [drawn, frames] = [0, 0]
  let isAside = false

  const clear = (): void => {
    if (drawn > 0) err.write(`\r${'\u001b[1A\u001b[2K'.repeat(drawn)}`)
    drawn = 0
  }
  const draw = (): void => {
    if (!err.live || isAside) return
    clear()
    const sign = cyan(FRAMES[frames % FRAMES.length] ?? '')
    const now = systemClock.nowMs()
    const lines = working
      .slice(0, MOST_MOVING)
      .map(line => drawStep(err, columns, line, { sign, tookMs: now - (begun.get(line.step) ?? now) }))
    if (working.length > MOST_MOVING) lines.push(dim(`    and ${working.length - MOST_MOVING} more at work`))
    if (lines.length > 0) err.write(`${lines.join('\n')}\n`)
    drawn = lines.length
  }
  const tick = (): void => {
    frames += 1
    draw()
  }
  const timer = err.live ? setInterval(tick, FRAME_MS) : undefined
  // The work decides how long the process lives.
  timer?.unref()

  return {
    show(run) {
      const lines = stepLines(flow, run)
      working = lines.filter(({ state }) => state === 'working')
      for (const { step } of working) if (!begun.has(step)) begun.set(step, systemClock.nowMs())
      clear()
      for (const line of lines.filter(isSettled)) {
        const text = drawStep(err, columns, line)
        if (written.get(line.step) !== text) err.write(`${text}\n`)
        written.set(line.step, text)
      }
      draw()
    },
    async aside(work) {
      clear()
      isAside = true
      try {
        return await work()
      } finally {
        isAside = false
        draw()
      }
    },
    end() {
      if (timer !== undefined) clearInterval(timer)
      clear()
      working = []
    },
  }
}

/** There is nothing to be seen moving. What waits for others, or for a payment that is signed at once, says nothing. */
function isSettled({ state }: StepLine): boolean {
  return state !== 'working' && state !== 'waiting'
}
