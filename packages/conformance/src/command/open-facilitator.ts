import type { Network } from '@farebox/payments/networks'
import { unlessAborted } from '@farebox/protocol/internal/time/unless-aborted'
import { whyUnreachable } from '../agent/exchange/why-unreachable.ts'
import { openTrial, type OpenTrial } from '../facilitator/run/open-trial.ts'
import { makeOwnSecret, type OwnSecret } from '../facilitator/run/own-secret.ts'
import { readSupported } from '../facilitator/run/read-supported.ts'
import { PAYEE, SECOND_PAYEE } from '../facilitator/trial/local-accounts.ts'
import { ask } from '../facilitator/trial/subject.ts'
import { CannotRun, type ConformanceWorld } from './command-world.ts'
import { findTestEconomy, type TestEconomy } from './local-economy.ts'
import { readChain } from './read-chain.ts'
import { readNamedFile } from './read-files.ts'
import type { FacilitatorWords } from './read-words.ts'

/** A facilitator that can be tested, with the function that ends the trial. */
export interface OpenFacilitator extends OpenTrial {
  readonly network: Network
}

/**
 * Opens the trial of the given facilitator. Checks that the server is a facilitator, that its chain is a local one for
 * which the kit can sign, and that it accepts the secret for both wallets. Throws `CannotRun` for the first condition that
 * is not met.
 */
export async function openFacilitator(
  world: ConformanceWorld,
  words: FacilitatorWords,
): Promise<OpenFacilitator> {
  const { url } = words
  const { signal } = world
  const networks = await readNetworks(url, signal)
  const local = await findTestEconomy(world, words.local)
  const rpcUrl = words.rpcUrl ?? local?.rpcUrl
  if (rpcUrl === undefined)
    throw new CannotRun(
      'every rule is judged by the chain as well, and none was named',
      '--rpc-url <url> names a node of its local chain, --local <folder> a local economy',
    )
  const network = await unlessAborted(readChain(rpcUrl), signal)
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
  signal.throwIfAborted()
  const made =
    given === undefined && adminToken !== undefined
      ? await makeSecretFor(url, adminToken, [payTo, secondPayTo])
      : undefined
  let opened: OpenTrial | undefined
  // The results of the run count even when closing fails.
  const close = async (): Promise<void> => {
    await made?.revoke().catch((error: unknown) => warnOfSecret(world, error))
    await opened?.close().catch(() => undefined)
  }
  try {
    const options = { url, rpcUrl, secret: given ?? made?.secret ?? '', payTo, secondPayTo, signal }
    const opening = openTrial({
      ...options,
      name: 'facilitator',
      door: true,
      ...(adminToken !== undefined && { adminToken }),
    })
    opened = await unlessAborted(opening, signal)
    await refuseWithoutSecret(opened)
    await refuseOtherWallets(opened)
    signal.throwIfAborted()
    return { trial: opened.trial, network, close }
  } catch (error) {
    await close()
    if (signal.aborted || error instanceof CannotRun) throw error
    throw new CannotRun(`the trial cannot begin: ${whyUnreachable(error)}`, '', { cause: error })
  }
}

function warnOfSecret({ err }: ConformanceWorld, error: unknown): void {
  const why = whyUnreachable(error)
  err(`! the secret that was made for this run was not revoked: ${why}\n`)
}

/** Reads the networks of `/supported` (x402), which distinguish a facilitator from any other server. */
async function readNetworks(url: string, signal: AbortSignal): Promise<readonly string[]> {
  const { networks } = await readSupported(url, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new CannotRun(
      `${url} cannot be reached: ${whyUnreachable(error)}`,
      `is the URL right, and the facilitator running? curl ${url}/supported`,
      { cause: error },
    )
  })
  if (networks !== undefined) return networks
  throw new CannotRun(
    `what answers at ${url} is no facilitator: GET /supported does not answer with kinds`,
    'is this its address? A facilitator answers GET /supported, POST /verify and POST /settle below it',
  )
}

async function readAdminToken(
  world: ConformanceWorld,
  { adminTokenFile, url }: FacilitatorWords,
  local: TestEconomy | undefined,
): Promise<string | undefined> {
  if (adminTokenFile !== undefined) return await readNamedFile(world, '--admin-token-file', adminTokenFile)
  // The token of one facilitator must not be sent to another.
  return local?.facilitatorUrl === url ? local.adminToken : undefined
}

async function makeSecretFor(
  url: string,
  adminToken: string,
  wallets: readonly string[],
): Promise<OwnSecret> {
  try {
    return await makeOwnSecret({ url, adminToken }, wallets)
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

/** With a secret for only one of the two wallets, a correct facilitator would appear to break many rules. */
async function refuseOtherWallets({ trial }: OpenTrial): Promise<void> {
  const { url, payTo, secondPayTo, attempts } = trial.subject
  for (const wallet of [payTo, secondPayTo]) {
    const { status, reason } = await trial.verify(await trial.draft({ payTo: wallet }))
    if (reason !== 'pay_to_not_owned' && (status !== 403 || reason !== '')) continue
    const body = JSON.stringify({ owner: 'conformance', wallets: [payTo, secondPayTo] })
    throw new CannotRun(
      `the secret takes no payments to ${wallet}, and the cases pay two wallets of one owner`,
      `--admin-token-file <file> makes one for both; by hand: POST ${url}/secrets with that token and ${body}`,
    )
  }
  if (attempts.answered === 0)
    throw new CannotRun(
      `${url} answers GET /supported, and nothing to POST /verify`,
      'is it stuck? Its log may tell why',
    )
}
