import { ApiFailure } from '../site/ask.ts'
import { WalletProblem } from '../wallet/wallet.ts'

/** Why a stake was not sent: the title says what is wrong, the message what to do. */
export class StakeProblem extends Error {
  readonly title: string
  /** An action besides trying again: `other-account` lets the reader choose another account of the wallet. */
  readonly way: 'again' | 'other-account'

  constructor(title: string, message: string, way: StakeProblem['way'] = 'again') {
    super(message)
    this.name = 'StakeProblem'
    this.title = title
    this.way = way
  }
}

/** The contract refused the transaction. */
export const REVERTED = new StakeProblem(
  'The contract rejected the stake.',
  'The stake was not transferred to the registry. Only gas was spent.',
)

/** Converts an error to a problem. The error was thrown before a wallet was asked to send, or says that nothing was sent. */
export function explainStake(error: unknown): StakeProblem {
  if (error instanceof StakeProblem) return error
  if (error instanceof WalletProblem) return new StakeProblem(error.message, 'Nothing was sent.')
  if (error instanceof ApiFailure)
    return new StakeProblem(error.message, 'Nothing was sent. Try again in a moment.')
  return new StakeProblem('The stake could not be requested.', 'Nothing was sent.')
}
