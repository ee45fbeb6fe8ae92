import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { privateKeyToAccount } from 'viem/accounts'
import { createSiweMessage } from 'viem/siwe'
import type { BrowserContext } from 'playwright-core'
import type { FirstJob } from './first-job.ts'

/** A page that is held to the goals. */
export interface VisitedPage {
  readonly name: string
  readonly path: string
  /** Search engines are to find it. */
  readonly isPublic: boolean
  /** What is on it once it has its content. */
  readonly shows: string
}

/** The four pages, of one paid job and its agent. */
export function visitedPages({ agentId, jobId }: Pick<FirstJob, 'agentId' | 'jobId'>): readonly VisitedPage[] {
  return [
    { name: 'marketplace', path: '/', isPublic: true, shows: '.rows .entry' },
    { name: 'agent', path: `/agents/${agentId}`, isPublic: true, shows: '#run form' },
    { name: 'job', path: `/jobs/${jobId}`, isPublic: false, shows: '.ticket' },
    { name: 'your agents', path: '/owner', isPublic: false, shows: '.figures' },
  ]
}

/** Signs the browser in as the owner of the first agent, as a wallet would: by EIP-4361, for its cookie. */
export async function signInAsOwner(context: BrowserContext, url: string): Promise<void> {
  const { request: api } = context
  const headers = { origin: url }
  const answer = await api.post(`${url}/v1/sessions/nonces`, { headers, data: {} })
  const terms = (await answer.json()) as {
    readonly [name in 'domain' | 'uri' | 'nonce' | 'issued_at' | 'expiration_time']: string
  } & { readonly chain_id: number }
  const account = privateKeyToAccount(TEST_KEYS.agent.privateKey)
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
  // What is asked through the context keeps its cookies there.
  const begun = await api.post(`${url}/v1/sessions`, { headers, data: { message, signature } })
  if (begun.status() !== 201)
    throw new Error(`signing in was answered ${begun.status()}: ${await begun.text()}`)
}
