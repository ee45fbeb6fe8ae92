import type { SignInTerms } from '@farebox/platform-api/owners'
import type { BrowserContext } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'

/** Pays one job on the first page, with the local chain's test wallet. Resolves to the job, and the agent's number. */
export async function payFirstJob(
  context: BrowserContext,
  url: string,
): Promise<{ readonly jobId: string; readonly agentId: string }> {
  const page = await context.newPage()
  await page.goto(url)
  // The test wallet can sign once it has its money.
  await page
    .getByText(/1,000 USDC/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: /^Pay .* and run$/ }).click()
  await page.getByText('Paid', { exact: true }).waitFor()
  const { pathname, searchParams } = new URL(page.url())
  await page.close()
  return {
    jobId: searchParams.get('job') ?? '',
    agentId: /^\/agents\/(\d+)$/.exec(pathname)?.[1] ?? '',
  }
}

/**
 * Signs the browser in by a signed message (EIP-4361): all its pages have the session's cookie afterwards. The
 * platform's tests have the same in TypeScript that is not built; the bench runs plain Node on builds.
 */
export async function signIn(context: BrowserContext, url: string, privateKey: `0x${string}`): Promise<void> {
  const headers = { origin: url }
  const asked = await context.request.post(`${url}/v1/sessions/nonces`, { headers, data: {} })
  const { chain_id, issued_at, expiration_time, ...terms } = (await asked.json()) as SignInTerms
  const account = privateKeyToAccount(privateKey)
  const message = createSiweMessage({
    ...terms,
    address: account.address,
    chainId: chain_id,
    issuedAt: new Date(issued_at),
    expirationTime: new Date(expiration_time),
  })
  const signature = await account.signMessage({ message })
  const begun = await context.request.post(`${url}/v1/sessions`, { headers, data: { message, signature } })
  if (begun.status() !== 201) throw new Error(`signing in was answered ${begun.status()}`)
}
