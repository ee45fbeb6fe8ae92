import { systemClock } from '@farebox/client/internal/exchange/clock'
import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import type { Quote } from '@farebox/client/attempt/read-quote'
import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { OpenChain } from '../chain/open-chain.ts'
import type { LocalEconomy } from '../keys/local-economy.ts'
import type { ExitCode } from '../command-error.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'
import type { CallOptions } from './call-options.ts'
import { openCallJournal } from './journal/call-journal.ts'
import type { SentCall } from './journal/call-record.ts'
import { finishCall } from './outcome/finish-call.ts'
import type { CallTarget } from './target.ts'
import { journalCall } from './journal/journal-call.ts'

/** A job whose input is checked and whose price is agreed to. */
export interface PlannedJob {
  readonly target: CallTarget
  readonly input: JsonObject
  readonly options: CallOptions
  /** Undefined where the agent asks for no payment. */
  readonly payer: Payer | undefined
}

/** Who pays, and what was agreed to. */
export interface Payer {
  readonly quote: Quote
  readonly signer: PaymentSigner
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
}

/**
 * Runs the job: signs for exactly what was agreed to, journals, sends, waits, shows.
 *
 * @throws {CallFailure} when a payment was sent and brought no output
 */
export async function runJob(world: World, job: PlannedJob): Promise<ExitCode> {
  const { target, input, options, payer } = job
  const { url, declaration, name } = target
  const journal = openCallJournal(world.home, systemClock)
  let sent: SentCall | undefined
  // Nothing but the price that was shown can be signed for.
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
