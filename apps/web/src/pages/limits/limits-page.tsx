import type { PayerJobs } from '@farebox/platform-api/me/payer-jobs'
import type { ReactNode } from 'react'
import { Bones, FailureNote } from '../../parts/note.tsx'
import { usePurse } from '../../purse/purse-context.ts'
import { useChange } from '../../limits/use-change.ts'
import { useLimits } from '../../limits/use-limits.ts'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import type { PageModule } from '../../site/page.ts'
import { ApprovalTicket } from './approval-ticket.tsx'
import { ApprovalsFound } from './approvals-found.tsx'
import { PermissionList } from './permission-list.tsx'
import { SpentSection } from './spent-section.tsx'
import { NoLimits, WhatLimitsAre } from './what-limits-are.tsx'

interface Data {
  /** Failed jobs of the signed-in wallet; null when the reader is signed out. */
  readonly failed: PayerJobs['jobs'] | null
}

/**
 * The tokens of a wallet that agents may move in addition to their prices, with actions to set, change and revoke limits.
 */
export const page: PageModule<Data> = {
  async load({ ask }) {
    const { spend_permissions_address: contract } = await ask('/v1/platform', answers.platform)
    if (contract === null)
      throw new ApiFailure('Spend limits are not available on this chain.', {
        status: 404,
        type: 'not_found',
      })
    const failed = await loadSignedIn(
      async () => (await ask('/v1/me/jobs?status=failed&limit=100', answers.payerJobs)).jobs,
    )
    return { failed }
  },
  head: () => ({ title: 'Spend limits', personal: true }),
  Page: LimitsPage,
}

function LimitsPage({ data }: { readonly data: Data }): ReactNode {
  return (
    <main id="main" className="page limits">
      <h1>Spend limits</h1>
      <p className="lede">
        Spend limits cap how much agents can spend from your wallet in addition to their prices. A contract
        enforces each limit, so neither an agent nor this platform can exceed it.
      </p>
      <noscript>
        <p className="lede">JavaScript is off. Turn it on to see your wallet’s limits.</p>
      </noscript>
      <LimitsOfWallet failed={data.failed} />
    </main>
  )
}

function LimitsOfWallet({ failed }: { readonly failed: Data['failed'] }): ReactNode {
  const { wallet, isReady, choose } = usePurse()
  const { limits, failure, refresh } = useLimits(wallet?.address)
  const change = useChange(refresh)
  if (wallet === undefined) {
    return (
      <div className="columns limits-columns">
        <div>
          {isReady ? (
            <div className="void">
              <b>No wallet connected</b>
              <span>Each wallet has its own limits. You do not sign anything to connect a wallet.</span>
              <button type="button" className="button solid" onClick={choose}>
                Connect a wallet
              </button>
            </div>
          ) : (
            <Bones />
          )}
        </div>
        <WhatLimitsAre />
      </div>
    )
  }
  if (limits === undefined) {
    return (
      <div className="columns limits-columns">
        {failure === undefined ? <Bones /> : <FailureNote error={failure} again={() => void refresh()} />}
        <WhatLimitsAre />
      </div>
    )
  }
  return (
    <div className="columns limits-columns">
      <div>
        <ApprovalsFound limits={limits} change={change} />
        {limits.permissions.length === 0 ? <NoLimits /> : <PermissionList limits={limits} change={change} />}
        <SpentSection limits={limits} failed={failed} />
      </div>
      <aside>
        <ApprovalTicket limits={limits} change={change} />
        {limits.permissions.length === 0 ? null : <WhatLimitsAre />}
      </aside>
    </div>
  )
}
