import { systemClock } from '@farebox/protocol/time/clock'
import { printable } from '@farebox/conformance/internal/printable'
import { CommandError, type ExitCode } from '../command-error.ts'
import type { World } from '../world.ts'
import { findRun } from './find-run.ts'
import { explainRun, withRunDocument } from './run/explain-run.ts'
import { checkMaxTotal, type RawRunOptions } from './run/run-options.ts'
import { readRun } from '@farebox/client/control-run'
import { resumeRun } from '@farebox/client/resume-run'
import { readRunRecord, type RunHandle } from '@farebox/client/run/run-record'
import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { findLocalEconomy, isOnLoopback } from '../keys/local-economy.ts'
import { findPayingKey, type PayingKey } from '../keys/paying-key.ts'
import { paintFor } from '../terminal/text.ts'
import { openRunJournal, type StartedRunFacts, type RunFile } from './journal/run-journal.ts'
import { followCommand } from './run/follow.ts'
import { lazySigner } from './run/lazy-signer.ts'

/**
 * `farebox flow resume`: continues a run and follows it to its end.
 *
 * @param named its id or the first characters of it; `undefined` selects the newest run started on this machine that has
 * not ended
 */
export async function resumeFlow(
  world: World,
  named: string | undefined,
  raw: RawRunOptions,
): Promise<ExitCode> {
  return await withRunDocument(world, raw, async () => {
    return await takeUpRun(world, await findRun(world, named, raw.platform), raw)
  })
}

/**
 * Continues a run from its local record, or else from the platform's data. The payments that it requests are signed with
 * the key that paid for it before, if that key is available.
 */
async function takeUpRun(
  world: World,
  { handle, file }: { readonly handle: RunHandle; readonly file: RunFile | undefined },
  raw: RawRunOptions,
): Promise<ExitCode> {
  const { flow, facts } = await knownOf(world, handle, file)
  const maxTotal = checkMaxTotal(raw.maxTotal) ?? facts.maxTotal
  const key = await payerOf(world, handle, facts.payer, raw)
  const { err } = world
  err.write(`${paintFor(err).bold(printable(flow.name))}   ${paintFor(err).dim(`run ${handle.runId}`)}\n\n`)
  const record = file?.state === 'open' ? file : { ...handle, payments: [] }
  return await followCommand(world, {
    flow,
    facts: { ...facts, maxTotal },
    journal: openRunJournal(world.home, systemClock),
    record,
    json: raw.json === true,
    work: async (hooks, screen) =>
      await resumeRun(file?.state === 'open' ? file : handle, {
        ...hooks,
        maxTotal,
        ...(key !== undefined && { signer: lazySigner(key, screen) }),
        ...(raw.payAgain === true && { payAgain: true }),
      }),
  })
}

interface Known {
  readonly flow: Flow
  readonly facts: Pick<StartedRunFacts, 'name' | 'payer' | 'maxTotal' | 'startedAt'>
}

async function knownOf(world: World, handle: RunHandle, file: RunFile | undefined): Promise<Known> {
  const recorded = file?.state === 'open' ? readRunRecord(file) : undefined
  if (file !== undefined && recorded !== undefined) {
    const { name, payer, maxTotal, startedAt } = file
    return { flow: recorded.flow, facts: { name, payer, maxTotal, startedAt } }
  }
  const run = await readRun(handle, { signal: world.signal }).catch((error: unknown) => {
    throw explainRun(world, error, handle.runId)
  })
  const read = readFlow(run.flow)
  if (!read.ok)
    throw new CommandError('the flow of the run cannot be read here', 'is this version of farebox older?')
  const { payer, max_total: maxTotal, created_at: createdAt } = run
  return {
    flow: read.flow,
    facts: { name: read.flow.name, payer: payer ?? '', maxTotal, startedAt: Math.floor(createdAt) },
  }
}

/** Returns `undefined` when the key is not available; the run may need no more signatures. */
async function payerOf(
  world: World,
  { platformUrl }: RunHandle,
  payer: string,
  { wallet, passwordFile }: RawRunOptions,
): Promise<PayingKey | undefined> {
  const local = isOnLoopback(platformUrl) ? await findLocalEconomy(world) : undefined
  const key = await findPayingKey(world, { wallet, passwordFile, local }).catch((error: unknown) => {
    if (wallet !== undefined || !(error instanceof CommandError)) throw error
    return undefined
  })
  if (key === undefined || payer === '' || key.address.toLowerCase() === payer.toLowerCase()) return key
  if (wallet === undefined) return undefined
  throw new CommandError(`${payer} pays for this run, the wallet is ${key.address}`, 'nothing was signed')
}
