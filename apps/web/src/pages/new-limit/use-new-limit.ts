import type { AgentPage } from '@farebox/platform-api/agent'
import type {
  AgentSpender,
  SpendPermissionView,
  WalletLimits,
} from '@farebox/platform-api/limits/wallet-limits'
import { useCallback, useState } from 'react'
import {
  checkLimitTerms,
  dayOf,
  proposeTerms,
  typeTerms,
  type LimitTerms,
  type TermsRefusals,
  type TypedTerms,
} from '../../limits/check-limit-terms.ts'
import type { SpendDeclaration } from '../../limits/spend-declaration.ts'
import { permissionsOf } from '../../limits/find-cover.ts'
import { planSet, type LimitChange } from '../../limits/plan-change.ts'
import { useLimits, type ReadLimits } from '../../limits/use-limits.ts'
import { usePurse } from '../../purse/purse-context.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import { useAsk, type Asked } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

/** The account that the permission has to name, as reported by the agent. */
export type SpenderState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'known'; readonly spender: string }
  /** The agent names no account. */
  | { readonly kind: 'unnamed' }
  | { readonly kind: 'failed'; readonly error: unknown }

/** The state of a limit while it is edited. */
export interface NewLimit {
  readonly limits: WalletLimits | undefined
  readonly failure: unknown
  readonly refresh: ReadLimits['refresh']
  readonly spender: SpenderState
  readonly askSpender: () => void
  /** The permission that is changed; undefined for a new one. */
  readonly before: SpendPermissionView | undefined
  /** Live permissions of the same capability for other accounts. */
  readonly others: readonly SpendPermissionView[]
  readonly typed: TypedTerms
  readonly type: (change: Partial<TypedTerms>) => void
  readonly refusals: TermsRefusals
  /** The change that would be signed; undefined when the terms are refused or some data is missing. */
  readonly planned: { readonly terms: LimitTerms; readonly change: LimitChange } | undefined
}

/** Reads the data that a limit needs, and checks the typed terms against it. */
export function useNewLimit(of: {
  readonly agent: AgentPage
  readonly capability: string
  readonly declared: SpendDeclaration
}): NewLimit {
  const { agent, capability, declared } = of
  const { now: read } = useSite()
  const { wallet } = usePurse()
  const { limits, failure, refresh } = useLimits(wallet?.address)
  const asked = useAsk(`/v1/agents/${agent.agent_id}/spender`, answers.agentSpender)
  const spender = spenderOf(asked)
  const known = limits === undefined ? [] : permissionsOf(limits, agent.agent_id, capability)
  const before = spender.kind === 'known' ? known.find(one => one.spender === spender.spender) : undefined
  const others = known.filter(
    one => one.state === 'active' && spender.kind === 'known' && one.spender !== spender.spender,
  )
  const most = declared.mostAtomic ?? 0n
  const now = Math.max(read, limits?.block_time ?? 0)
  const [own, setOwn] = useState<Partial<TypedTerms>>({})
  const proposed = before === undefined ? proposeTerms(most, now) : fromBefore(before, most, now)
  const typed = { ...proposed, ...own }
  const type = useCallback((change: Partial<TypedTerms>) => setOwn(known => ({ ...known, ...change })), [])
  const checked = checkLimitTerms(typed, { declaredMost: most, spent: BigInt(before?.spent ?? 0), now })
  const terms = checked.ok ? keepEnd(checked.terms, before, own) : undefined
  const planned =
    terms === undefined || limits === undefined || spender.kind !== 'known'
      ? undefined
      : {
          terms,
          change: planSet(limits, { agentId: agent.agent_id, capability, spender: spender.spender }, terms),
        }
  return {
    limits,
    failure,
    refresh,
    spender,
    askSpender: () => void asked.again(),
    before,
    others,
    typed,
    type,
    refusals: checked.ok ? {} : checked.refusals,
    planned,
  }
}

/** Proposes the previous terms; if they have expired, the terms of a new limit. */
function fromBefore(before: SpendPermissionView, most: bigint, now: number): TypedTerms {
  const proposed = proposeTerms(most, now)
  if (before.state === 'revoked' || before.limit === '0') {
    const all = BigInt(before.spent) + readAll(proposed)
    return typeTerms({ ...readProposed(proposed, most, now), cap: all })
  }
  const was = typeTerms({
    limit: BigInt(before.limit),
    cap: BigInt(before.cap),
    expiry: BigInt(before.expires_at),
  })
  return before.expires_at > now ? was : { ...was, until: proposed.until }
}

function readProposed(proposed: TypedTerms, declaredMost: bigint, now: number): LimitTerms {
  const read = checkLimitTerms(proposed, { declaredMost, spent: 0n, now })
  return read.ok ? read.terms : { limit: 0n, cap: 0n, expiry: BigInt(Math.floor(now)) }
}

function readAll(proposed: TypedTerms): bigint {
  return BigInt(proposed.all.replace('.', '').padEnd(proposed.all.indexOf('.') + 6, '0'))
}

/** Keeps the exact end of the previous terms if the reader has not changed the day. */
function keepEnd(
  terms: LimitTerms,
  before: SpendPermissionView | undefined,
  own: Partial<TypedTerms>,
): LimitTerms {
  if (before === undefined || (own.until !== undefined && own.until !== dayOf(before.expires_at)))
    return terms
  return dayOf(before.expires_at) === dayOf(Number(terms.expiry))
    ? { ...terms, expiry: BigInt(before.expires_at) }
    : terms
}

/** The account that the agent names; a 404 means that it names none. */
function spenderOf({ answer, failure }: Asked<AgentSpender>): SpenderState {
  if (answer !== undefined) return { kind: 'known', spender: answer.spender }
  if (failure === undefined) return { kind: 'asking' }
  const isUnnamed = failure instanceof ApiFailure && failure.status === 404
  return isUnnamed ? { kind: 'unnamed' } : { kind: 'failed', error: failure }
}
