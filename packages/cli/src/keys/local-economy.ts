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

/** The running economy on this machine, as described by its `.farebox/local.json`. */
export interface LocalEconomy {
  readonly path: string
  /** A network that satisfies {@link isLocalNetwork}. */
  readonly network: string
  readonly rpcUrl: string
  readonly platformUrl?: string
  readonly payer: { readonly address: string; readonly privateKey: string }
}

/** Much more than a file of this project, which has a few kilobytes. */
const MAX_BYTES = 1_048_576
/** The networks of a local economy. A real chain is never treated as local, whatever a file says. */
const LOCAL_NETWORKS: readonly string[] = ['eip155:84532', 'eip155:31337']

/**
 * Names the folder of an economy that is not in a `.farebox` here or in a parent folder, such as one of `npm start --
 * --folder`.
 */
const ECONOMY_FOLDER_VARIABLE = 'FAREBOX_LOCAL'

/** The chain is on this machine, so it responds quickly or not at all. */
const ANSWERS_WITHIN_MS = 2_000

/**
 * Finds the running local economy: in the folder that `FAREBOX_LOCAL` names, else in a `.farebox` here or in a parent
 * folder. Its `local.json` remains when it stops, so the file counts only while its chain responds.
 *
 * A file in another format, or with a chain that is not local or not on this machine, is ignored: another user who can
 * write to a parent folder must not receive requests for balances.
 *
 * @throws {CommandError} when `FAREBOX_LOCAL` names a folder without a running economy: a command that was meant for test
 * money must not use the person's own wallet instead
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

/** Returns the folder for an economy that is started here: the one that `FAREBOX_LOCAL` names, else `.farebox`. */
export function economyFolderOf({ folder, variables }: Pick<World, 'folder' | 'variables'>): string {
  return resolve(folder, variables[ECONOMY_FOLDER_VARIABLE] || '.farebox')
}

async function runningEconomy(path: string): Promise<LocalEconomy | undefined> {
  const file = await lstat(path).catch(() => undefined)
  // Only a regular file is read, because reading a pipe would wait for its writer.
  if (file === undefined || !file.isFile() || file.size > MAX_BYTES) return undefined
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const economy = text === undefined ? undefined : readLocalFile(path, text)
  return economy !== undefined && (await isRunning(economy)) ? economy : undefined
}

/** Returns whether the chain responds with the chain id in the file. */
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

/** Returns whether a local economy can be on this network (CAIP-2). */
export function isLocalNetwork(id: string): boolean {
  return LOCAL_NETWORKS.includes(id)
}

/** Returns whether the host of this URL is this machine. */
export function isOnLoopback(url: string): boolean {
  return canParseUrl(url) && isLoopback(new URL(url).hostname)
}
