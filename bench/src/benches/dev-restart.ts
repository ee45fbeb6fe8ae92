import { setTimeout as delay } from 'node:timers/promises'
import { median, quantile } from '../rounds/statistics.ts'
import { createDevProject, type RunningDev } from '../stage/dev-project.ts'
import type { Stage } from '../stage/stage.ts'
import type { Bench, Row } from '../report/bench.ts'
import { milliseconds } from '../report/figures.ts'

/** What a developer waits for: the first answer of `farebox dev`, and the new code after a save. Clock on the wall. */
export const devRestart: Bench = {
  name: 'dev-restart',
  async run(stage) {
    const cold = await coldStarts(stage, stage.quick ? 3 : 9)
    const calm = await restarts(stage, { saves: stage.quick ? 5 : 40, pauseMs: CALM_PAUSE_MS })
    const hasty = await restarts(stage, { saves: stage.quick ? 3 : 15, pauseMs: 0 })
    return [
      row('farebox dev, cold start to an answer', cold, COLD_LIMIT_MS),
      {
        ...row('farebox dev, from a save to the new code', calm, RESTART_LIMIT_MS),
        notes: [
          ...describeSpread(calm),
          `saved again at once, before the next process is warm: median ${milliseconds(median(hasty))}`,
        ],
      },
    ]
  },
}

/** What we hold ourselves to. */
const COLD_LIMIT_MS = 1_000
const RESTART_LIMIT_MS = 300
/** Nobody reads what changed and saves again in less. */
const CALM_PAUSE_MS = 1_000

function row(what: string, all: readonly number[], limitMs: number): Row {
  const ours = median(all)
  return {
    what,
    ours: milliseconds(ours),
    peer: { name: 'at most', figure: milliseconds(limitMs) },
    ratio: ours / limitMs,
    goal: { atMost: 1 },
    notes: describeSpread(all),
  }
}

function describeSpread(all: readonly number[]): readonly string[] {
  return [
    `${all.length} times: median ${milliseconds(median(all))}, p95 ${milliseconds(quantile(all, 0.95))}`,
  ]
}

async function coldStarts(stage: Stage, count: number): Promise<readonly number[]> {
  const project = await createDevProject(stage)
  const all: number[] = []
  for (let start = 0; start < count; start += 1) {
    stage.tell(`cold start ${start + 1} of ${count}`)
    // A compiler that keeps what it compiled has not seen this.
    const version = `start-${start}-${Date.now()}`
    await project.save('handlers.ts', version)
    const startedMs = performance.now()
    const dev = await project.start()
    all.push((await dev.answers(version)) - startedMs)
    await dev.stop()
  }
  return all
}

async function restarts(
  stage: Stage,
  { saves, pauseMs }: { readonly saves: number; readonly pauseMs: number },
): Promise<readonly number[]> {
  const project = await createDevProject(stage)
  const dev: RunningDev = await project.start()
  await dev.answers('first')
  await delay(CALM_PAUSE_MS)
  const all: number[] = []
  for (let save = 0; save < saves; save += 1) {
    stage.tell(`save ${save + 1} of ${saves}`)
    const version = `save-${save}-${Date.now()}`
    const savedMs = performance.now()
    await project.save(save % 4 === 3 ? 'mark.ts' : 'handlers.ts', version)
    all.push((await dev.answers(version)) - savedMs)
    await delay(pauseMs)
  }
  await dev.stop()
  return all
}
