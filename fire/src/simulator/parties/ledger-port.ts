import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { shortKey, type Signal } from '@farebox/facilitator/src/ledger/signals'
import { readRawTransaction } from '../chain/calls.ts'
import { remember } from '../stand-ins/pure-functions.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Wires } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import type { World } from '../build-world.ts'
import { wrapLedger } from './virtual-ledger.ts'

/**
 * Creates the notifications between the facilitators of one ledger, as a real database sends them: those of each
 * process.
 */
export function createVirtualSignals(wires: Wires): (process: VirtualProcess) => Ledger['signals'] {
  const listeners = new Map<VirtualProcess, (signal: Signal) => void>()
  return process => ({
    publish(signal) {
      for (const [other, listen] of listeners) {
        if (other === process || !other.isAlive) continue
        // No facilitator relies on it: they get lost like messages.
        const { thereMs, losesRequest } = wires.faults.ofMessage(1)
        if (losesRequest) wires.faults.happened('bells unheard')
        else wires.time.after(thereMs, () => other.deliver(() => listen(signal)))
      }
      return Promise.resolve()
    },
    subscribe(listen) {
      listeners.set(process, listen)
      return () => void listeners.delete(process)
    },
  })
}

/** Calls that no fault strikes: those of operators, or later than any history lasts. */
const SPARED: ReadonlySet<string> = new Set(['unattended', 'confirm', 'forgetUnused'])
/** Names in `PORT_CALLS` that are more specific than the method names. */
const NAMES: { readonly [method: string]: string } = { acquire: 'lease', expireHolds: 'expire' }

const nameOf = remember(
  (method: string) =>
    `ledger.${NAMES[method] ?? method.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`,
)

/** A ledger as one facilitator uses it: each call may fail, or be its last. */
export function ledgerPort(
  { wires, crypto, said }: World,
  ledger: Ledger,
  process: VirtualProcess,
  signals: Ledger['signals'],
): Ledger {
  const through = <Result>(method: string, call: () => Promise<Result>): Promise<Result> => {
    if (SPARED.has(method)) return call()
    return callThroughPort(wires, {
      process,
      kind: 'facilitator',
      port: 'ledger',
      name: nameOf(method),
      call,
    })
  }
  const { settlements, audit, secrets } = ledger
  const watched: Ledger = {
    ...ledger,
    settlements: {
      ...settlements,
      async replace(lease, id, signed) {
        const relayers = { ...lease, relayers: [lease.relayer], holder: '' }
        const { open } = await settlements.backlog(relayers, { together: 0, alone: 0 })
        const nonce = open.find(transaction => transaction.id === id)?.nonce
        const isReplaced = await settlements.replace(lease, id, signed)
        if (isReplaced && readRawTransaction(crypto, signed.raw).nonce !== nonce)
          said.oddDeeds.push(`transaction ${id} was replaced under another nonce than its own, ${nonce}`)
        return isReplaced
      },
      async conclude(conclusions, closes) {
        const changed = await settlements.conclude(conclusions, closes)
        // Notifies with each write like the real one, so that waiters in other processes read again.
        if (changed.length > 0)
          await signals.publish({ kind: 'concluded', payments: changed.map(({ key }) => shortKey(key)) })
        return changed
      },
    },
    audit: {
      ...audit,
      async adopt(charge) {
        const isAdopted = await audit.adopt(charge)
        wires.faults.happened(isAdopted ? 'charges found on the chain again' : 'charges of others found')
        return isAdopted
      },
    },
  }
  return {
    ...wrapLedger(watched, (method, call) => through(method, () => call(watched))),
    secrets: { ...secrets, find: id => through('secret', () => secrets.find(id)) },
    signals,
  }
}
