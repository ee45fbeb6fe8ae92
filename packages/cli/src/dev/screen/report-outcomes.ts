import type { Announcer } from './announce.ts'
import type { LoadOutcome, Trouble } from '../supervise/supervise-agent.ts'
import type { Description } from '../messages/messages.ts'
import type { ExitStatus } from '../supervise/agent-processes.ts'

/** Reports the results of loads, and does not repeat an unchanged report. */
export interface OutcomeReporter {
  outcome(outcome: LoadOutcome, change: LoadCause): void
  trouble(trouble: Trouble, next: string): void
}

/** Why the agent was loaded, and when the cause occurred. */
export interface LoadCause {
  /** Paths relative to the folder in which the command was called; empty when only the process was replaced. */
  readonly files: readonly string[]
  readonly tookMs: number
}

export function reportOutcomes(announcer: Announcer): OutcomeReporter {
  let shown: string | undefined
  let isFirst = true
  let isServing = false
  let isGood = true

  function tellServing(description: Description, change: LoadCause): void {
    if (!isFirst) announcer.restarted({ ...change, isRecovered: !isGood })
    const { name, lines, samples } = description
    const seen = [name, ...lines, ...samples].join('\n')
    if (seen !== shown) announcer.serving(description, shown === undefined)
    shown = seen
    isServing = true
  }

  return {
    outcome(outcome, change) {
      if (outcome.kind === 'serving') tellServing(outcome.description, change)
      else {
        const reason = reasonOf(outcome)
        if (reason !== undefined) announcer.refused(reason, isServing)
      }
      isGood = outcome.kind === 'serving'
      isFirst = false
    },
    trouble(trouble, next) {
      if (trouble.kind === 'ended') isServing = false
      isGood = false
      announcer.trouble(describeTrouble(trouble), next)
    },
  }
}

/** Returns `undefined` when the load was cancelled in favour of a newer one, which will be reported. */
function reasonOf(outcome: Exclude<LoadOutcome, { kind: 'serving' }>): string | undefined {
  if (outcome.kind === 'failed') return outcome.text
  if (outcome.exit === undefined) return undefined
  return `the process ended while the handlers were loaded: ${describeExit(outcome.exit, 'at their top level')}`
}

export function describeTrouble(trouble: Trouble): string {
  switch (trouble.kind) {
    case 'broken':
      return trouble.text
    case 'blocked':
      return `the agent has not answered for ${trouble.silentMs / 1_000} s: a handler that never awaits blocks it`
    case 'ended':
      return `the agent's process ended unexpectedly: ${describeExit(trouble.exit, 'in a handler')}`
  }
}

/** Describes the usual meaning of an exit; `where` is the place at which a call ended the process. */
function describeExit({ code, signal }: ExitStatus, where: string): string {
  // V8 ends a process that is out of memory with an abort.
  if (signal === 'SIGABRT' || code === 134) return 'out of memory?'
  // The process sends this signal to itself: see deadline-guard.ts.
  if (signal === 'SIGVTALRM') return 'a handler that never awaits ran past its deadline'
  if (signal !== null) return `by ${signal}`
  return `exit code ${code}, process.exit() ${where}?`
}
