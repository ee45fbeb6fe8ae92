import { systemClock } from '@farebox/protocol/time/clock'
import type { Flow } from '@farebox/flows/document/flow'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { FRAME_MS, FRAMES } from '../../terminal/progress.ts'
import { paintFor } from '../../terminal/text.ts'
import type { Screen, World } from '../../world.ts'
import { columnsFor, drawStep, type StepLine, stepLines } from './step-lines.ts'

export interface RunScreen {
  /** After each change: steps that have ended get a line for good, those at work are shown below. */
  show(run: RunProgress): void
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Takes the moving lines away for good. May be called twice. */
  end(): void
}

/** More steps at work are counted: a block that is higher than the terminal could not be taken away again. */
const MOST_MOVING = 8

/** Shows a run on the error screen: on a terminal with lines that move, elsewhere a line for each step that ends. */
export function createRunScreen({ err }: World, flow: Flow): RunScreen {
  const columns = columnsFor(flow)
  const moving = createMovingLines(err, columns)
  /** What was written for good, so that it is not written again: by step, its line. */
  const written = new Map<string, string>()
  return {
    show(run) {
      const lines = stepLines(flow, run)
      moving.clear()
      for (const line of lines.filter(isSettled)) {
        const text = drawStep(err, columns, line)
        if (written.get(line.step) !== text) err.write(`${text}\n`)
        written.set(line.step, text)
      }
      moving.show(lines.filter(({ state }) => state === 'working'))
    },
    async aside(work) {
      moving.hide(true)
      try {
        return await work()
      } finally {
        moving.hide(false)
      }
    },
    end: () => moving.end(),
  }
}

/** The block of lines below everything that is written for good; nothing where the screen is no terminal. */
interface MovingLines {
  show(working: readonly StepLine[]): void
  clear(): void
  hide(isHidden: boolean): void
  end(): void
}

function createMovingLines(err: Screen, columns: ReturnType<typeof columnsFor>): MovingLines {
  const { cyan, dim } = paintFor(err)
  const begun = new Map<string, number>()
  let working: readonly StepLine[] = []
  let [drawn, frames] = [0, 0]
  let isHidden = false
  const clear = (): void => {
    if (drawn > 0) err.write(`\r${'\u001b[1A\u001b[2K'.repeat(drawn)}`)
    drawn = 0
  }
  const draw = (): void => {
    if (!err.live || isHidden) return
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
    show(now) {
      working = now
      for (const { step } of now) if (!begun.has(step)) begun.set(step, systemClock.nowMs())
      draw()
    },
    clear,
    hide(hidden) {
      isHidden = hidden
      if (hidden) clear()
      else draw()
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
