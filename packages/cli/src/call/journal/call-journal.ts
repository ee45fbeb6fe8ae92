import { join } from 'node:path'
import type { Clock } from '@farebox/client/internal/exchange/clock'
import { openRecordFolder, type DamagedFile } from '../../home/record-folder.ts'
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
  readonly damaged: readonly DamagedFile[]
}

/** Opens the journal of a home; its folder is made when it is first written. */
export function openCallJournal(home: string, clock: Clock): CallJournal {
  const folder = openRecordFolder<CallRecord>(join(home, 'calls'), clock, {
    what: 'job',
    read: readCallRecord,
    idOf: ({ jobId }) => jobId,
    isEnded: ({ state }) => state !== 'sent',
  })
  return {
    begin: call => folder.write(call),
    async end(call) {
      const before = await folder.read(call.jobId)
      if (typeof before === 'string' || before.state !== 'completed') await folder.write(call)
      await folder.prune()
    },
    discard: jobId => folder.remove(jobId),
    async list() {
      const { records, damaged } = await folder.list()
      const rank = ({ state }: CallRecord): number => (state === 'sent' ? 0 : 1)
      const calls = records.toSorted(
        (one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt,
      )
      return { calls, damaged }
    },
  }
}
