import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sleep, systemClock, type Clock } from '@farebox/protocol/time/clock'
import { afterEach, expect, test } from 'vitest'
import { launch } from '@farebox/local/src/testing/launch'
import { until, untilAborted } from '@farebox/protocol/src/test-setup/until'
import { healthOf, pretendOutbound } from '../test-setup/network/pretend-outbound.ts'
import { stagePlatform, type Stage, type StageOptions } from '../test-setup/stage-platform.ts'
import { watchMany } from '../test-setup/database/watch-many.ts'
import { checkSoon } from '../agents/check-soon.ts'
import { bringBackChecks } from './after-checks.ts'
import { CHECK_LEASE_MS, leaseChecks } from './lease-checks.ts'
import { nextCheckMs } from './next-check.ts'
import { startChecks } from './start-checks.ts'
import { startMonitor } from './start-monitor.ts'
import type { OutboundRequest } from '../outbound/outbound.ts'
import { writeChecks, type CheckVerdict } from './write-checks.ts'

const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function stageWith(options: StageOptions): Promise<Stage> {
  const stage = await stagePlatform({ realTime: true, ...options })
  closers.push(() => stage.close())
  return stage
}

/** Starts agents at `/a/<id>` that all pass, and records when each was asked. */
async function startAgents(): Promise<{ readonly port: number; readonly askedAtMs: Map<number, number[]> }> {
  const askedAtMs = new Map<number, number[]>()
  const server = createServer((request, response) => {
    const agentId = Number(/^\/a\/(\d+)\/health$/.exec(request.url ?? '')?.[1])
    askedAtMs.set(agentId, [...(askedAtMs.get(agentId) ?? []), performance.now()])
    response.end(healthOf('Word counter'))
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closers.push(
    () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(resolve)
      }),
  )
  // It listens on a port of an address, so it has no path.
  return { port: (server.address() as AddressInfo).port, askedAtMs }
}

function verdictOf(
  lease: CheckVerdict['lease'],
  outcome: CheckVerdict['outcome'],
  failures: number,
): CheckVerdict {
  return { lease, failures, dueMs: nextCheckMs(lease.agentId, lease.takenAtMs, 600_000, 0), outcome }
}

test('HLT-02 three monitors on one database never ask one agent twice in a round', async () => {
  const agents = await startAgents()
  const intervalMs = 4_000
  const stage = await stageWith({ settings: { checkIntervalMs: intervalMs } })
  await watchMany(stage.database, { count: 150, endpoint: `'http://127.0.0.1:${agents.port}/a/' || id` })
  const parts = [stage.parts, await stage.anotherWorker(), await stage.anotherWorker()]
  // An agent that responds slowly would be asked a second time.
  const workers = parts.map(({ outbound, ...others }) => ({
    ...others,
    outbound: {
      ...outbound,
      send: (request: OutboundRequest) => outbound.send({ ...request, timeoutMs: 600_000 }),
    },
  }))
  const takenAtMs = new Map<number, number[]>()
  const started = workers.map(() => 0)
  const monitors = workers.map((parts, place) =>
    startMonitor(parts, {
      atOnce: 20,
      onStart(lease) {
        started[place] = (started[place] ?? 0) + 1
        takenAtMs.set(lease.agentId, [...(takenAtMs.get(lease.agentId) ?? []), lease.takenAtMs])
      },
    }),
  )
  const askedThrice = (): boolean => [...agents.askedAtMs.values()].every(asked => asked.length >= 3)
  try {
    await until(() => agents.askedAtMs.size === 150 && askedThrice())
  } finally {
    await Promise.all(monitors.map(monitor => monitor.stop()))
  }
  expect(started.filter(count => count > 0)).toHaveLength(3)
  for (const [agentId, taken] of takenAtMs) {
    const asked = agents.askedAtMs.get(agentId)?.length ?? 0
    // The last check may have been released at the end.
    expect(asked).toBeLessThanOrEqual(taken.length)
    const gaps = taken.slice(1).map((atMs, place) => atMs - (taken[place] ?? 0))
    // A round is at least half an interval after the previous one.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(intervalMs / 2)
  }
})

test('HLT-02 a worker that dies loses its lease when it ends, and a late result of it does not count', async () => {
  const stage = await stageWith({})
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'`, dueAtMs: 0 })
  const atMs = Date.UTC(2027, 0, 1)
  const [dead] = await leaseChecks(stage.database, 10, { atMs })
  if (dead === undefined) throw new Error('nothing was due')
  expect(await leaseChecks(stage.database, 10, { atMs: atMs + CHECK_LEASE_MS - 1 })).toEqual([])
  const [living] = await leaseChecks(stage.database, 10, { atMs: atMs + CHECK_LEASE_MS })
  if (living === undefined) throw new Error('the lease was not taken over')
  await writeChecks(stage.database, [verdictOf(dead, { kind: 'failed', reason: 'unreachable' }, 1)])
  await writeChecks(stage.database, [verdictOf(living, { kind: 'passed', latencyMs: 7 }, 0)])
  await writeChecks(stage.database, [verdictOf(living, { kind: 'failed', reason: 'unreachable' }, 1)])
  const { rows } = await stage.database.pool.query('select failures, hour_ok, hour_failed from agent_health')
  expect(rows).toEqual([{ failures: 0, hour_ok: 1, hour_failed: 0 }])
})

