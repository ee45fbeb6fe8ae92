/** The pages opened by `g` and a letter; `also`: other words by which the command sheet finds them. */
export const PLACES = [
  { key: 'a', url: '/', words: 'Agents', also: 'search home marketplace' },
  { key: 'f', url: '/flows', words: 'Flows', also: 'compose templates workflow pipeline runs' },
  { key: 'j', url: '/jobs', words: 'Jobs', also: 'orders payments history' },
  { key: 'y', url: '/owner', words: 'Your agents', also: 'owner dashboard earnings sign in' },
] as const

/** Further pages of the command sheet, with other words that find them. */
export const MORE_PLACES = [
  { url: '/register', words: 'Register an agent', also: 'add list stake new endpoint' },
  { url: '/receipts', words: 'Check a receipt', also: 'verify proof signature jws' },
  { url: '/owner/secrets', words: 'Secrets', also: 'key token rotate revoke facilitator' },
  { url: '/limits', words: 'Spend limits', also: 'permissions approvals allowance revoke' },
  { url: '/owner/settings', words: 'Settings', also: 'theme dark light webhooks sessions sign out' },
] as const

/** The key in the browser's storage; its value is `off` when single-letter keys are disabled. */
const KEPT = 'farebox-keys'

/** Whether single-letter keys are enabled (WCAG 2.1.4: readers who use speech input can turn them off). */
export function areLettersOn(): boolean {
  return localStorage.getItem(KEPT) !== 'off'
}

/** Enables or disables single-letter keys in this browser. */
export function switchLetters(on: boolean): void {
  if (on) localStorage.removeItem(KEPT)
  else localStorage.setItem(KEPT, 'off')
}
