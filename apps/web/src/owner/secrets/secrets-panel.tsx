import type { CreatedSecret, Secret, Secrets } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { FailureNote, Note } from '../../parts/note.tsx'
import { answers } from '../../site/answers.ts'
import { useAsk } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { Sign } from '../../signs/sign.tsx'
import { CreateSecretSheet } from './create-secret-sheet.tsx'
import type { OwnWallet } from './own-wallets.ts'
import { RevokeSheet, RotateSheet } from './change-sheets.tsx'
import { SecretOnce } from './secret-once.tsx'
import { SecretRow } from './secret-row.tsx'

type OpenedSheet =
  | 'create'
  | { readonly revoke: Secret }
  | { readonly rotate: Secret }
  | { readonly made: CreatedSecret }

/** The secrets of an owner: made, replaced and revoked in their place. */
export function SecretsPanel(props: {
  /** Null: they could not be read just now, and are asked for once more. */
  readonly secrets: Secrets | null
  readonly wallets: readonly OwnWallet[]
  /** At most so many, and a link to all; undefined: all of them. */
  readonly most?: number
}): ReactNode {
  const { wallets, most } = props
  const { platform } = useSite()
  const { answer, failure, again } = useAsk('/v1/me/secrets', answers.secrets, {
    ...(props.secrets !== null && { first: props.secrets }),
  })
  const secrets = answer?.secrets
  const read = (): void => void again()
  const [sheet, setSheet] = useState<OpenedSheet>()
  const [isNewKept, setNewKept] = useState(false)
  if (!platform.secrets) {
    return (
      <>
        <Heading most={most} />
        <p className="nothing quiet small">
          This platform does not issue secrets. Agents choose their own facilitator.
        </p>
      </>
    )
  }
  const sorted = (secrets ?? []).toSorted(byUse)
  const shown = most === undefined ? sorted : sorted.slice(0, most)
  return (
    <>
      <Heading most={sorted.length > shown.length ? most : undefined}>
        <button type="button" className="button low" onClick={() => setSheet('create')}>
          <Sign name="key" /> Create a secret
        </button>
      </Heading>
      {isNewKept && (
        <Note tone="info">
          <p>
            Once your agent is running with this secret, <a href="/register">register the agent</a>.
          </p>
        </Note>
      )}
      {failure !== undefined && <FailureNote error={failure} again={read} />}
      {secrets?.length === 0 && (
        <p className="nothing faint small">
          No secrets yet. An agent needs a secret to receive payments through this facilitator.
        </p>
      )}
      <ul className="secrets">
        {shown.map(secret => (
          <SecretRow
            key={secret.secret_id}
            secret={secret}
            all={sorted}
            isFull={most === undefined}
            rotate={() => setSheet({ rotate: secret })}
            revoke={() => setSheet({ revoke: secret })}
          />
        ))}
      </ul>
      <p className="hint quiet">
        An agent uses its secret to identify itself to the facilitator. The facilitator then accepts payments
        only to the wallets listed for that secret.
      </p>
      {sheet !== undefined && (
        <SecretSheet
          sheet={sheet}
          setSheet={setSheet}
          wallets={wallets}
          read={read}
          kept={made => setNewKept(made.replaces === null)}
        />
      )}
    </>
  )
}

/** The sheet on which a secret is created, shown once, replaced or revoked. */
function SecretSheet(props: {
  readonly sheet: OpenedSheet
  readonly setSheet: (sheet: OpenedSheet | undefined) => void
  readonly wallets: readonly OwnWallet[]
  readonly read: () => void
  readonly kept: (made: CreatedSecret) => void
}): ReactNode {
  const { sheet, setSheet, wallets, read, kept } = props
  const close = (): void => setSheet(undefined)
  const done = (): void => {
    setSheet(undefined)
    read()
  }
  if (sheet === 'create') {
    return (
      <CreateSecretSheet wallets={wallets} made={made => setSheet({ made })} failed={read} close={close} />
    )
  }
  if ('made' in sheet) {
    return (
      <SecretOnce
        secret={sheet.made}
        kept={() => {
          kept(sheet.made)
          done()
        }}
      />
    )
  }
  if ('rotate' in sheet) {
    return (
      <RotateSheet
        secret={sheet.rotate}
        made={made => {
          setSheet({ made })
          read()
        }}
        failed={read}
        close={close}
      />
    )
  }
  return <RevokeSheet secret={sheet.revoke} revoked={done} failed={read} close={close} />
}

function Heading({
  most,
  children,
}: {
  readonly most: number | undefined
  readonly children?: ReactNode
}): ReactNode {
  return (
    <div className="heading ruled middle">
      <h2>Secrets</h2>
      <span className="end">
        {most !== undefined && <a href="/owner/secrets">All secrets</a>}
        {children}
      </span>
    </div>
  )
}

/** Those in use first, the newest of them first. */
function byUse(one: Secret, other: Secret): number {
  const isLive = Number(one.revoked_at !== null) - Number(other.revoked_at !== null)
  return isLive !== 0 ? isLive : other.created_at - one.created_at
}
