import type { Battery, BatteryResult, BatteryRun } from '../battery.ts'
import { createRandom } from '../simulator/seeded-random.ts'
import type { Audit } from './audit/audit.ts'
import { duplicates, replays } from './flood.ts'
import { playOnStage, type Stage, type StageAgent } from './stage/stage.ts'
import { playAndAudit, scoreAudits, STORM_SIZES, type Scene, type Storm, type StormSize } from './storm.ts'
import { waves } from './wave.ts'

/** In the order they are played. */
const STORMS: readonly Storm[] = [duplicates, replays, ...waves]
const NAMES = STORMS.map(({ name }) => name)
/** More of them say nothing new. */
const MOST_FINDINGS = 100
const PAYERS = 8
const PAYER_ATOMIC = 10_000_000_000n

/** Real processes under duplicates, replays, kill -9, SIGSTOP and SIGTERM. */
export const storms: Battery = {
  name: 'storms',
  does: 'four agents, two facilitators, their stores and a chain: duplicates, replays, kill -9, SIGSTOP, SIGTERM',
  flags: { only: { value: '<names>', help: `these storms, separated by commas: ${NAMES.join(', ')}` } },
  run,
}

async function run(options: BatteryRun): Promise<BatteryResult> {
  const { size: form, signal, progress, flags = {} } = options
  const names = flags['only']?.split(',') ?? NAMES
  const unknown = names.find(name => !NAMES.includes(name))
  if (unknown !== undefined) throw new TypeError(`no storm is called ${unknown}: ${NAMES.join(', ')}`)
  progress({ doing: 'setting the stage', done: 0, of: 1 })
  return await playOnStage(signal, async stage => {
    const scene = await setScene(stage, STORM_SIZES[form])
    const results: BatteryResult[] = []
    for (const storm of STORMS)
      if (names.includes(storm.name) && !signal.aborted) results.push(await playStorm(scene, storm, options))
    const findings = [...results.flatMap(result => result.findings), ...stage.eventLog.mishaps]
    return { scores: results.flatMap(({ scores }) => scores), findings: findings.slice(0, MOST_FINDINGS) }
  })
}

/** Two facilitators, the agents and their payers. */
async function setScene(stage: Stage, size: StormSize): Promise<Scene> {
  await stage.addFacilitator()
  await stage.addFacilitator()
  const replicas: StageAgent[] = []
  const loners: StageAgent[] = []
  // One after the other: the facilitators are given out in turn, to each kind.
  for (let count = 0; count < size.agents; count += 1) replicas.push(await stage.addAgent())
  for (const { name } of replicas) loners.push(await stage.addAgent({ ownStore: `apart-from-${name}` }))
  const payers = await Promise.all(Array.from({ length: PAYERS }, () => stage.fundPayer(PAYER_ATOMIC)))
  return { stage, size, payers, replicas, loners }
}

async function playStorm(scene: Scene, storm: Storm, options: BatteryRun): Promise<BatteryResult> {
  const { stage, size } = scene
  const { name } = storm
  const audits: Audit[] = []
  const findings: string[] = []
  for (let index = 0; index < storm.rounds(size); index += 1) {
    const seed = options.seed + index
    const random = createRandom(seed).fork(name)
    const doing = `${name} storm, round ${index + 1}`
    const tell = (done: number, of: number): void => options.progress({ doing, done, of })
    const round = { seed, random, index, tell }
    const { played, judged } = await playAndAudit(stage, () => storm.play(scene, round))
    // A storm that was cut short has no result: what was under way looks lost.
    if (stage.signal.aborted) return { scores: [], findings: [] }
    const form = options.size === 'small' ? ' --small' : ''
    const replay = `(npm run fire -- storms${form} --only ${name} --seed ${seed})`
    audits.push(judged)
    findings.push(...[...played, ...judged.findings].map(text => `${doing}: ${text} ${replay}`))
  }
  return { scores: [scoreAudits(storm.describe(size), audits, findings)], findings }
}
