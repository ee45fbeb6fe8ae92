import type { Sessions } from '@farebox/platform-api/owners'
import { useState, type ReactNode } from 'react'
import { FailureNote } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { When } from '../../parts/when.tsx'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useNavigation } from '../../site/navigation.ts'
import { useSite } from '../../site/site.ts'

type Session = Sessions['sessions'][number]

/** The owner's sessions. Each can be ended, including this one. */
export function SessionsSection(props: { readonly sessions: readonly Session[] }): ReactNode {
  const { ask } = useSite()
  const { reload } = useNavigation()
  const [sessions, setSessions] = useState(props.sessions)
  const others = sessions.filter(({ is_current: isCurrent }) => !isCurrent)
  const ending = useAction(async (_left, ended: readonly Session[]) => {
    for (const { is_current: isCurrent, session_id: id } of ended) {
      const path = isCurrent ? '/v1/sessions/current' : `/v1/me/sessions/${id}`
      await ask(path, answers.none, { method: 'DELETE' })
      if (isCurrent) reload()
      else setSessions(left => left.filter(session => session.session_id !== id))
    }
  })
  return (
    <section id="sessions">
      <Heading
        look="ruled middle"
        end={
          others.length > 0 && (
            <button type="button" className="button low" onClick={() => ending.act(others)}>
              Sign out everywhere else
            </button>
          )
        }
      >
        Sessions
      </Heading>
      {ending.state === 'failed' && <FailureNote error={ending.error} />}
      <ul className="secrets">
        {sessions.map(session => (
          <li key={session.session_id}>
            <div className="what">
              <span>
                {session.is_current ? <b>This browser</b> : 'Another browser or program'}, signed in{' '}
                <When at={session.created_at} />
                {session.origin === 'terminal' && ' from a terminal'}
              </span>
              <span className="small quiet">
                last used <When at={session.used_at} />; expires <When at={session.expires_at} form="exact" />
                {session.origin === 'terminal'
                  ? ', or when you sign out in the terminal'
                  : ', or after two hours without use'}
              </span>
            </div>
            <span className="do">
              <button type="button" className="link" onClick={() => ending.act([session])}>
                Sign out
              </button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
