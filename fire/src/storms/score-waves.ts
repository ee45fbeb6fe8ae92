import type { Score } from '../battery.ts'
import type { Audit } from './audit/audit.ts'
import type { Dropped } from './audit/find-dropped.ts'
import type { Ending, ManagedKind } from './stage/managed-process.ts'
import { grouped } from './storm-run.ts'

/** One wave, judged. */
export interface Wave {
  readonly struck: readonly ManagedKind[]
  readonly orders: number
  readonly audit: Audit
  /** Of processes that were asked to stop. */
  readonly endings: readonly Ending[]
  readonly dropped: Dropped
}

/** What all waves of a kind came to, a line for each promise. */
export function scoreWaves(
  { name, signal }: { readonly name: string; readonly signal: string },
  waves: readonly Wave[],
  asked: number,
): readonly Score[] {
  const sum = (count: (wave: Wave) => number): number => waves.reduce((total, wave) => total + count(wave), 0)
  const row = (test: string, isMet: boolean, reached: string, target: string): Score => ({
    test: `${signal}: ${test}`,
    reached,
    target,
    isMet,
  })
  const of = (kind: ManagedKind): number => sum(({ struck }) => struck.filter(one => one === kind).length)
  const victims = `${of('agent')} agent, ${of('facilitator')} facilitator, ${of('postgres')} PostgreSQL, ${of('redis')} Redis`
  const orders = grouped(sum(wave => wave.orders))
  const paid = sum(({ audit }) => audit.money.paid)
  const completed = sum(({ audit }) => audit.money.completed)
  const wrong = sum(({ audit }) => audit.money.findings.length + audit.strange.length + audit.ledger.length)
  const unsettled = sum(({ audit }) => audit.unsettled.payments + audit.unsettled.responses)
  const asksAgain = sum(({ audit }) => audit.retrieval.asked)
  const notFetched = sum(({ audit }) => audit.retrieval.findings.length)
  const failures = sum(({ audit }) => audit.truth.failures)
  const lies = sum(({ audit }) => audit.truth.findings.length)
  const runs = (count: keyof Omit<Audit['runs'], 'findings'>): string =>
    grouped(sum(({ audit }) => audit.runs[count]))
  const wrongRuns = sum(({ audit }) => audit.runs.findings.length)
  return [
    row(
      `${grouped(asked)} at random moments (${victims}), ${orders} orders`,
      wrong + unsettled === 0 && paid === completed,
      `${grouped(completed)} jobs completed, ${grouped(paid)} payments moved, ${wrong} wrong in chain or ledger, ${unsettled} unsettled`,
      'money moved = jobs completed, job by job; ledger = chain; 0 unsettled',
    ),
    row(
      'charged responses fetched again, failures answered (400, 402, 408, 500)',
      notFetched + lies === 0,
      `${grouped(asksAgain - notFetched)} of ${grouped(asksAgain)}, the same bytes; ${grouped(failures)} answered, ${lies} where money had moved or moved later`,
      'every one, and 0 of them',
    ),
    row(
      'handler runs',
      wrongRuns === 0,
      `${runs('runs')}; again after its agent's kill ${runs('afterKill')}, a failure answered ${runs('afterFailure')}, a freeze ${runs('afterFreeze')}, Redis's trouble ${runs('afterStoreTrouble')}, for no reason ${wrongRuns}`,
      '0 for no reason',
    ),
    ...(name === 'stop' ? [scoreStops(waves, asked)] : []),
  ]
}

function scoreStops(waves: readonly Wave[], asked: number): Score {
  const dropped = waves.flatMap(wave => wave.dropped.requests).length
  const good = waves.flatMap(({ endings }) => endings).filter(({ code }) => code === 0).length
  const refused = waves.reduce((total, wave) => total + wave.dropped.refused, 0)
  const cut = waves.reduce((total, wave) => total + wave.dropped.cut, 0)
  return {
    test: `SIGTERM: accepted requests on kept connections, and exits`,
    reached: `${dropped} dropped, ${good} exits with 0; ${refused} met a closed port, ${cut} a connection that was just being closed`,
    target: `0 dropped, ${asked} exits with 0`,
    isMet: dropped === 0 && good === asked,
  }
}
