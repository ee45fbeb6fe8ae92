import { WalletProblem } from '../wallet/wallet.ts'

/** Why nothing was sent. */
export interface StopReason {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
  /** The wallet has too little, or another wallet has to pay. */
  readonly isShort?: boolean
}

/** Why nothing was sent, in sentences. Failures after something was sent are explained elsewhere. */
export function explainStop(error: unknown): StopReason {
  const message = error instanceof Error ? error.message : 'The action could not be completed.'
  return {
    sentence: `${asSentence(message)} Nothing was sent and nothing was charged.`,
    tone: error instanceof WalletProblem ? 'warn' : 'refused',
  }
}

/** The API's messages begin with the name of a field or in lower case, and have no full stop. */
function asSentence(message: string): string {
  const isField = /^[\w.[\]]+: /.test(message)
  const begun = isField ? message : message.slice(0, 1).toUpperCase() + message.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
