import type { ExitStatus } from '../supervise/agent-processes.ts'
import type { Trouble } from '../supervise/supervise-agent.ts'

/** What befell the agent's process, in a sentence or with the stack of its error. */
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

/** What an ending usually means; what is called to end a process stands `where` it was called. */
export function describeExit({ code, signal }: ExitStatus, where: string): string {
  // V8 ends a process that has no memory left by an abort.
  if (signal === 'SIGABRT' || code === 134) return 'out of memory?'
  // Sent by the process to itself: deadline-guard.ts.
  if (signal === 'SIGVTALRM') return 'a handler that never awaits ran past its deadline'
  if (signal !== null) return `by ${signal}`
  return `exit code ${code}, process.exit() ${where}?`
}
