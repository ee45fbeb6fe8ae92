import type { ReactNode } from 'react'
import { Note } from '../../parts/note.tsx'

/** Why a file was not imported; renders nothing when there is no problem. `children` explain the consequence. */
export function ImportProblems(props: {
  readonly problems: readonly string[]
  readonly children: ReactNode
}): ReactNode {
  const { problems, children } = props
  if (problems.length === 0) return null
  return (
    <Note tone="refused" alert>
      <p>{children}</p>
      <ul>
        {problems.map(problem => (
          <li key={problem}>
            <bdi>{problem}</bdi>
          </li>
        ))}
      </ul>
    </Note>
  )
}
