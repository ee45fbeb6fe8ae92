import type { Sponsorship } from '@farebox/payments/x402/facilitator-api'

/** The stored form of a FACILITATOR_SECRET, without the secret itself. */
export interface StoredSecret {
  /** Public: the part of the secret that is used to find it. */
  readonly id: string
  /** SHA-256 of the whole secret. */
  readonly hash: Uint8Array
  readonly owner: string
  /** Lower-case addresses that may receive payments with it. */
  readonly wallets: readonly string[]
  /** The label given at its creation. */
  readonly label: string | null
  /** The id of the secret that this one was created to replace. */
  readonly replaces: string | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
  /** Unix seconds, rounded to the minute. */
  readonly lastUsedAt: number | null
}

/** Selects secrets by their owner, or by the wallets (lower-case) that they may take payments to. */
export type SecretsOf = { readonly owner: string } | { readonly wallets: readonly string[] }

/** Why the gas of an owner's settlements is paid, and how many settlements it is granted. */
export interface Sponsoring {
  readonly sponsorship: Sponsorship
  /**
   * Settlements a UTC day that a platform grants to the owner while it is listed; undefined: as many as every listed owner.
   */
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
   * Adds a secret and records why the gas of its owner is paid, both or neither; an owner that the operator named stays
   * named. False, with nothing changed, when its owner has {@link ACTIVE_SECRETS} that are not revoked.
   *
   * @param sponsoring default: the earlier record of the owner, or `named` if there is none
   */
  create(secret: StoredSecret, sponsoring?: Sponsoring): Promise<boolean>
  find(id: string): Promise<StoredSecret | undefined>
  /** All secrets of an owner, or all that may take payments to one of these wallets; revoked ones included, oldest first. */
  list(of: SecretsOf): Promise<readonly StoredSecret[]>
  /**
   * Changes a secret; undefined when it does not exist. A revoked secret keeps its first revocation time, and the latest
   * time of use.
   */
  change(id: string, change: SecretChange): Promise<StoredSecret | undefined>
}

/** The most active secrets of an owner: the one in use and the one that replaces it. */
export const ACTIVE_SECRETS = 2
