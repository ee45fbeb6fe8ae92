import { join } from 'node:path'
import { type Fields, type KeptFile, keptFile, listKept } from '../../home/record-folder.ts'

export interface RegistrationRecord {
  readonly version: 1
  readonly platform: string
  readonly endpoint: string
  readonly registrationId: string
  /** Unix seconds. */
  readonly startedAt: number
  readonly agentId?: number
  /** Unix seconds at which a change made on this machine wrote this endpoint to the chain. */
  readonly movedAt?: number
  /** Unix seconds at which the agent was found to be deregistered. Its number is never assigned again. */
  readonly endedAt?: number
}

/**
 * A stake that was signed on this machine. It is stored before it is sent; a resend uses the same bytes, so it is never
 * signed twice.
 */
export interface StakeRecord {
  readonly version: 1
  /** Lower-case address. */
  readonly from: string
  readonly chainId: number
  /** The hash of the chain's first block, which differs after a local chain was reset. */
  readonly firstBlock: string
  readonly nonce: number
  readonly hash: string
  readonly raw: string
}

/** A change of a registered agent that was signed on this machine; stored before it is sent, like a stake. */
export interface ChangeRecord extends StakeRecord {
  readonly platform: string
  readonly agentId: number
  readonly kind: ChangeKind
  /** The agent's endpoint after the change; for a deregistration, its last endpoint. */
  readonly endpoint: string
  /** The platform's id for the registration of the new endpoint; omitted for a deregistration. */
  readonly registrationId?: string
}

export type ChangeKind = 'update' | 'deregister'

export type RegistrationKey = Pick<RegistrationRecord, 'platform' | 'endpoint'>
/** The key of a change: there is at most one change of an agent at a time. */
export type ChangeKey = Pick<ChangeRecord, 'platform' | 'agentId'>

/** The registrations of this person, in `<home>/registrations`. */
export interface RegistrationJournal {
  list(): Promise<readonly RegistrationRecord[]>
  registration(key: RegistrationKey): KeptFile<RegistrationRecord>
  /** Created before the stake is sent; removed when the chain can never accept it. */
  stake(key: RegistrationKey): KeptFile<StakeRecord>
  /** Created before the change is sent; removed when it is done, or when the chain can never accept it. */
  change(key: ChangeKey): KeptFile<ChangeRecord>
}

export function openRegistrationJournal(home: string): RegistrationJournal {
  const folder = join(home, 'registrations')
  return {
    async list() {
      const records = await listKept(folder, RECORD, asRegistration)
      return records.toSorted((one, other) => other.startedAt - one.startedAt)
    },
    registration: ({ platform, endpoint }) => keptFile(folder, [platform, endpoint], RECORD, asRegistration),
    stake: ({ platform, endpoint }) => keptFile(folder, [platform, endpoint], '.stake.json', asStake),
    change: ({ platform, agentId }) =>
      keptFile(folder, [platform, `agent ${agentId}`], '.change.json', asChange),
  }
}

const RECORD = '.registration.json'

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
  // Each file was requested by its name.
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
