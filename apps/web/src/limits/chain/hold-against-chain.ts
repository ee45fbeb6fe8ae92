import { WalletProblem } from '../../wallet/wallet.ts'
import { withApproval, type LimitChange } from '../plan-change.ts'
import type { PlannedFrom } from './planned-from.ts'
import type { OnChainLimits } from './read-chain-state.ts'

/**
 * Checks a plan against the state that the wallet's chain answers: a platform may answer anything, and a page may be old.
 *
 * What only takes back goes on while an agent spends, so that nobody keeps an owner from it by spending: its approval
 * becomes what is left by now, and never more than was planned.
 *
 * @throws {WalletProblem} where the chain says otherwise than the page that the plan was made on
 */
export function holdAgainstChain(change: LimitChange, chain: OnChainLimits): LimitChange {
  const { from } = change
  if (from === undefined) return change
  if (!from.onlyTakesBack) {
    if (isAsPlanned(from, chain)) return change
    throw saysOtherwise()
  }
  const own = from.permission
  if (own !== undefined && chain.permission?.nonce !== own.expected.nonce) throw saysOtherwise()
  const others = chain.totalLeft - (own?.isCounted === true ? (chain.permission?.left ?? 0n) : 0n)
  if (others > change.approval) throw saysOtherwise()
  return withApproval(change, others > 0n ? others : 0n, chain.allowance)
}

function isAsPlanned({ totalLeft, allowance, permission }: PlannedFrom, chain: OnChainLimits): boolean {
  if (totalLeft !== chain.totalLeft || allowance !== chain.allowance) return false
  if (permission === undefined) return true
  const known: object = permission.expected
  const found: object = chain.permission ?? {}
  const values = new Map<string, unknown>(Object.entries(found))
  return Object.entries(known).every(([name, value]) => values.get(name) === value)
}

function saysOtherwise(): WalletProblem {
  return new WalletProblem(
    'not-allowed',
    'What is recorded on-chain does not match this page. Reload the page and check what it shows.',
  )
}
