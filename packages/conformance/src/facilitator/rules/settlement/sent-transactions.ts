import { callsOf, TRANSFERS } from '../../trial/calls-of.ts'
import { numbered, type UnnumberedCase } from '../../trial/rule-case.ts'
import type { Trial } from '../../trial/trial.ts'
import type { WitnessedTransaction } from '../../trial/witness.ts'

function scan(
  sent: string,
  expected: string,
  refuse: (transaction: WitnessedTransaction, trial: Trial) => string | undefined,
): UnnumberedCase {
  return {
    sent,
    expected,
    async play(trial) {
      const transactions = await trial.witness.sentTransactions()
      const wrong = transactions.map(one => refuse(one, trial)).find(reason => reason !== undefined)
      return {
        did: `${transactions.length} transactions looked at`,
        wrong: transactions.length === 0 ? 'no transactions found' : wrong,
      }
    },
  }
}

/** SR8: every transaction of the facilitator's accounts since the first case ran. This rule runs last. */
export const sentTransactionCases = numbered('SR8', [
  scan(
    'all that its accounts sent while the other cases were played',
    'to the token alone, or to BatchSettler or Multicall3 for it',
    (one, { network }) => {
      const other = callsOf(one).find(({ to }) => to.toLowerCase() !== network.asset.address)
      return other && `${one.hash} calls ${other.to}`
    },
  ),
  scan('the same: what is called', 'transferWithAuthorization and nothing else', one => {
    const other = callsOf(one).find(({ data }) => !TRANSFERS.some(selector => selector === data.slice(0, 10)))
    return other && `${one.hash} calls ${other.data.slice(0, 10)}`
  }),
  scan('the same: what goes along', 'no coin of the chain', one =>
    one.value === 0n ? undefined : `${one.hash} carries ${one.value} wei`,
  ),
  scan(
    'the same: the gas that may be used',
    'at most 300,000 for one transfer, 150,000 for each in a batch',
    one => {
      const most = Math.max(300_000, 150_000 * callsOf(one).length)
      return one.gas <= BigInt(most) ? undefined : `${one.hash} may use ${one.gas} gas`
    },
  ),
])
