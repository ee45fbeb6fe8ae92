import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { encodeSpendOf, idOf, permissionOf } from '@farebox/local/src/testing/permission-stage'
import { namesSpender } from '@farebox/payments/src/test-setup/names-spender'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AGENT_ID, openLimitsStage, type LimitsStage } from './limits-stage.test-setup.ts'

const OWNER = TEST_KEYS.payer.address
const SPENDER = TEST_KEYS.agent.address
const SHOP = TEST_KEYS.thirdAgent.address
const BUY = permissionOf({ agentId: BigInt(AGENT_ID), capability: 'buy' })
const ENDLESS = 2n ** 256n - 1n

let chain: LocalChain
let stage: LimitsStage
let untouched: string
let before: number

beforeAll(async () => {
  chain = await startChain()
})

afterAll(() => chain.stop())

beforeEach(async () => {
  stage = await openLimitsStage(chain)
  untouched = await stage.permissions.snapshot()
  before = await stage.transactions()
})

afterEach(async () => {
  await stage.permissions.restore(untouched)
  await stage.close()
})

/** The number of transactions that the owner sent since the test began. */
async function sent(): Promise<number> {
  return (await stage.transactions()) - before
}

/** Expects the approval and the total left of all permissions to equal this amount. */
async function expectApproval(amount: bigint): Promise<void> {
  const { allowanceOf, totalLeft } = stage.permissions
  expect([await allowanceOf(OWNER), await totalLeft(OWNER)]).toEqual([amount, amount])
}

/** A token whose permits are invalid here: its domain differs. */
function takeAwayPermits(): void {
  stage.node.lie = (method, [call]) =>
    method === 'eth_call' && JSON.stringify(call).includes('"0x3644e515"')
      ? { result: `0x${'00'.repeat(32)}` }
      : undefined
}

