import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '@farebox/protocol/src/test-setup/until'
import type { PlatformParts } from '../platform-parts.ts'
import { pretendOutbound } from '../test-setup/network/pretend-outbound.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { watchMany } from '../test-setup/database/watch-many.ts'
import { startChecks } from './start-checks.ts'

const AGENTS = 10_000
const ROUNDS = 9
const INTERVAL_MS = 600_000
const START_MS = Date.UTC(2027, 0, 1)

/**
 * The results of an agent's checks, round by round; its number selects the script. Most agents pass most of the time.
 */
const SCRIPTS = [
  '+++++++++',
  '+-+--+-++',
  '--+--+--+',
  '+---+++++',
  '----+++++',
  '-----++++',
  '---------',
  '+--------',
  '-----+---',
  '---+---+-',
] as const

/** Every third agent uses one of the ten scripts; the others always pass. */
function scriptOf(agentId: number): string {
  return agentId % 3 === 0 ? (SCRIPTS[(agentId / 3) % SCRIPTS.length] ?? '') : SCRIPTS[0]
}

/** The expected number of consecutive failures after this many rounds. */
function failuresAfter(script: string, rounds: number): number {
  return /-*$/.exec(script.slice(0, rounds))?.[0].length ?? 0
}

let stage: Stage
let round = 0
const firstAttempts = new Map<number, number>()

const outbound = pretendOutbound(async request => {
  const agentId = Number(/agent-(\d+)/.exec(request.url)?.[1])
  if (request.timeoutMs === 5_000) firstAttempts.set(agentId, (firstAttempts.get(agentId) ?? 0) + 1)
  await Promise.resolve()
  return scriptOf(agentId)[round] === '+' ? 'ok' : 'refuse'
})

beforeAll(async () => {
  stage = await stagePlatform({ realTime: true, outbound, settings: { checkIntervalMs: INTERVAL_MS } })
  // With so few hosts, outages of the platform's own network are not detected in this test.
  const endpoint = `'https://host-' || id % 7 || '.example/agent-' || id`
  await watchMany(stage.database, { count: AGENTS, endpoint, dueAtMs: START_MS })
})

afterAll(() => stage.close())

async function runRound(workers: readonly PlatformParts[], atMs: number): Promise<void> {
  const checks = workers.map(parts => startChecks(parts, { dueAtMs: () => atMs }))
  await until(async () => {
    const { rows } = await stage.database.pool.query<{ open: string }>(
      `select count(*) as open from agent_health where checked_at is distinct from to_timestamp($1::float8 / 1000)`,
      [atMs],
    )
    return rows[0]?.open === '0'
  }, 50)
  await Promise.all(checks.map(one => one.stop()))
}

interface Seen {
  readonly agent_id: string
  readonly failures: number
  readonly is_offline: boolean
  readonly badge_shown: string
}

test('HLT-01 HLT-02 10,000 agents and three workers: each agent is checked once a round and has exactly the expected state', async () => {
  const workers = [stage.parts, await stage.anotherWorker(), await stage.anotherWorker()]
  for (; round < ROUNDS; round++) {
    firstAttempts.clear()
    // Later than the next check of every agent, and earlier than the check after that.
    await runRound(workers, START_MS + round * INTERVAL_MS * 1.6)
    expect(firstAttempts.size).toBe(AGENTS)
    expect([...firstAttempts.values()].filter(count => count !== 1)).toEqual([])
    const { rows } = await stage.database.pool.query<Seen>(
      'select agent_id, h.failures, is_offline, badge_shown from agents join agent_health h using (agent_id)',
    )
    const exact = rows.filter(row => {
      const failures = failuresAfter(scriptOf(Number(row.agent_id)), round + 1)
      return (
        row.failures === failures &&
        row.is_offline === failures >= 5 &&
        row.badge_shown === (failures >= 3 ? 'bronze' : 'silver')
      )
    })
    expect(exact).toHaveLength(AGENTS)
  }
})
