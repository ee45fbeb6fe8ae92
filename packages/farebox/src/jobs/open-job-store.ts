import { steadyClock, systemClock, type Clock } from '@farebox/protocol/time/clock'
import { machineClock } from './machine-clock.ts'
import type { OpenJobStore } from './job-store.ts'

/**
 * Opens the store that `SERVICE_STORE` names (D25): `memory:`, `lmdb:<folder>`, `redis://…` or `rediss://…`. Rejects
 * with an error that begins with `SERVICE_STORE` and never contains a password, when the setting is invalid or the
 * store cannot be used. Only the code of the selected store is loaded.
 */
export async function openJobStore(setting: string, clock: Clock): Promise<OpenJobStore> {
  // The machine's clock can be set, so retention uses a clock that cannot (D40).
  const isMachines = clock === systemClock
  if (setting === 'memory:') {
    const { createMemoryStore } = await import('./memory-store.ts')
    const store = createMemoryStore(isMachines ? steadyClock : clock)
    return {
      store,
      accounts: store,
      name: setting,
      shared: false,
      close: async () => {},
    }
  }
  const folder = /^lmdb:(?!\/\/)(.+)$/.exec(setting)?.[1]
  if (folder !== undefined) {
    const { openLmdbStore } = await import('./lmdb/lmdb-store.ts')
    return openLmdbStore(folder, isMachines ? machineClock : clock)
  }
  if (/^rediss?:\/\//.test(setting)) {
    const { openRedisStore } = await import('./redis/redis-store.ts')
    return openRedisStore(setting)
  }
  // Only the scheme is shown, because an address of another kind may contain a password.
  const scheme = /^[a-z][a-z0-9+.-]{0,31}:/i.exec(setting)?.[0]
  throw new Error(
    'SERVICE_STORE: must be memory:, lmdb:<folder> or redis://host:6379/0 (rediss:// for TLS), ' +
      (scheme === undefined ? 'and begins like none of them' : `not ${scheme}…`),
  )
}
