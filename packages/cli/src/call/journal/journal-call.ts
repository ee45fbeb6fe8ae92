import { CommandError, systemErrorCode } from '../../command-error.ts'
import { printable } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import type { CallJournal } from './call-journal.ts'
import type { SentCall } from './call-record.ts'

/**
 * Puts a call into the journal before it is sent: what is not written down is not sent.
 *
 * @throws {CommandError} when it cannot be; then nothing of it stays that a `--resume` could send
 */
export async function journalCall(world: World, journal: CallJournal, call: SentCall): Promise<SentCall> {
  try {
    await journal.begin(call)
    return call
  } catch (cause) {
    // The file may be in its place already, and only its folder not flushed.
    await journal.discard(call.jobId).catch(() => undefined)
    const reason = systemErrorCode(cause)
    throw new CommandError(
      `the call cannot be journalled in ${printable(world.home)} (${reason})`,
      'nothing was sent; FAREBOX_HOME names another folder',
      { cause },
    )
  }
}
