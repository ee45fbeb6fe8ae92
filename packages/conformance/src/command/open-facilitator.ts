import type { Network } from '@farebox/payments/networks'
import { isObject } from '../is-object.ts'
import { whyUnreachable } from '../agent/exchange/why-unreachable.ts'
import { openTrial, type OpenTrial } from '../facilitator/run/open-trial.ts'
import { administer, makeSecret } from '../facilitator/trial/administer.ts'
import { PAYEE, SECOND_PAYEE } from '../facilitator/trial/local-accounts.ts'
import { ask } from '../facilitator/trial/subject.ts'
import { CannotRun, type CommandWorld } from './command-world.ts'
import { findLocalEconomy, type LocalEconomy } from './local-economy.ts'
import { readChain } from './read-chain.ts'
import { readNamedFile } from './read-files.ts'
import type { FacilitatorWords } from './read-words.ts'

const TIMEOUT_MS = 15_000

/** A facilitator that can be tried, and how the trial ends. */
export interface OpenFacilitator extends OpenTrial {
  readonly network: Network
}

/**
 * Opens the trial of the facilitator that was named: looks whether it is one, whether its chain is a local one for which
 * the kit can sign, and whether it takes the secret. Throws `CannotRun` for the first of these that does not hold.
 */
export async function openFacilitator(
  world: CommandWorld,
  words: FacilitatorWords,
): Promise<OpenFacilitator> {
  const { url } = words
  const networks = await readNetworks(url, world.signal)
  const local = await findLocalEconomy(world, words.local)
  const rpcUrl = words.rpcUrl ?? local?.rpcUrl
  if (rpcUrl === undefined)
    throw new CannotRun(
      'every rule is judged by the chain as well, and none was named',
      '--rpc-url <url> names a node of its local chain, --local <folder> a local economy',
    )
  const network = await readChain(rpcUrl)
  if (!networks.includes(network.id))
    throw new CannotRun(
      `the chain of ${rpcUrl} is ${network.id}, and the facilitator settles on ${networks.join(', ') || 'none'}`,
      'start it on that chain, or name another node',
    )
  const adminToken = await readAdminToken(world, words, local)
  const payTo = words.payTo?.first ?? PAYEE.address
  const secondPayTo = words.payTo?.second ?? SECOND_PAYEE.address
  const given =
    words.secretFile === undefined ? undefined : await readNamedFile(world, '--secret-file', words.secretFile)
  const made =
    given === undefined && adminToken !== undefined
      ? await makeOwnSecret(url, adminToken, [payTo, secondPayTo])
      : undefined
  const opened = await openTrial({
    name: 'facilitator',
    url,
    rpcUrl,
    secret: given ?? made?.secret ?? '',
    payTo,
    secondPayTo,
    door: true,
    ...(adminToken !== undefined && { adminToken }),
  })
  const close = async (): Promise<void> => {
    if (made !== undefined) await administer(opened.trial, 'DELETE', `/secrets/${made.id}`)
    await opened.close()
  }
  try {
    await refuseWithoutSecret(opened)
    return { trial: opened.trial, network, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The networks of `/supported` (x402): what tells a facilitator from any other server. */
async function readNetworks(url: string, signal: AbortSignal): Promise<readonly string[]> {
  let answer: unknown
  try {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(`${url}/supported`, { signal: AbortSignal.any([timeout, signal]) })
    const text = await response.text()
    answer = response.ok ? parse(text) : undefined
  } catch (error) {
    signal.throwIfAborted()
    throw new CannotRun(
      `${url} cannot be reached: ${whyUnreachable(error)}`,
      `is the URL right, and the facilitator running? curl ${url}/supported`,
      { cause: error },
    )
  }
  const kinds: unknown = isObject(answer) ? answer['kinds'] : undefined
  if (!Array.isArray(kinds))
    throw new CannotRun(
      `what answers at ${url} is no facilitator: GET /supported does not answer with kinds`,
      'is this its address? A facilitator answers GET /supported, POST /verify and POST /settle below it',
    )
  return kinds.flatMap((kind: unknown) =>
    isObject(kind) && kind['scheme'] === 'exact' && typeof kind['network'] === 'string'
      ? [kind['network']]
      : [],
  )
}

async function readAdminToken(
  world: CommandWorld,
  { adminTokenFile, url }: FacilitatorWords,
  local: LocalEconomy | undefined,
): Promise<string | undefined> {
  if (adminTokenFile !== undefined) return await readNamedFile(world, '--admin-token-file', adminTokenFile)
  // The token of one facilitator is not shown to another.
  return local?.facilitatorUrl === url ? local.adminToken : undefined
}

async function makeOwnSecret(
  url: string,
  adminToken: string,
  wallets: readonly string[],
): Promise<{ readonly id: string; readonly secret: string }> {
  try {
    const made = await makeSecret({ subject: { url, adminToken } }, wallets)
    if (typeof made.secret === 'string') return made
    throw new TypeError('the answer has no secret')
  } catch (error) {
    throw new CannotRun(
      'the facilitator makes no secret by the token of its administration',
      '--secret-file <file> gives one that takes payments to both wallets of --pay-to',
      { cause: error },
    )
  }
}

async function refuseWithoutSecret({ trial: { subject } }: OpenTrial): Promise<void> {
  const { status } = await ask(subject, '/verify', {})
  if (status !== 401 && status !== 403) return
  throw new CannotRun(
    subject.secret === ''
      ? `the facilitator wants a secret (HTTP ${status})`
      : `the facilitator does not take the secret (HTTP ${status})`,
    '--secret-file <file> gives one that takes payments to both wallets of --pay-to',
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
