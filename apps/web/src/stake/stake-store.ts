/** A stake that a wallet was asked to send from this browser. */
export interface KeptStake {
  /** Lower-case address that stakes. */
  readonly from: string
  /** As its person knows the wallet. */
  readonly walletName: string
  /** When the wallet was asked; Unix seconds. */
  readonly askedAt: number
  /** The transaction. Undefined: the wallet was asked, and it is not known whether it sent. */
  readonly hash?: string
}

/**
 * The stake that this browser keeps. A browser may keep nothing for a page: then a reload forgets what was sent, and the
 * platform still sees it.
 */
export function readKeptStake(registrationId: string): KeptStake | undefined {
  try {
    const text = localStorage.getItem(stakeKey(registrationId))
    return text === null ? undefined : (JSON.parse(text) as KeptStake)
  } catch {
    return undefined
  }
}

/** Writes it: before the wallet is asked, and again when it has sent. */
export function keepStake(registrationId: string, stake: KeptStake): void {
  try {
    localStorage.setItem(stakeKey(registrationId), JSON.stringify(stake))
  } catch {
    // See readKeptStake.
  }
}

/** Forgets it: nothing was sent, or its registration is over. */
export function forgetStake(registrationId: string): void {
  try {
    localStorage.removeItem(stakeKey(registrationId))
  } catch {
    // See readKeptStake.
  }
}

/** Calls back when another tab has changed the stake; returns what ends that. */
export function watchStake(registrationId: string, changed: () => void): () => void {
  const listener = ({ key }: StorageEvent): void => {
    if (key === stakeKey(registrationId)) changed()
  }
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}

/** Its name in the storage of the browser, and that of the lock that one tab holds. */
export function stakeKey(registrationId: string): string {
  return `farebox-stake-${registrationId}`
}
