/** The pages that `g` and a letter open; `also`: other words that find them among the commands. */
export const PLACES = [
  { key: 'a', url: '/', words: 'Agents', also: 'search home marketplace' },
  { key: 'f', url: '/flows', words: 'Flows', also: 'compose templates workflow pipeline runs' },
  { key: 'j', url: '/jobs', words: 'Jobs', also: 'orders payments history' },
  { key: 'y', url: '/owner', words: 'Your agents', also: 'owner dashboard earnings sign in' },
] as const

/** More pages for the list of commands, by name and by other words. */
export const MORE_PLACES = [
  { url: '/register', words: 'Register an agent', also: 'add list stake new endpoint' },
  { url: '/receipts', words: 'Check a receipt', also: 'verify proof signature jws' },
  { url: '/owner/secrets', words: 'Secrets', also: 'key token rotate revoke facilitator' },
  { url: '/limits', words: 'Spend limits', also: 'permissions approvals allowance revoke' },
  { url: '/owner/settings', words: 'Settings', also: 'theme dark light webhooks sessions sign out' },
] as const

/** In the browser's storage: `off` where single letters must not act. */
const KEPT = 'farebox-keys'

/** Whether single letters act (WCAG 2.1.4: a reader who uses speech input can turn them off). */
export function areLettersOn(): boolean {
  return localStorage.getItem(KEPT) !== 'off'
}

/** Switches them on or off, in this browser. */
export function switchLetters(on: boolean): void {
  if (on) localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, 'off')
}
