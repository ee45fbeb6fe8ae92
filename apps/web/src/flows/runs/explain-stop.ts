import { WalletProblem } from '../../wallet/wallet.ts'

/** Why nothing was sent, in sentences. */
export function explainStop(error: unknown): {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
} {
  const message = error instanceof Error ? error.message : 'The action could not be completed.'
  const begun = message.slice(0, 1).toUpperCase() + message.slice(1)
  const sentence = /[.!?…]$/.test(begun) ? begun : `${begun}.`
  return {
    sentence: `${sentence} Nothing was sent and nothing was charged.`,
    tone: error instanceof WalletProblem ? 'warn' : 'refused',
  }
}
