import { printable } from '@farebox/conformance/internal/printable'
import { readAbout } from '@farebox/client/agent/read-about'
import type { Quote } from '@farebox/client/attempt/read-quote'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { systemClock } from '@farebox/protocol/time/clock'
import { findChain, type OpenChain } from '../chain/open-chain.ts'
import { findPayingKey } from '../keys/paying-key.ts'
import { type ExitCode, usageError } from '../command-error.ts'
import type { World } from '../world.ts'
import { agreePrice, limitPrice } from './agree-price.ts'
import type { CallOptions, RawCallOptions } from './call-options.ts'
import { chooseCalled } from './choose-capability.ts'
import { showDryRun } from './dry-run.ts'
import { explainUnpaid } from './outcome/explain-unpaid.ts'
import { readInput } from './input/read-input.ts'
import { showAgent, showCapability } from './show-capability.ts'
import { askCallPrice, type CallTarget, localEconomyBeside } from './target.ts'
import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { LocalEconomy } from '../keys/local-economy.ts'
import { journalCall, openCallJournal, type SentCall } from './journal/call-journal.ts'
import { finishCall } from './outcome/finish-call.ts'

export interface CallArguments {
  /** The positional arguments: URL, capability, fields. */
  readonly args: readonly string[]
  readonly raw: RawCallOptions
  readonly options: CallOptions
}

/**
 * Makes a new call: reads `/about`, chooses the capability, reads the input, requests the price, asks for agreement, pays
 * and runs the job. With `--help` or `--dry-run` it stops earlier.
 */
export async function callAgent(world: World, { args, raw, options }: CallArguments): Promise<ExitCode> {
  const { url, named, fields } = splitArguments(args)
  try {
    const declaration = await readAbout(url, { allowHttp: options.allowHttp, signal: world.signal })
    const several = Object.keys(declaration.capabilities).length > 1
    if (raw.help === true && named === undefined && several) return showAgent(world, url, declaration)
    const name = await chooseCalled(world, declaration, named)
    const target = { url, declaration, name, capability: capabilityOf(declaration, name) }
    if (raw.help === true) return showCapability(world, target)
    const given = { args: fields, named: raw.field ?? [], input: raw.input }
    if (raw.dryRun === true) return await showDryRun(world, target, given, options)
    const input = await readInput(world, given, target.capability)
    return await payAndRun(world, { target, input, options })
  } catch (error) {
    throw explainUnpaid(error, url)
  }
}

function splitArguments(args: readonly string[]): {
  readonly url: string
  readonly named: string | undefined
  readonly fields: readonly string[]
} {
  const [url, second, ...rest] = args
  if (url === undefined || url.startsWith('-')) {
    const got = url === undefined ? '' : `, got ${printable(url.split('=', 1)[0] ?? '').slice(0, 40)}`
    throw usageError(
      `the agent's URL comes first${got}`,
      'farebox call http://localhost:3001 --help tells what it does',
    )
  }
  if (second === undefined || second.startsWith('-')) return { url, named: undefined, fields: args.slice(1) }
  return { url, named: second, fields: rest }
}

function capabilityOf({ capabilities }: Declaration, name: string): Capability {
  const capability = capabilities[name]
  if (capability === undefined) throw new Error(`the capability ${name} was chosen and is not there`)
  return capability
}

async function payAndRun(world: World, job: Omit<PlannedJob, 'payer'>): Promise<ExitCode> {
  const price = await askCallPrice(world, job.target, job.options)
  if (price === undefined) {
    world.err.write('  free: this agent is in dev mode\n')
    return await runJob(world, { ...job, payer: undefined })
  }
  limitPrice(world, price, job.options.maxPriceAtomic)
  const payer = await agree(world, job.target, price, job.options)
  try {
    return await runJob(world, { ...job, payer })
  } finally {
    await payer.chain?.close()
  }
}

async function agree(
  world: World,
  { url, declaration }: CallTarget,
  quote: Quote,
  { maxPriceAtomic, wallet, passwordFile, rpcUrl }: CallOptions,
): Promise<Payer> {
  const local = await localEconomyBeside(world, url, quote.network.id)
  const key = await findPayingKey(world, { wallet, passwordFile, local })
  const chain = await findChain(world, { network: quote.network, rpcUrl, local })
  try {
    const agent = { agentUrl: url, agentName: declaration.name }
    await agreePrice(world, { quote, ...agent, key, chain, local, maxPriceAtomic })
    return { quote, signer: await key.unlock(), chain, local }
  } catch (error) {
    await chain?.close()
    throw error
  }
}

/** A job with a checked input and an agreed price. */
interface PlannedJob {
  readonly target: CallTarget
  readonly input: JsonObject
  readonly options: CallOptions
  /** `undefined` when the agent asks for no payment. */
  readonly payer: Payer | undefined
}

interface Payer {
  readonly quote: Quote
  readonly signer: PaymentSigner
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
}

/**
 * Runs the job: signs a payment for exactly the agreed terms, writes the journal, sends the request, waits, and shows the
 * result.
 *
 * @throws {CallFailure} when a payment was sent and no output was received
 */
async function runJob(world: World, job: PlannedJob): Promise<ExitCode> {
  const { target, input, options, payer } = job
  const { url, declaration, name } = target
  const journal = openCallJournal(world.home, systemClock)
  let sent: SentCall | undefined
  // Only the price that was shown can be signed.
  const payment = payer && {
    signer: payer.signer,
    maxPrice: formatUsdc(payer.quote.amountAtomic),
    networks: [payer.quote.network.id],
    journal: async (entry: JournalEntry) => {
      sent = await journalCall(world, journal, sentCall(job.options, target, payer, entry))
    },
  }
  const { allowHttp, deadlineSeconds, json } = options
  const deadline = deadlineSeconds === undefined ? {} : { deadlineSeconds }
  const connection = { allowHttp, signal: world.signal }
  return await finishCall(world, {
    work: () => execute({ url, declaration }, name, input, { ...connection, ...deadline, ...payment }),
    capability: name,
    waiting: `${printable(declaration.name)} is at work`,
    sent: () => sent,
    resumed: false,
    journal,
    chain: payer?.chain,
    local: payer?.local,
    json,
  })
}

function sentCall(
  { allowHttp }: CallOptions,
  { declaration, name, capability }: CallTarget,
  { quote, signer }: Payer,
  entry: JournalEntry,
): SentCall {
  return {
    version: 1,
    state: 'sent',
    jobId: entry.jobId,
    agentUrl: entry.agentUrl,
    capability: name,
    declaration: { ...declaration, capabilities: { [name]: capability } },
    price: formatUsdc(quote.amountAtomic),
    network: quote.network.id,
    payer: signer.address,
    payTo: quote.payTo,
    ...(allowHttp ? { allowHttp } : {}),
    startedAt: Math.floor(systemClock.nowMs() / 1_000),
    entry,
  }
}
