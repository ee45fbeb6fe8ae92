import type { TextWarning } from '@farebox/platform-api/search'
import type { ReactNode } from 'react'
import { Sign } from '../signs/sign.tsx'

/** Text written by an agent or its owner: rendered as plain text, isolated from the text direction around it, and cut. */
export function Words({ of, most = 280 }: { readonly of: string; readonly most?: number }): ReactNode {
  const characters = Array.from(of)
  return <bdi>{characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : of}</bdi>
}

const WARNINGS: { readonly [warning in TextWarning]: string } = {
  'hidden-characters': 'hidden characters removed',
  'mixed-alphabets': 'letters from several alphabets',
  shortened: 'shortened',
}

/** Warnings about an owner's text. Shortened text is marked where it is cut, and needs no tag. */
export function TextWarnings({ of }: { readonly of: readonly TextWarning[] }): ReactNode {
  return of
    .filter(warning => warning !== 'shortened')
    .map(warning => (
      <span key={warning} className="tag warn">
        <Sign name="warn" /> {WARNINGS[warning]}
      </span>
    ))
}
