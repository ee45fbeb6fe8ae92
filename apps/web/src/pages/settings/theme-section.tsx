import { useSyncExternalStore, type ReactNode } from 'react'
import { Heading } from '../../parts/page/heading.tsx'

const CHOICES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

type Theme = (typeof CHOICES)[number][0]

const A_YEAR = 31_536_000
const listeners = new Set<() => void>()

/** Selects light, dark, or the system's theme. The choice is kept in the cookie `theme`, which the server reads. */
export function ThemeSection(): ReactNode {
  const theme = useSyncExternalStore(subscribe, readTheme, () => undefined)
  return (
    <section id="theme">
      <Heading look="ruled">Appearance</Heading>
      <fieldset className="radios" disabled={theme === undefined}>
        <legend className="unseen">Theme</legend>
        {CHOICES.map(([value, words]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme === value}
              onChange={() => chooseTheme(value)}
            />
            {words}
          </label>
        ))}
      </fieldset>
      <p className="hint">Your choice is stored in a cookie in this browser. The cookie has no other use.</p>
      <noscript>
        <p className="hint">
          JavaScript is off. Turn it on to choose a theme. Until then, the pages use your system’s theme.
        </p>
      </noscript>
    </section>
  )
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

function readTheme(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

function chooseTheme(theme: Theme): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const rest = `Path=/; SameSite=Lax; Max-Age=${theme === 'system' ? 0 : A_YEAR}${secure}`
  // oxlint-disable-next-line unicorn/no-document-cookie -- the cookie store is not in every browser
  document.cookie = `theme=${theme === 'system' ? '' : theme}; ${rest}`
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  for (const tell of listeners) tell()
}
