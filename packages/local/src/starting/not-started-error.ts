import type { ChildExit } from './child-exit.ts'
import { readableLine } from './log-line.ts'
import { shownPath } from './shown-path.ts'

/** The known details of a part that did not start. */
export interface FailedStart {
  /** The name for people: "the platform". */
  readonly part: string
  /** "it ended with exit code 1" */
  readonly reason: string
  /** Its last lines, oldest first. */
  readonly lines: readonly string[]
  /** The file with all its lines. */
  readonly logFile?: string | undefined
  /** One thing to try, in the imperative. */
  readonly advice?: string | undefined
}

/** How many of the last lines are shown; the others are in the log. */
const SHOWN_LINES = 12
const SHOWN_CHARACTERS = 400

/**
 * Thrown when a part did not start. The message names the part, the reason, its last output, its log file, and what to try.
 */
export class NotStartedError extends Error {
  override readonly name = 'NotStartedError'
  /** All kept lines of its output. */
  readonly lastLines: string

  constructor(failed: FailedStart, options?: ErrorOptions) {
    super(describe(failed), options)
    this.lastLines = failed.lines.join('\n')
  }
}

/** Describes a part that ended by itself after it had started, in the same form as {@link NotStartedError}. */
export function describeEnded(part: string, exit: ChildExit): string {
  const lines = exit.lastLines === '' ? [] : exit.lastLines.split('\n')
  return withLines(`${part} ended unexpectedly: ${describeEnd(exit)}`, { lines, logFile: exit.logFile })
}

/** Describes an exit: "it was ended by SIGKILL". */
export function describeEnd({ code, signal }: Pick<ChildExit, 'code' | 'signal'>): string {
  if (signal === null) return `it ended with exit code ${code}`
  // On an idle machine, only the system's out-of-memory killer sends this signal.
  const memory = signal === 'SIGKILL' ? '; the machine may be out of memory' : ''
  return `it was ended by ${signal}${memory}`
}

function describe({ part, reason, ...failed }: FailedStart): string {
  return withLines(`${part} did not start: ${reason}`, failed)
}

function withLines(
  headline: string,
  { lines, logFile, advice }: Pick<FailedStart, 'lines' | 'logFile' | 'advice'>,
): string {
  const printed = lines.filter(line => line.trim() !== '')
  const shown = printed.slice(-SHOWN_LINES).map(line => `    ${shorten(readableLine(line))}`)
  return [
    headline,
    ...(shown.length === 0 ? ['  it printed nothing'] : ['  its last lines:', ...shown]),
    ...(logFile === undefined ? [] : [`  its whole log: ${shownPath(logFile)}`]),
    ...(advice === undefined ? [] : [`  try: ${advice}`]),
  ].join('\n')
}

function shorten(line: string): string {
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS - 1)}…` : line
}
