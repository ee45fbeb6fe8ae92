import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import type { Chromium } from './chromium.ts'

/** What `POST /v1/sessions/nonces` answers, as far as the message says it. */
interface Terms {
  readonly domain: string
  readonly uri: string
  readonly nonce: string
  readonly chain_id: number
  readonly issued_at: string
  readonly expiration_time: string
}

/** A job that was paid in the browser, and its agent. */
export interface FirstJob {
  readonly jobId: string
  readonly agentId: string
}

/** Pays one job on the first page, with the local chain's test wallet. */
export async function payFirstJob({ context }: Chromium, url: string): Promise<FirstJob> {
  const page = await context.newPage()
  await page.goto(url)
  // The test wallet can sign once it has its money.
  await page
    .getByText(/1,000 USDC/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: /^Pay .* and run$/ }).click()
  await page.getByText('Paid', { exact: true }).waitFor()
  const address = new URL(page.url())
  await page.close()
  return {
    jobId: address.searchParams.get('job') ?? '',
    agentId: /^\/agents\/(\d+)$/.exec(address.pathname)?.[1] ?? '',
  }
}

/** Signs the browser in by a signed message (EIP-4361): all its pages have the session's cookie afterwards. */
export async function signIn({ context }: Chromium, url: string, privateKey: `0x${string}`): Promise<void> {
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
  if (begun.status() !== 201) throw new Error(`signing in was answered ${begun.status()}`)
}
