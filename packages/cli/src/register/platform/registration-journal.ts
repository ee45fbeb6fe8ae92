import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretFile, writeSecretFile } from '../../home/secret-file.ts'

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
  /** Unix seconds; when a change that was made here wrote this endpoint to the chain. */
  readonly movedAt?: number
  /** Unix seconds; when it was found that the agent is deregistered. Its number is not given again. */
  readonly endedAt?: number
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

/** A change of a registered agent that was signed here: written down before it is sent, as a stake is. */
export interface ChangeRecord extends StakeRecord {
  /** The platform's URL. */
  readonly platform: string
  readonly agentId: number
  readonly kind: ChangeKind
  /** Where the agent is reached once it is done; of a deregistration, where it was reached. */
  readonly endpoint: string
  /** What the platform calls the registration of the new endpoint; none of a deregistration. */
  readonly registrationId?: string
}

/** What can be changed of an agent. */
export type ChangeKind = 'update' | 'deregister'

/** What a registration is found by. */
export type RegistrationKey = Pick<RegistrationRecord, 'platform' | 'endpoint'>
/** What a change is found by: of one agent there is one at a time. */
export type ChangeKey = Pick<ChangeRecord, 'platform' | 'agentId'>

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
  readChange(key: ChangeKey): Promise<ChangeRecord | undefined>
  /** False where another change of the agent is written down already, of another command maybe. */
  beginChange(change: ChangeRecord): Promise<boolean>
  /** Forgets a change: it is done, or the chain will never take it. */
  dropChange(key: ChangeKey): Promise<void>
}

/** Opens the journal of a home; its folder is made when it is first written. */
export function openRegistrationJournal(home: string): RegistrationJournal {
  const folder = join(home, 'registrations')
  const pathOf = ({ platform, endpoint }: RegistrationKey, ending: string): string =>
    join(folder, `${nameOf(platform, endpoint)}${ending}`)
  const changePath = ({ platform, agentId }: ChangeKey): string =>
    join(folder, `${nameOf(platform, `agent ${agentId}`)}${CHANGE}`)
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
    beginStake: (key, stake) => create(pathOf(key, STAKE), stake),
    dropStake: key => rm(pathOf(key, STAKE), { force: true }),
    readChange: key => readRecord(changePath(key), asChange),
    beginChange: change => create(changePath(change), change),
    dropChange: key => rm(changePath(key), { force: true }),
  }
}

const RECORD = '.registration.json'
const STAKE = '.stake.json'
const CHANGE = '.change.json'

function nameOf(platform: string, what: string): string {
  return createHash('sha256').update(`${platform}\n${what}`).digest('hex').slice(0, 32)
}

/** False where the file is there already. */
async function create(path: string, record: object): Promise<boolean> {
  try {
    await createSecretFile(path, toText(record))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function toText(record: object): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

/**
 * Undefined where there is no such file.
 *
 * @throws {Error} where there is one that holds something else: a transaction may have been sent
 */
async function readRecord<T>(path: string, read: (value: Fields) => T | undefined): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const record = read(parse(text))
  if (record !== undefined) return record
  throw new Error(`${path} is damaged; remove it once you know from the chain what became of what was sent`)
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
  const { version, platform, endpoint, registrationId, startedAt } = fields
  if (version !== 1 || typeof platform !== 'string' || typeof endpoint !== 'string') return undefined
  if (typeof registrationId !== 'string' || typeof startedAt !== 'number') return undefined
  const record = { version, platform, endpoint, registrationId, startedAt } as const
  return { ...record, ...wholeNumbers(fields, ['agentId', 'movedAt', 'endedAt']) }
}

function wholeNumbers<Name extends string>(
  fields: Fields,
  names: readonly Name[],
): { readonly [name in Name]?: number } {
  const known = names.filter(name => Number.isSafeInteger(fields[name]))
  // Each of them was asked for by its name.
  return Object.fromEntries(known.map(name => [name, fields[name]])) as { [name in Name]?: number }
}

function asStake(fields: Fields): StakeRecord | undefined {
  const { version, from, chainId, firstBlock, nonce, hash, raw } = fields
  if (version !== 1 || typeof from !== 'string' || typeof firstBlock !== 'string') return undefined
  if (typeof chainId !== 'number' || typeof nonce !== 'number') return undefined
  if (typeof hash !== 'string' || typeof raw !== 'string') return undefined
  return { version, from, chainId, firstBlock, nonce, hash, raw }
}

function asChange(fields: Fields): ChangeRecord | undefined {
  const signed = asStake(fields)
  const { platform, agentId, kind, endpoint, registrationId } = fields
  if (signed === undefined || typeof platform !== 'string' || typeof endpoint !== 'string') return undefined
  if (typeof agentId !== 'number' || (kind !== 'update' && kind !== 'deregister')) return undefined
  const change = { ...signed, platform, agentId, kind, endpoint } as const
  return typeof registrationId === 'string' ? { ...change, registrationId } : change
}
