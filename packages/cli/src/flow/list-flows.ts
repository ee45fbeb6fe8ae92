import { systemClock } from '@farebox/protocol/time/clock'
import { printable, printableJson } from '@farebox/conformance/internal/printable'
import { runsAnswer, type RunsAnswer } from '@farebox/platform-api/flows/runs'
import { flowsAnswer, type FlowsAnswer } from '@farebox/platform-api/flows/saved-flows'
import { liveSession } from '../home/session-file.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { createAskPlatform, PlatformRefusal } from '../register/platform/ask-platform.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import { asTyped, fit, many, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { openRunJournal, type RunFile } from './journal/run-journal.ts'
import { withRunDocument } from './run/explain-run.ts'
import type { RawRunCommand } from './show-run.ts'
import { tellDamaged } from '../home/record-folder.ts'

interface Account {
  readonly platform: string
  readonly address: string
  readonly flows: FlowsAnswer['flows']
  readonly runs: RunsAnswer['runs']
}

const SHOWN = 20

/**
 * `farebox flow list`: lists the runs started on this machine. With a session at the platform, also lists the saved flows
 * and all runs of the signed-in address.
 */
export async function listFlows(world: World, raw: RawRunCommand): Promise<ExitCode> {
  return await withRunDocument(world, raw, async () => {
    const { records: runs, damaged } = await openRunJournal(world.home, systemClock).list()
    const account = await readAccount(world, raw.platform)
    if (raw.json === true) {
      world.out.write(`${printableJson(documentOf(account, runs, damaged))}\n`)
      return EXIT.done
    }
    if (account !== undefined) drawFlows(world, account)
    drawRuns(world, merge(account?.runs ?? [], runs))
    tellDamaged(world, damaged)
    if (account === undefined)
      world.err.write(`\n  ${asTyped(world, 'farebox login')} shows what you have saved and run elsewhere\n`)
    return EXIT.done
  })
}

/** Returns `undefined` when there is no session, or no platform is known. */
async function readAccount(world: World, platform: string | undefined): Promise<Account | undefined> {
  const url = await findPlatform(world, platform).then(
    found => found.url,
    (error: unknown) => {
      if (platform !== undefined || !(error instanceof CommandError)) throw error
      return undefined
    },
  )
  const session = url === undefined ? undefined : await liveSession(world.home, url)
  if (url === undefined || session === undefined) return undefined
  const ask = createAskPlatform(url, world.signal)
  const { token, address } = session
  try {
    const [{ flows }, { runs }] = await Promise.all([
      ask({ path: `/v1/flows?limit=${SHOWN}`, token, schema: flowsAnswer }),
      ask({ path: `/v1/me/runs?limit=${SHOWN}`, token, schema: runsAnswer }),
    ])
    return { platform: url, address, flows, runs }
  } catch (error) {
    if (error instanceof PlatformRefusal && error.status === 401) return undefined
    throw error
  }
}

interface Row {
  readonly runId: string
  readonly name: string
  readonly status: string
  readonly paid: string | undefined
  readonly startedAt: number
}

/**
 * Merges both lists. The platform's data takes precedence; a run that it does not list has not paid yet, or was started at
 * another platform.
 */
function merge(listed: RunsAnswer['runs'], kept: readonly RunFile[]): readonly Row[] {
  const rows = new Map<string, Row>()
  for (const file of kept) {
    const { runId, name, startedAt, state } = file
    const paid = file.state === 'open' ? undefined : file.paid
    rows.set(runId, { runId, name, status: state, paid, startedAt })
  }
  for (const { run_id: runId, name, status, paid, created_at: startedAt } of listed)
    rows.set(runId, { runId, name, status, paid, startedAt })
  const isOpen = ({ status }: Row): number => (['completed', 'cancelled', 'failed'].includes(status) ? 1 : 0)
  return [...rows.values()].toSorted(
    (one, other) => isOpen(one) - isOpen(other) || other.startedAt - one.startedAt,
  )
}

function drawFlows({ out }: World, { flows, platform }: Account): void {
  const { bold, dim, yellow } = paintFor(out)
  out.write(`${bold('Flows')}   ${dim(`saved at ${platform}`)}\n`)
  if (flows.length === 0) out.write(`  ${dim('none')}\n`)
  const names = Math.min(40, Math.max(0, ...flows.map(({ name }) => name.length)))
  for (const { name, jobs, price, changed_at: changedAt, broken } of flows) {
    const size = many(jobs, 'job').padStart(8)
    const note = broken ? `  ${yellow('! has a problem to fix')}` : ''
    out.write(
      `  ${fit(printable(name), names)}  ${size}  ${price.padStart(10)} USDC  ${dim(when(changedAt))}${note}\n`,
    )
  }
  out.write('\n')
}

function drawRuns(world: World, rows: readonly Row[]): void {
  const { out } = world
  const { bold, dim, yellow } = paintFor(out)
  out.write(`${bold('Runs')}\n`)
  if (rows.length === 0) return out.write(`  ${dim('none')}\n`)
  const shown = rows.slice(0, SHOWN)
  const names = Math.min(40, Math.max(0, ...shown.map(({ name }) => name.length)))
  for (const { runId, name, status, paid, startedAt } of shown) {
    const state = status.padEnd(9)
    const isWaiting = status === 'open' || status === 'waiting' || status === 'paused'
    const cells = [
      runId.slice(0, 8),
      isWaiting ? yellow(state) : state,
      fit(printable(name), names),
      `${(paid ?? '').padStart(10)} ${paid === undefined ? '    ' : 'USDC'}`,
      dim(when(startedAt)),
    ]
    out.write(`  ${cells.join('  ')}\n`)
  }
  if (rows.length > shown.length) out.write(`  ${dim(`and ${rows.length - shown.length} more`)}\n`)
  if (rows.some(({ status }) => status === 'open' || status === 'waiting' || status === 'paused'))
    world.err.write(`\n  ${asTyped(world, 'farebox flow show')} <run> shows why a run waits\n`)
}

function documentOf(
  account: Account | undefined,
  runs: readonly RunFile[],
  damaged: readonly { readonly path: string; readonly reason: string }[],
): object {
  return {
    ok: true,
    ...(account !== undefined && {
      platform: account.platform,
      address: account.address,
      flows: account.flows,
      runs: account.runs,
    }),
    started_here: runs.map(file => ({
      run_id: file.runId,
      platform: file.platformUrl,
      name: file.name,
      state: file.state,
      payer: file.payer,
      max_total: file.maxTotal,
      started_at: file.startedAt,
      ...(file.state !== 'open' && { paid: file.paid, ended_at: file.endedAt }),
    })),
    damaged,
  }
}

function when(seconds: number): string {
  const moment = new Date(seconds * 1_000)
  return `${moment.toLocaleDateString('en-CA')} ${moment.toLocaleTimeString('en-GB').slice(0, 5)}`
}
