import type { BrowserContext } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'

/** The fields of the response of `POST /v1/sessions/nonces` that the message contains. */
interface Terms {
  readonly domain: string
  readonly uri: string
  readonly nonce: string
  readonly chain_id: number
  readonly issued_at: string
  readonly expiration_time: string
}

/**
 * Signs a browser in at a platform with a signed message, without its pages; afterwards all pages of the context have
 * the session's cookie.
 */
export async function signInBrowser(
  context: BrowserContext,
  url: string,
  privateKey: `0x${string}`,
): Promise<void> {
  const headers = { origin: url }
  const asked = await context.request.post(`${url}/v1/sessions/nonces`, { headers, data: {} })
  const terms = (await asked.json()) as Terms
  const account = privateKeyToAccount(privateKey)
  const message = createSiweMessage({
    address: account.address,
    chainId: terms.chain_id,
    domain: terms.domain,
    nonce: terms.nonce,
    uri: terms.uri,
    version: '1',
    issuedAt: new Date(terms.issued_at),
    expirationTime: new Date(terms.expiration_time),
  })
  const signature = await account.signMessage({ message })
  const begun = await context.request.post(`${url}/v1/sessions`, { headers, data: { message, signature } })
  if (begun.status() !== 201)
    throw new Error(`signing in was answered ${begun.status()}: ${await begun.text()}`)
}
