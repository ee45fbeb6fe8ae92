import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { LocalChain } from './chain/start-chain.ts'
import { writeDurably } from './processes/write-durably.ts'

/**
 * The content of `local.json` in an economy's folder, for programs that use the economy while it runs. It contains test
 * keys only.
 */
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
  /** The platform; omitted when none runs. */
  readonly platform?: { readonly url: string }
  readonly agents: readonly LocalAgent[]
  /** The wallet that holds test USDC, and its key. */
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** An agent that accepts test money. */
export interface LocalAgent {
  readonly name: string
  readonly url: string
  readonly wallet: string
  readonly capabilities: readonly string[]
}

/** Describes an agent in the form of {@link LocalFile}. */
export function describeAgent(agent: {
  readonly url: string
  readonly declaration: Declaration
}): LocalAgent {
  const { name, wallet, capabilities } = agent.declaration
  return { name, url: agent.url, wallet, capabilities: Object.keys(capabilities) }
}

/**
 * Writes `local.json`, replacing the file of an earlier run. The file remains when the economy stops.
 *
 * @param folder - the folder of the economy
 * @param agents - the agents that run now: those of the economy, or those that another program serves
 */
export async function writeLocalFile(
  folder: string,
  economy: Pick<LocalFile, 'facilitator' | 'payer'> & {
    readonly chain: LocalChain
    /** The public address of the chain. */
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
 * Records in the file of a running economy that an agent takes part in it or has left. An entry with the same URL is
 * replaced, because only one agent can listen at a URL.
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
 * Reads `local.json` from an economy's folder. Returns `undefined` when the file does not exist.
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
  // The content is not validated, because this package wrote the whole file on this machine.
  return text === undefined ? undefined : (JSON.parse(text) as LocalFile)
}
