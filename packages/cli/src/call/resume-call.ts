import { systemClock } from '@farebox/client/clock'
import { resume } from '@farebox/client/resume'
import { findNetwork } from '@farebox/payments/networks'
import { findChain, type OpenChain } from '../chain/open-chain.ts'
import type { LocalEconomy } from '../keys/local-economy.ts'
import { EXIT, Refusal, type ExitCode } from '../refusal.ts'
import { printable } from '../terminal/printable.ts'
import { printableJson } from '../terminal/printable-json.ts'
import type { World } from '../world.ts'
import { openCallJournal, type CallJournal, type CallList } from './call-journal.ts'
import type { CallOptions } from './call-options.ts'
import type { CallRecord, EndedCall, SentCall } from './call-record.ts'
import { explainUnpaid } from './explain-unpaid.ts'
import { finishCall } from './finish-call.ts'
import { tellDamaged } from './list-calls.ts'
import { localOf } from './target.ts'

/**
 * `--resume`: sends the journalled job with the journalled payment again until the agent answers. No key is
 * looked for and nothing is signed, so it can charge nothing that the first call could not.
 *
 * @param named a job_id or its beginning; true: the newest call without an outcome
 * @throws {CallFailure} when it brings no output again
 */
export async function resumeCall(
  world: World,
  named: string | true,
  options: CallOptions,
): Promise<ExitCode> {
  const journal = openCallJournal(world.home, systemClock)
  const list = await journal.list()
  tellDamaged(world, list.damaged)
  const call = choose(list, named)
  if (call.state !== 'sent') return showEnded(world, call, options)
  const local = await localOf(world, call.agentUrl, call.network)
  const network = findNetwork(call.network)
  const { rpcUrl } = options
  const chain = network && (await findChain(world, { network, rpcUrl, local }))
  try {
    return await askAgain(world, { call, journal, options, chain, local })
  } catch (error) {
    throw explainUnpaid(error, call.agentUrl)
  } finally {
    await chain?.close()
  }
}

/** The fewest characters of a job_id that are taken for it. */
const LEAST_CHARACTERS = 4

function choose({ calls }: CallList, named: string | true): CallRecord {
  const next = 'farebox call --list shows what is journalled'
  if (named === true) {
    const [first] = calls
    if (first?.state === 'sent') return first
    throw new Refusal('no call is without its outcome: there is nothing to resume', next)
  }
  const id = named.toLowerCase()
  const found = calls.filter(({ jobId }) => jobId.toLowerCase().startsWith(id))
  const [only, another] = found
  if (only !== undefined && another === undefined && id.length >= LEAST_CHARACTERS) return only
  const shown = named.length > 40 ? 'that name' : `"${printable(named)}"`
  throw another === undefined
    ? new Refusal(`no call ${shown} is journalled`, next, { exitCode: EXIT.usage })
    : new Refusal(`${found.length} calls begin with ${shown}`, next, { exitCode: EXIT.usage })
}

function showEnded({ out, err }: World, call: EndedCall, { json }: CallOptions): ExitCode {
  const { document, state } = call
  const delivered = state === 'completed'
  if (json) out.write(`${printableJson(document)}\n`)
  else if (delivered) out.write(`${printableJson(document['output'], out.live ? 2 : undefined)}\n`)
  const paid = objectOf(document['payment'])
  const transaction = textOf(paid['transaction']) ?? textOf(document['transaction'])
  const inTransaction = transaction === undefined ? '' : `, paid in ${transaction}`
  if (delivered) {
    err.write(`  already answered${inTransaction}\n`)
    return EXIT.done
  }
  const reason = textOf(objectOf(document['error'])['message']) ?? 'it failed'
  err.write(`  already ended: ${reason}${document['charged'] === 'no' ? ' (not charged)' : inTransaction}\n`)
  return EXIT.refused
}

interface Resumed {
  readonly call: SentCall
  readonly journal: CallJournal
  readonly options: CallOptions
  readonly chain: OpenChain | undefined
  readonly local: LocalEconomy | undefined
}

async function askAgain(world: World, { call, journal, options, chain, local }: Resumed): Promise<ExitCode> {
  const { entry, declaration, capability, price, jobId } = call
  const { allowHttp, json } = options
  const name = printable(declaration.name)
  world.err.write(
    `  asking ${name} for job ${jobId} again, with the payment of ${printable(price)} USDC signed for it before\n`,
  )
  return await finishCall(world, {
    work: () => resume(entry, { declaration, allowHttp, signal: world.signal }),
    capability,
    waiting: `${name} is at work`,
    sent: () => call,
    resumed: true,
    journal,
    chain,
    local,
    json,
  })
}

function objectOf(value: unknown): { readonly [key: string]: unknown } {
  // Read by key alone, and every value is checked.
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? printable(value) : undefined
}
