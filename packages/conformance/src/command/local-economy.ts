import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { lstat, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import { isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { CannotRun, type ConformanceWorld } from './command-world.ts'

/** What is used of a local economy (`npm start`, `farebox dev --paid`): test money alone. */
export interface TestEconomy {
  readonly folder: string
  /** `eip155:<chain id>` */
  readonly network: string
  readonly rpcUrl: string
  /** On this machine; empty where the file names none. */
  readonly facilitatorUrl: string
  /** `0x` and 64 hex digits: of the test wallet. */
  readonly payerKey: string
  /** Opens the administration of its facilitator; undefined where none is kept there. */
  readonly adminToken: string | undefined
}

/** Files of ours are a few kilobytes. */
const MAX_BYTES = 1_048_576
const MAX_TOKEN_BYTES = 1_024

/** What a local economy can run on: a real chain is never called local, whatever a file says. */
const LOCAL_NETWORKS: readonly string[] = ['eip155:84532', 'eip155:31337']

/**
 * The local economy of `--local`, else of `FAREBOX_LOCAL`; undefined where neither is given. Throws `CannotRun` where
 * that folder has none: a file that a command made for a chain and a facilitator on this machine.
 */
export async function findTestEconomy(
  { folder, variables }: Pick<ConformanceWorld, 'folder' | 'variables'>,
  option: string | undefined,
): Promise<TestEconomy | undefined> {
  const named = option ?? (variables['FAREBOX_LOCAL'] || undefined)
  if (named === undefined) return undefined
  const path = resolve(folder, named)
  const text = await readPlainFile(join(path, 'local.json'), MAX_BYTES)
  const economy = text === undefined ? undefined : readLocalFile(text)
  if (economy === undefined) {
    const given = option === undefined ? 'FAREBOX_LOCAL' : '--local'
    throw new CannotRun(
      `${given}: ${path} is not the folder of a local economy`,
      'the one with local.json in it: .farebox, beside what npm start or farebox dev --paid runs',
    )
  }
  const token = (await readPlainFile(join(path, 'facilitator', 'admin-token'), MAX_TOKEN_BYTES))?.trim()
  return { ...economy, folder: path, adminToken: token === '' ? undefined : token }
}

/**
 * Undefined where it cannot be read, is too long or is no file of its own: a pipe would wait for its writer,
 * and a link could lead to another file, which would be sent as a token.
 */
async function readPlainFile(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await lstat(path).catch(() => undefined)
  if (file === undefined || !file.isFile() || file.size > maxBytes) return undefined
  return await readFile(path, 'utf8').catch(() => undefined)
}

function readLocalFile(text: string): Omit<TestEconomy, 'folder' | 'adminToken'> | undefined {
  const file = parseJson(text)
  if (!isObject(file)) return undefined
  const { chain, payer, facilitator } = file
  if (!isObject(chain) || !isObject(payer)) return undefined
  const { network, rpcUrl } = chain
  const { privateKey } = payer
  if (typeof network !== 'string' || !LOCAL_NETWORKS.includes(network)) return undefined
  if (typeof rpcUrl !== 'string' || !isOnThisMachine(rpcUrl)) return undefined
  if (typeof privateKey !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(privateKey)) return undefined
  const { url } = isObject(facilitator) ? facilitator : {}
  const facilitatorUrl = typeof url === 'string' ? url : ''
  if (facilitatorUrl !== '' && !isOnThisMachine(facilitatorUrl)) return undefined
  return { network, rpcUrl, facilitatorUrl, payerKey: privateKey }
}

function isOnThisMachine(url: string): boolean {
  return canParseUrl(url) && isThisMachine(new URL(url).hostname)
}
