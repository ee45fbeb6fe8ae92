import type { World } from '../world.ts'
import { paintFor } from './text.ts'

export interface Progress {
  /** Takes the line away; what comes after it starts at the beginning of a line. May be called twice. */
  end(): void
}

/** A sign that turns, a frame each {@link FRAME_MS}. */
export const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
export const FRAME_MS = 100
const CLEAR_LINE = '\r\u001b[2K'

/**
 * Says that something is under way: on a terminal by a line that moves and counts the seconds, elsewhere once.
 *
 * @param text without control characters
 */
export function showProgress({ err }: World, text: string): Progress {
  if (!err.live) {
    err.write(`  ${text} …\n`)
    return { end: () => undefined }
  }
  const { cyan, dim } = paintFor(err)
  // A line that breaks could not be taken away again.
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
  // The work decides how long the process lives.
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

/** A line that is written over and taken away again; nothing where the error screen is no terminal. */
interface ProgressLine {
  show(text: string): void
  /** Before anything else is written. */
  clear(): void
}

/** @param world whose error screen it is on */
export function createProgressLine({ err }: World): ProgressLine {
  if (!err.live) return { show: () => undefined, clear: () => undefined }
  const { dim } = paintFor(err)
  let isShown = false
  return {
    show(text) {
      // A line that breaks could not be taken away again.
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
