import { afterEach, expect, test } from 'vitest'
import { systemClock } from '@farebox/server/clock'
import { pretendOutbound } from '../test-setup/pretend-outbound.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { watchMany } from '../test-setup/watch-many.ts'
import { startMonitor } from './start-monitor.ts'

const AGENTS = 60
const INTERVAL_MS = 400

let stage: Stage

afterEach(() => stage.close())

interface Counted {
  readonly failing: number
  readonly offline: number
  readonly failed_checks: number
}

async function count(): Promise<Counted> {
  const { rows } = await stage.database.pool.query<Counted>(
    `select (count(*) filter (where h.failures > 0))::integer as failing,
       (count(*) filter (where a.is_offline))::integer as offline, sum(h.hour_failed)::integer as failed_checks
     from agent_health h join agents a using (agent_id)`,
  )
  return rows[0] ?? { failing: -1, offline: -1, failed_checks: -1 }
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 15_000
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error('it did not come to hold in time')
    await systemClock.sleep(20)
  }
}

/** Sixty agents of sixty hosts; `isDown` says of whom nothing is heard. */
async function stageAgents(isDown: (agentId: number) => boolean, onAttempt: () => void): Promise<void> {
  const outbound = pretendOutbound(request => {
    onAttempt()
    return isDown(Number(/agent-(\d+)/.exec(request.url)?.[1])) ? 'refuse' : 'ok'
  })
  stage = await stagePlatform({ realTime: true, outbound, settings: { checkIntervalMs: INTERVAL_MS } })
  await watchMany(stage.database, { count: AGENTS, endpoint: `'https://agent-' || id || '.example'` })
}

test('HLT-03 while nobody can be reached, nobody is warned of, and what was counted is taken back', async () => {
  let isDown = false
  let attempts = 0
  await stageAgents(
    () => isDown,
    () => (attempts += 1),
  )
  const monitor = startMonitor(stage.parts)
  try {
    await until(() => attempts >= AGENTS * 2)
    isDown = true
    const attemptsBefore = attempts
    await systemClock.sleep(INTERVAL_MS * 8)
    expect(await count()).toEqual({ failing: 0, offline: 0, failed_checks: 0 })
    // Nobody new is asked, only the control group now and then.
    expect(attempts - attemptsBefore).toBeLessThan(AGENTS * 6)
    isDown = false
    const attemptsThen = attempts
    await until(() => attempts >= attemptsThen + AGENTS * 2)
    expect(await count()).toMatchObject({ failing: 0, offline: 0 })
  } finally {
    await monitor.stop()
  }
})

test('HLT-03 a process that starts without a way to the outside counts nothing', async () => {
  let attempts = 0
  await stageAgents(
    () => true,
    () => (attempts += 1),
  )
  const monitor = startMonitor(stage.parts)
  await until(() => attempts >= AGENTS)
  await systemClock.sleep(INTERVAL_MS * 6)
  await monitor.stop()
  expect(await count()).toEqual({ failing: 0, offline: 0, failed_checks: 0 })
})

test('HLT-03 where the others answer, many that fail together are counted, and go offline', async () => {
  let attempts = 0
  await stageAgents(
    agentId => attempts > AGENTS * 2 && agentId % 5 < 2,
    () => (attempts += 1),
  )
  const monitor = startMonitor(stage.parts)
  try {
    await until(async () => (await count()).offline === (AGENTS / 5) * 2)
  } finally {
    await monitor.stop()
  }
  expect(await count()).toMatchObject({ failing: 24, offline: 24 })
})
