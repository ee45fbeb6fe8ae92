import { readPaymentsOnChain } from '../records/payments-on-chain.ts'
import { PROBE } from './probe-everything.ts'
import type { World } from '../build-world.ts'
import type { Parties } from './start-parties.ts'

/** So that it can be seen that something happened at all: sums over histories are sums of these. */
export type HistoryCounts = { readonly [what: string]: number }

/** Counts what happened in a history. */
export async function countHistory(world: World, parties: Parties): Promise<HistoryCounts> {
  const { sends, jobs, said, meddled, wires } = world
  const requests = sends.all().filter(({ caller }) => caller !== PROBE)
  const keys = new Set([...meddled.keys(), ...requests.flatMap(({ payment }) => payment ?? [])])
  const rows = await parties.ledger.payments.find([...keys])
  const answers = tally(
    requests.map(({ seen }) => (seen === undefined ? 'unanswered' : `answered ${seen.status}`)),
  )
  return {
    histories: 1,
    events: wires.time.eventCount(),
    requests: requests.length,
    ...answers,
    'jobs delivered': new Set(said.deliveries.map(({ job }) => job)).size,
    'handlers run': [...jobs.all().values()].reduce((sum, { runs }) => sum + runs.length, 0),
    ...tally(rows.map(({ state }) => `payments ${state}`)),
    ...countOnChain(world, parties),
    ...countSpends(world),
    ...wires.faults.counts(),
  }
}

function countSpends({ chain }: World): HistoryCounts {
  const mined = chain.mined()
  const sent = mined.filter(({ transaction }) => transaction.calls.some(({ kind }) => kind === 'spend'))
  return {
    'spends mined': sent.filter(({ succeeded }) => succeeded).length,
    'spends reverted': sent.filter(({ succeeded }) => !succeeded).length,
  }
}

/** What became of transactions and authorizations. */
function countOnChain({ chain, network, broadcast, undone }: World, { relayers }: Parties): HistoryCounts {
  const mined = chain.mined()
  const moved = [...readPaymentsOnChain(chain, network).values()]
  const places = broadcast.map(({ sender, nonce }) => `${sender} ${nonce}`)
  return {
    'transactions reverted': mined.filter(({ succeeded }) => !succeeded).length,
    'payments reverted within a batch': mined.reduce(
      (sum, { transaction, logs }) =>
        transaction.calls.length === 1 ? sum : sum + transaction.calls.length - logs.length / 2,
      0,
    ),
    'transactions replaced': places.length - new Set(places).size,
    'payments undone with their blocks': undone.size,
    'payments settled by strangers': moved.filter(({ sender }) => !relayers.has(sender)).length,
    'authorizations cancelled': [...chain.head().state.spent.values()].filter(one => one === 'cancelled')
      .length,
  }
}

function tally(names: readonly string[]): HistoryCounts {
  const counts: { [name: string]: number } = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
