import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import type { PaymentToHold } from '@farebox/facilitator/src/ledger/payment-ledger'
import type { ForgottenCharge } from '@farebox/facilitator/src/ledger/reconciliation-ledger'
import { createMemoryLedger } from '@farebox/facilitator/ledger/memory/memory-ledger'
import { EXACT, processClock } from '../time/process-clocks.ts'
import { startProcess } from '../time/virtual-process.ts'
import type { World } from '../build-world.ts'
import { createWriteLog } from './write-log.ts'

/** Calls that change nothing: all others are repeated where a copy is made. `backlog` claims those whose turn it is. */
const LOOKS: ReadonlySet<string> = new Set(['find', 'unattended', 'settledSince', 'unconfirmed', 'uncharged'])

/**
 * Opens an empty ledger that outlives the processes that use it: the facilitator's own in memory, which passes the contract
 * of all. It may lose its last writes, which is noted.
 */
export function openVirtualLedger({ wires, forgottenMs, failureForgotten, setBack }: World) {
  const { time, faults } = wires
  const log = createWriteLog<Ledger>('ledger', wires)
  const clock = { ...processClock(startProcess(time, 'database'), EXACT), nowMs: log.nowMs }
  let current = createMemoryLedger(clock)
  const keys = new Set<string>()

  const ledger = wrapLedger(current, (method, call, [first]) => {
    if (method === 'hold' || method === 'adopt')
      keys.add((first as PaymentToHold | ForgottenCharge).payment.key)
    if (!LOOKS.has(method)) log.add(method, call)
    return call(current)
  })
  return {
    /** What facilitators use, each through a port of its own. */
    ledger: { ...ledger, totals: (network: string, seconds: number) => current.totals(network, seconds) },
    /**
     * Falls back to a copy that lacks the writes of so long: a database that was restored, or failed over with loss.
     * Secrets stay, because without them nobody could ask what became of a payment.
     */
    async failOver(lostMs: number): Promise<void> {
      const before = current
      current = createMemoryLedger(clock)
      const copied = log.failOver(current, lostMs)
      const both = [before, current].map(one => one.payments.find([...keys]))
      const [rowsBefore = [], rowsAfter = []] = await Promise.all(both)
      await copied
      const left = new Map(rowsAfter.map(row => [row.key, row]))
      for (const { key, state, transaction } of rowsBefore) {
        const row = left.get(key)
        if (row?.state === state && row.transaction === transaction) continue
        faults.happened(row === undefined ? 'rows lost by a ledger' : 'rows set back by a ledger')
        setBack.add(key)
        const isForgotten = row === undefined || row.state === 'released'
        if (isForgotten && !forgottenMs.has(key)) forgottenMs.set(key, time.nowMs())
        if (state === 'failed') failureForgotten.add(key)
      }
    },
  }
}

/** The ports of a ledger whose calls are wrapped. */
const WRAPPED = ['payments', 'settlements', 'leases', 'audit'] as const

/** Has a call of the method of this name made by a ledger. */
type Wrap = <Result>(
  method: string,
  call: (ledger: Ledger) => Promise<Result>,
  given: readonly unknown[],
) => Promise<Result>

type Method = (...given: readonly unknown[]) => Promise<unknown>

/** A ledger like this one, with each call of its ports wrapped. Secrets, owners, signals and totals stay as they are. */
export function wrapLedger(ledger: Ledger, wrap: Wrap): Ledger {
  const wrapped = WRAPPED.map(port => {
    const methods = Object.keys(ledger[port]).map(method => {
      const call: Method = (...given) =>
        wrap(method, one => (Reflect.get(one[port], method) as Method)(...given), given)
      return [method, call]
    })
    return [port, Object.fromEntries(methods)]
  })
  // Each port has the methods that it had, with what they are given and what they resolve to.
  return { ...ledger, ...(Object.fromEntries(wrapped) as Pick<Ledger, (typeof WRAPPED)[number]>) }
}
