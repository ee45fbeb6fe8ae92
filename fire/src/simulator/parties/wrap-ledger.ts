import type { Ledger } from '@farebox/facilitator/ledger/ledger'

/** The ports of a ledger whose calls are wrapped. */
const WRAPPED = ['payments', 'settlements', 'leases', 'audit'] as const

/** Has a call of the method of this name made by a ledger. */
export type Wrap = <Result>(
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
