import { NO_SPENDS, type SpendTerms } from '../chain/token.ts'
import { FAILED_AFTER } from '../records/spend-records.ts'
import type { World } from '../build-world.ts'
import type { Evidence } from './verdict.ts'

/** PERM-02, PERM-03: block by block, no spend exceeds the terms in force, and each ref is used once. */
export function* spendsArePermitted({ world: { chain } }: Evidence): Iterable<string> {
  const terms = new Map<string, SpendTerms>(chain.block(0)?.state.spends?.rules ?? NO_SPENDS.rules)
  const spent = new Map<string, bigint>()
  const refs = new Set<string>()
  for (const { transaction, succeeded } of chain.mined()) {
    for (const call of succeeded ? transaction.calls : []) {
      if (call.kind === 'permit') terms.set(call.id, call.terms)
      if (call.kind !== 'spend') continue
      const { limit, cap } = terms.get(call.id) ?? { limit: 0n, cap: 0n }
      const sum = (spent.get(call.id) ?? 0n) + call.amount
      spent.set(call.id, sum)
      const place = `${call.id} ${call.ref}`
      if (call.amount > limit || sum > cap)
        yield `${transaction.hash} spends ${call.amount}, ${sum} in all, of ${limit} and ${cap}`
      if (refs.has(place)) yield `${transaction.hash} uses the ref ${place} again`
      refs.add(place)
    }
  }
}

/**
 * A paid 200 names the spends of its job, and the chain has exactly these for that job. Left out are spends that a
 * reorganisation undid, because an agent does not wait for finality, and agents whose node invents receipts.
 */
export function* doneHasItsSpends({ world, onChain }: Evidence): Iterable<string> {
  if (world.wires.faults.plan.lies.some(({ of, what }) => of === 'agent' && what === 'receipts')) return
  const mined = readMined(world)
  for (const { job, text, payment } of world.said.deliveries) {
    const payer = onChain.get(payment ?? '')?.payer
    const planned = world.spends.planned.get(`${job} ${payer}`)
    if (planned === undefined) continue
    const named: readonly string[] = text.match(/0x[0-9a-f]{64}/g) ?? []
    if (named.length === 0) continue
    const refs = world.spends.refsOf(job.slice(job.indexOf('/') + 1))
    const ofJob = mined.filter(({ ref }) => ref >> 8n === refs)
    // Two agents may have got one job_id, each with its own spends: those of the named permission count.
    const places = new Set(ofJob.filter(one => named.includes(one.transaction)).map(({ place }) => place))
    const made = ofJob.filter(({ owner, place }) => owner === payer && places.has(place))
    const isUndone = [...world.spends.undone].some(place => BigInt(place.split(' ')[1] ?? 0) >> 8n === refs)
    if (isUndone) continue
    if (new Set(named).size === planned && made.length === planned) continue
    yield `${job} is done with ${planned} spends, names ${named.join(' ')}, and ${made.map(one => one.transaction).join(' ')} are mined`
  }
}

/** A failed answer names all spends of its run. */
export function* failureNamesItsSpends({ world }: Evidence): Iterable<string> {
  for (const text of world.spends.failures) {
    const given = Number(FAILED_AFTER.exec(text)?.[1])
    const named = new Set(text.match(/moved [^,;]*? in transaction 0x[0-9a-f]{64}/g))
    if (named.size < given) yield `a job failed after ${given} spends, and was answered ${text}`
  }
}

/** The spends that are in a block. */
function readMined({ chain }: World) {
  const calls = chain
    .mined()
    .filter(({ succeeded }) => succeeded)
    .flatMap(({ transaction }) => transaction.calls.map(call => ({ call, transaction: transaction.hash })))
  return calls.flatMap(({ call, transaction }) =>
    call.kind === 'spend' ? [{ place: call.id, ref: call.ref, owner: call.owner, transaction }] : [],
  )
}
