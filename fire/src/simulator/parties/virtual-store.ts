import { openJobStore, type JobStore, type OpenJobStore } from 'farebox'
import type { World } from '../build-world.ts'
import type { JobRecords } from '../records/job-records.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Wires } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import { createWriteLog } from './write-log.ts'

/** A job store that outlives its processes, as they use it. */
export type VirtualStore = Awaited<ReturnType<typeof openVirtualStore>>

/** Opens an empty store: the runtime's own in-memory one, which passes the contract of all. */
export async function openVirtualStore({ wires, jobs: records }: World) {
  const { time, trace, faults } = wires
  const log = createWriteLog<JobStore>('store', wires)
  const clock = { nowMs: log.nowMs, after: time.after }
  let { store } = await openJobStore('memory:', clock)

  const inner: JobStore = {
    async claim(claim) {
      const outcome = await store.claim(claim)
      if (outcome.kind === 'claimed') {
        log.add(claim.jobKey, copy => copy.claim(claim))
        records.claimed(claim)
      }
      trace.note('store', () => `claim ${short(claim.jobKey)} ${short(claim.fence)}: ${outcome.kind}`)
      return outcome
    },
    read: jobKey => store.read(jobKey),
    async write(holder, change) {
      const isWritten = await store.write(holder, change)
      if (isWritten) {
        log.add(holder.jobKey, copy => copy.write(holder, change))
        records.written(holder, change)
      }
      trace.note('store', () => {
        const what = change.kind === 'forget' ? 'forget' : `${change.kind} ${change.job.state}`
        return `${what} ${short(holder.jobKey)} ${short(holder.fence)}: ${isWritten ? 'done' : 'refused'}`
      })
      return isWritten
    },
    unresolved: () => store.unresolved(),
  }

  return {
    /** The store itself, without faults: for observers. */
    inner,
    portOf: (process: VirtualProcess): OpenJobStore => ({
      store: faultyPort(wires, process, inner, records),
      ...LABELS,
    }),
    /**
     * Restores a copy that lacks the writes of this period, like a replica that takes over: of any length, down to an
     * empty store.
     */
    async failOver(lostMs: number): Promise<void> {
      ;({ store } = await openJobStore('memory:', clock))
      for (const jobKey of await log.failOver(store, lostMs)) {
        faults.happened('writes lost by a store')
        records.lostWrites(jobKey)
      }
    },
  }
}

/**
 * The delay of a write that is not awaited: longer than an answer takes to its caller, so that a process can die in
 * between.
 */
const LATE_WRITE_MS = 60

const LABELS = { name: 'memory:', shared: true, close: (): Promise<void> => Promise.resolve() }

function faultyPort(wires: Wires, process: VirtualProcess, inner: JobStore, records: JobRecords): JobStore {
  const through = <Result>(name: string, call: () => Promise<Result>): Promise<Result> =>
    callThroughPort(wires, {
      process,
      kind: 'agent',
      port: 'store',
      name,
      call,
      onFault: () => records.disturbed(process.name),
    })
  return {
    claim: claim => through('store.claim', () => inner.claim(claim)),
    read: jobKey => through('store.read', () => inner.read(jobKey)),
    write(holder, change) {
      const write = (): Promise<boolean> => through('store.write', () => inner.write(holder, change))
      if (change.kind !== 'leave' || change.mayWait !== true) return write()
      return new Promise((resolve, reject) => {
        wires.time.after(LATE_WRITE_MS, () => process.deliver(() => void write().then(resolve, reject)))
      })
    },
    unresolved: () => through('store.unresolved', () => inner.unresolved()),
  }
}

/** The end of a key or a fence is enough to distinguish it. */
function short(text: string): string {
  return text.slice(-8)
}
