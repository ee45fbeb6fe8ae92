import { readableLine } from './log-line.ts'
import { shownPath } from './shown-path.ts'

/** A part that did not start, as far as it is known. */
export interface FailedStart {
  /** As people call it: "the platform". */
  readonly part: string
  /** "it ended with exit code 1" */
  readonly reason: string
  /** What it printed last, oldest line first. */
  readonly lines: readonly string[]
  /** Where all of it is. */
  readonly logFile?: string | undefined
  /** One thing to try, in the imperative. */
  readonly advice?: string | undefined
}

/** So many of the last lines are shown; the others are in the log. */
const SHOWN_LINES = 12
const SHOWN_CHARACTERS = 400

/** A part did not start. The message names it, and says why, what it printed last, where its log is, and what to try. */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError'
  /** Everything of what it printed that was kept. */
  readonly lastLines: string

  constructor(failed: FailedStart, options?: ErrorOptions) {
    super(describe(failed), options)
    this.lastLines = failed.lines.join('\n')
  }
}

function describe({ part, reason, lines, logFile, advice }: FailedStart): string {
  const printed = lines.filter(line => line.trim() !== '')
  const shown = printed.slice(-SHOWN_LINES).map(line => `    ${shorten(readableLine(line))}`)
  return [
    `${part} did not start: ${reason}`,
    ...(shown.length === 0 ? ['  it printed nothing'] : ['  its last lines:', ...shown]),
    ...(logFile === undefined ? [] : [`  its whole log: ${shownPath(logFile)}`]),
    ...(advice === undefined ? [] : [`  try: ${advice}`]),
  ].join('\n')
}

function shorten(line: string): string {
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line
}
