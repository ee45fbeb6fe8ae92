import { printable } from '@farebox/conformance/internal/printable'
import { readAbout } from '@farebox/client/agent/read-about'
import { AgentUnreachable, UnusableAnswer } from '@farebox/client/exchange/agent-errors'
import type { Network } from '@farebox/payments/networks'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { readNetwork } from '../../chain/name-network.ts'
import { CommandError, usageError } from '../../command-error.ts'
import { findLocalEconomy, type LocalEconomy } from '../../keys/local-economy.ts'
import { PlatformRefusal } from '../../register/platform/ask-platform.ts'
import { findPlatform } from '../../register/platform/find-platform.ts'
import { openPlatform, type OpenPlatform } from '../../register/platform/open-platform.ts'
import { readAgentNumber, readUrl } from '../../terminal/read-option.ts'
import { localEconomyOf, networkOf } from '../../register/transaction/open-registry.ts'
import type { World } from '../../world.ts'
import type { RawAgentLimitsOptions, RawLimitsOptions } from './limits-options.ts'
import { connectionOf } from '@farebox/client/exchange/client-options'
import { exchange } from '@farebox/client/internal/exchange/exchange'
import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { readSpender } from '@farebox/payments/internal/x402/spender-extension'

export interface LimitsChain {
  readonly network: Network
  readonly local: LocalEconomy | undefined
}

export interface MeantAgent extends LimitsChain {
  /** Its number in the registry: a permission belongs to the number, not to a URL that could be taken over. */
  readonly agentId: number
  /** The base URL; `undefined` when only the number was needed. */
  readonly endpoint: string | undefined
}

/** How a person names an agent: by its URL, its number, or its page at a platform. */
type AgentWord =
  | { readonly endpoint: string; readonly agentId?: undefined }
  | { readonly agentId: number; readonly platform?: string; readonly endpoint?: undefined }

/**
 * Finds the number of an agent, its URL if needed, and the chain on which it is registered. A platform is asked only for
 * data that was not typed.
 *
 * @param word `https://agent.example`, `7`, or `https://platform.example/agents/7`
 * @param needs whether its URL is needed
 */
export async function findAgent(
  world: World,
  word: string,
  raw: RawAgentLimitsOptions,
  needs: { readonly endpoint: boolean },
): Promise<MeantAgent> {
  const meant = readWord(word)
  const agentId = meant.agentId ?? (raw.agentId === undefined ? undefined : readAgentNumber(raw.agentId))
  if (agentId !== undefined && (meant.endpoint !== undefined || !needs.endpoint)) {
    const platform = meant.endpoint === undefined ? meant.platform : undefined
    const place = await findPlace(world, platform === undefined ? raw : { ...raw, platform })
    return { ...place, agentId, endpoint: meant.endpoint }
  }
  const told = meant.endpoint === undefined ? (meant.platform ?? raw.platform) : raw.platform
  const chosen = await findPlatform(world, told, agentId)
  const platform = openPlatform(chosen.url, world.signal)
  const described = await platform.describe()
  const network = sameNetwork(raw, networkOf(described))
  const place = { network, local: localEconomyOf(chosen, described) }
  if (agentId !== undefined) {
    const { endpoint } = await platform.readAgent(agentId)
    if (endpoint !== null) return { ...place, agentId, endpoint }
    throw new CommandError(`agent ${agentId} has no address at ${chosen.url}`, 'is it still registered?')
  }
  const endpoint = meant.endpoint ?? ''
  return { ...place, agentId: await numberOf(platform, endpoint), endpoint }
}

/** Returns the chain to use: `--network`, else the chain of the named platform, else the local one. */
export async function findPlace(world: World, raw: RawLimitsOptions): Promise<LimitsChain> {
  const local = await findLocalEconomy(world)
  if (raw.network !== undefined) {
    const network = readNetwork(raw.network)
    // A named node is not treated as the local one, whatever its chain id: the local test key must not sign for it.
    return { network, local: local?.network === network.id && raw.rpcUrl === undefined ? local : undefined }
  }
  const isTold = raw.platform !== undefined || Boolean(world.variables['FAREBOX_PLATFORM'])
  if (isTold) {
    const chosen = await findPlatform(world, raw.platform)
    const described = await openPlatform(chosen.url, world.signal).describe()
    return { network: networkOf(described), local: localEconomyOf(chosen, described) }
  }
  if (local !== undefined) return { network: readNetwork(local.network), local }
  throw usageError(
    'which chain?',
    'give --network eip155:8453, or --platform https://platform.example whose chain it is;\nbeside a local economy its own is taken',
  )
}

