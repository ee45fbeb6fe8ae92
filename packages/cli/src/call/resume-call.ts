import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { objectOf } from '@farebox/protocol/internal/guards/json'
import { basename } from 'node:path'
import { resume } from '@farebox/client/resume'
import { findNetwork } from '@farebox/payments/networks'
import { systemClock } from '@farebox/protocol/time/clock'
import { findChain } from '../chain/open-chain.ts'
import { CommandError, EXIT, type ExitCode, usageError } from '../command-error.ts'
import type { World } from '../world.ts'
import {
  type CallJournal,
  type CallRecord,
  type EndedCall,
  openCallJournal,
  type SentCall,
} from './journal/call-journal.ts'
import type { CallOptions } from './call-options.ts'
import { explainUnforeseen, explainUnpaid } from './outcome/explain-unpaid.ts'
import { finishCall } from './outcome/finish-call.ts'
import { type RecordList, tellDamaged } from '../home/record-folder.ts'
import { localEconomyBeside } from './target.ts'

/**
 * `--resume`: sends the journalled job with the journalled payment again until the agent responds. No key is read and
 * nothing is signed, so it cannot charge more than the first call could.
 *
 * @param named a job_id or its first characters; true selects the newest call without an outcome
 * @throws {CallFailure} when there is again no output
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
  try {
    return await askAgain(world, { call, journal, options })
  } catch (error) {
    // That function explains only a disallowed address better. Whether nothing was charged is never known here.
    const told = error instanceof TypeError ? explainUnpaid(error, call.agentUrl) : error
    const { jobId, capability } = call
    throw explainUnforeseen(told, { jobId, capability, stopped: world.signal.aborted })
  }
}

/** The minimum number of characters that identify a job_id. */
const LEAST_CHARACTERS = 4

function choose({ records: calls, damaged }: RecordList<CallRecord>, named: string | true): CallRecord {
  const next = 'farebox call --list shows what is journalled'
  if (named === true) {
    const [first] = calls
    if (first?.state === 'sent') return first
    throw new CommandError('every call has its outcome: there is nothing to resume', next)
  }
  const id = named.toLowerCase()
  if (id.length < LEAST_CHARACTERS) {
    throw usageError(
      `--resume: "${printable(named)}" is too short for a job_id: at least ${LEAST_CHARACTERS} of its characters are needed`,
      next,
    )
  }
  const file = damaged.find(({ path }) => basename(path).toLowerCase().startsWith(id))
  const found = calls.filter(({ jobId }) => jobId.toLowerCase().startsWith(id))
  const [only, another] = found
  if (only !== undefined && another === undefined) return only
  const shown = named.length > 40 ? 'that name' : `"${printable(named)}"`
  if (only === undefined && file !== undefined) {
    throw new CommandError(
      `the file of call ${shown} is damaged: ${file.reason}`,
      `what was paid by it is not known; look at ${file.path}`,
    )
  }
  throw another === undefined
    ? usageError(`no call ${shown} is journalled`, next)
    : usageError(`${found.length} calls begin with ${shown}`, next)
}

function showEnded({ out, err }: World, call: EndedCall, { json }: CallOptions): ExitCode {
  const { document, state } = call
  const delivered = state === 'completed'
  if (json) out.write(`${printableJson(document)}\n`)
  else if (delivered) out.write(`${printableJson(document['output'], out.live ? 2 : undefined)}\n`)
  const paid = objectOf(document['payment'])
  const transaction = textOf(paid['transaction']) ?? textOf(document['transaction'])
  // The journal stores what the agent reported; a charge named in a failure was read from the chain.
  const word = delivered ? ', says the agent' : ''
  const inTransaction = transaction === undefined ? '' : `, paid in ${transaction}${word}`
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
}

async function askAgain(world: World, { call, journal, options }: Resumed): Promise<ExitCode> {
  const { entry, declaration, capability, price, jobId } = call
  const { rpcUrl, json } = options
  const local = await localEconomyBeside(world, call.agentUrl, call.network)
  const network = findNetwork(call.network)
  const chain = network && (await findChain(world, { network, rpcUrl, local }))
  const name = printable(declaration.name)
  world.err.write(
    `  asking ${name} for job ${jobId} again, with the signed payment of ${printable(price)} USDC\n`,
  )
  // A call that was sent over http is repeated over http: refusing that would make it no safer.
  const allowHttp = options.allowHttp || call.allowHttp === true
  try {
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
  } finally {
    await chain?.close()
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? printable(value) : undefined
}
