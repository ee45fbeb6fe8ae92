import type { ReactNode } from 'react'

const CHOICES = [
  ['7', '7'],
  ['14', '14'],
  ['30', '30 days'],
] as const

/** Selects the number of days that the figures of a page cover; each choice has an address of its own. */
export function DaysSwitch({ days, path }: { readonly days: string; readonly path: string }): ReactNode {
  return (
    <nav className="switch" aria-label="Days shown">
      {CHOICES.map(([value, words]) => (
        <a key={value} href={`${path}?days=${value}`} aria-current={value === days ? 'true' : undefined}>
          {words}
          {value !== '30' && <span className="unseen"> days</span>}
        </a>
      ))}
    </nav>
  )
}
