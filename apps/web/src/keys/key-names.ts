/** Where `g` and a letter lead. */
export const PLACES = [
  { key: 'a', url: '/', words: 'Agents' },
  { key: 'j', url: '/jobs', words: 'Jobs' },
  { key: 'y', url: '/owner', words: 'Your agents' },
] as const

/** What else the list of commands offers, by name. */
export const MORE_PLACES = [
  { url: '/register', words: 'Register an agent' },
  { url: '/receipts', words: 'Check a receipt' },
  { url: '/owner/secrets', words: 'Secrets' },
  { url: '/owner/settings', words: 'Settings' },
] as const

/** In the browser's storage, where single letters are to be letters: `off`. */
const KEPT = 'farebox-keys'

/** Whether single letters act (WCAG 2.1.4: whoever speaks to the machine can switch them off). */
export function areLettersOn(): boolean {
  return localStorage.getItem(KEPT) !== 'off'
}

/** Switches them on or off, in this browser. */
export function switchLetters(on: boolean): void {
  if (on) localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, 'off')
}
