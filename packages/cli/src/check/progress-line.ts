import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'

/** A line that is written over and taken away again; nothing where the error screen is no terminal. */
export interface ProgressLine {
  show(text: string): void
  /** Before anything else is written. */
  clear(): void
}

const CLEAR_LINE = '\r\u001b[2K'

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
