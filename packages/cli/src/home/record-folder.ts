import { printable } from '@farebox/conformance/internal/printable'
import { isObject, objectOf, parseJson } from '@farebox/protocol/internal/guards/json'
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Clock } from '@farebox/protocol/time/clock'
import { CommandError, systemErrorCode } from '../command-error.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { createSecretFile, UNFINISHED, writeSecretFile } from './secret-file.ts'

/** Records of one kind, one file each, in a separate folder. */
export interface RecordFolder<Kept> {
  /** Resolves when the record is safe from a crash. */
  write(record: Kept): Promise<void>
  /**
   * Replaces the record with its ended form. Then removes ended records that are old or too many, and incomplete files of
   * crashes. Never removes a record that has not ended, or an unreadable file, which a person may still repair.
   */
  end(record: Kept): Promise<void>
  remove(id: string): Promise<void>
  /** Lists records that have not ended first, then the newest first, and the unreadable files. */
  list(): Promise<RecordList<Kept>>
}

export interface RecordList<Kept> {
  readonly records: readonly Kept[]
  readonly damaged: readonly { readonly path: string; readonly reason: string }[]
}

export interface RecordKind<Kept> {
  /** The name of a record in messages: `job`. */
  readonly what: string
  /** Validates every part of a parsed record; throws a `TypeError` that describes the fault. */
  readonly read: (value: unknown) => Kept
  readonly idOf: (record: Kept) => string
  readonly isEnded: (record: Kept) => boolean
  readonly isFinal?: (record: Kept) => boolean
}

const DAY_MS = 86_400_000
const KEPT_MS = 30 * DAY_MS
/** A record may have megabytes, so at most this many are kept, whatever their age. */
const KEPT_FILES = 500

