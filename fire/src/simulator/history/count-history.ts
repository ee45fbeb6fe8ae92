import type { Evidence } from '../invariants/verdict.ts'
import { PROBE } from './probe-everything.ts'

/** Counts that show whether something happened at all: sums over histories are sums of these. */
export type HistoryCounts = { readonly [what: string]: number }

/** Counts the events of a history. */
export function countHistory({ world, rows, onChain, relayers }: Evidence): HistoryCounts {
  const { sends, jobs, said, wires, chain, broadcast, undone } = world
  const requests = sends.all().filter(({ caller }) => caller !== PROBE)
  const answers = requests.map(({ seen }) => (seen === undefined ? 'unanswered' : `answered ${seen.status}`))
  const mined = chain.mined()
  const reverted = mined.filter(({ succeeded }) => !succeeded)
  const spends = mined.filter(({ transaction }) => transaction.calls.some(({ kind }) => kind === 'spend'))
  const inBatches = mined.filter(({ transaction }) => transaction.calls.length !== 1)
  const places = broadcast.map(({ sender, nonce }) => `${sender} ${nonce}`)
  return {
    histories: 1,
    events: wires.time.eventCount(),
    requests: requests.length,
    ...tally(answers),
    'jobs delivered': new Set(said.deliveries.map(({ job }) => job)).size,
    'handlers run': [...jobs.all().values()].reduce((sum, { runs }) => sum + runs.length, 0),
    ...tally([...(rows?.values() ?? [])].map(({ state }) => `payments ${state}`)),
    'transactions reverted': reverted.length,
    'payments reverted within a batch': inBatches.reduce(
      (sum, { transaction, logs }) => sum + transaction.calls.length - logs.length / 2,
      0,
    ),
    'transactions replaced': places.length - new Set(places).size,
    'payments undone with their blocks': undone.size,
    'payments settled by strangers': [...onChain.values()].filter(({ sender }) => !relayers.has(sender))
      .length,
    'authorizations cancelled': [...chain.head().state.spent.values()].filter(one => one === 'cancelled')
      .length,
    'spends mined': spends.filter(({ succeeded }) => succeeded).length,
    'spends reverted': spends.filter(({ succeeded }) => !succeeded).length,
    ...wires.faults.counts(),
  }
}

function tally(names: readonly string[]): HistoryCounts {
  const counts: { [name: string]: number } = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
