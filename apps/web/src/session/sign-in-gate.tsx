import type { ReactNode } from 'react'
import { SignInButton } from './sign-in-button.tsx'

/** A private page before anybody is signed in: what it is for, and the way in. */
export function SignInGate(props: {
  readonly title: string
  /** What the page is for. */
  readonly lede: string
  /** Why it asks who reads it, in a sentence. */
  readonly why: string
  /** Beside the button. */
  readonly hint: string
  /** Where to go then; undefined: the same page is read again. */
  readonly next?: string
  readonly children?: ReactNode
}): ReactNode {
  const { title, lede, why, hint, next, children } = props
  return (
    <main id="main" className="page gate">
      <h1>{title}</h1>
      <p className="lede">{lede}</p>
      <div className="row enter">
        <SignInButton why={why} {...(next !== undefined && { next })} />
        <span className="small quiet">{hint}</span>
      </div>
      {children}
    </main>
  )
}
