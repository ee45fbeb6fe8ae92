import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { restoreAgent, takeDownAgent } from '../operator/take-down-agent.ts'
import type { PlatformParts } from '../platform-parts.ts'
import { sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import {
  createPretendChain,
  type PretendChain,
  type PretendEvent,
} from '../test-setup/network/pretend-chain.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import type { AgentRow } from './agent-row.ts'
import { applyInspection } from '../registry/inspect/apply-inspection.ts'
import { createRegistryFollower } from '../registry/chain/follow-registry.ts'
import { openRegistration } from '../registry/open-registration.ts'
import { readAgent } from './read-agent.ts'

const OWNER = `0x${'a1'.repeat(20)}` as const
const OTHER = `0x${'b2'.repeat(20)}` as const
const ENDPOINT = 'https://stolen.example'
const REASON = 'It sells what it has stolen.'
const BLOCKED = 'an agent with this endpoint was taken down by the operator'

let stage: Stage
let chain: PretendChain
let parts: PlatformParts

beforeAll(async () => {
  stage = await stagePlatform()
})

beforeEach(async () => {
  await stage.database.pool.query(
    'truncate agents, registry_events, followed_blocks, followed_contracts, registry_pending cascade',
  )
  chain = createPretendChain(stage.parts.settings.registryAddress)
  parts = { ...stage.parts, rpc: chain.rpc }
  await mined(registered(1))
  expect(await inspected(1)).toMatchObject({ standing: 'listed' })
  await takeDownAgent(parts.database, 1, { reason: REASON, nowMs: parts.clock.nowMs() })
})

afterAll(() => stage.close())

const registered = (agentId: number, endpoint = ENDPOINT, owner = OWNER): PretendEvent => ({
  is: 'registered',
  agentId,
  owner,
  endpoint,
})
const deregistered = (agentId: number): PretendEvent => ({ is: 'deregistered', agentId, owner: OWNER })
const moved = (agentId: number, endpoint: string): PretendEvent => ({
  is: 'updated',
  agentId,
  owner: OWNER,
  endpoint,
})
const restore = (agentId: number) => restoreAgent(parts.database, agentId, parts.clock.nowMs())

/** Adds a block with these events and reads it, with enough confirmations. */
async function mined(...events: readonly PretendEvent[]): Promise<void> {
  chain.mine(events, [], [])
  const follower = createRegistryFollower(parts)
  while ((await follower.pass()).kind !== 'up-to-date');
}

async function agent(agentId: number): Promise<AgentRow> {
  const row = await readAgent(parts.database, agentId)
  if (row === undefined) throw new Error(`there is no agent ${agentId}`)
  return row
}

/** Applies an inspection that finds a valid agent with its owner's wallet. */
async function inspected(agentId: number): Promise<AgentRow> {
  const { owner, ...row } = await agent(agentId)
  const declaration = sampleDeclaration(owner)
  await applyInspection(parts, { owner, ...row }, { kind: 'agent', declaration, wallet: owner })
  return await agent(agentId)
}

describe('an endpoint at which an agent was taken down', () => {
  test('is not listed again after a deregistration and a new registration', async () => {
    await mined(deregistered(1))
    expect(await agent(1)).toMatchObject({ standing: 'deregistered' })
    await mined(registered(2))
    expect(await inspected(2)).toMatchObject({ standing: 'refused', standingReason: BLOCKED })
  })

  test('is not listed again after moving the agent away and registering a new one', async () => {
    await mined(moved(1, 'https://elsewhere.example'))
    expect(await agent(1)).toMatchObject({ standing: 'taken-down', standingReason: REASON })
    await mined(registered(2, `${ENDPOINT}:443/`))
    expect(await inspected(2)).toMatchObject({ standing: 'refused', standingReason: BLOCKED })
  })

  test('is not listed again by moving another agent to it', async () => {
    await mined(registered(2, 'https://honest.example'))
    expect(await inspected(2)).toMatchObject({ standing: 'listed' })
    await mined(deregistered(1), moved(2, ENDPOINT))
    expect(await inspected(2)).toMatchObject({ standing: 'refused', standingReason: BLOCKED })
  })

  test('is the only one blocked: moving the taken-down agent to another endpoint does not block that one', async () => {
    await mined(moved(1, 'https://victim.example'), registered(2, 'https://victim.example', OTHER))
    expect(await inspected(2)).toMatchObject({ standing: 'listed' })
  })

  test('is refused before an owner stakes for it', async () => {
    await mined(deregistered(1))
    await expect(openRegistration(parts, { endpoint: ENDPOINT })).rejects.toMatchObject({
      type: 'conflict',
      message: 'endpoint: an agent with it was taken down by the operator',
    })
  })

  test('stays blocked when a second agent was taken down at it and the first is restored', async () => {
    await mined(registered(2))
    await takeDownAgent(parts.database, 2, { reason: 'As the first.', nowMs: parts.clock.nowMs() })
    await restore(1)
    expect(await inspected(1)).toMatchObject({ standing: 'refused', standingReason: BLOCKED })
    await restore(2)
    expect((await agent(1)).nextRefreshAtMs).toBe(parts.clock.nowMs())
    expect(await inspected(1)).toMatchObject({ standing: 'listed' })
  })
})

describe('the operator', () => {
  test('unblocks the endpoint by restoring the agent, which is then listed', async () => {
    expect(await restore(1)).toBe('waiting')
    expect(await inspected(1)).toMatchObject({ standing: 'listed' })
  })

  test('unblocks the endpoint of a deregistered agent, and has the agent refused there inspected', async () => {
    await mined(deregistered(1))
    await mined(registered(2))
    await inspected(2)
    await parts.database.pool.query('update agents set next_refresh_at = null')
    expect(await restore(1)).toBe('deregistered')
    expect(await agent(1)).toMatchObject({ standing: 'deregistered', nextRefreshAtMs: undefined })
    expect((await agent(2)).nextRefreshAtMs).toBe(parts.clock.nowMs())
    expect(await inspected(2)).toMatchObject({ standing: 'listed' })
    await expect(restore(1)).rejects.toThrow('agent 1 is not taken down, but deregistered')
  })

  test('unblocks every endpoint that was blocked for the agent', async () => {
    await mined(moved(1, 'https://second.example'))
    await takeDownAgent(parts.database, 1, { reason: 'There too.', nowMs: parts.clock.nowMs() })
    await mined(registered(2, 'https://second.example'))
    expect(await inspected(2)).toMatchObject({ standing: 'refused' })
    await restore(1)
    await mined(registered(3))
    expect([(await inspected(2)).standing, (await inspected(3)).standing]).toEqual(['listed', 'listed'])
  })
})

test('REG-02 an agent stays taken down when a rewrite of the chain removes its deregistration', async () => {
  await mined(deregistered(1))
  chain.drop(3)
  await mined()
  expect(await agent(1)).toMatchObject({
    standing: 'taken-down',
    standingReason: REASON,
    nextRefreshAtMs: undefined,
  })
})
