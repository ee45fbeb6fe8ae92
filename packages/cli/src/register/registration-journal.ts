import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretFile, writeSecretFile } from '../home/secret-file.ts'

/** A registration that was begun here, and what became of it. */
export interface RegistrationRecord {
  readonly version: 1
  /** The platform's URL. */
  readonly platform: string
  readonly endpoint: string
  readonly registrationId: string
  /** Unix seconds. */
  readonly startedAt: number
  readonly agentId?: number
}

/** A stake that was signed here: written down before it is sent, and sent again as it stands, never signed twice. */
export interface StakeRecord {
  readonly version: 1
  /** Lower-case address. */
  readonly from: string
  readonly chainId: number
  /** Hash of the chain's first block: a local chain that was begun anew has another. */
  readonly firstBlock: string
  readonly nonce: number
  readonly hash: string
  /** The signed transaction. */
  readonly raw: string
}

/** What a registration is found by. */
export type RegistrationKey = Pick<RegistrationRecord, 'platform' | 'endpoint'>

/** The registrations of this person, in `<home>/registrations`. */
export interface RegistrationJournal {
  read(key: RegistrationKey): Promise<RegistrationRecord | undefined>
  write(record: RegistrationRecord): Promise<void>
  /** All that can be read, the newest first. */
  list(): Promise<readonly RegistrationRecord[]>
  /** Forgets a registration. */
  remove(key: RegistrationKey): Promise<void>
  readStake(key: RegistrationKey): Promise<StakeRecord | undefined>
  /** False where another one is written down already, of another command maybe: that one is to be followed. */
  beginStake(key: RegistrationKey, stake: StakeRecord): Promise<boolean>
  /** Forgets a stake that the chain will never take. */
  dropStake(key: RegistrationKey): Promise<void>
}

/** Opens the journal of a home; its folder is made when it is first written. */
export function openRegistrationJournal(home: string): RegistrationJournal {
  const folder = join(home, 'registrations')
  const pathOf = (key: RegistrationKey, ending: string): string =>
    join(
      folder,
      `${createHash('sha256').update(`${key.platform}\n${key.endpoint}`).digest('hex').slice(0, 32)}${ending}`,
    )
  return {
    read: key => readRecord(pathOf(key, RECORD), asRegistration),
    write: record => writeSecretFile(pathOf(record, RECORD), toText(record)),
    async list() {
      const names = await readdir(folder).catch(() => [])
      const files = names.filter(name => name.endsWith(RECORD)).map(name => join(folder, name))
      const records = await Promise.all(files.map(path => readRecord(path, asRegistration)))
      return records
        .filter(record => record !== undefined)
        .toSorted((one, other) => other.startedAt - one.startedAt)
    },
    async remove(key) {
      await rm(pathOf(key, STAKE), { force: true })
      await rm(pathOf(key, RECORD), { force: true })
    },
    readStake: key => readRecord(pathOf(key, STAKE), asStake),
    async beginStake(key, stake) {
      try {
        await createSecretFile(pathOf(key, STAKE), toText(stake))
        return true
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
        throw error
      }
    },
    dropStake: key => rm(pathOf(key, STAKE), { force: true }),
  }
}

const RECORD = '.registration.json'
const STAKE = '.stake.json'

function toText(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

/**
 * Undefined where there is no such file.
 *
 * @throws {Error} where there is one that holds something else: a stake may have been sent
 */
async function readRecord<T>(path: string, read: (value: Fields) => T | undefined): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const record = read(parse(text))
  if (record !== undefined) return record
  throw new Error(`${path} is damaged; remove it once you know from the chain what became of the stake`)
}

type Fields = { readonly [key: string]: unknown }

function parse(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

function asRegistration(fields: Fields): RegistrationRecord | undefined {
  const { version, platform, endpoint, registrationId, startedAt, agentId } = fields
  if (version !== 1 || typeof platform !== 'string' || typeof endpoint !== 'string') return undefined
  if (typeof registrationId !== 'string' || typeof startedAt !== 'number') return undefined
  const known = Number.isSafeInteger(agentId) ? { agentId: Number(agentId) } : {}
  return { version, platform, endpoint, registrationId, startedAt, ...known }
}

function asStake(fields: Fields): StakeRecord | undefined {
  const { version, from, chainId, firstBlock, nonce, hash, raw } = fields
  if (version !== 1 || typeof from !== 'string' || typeof firstBlock !== 'string') return undefined
  if (typeof chainId !== 'number' || typeof nonce !== 'number') return undefined
  if (typeof hash !== 'string' || typeof raw !== 'string') return undefined
  return { version, from, chainId, firstBlock, nonce, hash, raw }
}
