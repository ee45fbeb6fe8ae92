import type { AgentPage } from '@farebox/platform-api/agent'
import type { ReactNode } from 'react'
import { readSpendDeclaration, type SpendDeclaration } from '../../limits/spend-declaration.ts'
import { readBack } from '../../limits/find-cover.ts'
import { useChange } from '../../limits/use-change.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { LimitRequest } from './limit-request.tsx'
import { LimitTicket } from './limit-ticket.tsx'
import { useNewLimit } from './use-new-limit.ts'
import { WhatHappens } from './what-happens.tsx'

interface Data {
  readonly agent: AgentPage
  readonly capability: string
  /** The page of this site that asked for the limit. */
  readonly back: string
}

/** Sets or changes the limit of a capability before its first job. */
export const page: PageModule<Data> = {
  async load({ query, ask }) {
    const agentId = query.get('agent') ?? ''
    const { spend_permissions_address: contract } = await ask('/v1/platform', answers.platform)
    if (contract === null || !/^[1-9]\d{0,14}$/.test(agentId)) throw missing()
    const agent = await ask(`/v1/agents/${agentId}`, answers.agentPage)
    const capability = agent.capabilities.find(({ name }) => name === query.get('capability'))
    if (capability === undefined || readSpendDeclaration(capability.permissions) === undefined)
      throw missing()
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
  const { agent, capability: name } = data
  const capability = agent.capabilities.find(one => one.name === name)
  const declared = capability && readSpendDeclaration(capability.permissions)
  if (declared === undefined) return null
  return <LimitEditor {...data} declared={declared} />
}

/** The request of the agent, and the ticket that permits it. */
function LimitEditor({
  agent,
  capability,
  back,
  declared,
}: Data & { readonly declared: SpendDeclaration }): ReactNode {
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
      <div className="columns limits-columns">
        <div>
          <LimitRequest agent={agent} capability={capability} declared={declared} limit={limit} />
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
