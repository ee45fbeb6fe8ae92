import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'

/** The basis of all benches: a folder that is removed at the end, and the processes to stop. */
export interface Stage {
  readonly folder: string
  readonly crypto: EvmCrypto
  /** Reports the current activity, for a person at a terminal. */
  readonly tell: (doing: string) => void
  /** Smaller and fewer rounds: a check that everything runs, not for quoting. */
  readonly quick: boolean
  /** Called when the scene ends, the last given first. */
  readonly onStrike: (stop: () => Promise<unknown>) => void
  /** Stops the processes of the scene. May be called twice. */
  strike(): Promise<void>
  /** Ends the stage, and removes the folder. */
  close(): Promise<void>
}

/** Creates the stage. Rejects if the native curve does not load: the payments of a run are signed with it. */
export async function setStage({ tell, quick }: Pick<Stage, 'tell' | 'quick'>): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-bench-'))
  // PostgreSQL started by root runs as another user, who must be able to read its files.
  await chmod(folder, 0o711)
  const stops: (() => Promise<unknown>)[] = []
  const strike = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop()
  }
  return {
    tell,
    quick,
    folder,
    crypto: await loadEvmCrypto({ curve: 'native' }),
    onStrike: stop => void stops.push(stop),
    strike,
    async close() {
      await strike()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
