import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '@farebox/client/internal/exchange/clock'
import { printable } from '../terminal/text.ts'
import { UNFINISHED, writeSecretFile } from './secret-file.ts'

/** Records of one kind, a file each, in a folder of their own. */
export interface RecordFolder<Kept> {
  /** When this resolves, a crash does not lose it. */
  write(record: Kept): Promise<void>
  /** The record, or why the file holds none. */
  read(id: string): Promise<Kept | string>
  remove(id: string): Promise<void>
  /** In no order; and the files that cannot be read. */
  list(): Promise<RecordList<Kept>>
  /**
   * Removes ended records that are old or too many, and what crashes left half-written. Never a record that has not
   * ended, and never a file that cannot be read: a person may still fix it.
   */
  prune(): Promise<void>
}

/** What is in a folder. */
export interface RecordList<Kept> {
  readonly records: readonly Kept[]
  readonly damaged: readonly DamagedFile[]
}

/** A file that holds no record. */
export interface DamagedFile {
  readonly path: string
  readonly reason: string
}

/** What is known of a kind of records. */
export interface RecordKind<Kept> {
  /** In a message: `job`. */
  readonly what: string
  /** Checks every part of what was parsed; throws a `TypeError` that says what is wrong. */
  readonly read: (value: unknown) => Kept
  readonly idOf: (record: Kept) => string
  readonly isEnded: (record: Kept) => boolean
}

const DAY_MS = 86_400_000
const KEPT_MS = 30 * DAY_MS
/** A record may have megabytes: this many are kept at most, whatever their age. */
const KEPT_FILES = 500

/** Opens the records in a folder, which is made when the first is written. */
export function openRecordFolder<Kept>(
  folder: string,
  clock: Clock,
  kind: RecordKind<Kept>,
): RecordFolder<Kept> {
  const nameOf = (id: string): string => `${id.toLowerCase()}.json`
  const pathOf = (id: string): string => join(folder, nameOf(id))

  const readFrom = async (path: string): Promise<Kept | string> => {
    try {
      const record = kind.read(JSON.parse(await readFile(path, 'utf8')))
      // Whoever goes by the name of a file must not get another record.
      return basename(path) === nameOf(kind.idOf(record))
        ? record
        : `holds another ${kind.what} than its name says`
    } catch (error) {
      if (error instanceof SyntaxError) return 'is not JSON'
      return error instanceof Error ? printable(error.message) : 'cannot be read'
    }
  }

  return {
    write: async record => await writeSecretFile(pathOf(kind.idOf(record)), `${JSON.stringify(record)}\n`),
    read: async id => await readFrom(pathOf(id)),
    remove: async id => await rm(pathOf(id), { force: true }),
    async list() {
      const records: Kept[] = []
      const damaged: DamagedFile[] = []
      for (const path of await filesOf(folder, '.json')) {
        const read = await readFrom(path)
        if (typeof read === 'string') damaged.push({ path: printable(path), reason: read })
        else records.push(read)
      }
      return { records, damaged }
    },
    async prune() {
      const nowMs = clock.nowMs()
      for (const [index, { path, changedMs }] of (await newestFirst(folder)).entries()) {
        if (index < KEPT_FILES && nowMs - changedMs < KEPT_MS) continue
        const record = await readFrom(path)
        if (typeof record !== 'string' && kind.isEnded(record)) await rm(path, { force: true })
      }
      for (const path of await filesOf(folder, UNFINISHED))
        if (nowMs - (await changedAt(path)) > DAY_MS) await rm(path, { force: true })
    },
  }
}

async function newestFirst(
  folder: string,
): Promise<readonly { readonly path: string; readonly changedMs: number }[]> {
  const paths = await filesOf(folder, '.json')
  const files = await Promise.all(paths.map(async path => ({ path, changedMs: await changedAt(path) })))
  return files.toSorted((one, other) => other.changedMs - one.changedMs)
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
