import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { LocalChain } from './chain/start-chain.ts'
import { writeDurably } from './processes/write-durably.ts'

/** The content of `local.json` in an economy's folder, for programs that use it while it runs. Test keys only. */
export interface LocalFile {
  readonly chain: {
    readonly rpcUrl: string
    readonly chainId: number
    /** `eip155:<chain id>` */
    readonly network: string
    readonly usdc: `0x${string}`
    readonly multicall3: string
    /** The registry contract, which holds the stakes (D36). */
    readonly agentRegistry: string
  }
  readonly facilitator: { readonly url: string }
  /** The platform; absent where none runs. */
  readonly platform?: { readonly url: string }
  readonly agents: readonly LocalAgent[]
  /** The wallet that holds test USDC, and its key. */
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** An agent that takes test money. */
export interface LocalAgent {
  readonly name: string
  readonly url: string
  readonly wallet: string
  readonly capabilities: readonly string[]
}

/** An agent as {@link LocalFile} tells it. */
export function describeAgent(agent: {
  readonly url: string
  readonly declaration: Declaration
}): LocalAgent {
  const { name, wallet, capabilities } = agent.declaration
  return { name, url: agent.url, wallet, capabilities: Object.keys(capabilities) }
}

/**
 * Writes `local.json`, over the one of an earlier run. It stays when the economy stops.
 *
 * @param folder - the economy's
 * @param agents - those that run now: the economy's own or, where somebody else serves them, theirs
 */
export async function writeLocalFile(
  folder: string,
  economy: Pick<LocalFile, 'facilitator' | 'payer'> & {
    readonly chain: LocalChain
    /** The chain's, for everybody. */
    readonly rpcUrl: string
    readonly platform?: { readonly url: string } | undefined
  },
  agents: readonly LocalAgent[],
): Promise<void> {
  const { rpcUrl } = economy
  const { chainId, usdc, multicall3, agentRegistry } = economy.chain
  const { address, privateKey } = economy.payer
  const file: LocalFile = {
    chain: { rpcUrl, chainId, network: `eip155:${chainId}`, usdc, multicall3, agentRegistry },
    facilitator: { url: economy.facilitator.url },
    ...(economy.platform && { platform: { url: economy.platform.url } }),
    agents,
    payer: { address, privateKey },
  }
  await replaceFile(folder, file)
}

/**
 * Says of a running economy that an agent takes part in it, or no longer does. Another agent at its URL is gone, for
 * nobody else can be there.
 *
 * @param change the agent, or the URL of the one that left
 */
export async function changeLocalAgents(
  folder: string,
  change: { readonly joined: LocalAgent } | { readonly left: string },
): Promise<void> {
  const file = await readLocalFile(folder)
  if (file === undefined) return
  const url = 'joined' in change ? change.joined.url : change.left
  const others = file.agents.filter(agent => agent.url !== url)
  await replaceFile(folder, { ...file, agents: 'joined' in change ? [...others, change.joined] : others })
}

async function replaceFile(folder: string, file: LocalFile): Promise<void> {
  await writeDurably(join(folder, 'local.json'), `${JSON.stringify(file, null, 2)}\n`, 0o600)
}

/**
 * Reads `local.json` of an economy's folder; undefined where there is none.
 *
 * @example
 * ```ts
 * import { readLocalFile } from '@farebox/local/local-file'
 *
 * const economy = await readLocalFile('.farebox')
 * if (economy === undefined) console.log('none was started here')
 * else console.log(economy.chain.rpcUrl, economy.agents.map(({ url }) => url))
 * ```
 */
export async function readLocalFile(folder: string): Promise<LocalFile | undefined> {
  const text = await readFile(join(folder, 'local.json'), 'utf8').catch(() => undefined)
  // Written by ourselves, whole, on this machine.
  return text === undefined ? undefined : (JSON.parse(text) as LocalFile)
}
