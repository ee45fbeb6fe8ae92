import type { World } from '../world.ts'
import { paintFor } from './text.ts'

export interface Progress {
  /** Removes the line; later output starts at the beginning of a line. May be called twice. */
  end(): void
}

/** The frames of a spinner, shown for {@link FRAME_MS} each. */
export const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
export const FRAME_MS = 100
const CLEAR_LINE = '\r\u001b[2K'

/**
 * Shows that work is in progress: on a terminal with a moving line that counts the seconds, elsewhere with one line.
 *
 * @param text without control characters
 */
export function showProgress({ err }: World, text: string): Progress {
  if (!err.live) {
    err.write(`  ${text} …\n`)
    return { end: () => undefined }
  }
  const { cyan, dim } = paintFor(err)
  // A line that wraps could not be cleared again.
  const shown = text.slice(0, Math.max(10, err.columns - 16))
  let frames = 0
  const draw = (): void => {
    const seconds = Math.floor((frames * FRAME_MS) / 1_000)
    const elapsed = seconds === 0 ? '' : dim(` ${seconds} s`)
    err.write(`${CLEAR_LINE}  ${cyan(FRAMES[frames % FRAMES.length] ?? '')} ${shown}${elapsed}`)
    frames += 1
  }
  draw()
  const timer = setInterval(draw, FRAME_MS)
  // The process lives as long as the work; this timer must not prolong it.
  timer.unref()
  let ended = false
  return {
    end() {
      if (ended) return
      ended = true
      clearInterval(timer)
      err.write(CLEAR_LINE)
    },
  }
}

/** A line that is overwritten and removed again; does nothing when stderr is not a terminal. */
interface ProgressLine {
  show(text: string): void
  /** Removes the line; called before other output. */
  clear(): void
}

/** @param world its stderr shows the line */
export function createProgressLine({ err }: World): ProgressLine {
  if (!err.live) return { show: () => undefined, clear: () => undefined }
  const { dim } = paintFor(err)
  let isShown = false
  return {
    show(text) {
      // A line that wraps could not be cleared again.
      const line = `  ${text}`.slice(0, Math.max(err.columns - 1, 10))
      err.write(`${CLEAR_LINE}${dim(line)}`)
      isShown = true
    },
    clear() {
      if (isShown) err.write(CLEAR_LINE)
      isShown = false
    },
  }
}
