import type { Secret } from '@farebox/platform-api/owners'
import type { ReactNode } from 'react'
import { Address, Hash } from '../../parts/short.tsx'
import { When } from '../../parts/when.tsx'
import { SecretName } from './secret-name.tsx'

/** One secret in a list: its wallets, its use, and the actions on it. */
export function SecretRow(props: {
  readonly secret: Secret
  /** All secrets, to name the ones that this secret replaces or is replaced by. */
  readonly all: readonly Secret[]
  readonly isFull: boolean
  readonly rotate: () => void
  readonly revoke: () => void
}): ReactNode {
  const { secret, all, isFull, rotate, revoke } = props
  const isRevoked = secret.revoked_at !== null
  const successor = all.find(({ secret_id: id }) => id === secret.replaced_by)
  const bothWork = !isRevoked && successor !== undefined && successor.revoked_at === null
  const isMine = secret.made_by === 'you'
  return (
    <li className={isRevoked ? 'faint' : undefined}>
      <div className="what">
        <span className="name">
          <SecretName of={secret} />
          {isFull && secret.label !== null && secret.label !== '' && (
            <span className="small faint">
              {' '}
              <Hash of={secret.secret_id} />
            </span>
          )}
          {bothWork && <span className="tag warn">both active</span>}
        </span>
        <span className="small quiet">
          <SecretUse secret={secret} successor={successor} isFull={isFull} />
        </span>
        {!isMine && !isRevoked && (
          <span className="small quiet">created by the operator of this platform; ask them to revoke it</span>
        )}
      </div>
      {isMine && !isRevoked && (
        <span className="do">
          {!bothWork && (
            <button type="button" className="link" onClick={rotate}>
              Rotate
            </button>
          )}
          <button type="button" className="link bad" onClick={revoke}>
            Revoke
          </button>
        </span>
      )}
    </li>
  )
}

/** When a secret was revoked; for an active secret: its wallets, its age, its last use and its successor. */
function SecretUse(props: {
  readonly secret: Secret
  readonly successor: Secret | undefined
  readonly isFull: boolean
}): ReactNode {
  const { secret, successor, isFull } = props
  if (secret.revoked_at !== null) {
    return (
      <>
        revoked <When at={secret.revoked_at} />
      </>
    )
  }
  return (
    <>
      {isFull ? <Wallets of={secret.wallets} /> : `for ${count(secret.wallets.length, 'wallet')}`}, created{' '}
      <When at={secret.created_at} />,{' '}
      {secret.last_used_at === null ? (
        'not used yet'
      ) : (
        <>
          last used <When at={secret.last_used_at} />
        </>
      )}
      {successor !== undefined && (
        <>
          , replaced by <SecretName of={successor} />
        </>
      )}
    </>
  )
}

function Wallets({ of }: { readonly of: readonly string[] }): ReactNode {
  return (
    <>
      for{' '}
      {of.map((address, index) => (
        <span key={address}>
          {index > 0 && ', '}
          <Address of={address} />
        </span>
      ))}
    </>
  )
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
