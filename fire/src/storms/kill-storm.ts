import type { Score } from '../battery.ts'
import { createRandom } from '../simulator/seeded-random.ts'
import { findingsOf, type Audit } from './audit/audit-storm.ts'
import { killAtRandom } from './kill-at-random.ts'
import { scheduleKills } from './kill-schedule.ts'
import { underLoad } from './load/under-load.ts'
import type { ManagedKind } from './stage/managed-process.ts'
import { grouped, replayArguments, type StormResult, type StormRun } from './storm-run.ts'

/** One wave, judged. */
interface Wave {
  readonly kills: readonly ManagedKind[]
  readonly orders: number
  readonly audit: Audit
}

/**
 * SIGKILL to agents, facilitators, PostgreSQL and Redis at random moments under a steady load (S5, S6, S7): in the end
 * money moved = jobs completed, and everybody was told the truth.
 */
export async function killStorm(run: StormRun): Promise<StormResult> {
  const { size, seed, signal } = run
  const waves: Wave[] = []
  const findings: string[] = []
  for (let done = 0; done < size.kills && !signal.aborted; done += size.killsPerWave) {
    // A wave has a seed of its own: it can be played again alone.
    const waveSeed = seed + waves.length
    const wave = await playWave(run, waveSeed, {
      done,
      kills: Math.min(size.killsPerWave, size.kills - done),
    })
    waves.push(wave)
    const replay = replayArguments(run, 'kill', waveSeed)
    findings.push(...findingsOf(wave.audit).map(text => `kill storm: ${text} ${replay}`))
  }
  return { scores: scoreWaves(waves), findings }
}

async function playWave(
  run: StormRun,
  seed: number,
  { done, kills }: { readonly done: number; readonly kills: number },
): Promise<Wave> {
  const { stage, size, signal, progress } = run
  const random = createRandom(seed)
  const victims = scheduleKills(kills, size.victims, random.fork('victims'))
  const told = (doing: string, killed: number): void =>
    progress({ doing, done: done + killed, of: size.kills })
  const load = {
    random: random.fork('load'),
    pauseMs: size.pauseMs,
    onSettling: () => told('kill storm, settling', kills),
  }
  const { orders, audit } = await underLoad(run, load, () =>
    killAtRandom(stage, victims, {
      random: random.fork('moments'),
      everyMs: size.killEveryMs,
      downMs: size.downMs,
      signal,
      onKill: killed => told('kill storm', killed),
    }),
  )
  return { kills: victims, orders: orders.length, audit }
}

function scoreWaves(waves: readonly Wave[]): readonly Score[] {
  const sum = (count: (wave: Wave) => number): number => waves.reduce((total, wave) => total + count(wave), 0)
  const kills = sum(wave => wave.kills.length)
  const of = (kind: ManagedKind): number => sum(wave => wave.kills.filter(victim => victim === kind).length)
  const victims = `${of('agent')} agent, ${of('facilitator')} facilitator, ${of('postgres')} PostgreSQL, ${of('redis')} Redis`
  const paid = sum(wave => wave.audit.money.paid)
  const completed = sum(wave => wave.audit.money.completed)
  const wrongMoney = sum(wave => wave.audit.money.findings.length + wave.audit.strange.length)
  const unsettled = sum(({ audit }) => audit.unsettled.payments + audit.unsettled.responses)
  const row = (test: string, wrong: number, reached: string, target: string): Score => ({
    test: `kill -9: ${test}`,
    reached,
    target,
    isMet: wrong === 0,
  })
  const wrongLedger = sum(wave => wave.audit.ledger.length)
  const wrongRetrieval = sum(wave => wave.audit.retrieval.length)
  const lies = sum(wave => wave.audit.truth.findings.length)
  const wrongRuns = sum(wave => wave.audit.runs.findings.length)
  return [
    row(
      `${grouped(kills)} at random moments (${victims}), ${grouped(sum(wave => wave.orders))} orders`,
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
      `${grouped(sum(wave => wave.audit.retrieved) - wrongRetrieval)} of ${grouped(sum(wave => wave.audit.retrieved))}, the same bytes`,
      'every one',
    ),
    row(
      'failures told truly (400, 402, 408, 500)',
      lies,
      `${grouped(sum(wave => wave.audit.truth.failures))} told, ${lies} where money had moved or moved later`,
      '0 of them',
    ),
    row(
      'handler runs',
      wrongRuns,
      `${grouped(sum(wave => wave.audit.runs.runs))}; again after its agent's kill ${sum(wave => wave.audit.runs.afterKill)}, ` +
        `after a failure told ${sum(wave => wave.audit.runs.afterFailure)}, after Redis's kill ${sum(wave => wave.audit.runs.afterStoreTrouble)}, for no reason ${wrongRuns}`,
      '0 for no reason',
    ),
  ]
}
