/** A stake that a wallet was asked to send from this browser. */
export interface KeptStake {
  /** The lower-case address that stakes. */
  readonly from: string
  /** The name of the wallet, for display. */
  readonly walletName: string
  /** When the wallet was asked, in Unix seconds. */
  readonly askedAt: number
  /** The hash of the transaction. Undefined when the wallet was asked and it is not known whether it sent one. */
  readonly hash?: string
}

/**
 * The stake that this browser stores. A browser may refuse to store anything for a page: a reload then forgets what was
 * sent, but the platform still sees it.
 */
export function readKeptStake(registrationId: string): KeptStake | undefined {
  try {
    const text = localStorage.getItem(stakeKey(registrationId))
    return text === null ? undefined : (JSON.parse(text) as KeptStake)
  } catch {
    return undefined
  }
}

/** Stores the stake: before the wallet is asked, and again when it has sent the transaction. */
export function keepStake(registrationId: string, stake: KeptStake): void {
  try {
    localStorage.setItem(stakeKey(registrationId), JSON.stringify(stake))
  } catch {
    // The browser stores nothing; see readKeptStake.
  }
}

/** Removes the stake, because nothing was sent or its registration is over. */
export function forgetStake(registrationId: string): void {
  try {
    localStorage.removeItem(stakeKey(registrationId))
  } catch {
    // The browser stores nothing; see readKeptStake.
  }
}

/** Calls back when another tab has changed the stake; returns a function that stops it. */
export function watchStake(registrationId: string, changed: () => void): () => void {
  const listener = ({ key }: StorageEvent): void => {
    if (key === stakeKey(registrationId)) changed()
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}

/** The key in the browser's storage, which is also the name of the lock that one tab holds. */
export function stakeKey(registrationId: string): string {
  return `farebox-stake-${registrationId}`
}
