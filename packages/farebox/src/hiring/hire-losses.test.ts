import { randomUUID } from 'node:crypto'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { afterEach, describe, expect, test } from 'vitest'
import { startHired } from './test-setup/hired-agent.ts'
import { createHiringAgent, HIRING_ADDRESS, memoryJobStore } from './test-setup/hiring-agent.ts'

const open: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(one => one.close()))
})

/**
 * An agent whose whole job hires for 0.005 of its 0.01 USDC, and fails if its text says so; its small job hires no
 * agent.
 */
async function losing() {
  const jobStore = memoryJobStore()
  const child = await startHired({ funded: [HIRING_ADDRESS] })
  const hirer = await createHiringAgent({
    jobStore,
    work: async ({ hire }, text) => {
      const { resumed } = await hire(child.url, 'part', { text: 'a' }, { key: 'k' })
      if (text === 'fail') throw new Error('fails after it has paid')
      return `resumed ${resumed}`
    },
    small: () => 'small',
  })
  open.push(child, hirer.agent)
  const losses = async (): Promise<readonly bigint[]> => {
    const key = `unpaid eip155:84532 ${HIRING_ADDRESS.toLowerCase()} ${new Date().toISOString().slice(0, 10)}`
    const keys = [key, `${key} ${TEST_KEYS.payer.address.toLowerCase()}`]
    const totals = await jobStore.accounts?.totals('', keys)
    return totals?.sums ?? []
  }
  return { ...hirer, child, losses }
}

describe('the amount that a failed job paid to other agents', () => {
  test('stays counted as lost when the same job_id buys something cheaper, less the cost of that', async () => {
    const { run, losses } = await losing()
    const jobId = randomUUID()
    expect(await run({ jobId, text: 'fail' })).toMatchObject({ status: 500 })
    expect(await losses()).toEqual([5_000n, 5_000n])
    expect(await run({ jobId, capability: 'small' })).toMatchObject({ status: 200, text: 'small' })
    expect(await losses()).toEqual([4_900n, 4_900n])
  })

  test('is not counted any more when the job is run again and paid', async () => {
    const { run, losses } = await losing()
    const jobId = randomUUID()
    await run({ jobId, text: 'fail' })
    expect(await run({ jobId })).toMatchObject({ status: 200, text: 'resumed true' })
    expect(await losses()).toEqual([0n, 0n])
  })
})
