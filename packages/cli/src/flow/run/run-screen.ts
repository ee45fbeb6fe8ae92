import { systemClock } from '@farebox/protocol/time/clock'
import type { Flow } from '@farebox/flows/document/flow'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { FRAME_MS, FRAMES } from '../../terminal/progress.ts'
import { paintFor } from '../../terminal/text.ts'
import type { Screen, World } from '../../world.ts'
import { columnsFor, drawStep, type StepLine, stepLines } from './step-lines.ts'

export interface RunScreen {
  /** Shows the state after a change: completed steps get a permanent line, running steps are shown below. */
  show(run: RunProgress): void
  aside<T>(work: () => Promise<T>): Promise<T>
  /** Removes the moving lines permanently. May be called twice. */
  end(): void
}

/** Further running steps are only counted: a block higher than the terminal could not be cleared again. */
const MOST_MOVING = 8

/** Shows a run on stderr: on a terminal with moving lines, elsewhere with one line for each completed step. */
export function createRunScreen({ err }: World, flow: Flow): RunScreen {
  const columns = columnsFor(flow)
  const moving = createMovingLines(err, columns)
  /** The permanent line of each step, so that it is not written twice. */
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

/** The block of moving lines below the permanent ones; empty when the screen is not a terminal. */
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
  // The process lives as long as the work; this timer must not prolong it.
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

/**
 * Returns whether a step is not shown as moving. A step that waits for others, or for a payment that is signed at once, is
 * not shown.
 */
function isSettled({ state }: StepLine): boolean {
  return state !== 'working' && state !== 'waiting'
}
