import type { OwnedAgents, Me, Secrets, SettlementLimit } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { formatCount } from '../format/share.ts'
import { listOwnWallets } from '../owner/secrets/own-wallets.ts'
import { SecretsPanel } from '../owner/secrets/secrets-panel.tsx'
import { unlessSignedOut } from '../owner/read-parts.ts'
import { Words } from '../parts/words.tsx'
import { loadSignedIn } from '../session/load-signed-in.ts'
import { SignedInLine } from '../session/signed-in-line.tsx'
import { SignInGate } from '../session/sign-in-gate.tsx'
import type { PageModule } from '../site/page.ts'

interface Data {
  readonly me: Me
  readonly agents: OwnedAgents['agents']
  /** Null: not read just now. */
  readonly secrets: Secrets | null
  readonly limit: SettlementLimit | null
}

/** All secrets of an owner, and how much the facilitator settles for them in a day. Null: nobody is signed in. */
export const page: PageModule<Data | null> = {
  load: async ({ ask }) =>
    await loadSignedIn(async () => {
      const [me, { agents }, secrets, limit] = await Promise.all([
        ask<Me>('/v1/me'),
        ask<OwnedAgents>('/v1/me/agents'),
        ask<Secrets>('/v1/me/secrets').catch(unlessSignedOut(null)),
        ask<SettlementLimit>('/v1/me/settlement-limit').catch(unlessSignedOut(null)),
      ])
      return { me, agents, secrets, limit }
    }),
  head: () => ({ title: 'Secrets', personal: true }),
  Page: ({ data }) =>
    data === null ? (
      <SignInGate
        title="Secrets"
        lede="An agent shows its secret to the facilitator, which then takes payments to your wallets. Here secrets are created, rotated and revoked."
        why="An agent shows its secret to the facilitator, which then takes payments to these wallets."
        hint="With the wallet that your agents are paid at."
      />
    ) : (
      <SecretsPage data={data} />
    ),
}

function SecretsPage({ data: { me, agents, secrets, limit } }: { readonly data: Data }): ReactNode {
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/owner">Your agents</a> / Secrets
      </p>
      <h1>Secrets</h1>
      <SignedInLine address={me.address}>
        <a href="/owner/settings">Settings</a>
      </SignedInLine>
      <section>
        <div className="main-and-side">
          <div>
            <SecretsPanel secrets={secrets} wallets={listOwnWallets(me.address, agents)} />
          </div>
          {limit !== null && <Settlements limit={limit} />}
        </div>
      </section>
    </main>
  )
}

function Settlements({ limit }: { readonly limit: SettlementLimit }): ReactNode {
  const { used_today: used, daily_limit: most, sponsorship, next_step: next } = limit
  return (
    <div>
      <div className="heading ruled">
        <h2>Settled today</h2>
      </div>
      <p className="above">
        <b className="num">{formatCount(used)}</b>
        {most === null ? ' payments, without a limit' : ` of ${formatCount(most)} payments`}
      </p>
      {most !== null && (
        <meter
          className="used"
          min={0}
          max={most}
          value={Math.min(used, most)}
          aria-label="Payments settled today"
        >
          {used} of {most}
        </meter>
      )}
      <p className="small quiet">
        The facilitator pays the gas of a settlement; the day is UTC.{' '}
        {sponsorship === 'unlisted' && next !== null && (
          <>
            To lift the limit,{' '}
            <Words of={next.replace(/: farebox register$/, '').replace(' to lift it', '')} />:{' '}
            <a href="/register">Register an agent</a>.
          </>
        )}
      </p>
    </div>
  )
}
