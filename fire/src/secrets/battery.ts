import type { Battery, BatteryResult, BatteryRun, Score } from '../battery.ts'
import { playCommands } from './play-commands.ts'
import { playJobs } from './play-jobs.ts'
import { playOutages } from './play-outages.ts'
import { playStarts } from './play-starts.ts'
import { createSecretScan, type SecretScan } from './secret-scan.ts'
import { setSecretStage, type SecretStage } from './secret-stage.ts'

/** S14, OPS-08. */
export const secrets: Battery = {
  name: 'secrets',
  does: 'Plants secrets in every way they can travel, and looks for them in all that the programs write and answer.',
  run,
}

/** What is done, how, and how often at least. */
type Act = readonly [string, (set: SecretStage, signal: AbortSignal) => Promise<number>, number]

const ACTS: readonly Act[] = [
  ['jobs, and a facilitator that repeats what it is told', playJobs, 80],
  ['starts that are refused, and handlers that give away', playStarts, 60],
  ['commands with keys and passwords', playCommands, 25],
  ['outages of node, database and Redis', playOutages, 5],
]

async function run({ size, signal, progress }: BatteryRun): Promise<BatteryResult> {
  const scan = createSecretScan()
  const acts = size === 'full' ? ACTS : ACTS.slice(0, 1)
  progress({ doing: 'setting the stage', done: 0, of: acts.length })
  const set = await setSecretStage(scan)
  const played: Score[] = []
  try {
    for (const [index, [doing, play, least]] of acts.entries()) {
      if (signal.aborted) break
      progress({ doing, done: index, of: acts.length })
      const count = await play(set, signal)
      played.push({
        test: doing,
        reached: String(count),
        target: `${least} and more`,
        isMet: count >= least,
      })
    }
  } finally {
    await set.stop()
  }
  return score(scan, played)
}

function score(scan: SecretScan, played: readonly Score[]): BatteryResult {
  const leaks = scan.leaks()
  const read = `${scan.secrets()} secrets in ${scan.characters().toLocaleString('en')} characters`
  return {
    scores: [
      ...played,
      {
        test: `${read}: raw, base64, hex, percent-encoded, JSON, and in part`,
        reached: `${leaks.length} leaks`,
        target: '0 leaks',
        isMet: leaks.length === 0 && scan.characters() > 0,
      },
    ],
    findings: leaks.map(
      ({ secret, form, source, around }) => `${secret}, ${form}, in ${source}: …${around}…`,
    ),
  }
}
