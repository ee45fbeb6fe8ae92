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
  const shown = (count: (wave: Wave) => number): string => grouped(sum(count))
  const row = (test: string, wrong: number, reached: string, target: string): Score => ({
    test: `${signal}: ${test}`,
    reached,
    target,
    isMet: wrong === 0,
  })
  const of = (kind: ManagedKind): number => sum(({ struck }) => struck.filter(one => one === kind).length)
  const victims = `${of('agent')} agent, ${of('facilitator')} facilitator, ${of('postgres')} PostgreSQL, ${of('redis')} Redis`
  const paid = sum(({ audit }) => audit.money.paid)
  const completed = sum(({ audit }) => audit.money.completed)
  const wrongMoney = sum(({ audit }) => audit.money.findings.length + audit.strange.length)
  const unsettled = sum(({ audit }) => audit.unsettled.payments + audit.unsettled.responses)
  const wrongLedger = sum(({ audit }) => audit.ledger.length)
  const wrongRetrieval = sum(({ audit }) => audit.retrieval.length)
  const retrieved = sum(({ audit }) => audit.retrieved)
  const lies = sum(({ audit }) => audit.truth.findings.length)
  const wrongRuns = sum(({ audit }) => audit.runs.findings.length)
  const again = `its agent's kill ${sum(({ audit }) => audit.runs.afterKill)}, a failure answered ${sum(({ audit }) => audit.runs.afterFailure)}, a freeze ${sum(({ audit }) => audit.runs.afterFreeze)}, Redis's trouble ${sum(({ audit }) => audit.runs.afterStoreTrouble)}, for no reason ${wrongRuns}`
  return [
    row(
      `${grouped(asked)} at random moments (${victims}), ${shown(({ orders }) => orders)} orders`,
      wrongMoney + unsettled + (paid === completed ? 0 : 1),
      `${grouped(completed)} jobs completed, ${grouped(paid)} payments moved, ${wrongMoney} wrong, ${unsettled} unsettled`,
      'money moved = jobs completed, job by job; 0 unsettled',
    ),
    row(
      'the ledger beside the chain',
      wrongLedger,
      `${grouped(waves.at(-1)?.audit.rows ?? 0)} rows, ${wrongLedger} differ`,
      '0 differ',
    ),
    row(
      'charged responses fetched again',
      wrongRetrieval,
      `${grouped(retrieved - wrongRetrieval)} of ${grouped(retrieved)}, the same bytes`,
      'every one',
    ),
    row(
      'failures answered truly (400, 402, 408, 500)',
      lies,
      `${shown(({ audit }) => audit.truth.failures)} answered, ${lies} where money had moved or moved later`,
      '0 of them',
    ),
    row(
      'handler runs',
      wrongRuns,
      `${shown(({ audit }) => audit.runs.runs)}; again after ${again}`,
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
