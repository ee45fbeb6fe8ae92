import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import type { HoldRequest } from '@farebox/facilitator/src/ledger/payment-ledger'
import type { ForgottenCharge } from '@farebox/facilitator/src/ledger/reconciliation-ledger'
import { createMemoryLedger } from '@farebox/facilitator/ledger/memory/memory-ledger'
import { EXACT, facilitatorClock } from '../time/process-clocks.ts'
import { startProcess } from '../time/virtual-process.ts'
import type { Wires } from '../wires/exchange.ts'
import type { World } from '../world.ts'
import { wrapLedger } from './wrap-ledger.ts'

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

/** Calls that change nothing: all others are repeated where a copy is made. `backlog` claims those whose turn it is. */
const LOOKS: ReadonlySet<string> = new Set(['find', 'unattended', 'settledSince', 'unconfirmed', 'uncharged'])

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
  let writes: Write[] = []
  const keys = new Set<string>()

  const ledger = wrapLedger(current, (method, call, [first]) => {
    if (method === 'hold' || method === 'adopt')
      keys.add((first as HoldRequest | ForgottenCharge).payment.key)
    if (!LOOKS.has(method)) writes.push({ atMs: time.nowMs(), repeat: call })
    return call(current)
  })
  return {
    ledger: { ...ledger, totals: (network, seconds) => current.totals(network, seconds) },
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
