import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { encodeSpendOf, idOf, permissionOf } from '@farebox/local/src/testing/permission-stage'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AGENT_ID, allowWords, openLimitsStage, type LimitsStage } from './limits-stage.test-setup.ts'

const OWNER = TEST_KEYS.payer.address
const SPENDER = TEST_KEYS.agent.address
const OTHER_SPENDER = TEST_KEYS.secondAgent.address
const SHOP = TEST_KEYS.thirdAgent.address
const BUY = permissionOf({ agentId: BigInt(AGENT_ID), capability: 'buy' })
const SELL = permissionOf({ agentId: BigInt(AGENT_ID), capability: 'sell' })
const ENDLESS = 2n ** 256n - 1n

let chain: LocalChain
let stage: LimitsStage
let untouched: string

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  stage = await openLimitsStage(chain)
  untouched = await stage.permissions.snapshot()
})

afterEach(async () => {
  await stage.permissions.restore(untouched)
  await stage.close()
})

async function expectApproval(amount: bigint): Promise<void> {
  const { allowanceOf, totalLeft } = stage.permissions
  expect([await allowanceOf(OWNER), await totalLeft(OWNER)]).toEqual([amount, amount])
}

/** `buy` and `sell` of agent 7, until 2027-01-31. */
async function allowBoth(): Promise<void> {
  await stage.allow('--until', '2027-01-31')
  const [, , , ...terms] = allowWords(stage.agent.url, '--limit=0.5', '--cap=2', '--until', '2027-02-28')
  await stage.limits(['allow', stage.agent.url, 'sell', ...terms, '--to', SHOP])
}

/** A node without logs from the beginning, as public ones are. */
function forgetLogs(): void {
  stage.node.lie = method =>
    method === 'eth_getLogs' ? { error: { code: -32_602, message: 'block range is too wide' } } : undefined
}

const ALLOWED = `   agent  capability  each time  in all  spent  left  until
1      7  buy              1.00   10.00   0.75  9.25  2027-01-31 00:00 UTC
   spender ${SPENDER}
   to      anybody
2      7  sell             0.50    2.00   0.00  2.00  2027-02-28 00:00 UTC
   spender ${SPENDER}
   to      ${SHOP}
`

describe('farebox limits list', () => {
  test('says that nothing is permitted, and how to set a permission', async () => {
    const { code, out, err } = await stage.limits(['list'])
    expect(out).toBe('no agent has a permission\n')
    expect(err).toContain(`  ${OWNER}  FAREBOX_PRIVATE_KEY\n  on local chain (eip155:84532)\n`)
    expect(err).toContain('farebox limits allow <agent> <capability> --limit 1.00')
    expect(err).toContain('✓ approval  0.00 USDC, exactly what is left\n')
    expect(code).toBe(0)
  })

  test('shows each permission with its limit, the spent and remaining amounts, and its end', async () => {
    await allowBoth()
    await stage.permissions.spend(BUY, { amount: 750_000n })
    const { out, err } = await stage.limits(['list'])
    expect(out).toBe(ALLOWED)
    expect(err).toContain('✓ approval  11.25 USDC, exactly what is left\n')
  })

  test('shows permissions set from this machine in the same way when the node keeps no old logs', async () => {
    await allowBoth()
    await stage.permissions.spend(BUY, { amount: 750_000n })
    forgetLogs()
    expect((await stage.limits(['list'])).out).toBe(ALLOWED)
  })

  test('reports permissions whose names this node does not provide', async () => {
    await stage.permissions.set(SELL)
    forgetLogs()
    const { out, err } = await stage.limits(['list'])
    expect(out).not.toContain('nothing is allowed')
    expect(err).toContain('! one more permission is set, and this node cannot show for which agents\n')
    expect(err).toContain('! approval  0.00 USDC, less than the 5.00 that are left')
  })

  test('marks permissions that are revoked, used up or expired', async () => {
    await allowBoth()
    await stage.limits(['revoke', '7', 'buy', '--yes'])
    for (let spend = 0; spend < 4; spend += 1) await stage.permissions.spend(SELL, { amount: 500_000n })
    expect((await stage.limits(['list'])).out)
      .toBe(`   agent  capability  each time  in all  spent  left  until
1      7  buy                 –       –   0.00  0.00  revoked
   spender ${SPENDER}
2      7  sell             0.50    2.00   2.00  0.00  2027-02-28 00:00 UTC, used up
   spender ${SPENDER}
   to      ${SHOP}
`)
    await stage.permissions.jumpTo(BigInt(Date.UTC(2027, 2, 1) / 1_000))
    expect((await stage.limits(['list'])).out).toContain('2.00  0.00  2027-02-28 00:00 UTC, expired\n')
  })

  test('PERM-04 warns of an unlimited approval, and the suggested command corrects it', async () => {
    await allowBoth()
    await stage.permissions.approve(OWNER, ENDLESS)
    const { err } = await stage.limits(['list'])
    expect(err).toContain('! approval  endless, more than the 12.00 that are left: nobody needs it\n')
    expect(err).toContain('    farebox limits approve makes it 12.00 USDC\n')
    const corrected = await stage.limits(['approve', '--yes'])
    expect(corrected.err).toContain(
      'approval  endless → 12.00 USDC, exactly what is left of all permissions\n',
    )
    expect(corrected.out).toBe('✓ the approval is 12.00 USDC\n')
    await expectApproval(12_000_000n)
    const before = await stage.transactions()
    const again = await stage.limits(['approve'])
    expect([again.code, again.out]).toEqual([
      0,
      '✓ the approval is 12.00 USDC, exactly what is left of all permissions\n',
    ])
    expect(await stage.transactions()).toBe(before)
  })

  test('PERM-04 warns of an approval that is too large since a permission expired', async () => {
    await allowBoth()
    await stage.permissions.jumpTo(BigInt(Date.UTC(2027, 1, 1) / 1_000))
    const { err } = await stage.limits(['list'])
    expect(err).toContain('! approval  12.00 USDC, more than the 2.00 that are left: nobody needs it\n')
    await stage.limits(['approve', '--yes'])
    await expectApproval(2_000_000n)
  })

  test('--json has every figure', async () => {
    await allowBoth()
    await stage.permissions.spend(BUY, { amount: 750_000n })
    await stage.limits(['revoke', '2', '--yes'])
    const { out } = await stage.limits(['list', '--json'])
    const same = { agent_id: 7, spender: SPENDER.toLowerCase(), token: chain.usdc.toLowerCase() }
    expect(JSON.parse(out)).toEqual({
      ok: true,
      owner: OWNER.toLowerCase(),
      network: 'eip155:84532',
      permissions: [
        {
          ...same,
          number: 1,
          state: 'allowed',
          id: idOf(BUY),
          capability: 'buy',
          recipients: [],
          limit: '1',
          cap: '10',
          spent: '0.75',
          left: '9.25',
          expires_at: Date.UTC(2027, 0, 31) / 1_000,
        },
        {
          ...same,
          number: 2,
          state: 'revoked',
          id: idOf(SELL),
          capability: 'sell',
          recipients: [SHOP.toLowerCase()],
          limit: '0',
          cap: '0',
          spent: '0',
          left: '0',
          expires_at: 0,
        },
      ],
      unnamed_ids: [],
      approval: '9.25',
      total_left: '9.25',
    })
  })
})

