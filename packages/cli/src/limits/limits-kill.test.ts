import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { permissionOf } from '@farebox/local/src/testing/permission-stage'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createProject, type Project, type RunningCli } from '../testing/dev-process.ts'
import { allowWords, openLimitsStage, OWNER_KEY, type LimitsStage } from './limits-stage.test-setup.ts'

const OWNER = TEST_KEYS.payer.address
const BUY = permissionOf({ agentId: 7n, capability: 'buy' })

let chain: LocalChain
let stage: LimitsStage
let project: Project
let untouched: string
/** Whether the token accepts permits. */
let permits: boolean
/** Kills the running command at its nth sending, before or after the chain has the transaction. */
let kill: { readonly at: number; readonly when: 'before' | 'after' } | undefined
let running: RunningCli | undefined

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  stage = await openLimitsStage(chain)
  untouched = await stage.permissions.snapshot()
  project = await createProject({})
  permits = true
  stage.node.lie = (method, [call]) =>
    !permits && method === 'eth_call' && JSON.stringify(call).includes('"0x3644e515"')
      ? { result: `0x${'00'.repeat(32)}` }
      : undefined
  stage.node.cut = method => {
    if (method !== 'eth_sendRawTransaction' || kill === undefined) return undefined
    if (stage.node.counts.get(method) !== kill.at) return undefined
    running?.signal('SIGKILL')
    return kill.when
  }
})

afterEach(async () => {
  await project.clear()
  await stage.permissions.restore(untouched)
  await stage.close()
})

function farebox(words: readonly string[]): RunningCli {
  const where = ['--network', 'eip155:84532', '--rpc-url', stage.node.url, '--yes']
  running = project.run(['limits', ...words, ...where], { FAREBOX_PRIVATE_KEY: OWNER_KEY })
  return running
}

/** Runs a command that is killed before it ends. */
async function killed(words: readonly string[], at: number, when: 'before' | 'after'): Promise<void> {
  stage.node.counts.clear()
  kill = { at, when }
  const before = await stage.transactions()
  expect((await farebox(words).ended).code).toBeNull()
  // The node forwards the transaction after the command has ended.
  await expect.poll(() => stage.transactions()).toBe(before + (when === 'after' ? at : at - 1))
  kill = undefined
}

/** No spend can exceed the wanted amount, whatever the approval is meanwhile. */
async function spendable(): Promise<bigint> {
  return await stage.permissions.available(BUY)
}

async function expectApproval(amount: bigint): Promise<void> {
  const { allowanceOf, totalLeft } = stage.permissions
  expect([await allowanceOf(OWNER), await totalLeft(OWNER)]).toEqual([amount, amount])
}

const ways = [
  ['the one transaction is sent', true, 1, 'before'],
  ['the one transaction has arrived', true, 1, 'after'],
  ['the first of two is sent', false, 1, 'before'],
  ['the first of two has arrived', false, 1, 'after'],
  ['the second of two is sent', false, 2, 'before'],
  ['the second of two has arrived', false, 2, 'after'],
] as const

test.each(ways)(
  'allow that is killed -9 when %s is finished by the same command',
  async (_, takes, at, when) => {
    permits = takes
    await killed(allowWords(stage.agent.url), at, when)
    expect([0n, 1_000_000n]).toContain(await spendable())
    const { code, err } = await farebox(allowWords(stage.agent.url)).ended
    expect([code, err]).toEqual([0, expect.stringContaining('✓ permission')])
    await expectApproval(10_000_000n)
    expect(await spendable()).toBe(1_000_000n)
  },
)

test.each(ways)(
  'revoke that is killed -9 when %s is finished by the same command',
  async (_, takes, at, when) => {
    await stage.allow()
    permits = takes
    await killed(['revoke', '7', 'buy'], at, when)
    // A completed revocation is never undone by a later step that is missing.
    if (when === 'after' || at === 2) expect(await spendable()).toBe(0n)
    expect((await farebox(['revoke', '7', 'buy']).ended).code).toBe(0)
    await expectApproval(0n)
    expect(await spendable()).toBe(0n)
  },
)

test('an approval of earlier permissions is never used for an unfinished one', async () => {
  await stage.limits(['allow', stage.agent.url, 'sell', ...allowWords(stage.agent.url).slice(3)])
  permits = false
  await killed(allowWords(stage.agent.url), 2, 'before')
  expect(await spendable()).toBe(0n)
  const { allowanceOf, totalLeft } = stage.permissions
  expect([await allowanceOf(OWNER), await totalLeft(OWNER)]).toEqual([20_000_000n, 10_000_000n])
})
