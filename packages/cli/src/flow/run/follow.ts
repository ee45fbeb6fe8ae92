import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { type PersonQuestion, RunUnresolved } from '@farebox/client/run/run-errors'
import type { FlowResult, FollowOptions } from '@farebox/client/run/run-options'
import type { RunRecord } from '@farebox/client/run/run-record'
import type { Flow } from '@farebox/flows/document/flow'
import type { RunProgress } from '@farebox/platform-api/flows/runs'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError, EXIT, type ExitCode } from '../../command-error.ts'
import { paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import type { StartedRunFacts, RunJournal } from '../journal/run-journal.ts'
import { duration } from './step-lines.ts'
import { explainRun, resultDocument, sumsOf } from './explain-run.ts'
import { createRunScreen, type RunScreen } from './run-screen.ts'
import { notWritten } from '../../home/record-folder.ts'

export interface FollowedCommand {
  readonly flow: Flow
  readonly facts: Pick<StartedRunFacts, 'name' | 'payer' | 'maxTotal' | 'startedAt'>
  readonly journal: RunJournal
  readonly record: RunRecord | undefined
  readonly json: boolean
  /** Starts the run with the hooks for the client. */
  readonly work: (hooks: Hooks, screen: RunScreen) => Promise<FlowResult>
}

export type Hooks = Required<Pick<FollowOptions, 'onProgress' | 'journal' | 'signal'>> &
  Pick<FollowOptions, 'approve'>

/**
 * Follows a run to its end: shows it, records it before anything is sent, and reports how it ended. The run's output goes
 * to stdout, everything else to stderr.
 */
export async function followCommand(world: World, command: FollowedCommand): Promise<ExitCode> {
  const { flow, facts, journal, json } = command
  const screen = createRunScreen(world, flow)
  const began = systemClock.nowMs()
  let { record } = command
  let last: RunProgress | undefined
  const hooks: Hooks = {
    signal: world.signal,
    onProgress(run) {
      last = run
      screen.show(run)
    },
    async journal(next) {
      const isFirst = record === undefined
      await journal.write({ version: 1, state: 'open', ...facts, ...next }).catch((cause: unknown) => {
        throw notWritten(world, 'the run cannot be written down', 'nothing more was sent', cause)
      })
      record = next
      if (isFirst) world.err.write(`  ${paintFor(world.err).dim(`run ${next.runId}`)}\n\n`)
    },
    ...(world.canAsk && { approve: asked => screen.aside(() => answerOnScreen(world, asked)) }),
  }
  try {
    const result = await command.work(hooks, screen)
    screen.end()
    await end(world, command, result.run, record)
    showResult(world, result, { json, tookMs: systemClock.nowMs() - began })
    return EXIT.done
  } catch (error) {
    screen.end()
    if (last !== undefined) world.err.write('\n')
    const wasSent = command.record !== undefined || last !== undefined || error instanceof RunUnresolved
    if (!wasSent && record !== undefined) await journal.remove(record.runId)
    if (last?.status === 'cancelled' && last.exposed_until === null) await end(world, command, last, record)
    throw explainRun(world, error, wasSent ? record?.runId : undefined, last)
  }
}

/** A failed write to the journal must not lose the output: it is reported, and the run remains listed as open. */
async function end(
  world: World,
  { facts, journal }: FollowedCommand,
  { status, paid, run_id: runId }: RunProgress,
  record: RunRecord | undefined,
): Promise<void> {
  if (record === undefined || (status !== 'completed' && status !== 'cancelled')) return
  const { platformUrl, token } = record
  const endedAt = Math.floor(systemClock.nowMs() / 1_000)
  const kept = { platformUrl, ...(token !== undefined && { token }) }
  try {
    await journal.end({ version: 1, state: status, runId, ...facts, ...kept, paid, endedAt })
  } catch {
    world.err.write(
      `  the journal in ${world.home} could not be written: this run is still listed there as open\n`,
    )
  }
}

function showResult(
  world: World,
  { run, output }: FlowResult,
  { json, tookMs }: { readonly json: boolean; readonly tookMs: number },
): void {
  const { out, err } = world
  const { green, dim } = paintFor(err)
  const sums = sumsOf(run, systemClock.nowMs() / 1_000).join('')
  err.write(`\n${green('✓')} completed in ${duration(tookMs)}   ${sums}${dim(` of ${run.max_total}`)}\n`)
  out.write(
    json ? `${printableJson(resultDocument(run))}\n` : `${printableJson(output, out.live ? 2 : undefined)}\n`,
  )
}

const MOST_SHOWN = 2_000

async function answerOnScreen(world: World, { step, question, value }: PersonQuestion): Promise<boolean> {
  const text = typeof value === 'string' ? printable(value) : printableJson(value ?? null, 2)
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text
  world.err.write(`\n${shown.replace(/^/gm, '    ')}\n`)
  const answer = await world.ask.choose(question, [
    { value: 'approve', label: 'Approve' },
    { value: 'decline', label: 'Decline' },
    { value: 'later', label: 'Not now', hint: 'the run waits' },
  ])
  if (answer !== 'later') return answer === 'approve'
  throw new CommandError(`${printable(step)} waits for an answer`, 'farebox flow resume asks again', {
    exitCode: EXIT.unresolved,
  })
}
