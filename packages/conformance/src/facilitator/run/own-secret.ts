import { administer, makeTrialSecret } from '../trial/administer.ts'

/** A secret for one trial. */
export interface OwnSecret {
  /** Without blanks: it fits into a header. */
  readonly secret: string
  /** Revokes it. Rejects where the facilitator does not. */
  revoke(): Promise<void>
}

/**
 * Makes a secret that takes payments to these wallets. It is not broken off before its time is over: the secret would
 * be left behind. Rejects where none was made.
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

/** It came from outside, whatever its type says. */
function isWord(value: unknown): boolean {
  return typeof value === 'string' && /^[!-~]{1,512}$/.test(value)
}
