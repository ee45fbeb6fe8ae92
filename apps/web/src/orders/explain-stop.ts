import { WalletProblem } from '../wallet/wallet.ts'

/** Why nothing was sent. */
export interface StopReason {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
  /** Whether the balance of the wallet is too low, or another wallet has to pay. */
  readonly isShort?: boolean
}

/** Explains in sentences why nothing was sent. Failures after something was sent are explained elsewhere. */
export function explainStop(error: unknown): StopReason {
  const message = error instanceof Error ? error.message : 'The action could not be completed.'
  return {
    sentence: `${asSentence(message)} Nothing was sent and nothing was charged.`,
    tone: error instanceof WalletProblem ? 'warn' : 'refused',
  }
}

/** Adds a capital letter and a full stop: the API's messages begin with the name of a field or in lower case. */
function asSentence(message: string): string {
  const isField = /^[\w.[\]]+: /.test(message)
  const begun = isField ? message : message.slice(0, 1).toUpperCase() + message.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
