import type { ReactNode } from 'react'
import { SignInButton } from './sign-in-button.tsx'

/** Replaces a private page for a reader who is signed out: the purpose of the page, and a button to sign in. */
export function SignInGate(props: {
  readonly title: string
  /** The purpose of the page. */
  readonly lede: string
  /** The reason for signing in, in one sentence. */
  readonly why: string
  /** A hint next to the button. */
  readonly hint: string
  /** The page to open afterwards; undefined to load this page again. */
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
