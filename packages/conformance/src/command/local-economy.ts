import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { lstat, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isObject, parseJson } from '@farebox/protocol/internal/guards/json'
import { isThisMachine } from '@farebox/protocol/internal/connection/this-machine'
import { CannotRun, type ConformanceWorld } from './command-world.ts'

/** The data of a local economy (`npm start`, `farebox dev --paid`) that the command uses. It has test money only. */
export interface TestEconomy {
  readonly folder: string
  /** `eip155:<chain id>` */
  readonly network: string
  readonly rpcUrl: string
  /** An address on this machine; empty when the file names none. */
  readonly facilitatorUrl: string
  /** The key of the test wallet, `0x` and 64 hex digits. */
  readonly payerKey: string
  /** The token for the administration of its facilitator; `undefined` when the folder has none. */
  readonly adminToken: string | undefined
}

/** Larger than every file that this project writes. */
const MAX_BYTES = 1_048_576
const MAX_TOKEN_BYTES = 1_024

/** The networks of a local economy. A real chain is never treated as local, whatever a file says. */
const LOCAL_NETWORKS: readonly string[] = ['eip155:84532', 'eip155:31337']

/**
 * Finds the local economy of `--local`, or else of `FAREBOX_LOCAL`; `undefined` when neither is given. Throws `CannotRun`
 * when that folder has none, that is, no file that a command wrote for a chain and a facilitator on this machine.
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
 * Returns `undefined` for a file that cannot be read, is too long or is not a regular file: a pipe would wait for its
 * writer, and a link could lead to another file, whose content would be sent as a token.
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
