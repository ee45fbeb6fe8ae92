import { BATCH_SETTLER_ADDRESS, MULTICALL3_ADDRESS } from '@farebox/contracts/addresses'
import { batchSettlerAbi } from '@farebox/contracts/batch-settler'
import { multicall3Abi } from '@farebox/contracts/multicall3'
import { decodeFunctionData, type Hex } from 'viem'
import { numbered, type UnnumberedCase } from '../rule-case.ts'
import type { Trial } from '../trial.ts'
import type { SentTransaction } from '../witness.ts'

/** `transferWithAuthorization`, with v, r, s and with the signature in one piece (EIP-3009). */
const TRANSFERS = ['0xe3ee160e', '0xcf092995'] as const

function scan(
  sent: string,
  expected: string,
  refuse: (transaction: SentTransaction, trial: Trial) => string | undefined,
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

/** The calls a transaction makes, those within a batch each for itself. */
function callsOf({ to, input }: SentTransaction): readonly { readonly to: string; readonly data: string }[] {
  // It calls `transferWithAuthorization` of the token it is given, once for each item, and nothing else.
  if (to?.toLowerCase() === BATCH_SETTLER_ADDRESS.toLowerCase()) {
    const [token, , items] = decodeFunctionData({ abi: batchSettlerAbi, data: input as Hex }).args
    return items.map(() => ({ to: token.toLowerCase(), data: TRANSFERS[0] }))
  }
  if (to?.toLowerCase() !== MULTICALL3_ADDRESS.toLowerCase()) return [{ to: to ?? 'nowhere', data: input }]
  const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data: input as Hex })
  if (functionName !== 'aggregate3') return [{ to: to ?? '', data: input }]
  return args[0].map(({ target, callData }) => ({ to: target, data: callData }))
}

/** SR8: every transaction of the facilitator's accounts, since the first case was played. Played last. */
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
