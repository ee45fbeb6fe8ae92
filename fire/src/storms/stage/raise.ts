import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalChain } from '@farebox/local/chain/start-chain'
import type { EventLog } from '../event-log.ts'
import { manageProcess, type ManagedProcess } from './managed-process.ts'
import type { ProgramLog } from './program-log.ts'
import { startDatabase } from './start-database.ts'
import { startRedis } from './start-redis.ts'
import { createStormFacilitator, type StormFacilitator } from './storm-facilitator.ts'

/** A stage that is being built. */
export interface BuildingSite {
  readonly folder: string
  /** How what stands so far is ended, the last first. */
  readonly stops: (() => Promise<unknown>)[]
  readonly signal: AbortSignal
  readonly eventLog: EventLog
  readonly log: ProgramLog
}

/** Starts it, and sees to its end. */
export async function raise<M extends ManagedProcess>(
  { signal, stops }: BuildingSite,
  managed: M,
): Promise<M> {
  signal.throwIfAborted()
  await managed.start()
  stops.push(() => managed.stop())
  return managed
}

/** Hears of a process that ended without having been asked to: that is a finding, whatever else is kept. */
export function onDeathOf({ eventLog }: BuildingSite): (name: string, lastLines: string) => void {
  return (name, lastLines) =>
    eventLog.mishap(`${name} ended unexpectedly: ${lastLines.split('\n').slice(-3).join(' | ')}`)
}

/** The agents' store. */
export async function raiseRedis(site: BuildingSite, port: number): Promise<ManagedProcess> {
  const folder = join(site.folder, 'redis')
  const launch = (): ReturnType<typeof startRedis> => startRedis({ folder, port, onLine })
  const onLine = site.log.of('redis')
  return await raise(site, manageProcess({ kind: 'redis', name: 'redis' }, launch, onDeathOf(site)))
}

/** The facilitators' database. */
export async function raisePostgres(
  site: BuildingSite,
  port: number,
): Promise<{ readonly postgres: ManagedProcess; readonly databaseUrl: string }> {
  const folder = join(site.folder, 'postgres')
  await mkdir(folder)
  let databaseUrl = ''
  const launch = async (): ReturnType<typeof startDatabase> => {
    const database = await startDatabase({ folder, port })
    databaseUrl = database.connectionString
    return database
  }
  const managed = manageProcess({ kind: 'postgres', name: 'postgres' }, launch, onDeathOf(site))
  return { postgres: await raise(site, managed), databaseUrl }
}

/** One for each port, all on one ledger. */
export async function raiseFacilitators(
  site: BuildingSite,
  parts: { readonly chain: LocalChain; readonly databaseUrl: string; readonly ports: readonly number[] },
): Promise<readonly StormFacilitator[]> {
  const { chain, databaseUrl, ports } = parts
  const facilitators: StormFacilitator[] = []
  for (const port of ports) {
    const name = `facilitator-${facilitators.length + 1}`
    const onLine = site.log.of(name)
    const facilitator = createStormFacilitator({
      folder: site.folder,
      chain,
      databaseUrl,
      port,
      name,
      onLine,
      onDeath: onDeathOf(site),
    })
    facilitators.push(await raise(site, facilitator))
  }
  return facilitators
}
