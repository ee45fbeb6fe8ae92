import { printable } from '@farebox/conformance/internal/printable'
import { objectOf, parseJson } from '@farebox/protocol/internal/guards/json'
import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { lstat, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isLoopback } from '@farebox/client/internal/agent/agent-url'
import { isAddress } from '@farebox/payments/crypto/address'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { CommandError } from '../command-error.ts'
import type { World } from '../world.ts'

/** The economy that runs on this machine, as its `.farebox/local.json` tells it. */
export interface LocalEconomy {
  readonly path: string
  /** One of {@link isLocalNetwork}. */
  readonly network: string
  readonly rpcUrl: string
  readonly platformUrl?: string
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** A file of ours is a few kilobytes. */
const MAX_BYTES = 1_048_576
/** What a local economy can run on. A real chain is never called local, whatever a file says. */
const LOCAL_NETWORKS: readonly string[] = ['eip155:84532', 'eip155:31337']

/** Names the folder of an economy that is not in a `.farebox` here or above: `npm start -- --folder` made it. */
const ECONOMY_FOLDER_VARIABLE = 'FAREBOX_LOCAL'

/** The chain is on this machine: it answers at once, or not at all. */
const ANSWERS_WITHIN_MS = 2_000

/**
 * The local economy that runs now: in the folder that `FAREBOX_LOCAL` names, else in a `.farebox` here or in a folder
 * above. Its `local.json` stays when it stops, and so counts only while its chain answers.
 *
 * A file that is not one of ours, or whose chain is not on this machine or no local one, counts as none: somebody who can
 * write to a folder above must not be asked for balances.
 *
 * @throws {CommandError} where `FAREBOX_LOCAL` names a folder in which none runs: a command that was meant for test money
 *   must not take a wallet of one's own instead
 */
export async function findLocalEconomy({
  folder,
  variables,
}: Pick<World, 'folder' | 'variables'>): Promise<LocalEconomy | undefined> {
  const named = variables[ECONOMY_FOLDER_VARIABLE] || undefined
  if (named !== undefined) {
    const path = resolve(folder, named)
    const running = await runningEconomy(join(path, 'local.json'))
    if (running !== undefined) return running
    throw new CommandError(
      `${ECONOMY_FOLDER_VARIABLE} names ${printable(path)}, where no local economy runs`,
      `start it, or unset ${ECONOMY_FOLDER_VARIABLE} to do without its test money`,
    )
  }
  for (let here = folder; ; here = dirname(here)) {
    const found = await runningEconomy(join(here, '.farebox', 'local.json'))
    if (found !== undefined || dirname(here) === here) return found
  }
}

/** Where an economy that is started here keeps everything: the folder that `FAREBOX_LOCAL` names, else `.farebox`. */
export function economyFolderOf({ folder, variables }: Pick<World, 'folder' | 'variables'>): string {
  return resolve(folder, variables[ECONOMY_FOLDER_VARIABLE] || '.farebox')
}

async function runningEconomy(path: string): Promise<LocalEconomy | undefined> {
  const file = await lstat(path).catch(() => undefined)
  // Reading a pipe would wait for its writer.
  if (file === undefined || !file.isFile() || file.size > MAX_BYTES) return undefined
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const economy = text === undefined ? undefined : readLocalFile(path, text)
  return economy !== undefined && (await isRunning(economy)) ? economy : undefined
}

/** Does its chain answer, as the chain that the file says it is? */
async function isRunning({ rpcUrl, network }: LocalEconomy): Promise<boolean> {
  const rpc = createJsonRpc(rpcUrl)
  try {
    const chainId = await rpc.call('eth_chainId', [], { timeoutMs: ANSWERS_WITHIN_MS })
    return typeof chainId === 'string' && network === `eip155:${Number(chainId)}`
  } catch {
    return false
  } finally {
    await rpc.close()
  }
}

function readLocalFile(path: string, text: string): LocalEconomy | undefined {
  const file = objectOf(parseJson(text))
  const [chain, payer] = [objectOf(file['chain']), objectOf(file['payer'])]
  const { network, rpcUrl } = chain
  const { address, privateKey } = payer
  if (typeof network !== 'string' || !isLocalNetwork(network)) return undefined
  if (typeof rpcUrl !== 'string' || !isOnLoopback(rpcUrl)) return undefined
  if (!isAddress(address) || typeof privateKey !== 'string') return undefined
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) return undefined
  const { url: platformUrl } = objectOf(file['platform'])
  return {
    path,
    network,
    rpcUrl,
    payer: { address: address.toLowerCase(), privateKey },
    ...(typeof platformUrl === 'string' && isOnLoopback(platformUrl) ? { platformUrl } : {}),
  }
}

/** Can a local economy be on this network (CAIP-2)? */
export function isLocalNetwork(id: string): boolean {
  return LOCAL_NETWORKS.includes(id)
}

/** Is this URL's host this machine itself? */
export function isOnLoopback(url: string): boolean {
  return canParseUrl(url) && isLoopback(new URL(url).hostname)
}
