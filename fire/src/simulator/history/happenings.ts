import { LIES } from '../faults/fault-plan.ts'
import { MISHAPS, PORT_CALLS } from '../faults/targeted-fault.ts'
import { MISCHIEF_KINDS } from '../workload/mischief.ts'
import { ERRAND_KINDS, type WorkloadPlan } from '../workload/plan-workload.ts'
import type { HistoryCounts } from './count-history.ts'

/** Events that occur within every few hundred histories: a fault that never occurs tests nothing. */
export const USUAL_HAPPENINGS: readonly string[] = [
  ...ERRAND_KINDS.map(kind => `errand: ${kind}`),
  ...MISCHIEF_KINDS.map(kind => `mischief: ${kind}`),
  ...MISHAPS.map(mishap => `targeted fault: ${mishap}`),
  ...['store', 'ledger', 'node'].flatMap(port => [
    `${port} fails before it was done`,
    `${port} fails after it was done`,
  ]),
  ...all('messages', 'lost', 'doubled', 'late', 'overtaken'),
  ...all('stores', 'slow', 'fell back', 'lost everything'),
  ...all('clocks', 'of payers wrong', 'of programs wrong', 'set'),
  ...all('transactions', 'slow', 'forgotten by nodes', 'reverted', 'replaced'),
  ...all('payments', 'settled', 'failed', 'released', 'expired', 'settled by strangers'),
  'processes stopped for a while',
  'programs stopped in good order',
  ...all('nodes', 'behind', 'too busy', ...LIES.map(what => `of facilitators lie: ${what}`)),
  ...all('spends', 'mined', 'found again'),
  'calls slow',
  'writes lost by a store',
  'ledgers fell back',
  'rows lost by a ledger',
  'gas too dear',
  'blocks replaced',
  'payments undone with their blocks',
  'authorizations cancelled',
  ...all('2 agents', 'with one store', 'with one wallet'),
  'several replicas of an agent',
  'several replicas, several facilitators',
  ...all('2 facilitators', 'with one account', 'with an account each'),
  'a facilitator that is not ours',
  'an agent with a node of its own',
  'agents that spend',
  'permissions changed',
]

/** Events that need thousands of histories: deaths before and after every call through a port, and coincidences. */
export const RARE_HAPPENINGS: readonly string[] = [
  ...Object.keys(PORT_CALLS).flatMap(name => [`dies before ${name}`, `dies after ${name}`]),
  ...LIES.map(what => `nodes of agents lie: ${what}`),
  'charges found on the chain again',
  'rows set back by a ledger',
  'bells unheard',
  'spends reverted',
  'payments reverted within a batch',
  'transactions forgotten with their blocks',
]

/** The entries of a list that have not occurred. */
export function missingAmong(happenings: readonly string[], counts: HistoryCounts): readonly string[] {
  return happenings.filter(what => (counts[what] ?? 0) === 0)
}

/** Calls through ports that are not in {@link PORT_CALLS}: no process would die at them. */
export function unknownCalls(counts: HistoryCounts): readonly string[] {
  return Object.keys(counts).filter(what => {
    const name = /^dies (?:before|after) (.+)$/.exec(what)?.[1]
    return name !== undefined && !(name in PORT_CALLS)
  })
}

/** The setup of a history, by the names above. */
export function shapesOf(plan: WorkloadPlan): readonly string[] {
  const shapes: readonly (readonly [string, boolean])[] = [
    ['2 agents with one store', plan.agents === 2 && plan.sharesStore],
    ['2 agents with one wallet', plan.agents === 2 && plan.sharesWallet],
    ['several replicas of an agent', plan.replicas > 1],
    ['several replicas, several facilitators', plan.replicas > 1 && plan.facilitators > 1],
    ['2 facilitators with one account', plan.facilitators > 1 && plan.sharesRelayer && !plan.hasAllKeys],
    ['2 facilitators with an account each', plan.facilitators > 1 && !plan.sharesRelayer && !plan.hasAllKeys],
    ['1 facilitator with two accounts', plan.facilitators === 1 && plan.hasAllKeys],
    ['2 facilitators with the same two accounts', plan.facilitators > 1 && plan.hasAllKeys],
    ['a facilitator that is not ours', plan.facilitators === 0],
    ['an agent with a node of its own', plan.hasNode],
    ['agents that spend', plan.spends],
  ]
  return shapes.flatMap(([name, isSo]) => (isSo ? [name] : []))
}

function all(who: string, ...what: readonly string[]): readonly string[] {
  return what.map(one => `${who} ${one}`)
}
