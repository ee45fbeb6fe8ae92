import { afterEach, expect, test } from 'vitest'
import { createJsonLog } from '@farebox/server/log'
import { until } from '@farebox/protocol/src/test-setup/until'
import { pretendOutbound } from '../test-setup/network/pretend-outbound.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { watchMany } from '../test-setup/database/watch-many.ts'
import { startMonitor } from './start-monitor.ts'

const AGENTS = 60
const INTERVAL_MS = 400

let stage: Stage
let lines: string[]

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

/** Waits until this process has detected its own outage and taken back the failures it had counted. */
async function outageIsFound(): Promise<void> {
  await until(() => lines.some(line => line.includes('others do not answer: failures do not count')))
  await expect.poll(count).toEqual({ failing: 0, offline: 0, failed_checks: 0 })
}

/** Creates sixty agents on sixty hosts; `isDown` states which agents do not respond. */
async function stageAgents(isDown: (agentId: number) => boolean, onAttempt: () => void): Promise<void> {
  const outbound = pretendOutbound(request => {
    onAttempt()
    return isDown(Number(/agent-(\d+)/.exec(request.url)?.[1])) ? 'refuse' : 'ok'
  })
  lines = []
  const log = createJsonLog(line => lines.push(line), Date.now)
  stage = await stagePlatform({ realTime: true, outbound, log, settings: { checkIntervalMs: INTERVAL_MS } })
  await watchMany(stage.database, { count: AGENTS, endpoint: `'https://agent-' || id || '.example'` })
}

test('HLT-03 while no agent can be reached, no warning is sent, and counted failures are reverted', async () => {
  let isDown = false
  let attempts = 0
  await stageAgents(
    () => isDown,
    () => (attempts += 1),
  )
  let checks = 0
  const monitor = startMonitor(stage.parts, { onStart: () => (checks += 1) })
  try {
    await until(() => attempts >= AGENTS * 2)
    isDown = true
    await outageIsFound()
    // No check begins, and the control group is asked repeatedly.
    const [checksBefore, attemptsBefore] = [checks, attempts]
    await until(() => attempts >= attemptsBefore + AGENTS)
    expect(checks).toBe(checksBefore)
    expect(await count()).toEqual({ failing: 0, offline: 0, failed_checks: 0 })
    isDown = false
    const attemptsThen = attempts
    await until(() => attempts >= attemptsThen + AGENTS * 2)
    expect(await count()).toMatchObject({ failing: 0, offline: 0 })
  } finally {
    await monitor.stop()
  }
})

test('HLT-03 a process that starts without a network connection counts no failures', async () => {
  let attempts = 0
  await stageAgents(
    () => true,
    () => (attempts += 1),
  )
  const monitor = startMonitor(stage.parts)
  await until(() => attempts >= AGENTS)
  await outageIsFound()
  await monitor.stop()
  expect(await count()).toEqual({ failing: 0, offline: 0, failed_checks: 0 })
})

test('HLT-03 when the other agents respond, many failures at once are counted, and the agents go offline', async () => {
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
