import type { Sponsorship } from '@farebox/payments/x402/facilitator-api'

/** A FACILITATOR_SECRET as it is stored: the secret itself is not. */
export interface StoredSecret {
  /** Public: the part of the secret by which it is found. */
  readonly id: string
  /** SHA-256 of the whole secret. */
  readonly hash: Uint8Array
  readonly owner: string
  /** Lower-case addresses it may take payments to. */
  readonly wallets: readonly string[]
  /** The name that its maker gave it. */
  readonly label: string | null
  /** The id of the secret that it was made to replace. */
  readonly replaces: string | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
  /** Unix seconds, to the minute. */
  readonly lastUsedAt: number | null
}

/** Whose secrets, or for which wallets (lower-case). */
export type SecretsOf = { readonly owner: string } | { readonly wallets: readonly string[] }

/** Why the gas of an owner's settlements is paid, and how much. */
export interface Sponsoring {
  readonly sponsorship: Sponsorship
  /** Settlements a UTC day that a platform grants it while it is listed; undefined: those of every listed owner. */
  readonly granted?: number | undefined
}

/** A change to a stored secret. */
export type SecretChange =
  | { readonly wallets: readonly string[] }
  | { readonly revokedAt: number }
  | { readonly lastUsedAt: number }

/** The store of secrets. Every method is atomic and durable. */
export interface SecretStore {
  /**
   * Adds a secret and says why the gas of its owner is paid, both or neither; one that the operator has named stays named.
   * False, with nothing changed, where its owner has {@link ACTIVE_SECRETS} that are not revoked.
   *
   * @param sponsoring default: what was said of the owner before, and `named` where nothing was
   */
  create(secret: StoredSecret, sponsoring?: Sponsoring): Promise<boolean>
  find(id: string): Promise<StoredSecret | undefined>
  /** All of an owner, or all that may take payments to one of these wallets; revoked ones included, oldest first. */
  list(of: SecretsOf): Promise<readonly StoredSecret[]>
  /** Undefined where there is no such secret. A revoked one stays revoked at its first time, used at its newest. */
  change(id: string, change: SecretChange): Promise<StoredSecret | undefined>
}

/** So many at once: one in use and the one that takes over from it. */
export const ACTIVE_SECRETS = 2
