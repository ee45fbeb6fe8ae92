import { useState, type ReactNode } from 'react'
import { Address } from '../parts/short.tsx'
import { answers } from '../site/answers.ts'
import { ApiFailure } from '../site/ask.ts'
import { useNavigation } from '../site/navigation.ts'
import { useSite } from '../site/site.ts'
import { isSignedOut } from './load-signed-in.ts'

/** Who is signed in, and the way out. */
export function SignedInLine({
  address,
  children,
}: {
  readonly address: string
  readonly children?: ReactNode
}): ReactNode {
  const { ask } = useSite()
  const { reload } = useNavigation()
  const [problem, setProblem] = useState<string>()
  const signOut = (): void => {
    setProblem(undefined)
    ask('/v1/sessions/current', answers.none, { method: 'DELETE' }).then(reload, (error: unknown) => {
      if (isSignedOut(error)) reload()
      else setProblem(`You are still signed in. ${error instanceof ApiFailure ? error.message : ''}`)
    })
  }
  return (
    <p className="signed-in">
      <span>
        Signed in as <Address of={address} />
      </span>
      {children}
      <button type="button" className="link" onClick={signOut}>
        Sign out
      </button>
      {problem !== undefined && (
        <span className="bad" role="alert">
          {problem}
        </span>
      )}
    </p>
  )
}
