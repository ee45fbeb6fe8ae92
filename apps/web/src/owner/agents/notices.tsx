import type { OwnerNotice } from '@farebox/platform-api/me/owner-dashboard'
import type { ReactNode } from 'react'
import { Note, type Tone } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { CheckAgain } from './check-again.tsx'

/** The number of notices that are visible; a click opens the rest. */
const MOST_OPEN = 3

const TONES: { readonly [kind in OwnerNotice['kind']]: Tone } = {
  offline: 'refused',
  warned: 'warn',
  refused: 'refused',
  taken_down: 'refused',
  not_payable: 'warn',
  provisional: 'info',
  not_read: 'warn',
  breaks_flows: 'warn',
}

/** The notices that an owner has to act on, the most severe first. */
export function Notices(props: {
  readonly notices: readonly OwnerNotice[]
  /** Whether this is the page of the agent itself, to which no link is needed. */
  readonly isOwnPage?: boolean
  readonly checked?: () => void
}): ReactNode {
  const { notices, isOwnPage = false, checked } = props
  const show = (notice: OwnerNotice): ReactNode => (
    <NoticeNote
      key={`${notice.agent_id} ${notice.kind}`}
      notice={notice}
      isOwnPage={isOwnPage}
      checked={checked}
    />
  )
  if (notices.length === 0) return null
  return (
    <div className="notices">
      {notices.slice(0, MOST_OPEN).map(show)}
      {notices.length > MOST_OPEN && (
        <details className="small">
          <summary>{notices.length - MOST_OPEN} more</summary>
          <div className="notices">{notices.slice(MOST_OPEN).map(show)}</div>
        </details>
      )}
    </div>
  )
}

function NoticeNote(props: {
  readonly notice: OwnerNotice
  readonly isOwnPage: boolean
  readonly checked: (() => void) | undefined
}): ReactNode {
  const { notice, isOwnPage, checked } = props
  const { kind, agent_id: agentId, name, text, since } = notice
  return (
    <Note tone={TONES[kind]}>
      <p>
        <b>
          <Words of={name} most={64} />
        </b>
        {': '}
        <Words of={/[.!?]$/.test(text) ? text : `${text}.`} most={600} />
        {since !== null && (
          <span className="quiet">
            {' '}
            Since <When at={since} />.
          </span>
        )}
      </p>
      <p className="acts">
        {kind !== 'taken_down' && (
          <CheckAgain agentId={agentId} className="link" {...(checked !== undefined && { checked })} />
        )}
        {isOwnPage ? (
          <a href="#health">Health checks</a>
        ) : (
          <a href={`/owner/agents/${agentId}#health`}>Health checks</a>
        )}
      </p>
    </Note>
  )
}
