import type {
  ChangeKind,
  ChangeRecord,
  RegistrationJournal,
  RegistrationRecord,
} from '../platform/registration-journal.ts'

export type DoneChange = Pick<ChangeRecord, 'platform' | 'agentId' | 'endpoint'> & {
  readonly kind: ChangeKind
  readonly registrationId?: string | undefined
}

/**
 * Updates the local records of an agent to the state of the chain: its endpoint, or its deregistration. Does nothing for an
 * agent that was not registered from this machine. Idempotent.
 *
 * @param nowMs Unix milliseconds
 */
export async function noteChange(
  journal: RegistrationJournal,
  change: DoneChange,
  nowMs: number,
): Promise<void> {
  const seconds = Math.floor(nowMs / 1_000)
  for (const record of await journal.list()) {
    if (!isOf(record, change)) continue
    if (change.kind === 'deregister') await end(journal, record, change.agentId, seconds)
    else await move(journal, record, change, seconds)
  }
  // This is the last step, so that a command that is stopped before it records the change again.
  await journal.change(change).remove()
}

/** A registration that was abandoned before the agent had a number is identified by the agent's endpoint. */
function isOf({ platform, agentId, endpoint }: RegistrationRecord, change: DoneChange): boolean {
  if (platform !== change.platform) return false
  return agentId === change.agentId || (agentId === undefined && endpoint === change.endpoint)
}

async function end(
  journal: RegistrationJournal,
  record: RegistrationRecord,
  agentId: number,
  seconds: number,
): Promise<void> {
  await journal.stake(record).remove()
  if (record.endedAt === undefined)
    await journal.registration(record).write({ ...record, agentId, endedAt: seconds })
}

async function move(
  journal: RegistrationJournal,
  record: RegistrationRecord,
  { agentId, endpoint, registrationId }: DoneChange,
  seconds: number,
): Promise<void> {
  if (registrationId === undefined || record.endpoint === endpoint || record.endedAt !== undefined) return
  const moved = { ...record, agentId, endpoint, registrationId, movedAt: seconds }
  await journal.registration(moved).write(moved)
  await journal.stake(record).remove()
  await journal.registration(record).remove()
}
