import { RefusedOption, type Battery, type BatteryResult, type BatteryRun } from '../battery.ts'
import { createRandom } from '../simulator/seeded-random.ts'
import { audit, scoreAudits, type Audit } from './audit/audit.ts'
import { runLoad } from './run-load.ts'
import { playOnStage, type Payer, type Stage } from './stage/stage.ts'
import { strikeAtRandom, WAVES, type Wave } from './wave.ts'

/** How often each wave strikes; `callers` keep the load up, `pauseMs` is their rest between two orders, at most. */
const SIZES = {
  full: { agents: 4, strikes: { kill: 500, freeze: 60, stop: 100 }, load: { callers: 40, pauseMs: 2_000 } },
  small: { agents: 2, strikes: { kill: 8, freeze: 2, stop: 3 }, load: { callers: 16, pauseMs: 500 } },
}
/** Each round of a wave is judged when it is over: responses are kept for ten minutes only. */
const STRIKES_PER_ROUND = 100
const NAMES: readonly string[] = WAVES.map(({ name }) => name)
/** More of them say nothing new. */
const MOST_FINDINGS = 100
const PAYERS = 8
const PAYER_ATOMIC = 10_000_000_000n

/** Real processes under load and kill -9, SIGSTOP and SIGTERM. */
export const storms: Battery = {
  name: 'storms',
  does: 'four agents, two facilitators, their stores and a chain under load: kill -9, SIGSTOP, SIGTERM',
  flags: { only: { value: '<names>', help: `these storms, separated by commas: ${NAMES.join(', ')}` } },
  run,
}

async function run(options: BatteryRun): Promise<BatteryResult> {
  const { size, signal, progress, flags = {} } = options
  const names = flags['only']?.split(',') ?? NAMES
  const unknown = names.find(name => !NAMES.includes(name))
  if (unknown !== undefined) throw new RefusedOption(`no storm is called ${unknown}: ${NAMES.join(', ')}`)
  progress({ doing: 'setting the stage', done: 0, of: 1 })
  return await playOnStage(signal, async stage => {
    await stage.addFacilitator()
    await stage.addFacilitator()
    // One after the other: the facilitators are given out in turn.
    for (let count = 0; count < SIZES[size].agents; count += 1) await stage.addAgent()
    const payers = await Promise.all(Array.from({ length: PAYERS }, () => stage.fundPayer(PAYER_ATOMIC)))
    const results: BatteryResult[] = []
    for (const wave of WAVES)
      if (names.includes(wave.name) && !signal.aborted)
        results.push(await playWave(stage, payers, wave, options))
    const findings = [...results.flatMap(result => result.findings), ...stage.eventLog.mishaps]
    return { scores: results.flatMap(({ scores }) => scores), findings: findings.slice(0, MOST_FINDINGS) }
  })
}

/** In rounds, each with a seed of its own, so that it can be played again alone. */
async function playWave(
  stage: Stage,
  payers: readonly Payer[],
  wave: Wave,
  options: BatteryRun,
): Promise<BatteryResult> {
  const { strikes, load } = SIZES[options.size]
  const total = strikes[wave.name]
  const { orders } = stage.eventLog
  const audits: Audit[] = []
  const findings: string[] = []
  for (let done = 0; done < total; done += STRIKES_PER_ROUND) {
    const seed = options.seed + audits.length
    const random = createRandom(seed).fork(wave.name)
    const doing = `${wave.name} storm, round ${audits.length + 1}`
    const count = Math.min(STRIKES_PER_ROUND, total - done)
    const tell = (struck: number): void => options.progress({ doing, done: struck, of: count })
    const before = orders.size
    // The load is kept up while processes are struck; then every caller comes to its end.
    const enough = new AbortController()
    const [wrong] = await Promise.all([
      strikeAtRandom(stage, wave, count, random.fork('strikes'), tell).finally(() => enough.abort()),
      runLoad(stage, { ...load, payers }, random.fork('load'), enough.signal),
    ])
    const judged = await audit(stage, [...orders.values()].slice(before))
    // A storm that was cut short has no result: what was under way looks lost.
    if (stage.signal.aborted) return { scores: [], findings: [] }
    const form = options.size === 'small' ? ' --small' : ''
    const replay = `(npm run fire -- storms${form} --only ${wave.name} --seed ${seed})`
    audits.push(judged)
    findings.push(...[...wrong, ...judged.findings].map(text => `${doing}: ${text} ${replay}`))
  }
  return { scores: [scoreAudits(`${wave.signal}: ${total} at random moments`, audits, findings)], findings }
}
