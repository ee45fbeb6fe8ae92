import type { Ledger } from '@farebox/facilitator/ledger/ledger'
import { shortKey, type Signal } from '@farebox/facilitator/src/ledger/signals'
import { readRawTransaction } from '../chain/read-raw-transaction.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import type { Wires } from '../wires/exchange.ts'
import { callThroughPort } from '../wires/port.ts'
import type { World } from '../world.ts'

/** Bells between the facilitators of one ledger, which a real database would ring. */
export interface VirtualSignals {
  readonly portOf: (process: VirtualProcess) => Ledger['signals']
}

/** Makes the bells. */
export function createVirtualSignals(wires: Wires): VirtualSignals {
  const listeners = new Map<VirtualProcess, (signal: Signal) => void>()
  return {
    portOf: process => ({
      publish(signal) {
        for (const [other, listen] of listeners) {
          if (other === process || !other.isAlive) continue
          // Nobody relies on it: with messages it is lost as they are.
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
    }),
  }
}

/** A ledger as one facilitator reaches it: each call may fail, or be its last. */
export function ledgerPort(
  world: World,
  ledger: Ledger,
  process: VirtualProcess,
  signals: VirtualSignals,
): Ledger {
  const { wires } = world
  const through = <Result>(name: string, call: () => Promise<Result>): Promise<Result> =>
    callThroughPort(wires, { process, kind: 'facilitator', port: 'ledger', name: `ledger.${name}`, call })
  const { payments, settlements, leases, audit, secrets, owners } = ledger
  const notifier = signals.portOf(process)
  return {
    payments: {
      hold: request => through('hold', () => payments.hold(request)),
      capture: request => through('capture', () => payments.capture(request)),
      release: hold => through('release', () => payments.release(hold)),
      find: keys => through('find', () => payments.find(keys)),
    },
    settlements: {
      backlog: (account, limit) => through('backlog', () => settlements.backlog(account, limit)),
      // Asked for the operator's eyes alone.
      unattended: network => settlements.unattended(network),
      submit: (lease, transaction, keys) =>
        through('submit', () => settlements.submit(lease, transaction, keys)),
      captureAndSubmit: (lease, transaction, request) =>
        through('capture-and-submit', () => settlements.captureAndSubmit(lease, transaction, request)),
      replace: (lease, id, signed) =>
        through('replace', async () => {
          const { open } = await settlements.backlog(
            { ...lease, relayers: [lease.relayer], holder: '' },
            { together: 0, alone: 0 },
          )
          const nonce = open.find(transaction => transaction.id === id)?.nonce
          const isReplaced = await settlements.replace(lease, id, signed)
          if (isReplaced && readRawTransaction(world.crypto, signed.raw).nonce !== nonce)
            world.said.oddDeeds.push(
              `transaction ${id} was replaced under another nonce than its own, ${nonce}`,
            )
          return isReplaced
        }),
      conclude: (conclusions, closes) =>
        through('conclude', async () => {
          const changed = await settlements.conclude(conclusions, closes)
          // As the real one rings with what it writes, so that who waits elsewhere looks.
          if (changed.length > 0)
            await notifier.publish({ kind: 'concluded', payments: changed.map(shortKey) })
          return changed
        }),
    },
    leases: {
      acquire: (account, holder, leaseMs) => through('lease', () => leases.acquire(account, holder, leaseMs)),
      giveUp: lease => through('give-up', () => leases.giveUp(lease)),
    },
    audit: {
      expireHolds: (network, now) => through('expire', () => audit.expireHolds(network, now)),
      settledSince: (network, block, limit) =>
        through('settled-since', () => audit.settledSince(network, block, limit)),
      unconfirmed: (network, age, limit) =>
        through('unconfirmed', () => audit.unconfirmed(network, age, limit)),
      adopt: charge =>
        through('adopt', async () => {
          const isAdopted = await audit.adopt(charge)
          wires.faults.happened(isAdopted ? 'charges found on the chain again' : 'charges of others found')
          return isAdopted
        }),
      // Half an hour after a settlement: no history is so long.
      confirm: keys => audit.confirm(keys),
      uncharged: (network, finality, page) =>
        through('uncharged', () => audit.uncharged(network, finality, page)),
      markAudited: (keys, head, finality) =>
        through('mark-audited', () => audit.markAudited(keys, head, finality)),
      // A day after the last look: no history is so long.
      forgetUnused: (network, finality, before) => audit.forgetUnused(network, finality, before),
    },
    secrets: { ...secrets, find: id => through('secret', () => secrets.find(id)) },
    // Asked by administrators only; no history has one.
    owners,
    signals: notifier,
    totals: (network, now) => through('totals', () => ledger.totals(network, now)),
    close: () => Promise.resolve(),
  }
}
