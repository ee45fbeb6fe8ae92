import { RefusedOption, type Battery, type BatteryResult, type BatteryRun } from '../battery.ts'
import { findProgram } from '../attacks/attack.ts'
import { createRandom } from '../simulator/seeded-random.ts'
import { audit, scoreAudits, type Audit } from './audit/audit.ts'
import { runLoad } from './run-load.ts'
import { startRedisGroups, strikeGroup, type StruckGroup } from './stage/redis-groups.ts'
import { playOnStage, type Payer, type Stage } from './stage/stage.ts'
import { strikeAtRandom, WAVES, type Wave } from './wave.ts'

/**
 * How often each wave strikes, and in each round the groups of Redis, where agents have these prefixes in the cluster;
 * `callers` keep the load up, `pauseMs` is their rest between two orders, at most.
 */
const SIZES = {
  full: {
    agents: 4,
    strikes: { kill: 500, redis: 120, freeze: 60, stop: 100 },
    prefixes: ['north', 'south'],
    groups: { cluster: 24, sentinels: 8 },
    load: { callers: 40, pauseMs: 2_000 },
  },
  small: {
    agents: 2,
    strikes: { kill: 8, redis: 4, freeze: 2, stop: 3 },
    prefixes: ['north'],
    groups: { cluster: 2, sentinels: 1 },
    load: { callers: 16, pauseMs: 500 },
  },
}
/** Each round of a wave is judged when it is over: responses are kept for ten minutes only. */
const STRIKES_PER_ROUND = { kill: 100, redis: 40, freeze: 100, stop: 100 }
const NAMES: readonly string[] = WAVES.map(({ name }) => name)
/** More of them say nothing new. */
const MOST_FINDINGS = 100
const PAYERS = 8
const PAYER_ATOMIC = 10_000_000_000n

/** Real processes under load and kill -9, SIGSTOP and SIGTERM. */
export const storms: Battery = {
  name: 'storms',
  does: 'four agents, two facilitators, their stores and a chain under load: kill -9, SIGSTOP, SIGTERM; Redis as one server, as a cluster and behind Sentinels',
  flags: { only: { value: '<names>', help: `these storms, separated by commas: ${NAMES.join(', ')}` } },
  run,
}

async function run(options: BatteryRun): Promise<BatteryResult> {
  const { signal, flags = {} } = options
  const names = flags['only']?.split(',') ?? NAMES
  const unknown = names.find(name => !NAMES.includes(name))
  if (unknown !== undefined) throw new RefusedOption(`no storm is called ${unknown}: ${NAMES.join(', ')}`)
  if (findProgram('redis-server') === undefined)
    return { scores: [], findings: [], skipped: ['storms: not installed: redis-server'] }
  const results: BatteryResult[] = []
  for (const hasGroups of [false, true]) {
    const waves = WAVES.filter(({ name }) => names.includes(name) && (name === 'redis') === hasGroups)
    if (waves.length > 0 && !signal.aborted) results.push(await playWaves(waves, hasGroups, options))
  }
  const findings = results.flatMap(result => result.findings).slice(0, MOST_FINDINGS)
  return { scores: results.flatMap(({ scores }) => scores), findings }
}

/** On one stage, where agents share one Redis, or the groups are their stores. */
async function playWaves(
  waves: readonly Wave[],
  hasGroups: boolean,
  options: BatteryRun,
): Promise<BatteryResult> {
  const { size, signal, progress } = options
  progress({ doing: 'setting the stage', done: 0, of: 1 })
  return await playOnStage(signal, async stage => {
    await stage.addFacilitator()
    await stage.addFacilitator()
    const groups = hasGroups ? await startRedisGroups(stage, SIZES[size].prefixes) : []
    const stores = groups.flatMap(group => group.stores)
    // One after the other: the facilitators are given out in turn.
    if (hasGroups) for (const store of [...stores, ...stores]) await stage.addAgent({ store })
    else for (let count = 0; count < SIZES[size].agents; count += 1) await stage.addAgent()
    const payers = await Promise.all(Array.from({ length: PAYERS }, () => stage.fundPayer(PAYER_ATOMIC)))
    const results: BatteryResult[] = []
    for (const wave of waves)
      if (!signal.aborted) results.push(await playWave(stage, { payers, wave, groups }, options))
    const findings = [...results.flatMap(result => result.findings), ...stage.eventLog.mishaps]
    return { scores: results.flatMap(({ scores }) => scores), findings }
  })
}

/** What is played. */
interface Play {
  readonly payers: readonly Payer[]
  readonly wave: Wave
  readonly groups: readonly StruckGroup[]
}

/** In rounds, each with a seed of its own, so that it can be played again alone. */
async function playWave(
  stage: Stage,
  { payers, wave, groups }: Play,
  options: BatteryRun,
): Promise<BatteryResult> {
  const { strikes, groups: often, load } = SIZES[options.size]
  const total = strikes[wave.name]
  const { orders } = stage.eventLog
  const audits: Audit[] = []
  const findings: string[] = []
  const perRound = STRIKES_PER_ROUND[wave.name]
  for (let done = 0; done < total; done += perRound) {
    const seed = options.seed + audits.length
    const random = createRandom(seed).fork(wave.name)
    const doing = `${wave.name} storm, round ${audits.length + 1}`
    const count = Math.min(perRound, total - done)
    const tell = (struck: number): void => options.progress({ doing, done: struck, of: count })
    const before = orders.size
    // The load is kept up while processes are struck; then every caller comes to its end.
    const enough = new AbortController()
    const striking = [
      strikeAtRandom(stage, wave, count, random.fork('strikes'), tell),
      ...groups.map(group => strikeGroup(stage, group, often[group.name], random.fork(group.name))),
    ]
    const [wrong] = await Promise.all([
      Promise.all(striking).finally(() => enough.abort()),
      runLoad(stage, { ...load, payers }, random.fork('load'), enough.signal),
    ])
    const judged = await audit(stage, [...orders.values()].slice(before))
    // A storm that was cut short has no result: what was under way looks lost.
    if (stage.signal.aborted) return { scores: [], findings: [] }
    const form = options.size === 'small' ? ' --small' : ''
    const replay = `(npm run fire -- storms${form} --only ${wave.name} --seed ${seed})`
    audits.push(judged)
    findings.push(...[...wrong.flat(), ...judged.findings].map(text => `${doing}: ${text} ${replay}`))
  }
  const test = `${wave.signal}: ${total} at random moments${showGroups(groups)}`
  return { scores: [scoreAudits(test, audits, findings)], findings }
}

function showGroups(groups: readonly StruckGroup[]): string {
  const shown = groups.map(({ name, killed, moved }) => {
    const movedToo = moved === 0 ? '' : `, ${moved} slots moved`
    return `; Redis ${name}: ${killed} primaries killed${movedToo}`
  })
  return shown.join('')
}
