import { administer, makeTrialSecret } from '../trial/administer.ts'

/** A secret for one trial. */
export interface OwnSecret {
  /** Without whitespace, so that it is valid in a header. */
  readonly secret: string
  /** Revokes the secret. Rejects when the facilitator does not revoke it. */
  revoke(): Promise<void>
}

/**
 * Creates a secret for payments to these wallets. The request is not aborted before its timeout, because the secret would
 * otherwise remain. Rejects when none was created.
 */
export async function makeOwnSecret(
  subject: { readonly url: string; readonly adminToken: string },
  wallets: readonly string[],
): Promise<OwnSecret> {
  const { id, secret } = await makeTrialSecret({ subject }, wallets)
  if (!isWord(id) || !isWord(secret)) throw new TypeError('the answer has no secret')
  return {
    secret,
    async revoke() {
      const { status } = await administer({ subject }, 'DELETE', `/secrets/${encodeURIComponent(id)}`)
      if (status >= 300) throw new Error(`HTTP ${status}`)
    },
  }
}

/** The value came from outside, so its type is not trusted. */
function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[!-~]{1,512}$/.test(value)
}