describe('farebox limits revoke', () => {
  test('PERM-03 ends a permission in one transaction, and reduces the approval to what the others have left', async () => {
    await allowBoth()
    await stage.permissions.spend(BUY, { amount: 750_000n })
    const before = await stage.transactions()
    const { code, out, err, questions } = await stage.limits(['revoke', '7', 'buy'], { answers: [true] })
    expect(err).toContain('buy   agent 7\n')
    expect(err).toContain('in all    10.00 USDC at most, 0.75 spent, 9.25 left\n')
    expect(err).toContain('revoke  the permission above\n')
    expect(err).toContain('permit  the approval of all your permissions, 11.25 → 2.00 USDC\n')
    expect(questions).toEqual(['Revoke it? buy can then move nothing more.'])
    expect(out).toBe('✓ buy of agent 7 can move nothing of yours any more\n')
    expect(code).toBe(0)
    expect(await stage.permissions.refusalOf(SPENDER, encodeSpendOf(BUY))).toEqual(['NotPermitted'])
    await expectApproval(2_000_000n)
    expect(await stage.transactions()).toBe(before + 1)
  })

  test('accepts the number in the list', async () => {
    await allowBoth()
    const { out } = await stage.limits(['revoke', '2', '--yes'])
    expect(out).toBe('✓ sell of agent 7 can move nothing of yours any more\n')
    await expectApproval(10_000_000n)
  })

  test('changes nothing when it is repeated', async () => {
    await allowBoth()
    await stage.limits(['revoke', '7', 'buy', '--yes'])
    const before = await stage.transactions()
    const { code, out } = await stage.limits(['revoke', '7', 'buy', '--yes'])
    expect([code, out]).toEqual([0, '✓ buy of agent 7 is revoked already\n'])
    expect(await stage.transactions()).toBe(before)
  })

  test('revokes nothing when the person refuses, or no person can be asked', async () => {
    await allowBoth()
    expect((await stage.limits(['revoke', '7', 'buy'], { answers: [false] })).err).toContain(
      '✗ not revoked\n',
    )
    expect((await stage.limits(['revoke', '7', 'buy'])).code).toBe(2)
    await expectApproval(12_000_000n)
  })

  test('names the permissions when several spenders have the same capability', async () => {
    await stage.allow()
    await stage.allow(`--spender=${OTHER_SPENDER}`)
    const { code, err } = await stage.limits(['revoke', '7', 'buy', '--yes'])
    expect(err).toContain(
      '✗ <capability>: buy is allowed to 2 spenders\n' +
        `  farebox limits revoke 1 ends that of ${SPENDER.toLowerCase()}\n` +
        `  farebox limits revoke 2 ends that of ${OTHER_SPENDER.toLowerCase()}\n`,
    )
    expect(code).toBe(2)
    await stage.limits(['revoke', '7', 'buy', '--spender', OTHER_SPENDER, '--yes'])
    await expectApproval(10_000_000n)
  })

  test('ends a permission that was never set, by its spender, because a signature for it may exist', async () => {
    const words = ['revoke', '7', 'buy', '--spender', SPENDER, '--yes']
    expect((await stage.limits(words)).code).toBe(0)
    expect((await stage.permissions.statusOf(BUY)).nonce).toBe(1n)
  })

  test.each([
    [['revoke', '9', 'buy'], 1, '✗ nothing is allowed to buy of agent 9 by '],
    [['revoke', '4'], 1, '✗ there is no permission 4 by '],
    [['revoke', 'https://agent.example'], 2, '✗ <capability>: is missing\n'],
    [['revoke', 'agent', 'buy'], 2, '✗ <agent>: must be like "https://agent.example", got "agent"\n'],
  ] as const)('%j is refused with the reason', async (words, exitCode, message) => {
    const { code, err } = await stage.limits([...words, '--yes'])
    expect(err).toContain(message)
    expect(code).toBe(exitCode)
  })
})
