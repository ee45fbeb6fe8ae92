import type { Battery, BatteryResult, BatteryRun } from '../battery.ts'
import { duplicateStorm, replayStorm } from './flood.ts'
import { openStormStage, STORM_SIZES, type StormResult, type StormRun, type StormSize } from './storm-run.ts'
import { waveStorm, WAVES } from './wave.ts'

/** The storms, in the order they are played. */
const STORMS: { readonly [name: string]: (run: StormRun) => Promise<StormResult> } = {
  duplicate: duplicateStorm,
  replay: replayStorm,
  ...Object.fromEntries(WAVES.map(kind => [kind.name, (run: StormRun) => waveStorm(run, kind)])),
}

/** More of them say nothing new. */
const MOST_FINDINGS = 100
const NAMES = Object.keys(STORMS).join(', ')

/** Real processes under duplicates, replays, kill -9, SIGSTOP and SIGTERM. */
export const storms: Battery = {
  name: 'storms',
  does: 'four agents, two facilitators, their stores and a chain: duplicates, replays, kill -9, SIGSTOP, SIGTERM',
  flags: {
    only: { value: '<names>', help: `these storms, separated by commas: ${NAMES}` },
    strikes: { value: '<n>', help: 'processes that are killed, frozen or stopped, in waves of a hundred' },
    victims: { value: '<kinds>', help: STORM_SIZES.full.victims.join(', ') },
    keep: { help: 'leaves the folder with the logs of all processes' },
  },
  run,
}

async function run({ size: form, seed, signal, progress, flags = {} }: BatteryRun): Promise<BatteryResult> {
  const names = flags['only']?.split(',') ?? Object.keys(STORMS)
  const chosen = names.map(name => {
    const storm = STORMS[name]
    if (storm === undefined) throw new TypeError(`no storm is called ${name}: ${NAMES}`)
    return storm
  })
  const size = sizeOf(STORM_SIZES[form], flags)
  const isKept = flags['keep'] !== undefined
  progress({ doing: 'setting the stage', done: 0, of: 1 })
  const stage = await openStormStage(size.agents, { signal, isKept })
  if (isKept) process.stdout.write(`logs: ${stage.folder}\n`)
  // No caller waits for an answer then.
  signal.addEventListener(
    'abort',
    () => void Promise.all(stage.agents.map(agent => agent.connections.destroy())),
  )
  const replay = (words: string): string =>
    `(npm run fire -- storms${form === 'small' ? ' --small' : ''} ${words})`
  const results: StormResult[] = []
  try {
    for (const storm of chosen) {
      const result = await storm({ stage, size, seed, signal, progress, replay })
      // A storm that was cut short has no result: what was under way looks lost.
      if (signal.aborted) break
      results.push(result)
    }
  } finally {
    await stage.end()
  }
  const findings = [...results.flatMap(result => result.findings), ...stage.eventLog.mishaps]
  return { scores: results.flatMap(({ scores }) => scores), findings: findings.slice(0, MOST_FINDINGS) }
}

function sizeOf(size: StormSize, flags: NonNullable<BatteryRun['flags']>): StormSize {
  const kinds = flags['victims']?.split(',')
  const victims = size.victims.filter(kind => kinds?.includes(kind) ?? true)
  if (victims.length === 0) throw new TypeError(`victims are ${size.victims.join(', ')}`)
  if (flags['strikes'] === undefined) return { ...size, victims }
  const strikes = Number(flags['strikes'])
  if (!Number.isInteger(strikes) || strikes < 1)
    throw new TypeError('--strikes takes a whole number from 1 on')
  return { ...size, victims, kills: strikes, freezes: strikes, stops: strikes }
}
