import type { OwnedAgents, Me, Secrets, SettlementLimit } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { listPayeeWallets } from '../owner/secrets/payee-wallets.ts'
import { SecretsPanel } from '../owner/secrets/secrets-panel.tsx'
import { SettledToday } from '../owner/settlements/settled-today.tsx'
import { unlessSignedOut } from '../owner/read-parts.ts'
import { loadSignedIn } from '../session/load-signed-in.ts'
import { SignedInLine } from '../session/signed-in-line.tsx'
import { SignInGate } from '../session/sign-in-gate.tsx'
import { answers } from '../site/answers.ts'
import type { PageModule } from '../site/page.ts'

interface Data {
  readonly me: Me
  readonly agents: OwnedAgents['agents']
  /** Null when they were not read. */
  readonly secrets: Secrets | null
  readonly limit: SettlementLimit | null
}

/** All secrets of an owner, and the facilitator's daily limit for them. Data: null when the reader is signed out. */
export const page: PageModule<Data | null> = {
  load: async ({ ask }) =>
    await loadSignedIn(async () => {
      const [me, { agents }, secrets, limit] = await Promise.all([
        ask('/v1/me', answers.me),
        ask('/v1/me/agents', answers.ownedAgents),
        ask('/v1/me/secrets', answers.secrets).catch(unlessSignedOut(null)),
        ask('/v1/me/settlement-limit', answers.settlementLimit).catch(unlessSignedOut(null)),
      ])
      return { me, agents, secrets, limit }
    }),
  head: () => ({ title: 'Secrets', personal: true }),
  Page: ({ data }) =>
    data === null ? (
      <SignInGate
        title="Secrets"
        lede="Agents use secrets to identify themselves to the facilitator, so that it accepts payments to your wallets. Create, rotate, and revoke secrets here."
        why="Secrets allow your agents to receive payments in your wallets."
        hint="Use the wallet that receives your agents’ payments."
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
        <div className="columns main-and-side">
          <div>
            <SecretsPanel secrets={secrets} wallets={listPayeeWallets(me.address, agents)} />
          </div>
          {limit !== null && <SettledToday limit={limit} />}
        </div>
      </section>
    </main>
  )
}
