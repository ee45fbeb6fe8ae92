import type { Parties } from '../history/start-parties.ts'
import type { Probe } from '../history/probe-everything.ts'
import { readPaymentsOnChain } from '../records/payments-on-chain.ts'
import type { World } from '../world.ts'
import { chargedIsDelivered } from './charged-is-delivered.ts'
import { everythingEnds } from './everything-ends.ts'
import { failureIsFree } from './failure-is-free.ts'
import { handlerOnce } from './handler-once.ts'
import { ledgerIsChain } from './ledger-is-chain.ts'
import { boundIsBound, oneJobOneTransfer, onePaymentOneJob } from './one-payment-one-job.ts'
import { paidIsKept, sameBytes } from './paid-is-kept.ts'
import { proofBeforeOutput } from './proof-before-output.ts'
import { onlyPayersGetOutput } from './only-payers-get-output.ts'
import { reportsAreTrue } from './reports-are-true.ts'
import { doneHasItsSpends, failureNamesItsSpends, spendsArePermitted } from './spends-are-true.ts'
import type { Evidence, Rule, Violation } from './verdict.ts'

const RULES: readonly Rule[] = [
  onePaymentOneJob,
  oneJobOneTransfer,
  boundIsBound,
  proofBeforeOutput,
  paidIsKept,
  sameBytes,
  failureIsFree,
  chargedIsDelivered,
  handlerOnce,
  ledgerIsChain,
  onlyPayersGetOutput,
  reportsAreTrue,
  everythingEnds,
  spendsArePermitted,
  doneHasItsSpends,
  failureNamesItsSpends,
]

/** Judges a history that has come to its end: every rule that was broken, and where. */
export async function checkHistory(parts: {
  readonly world: World
  readonly parties: Parties
  readonly probes: readonly Probe[]
  readonly unresolved: readonly string[]
}): Promise<readonly Violation[]> {
  const { world, parties, probes, unresolved } = parts
  const keys = new Set([
    ...world.meddled.keys(),
    ...world.sends.all().flatMap(({ payment }) => payment ?? []),
  ])
  const rows = await parties.ledger.payments.find([...keys])
  const evidence: Evidence = {
    world,
    onChain: readPaymentsOnChain(world.chain, world.network),
    rows: parties.hasLedger ? new Map(rows.map(row => [row.key, row])) : undefined,
    relayers: parties.relayers,
    probes,
    unresolved,
  }
  return RULES.flatMap(rule => [...rule(evidence)])
}
