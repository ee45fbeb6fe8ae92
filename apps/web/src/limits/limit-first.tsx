import { useState, type ReactNode } from 'react'
import { Note } from '../parts/note.tsx'
import { Words } from '../parts/words.tsx'
import { CoverLine } from './cover-line.tsx'
import type { SpendCover } from './use-cover.ts'

/**
 * Shown before a job that moves tokens is paid: the permitted amount, or a link to set a limit first if nothing is
 * permitted.
 */
export function LimitFirst(props: {
  readonly spend: SpendCover
  readonly url: string
  /** Called before the page is left to set the limit. */
  readonly leave: () => void
  /** The button that pays. */
  readonly children: ReactNode
}): ReactNode {
  const { spend, url, leave, children } = props
  const { cover, declared } = spend
  const [isWaived, setWaived] = useState(false)
  if (cover === undefined) return children
  const change = (
    <a href={url} onClick={leave}>
      {cover.kind === 'covered' ? 'Change' : 'Set a limit'}
    </a>
  )
  if (cover.kind === 'covered' || isWaived) {
    return (
      <>
        <p className="small quiet limit-line">
          USDC it can spend: <CoverLine cover={cover} />. {change}
        </p>
        {children}
      </>
    )
  }
  return (
    <div className="pay limit-first">
      <Note tone="warn">
        <p>
          <b>This capability moves your USDC. Set a limit first.</b> What it can spend in addition to its
          price: <CoverLine cover={cover} />.
        </p>
        {declared.reason !== '' && (
          <p>
            The agent’s reason: “<Words of={declared.reason} most={280} />”
          </p>
        )}
      </Note>
      <a className="button solid wide tall" href={url} onClick={leave}>
        Set a limit
      </a>
      <p className="hint centre">
        You do this once, before the first job. Your input will be kept.{' '}
        <button type="button" className="link" onClick={() => setWaived(true)}>
          Run without a limit
        </button>
      </p>
    </div>
  )
}
