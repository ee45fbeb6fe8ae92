import { ApiFailure } from '../site/ask.ts'
import { WalletProblem } from '../wallet/wallet.ts'

/** What kept a stake from being sent: what is the matter, then the way on. */
export class StakeProblem extends Error {
  readonly title: string
  /** What can be done on this page besides trying again. */
  readonly way: 'again' | 'other-account'

  constructor(title: string, message: string, way: StakeProblem['way'] = 'again') {
    super(message)
    this.name = 'StakeProblem'
    this.title = title
    this.way = way
  }
}

/** The problem in any error that comes before a wallet is asked to send, or that says that it did not. */
export function explainStake(error: unknown): StakeProblem {
  if (error instanceof StakeProblem) return error
  if (error instanceof WalletProblem) return new StakeProblem(error.message, 'Nothing was sent.')
  if (error instanceof ApiFailure)
    return new StakeProblem(error.message, 'Nothing was sent. Try again in a moment.')
  return new StakeProblem('The stake could not be requested.', 'Nothing was sent.')
}
