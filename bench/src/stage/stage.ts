import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'

/** What all benches stand on: a folder that is removed afterwards, and everything that must be stopped. */
export interface Stage {
  readonly folder: string
  readonly crypto: EvmCrypto
  /** Says what is being done, for whoever watches. */
  readonly tell: (doing: string) => void
  /** Smaller rounds and fewer: to see that everything runs, not to quote. */
  readonly quick: boolean
  /** Called when the scene ends, the last given first. */
  readonly onStrike: (stop: () => Promise<unknown>) => void
  /** Stops what the scene started. May be called twice. */
  strike(): Promise<void>
  /** Strikes, and removes the folder. */
  close(): Promise<void>
}

/** Makes the stage. Rejects where the native curve does not load: the payments of a run are signed with it. */
export async function setStage({ tell, quick }: Pick<Stage, 'tell' | 'quick'>): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-bench-'))
  // PostgreSQL started by root runs as another user, who must get to its files.
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