export async function readSpenderDeclaration(world: World, endpoint: string): Promise<Declaration> {
  try {
    return await readAbout(endpoint, { signal: world.signal })
  } catch (error) {
    if (error instanceof AgentUnreachable || error instanceof UnusableAnswer) {
      throw new CommandError(
        `the agent at ${printable(endpoint)}: ${printable(error.message)}`,
        'nothing was signed; farebox check shows what is wrong with it',
        { cause: error },
      )
    }
    throw error
  }
}

function readWord(word: string): AgentWord {
  if (/^\d+$/.test(word)) return { agentId: readAgentNumber(word) }
  const url = readUrl('<agent>', word, {
    next: 'its address, its number, or its page at a platform: https://agent.example, 7, https://platform.example/agents/7',
  })
  const page = /^(.*)\/agents\/([1-9]\d{0,14})$/.exec(url)
  return page === null ? { endpoint: url } : { platform: page[1] ?? '', agentId: Number(page[2]) }
}

/**
 * Checks the network: an agent number is valid only on the platform's chain, and belongs to another agent on other chains.
 */
function sameNetwork({ network }: RawLimitsOptions, told: Network): Network {
  if (network === undefined || readNetwork(network).id === told.id) return told
  throw usageError(
    `--network: the platform registers agents on ${told.id}, not on ${readNetwork(network).id}`,
    'leave --network out, or give the agent’s address with --agent-id and no platform is asked',
  )
}

async function numberOf(platform: OpenPlatform, endpoint: string): Promise<number> {
  try {
    return await platform.findAgent(endpoint)
  } catch (error) {
    if (!(error instanceof PlatformRefusal) || error.status !== 404) throw error
    throw new CommandError(
      `${platform.url} lists no agent at ${printable(endpoint)}`,
      'a permission is for the number of an agent: where you know it, give --agent-id 7',
      { cause: error },
    )
  }
}

const TIMEOUT_MS = 10_000
const MOST_BYTES = 65_536

/**
 * Returns the account from which an agent spends, as its response to a price request states. The response must name the
 * same agent, chain and contract as the permission.
 *
 * @returns lower-case address
 */
export async function readAgentSpender(
  world: World,
  { endpoint, agentId, network }: MeantAgent,
  capability: string,
): Promise<string> {
  const answer = await exchange(connectionOf({ signal: world.signal }), {
    url: `${endpoint ?? ''}/execute`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Nothing else is sent: an agent in dev mode would execute a complete request.
    body: JSON.stringify({ task: { capability } }),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
  }).catch((error: unknown) => {
    if (!(error instanceof AgentUnreachable)) throw error
    throw unknownSpender(`the agent at ${printable(endpoint ?? '')}: ${printable(error.message)}`, error)
  })
  if (answer.status !== 402)
    throw unknownSpender(`the agent does not say what ${printable(capability)} costs (HTTP ${answer.status})`)
  const named = readSpender(answer.headers.get('payment-required'), {
    agentId,
    network: network.id,
    contract: SPEND_PERMISSIONS_ADDRESS,
  })
  if (named.ok) return named.spender
  throw named.kind === 'other' ? otherThanMeant(named.reason) : unknownSpender(named.reason)
}

function unknownSpender(what: string, cause?: unknown): CommandError {
  return new CommandError(
    what,
    'a permission names the account that sends the agent’s transactions: where you know it, give it as --spender 0x…',
    { cause },
  )
}

function otherThanMeant(what: string): CommandError {
  return new CommandError(
    what,
    'nothing was signed; the operator of the agent has to correct its AGENT_ID or chain',
  )
}
