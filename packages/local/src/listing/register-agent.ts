import { AGENT_REGISTERED_TOPIC, encodeEndpointOf } from '@farebox/contracts/internal/calls/registry-calls'
import { createJsonOrigin, type JsonOrigin } from '@farebox/payments/internal/http/http-json'
import { agentHealth } from '@farebox/platform-api/monitor'
import { registration, type Registration } from '@farebox/platform-api/registry'
import { callAnvil } from '../chain/anvil-rpc.ts'
import { sendTestTransaction } from '../chain/send-transaction.ts'
import type { LocalChain } from '../chain/start-chain.ts'
import { askUntilStarted, START_LIMIT_MS, StartLimitError } from '../starting/wait-for-start.ts'

/** An agent of the local economy that is registered at the platform. */
export interface RegisteredAgent {
  readonly agentId: number
  /** The URL of its page. */
  readonly profileUrl: string
  /** False when an earlier start had already staked for it. */
  readonly isNew: boolean
}

const ASK_EVERY_MS = 100
/** How much of an unexpected response an error message shows. */
const SHOWN_CHARACTERS = 200

/**
 * Registers an agent at a local platform. Its wallet, one of the test keys that the chain itself holds, stakes the required
 * amount. An agent that is already registered is not changed.
 *
 * @param signal cancels the wait for the platform; a stake that was already paid remains
 * @throws Error with the platform's reason when it refuses the agent, and when it does not list the agent in time
 */
export async function registerAgent(
  platform: { readonly url: string },
  chain: Pick<LocalChain, 'rpcUrl'>,
  agent: { readonly url: string; readonly wallet: string },
  signal?: AbortSignal,
): Promise<RegisteredAgent> {
  const origin = createJsonOrigin(platform.url)
  try {
    const asked = await ask(origin, {
      method: 'POST',
      path: '/v1/registrations',
      body: { endpoint: agent.url },
    })
    const isNew = asked.status.state === 'waiting_for_stake' && !(await hasStaked(chain, asked, agent.wallet))
    if (isNew) await stake(chain, asked, agent.wallet)
    return { ...(await untilListed(origin, asked, signal)), isNew }
  } finally {
    await origin.close()
  }
}

/**
 * Returns the number of the agent that a local platform lists at a URL, or `undefined` when it lists none. The agent need
 * not run.
 */
export async function findRegistered(
  platform: { readonly url: string },
  url: string,
): Promise<number | undefined> {
  const origin = createJsonOrigin(platform.url)
  try {
    const asked = await ask(origin, { method: 'POST', path: '/v1/registrations', body: { endpoint: url } })
    return asked.status.state === 'listed' ? asked.status.agent_id : undefined
  } catch {
    // The agent does not answer yet, so it cannot be registered.
    return undefined
  } finally {
    await origin.close()
  }
}

/**
 * Reads from the chain whether the wallet has already staked for this endpoint. A platform that was not running has not
 * seen the stake yet and would ask for a second one.
 */
async function hasStaked(
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  { registry_address: address, endpoint }: Registration,
  wallet: string,
): Promise<boolean> {
  const owner = `0x${wallet.slice(2).toLowerCase().padStart(64, '0')}`
  const topics = [AGENT_REGISTERED_TOPIC, null, owner]
  const logs = await callAnvil(rpcUrl, 'eth_getLogs', [{ address, topics, fromBlock: '0x0' }])
  for (const { topics: found } of logs as readonly { readonly topics: readonly string[] }[]) {
    const call = { to: address, data: encodeEndpointOf(Number(found[1])) }
    // The call reverts for an agent that was deregistered in the meantime.
    const served = await callAnvil(rpcUrl, 'eth_call', [call, 'latest']).catch(() => '')
    if (String(served).includes(Buffer.from(endpoint).toString('hex'))) return true
  }
  return false
}

async function stake(
  { rpcUrl }: Pick<LocalChain, 'rpcUrl'>,
  { registry_address: to, call_data: data, stake_wei }: Registration,
  from: string,
): Promise<void> {
  await sendTestTransaction(rpcUrl, { from, to, data, value: `0x${BigInt(stake_wei).toString(16)}` })
}

async function untilListed(
  origin: JsonOrigin,
  { registration_id: id, endpoint }: Registration,
  signal: AbortSignal | undefined,
): Promise<Omit<RegisteredAgent, 'isNew'>> {
  try {
    return await askUntilStarted(
      async () => {
        // A platform that is briefly unavailable continues its work afterwards.
        const asked = await ask(origin, { method: 'GET', path: `/v1/registrations/${id}` }).catch(
          () => undefined,
        )
        const status = asked?.status
        if (status?.state === 'refused' && !status.retried)
          throw new Error(`the platform does not list ${endpoint}: ${status.reason}`)
        return status?.state === 'listed'
          ? { agentId: status.agent_id, profileUrl: status.profile_url }
          : undefined
      },
      { everyMs: ASK_EVERY_MS, signal },
    )
  } catch (error) {
    if (!(error instanceof StartLimitError)) throw error
    throw new Error(
      `the platform has not listed ${endpoint} within ${START_LIMIT_MS / 60_000} minutes: the reason may be in platform.log`,
      { cause: error },
    )
  }
}

/**
 * Waits until a platform has checked for the first time whether an agent answers. A missing check does not prevent the
 * start: the agent is then shown as unchecked for a while.
 */
export async function untilChecked(
  platform: { readonly url: string },
  agentId: number,
  signal?: AbortSignal,
): Promise<void> {
  const origin = createJsonOrigin(platform.url)
  const path = `/v1/agents/${agentId}/health`
  try {
    await askUntilStarted(
      async () => {
        const { body } = await origin.send({ method: 'GET', path, timeoutMs: START_LIMIT_MS })
        const read = agentHealth.safeParse(body)
        return read.success && read.data.checked_at !== null ? true : undefined
      },
      { everyMs: ASK_EVERY_MS, signal },
    )
  } catch (error) {
    if (!(error instanceof StartLimitError)) throw error
  } finally {
    await origin.close()
  }
}

async function ask(
  origin: JsonOrigin,
  request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: object },
): Promise<Registration> {
  const { status, body } = await origin.send({ ...request, timeoutMs: START_LIMIT_MS })
  const read = registration.safeParse(body)
  if (status < 300 && read.success) return read.data
  const text = JSON.stringify(body) ?? ''
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  throw new Error(`the platform answered HTTP ${status} to ${request.method} ${request.path}: ${shown}`)
}
