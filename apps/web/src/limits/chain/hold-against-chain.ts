import { WalletProblem } from '../../wallet/wallet.ts'
import { withApproval, type LimitChange } from '../plan-change.ts'
import type { PlannedFrom } from './planned-from.ts'
import type { OnChainLimits } from './read-chain-state.ts'

/**
 * Checks a plan against the state reported by the wallet's chain, because the platform may return anything and the page may
 * be outdated.
 *
 * A change that only takes back permissions succeeds even while an agent is spending, so that no agent can block its owner
 * by spending. Its approval becomes the amount that is now left, and never more than planned.
 *
 * @throws {WalletProblem} when the chain's state differs from the page on which the plan was made
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
