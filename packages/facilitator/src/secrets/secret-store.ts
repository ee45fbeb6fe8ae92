/** A FACILITATOR_SECRET as it is stored: the secret itself is not. */
export interface StoredSecret {
  /** Public: the part of the secret by which it is found. */
  readonly id: string
  /** SHA-256 of the whole secret. */
  readonly hash: Uint8Array
  readonly owner: string
  /** Lower-case addresses it may take payments to. */
  readonly wallets: readonly string[]
  /** Unix seconds. */
  readonly createdAt: number
  readonly revokedAt: number | null
}

/** A change to a stored secret. */
export type SecretChange = { readonly wallets: readonly string[] } | { readonly revokedAt: number }

/** Where secrets are kept. Every method is atomic and durable. */
export interface SecretStore {
  /**
   * Adds a secret; false, with nothing changed, where its owner has {@link ACTIVE_SECRETS} that are not
   * revoked.
   */
  create(secret: StoredSecret): Promise<boolean>
  find(id: string): Promise<StoredSecret | undefined>
  /** All of an owner, revoked ones included, oldest first. */
  list(owner: string): Promise<readonly StoredSecret[]>
  /** Undefined where there is no such secret. A revoked one stays revoked at its first time. */
  change(id: string, change: SecretChange): Promise<StoredSecret | undefined>
}

/** So many at once: one in use and the one that takes over from it. */
export const ACTIVE_SECRETS = 2
