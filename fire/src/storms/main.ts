import { parseArgs } from 'node:util'
import { playStorms, STORMS } from './battery.ts'
import { STORM_SIZES } from './sizes.ts'

const NAMES = Object.keys(STORMS)

const HELP = `Storms over four agents, two facilitators, a PostgreSQL, a Redis and a chain of their own.

  --size small|full     how much (small)
  --seed <n>            where the random choices begin (1)
  --only <names>        ${NAMES.join(', ')}; several with commas
  --kills <n>           processes killed, in waves of a hundred
  --kill-every-ms <n>   between two kills, on average
  --victims <names>     ${STORM_SIZES.full.victims.join(', ')}; several with commas
  --down-ms <n>         how long the killed stay down, at most (0)
  --freezes <n>         processes stopped and let go on
  --shutdowns <n>       agents stopped
  --callers <n>         callers at the same time
  --keep                leaves the folder with the logs of all processes
`

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'small' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: NAMES.join(',') },
    kills: { type: 'string' },
    'kill-every-ms': { type: 'string' },
    victims: { type: 'string' },
    'down-ms': { type: 'string' },
    freezes: { type: 'string' },
    shutdowns: { type: 'string' },
    callers: { type: 'string' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(HELP)
else process.exitCode = await main()

/** 0 where every target was reached and nothing was found, 130 where it was stopped. */
async function main(): Promise<number> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
  const base = values.size === 'full' ? STORM_SIZES.full : STORM_SIZES.small
  const startedMs = performance.now()
  const { scores, findings } = await playStorms({
    size: {
      ...base,
      kills: Number(values.kills ?? base.kills),
      killsPerWave: values.kills === undefined ? base.killsPerWave : STORM_SIZES.full.killsPerWave,
      victims: base.victims.filter(kind => values.victims?.split(',').includes(kind) ?? true),
      downMs: Number(values['down-ms'] ?? base.downMs),
      killEveryMs: Number(values['kill-every-ms'] ?? base.killEveryMs),
      freezes: Number(values.freezes ?? base.freezes),
      shutdowns: Number(values.shutdowns ?? base.shutdowns),
      callers: Number(values.callers ?? base.callers),
    },
    seed: Number(values.seed),
    only: values.only.split(','),
    signal: stopping.signal,
    progress: ({ doing, done, of }) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${doing} ${done} of ${of}`)
    },
    onKept: values.keep ? folder => void process.stderr.write(`logs: ${folder}\n`) : undefined,
  })
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  for (const { test, reached, target, isMet } of scores)
    process.stdout.write(`${isMet ? '✓' : '✗'} ${test}\n    ${reached}\n    target: ${target}\n`)
  for (const finding of findings) process.stdout.write(`! ${finding}\n`)
  process.stdout.write(
    `${findings.length} findings, seed ${values.seed}, ${Math.round((performance.now() - startedMs) / 1_000)} s\n`,
  )
  if (stopping.signal.aborted) return 130
  return findings.length === 0 && scores.every(({ isMet }) => isMet) ? 0 : 1
}
