import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lockAgent, lockWithCompetitors } from '../agents/lock-agents.ts'
import { readAgent } from '../agents/read-agent.ts'
import type { AgentRow, ListingStatus } from '../agents/agent-row.ts'
import { watchAgent } from '../agents/watch-agent.ts'
import { dyingAfter } from '../test-setup/database/dying-database.ts'
import { insertAgent, sampleDeclaration } from '../test-setup/database/insert-agent.ts'
import { stagePlatform, type Stage } from '../test-setup/stage-platform.ts'
import { changeListing, enterListing, type ListingChange } from './change-listing.ts'
import { indexAgent } from './index-agent.ts'
import { findTransition, TRANSITIONS, type ListingTransition } from './listing-transitions.ts'

const ENDPOINT = 'https://wanted.example'
const OWNER = `0x${'a1'.repeat(20)}`
const OTHER = `0x${'b2'.repeat(20)}`
/** The agent that changes, and one with a lower id that was refused at its endpoint. */
const AGENT = 5
const COMPETITOR = 3
const BEFORE_MS = Date.UTC(2027, 0, 1)
const PLANNED_MS = Date.UTC(2027, 0, 9)

let stage: Stage
let nowMs: number

beforeAll(async () => {
  stage = await stagePlatform()
  nowMs = stage.clock.nowMs()
})

beforeEach(async () => {
  await stage.database.pool.query('truncate agents cascade')
})

afterAll(() => stage.close())

/** Inserts an agent with this status and everything that depends on it. */
async function stands(standing: ListingStatus): Promise<AgentRow> {
  const isShown = standing === 'listed' || standing === 'provisional'
  const hasProof = standing === 'listed' || standing === 'taken-down'
  const agent = await insertAgent(stage.database, {
    agentId: AGENT,
    endpoint: ENDPOINT,
    owner: OWNER,
    standing,
    ...(!hasProof && { provenWallet: null }),
    atMs: BEFORE_MS,
  })
  await insertAgent(stage.database, {
    agentId: COMPETITOR,
    endpoint: ENDPOINT,
    owner: OTHER,
    standing: 'refused',
    provenWallet: null,
  })
  await stage.database.inTransaction(async client => {
    if (isShown) await watchAgent(client, AGENT, BEFORE_MS)
    await indexAgent(client, AGENT)
  })
  return agent
}

async function change(given: Omit<ListingChange, 'nowMs'>, database = stage.database): Promise<AgentRow> {
  await database.inTransaction(async client => {
    await lockWithCompetitors(client, [AGENT])
    const agent = await lockAgent(client, AGENT)
    if (agent === undefined) throw new Error('there is no agent')
    await changeListing(client, agent, { ...given, nowMs })
  })
  return await known(AGENT)
}

async function known(agentId: number): Promise<AgentRow> {
  const agent = await readAgent(stage.database, agentId)
  if (agent === undefined) throw new Error(`there is no agent ${agentId}`)
  return agent
}

async function exists(text: string): Promise<boolean> {
  return ((await stage.database.pool.query(text, [AGENT])).rowCount ?? 0) > 0
}

const isWatched = () => exists(`select from agent_health where agent_id = $1 and due_at < 'infinity'`)
const isComputed = () => exists(`select from agent_badges where agent_id = $1 and due_at < 'infinity'`)
const isFound = () => exists('select from search_entries where agent_id = $1')

const INSPECTION = {
  problem: undefined,
  failures: 0,
  nextInspectionMs: PLANNED_MS,
  aboutMissingSinceMs: undefined,
  declared: undefined,
} as const

type Case = readonly [
  from: ListingStatus | 'nothing',
  event: ListingTransition['on'],
  to: ListingStatus,
  row: ListingTransition,
]

/** Every row of the table, for each status it starts from. */
const CASES: readonly Case[] = TRANSITIONS.flatMap(row =>
  row.from.map((from): Case => [
    from,
    row.on,
    row.to === 'same' && from !== 'nothing' ? from : toOf(row),
    row,
  ]),
)

function toOf({ to }: ListingTransition): ListingStatus {
  if (to === 'same') throw new Error('a new row has no status before')
  return to
}

