import { createManualClock } from '@farebox/protocol/src/test-setup/manual-clock'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createApp } from '../../app/create-app.ts'
import { serveSecrets, type SecretsFacilitator } from '../../test-setup/network/facilitator-for-secrets.ts'
import { insertAgent } from '../../test-setup/database/insert-agent.ts'
import { makeWallet, signedInAs } from '../../test-setup/sign-in.ts'
import { stagePlatform, type Stage } from '../../test-setup/stage-platform.ts'
import { createFacilitatorAdmin, type FacilitatorAdmin } from './facilitator-admin.ts'
import { ownersRoutes } from '../owners-routes.ts'
import { REPORTED_AGAIN_MS, takeListingReports } from './secret-owners.ts'
import { reportListings, startListingReports } from './start-listing-reports.ts'

const clock = createManualClock()
let stage: Stage
let facilitator: SecretsFacilitator
let app: FastifyInstance
let admin: FacilitatorAdmin
let owner: string

beforeAll(async () => {
  const { parts, close } = await stagePlatform()
  facilitator = await serveSecrets({ crypto: parts.crypto, clock })
  await close()
  stage = await stagePlatform({ clock, settings: { facilitator } })
  app = createApp(stage.parts, ownersRoutes(stage.parts))
  admin = createFacilitatorAdmin(facilitator)
})
beforeEach(async () => {
  clock.pass(60_000)
  await stage.database.query('clear', 'delete from secret_owners')
  owner = makeWallet(stage.parts.crypto).address
})
afterAll(async () => {
  await app.close()
  await facilitator.close()
  await stage.close()
})

async function makeSecret(): Promise<void> {
  const headers = await signedInAs(stage.parts, owner)
  const answer = await app.inject({ method: 'POST', url: '/v1/me/secrets', headers, payload: {} })
  expect(answer.statusCode).toBe(201)
}

async function setStanding(agentId: number, standing: string): Promise<void> {
  await stage.database.query('set-standing', 'update agents set standing = $2 where agent_id = $1', [
    agentId,
    standing,
  ])
}

async function sponsorship(): Promise<string> {
  return (await admin.readOwner(owner)).sponsorship
}

test('a secret of an owner without a listed agent counts as unlisted from the beginning', async () => {
  await insertAgent(stage.database, { owner, standing: 'waiting' })
  await makeSecret()
  expect(await sponsorship()).toBe('unlisted')
})

test('a secret of an owner with a listed agent counts as listed from the beginning', async () => {
  await insertAgent(stage.database, { owner })
  await makeSecret()
  expect(await sponsorship()).toBe('listed')
})

test('an owner is reported as listed and unlisted as its agents change, once for each change', async () => {
  await makeSecret()
  const { agentId } = await insertAgent(stage.database, { owner, standing: 'waiting' })
  expect(await reportListings(stage.parts, admin)).toBe(1)
  expect(await reportListings(stage.parts, admin)).toBe(0)
  for (const [standing, expected] of [
    ['listed', 'listed'],
    ['taken-down', 'unlisted'],
    ['listed', 'listed'],
    ['deregistered', 'unlisted'],
  ] as const) {
    await setStanding(agentId, standing)
    expect(await reportListings(stage.parts, admin)).toBe(1)
    expect(await sponsorship()).toBe(expected)
  }
})

