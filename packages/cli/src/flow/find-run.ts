import { systemClock } from '@farebox/protocol/time/clock'
import { printable } from '@farebox/conformance/internal/printable'
import type { RunHandle } from '@farebox/client/run/run-record'
import { liveSession } from '../home/session-file.ts'
import { CommandError, usageError } from '../command-error.ts'
import { findPlatform } from '../register/platform/find-platform.ts'
import type { World } from '../world.ts'
import { openRunJournal, type RunFile } from './journal/run-journal.ts'
import { type RecordList, tellDamaged } from '../home/record-folder.ts'

/** A selected run with the means to access it. */
export interface FoundRun {
  readonly handle: RunHandle
  /** The local record of the run; `undefined` when it was started elsewhere. */
  readonly file: RunFile | undefined
}

/** The minimum number of characters that identify a run. */
const LEAST_CHARACTERS = 4
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Finds a run: by its id or its first characters among the runs started on this machine, or by its whole id among those of
 * the signed-in address.
 *
 * @param named `undefined` selects the newest run that has not ended
 */
export async function findRun(
  world: World,
  named: string | undefined,
  platform: string | undefined,
): Promise<FoundRun> {
  const list = await openRunJournal(world.home, systemClock).list()
  tellDamaged(world, list.damaged)
  if (named === undefined) return openedBy(newest(list))
  const id = named.toLowerCase()
  if (id.length < LEAST_CHARACTERS || !/^[0-9a-f-]+$/.test(id))
    throw usage(`"${printable(named.slice(0, 40))}" is no run id, nor the beginning of one`)
  const found = list.records.filter(({ runId }) => runId.toLowerCase().startsWith(id))
  const [only, another] = found
  if (another !== undefined) throw usage(`${found.length} runs begin with "${id}"`)
  if (only !== undefined) return openedBy(only)
  if (UUID.test(id)) return await openedBySession(world, id, platform)
  throw usage(`no run "${id}" was started here`)
}

function newest({ records: [first] }: RecordList<RunFile>): RunFile {
  if (first?.state === 'open') return first
  throw first === undefined
    ? new CommandError('no run was started here', 'farebox flow run <file> starts one')
    : new CommandError('every run that was started here has ended', 'farebox flow list shows them')
}

function openedBy(file: RunFile): FoundRun {
  const { platformUrl, runId, token } = file
  return { handle: { platformUrl, runId, ...(token !== undefined && { token }) }, file }
}

async function openedBySession(world: World, runId: string, platform: string | undefined): Promise<FoundRun> {
  const { url } = await findPlatform(world, platform)
  const session = await liveSession(world.home, url)
  if (session !== undefined)
    return { handle: { platformUrl: url, runId, session: session.token }, file: undefined }
  throw new CommandError(
    `no run ${runId} was started here, and nobody is signed in at ${url}`,
    'farebox login, as its payer',
  )
}

function usage(message: string): CommandError {
  return usageError(message, 'farebox flow list shows those there are')
}
