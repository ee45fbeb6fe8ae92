import type { ReactNode } from 'react'
import { Note } from '../parts/note.tsx'
import type { DevState } from './follow-dev.ts'

/** The state of the agent as a word with its mark, in the band that is always in view. */
export function DevStanding({ dev }: { readonly dev: DevState }): ReactNode {
  const [mark, words] = standingOf(dev)
  return (
    <span className={`now ${mark}`} role="status">
      {words}
    </span>
  )
}

function standingOf({ isHeard, view }: DevState): readonly [mark: string, words: string] {
  if (!isHeard) return ['offline', view === undefined ? 'Connecting' : 'Stopped']
  if (view?.phase === 'loading') return ['waiting', view.agent === null ? 'Starting' : 'Restarting']
  if (view?.phase === 'idle') return ['offline', 'Not running']
  return view?.problem === null ? ['online', 'Serving'] : ['warned', 'Serving an older version']
}

/** The problem that keeps the newest save from being served, as printed in the terminal; and type errors, which do not. */
export function DevProblems({ dev: { isHeard, view } }: { readonly dev: DevState }): ReactNode {
  return (
    <>
      {!isHeard && view !== undefined && (
        <Note tone="warn" alert>
          <p>
            <b>farebox dev has stopped.</b> This page will continue when it starts again.
          </p>
        </Note>
      )}
      {isHeard && view !== undefined && view.problem !== null && (
        <Note tone="refused" alert>
          <TerminalText text={view.problem.text} />
          <p>{view.problem.next}</p>
        </Note>
      )}
      {isHeard && view !== undefined && view.type_errors.length > 0 && (
        <Note tone="warn">
          {view.type_errors.map(text => (
            <TerminalText key={text} text={text} />
          ))}
          <p>There are type errors, but this version is being served anyway.</p>
        </Note>
      )}
    </>
  )
}

/** A message of the terminal: a sentence, followed by lines with aligned columns. */
function TerminalText({ text }: { readonly text: string }): ReactNode {
  const [first = '', ...rest] = text.split('\n')
  return (
    <>
      <p className="terminal-text">
        <b>{first}</b>
      </p>
      {rest.length > 0 && (
        <pre className="terminal-text aligned" tabIndex={0}>
          {rest.join('\n')}
        </pre>
      )}
    </>
  )
}
