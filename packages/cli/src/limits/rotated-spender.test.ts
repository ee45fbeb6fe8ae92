import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { permissionOf } from '@farebox/local/src/testing/permission-stage'
import { namesSpender } from '@farebox/payments/src/test-setup/names-spender'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AGENT_ID, openLimitsStage, type LimitsStage } from './limits-stage.test-setup.ts'

const OWNER = TEST_KEYS.payer.address
const FIRST = TEST_KEYS.agent.address
const SECOND = TEST_KEYS.thirdAgent.address
const BUY = { agentId: BigInt(AGENT_ID), capability: 'buy' }

let chain: LocalChain
let stage: LimitsStage
let untouched: string
/** The account that the agent names with its price. */
let named: string

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  stage = await openLimitsStage(chain)
  untouched = await stage.permissions.snapshot()
  named = FIRST
  const { lie } = stage.agent
  const own = {
    agent_id: String(AGENT_ID),
    network: 'eip155:84532',
    contract: SPEND_PERMISSIONS_ADDRESS,
  }
  stage.agent.lie = async (path, answer) =>
    path === '/execute' ? namesSpender([{ ...own, spender: named }]) : await lie(path, answer)
})

afterEach(async () => {
  await stage.permissions.restore(untouched)
  await stage.close()
})

const words = (limit: string, cap: string, ...more: readonly string[]): readonly string[] => [
  'allow',
  stage.agent.url,
  'buy',
  '--agent-id',
  String(AGENT_ID),
  '--limit',
  limit,
  '--cap',
  cap,
  ...more,
]
const statusOf = (spender: `0x${string}`) => stage.permissions.statusOf(permissionOf({ ...BUY, spender }))

describe('an agent that names another spender than it did before', () => {
  beforeEach(async () => {
    expect((await stage.limits(words('4', '40', '--yes'))).code).toBe(0)
    named = SECOND
  })

  test('PERM-04 is not permitted a second time when the person only agreed with --yes', async () => {
    const before = await stage.transactions()
    const { code, err } = await stage.limits(words('1', '1', '--yes'))
    expect(err).toContain(`\n  ! also permitted to ${FIRST}: 40.00 left, revoke: farebox limits revoke 1\n`)
    expect(err).toContain('✗ the agent names another spender than the one that buy is permitted to\n')
    expect(err).toContain('farebox limits revoke 1 ends what was permitted before')
    expect(err).toContain(`--spender ${SECOND} permits this one as well; nothing was signed`)
    expect(code).toBe(2)
    expect(await stage.transactions()).toBe(before)
    expect(await stage.permissions.totalLeft(OWNER)).toBe(40_000_000n)
  })

  test('is refused in the --json document as well', async () => {
    const { out } = await stage.limits(words('1', '1', '--yes', '--json'))
    const message = 'the agent names another spender than the one that buy is permitted to'
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { message } })
  })

  test('is shown to the person before the question', async () => {
    const { code, err, questions } = await stage.limits(words('1', '1'), { answers: [false] })
    expect(err).toMatch(/also permitted to 0x\w{40}: 40\.00 left, revoke: farebox limits revoke 1\n/)
    expect(questions).toHaveLength(1)
    expect(code).toBe(1)
    expect(await statusOf(SECOND)).toMatchObject({ limit: 0n })
  })

  test('is permitted in addition when its account was typed', async () => {
    const { code, err } = await stage.limits(words('1', '1', '--spender', SECOND, '--yes'))
    expect(err).toContain(`! also permitted to ${FIRST}: 40.00 left`)
    expect(code).toBe(0)
    expect(await statusOf(SECOND)).toMatchObject({ limit: 1_000_000n })
  })

  test('is permitted without a warning once the first is revoked', async () => {
    expect((await stage.limits(['revoke', '1', '--yes'])).code).toBe(0)
    const { code, err } = await stage.limits(words('1', '1', '--yes'))
    expect(err).not.toContain('also permitted')
    expect(code).toBe(0)
    expect(await stage.permissions.allowanceOf(OWNER)).toBe(1_000_000n)
  })

  test('a permission of another capability or agent is not counted', async () => {
    const sell = words('1', '1', '--yes').map(word => (word === 'buy' ? 'sell' : word))
    const { code, err } = await stage.limits(sell)
    expect(err).not.toContain('also permitted')
    expect(code).toBe(0)
  })
})

test('does not lead to a warning when the permission of the same account is reduced', async () => {
  await stage.limits(words('4', '40', '--yes'))
  const { code, err } = await stage.limits(words('1', '1', '--yes'))
  expect(err).not.toContain('also permitted')
  expect(code).toBe(0)
  expect(await stage.permissions.totalLeft(OWNER)).toBe(1_000_000n)
})
