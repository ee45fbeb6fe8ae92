import { printableJson } from '@farebox/conformance/internal/printable'
import { answerRun, cancelRun, pauseRun } from '@farebox/client/control-run'
import type { RunHandle } from '@farebox/client/run/run-record'
import type { RunAnswer } from '@farebox/platform-api/flows/runs'
import { systemClock } from '@farebox/protocol/time/clock'
import { EXIT, type ExitCode, usageError } from '../command-error.ts'
import type { World } from '../world.ts'
import { findRun, type FoundRun } from './find-run.ts'
import { openRunJournal } from './journal/run-journal.ts'
import { explainRun, withRunDocument } from './run/explain-run.ts'
import { draw, type RawRunCommand } from './show-run.ts'

export interface RawAnswerCommand extends RawRunCommand {
  readonly approve?: true
  readonly decline?: true
}

/** `farebox flow pause`: orders no further jobs for now. Running jobs continue. */
export async function pauseFlow(
  world: World,
  named: string | undefined,
  raw: RawRunCommand,
): Promise<ExitCode> {
  return await change(world, named, raw, async handle => await pauseRun(handle, { signal: world.signal }))
}

/** `farebox flow cancel`: orders no further jobs, and deletes unsent payments. */
export async function cancel(world: World, named: string, raw: RawRunCommand): Promise<ExitCode> {
  return await change(world, named, raw, async handle => await cancelRun(handle, { signal: world.signal }))
}

/** `farebox flow answer`: sends a person's answer to a step that asks. */
export async function answer(
  world: World,
  named: string,
  step: string,
  raw: RawAnswerCommand,
): Promise<ExitCode> {
  return await change(world, named, raw, async handle => {
    const approved = raw.approve === true
    if (approved === (raw.decline === true)) throw usageError('give --approve or --decline', '')
    return await answerRun(handle, step, approved, { signal: world.signal })
  })
}

async function change(
  world: World,
  named: string | undefined,
  raw: RawRunCommand,
  work: (handle: RunHandle) => Promise<RunAnswer>,
): Promise<ExitCode> {
  return await withRunDocument(world, raw, async () => {
    const found = await findRun(world, named, raw.platform)
    const run = await work(found.handle).catch((error: unknown) => {
      throw explainRun(world, error, found.handle.runId)
    })
    await endWhereOver(world, found, run)
    if (raw.json === true) world.out.write(`${printableJson(run)}\n`)
    else draw(world, run)
    return EXIT.done
  })
}

async function endWhereOver(world: World, { file }: FoundRun, run: RunAnswer): Promise<void> {
  const { status, paid, exposed_until: exposedUntil } = run
  if (file?.state !== 'open' || exposedUntil !== null) return
  if (status !== 'cancelled' && status !== 'completed') return
  const { request: _, payments: __, ...facts } = file
  const endedAt = Math.floor(systemClock.nowMs() / 1_000)
  await openRunJournal(world.home, systemClock).end({ ...facts, state: status, paid, endedAt })
}
