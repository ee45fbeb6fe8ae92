import type { AgentPage } from '@farebox/platform-api/agent'
import type { SpendPermissionView } from '@farebox/platform-api/limits/wallet-limits'
import type { ReactNode } from 'react'
import { formatAddress } from '../../format/address.ts'
import { withCents } from '../../format/amount.ts'
import type { SpendDeclaration } from '../../limits/spend-declaration.ts'
import { Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { TextWarnings, Words } from '../../parts/words.tsx'
import { useSite } from '../../site/site.ts'
import { nameWalletChain } from '../../wallet/wallet-chain.ts'
import type { NewLimit } from './use-new-limit.ts'

/** The agent that asks, its reason, and its declaration; and the previous limit. */
export function LimitRequest(props: {
  readonly agent: AgentPage
  readonly capability: string
  readonly declared: SpendDeclaration
  readonly limit: NewLimit
}): ReactNode {
  const { agent, capability, declared, limit } = props
  const { before, others } = limit
  return (
    <section>
      <Heading look="ruled">Request</Heading>
      <dl className="facts-list">
        <dt>Agent</dt>
        <dd>
          <a href={`/agents/${agent.agent_id}`}>
            <Words of={agent.name} most={64} />
          </a>
          , No. {agent.agent_id} <TextWarnings of={agent.text_warnings} />
        </dd>
        <dt>Capability</dt>
        <dd className="mono">
          <Words of={capability} most={128} />
        </dd>
        <dt>Reason</dt>
        <dd>
          “<Words of={declared.reason} most={500} />”
          <br />
          <span className="small quiet">in the agent’s own words</span>
        </dd>
        <dt>Declared maximum</dt>
        <dd>
          {declared.mostAtomic === undefined
            ? 'no valid USDC amount'
            : `${withCents(declared.mostAtomic)} USDC each time`}
        </dd>
        <Token />
        {before !== undefined && <Spent before={before} />}
      </dl>
      {others.length > 0 && <OtherAccountNote />}
    </section>
  )
}

function Token(): ReactNode {
  const { platform } = useSite()
  return (
    <>
      <dt>Token</dt>
      <dd>
        USDC on {platform.local_mode ? 'the local chain' : nameWalletChain(platform)}
        <br />
        <span className="mono whole">{formatAddress(platform.usdc_address)}</span>
      </dd>
    </>
  )
}

function Spent({ before }: { readonly before: SpendPermissionView }): ReactNode {
  return (
    <>
      <dt>Already spent</dt>
      <dd>
        {withCents(before.spent)} of {withCents(before.cap)} USDC. This amount counts toward the new limit,
        which covers all spending since you first set it.
      </dd>
    </>
  )
}

function OtherAccountNote(): ReactNode {
  return (
    <div className="above">
      <Note tone="warn">
        <p>
          <b>You already gave another account permission to spend.</b> This page does not change that
          permission. <a href="/limits">Revoke it</a> if the account no longer belongs to the agent.
        </p>
      </Note>
    </div>
  )
}