describe('farebox limits allow', () => {
  test('shows the agent’s text and what will be signed, asks, and sets the permission in one transaction', async () => {
    const words = ['--limit', '1', '--cap', '10', '--until', '2027-01-31', '--spender', SPENDER]
    const { code, out, err, questions } = await stage.limits(
      ['allow', stage.agent.url, 'buy', '--agent-id', '7', ...words],
      { answers: [true] },
    )
    expect(err).toContain(`Shopper · buy   agent 7 at ${stage.agent.url}\n`)
    for (const line of [
      'reason    Pays the shop for what you order.',
      'token     USDC 0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      '          on ',
      'declared  up to 5.00 USDC each time',
      'each time 1.00 USDC at most',
      'in all    10.00 USDC at most',
      'until     2027-01-31 00:00 UTC',
      `spender   ${SPENDER}`,
      'to        anybody',
      `from      ${OWNER}  FAREBOX_PRIVATE_KEY`,
      'sends     one transaction, to SpendPermissions\n',
      '          set     the permission above',
      '          permit  the approval of all your permissions, 0.00 → 10.00 USDC',
      'contract  SpendPermissions, unaudited\n',
      '          0xb1157321b5f2e932c5d30D722172E03aA21A49d7\n',
      'gas       up to 0.',
    ]) {
      expect(err).toContain(`\n  ${line}`)
    }
    expect(questions).toEqual(['Allow buy to move up to 10.00 USDC of yours?'])
    expect(err).toMatch(/✓ permission and approval {2}0x[0-9a-f]{64} in block \d+\n$/)
    expect(out).toBe(
      '✓ buy may move up to 1.00 USDC each time, 10.00 in all, until 2027-01-31 00:00 UTC\n' +
        '  farebox limits list shows what it spends\n' +
        '  farebox limits revoke 7 buy ends it at once\n',
    )
    expect(code).toBe(0)
    expect(await stage.permissions.statusOf(BUY)).toMatchObject({
      limit: 1_000_000n,
      cap: 10_000_000n,
      spent: 0n,
      expiry: BigInt(Date.UTC(2027, 0, 31) / 1_000),
      isListed: false,
    })
    await expectApproval(10_000_000n)
    expect(await sent()).toBe(1)
  })

  describe('without --spender', () => {
    const ASKED = ['--agent-id', '7', '--limit', '1', '--cap', '10', '--yes']

    /** The agent's answer to a request for the price. */
    function answers(response: () => Response): void {
      const { lie } = stage.agent
      stage.agent.lie = async (path, answer) => (path === '/execute' ? response() : await lie(path, answer))
    }
    const names = (...entries: readonly object[]): void => answers(() => namesSpender(entries))

    const own = {
      agent_id: '7',
      network: 'eip155:84532',
      contract: SPEND_PERMISSIONS_ADDRESS,
      spender: SPENDER,
    }

    test('permits the account that the agent names, after showing it', async () => {
      names(own)
      const { code, err } = await stage.limits(['allow', stage.agent.url, 'buy', ...ASKED])
      expect(err).toContain(`\n  spender   ${SPENDER}`)
      expect(code).toBe(0)
      expect(await stage.permissions.statusOf(BUY)).toMatchObject({ limit: 1_000_000n })
    })

    test.each([
      ['is another agent', { ...own, agent_id: '8' }, 'spends as agent 8, not as agent 7'],
      ['spends on another chain', { ...own, network: 'eip155:8453' }, 'eip155:8453, not on eip155:84532'],
      ['spends by another contract', { ...own, contract: SHOP }, 'through another contract'],
      ['names the zero address', { ...own, spender: `0x${'00'.repeat(20)}` }, 'in a usable way'],
      ['answers with something else', { hello: 1 }, 'in a usable way'],
    ])('an agent that %s is refused, and nothing is sent', async (_, entry, reason) => {
      names(entry)
      const { code, err } = await stage.limits(['allow', stage.agent.url, 'buy', ...ASKED])
      expect(err).toContain(reason)
      expect(code).toBe(1)
      expect(await sent()).toBe(0)
    })

    test('an agent that does not answer gets another message than one that names no account', async () => {
      answers(() => Response.json({ error: 'no' }, { status: 500 }))
      const { err } = await stage.limits(['allow', stage.agent.url, 'buy', ...ASKED])
      expect(err).toContain('does not say what buy costs (HTTP 500)')
      expect(err).toContain('--spender 0x…')
    })

    test('an agent that names none is refused, and nothing is sent', async () => {
      answers(() => namesSpender(undefined))
      const { code, err } = await stage.limits(['allow', stage.agent.url, 'buy', ...ASKED])
      expect(err).toContain('the agent names no account that it spends from')
      expect(err).toContain('--spender 0x…')
      expect(code).toBe(1)
      expect(await sent()).toBe(0)
    })

    test('lets --spender override the account that the agent names', async () => {
      names({ ...own, spender: SHOP })
      const { code } = await stage.limits(['allow', stage.agent.url, 'buy', ...ASKED, '--spender', SPENDER])
      expect(code).toBe(0)
      expect(await stage.permissions.statusOf(BUY)).toMatchObject({ limit: 1_000_000n })
    })
  })

  test('the agent can then spend that much each time, and no more', async () => {
    await stage.allow()
    await stage.permissions.spend(BUY, { amount: 1_000_000n })
    const refusal = await stage.permissions.refusalOf(SPENDER, encodeSpendOf(BUY, { amount: 1_000_001n }))
    expect(refusal).toEqual(['AboveLimit', 1_000_001n, 1_000_000n])
    await expectApproval(9_000_000n)
  })

  test.each([
    [
      '--limit',
      '5.00',
      '--limit: must be lower than the 5.00 USDC that buy declares as its maximum, got 5.00',
    ],
    ['--limit', '0', '--limit: must be more than zero'],
    ['--limit', '-1', '--limit: must be a decimal like "0.01", got "-1"'],
    ['--limit', '1,00', '--limit: must be a decimal like "0.01", got "1,00"'],
    ['--limit', '0.0000001', '--limit: must have at most 6 decimals, USDC has no more, got "0.0000001"'],
    ['--cap', '0.999999', '--cap: must be at least --limit, 0.999999 is less than 1.00'],
    ['--cap', '400000000000000000000', '--cap: is more than the contract can keep'],
    ['--until', '2026-01-31', '--until: must be in the future, got 2026-01-31 00:00 UTC'],
    ['--until', '2027-02-30', '--until: must be a time from now or a date, got "2027-02-30"'],
    ['--until', 'tomorrow', '--until: must be a time from now or a date, got "tomorrow"'],
    ['--until', '9999d', '--until: must be within ten years'],
    ['--spender', '0x15d34aaf54267db7d7c367839aaf71a00a2c6a6', '--spender: '],
    ['--spender', `0x${'00'.repeat(20)}`, '--spender: must not be the zero address'],
    ['--to', 'shop.eth', '--to: '],
  ])('PERM-01 refuses %s %s, and names the option and the reason', async (option, value, message) => {
    const { code, err } = await stage.allow(`${option}=${value}`)
    expect(err).toContain(`✗ ${message}`)
    expect(code).toBe(2)
    expect(await sent()).toBe(0)
  })

  test.each(['--limit', '--cap'])('requires %s and explains it', async option => {
    const all = ['--limit', '1', '--cap', '10', '--spender', SPENDER]
    const at = all.indexOf(option)
    const words = [...all.slice(0, at), ...all.slice(at + 2)]
    const { code, err } = await stage.limits(['allow', stage.agent.url, 'buy', '--agent-id', '7', ...words])
    expect(err).toContain(`✗ ${option}: is missing\n`)
    expect(code).toBe(2)
  })

  test('PERM-06 refuses a capability that declares nothing, and names those that do', async () => {
    const words = ['allow', stage.agent.url, 'count', '--limit', '1', '--cap', '10', '--spender', SPENDER]
    const { code, err } = await stage.limits([...words, '--agent-id', '7', '--yes'])
    expect(err).toContain(
      '✗ Shopper · count does not declare EXECUTE_TRANSACTIONS, so it moves nothing of yours\n  these do: buy, sell, swap\n',
    )
    expect(code).toBe(1)
  })

  test('PERM-05 a token that is not in the table of this network never becomes an address', async () => {
    const words = ['allow', stage.agent.url, 'swap', '--limit', '1', '--cap', '10', '--spender', SPENDER]
    const { code, err } = await stage.limits([...words, '--agent-id', '7', '--yes'])
    expect(err).toContain('✗ Shopper · swap moves DAI, which is not known on ')
    expect(code).toBe(1)
    expect(await sent()).toBe(0)
  })

  test('an unknown capability is reported with the agent’s own message', async () => {
    const { err } = await stage.limits([
      'allow',
      stage.agent.url,
      'buyy',
      '--limit',
      '1',
      '--cap',
      '2',
      '--spender',
      SPENDER,
      '--agent-id',
      '7',
    ])
    expect(err).toContain(
      '✗ Unknown capability "buyy". Available: count, buy, sell, swap\n  did you mean buy?\n',
    )
  })

  test('signs nothing when the person refuses, or no person can be asked', async () => {
    const words = ['allow', stage.agent.url, 'buy', '--limit', '1', '--cap', '10', '--spender', SPENDER]
    const refused = await stage.limits([...words, '--agent-id', '7'], { answers: [false] })
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('✗ not allowed\n  nothing was signed\n'),
    ])
    const alone = await stage.limits([...words, '--agent-id', '7'])
    expect([alone.code, alone.err]).toEqual([
      2,
      expect.stringContaining('add --yes to agree to it; nothing was signed'),
    ])
    expect(await sent()).toBe(0)
  })

  test('PERM-04 sets the approval to what all permissions have left, also when one is changed', async () => {
    await stage.allow()
    const sell = ['allow', stage.agent.url, 'sell', '--limit', '0.5', '--cap', '2', '--spender', SPENDER]
    await stage.limits([...sell, '--agent-id', '7', '--yes'])
    await expectApproval(12_000_000n)
    await stage.permissions.spend(BUY, { amount: 1_000_000n })
    const { err } = await stage.allow('--cap=3')
    expect(err).toContain('in all    3.00 USDC at most, 1.00 spent before, 2.00 left\n')
    expect(err).toContain('permit  the approval of all your permissions, 11.00 → 4.00 USDC\n')
    await expectApproval(4_000_000n)
    expect(await sent()).toBe(3)
  })

  test('a cap that is spent already is refused, with the cap that would permit the same amount again', async () => {
    await stage.allow()
    await stage.permissions.spend(BUY, { amount: 1_000_000n })
    const { code, err } = await stage.allow('--cap=1.00')
    expect(err).toContain(
      '✗ --cap: must be more than the 1.00 USDC that this permission has spent already, got 1.00\n',
    )
    expect(err).toContain('to allow 1.00 more, give --cap 2.00\n')
    expect(code).toBe(2)
  })

  test('PERM-04 replaces an unlimited approval by the exact one', async () => {
    await stage.permissions.approve(OWNER, ENDLESS)
    const { err } = await stage.allow()
    expect(err).toContain('permit  the approval of all your permissions, endless → 10.00 USDC\n')
    await expectApproval(10_000_000n)
  })

  test('increases the approval before the permission when the token has no permits', async () => {
    takeAwayPermits()
    const { err } = await stage.allow()
    expect(err).toContain('sends     two transactions, to SpendPermissions and to the token\n')
    expect(err).toMatch(/approve the approval of all your permissions, 0\.00 → 10\.00 USDC\n +set /)
    expect(err).toMatch(/✓ approval [^✓]*✓ permission /)
    await expectApproval(10_000_000n)
    expect(await sent()).toBe(2)
  })

  test('reduces the approval after the permission when the token has no permits', async () => {
    await stage.allow()
    takeAwayPermits()
    const { err } = await stage.allow('--cap=2')
    expect(err).toMatch(/✓ permission [^✓]*✓ approval /)
    await expectApproval(2_000_000n)
  })

  test('sends an approval when the token ignores the permit', async () => {
    stage.node.lie = (method, [call]) =>
      method === 'eth_call' && JSON.stringify(call).includes('"0x7ecebe00')
        ? { result: `0x${'00'.repeat(31)}63` }
        : undefined
    const { code, err } = await stage.allow()
    expect(err).toMatch(/✓ permission and approval [^✓]*✓ approval /)
    expect(code).toBe(0)
    await expectApproval(10_000_000n)
    expect(await sent()).toBe(2)
  })

  test('recipients are listed once each, and others are refused', async () => {
    await stage.allow('--to', SHOP, '--to', SHOP.toLowerCase())
    expect(await stage.permissions.view('isRecipient', [idOf(BUY), SHOP])).toBe(true)
    const other = await stage.permissions.refusalOf(SPENDER, encodeSpendOf(BUY, { to: OWNER }))
    expect(other).toEqual(['RecipientNotListed', OWNER])
    const many = Array.from({ length: 17 }, (_, index) => [
      '--to',
      `0x${String(index + 10).padStart(40, '1')}`,
    ])
    const { err } = await stage.allow(...many.flat())
    expect(err).toContain('✗ --to: at most 16 recipients can be listed, got 17\n')
  })

  test.each([
    ['its address', (at: LimitsStage) => at.agent.url],
    ['its number', () => '7'],
    ['its page', (at: LimitsStage) => `${at.platformUrl}/agents/7`],
  ])('finds the agent by %s at the platform', async (_, wordOf) => {
    const terms = [
      '--limit',
      '1',
      '--cap',
      '10',
      '--spender',
      SPENDER,
      '--yes',
      '--platform',
      stage.platformUrl,
    ]
    const { code, err } = await stage.limits(['allow', wordOf(stage), 'buy', ...terms])
    expect(err).toContain(`Shopper · buy   agent 7 at ${stage.agent.url}\n`)
    expect(code).toBe(0)
    await expectApproval(10_000_000n)
  })

  test('asks for a number when the platform does not list the address', async () => {
    const terms = ['--limit', '1', '--cap', '10', '--spender', SPENDER, '--platform', stage.platformUrl]
    const { code, err } = await stage.limits(['allow', 'http://localhost:1', 'buy', ...terms])
    expect(err).toContain('lists no agent at http://localhost:1\n')
    expect(err).toContain('give --agent-id 7')
    expect(code).toBe(1)
  })

  test('warns when the wallet holds less than is permitted', async () => {
    const balance = await stage.permissions.balanceOf(OWNER)
    await stage.permissions.token(OWNER, 'transfer', [SHOP, balance - 3_000_000n])
    const { code, err } = await stage.allow()
    expect(err).toContain('! the wallet holds 3.00 USDC: no more than that can be moved\n')
    expect(code).toBe(0)
  })

  test('--json is one document, for a permission as for a refusal', async () => {
    const { out } = await stage.allow('--json', '--until', '2027-01-31')
    expect(JSON.parse(out)).toEqual({
      ok: true,
      permission: {
        id: idOf(BUY),
        agent_id: 7,
        capability: 'buy',
        spender: SPENDER.toLowerCase(),
        token: chain.usdc.toLowerCase(),
        recipients: [],
        limit: '1',
        cap: '10',
        spent: '0',
        left: '10',
        expires_at: Date.UTC(2027, 0, 31) / 1_000,
      },
      approval: '10.00',
      transactions: [expect.stringMatching(/^0x[0-9a-f]{64}$/)],
    })
    const refused = await stage.allow('--json', '--limit=0')
    expect(JSON.parse(refused.out)).toMatchObject({
      ok: false,
      error: { message: '--limit: must be more than zero' },
    })
  })
})
