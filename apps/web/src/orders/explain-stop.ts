import { WalletProblem } from '../wallet/wallet.ts'

/** Why nothing was sent, in sentences. Once something was sent nothing comes here. */
export function explainStop(error: unknown): {
  readonly sentence: string
  readonly tone: 'warn' | 'refused'
} {
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
