import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../simulator/seeded-random.ts'
import { audit, findingsOf } from './audit/audit.ts'
import { watchChain } from './audit/read-chain.ts'
import { findDropped } from './audit/find-dropped.ts'
import { runLoad } from './load/run-load.ts'
import { scoreWaves, type Wave } from './score-waves.ts'
import type { Ending, ManagedKind } from './stage/managed-process.ts'
import { freezeFamily } from './stage/process-family.ts'
import { scheduleStrikes, strikeAtRandom, type Strike } from './strike.ts'
import type { StormResult, StormRun, StormSize, StormStage } from './storm-run.ts'

/** A kind of storm: what is done to processes under a steady load of paid jobs. */
export interface WaveKind {
  /** As `--only` takes it. */
  readonly name: 'kill' | 'freeze' | 'stop'
  readonly signal: string
  readonly count: (size: StormSize) => number
  readonly victims: (size: StormSize) => readonly ManagedKind[]
  readonly everyMs: (size: StormSize) => number
  readonly atOnce: number
  readonly strike: (stage: StormStage, endings: Ending[], signal: AbortSignal) => Strike
}

/** Each wave is judged when it is over: responses are kept for ten minutes only. */
const STRIKES_PER_WAVE = 100

/** How long each stands still, in milliseconds: past what others wait for it, and short of it. */
const SPANS: { readonly [kind in ManagedKind]: readonly [least: number, most: number] } = {
  // A lease is ten seconds: another replica has the jobs by then.
  agent: [9_000, 14_000],
  // The relayer's lease is four.
  facilitator: [3_000, 8_000],
  // A query is given up after ten.
  postgres: [1_000, 12_000],
  // A command is given up after one, and done all the same.
  redis: [500, 4_000],
}

export const WAVES: readonly WaveKind[] = [
  {
    // S5, S6, S7: in the end money moved = jobs completed, and every caller was answered truly.
    name: 'kill',
    signal: 'kill -9',
    count: size => size.kills,
    victims: size => size.victims,
    everyMs: size => size.killEveryMs,
    atOnce: Infinity,
    strike:
      ({ eventLog }) =>
      async ({ kind, name, kill, start }, pid) => {
        eventLog.kills.push({ kind, name, pid, atMs: Date.now() })
        await kill()
        await start()
      },
  },
  {
    // Processes that count as dead and come back in the middle of their work (D6: fences; D8: what was given up may
    // have been done).
    name: 'freeze',
    signal: 'SIGSTOP',
    count: size => size.freezes,
    victims: size => size.victims,
    everyMs: () => 2_500,
    // Some are left to go on.
    atOnce: 3,
    strike:
      ({ eventLog }, _, signal) =>
      async ({ kind, name }, pid, random) => {
        const [least, most] = SPANS[kind]
        const spanMs = random.between(least, most)
        const atMs = Date.now()
        const thaw = await freezeFamily(pid)
        await delay(spanMs, undefined, { signal }).catch(() => undefined)
        eventLog.freezes.push({ kind, name, pid, atMs, untilMs: Date.now() })
        thaw()
      },
  },
  {
    // S12, D32: under callers that keep their connections, nothing accepted is dropped.
    name: 'stop',
    signal: 'SIGTERM',
    count: size => size.stops,
    victims: () => ['agent'],
    everyMs: () => 300,
    atOnce: 1,
    strike:
      (_, endings) =>
      async ({ stop, start }) => {
        const ending = await stop()
        if (ending !== undefined) endings.push(ending)
        await start()
      },
  },
]

/** Plays as many waves of a kind as its strikes need. */
export async function waveStorm(run: StormRun, kind: WaveKind): Promise<StormResult> {
  const total = kind.count(run.size)
  const waves: Wave[] = []
  const findings: string[] = []
  for (let done = 0; done < total && !run.signal.aborted; done += STRIKES_PER_WAVE) {
    // A wave has a seed of its own: it can be played again alone.
    const seed = run.seed + waves.length
    const count = Math.min(STRIKES_PER_WAVE, total - done)
    const wave = await playWave(run, kind, { seed, count, done, total })
    waves.push(wave)
    const replay = run.replay(`--only ${kind.name} --seed ${seed} --strikes ${count}`)
    findings.push(...findingsOfWave(wave).map(text => `${kind.signal}: ${text} ${replay}`))
  }
  return { scores: scoreWaves(kind, waves, total), findings }
}

/**
 * Keeps a load of paid jobs up while processes are struck; then lets every caller come to its end, waits until all is
 * settled, and judges what was ordered meanwhile.
 */
async function playWave(
  run: StormRun,
  kind: WaveKind,
  { seed, count, done, total }: { seed: number; count: number; done: number; total: number },
): Promise<Wave> {
  const { stage, size, signal, progress } = run
  const random = createRandom(seed).fork(kind.name)
  const struck = scheduleStrikes(count, kind.victims(size), random.fork('victims'))
  const before = new Set(stage.eventLog.orders.keys())
  const endings: Ending[] = []
  const watch = watchChain(stage)
  const enough = new AbortController()
  const { callers, pauseMs } = size
  const load = { callers, pauseMs, random: random.fork('load'), enough: enough.signal, signal }
  const running = runLoad(stage, load)
  try {
    await strikeAtRandom(stage, struck, {
      strike: kind.strike(stage, endings, signal),
      everyMs: kind.everyMs(size),
      atOnce: kind.atOnce,
      random: random.fork('moments'),
      signal,
      onStrike: strikes => progress({ doing: kind.signal, done: done + strikes, of: total }),
    })
  } finally {
    enough.abort()
    progress({ doing: `${kind.signal}, settling`, done: done + count, of: total })
    await running
    await watch.stop()
  }
  const orders = [...stage.eventLog.orders.values()].filter(({ jobId }) => !before.has(jobId))
  return {
    struck,
    orders: orders.length,
    endings,
    dropped: kind.name === 'stop' ? findDropped(stage, orders) : { requests: [], refused: 0, cut: 0 },
    audit: await audit(stage, orders, { seenMs: watch.seenMs, signal }),
  }
}

function findingsOfWave({ audit: judged, endings, dropped }: Wave): readonly string[] {
  const wrongEndings = endings.filter(({ code }) => code !== 0)
  return [
    ...findingsOf(judged),
    ...dropped.requests,
    ...wrongEndings.map(
      ({ code, lastLines }) => `exit ${code}: ${lastLines.split('\n').slice(-2).join(' | ')}`,
    ),
  ]
}