describe('a change of the listing status', () => {
  test.each(CASES.filter(([from]) => from !== 'nothing'))(
    'from %s, by %s, to %s updates everything that depends on it',
    async (from, event, to, row) => {
      if (from === 'nothing') throw new Error('such a one has no row')
      const before = await stands(from)
      const after = await change({ event, to, ...(row.inspect === 'planned' && { inspection: INSPECTION }) })
      const isShown = to === 'listed' || to === 'provisional'
      expect(after.standing).toBe(to)
      expect(after.standingSinceMs).toBe(from === to ? before.standingSinceMs : nowMs)
      expect(after.nextRefreshAtMs).toBe({ soon: nowMs, planned: PLANNED_MS, never: undefined }[row.inspect])
      expect(await isWatched()).toBe(isShown)
      expect(await isComputed()).toBe(isShown)
      expect(await isFound()).toBe(isShown)
      const keepsProof = to === 'listed' || to === 'taken-down'
      expect(after.provenWallet).toBe(keepsProof ? before.provenWallet : undefined)
      expect((await known(COMPETITOR)).nextRefreshAtMs).toBe(row.vacates ? nowMs : undefined)
    },
  )

  test('accepts only the transitions of the table', async () => {
    await stands('taken-down')
    const refused = change({ event: 'inspected', to: 'listed', inspection: INSPECTION })
    await expect(refused).rejects.toThrow(
      'an agent that is taken-down cannot become listed when it is inspected',
    )
    expect(() => findTransition('moved', 'taken-down', 'waiting')).toThrow(RangeError)
    expect(() => findTransition('registered', 'listed', 'waiting')).toThrow(RangeError)
  })

  test('is written with all its consequences, or not at all, wherever the process dies', async () => {
    const before = await stands('listed')
    for (let statements = 1; ; statements += 1) {
      const dying = dyingAfter(stage.database, statements)
      const died = await change({ event: 'unstaked', to: 'deregistered' }, dying).then(
        () => false,
        () => true,
      )
      const now = await known(AGENT)
      if (!died) {
        expect(now.standing).toBe('deregistered')
        expect(statements).toBeGreaterThan(5)
        return
      }
      expect(now).toEqual(before)
      expect([await isWatched(), await isFound()]).toEqual([true, true])
      expect((await known(COMPETITOR)).nextRefreshAtMs).toBeUndefined()
    }
  })
})

describe('the reason of a status', () => {
  test('is kept while the status stays, unless a new reason is given', async () => {
    await stands('listed')
    const down = (reason?: string) => change({ event: 'taken down', to: 'taken-down', reason })
    expect((await down('spam')).standingReason).toBe('spam')
    expect((await down()).standingReason).toBe('spam')
    expect((await down('fraud')).standingReason).toBe('fraud')
    expect((await change({ event: 'restored', to: 'waiting' })).standingReason).toBeUndefined()
  })
})

describe('D36 the proof of a wallet', () => {
  const declaration = sampleDeclaration(OWNER)
  const inspection = (wallet: string) => ({ ...INSPECTION, declared: { declaration, version: 1, wallet } })

  test('is given by an inspection that finds the owner’s wallet, and ends with another owner', async () => {
    await stands('waiting')
    const event = 'inspected'
    expect((await change({ event, to: 'listed', inspection: inspection(OWNER) })).provenWallet).toBe(OWNER)
    const listed = await known(AGENT)
    const sold = await change({ event: 'transferred', to: 'listed', onChain: { ...listed, owner: OTHER } })
    expect(sold).toMatchObject({ owner: OTHER, wallet: OWNER, provenWallet: undefined })
    expect((await change({ event, to: 'listed', inspection: inspection(OTHER) })).provenWallet).toBe(OTHER)
  })

  test('survives an inspection that finds another wallet, which is then not paid', async () => {
    await stands('listed')
    const after = await change({ event: 'inspected', to: 'listed', inspection: inspection(OTHER) })
    expect(after).toMatchObject({ wallet: OTHER, provenWallet: OWNER })
  })
})

test('a new agent has a row with its first inspection due, and nothing else', async () => {
  const onChain = {
    endpointOnChain: `${ENDPOINT}/`,
    endpoint: ENDPOINT,
    owner: OWNER,
    endpointBy: OWNER,
    stakeWei: 10n ** 15n,
    registeredBlock: 7,
    registeredTransaction: `0x${'07'.repeat(32)}`,
    registeredAtMs: BEFORE_MS,
  }
  await stage.database.inTransaction(client =>
    enterListing(client, AGENT, { event: 'registered', to: 'waiting', onChain, nowMs }),
  )
  expect(await known(AGENT)).toMatchObject({ ...onChain, standing: 'waiting', nextRefreshAtMs: nowMs })
  expect([await isWatched(), await isComputed(), await isFound()]).toEqual([false, false, false])
})