test('an owner named by the operator stays named, whatever is reported, until the name is deleted', async () => {
  await admin.create({ owner, wallets: [owner], sponsorship: 'named' })
  await makeSecret()
  await reportListings(stage.parts, admin)
  expect(await sponsorship()).toBe('named')
  const answer = await fetch(`${facilitator.url}/owners/${owner}/name`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${facilitator.adminToken}` },
  })
  expect([answer.status, await sponsorship()]).toEqual([204, 'unlisted'])
})

test('a report interrupted by a crash is repeated by any process when its lease has ended', async () => {
  await makeSecret()
  await insertAgent(stage.database, { owner })
  expect(await takeListingReports(stage.database, clock.nowMs())).toMatchObject([
    { owner, listing: 'listed' },
  ])
  expect(await reportListings(stage.parts, admin)).toBe(0)
  clock.pass(30_000)
  expect(await reportListings(stage.parts, admin)).toBe(1)
  expect(await sponsorship()).toBe('listed')
})

test('a report in progress while a secret is created is not recorded, so that the owner is reported again', async () => {
  await makeSecret()
  const beside = {
    ...admin,
    async sponsor(...said: Parameters<FacilitatorAdmin['sponsor']>) {
      await makeSecret()
      await admin.sponsor(...said)
    },
  }
  expect(await reportListings(stage.parts, beside)).toBe(1)
  clock.pass(30_000)
  expect(await reportListings(stage.parts, admin)).toBe(1)
})

test('every owner is reported again after an hour, in case the facilitator lost it', async () => {
  await makeSecret()
  await reportListings(stage.parts, admin)
  clock.pass(REPORTED_AGAIN_MS - 1)
  expect(await reportListings(stage.parts, admin)).toBe(0)
  clock.pass(1)
  expect(await reportListings(stage.parts, admin)).toBe(1)
})

test('while the facilitator is unavailable, no report is recorded', async () => {
  await makeSecret()
  await insertAgent(stage.database, { owner })
  const away = createFacilitatorAdmin({ url: 'http://127.0.0.1:1', adminToken: 'x'.repeat(16) })
  await expect(reportListings(stage.parts, away)).rejects.toThrow('out of reach')
  clock.pass(30_000)
  expect(await reportListings(stage.parts, admin)).toBe(1)
  expect(await sponsorship()).toBe('listed')
})

test('reports run in the background until they are stopped', async () => {
  await makeSecret()
  await insertAgent(stage.database, { owner })
  const working = startListingReports(stage.parts)
  await expect.poll(sponsorship).toBe('listed')
  await working.stop()
})

async function dailyLimit(): Promise<number | null> {
  return (await admin.readOwner(owner)).dailySettlements
}

async function setAgent(agentId: number, column: 'badge' | 'is_offline', value: string): Promise<void> {
  await stage.database.query(`set-${column}`, `update agents set ${column} = $2 where agent_id = $1`, [
    agentId,
    value,
  ])
}

test("D41 a secret is created with the settlements granted for its owner's stake and badges", async () => {
  await insertAgent(stage.database, { owner, badge: 'bronze' })
  await insertAgent(stage.database, { owner, badge: 'verified' })
  await makeSecret()
  expect(await dailyLimit()).toBe(12_000)
})

test('D41 the limit of an owner follows the badges of its agents, whether they are online and payable, and their stake', async () => {
  await makeSecret()
  const { agentId } = await insertAgent(stage.database, { owner })
  const limitNow = async (): Promise<number | null> => {
    expect(await reportListings(stage.parts, admin)).toBe(1)
    expect(await reportListings(stage.parts, admin)).toBe(0)
    return await dailyLimit()
  }
  expect(await limitNow()).toBe(1_000)
  await setAgent(agentId, 'badge', 'silver')
  expect(await limitNow()).toBe(100_000)
  const other = await insertAgent(stage.database, { owner, badge: 'bronze' })
  expect(await limitNow()).toBe(110_000)
  await setAgent(agentId, 'is_offline', 'true')
  expect(await limitNow()).toBe(10_000)
  await setAgent(agentId, 'is_offline', 'false')
  expect(await limitNow()).toBe(110_000)
  await insertAgent(stage.database, { owner, badge: 'gold', provenWallet: null })
  expect(await reportListings(stage.parts, admin)).toBe(0)
  await setStanding(agentId, 'taken-down')
  expect(await limitNow()).toBe(10_000)
  // The stake was returned; the agent that cannot be paid is still listed.
  await setStanding(other.agentId, 'deregistered')
  expect(await limitNow()).toBe(1_000)
})

test('D41 a facilitator that lost the granted limit gets it again within the hour', async () => {
  await makeSecret()
  await insertAgent(stage.database, { owner, badge: 'bronze' })
  await reportListings(stage.parts, admin)
  await admin.sponsor([owner], 'listed')
  expect(await dailyLimit()).toBe(100_000)
  clock.pass(REPORTED_AGAIN_MS)
  await reportListings(stage.parts, admin)
  expect(await dailyLimit()).toBe(10_000)
})

test('D41 when the operator has turned the rule off, every listed owner has the facilitator’s own number', async () => {
  await makeSecret()
  await insertAgent(stage.database, { owner, badge: 'gold' })
  const settings = { ...stage.parts.settings, settlements: undefined }
  await reportListings({ ...stage.parts, settings }, admin)
  expect([await sponsorship(), await dailyLimit()]).toEqual(['listed', 100_000])
})