export function openRecordFolder<Kept extends { readonly startedAt: number }>(
  folder: string,
  clock: Clock,
  kind: RecordKind<Kept>,
): RecordFolder<Kept> {
  const nameOf = (id: string): string => `${id.toLowerCase()}.json`
  const pathOf = (id: string): string => join(folder, nameOf(id))

  const readFrom = async (path: string): Promise<Kept | string> => {
    try {
      const record = kind.read(JSON.parse(await readFile(path, 'utf8')))
      // The content must match the file's name, so that a caller does not get another record.
      return basename(path) === nameOf(kind.idOf(record))
        ? record
        : `holds another ${kind.what} than its name says`
    } catch (error) {
      if (error instanceof SyntaxError) return 'is not JSON'
      return error instanceof Error ? printable(error.message) : 'cannot be read'
    }
  }

  const write = async (record: Kept): Promise<void> =>
    await writeSecretFile(pathOf(kind.idOf(record)), `${JSON.stringify(record)}\n`)

  const prune = async (): Promise<void> => {
    const nowMs = clock.nowMs()
    for (const [index, { path, changedMs }] of (await newestFirst(folder)).entries()) {
      if (index < KEPT_FILES && nowMs - changedMs < KEPT_MS) continue
      const record = await readFrom(path)
      if (typeof record !== 'string' && kind.isEnded(record)) await rm(path, { force: true })
    }
    for (const path of await filesOf(folder, UNFINISHED))
      if (nowMs - (await changedAt(path)) > DAY_MS) await rm(path, { force: true })
  }

  return {
    write,
    async end(record) {
      const before = await readFrom(pathOf(kind.idOf(record)))
      if (typeof before === 'string' || kind.isFinal?.(before) !== true) await write(record)
      await prune()
    },
    remove: async id => await rm(pathOf(id), { force: true }),
    async list() {
      const paths = await filesOf(folder, '.json')
      const read = []
      // Records are read one after another, because hundreds of them may have megabytes each.
      for (const path of paths) read.push({ path, record: await readFrom(path) })
      const rank = (record: Kept): number => Number(kind.isEnded(record))
      return {
        records: read
          .flatMap(({ record }) => (typeof record === 'string' ? [] : [record]))
          .toSorted((one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt),
        damaged: read.flatMap(({ path, record }) =>
          typeof record === 'string' ? [{ path: printable(path), reason: record }] : [],
        ),
      }
    },
  }
}

export function tellDamaged({ err }: World, damaged: RecordList<unknown>['damaged']): void {
  for (const { path, reason } of damaged) err.write(`  ${paintFor(err).yellow('!')} ${path}: ${reason}\n`)
}

/** The error for a record that could not be written; the request is then not sent. */
export function notWritten({ home }: World, what: string, unsent: string, cause: unknown): CommandError {
  return new CommandError(
    `${what} in ${printable(home)} (${systemErrorCode(cause)})`,
    `${unsent}; FAREBOX_HOME names another folder`,
    { cause },
  )
}

export type Fields = { readonly [key: string]: unknown }

/**
 * Reads the fields of a record of version 1: `texts` are strings, `times` are seconds.
 *
 * @throws {TypeError} naming the missing field
 */
export function readFields(value: unknown, texts: readonly string[], times: readonly string[]): Fields {
  if (!isObject(value)) throw new TypeError('is not a JSON object')
  if (value['version'] !== 1) throw new TypeError('is not of version 1')
  for (const key of texts) if (typeof value[key] !== 'string') throw new TypeError(`has no ${key}`)
  for (const key of times) {
    const time = value[key]
    if (typeof time !== 'number' || !Number.isFinite(time) || time < 0) throw new TypeError(`has no ${key}`)
  }
  return value
}

/** One file that only its owner can read. */
export interface KeptFile<Kept> {
  /** Returns `undefined` when the file does not exist. */
  read(): Promise<Kept | undefined>
  /** Resolves when the content is safe from a crash. */
  write(record: Kept): Promise<void>
  /** Like {@link write}; returns false when the file already exists, for example from another command. */
  create(record: Kept): Promise<boolean>
  remove(): Promise<void>
}

/**
 * Returns a file in a folder, identified by a key.
 *
 * @param key determines the file's name, including its extension
 * @param read returns `undefined` for invalid content
 * @param damaged what to do about a file with invalid content
 */
export function keptFile<Kept extends object>(
  folder: string,
  key: readonly (string | number)[],
  ending: string,
  read: (value: Fields) => Kept | undefined,
  damaged?: 'is none',
): KeptFile<Kept> {
  const name = createHash('sha256').update(key.join('\n')).digest('hex').slice(0, 32)
  const path = join(folder, `${name}${ending}`)
  const textOf = (record: Kept): string => `${JSON.stringify(record, null, 2)}\n`
  return {
    read: async () => await readKept(path, read, damaged),
    write: async record => await writeSecretFile(path, textOf(record)),
    async create(record) {
      try {
        await createSecretFile(path, textOf(record))
        return true
      } catch (error) {
        if (systemErrorCode(error) === 'EEXIST') return false
        throw error
      }
    },
    remove: async () => await rm(path, { force: true }),
  }
}

export async function listKept<Kept>(
  folder: string,
  ending: string,
  read: (value: Fields) => Kept | undefined,
  damaged?: 'is none',
): Promise<readonly Kept[]> {
  const paths = await filesOf(folder, ending)
  const all = await Promise.all(paths.map(async path => await readKept(path, read, damaged)))
  return all.filter(record => record !== undefined)
}

/** @throws {Error} where the file holds something else: a transaction may have been sent */
async function readKept<Kept>(
  path: string,
  read: (value: Fields) => Kept | undefined,
  damaged: 'is none' | undefined,
): Promise<Kept | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (damaged === 'is none' || systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
  const record = text === undefined ? undefined : read(objectOf(parseJson(text)))
  if (text === undefined || record !== undefined || damaged === 'is none') return record
  throw new Error(`${path} is damaged; remove it once you know from the chain what became of what was sent`)
}

async function newestFirst(
  folder: string,
): Promise<readonly { readonly path: string; readonly changedMs: number }[]> {
  const paths = await filesOf(folder, '.json')
  const files = await Promise.all(paths.map(async path => ({ path, changedMs: await changedAt(path) })))
  return files.toSorted((one, other) => other.changedMs - one.changedMs)
}

async function filesOf(folder: string, ending: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter(name => name.endsWith(ending)).map(name => join(folder, name))
}

/**
 * Returns milliseconds since the epoch, or infinity for a file that was just removed: it counts as the newest, so it is not
 * removed again.
 */
async function changedAt(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )
}
