import {
  createJsonOrigin,
  type JsonOrigin,
  type JsonRequest,
} from '@farebox/payments/internal/http/http-json'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { loadKeccak } from '@farebox/payments/crypto/evm-crypto'
import { agentPage } from '@farebox/platform-api/agent'
import type { AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import { writeSignInMessage } from '@farebox/platform-api/internal/me/sign-in-message'
import { signedIn, signInTerms } from '@farebox/platform-api/owners'
import { callAnvilForText } from '../chain/anvil-rpc.ts'
import type { LocalChain } from '../chain/start-chain.ts'
import { START_LIMIT_MS } from '../starting/wait-for-start.ts'

/**
 * Sets the category under which the platform lists an agent of the local economy. The function signs in as the agent's
 * owner, with a wallet whose key the chain itself holds, and signs out afterwards. An agent that already has a category
 * keeps it.
 *
 * @throws Error with the platform's response when the platform refuses
 */
export async function chooseListingCategory(
  platform: { readonly url: string },
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  agent: { readonly agentId: number; readonly wallet: string; readonly category: AgentCategory },
): Promise<void> {
  const origin = createJsonOrigin(platform.url)
  const { agentId, wallet, category } = agent
  try {
    const page = agentPage.parse(await ask(origin, { method: 'GET', path: `/v1/agents/${agentId}` }))
    if (page.category !== null) return
    const terms = signInTerms.parse(await ask(origin, { method: 'POST', path: '/v1/sessions/nonces' }))
    const address = checksumAddress({ keccak256: await loadKeccak() }, wallet)
    const message = writeSignInMessage(terms, address)
    const text = `0x${Buffer.from(message).toString('hex')}`
    const signature = await callAnvilForText(rpcUrl, 'personal_sign', [text, address])
    const begun = await ask(origin, { method: 'POST', path: '/v1/sessions', body: { message, signature } })
    const headers = { authorization: `Bearer ${signedIn.parse(begun).token}` }
    const path = `/v1/me/agents/${agentId}/category`
    await ask(origin, { method: 'PUT', path, body: { category }, headers })
    await ask(origin, { method: 'DELETE', path: '/v1/sessions/current', headers })
  } finally {
    await origin.close()
  }
}

async function ask(origin: JsonOrigin, request: Omit<JsonRequest, 'timeoutMs'>): Promise<unknown> {
  const { status, body } = await origin.send({ ...request, timeoutMs: START_LIMIT_MS })
  if (status < 300) return body
  throw new Error(
    `the platform answered HTTP ${status} to ${request.method} ${request.path}: ${JSON.stringify(body)}`,
  )
}