test('HLT-02 a check that takes longer than its lease stays with its worker', async () => {
  let asked = 0
  let answer = (): void => {}
  const answered = new Promise<void>(resolve => (answer = resolve))
  const outbound = pretendOutbound(() => {
    asked += 1
    return answered.then(() => 'ok' as const)
  })
  const stage = await stageWith({ outbound })
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'` })
  const checks = [startChecks(stage.parts), startChecks(await stage.anotherWorker())]
  await until(() => asked === 1)
  await sleep(stage.parts.clock, CHECK_LEASE_MS * 1.5)
  answer()
  await until(
    async () =>
      (await stage.database.pool.query('select from agent_health where checked_at is not null')).rowCount,
  )
  await Promise.all(checks.map(one => one.stop()))
  expect(asked).toBe(1)
})

test('HLT-02 when a worker is killed during a check, another one repeats it within seconds, when the lease has ended', async () => {
  const stage = await stageWith({})
  let asked = 0
  let kill = (): void => {}
  const server = createServer((_request, response) => {
    asked += 1
    if (asked === 1) kill()
    else response.end(healthOf('Word counter'))
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closers.push(() => new Promise(resolve => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  const options = { connectionString: stage.connectionString, connections: 2 }
  const worker = await launch(`
    import { startChecks } from '@farebox/platform/src/monitor/start-checks'
    import { createOutbound } from '@farebox/platform/outbound/outbound'
    import { openStorage } from '@farebox/platform/storage/open-storage'
    import { systemClock } from '@farebox/protocol/time/clock'
    import { silentLog } from '@farebox/server/log'
    const database = await openStorage(${JSON.stringify(options)})
    const outbound = createOutbound({ localMode: true })
    startChecks({ database, outbound, clock: systemClock, log: silentLog, settings: { checkIntervalMs: 600000 } })
    console.log('{}')`)
  const killed = new Promise<void>(resolve => {
    kill = () => {
      process.kill(worker.pid, 'SIGKILL')
      resolve()
    }
  })
  await watchMany(stage.database, { count: 1, endpoint: `'http://127.0.0.1:${port}'` })
  await killed
  await worker.exited
  const { rows } = await stage.database.pool.query<{ left: number }>(
    'select extract(epoch from due_at - now())::float8 as left from agent_health',
  )
  expect(rows[0]?.left).toBeLessThanOrEqual(CHECK_LEASE_MS / 1_000)
  const checks = startChecks(stage.parts)
  await until(
    async () =>
      (await stage.database.pool.query('select from agent_health where checked_at is not null')).rowCount,
  )
  await checks.stop()
  expect(asked).toBe(2)
})

test('a check that an order triggers changes the availability of the agent, but neither its uptime nor its planned check', async () => {
  const stage = await stageWith({})
  const plannedMs = Date.now() + 300_000
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'`, dueAtMs: plannedMs })
  const takeOne = async (): Promise<CheckVerdict['lease'] | undefined> =>
    (await leaseChecks(stage.database, 10))[0]
  expect(await takeOne()).toBeUndefined()
  await checkSoon(stage.database, 1)
  const extra = await takeOne()
  if (extra === undefined) throw new Error('it is not checked soon')
  expect(Math.abs((extra.plannedMs ?? 0) - plannedMs)).toBeLessThan(1)
  // No second check is scheduled until the first has ended.
  await checkSoon(stage.database, 1)
  expect(await takeOne()).toBeUndefined()
  const failed = { kind: 'failed', reason: 'unreachable' } as const
  await writeChecks(stage.database, [{ lease: extra, failures: 1, dueMs: plannedMs, outcome: failed }])
  // Nor is one scheduled within 30 s after it.
  await checkSoon(stage.database, 1)
  expect(await takeOne()).toBeUndefined()
  const { rows } = await stage.database.pool.query(
    `select failures, hour_ok, hour_failed, day_failed, round(extract(epoch from due_at) * 1000)::float8 as due_ms,
       planned_at from agent_health`,
  )
  expect(rows).toEqual([
    { failures: 1, hour_ok: 0, hour_failed: 0, day_failed: 0, due_ms: plannedMs, planned_at: null },
  ])
  await stage.database.pool.query(
    `update agent_health set checked_at = checked_at - interval '31 seconds', hastened_at = hastened_at - interval '31 seconds'`,
  )
  await checkSoon(stage.database, 1)
  expect(await takeOne()).toMatchObject({ failures: 1 })
})

test('a running planned check is not replaced by one that an order triggers', async () => {
  const stage = await stageWith({})
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'` })
  const [planned] = await leaseChecks(stage.database, 10)
  if (planned === undefined) throw new Error('nothing was due')
  await checkSoon(stage.database, 1)
  expect(await leaseChecks(stage.database, 10)).toEqual([])
  await writeChecks(stage.database, [verdictOf(planned, { kind: 'failed', reason: 'unreachable' }, 1)])
  const { rows } = await stage.database.pool.query('select failures, hour_failed from agent_health')
  expect(rows).toEqual([{ failures: 1, hour_failed: 1 }])
})

test('a check that an order triggers never hides an agent; the next planned one does', async () => {
  const outbound = pretendOutbound(() => 'refuse')
  const stage = await stageWith({ outbound })
  const { database } = stage
  await watchMany(database, { count: 1, endpoint: `'https://agent.example'`, dueAtMs: Date.now() + 600_000 })
  await database.pool.query('update agent_health set failures = 4')
  await checkSoon(database, 1)
  const monitor = startMonitor(stage.parts)
  const seen = async (): Promise<object | undefined> => {
    const { rows } = await database.pool.query<{ checked_at: Date | null }>(
      'select checked_at, failures, is_offline from agent_health join agents using (agent_id)',
    )
    return rows[0]
  }
  await until(
    async () => (await database.pool.query('select from agent_health where checked_at is not null')).rowCount,
  )
  expect(await seen()).toMatchObject({ failures: 4, is_offline: false })
  await database.pool.query('update agent_health set due_at = now()')
  await until(async () => (await database.pool.query('select from agents where is_offline')).rowCount)
  expect(await seen()).toMatchObject({ failures: 5, is_offline: true })
  await monitor.stop()
})

test('HLT-06 a restarted monitor continues with the stored count of failures', async () => {
  let attempts = 0
  const outbound = pretendOutbound(() => {
    attempts += 1
    return 'refuse'
  })
  const stage = await stageWith({ outbound, settings: { checkIntervalMs: 300 } })
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'` })
  const failures = async (): Promise<number> => {
    const { rows } = await stage.database.pool.query<{ failures: number }>(
      'select failures from agent_health',
    )
    return rows[0]?.failures ?? 0
  }
  for (const least of [2, 4, 6]) {
    const monitor = startMonitor(stage.parts)
    await until(async () => (await failures()) >= least)
    await monitor.stop()
  }
  // Each check has two attempts; one that is interrupted by a stop does not count.
  expect(await failures()).toBeLessThanOrEqual(attempts / 2)
  const { rows } = await stage.database.pool.query('select is_offline from agents')
  expect(rows).toEqual([{ is_offline: true }])
})

test('HLT-07 while sixty agents do not respond, a hundred others are checked in every round', async () => {
  const asked = new Map<number, number>()
  let hanging = 0
  const outbound = pretendOutbound(async ({ url, signal }) => {
    const agentId = Number(/agent-(\d+)/.exec(url)?.[1])
    asked.set(agentId, (asked.get(agentId) ?? 0) + 1)
    if (agentId > 60) return 'ok'
    hanging += 1
    await untilAborted(signal)
    return 'refuse'
  })
  const stage = await stageWith({ outbound, settings: { checkIntervalMs: 1_000 } })
  await watchMany(stage.database, { count: 160, endpoint: `'https://agent-' || id || '.example'` })
  // Hardly more slots for first attempts than there are agents that do not respond.
  const monitor = startMonitor(stage.parts, { atOnce: 80 })
  const isThriceAsked = (agentId: number): boolean => (asked.get(agentId) ?? 0) >= 3
  try {
    await until(() => hanging === 60 && Array.from({ length: 100 }, (_, at) => 61 + at).every(isThriceAsked))
  } finally {
    await monitor.stop()
  }
  expect(hanging).toBe(60)
})

test("HLT-08 a jump of a worker's clock causes no check twice and delays none", async () => {
  const askedAtMs: number[] = []
  const outbound = pretendOutbound(() => {
    askedAtMs.push(performance.now())
    return 'ok'
  })
  let stepMs = 0
  const clock: Clock = { ...systemClock, nowMs: () => Date.now() + stepMs }
  const intervalMs = 1_000
  const stage = await stageWith({ outbound, clock, settings: { checkIntervalMs: intervalMs } })
  await watchMany(stage.database, { count: 1, endpoint: `'https://agent.example'` })
  const checks = startChecks(stage.parts)
  for (const step of [3_600_000, -3_600_000, 86_400_000, 0]) {
    stepMs = step
    const asked = askedAtMs.length
    await until(() => askedAtMs.length >= asked + 2)
  }
  await checks.stop()
  const gaps = askedAtMs.slice(1).map((atMs, place) => atMs - (askedAtMs[place] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(intervalMs * 0.45)
})

test('HLT-08 checks planned with a clock in the future are rescheduled within an interval', async () => {
  const stage = await stageWith({})
  const nowMs = Date.now()
  await watchMany(stage.database, {
    count: 50,
    endpoint: `'https://agent-' || id || '.example'`,
    dueAtMs: nowMs + 86_400_000,
  })
  await bringBackChecks(stage.database, 600_000)
  expect(await leaseChecks(stage.database, 500, { atMs: nowMs })).toEqual([])
  expect(await leaseChecks(stage.database, 50, { atMs: nowMs + 660_000 })).toHaveLength(50)
})
