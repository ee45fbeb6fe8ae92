import { createApp } from '@farebox/platform/src/app/create-app'
import { ownersRoutes } from '@farebox/platform/src/owners/owners-routes'
import { startListingReports } from '@farebox/platform/src/owners/settlements/start-listing-reports'
import { insertAgent } from '@farebox/platform/src/test-setup/insert-agent'
import { makeWallet, signedInAs } from '@farebox/platform/src/test-setup/sign-in'
import { stagePlatform, type Stage } from '@farebox/platform/src/test-setup/stage-platform'
import type { Attack } from '../attack.ts'
import { startSettlementStage, type Owner, type SettlementStage } from './settlement-stage.ts'

const BLOCK_SECONDS = 1
const LIMIT = 20
const LISTED_WITHIN_MS = 30_000

/** Somebody signs in at a platform, makes a secret for nothing, and has our operator pay the gas of all its payments. */
export const freeSecret: Attack = {
  name: 'settlements of a free secret',
  before: '21 payments of a secret made without a word on whose gas it is: 21 settled',
  async run({ size, signal }) {
    const stage = await startSettlementStage(BLOCK_SECONDS)
    try {
      const platform = await stagePlatform({ realTime: true, settings: { facilitator: stage.facilitator } })
      try {
        const address = makeWallet(platform.parts.crypto).address
        const owner = stage.ownerOf(await makeSecret(platform, address), address)
        const asked = size === 'full' ? 60 : LIMIT + 1
        const settled = await settleMany(stage, owner, asked)
        const liftedMs = await listAnAgent(stage, platform, owner, signal)
        return [
          {
            test: `${asked} payments in a day to an owner without a listed agent`,
            reached: `${settled} settled`,
            target: `${LIMIT} settled`,
            isMet: settled === LIMIT,
          },
          {
            test: 'a payment after an agent of this owner was listed',
            reached: liftedMs === undefined ? 'refused' : `settled within ${Math.ceil(liftedMs / 1_000)} s`,
            target: `settled within ${LISTED_WITHIN_MS / 1_000} s`,
            isMet: liftedMs !== undefined,
          },
        ]
      } finally {
        await platform.close()
      }
    } finally {
      await stage.stop()
    }
  },
}

async function makeSecret({ parts }: Stage, address: string): Promise<string> {
  const app = createApp(parts, ownersRoutes(parts))
  const headers = await signedInAs(parts, address)
  const answer = await app.inject({ method: 'POST', url: '/v1/me/secrets', headers, payload: {} })
  await app.close()
  return answer.json<{ readonly secret: string }>().secret
}

async function settleMany(stage: SettlementStage, owner: Owner, count: number): Promise<number> {
  const settled = await Promise.all(Array.from({ length: count }, () => isSettled(stage, owner)))
  return settled.filter(Boolean).length
}

async function isSettled(stage: SettlementStage, owner: Owner): Promise<boolean> {
  const payment = await stage.sign(await stage.payer(), owner)
  if ((await owner.verify(payment)).kind !== 'valid') return false
  return (await owner.settle(payment)).kind === 'settled'
}

/** How long it took until a payment was settled; undefined where none was in time. */
async function listAnAgent(
  stage: SettlementStage,
  { parts, database }: Stage,
  owner: Owner,
  signal: AbortSignal,
): Promise<number | undefined> {
  const reports = startListingReports(parts)
  try {
    const startedMs = Date.now()
    await insertAgent(database, { owner: owner.payTo })
    while (!signal.aborted && Date.now() < startedMs + LISTED_WITHIN_MS) {
      if (await isSettled(stage, owner)) return Date.now() - startedMs
      await parts.clock.sleep(500)
    }
    return undefined
  } finally {
    await reports.stop()
  }
}
