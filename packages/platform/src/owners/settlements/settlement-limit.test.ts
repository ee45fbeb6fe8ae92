import type { SettlementLimit } from '@farebox/platform-api/owners'
import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app/create-app.ts'
import { answersAsDocumented } from '../../test-setup/answers-as-documented.ts'
import { serveSecrets, type SecretsFacilitator } from '../../test-setup/network/facilitator-for-secrets.ts'
import { insertAgent } from '../../test-setup/database/insert-agent.ts'
import { makeWallet, signedInAs } from '../../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { createFacilitatorAdmin, type FacilitatorAdmin } from './facilitator-admin.ts'
import { ownersRoutes } from '../owners-routes.ts'

const EIGHT = Date.UTC(2027, 0, 15, 8)
const MIDNIGHT = Date.UTC(2027, 0, 16) / 1_000

const clock = createManualClock(EIGHT)
let stage: Stage
let facilitator: SecretsFacilitator
let app: FastifyInstance
let admin: FacilitatorAdmin
let owner: string

beforeAll(async () => {
  stage = await stagePlatform({ clock })
  facilitator = await serveSecrets({ crypto: stage.parts.crypto, clock })
  const parts = { ...stage.parts, settings: { ...stage.parts.settings, facilitator } }
  app = createApp(parts, ownersRoutes(parts))
  admin = createFacilitatorAdmin(facilitator)
})
beforeEach(() => {
  owner = makeWallet(stage.parts.crypto).address
})
afterAll(async () => {
  await app.close()
  await facilitator.close()
  await stage.close()
})

async function read(): Promise<SettlementLimit> {
  const headers = await signedInAs(stage.parts, owner)
  const ask = answersAsDocumented(app, ownersRoutes(stage.parts))
  return (await ask({ url: '/v1/me/settlement-limit', headers })).json()
}

test('GET /v1/me/settlement-limit shows an owner without a listed agent the limit and how to raise it', async () => {
  await admin.sponsor([owner], 'unlisted')
  expect(await read()).toEqual({
    sponsorship: 'unlisted',
    used_today: 0,
    daily_limit: 20,
    state: 'open',
    expected_at: null,
    resets_at: MIDNIGHT,
    made_of: [],
    rule: {
      per_stake: { none: 1_000, verified: 2_000, bronze: 10_000, silver: 100_000, gold: 1_000_000 },
      stake: '0.001',
      at_least: 1_000,
      at_most: 1_000_000,
    },
    next_step: 'register an agent to lift it: farebox register',
  })
})

test('D41 a listed owner gets the parts of the limit, agent by agent, and the agents that add nothing', async () => {
  const bronze = await insertAgent(stage.database, { owner, badge: 'bronze' })
  const offline = await insertAgent(stage.database, { owner, badge: 'gold', isOffline: true })
  const unpaid = await insertAgent(stage.database, { owner, provenWallet: null })
  await insertAgent(stage.database, { owner, standing: 'taken-down', badge: 'gold' })
  await admin.sponsor([{ owner, dailySettlements: 10_000 }], 'listed')
  const { made_of: shares, daily_limit: limit, next_step: next } = await read()
  expect([limit, next]).toEqual([10_000, null])
  const share = { name: 'Word counter', stake: '0.001' }
  expect(shares).toEqual([
    { ...share, agent_id: bronze.agentId, badge: 'bronze', settlements: 10_000, counts_nothing: null },
    { ...share, agent_id: offline.agentId, badge: 'gold', settlements: 0, counts_nothing: 'offline' },
    { ...share, agent_id: unpaid.agentId, badge: 'none', settlements: 0, counts_nothing: 'not_payable' },
  ])
})

test('D41 from four fifths on, an owner gets the expected time of exhaustion, and how to raise the limit', async () => {
  await insertAgent(stage.database, { owner })
  await admin.sponsor([{ owner, dailySettlements: 5 }], 'listed')
  await facilitator.hold(owner, 3)
  expect(await read()).toMatchObject({ state: 'open', next_step: null })
  await facilitator.hold(owner, 1)
  const raises = 'a higher badge or another listed agent raises it'
  expect(await read()).toMatchObject({
    state: 'near',
    used_today: 4,
    expected_at: EIGHT / 1_000 + 2 * 3_600,
    next_step: raises,
  })
  await facilitator.hold(owner, 1)
  expect(await read()).toMatchObject({ state: 'used_up', expected_at: null, next_step: raises })
})

test('D41 an owner named by the operator has no limit and no parts of it', async () => {
  await insertAgent(stage.database, { owner })
  await admin.sponsor([owner], 'named')
  expect(await read()).toMatchObject({ daily_limit: null, state: 'open', made_of: [], next_step: null })
})
