import type { CreatedSecret, Secret, Secrets } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { FailureNote, Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { answers } from '../../site/answers.ts'
import { useAsk } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'
import { Sign } from '../../signs/sign.tsx'
import { CreateSecretSheet } from './create-secret-sheet.tsx'
import type { PayeeWallet } from './payee-wallets.ts'
import { RevokeSheet, RotateSheet } from './change-sheets.tsx'
import { SecretOnce } from './secret-once.tsx'
import { SecretRow } from './secret-row.tsx'

type OpenedSheet =
  | 'create'
  | { readonly revoke: Secret }
  | { readonly rotate: Secret }
  | { readonly made: CreatedSecret }

interface Props {
  /** Null when they could not be read; the panel then requests them again. */
  readonly secrets: Secrets | null
  readonly wallets: readonly PayeeWallet[]
  /** The most secrets to show, with a link to all; undefined to show all of them. */
  readonly most?: number
}

/** The secrets of an owner, with actions to create, replace and revoke them. */
export function SecretsPanel(props: Props): ReactNode {
  const { platform } = useSite()
  if (platform.secrets) return <IssuedSecrets {...props} />
  return (
    <>
      <Heading look="ruled middle" end={props.most !== undefined && <AllSecrets />}>
        Secrets
      </Heading>
      <p className="nothing quiet small">
        This platform does not issue secrets. Agents choose their own facilitator.
      </p>
    </>
  )
}

function IssuedSecrets({ secrets: first, wallets, most = Infinity }: Props): ReactNode {
  const { answer, failure, again } = useAsk('/v1/me/secrets', answers.secrets, {
    ...(first !== null && { first }),
  })
  const read = (): void => void again()
  const [sheet, setSheet] = useState<OpenedSheet>()
  const [isNewKept, setNewKept] = useState(false)
  const secrets = answer?.secrets.toSorted(byUse)
  const hasMore = secrets !== undefined && secrets.length > most
  return (
    <>
      <Heading
        look="ruled middle"
        end={
          <>
            {hasMore && <AllSecrets />}
            <button type="button" className="button low" onClick={() => setSheet('create')}>
              <Sign name="key" /> Create a secret
            </button>
          </>
        }
      >
        Secrets
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
      <SecretList secrets={secrets ?? []} most={most} setSheet={setSheet} />
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

function AllSecrets(): ReactNode {
  return <a href="/owner/secrets">All secrets</a>
}

function SecretList(props: {
  readonly secrets: readonly Secret[]
  readonly most: number
  readonly setSheet: (sheet: OpenedSheet) => void
}): ReactNode {
  const { secrets, most, setSheet } = props
  return (
    <ul className="secrets">
      {secrets.slice(0, most).map(secret => (
        <SecretRow
          key={secret.secret_id}
          secret={secret}
          all={secrets}
          isFull={most === Infinity}
          rotate={() => setSheet({ rotate: secret })}
          revoke={() => setSheet({ revoke: secret })}
        />
      ))}
    </ul>
  )
}

/** The sheet on which a secret is created, shown once, replaced or revoked. */
function SecretSheet(props: {
  readonly sheet: OpenedSheet
  readonly setSheet: (sheet: OpenedSheet | undefined) => void
  readonly wallets: readonly PayeeWallet[]
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

/** Sorts active secrets first, the newest of them first. */
function byUse(one: Secret, other: Secret): number {
  const isLive = Number(one.revoked_at !== null) - Number(other.revoked_at !== null)
  return isLive !== 0 ? isLive : other.created_at - one.created_at
}
