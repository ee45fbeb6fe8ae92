import type { TypeProblem } from './check-types.ts'
import type { Description } from '../messages/messages.ts'

/** What is told while an agent is developed: to a person, or as one JSON object a line. */
export interface Announcer {
  /** A version that looks another than the one before; with the first one goes what to try next. */
  serving(description: Description, isFirst: boolean): void
  /** A new version of it, after a change. */
  restarted(restart: Restart): void
  /** A change that cannot be served, and whether anything else is. */
  refused(reason: string, stillServing: boolean): void
  /** Something happened to the agent's process; and what is done about it. */
  trouble(reason: string, next: string): void
  /** The type errors there are now; none where those that were told are fixed. */
  types(problems: readonly TypeProblem[]): void
  /** A line of the agent itself. */
  line(line: string, from: 'out' | 'err'): void
  /** What a job did to the money, in lines made for a person. */
  trace(lines: readonly string[]): void
  /** Anything else worth a line. */
  note(text: string): void
}

/** What changed and how long it took. */
export interface Restart {
  /** Relative to where the command was called; empty where nothing changed but the process. */
  readonly files: readonly string[]
  readonly tookMs: number
  /** Whether the version before this one could not be served. */
  readonly isRecovered: boolean
}
