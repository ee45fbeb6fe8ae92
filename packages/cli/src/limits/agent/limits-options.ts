import type { RawKeyOptions } from '../../register/platform/register-options.ts'

/** Options of every `farebox limits` command, as commander read them; they are not validated yet. */
export interface RawLimitsOptions extends RawKeyOptions {
  readonly network?: string
  readonly platform?: string
  readonly json?: true
  readonly yes?: true
}

export interface RawAgentLimitsOptions extends RawLimitsOptions {
  readonly spender?: string
  readonly agentId?: string
}

/** Options of `allow`. */
export interface RawAllowOptions extends RawAgentLimitsOptions {
  readonly limit?: string
  readonly cap?: string
  readonly until?: string
  readonly to?: readonly string[]
}

/** What to do after a Ctrl-C. */
export const AGAIN = 'run the same command again: it reads the chain first, and sends what is missing'
