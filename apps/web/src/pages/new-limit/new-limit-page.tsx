import type { AgentPage } from '@farebox/platform-api/agent'
import type { ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { declaredSpend, type DeclaredSpend } from '../../limits/declared-spend.ts'
import { readBack } from '../../limits/find-cover.ts'
import { useChange } from '../../limits/use-change.ts'
import { Note } from '../../parts/note.tsx'
import { TextWarnings, Words } from '../../parts/words.tsx'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { useSite } from '../../site/site.ts'
import { checksumAddress } from '../../format/address.ts'
import { nameWalletChain } from '../../wallet/wallet-chain.ts'
import { LimitTicket } from './limit-ticket.tsx'
import { useNewLimit, type NewLimit } from './use-new-limit.ts'
import { WhatHappens } from './what-happens.tsx'

interface Data {
  readonly agent: AgentPage
  readonly capability: string
  /** A page of ours that wanted the limit. */
  readonly back: string
}

/** Sets what a capability may move, before its first job, or changes it. */
export const page: PageModule<Data> = {
  async load({ query, ask }) {
    const agentId = query.get('agent') ?? ''
    const { spend_permissions_address: contract } = await ask('/v1/platform', answers.platform)
    if (contract === null || !/^[1-9]\d{0,14}$/.test(agentId)) throw missing()
    const agent = await ask(`/v1/agents/${agentId}`, answers.agentPage)
    const capability = agent.capabilities.find(({ name }) => name === query.get('capability'))
    if (capability === undefined || declaredSpend(capability.permissions) === undefined) throw missing()
    const back =
      readBack(query.get('back')) ?? `/agents/${agentId}?capability=${encodeURIComponent(capability.name)}`
    return { agent, capability: capability.name, back }
  },
  head: () => ({ title: 'Set a limit', personal: true }),
  Page: NewLimitPage,
}

function missing(): ApiFailure {
  return new ApiFailure('This limit cannot be set.', { status: 404, type: 'not_found' })
}

function NewLimitPage({ data }: { readonly data: Data }): ReactNode {
  const { agent, capability: name, back } = data
  const capability = agent.capabilities.find(one => one.name === name)
  const declared = capability && declaredSpend(capability.permissions)
  if (declared === undefined) return null
  return <Opened {...data} back={back} declared={declared} />
}

function Opened({
  agent,
  capability,
  back,
  declared,
}: Data & { readonly declared: DeclaredSpend }): ReactNode {
  const { go } = useNavigation()
  const limit = useNewLimit({ agent, capability, declared })
  const change = useChange(limit.refresh, () => go(back))
  return (
    <main id="main" className="page near limits new">
      <p className="crumb">
        <a href="/limits">Spend limits</a> / {limit.before === undefined ? 'New' : 'Change'}
      </p>
      <h1>{limit.before === undefined ? 'Set a limit' : 'Change a limit'}</h1>
      <p className="lede">
        Before an agent can spend your USDC, you set how much it can spend and until when. The limit must be
        lower than the maximum that the agent declares, and the agent can never exceed it.
      </p>
      <div className="limits-columns">
        <div>
          <Asked agent={agent} capability={capability} declared={declared} limit={limit} />
          <WhatHappens limit={limit} />
        </div>
        <aside>
          <LimitTicket
            agent={agent}
            capability={capability}
            declared={declared}
            limit={limit}
            change={change}
            back={back}
          />
        </aside>
      </div>
    </main>
  )
}

function Asked(props: {
  readonly agent: AgentPage
  readonly capability: string
  readonly declared: DeclaredSpend
  readonly limit: NewLimit
}): ReactNode {
  const { agent, capability, declared, limit } = props
  const { platform } = useSite()
  const { before, others } = limit
  return (
    <section>
      <div className="heading ruled">
        <h2>Request</h2>
      </div>
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
        <dt>Token</dt>
        <dd>
          USDC on {platform.local_mode ? 'the local chain' : nameWalletChain(platform)}
          <br />
          <span className="mono whole">{checksumAddress(platform.usdc_address)}</span>
        </dd>
        {before !== undefined && (
          <>
            <dt>Already spent</dt>
            <dd>
              {withCents(before.spent)} of {withCents(before.cap)} USDC. This amount counts toward the new
              limit, which covers all spending since you first set it.
            </dd>
          </>
        )}
      </dl>
      {others.length > 0 && (
        <div className="above">
          <Note tone="warn">
            <p>
              <b>You already gave another account permission to spend.</b> This page does not change that
              permission. <a href="/limits">Revoke it</a> if the account no longer belongs to the agent.
            </p>
          </Note>
        </div>
      )}
    </section>
  )
}
