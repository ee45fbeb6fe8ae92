import { join } from 'node:path'
import type { Clock } from '@farebox/client/internal/exchange/clock'
import { openRecordFolder, type DamagedFile } from '../../home/record-folder.ts'
import { readRunFile, type EndedRunFile, type OpenRunFile, type RunFile } from './run-file.ts'

/** The runs that were started here, a file each, in `<home>/runs`. */
export interface RunJournal {
  /** Writes a run down before anything of it is sent: when this resolves, a crash does not lose it. */
  keep(run: OpenRunFile): Promise<void>
  /** Puts what became of it in its place: the payments are gone from the file. Removes old files of ended runs. */
  end(run: EndedRunFile): Promise<void>
  /** Forgets a run that was never started. */
  discard(runId: string): Promise<void>
  /** Every run, open ones first, then the newest first; and the files that cannot be read. */
  list(): Promise<RunList>
}

/** What is in the journal. */
export interface RunList {
  readonly runs: readonly RunFile[]
  readonly damaged: readonly DamagedFile[]
}

/** Opens the journal of a home; its folder is made when it is first written. */
export function openRunJournal(home: string, clock: Clock): RunJournal {
  const folder = openRecordFolder<RunFile>(join(home, 'runs'), clock, {
    what: 'run',
    read: readRunFile,
    idOf: ({ runId }) => runId,
    isEnded: ({ state }) => state !== 'open',
  })
  return {
    keep: run => folder.write(run),
    async end(run) {
      await folder.write(run)
      await folder.prune()
    },
    discard: runId => folder.remove(runId),
    async list() {
      const { records, damaged } = await folder.list()
      const rank = ({ state }: RunFile): number => (state === 'open' ? 0 : 1)
      const runs = records.toSorted(
        (one, other) => rank(one) - rank(other) || other.startedAt - one.startedAt,
      )
      return { runs, damaged }
    },
  }
}
