import { isLoopback } from '@farebox/client/internal/agent/agent-url'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { AgentMode, Terms } from '@farebox/conformance/agent'

/** The facts about the checked agent with which the report begins. */
export interface AgentUnderCheck {
  readonly url: string
  readonly mode: AgentMode
  /** `undefined` when `/about` is not a declaration. */
  readonly declaration: Declaration | undefined
  /** `undefined` when the terms cannot be paid. */
  readonly terms: Terms | undefined
  /** By how much this machine's clock is ahead of the agent's; negative when it is behind, 0 when the two may agree. */
  readonly clockAheadSeconds: number
}

export function warningsOf({ url, mode, clockAheadSeconds }: AgentUnderCheck): readonly Warning[] {
  const { protocol, hostname } = new URL(url)
  const warnings: Warning[] = clockAheadSeconds === 0 ? [] : [clockWarning(clockAheadSeconds)]
  if (isLoopback(hostname)) return warnings
  if (mode === 'dev')
    warnings.push({
      warning: 'this agent is in dev mode at a public address: it works for everybody, for nothing',
      next: 'set SERVICE_DEV_MODE=false and restart it',
    })
  if (mode === 'locked')
    warnings.push({
      warning: 'every payment is answered 401: FACILITATOR_SECRET is missing, or refused',
      next: 'set FACILITATOR_SECRET to the one that stands for its wallet, and restart it',
    })
  if (protocol === 'http:')
    warnings.push({
      warning: 'callers and the platform take https alone',
      next: 'put a certificate in front of it',
    })
  return warnings
}

/** Warns about a difference between two clocks; it cannot say which of them is wrong. */
function clockWarning(aheadSeconds: number): Warning {
  const side = aheadSeconds > 0 ? 'behind' : 'ahead of'
  return {
    warning: `the agent's clock is ${Math.round(Math.abs(aheadSeconds))} s ${side} this machine's, by the Date of its answers`,
    next: 'payments and deadlines are judged by clocks: compare both with a time server, and set the one that is off',
  }
}

export interface Warning {
  readonly warning: string
  readonly next: string
}
