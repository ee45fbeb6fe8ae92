import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '@farebox/client/internal/exchange/clock'
import { jobIdKey } from '@farebox/protocol/job/job-request'
import { UNFINISHED, writeSecretFile } from '../../home/secret-file.ts'
import { printable } from '../../terminal/printable.ts'
import { readCallRecord, type CallRecord, type EndedCall, type SentCall } from './call-record.ts'

/** The calls of this person, a file each, in `<home>/calls`. */
export interface CallJournal {
  /** Writes a call down before it is sent: when this resolves, a crash does not lose it. */
  begin(call: SentCall): Promise<void>
  /**
   * Puts what became of it in its place: the payment is gone from the file. A call that is completed stays so: of
   * two commands that ask for one job, the later may be told that it failed. Removes old files of ended calls.
   */
  end(call: EndedCall): Promise<void>
  /** Forgets a call that was never sent. */
  discard(jobId: string): Promise<void>
  /** Every call, unresolved ones first, then the newest first; and the files that cannot be read. */
  list(): Promise<CallList>
}

/** What is in the journal. */
export interface CallList {
  readonly calls: readonly CallRecord[]
  readonly damaged: readonly { readonly path: string; readonly reason: string }[]
}

const KEPT_MS = 30 * 86_400_000
/** An output may have megabytes: this many are kept at most, whatever their age. */
const KEPT_FILES = 500
const DAY_MS = 86_400_000

/** Opens the journal of a home; its folder is made when it is first written. */
export function openCallJournal(home: string, clock: Clock): CallJournal {
  const folder = join(home, 'calls')
  const pathOf = (jobId: string): string => join(folder, fileName(jobId))
  const write = async (call: CallRecord): Promise<void> =>
    await writeSecretFile(pathOf(call.jobId), `${JSON.stringify(call)}\n`)
  return {
    begin: write,
    async end(call) {
      const before = await readOne(pathOf(call.jobId))
      if (typeof before === 'string' || before.state !== 'completed') await write(call)
      await prune(folder, clock.nowMs())
    },
    discard: async jobId => await rm(pathOf(jobId), { force: true }),
    async list() {
      const calls: CallRecord[] = []
      const damaged: { readonly path: string; readonly reason: string }[] = []
      for (const path of await filesOf(folder, '.json')) {
        const read = await readOne(path)
        if (typeof read === 'string') damaged.push({ path: printable(path), reason: read })
        else calls.push(read)
      }
      const rank = ({ state }: CallRecord): number => (state === 'sent' ? 0 : 1)
      calls.sort((one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt)
      return { calls, damaged }
    },
  }
}

function fileName(jobId: string): string {
  return `${jobIdKey(jobId)}.json`
}

/** The record, or why the file holds none. */
async function readOne(path: string): Promise<CallRecord | string> {
  try {
    const call = readCallRecord(JSON.parse(await readFile(path, 'utf8')))
    // Whoever resumes by the name of a file must not send another job.
    return basename(path) === fileName(call.jobId) ? call : 'holds another job than its name says'
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not JSON'
    return error instanceof Error ? printable(error.message) : 'cannot be read'
  }
}

/**
 * Removes ended calls that are old or too many, and what crashes left half-written. Never a call whose outcome is
 * not known, and never a file that cannot be read: a person may still fix it.
 */
async function prune(folder: string, nowMs: number): Promise<void> {
  const files = await Promise.all(
    (await filesOf(folder, '.json')).map(async path => ({ path, changedMs: await changedAt(path) })),
  )
  files.sort((one, other) => other.changedMs - one.changedMs)
  for (const [index, { path, changedMs }] of files.entries()) {
    if (index < KEPT_FILES && nowMs - changedMs < KEPT_MS) continue
    const call = await readOne(path)
    if (typeof call !== 'string' && call.state !== 'sent') await rm(path, { force: true })
  }
  for (const path of await filesOf(folder, UNFINISHED)) {
    if (nowMs - (await changedAt(path)) > DAY_MS) await rm(path, { force: true })
  }
}

async function filesOf(folder: string, extension: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(name => name.endsWith(extension)).map(name => join(folder, name))
}

/** Milliseconds since the epoch; for a file that is just gone infinity, newer than any: there is nothing to remove. */
async function changedAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )
}
