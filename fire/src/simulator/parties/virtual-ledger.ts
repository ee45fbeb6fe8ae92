import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { createMemoryLedger } from '@farebox/facilitator/ledger/memory/memory-ledger'
import { EXACT, facilitatorClock } from '../time/process-clocks.ts'
import { startProcess } from '../time/virtual-process.ts'
import type { Wires } from '../wires/exchange.ts'
import type { World } from '../world.ts'

/** A facilitator's ledger that outlives the processes that use it, and may lose its last writes. */
export interface VirtualLedger {
  /** What facilitators use, each through a port of its own. */
  readonly ledger: Ledger
  /**
   * Falls back to a copy that lacks the writes of so long: a database that was restored, or failed over with loss.
   * Secrets stay, because without them nobody could ask what became of a payment.
   */
  failOver(lostMs: number): Promise<void>
}

interface Write {
  readonly atMs: number
  readonly repeat: (ledger: Ledger) => Promise<unknown>
}

/** Opens an empty ledger: the facilitator's own in memory, which passes the contract of all. What it loses is noted. */
export function openVirtualLedger(
  wires: Wires,
  { forgottenMs, setBack }: Pick<World, 'forgottenMs' | 'setBack'>,
): VirtualLedger {
  const { time, trace } = wires
  const database = startProcess(time, { name: 'database' })
  let replayMs: number | undefined
  const clock = { ...facilitatorClock(database, EXACT), nowMs: () => replayMs ?? time.nowMs() }
  let current = createMemoryLedger(clock)
  const { secrets } = current
  let writes: Write[] = []
  const keys = new Set<string>()

  const write = <Result>(repeat: (ledger: Ledger) => Promise<Result>): Promise<Result> => {
    writes.push({ atMs: time.nowMs(), repeat })
    return repeat(current)
  }
  return {
    ledger: {
      ...recordWrites(
        () => current,
        write,
        key => void keys.add(key),
      ),
      secrets,
    },
    async failOver(lostMs) {
      const before = current
      const untilMs = time.nowMs() - lostMs
      const kept = writes.filter(({ atMs }) => atMs <= untilMs)
      const copy = createMemoryLedger(clock)
      // Each method of it has done its deed when it returns its promise: nothing comes in between.
      const repeated = kept.map(({ atMs, repeat }) => {
        replayMs = atMs
        return repeat(copy)
      })
      replayMs = undefined
      trace.note('ledger', () => `loses its last ${writes.length - kept.length} writes`)
      current = copy
      writes = kept
      const [rowsBefore, rowsAfter] = await Promise.all([
        before.payments.find([...keys]),
        copy.payments.find([...keys]),
        ...repeated,
      ])
      const left = new Map(rowsAfter.map(row => [row.key, row]))
      for (const { key, state, transaction } of rowsBefore) {
        const row = left.get(key)
        if (row?.state === state && row.transaction === transaction) continue
        wires.faults.happened(row === undefined ? 'rows lost by a ledger' : 'rows set back by a ledger')
        setBack.add(key)
        const isForgotten = row === undefined || row.state === 'released'
        if (isForgotten && !forgottenMs.has(key)) forgottenMs.set(key, time.nowMs())
      }
    },
  }
}

/** The ledger that is current, where each call that may change it is written down to be repeated. */
function recordWrites(
  current: () => Ledger,
  write: <Result>(repeat: (ledger: Ledger) => Promise<Result>) => Promise<Result>,
  onKey: (key: string) => void,
): Omit<Ledger, 'secrets'> {
  return {
    payments: {
      hold(request) {
        onKey(request.payment.key)
        return write(({ payments }) => payments.hold(request))
      },
      capture: request => write(({ payments }) => payments.capture(request)),
      release: hold => write(({ payments }) => payments.release(hold)),
      find: keys => current().payments.find(keys),
    },
    settlements: {
      // Where several send, those whose turn it is are claimed.
      backlog: (account, limits) => write(({ settlements }) => settlements.backlog(account, limits)),
      unattended: network => current().settlements.unattended(network),
      submit: (lease, transaction, keys) =>
        write(({ settlements }) => settlements.submit(lease, transaction, keys)),
      captureAndSubmit: (lease, transaction, request) =>
        write(({ settlements }) => settlements.captureAndSubmit(lease, transaction, request)),
      replace: (lease, id, signed) => write(({ settlements }) => settlements.replace(lease, id, signed)),
      conclude: (conclusions, closes) =>
        write(({ settlements }) => settlements.conclude(conclusions, closes)),
    },
    leases: {
      acquire: (account, holder, leaseMs) => write(({ leases }) => leases.acquire(account, holder, leaseMs)),
      giveUp: lease => write(({ leases }) => leases.giveUp(lease)),
    },
    audit: {
      expireHolds: (network, seconds) => write(({ audit }) => audit.expireHolds(network, seconds)),
      settledSince: (network, block, limit) => current().audit.settledSince(network, block, limit),
      unconfirmed: (network, age, limit) => current().audit.unconfirmed(network, age, limit),
      adopt(charge) {
        onKey(charge.payment.key)
        return write(({ audit }) => audit.adopt(charge))
      },
      confirm: keys => write(({ audit }) => audit.confirm(keys)),
      uncharged: (network, finality, page) => current().audit.uncharged(network, finality, page),
      markAudited: (keys, head, finality) => write(({ audit }) => audit.markAudited(keys, head, finality)),
      forgetUnused: (network, finality, before) =>
        write(({ audit }) => audit.forgetUnused(network, finality, before)),
    },
    owners: {
      use: (owner, seconds) => current().owners.use(owner, seconds),
      sponsor: (owner, sponsoring) => write(({ owners }) => owners.sponsor(owner, sponsoring)),
      nearLimits: (limits, seconds) => current().owners.nearLimits(limits, seconds),
      unname: owner => write(({ owners }) => owners.unname(owner)),
    },
    signals: current().signals,
    totals: (network, seconds) => current().totals(network, seconds),
    close: () => Promise.resolve(),
  }
}
