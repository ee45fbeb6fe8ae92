import type { ReactNode } from 'react'
import { Address } from '../parts/short.tsx'
import { useAction } from '../site/action.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure } from '../site/ask.ts'
import { useNavigation } from '../site/navigation.ts'
import { useSite } from '../site/site.ts'
import { isSignedOut } from './load-signed-in.ts'

/** The signed-in address, and the button that signs out. */
export function SignedInLine({
  address,
  children,
}: {
  readonly address: string
  readonly children?: ReactNode
}): ReactNode {
  const { ask } = useSite()
  const { reload } = useNavigation()
  const leaving = useAction(
    async () => {
      await ask('/v1/sessions/current', answers.none, { method: 'DELETE' }).catch((error: unknown) => {
        if (!isSignedOut(error)) throw error
      })
      reload()
    },
    error => `You are still signed in. ${error instanceof ApiFailure ? error.message : ''}`,
  )
  return (
    <p className="signed-in">
      <span>
        Signed in as <Address of={address} />
      </span>
      {children}
      <button type="button" className="link" onClick={leaving.act}>
        Sign out
      </button>
      {leaving.state === 'failed' && (
        <span className="bad" role="alert">
          {leaving.sentence}
        </span>
      )}
    </p>
  )
}
