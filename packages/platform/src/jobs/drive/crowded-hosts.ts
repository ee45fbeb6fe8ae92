import type { Room } from './jobs-under-way.ts'

/** The hosts with jobs in the database that wait to be sent: no new job gets past those. */
export interface CrowdedHosts {
  has(host: string): boolean
  /** A job of this host could not be sent at once. */
  add(host: string): void
  /** What was found by a look at all jobs that are due: of which hosts, with how much room. */
  note(
    hosts: readonly string[],
    looked: { readonly room: Room; readonly underWay: ReadonlyMap<string, number> },
  ): void
}

/** None at first. */
export function createCrowdedHosts(): CrowdedHosts {
  let crowded = new Set<string>()
  let isFull = false
  return {
    has: host => isFull || crowded.has(host),
    add: host => void crowded.add(host),
    note(hosts, { room, underWay }) {
      const jobs = new Map(underWay)
      for (const host of hosts) jobs.set(host, (jobs.get(host) ?? 0) + 1)
      // Where all the room is used, more may wait.
      isFull = hosts.length >= room.limit
      crowded = new Set([...jobs].filter(([, count]) => count >= room.perHost).map(([host]) => host))
    },
  }
}
