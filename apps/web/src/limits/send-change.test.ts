import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { findNetwork } from '@farebox/payments/networks'
import type { SpendPermissionView, WalletLimits } from '@farebox/platform-api/limits/wallet-limits'
import type { Platform } from '@farebox/platform-api/registry'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Wallet } from '../wallet/wallet.ts'
import { planExact, planRevoke, planSet, planZero, type LimitChange } from './plan-change.ts'
import { explainLimitChange, sendChange } from './send-change.ts'

const OWNER = `0x${'11'.repeat(20)}`
const SPENDER = `0x${'22'.repeat(20)}`
const SHOP = `0x${'77'.repeat(20)}`
const TOKEN = findNetwork('eip155:84532')?.asset.address ?? ''
const ENDLESS = 2n ** 256n - 1n
const END = 2_000_000_000
const TERMS = { limit: 1_000_000n, cap: 10_000_000n, expiry: BigInt(END) }
const BUY = { agentId: 7, capability: 'buy', spender: SPENDER }
const PLATFORM = {
  network: 'eip155:84532',
  chain_id: 84_532,
  network_name: 'Base Sepolia',
  local_mode: true,
} as Platform
const OTHERWISE = 'What is recorded on-chain does not match this page. Reload the page'
const UNKNOWN = 'The platform specified a chain that this site does not recognize.'

/** The answers of the simulated chain of the wallet. */
let chain: {
  id: number
  totalLeft: bigint
  allowance: bigint
  /** limit, cap, spent, expiry, nonce, isListed */
  status: readonly bigint[]
  recipients: readonly string[]
}
/** The transactions that were sent, and the names of the chains that the wallet was switched to. */
let sent: { readonly to: string; readonly data: string }[]
let names: string[]

beforeEach(() => {
  const status = [1_000_000n, 10_000_000n, 4_000_000n, BigInt(END), 1n, 0n]
  chain = { id: 84_532, totalLeft: 6_000_000n, allowance: 6_000_000n, status, recipients: [] }
  sent = []
  names = []
})

function permissionOf(changes: Partial<SpendPermissionView> = {}): SpendPermissionView {
  return {
    id: `0x${'44'.repeat(32)}`,
    spender: SPENDER,
    token: TOKEN,
    scope: `0x${'55'.repeat(32)}`,
    agent_id: '7',
    agent_name: 'Shopper',
    capability: 'buy',
    recipients: [],
    state: 'active' as const,
    limit: '1000000',
    cap: '10000000',
    spent: '4000000',
    left: '6000000',
    expires_at: END,
    nonce: 1,
    set_at: 1,
    set_transaction: `0x${'66'.repeat(32)}`,
    revoked_at: null,
    ...changes,
  }
}

function limitsOf(changes: Partial<WalletLimits> = {}): WalletLimits {
  return {
    address: OWNER,
    contract: SPEND_PERMISSIONS_ADDRESS.toLowerCase(),
    permit: null,
    token: { symbol: 'USDC', address: TOKEN, decimals: 6 },
    block_number: 9,
    block_time: 1_000,
    balance: '100000000',
    allowance: '6000000',
    total_left: '6000000',
    permissions: [permissionOf()],
    ...changes,
  }
}

const answer = (...words: readonly bigint[]): string =>
  `0x${words.map(word => word.toString(16).padStart(64, '0')).join('')}`

function ask(method: string, [call]: readonly unknown[]): unknown {
  if (method === 'eth_chainId') return `0x${chain.id.toString(16)}`
  if (method === 'eth_getTransactionReceipt') return { blockNumber: '0x1', status: '0x1' }
  const { data } = call as { readonly data: string }
  switch (data.slice(0, 10)) {
    case '0x44d13184':
      return answer(chain.totalLeft)
    case '0xdd62ed3e':
      return answer(chain.allowance)
    case '0xc7df14e2':
      return answer(...chain.status)
    case '0x1e4c9d09':
      return answer(chain.recipients.includes(`0x${data.slice(-40)}`) ? 1n : 0n)
    default:
      return '0x'
  }
}

const wallet = {
  kind: 'browser',
  name: 'Example Wallet',
  address: OWNER,
  useChain({ name }: { readonly name: string }) {
    names.push(name)
    return Promise.resolve()
  },
  sendTransaction(transaction: { readonly to: string; readonly data: string }) {
    sent.push(transaction)
    return Promise.resolve(`0x${'ab'.repeat(32)}`)
  },
  readChain: (method: string, params: readonly unknown[]) => Promise.resolve(ask(method, params)),
} as unknown as Wallet

async function send(change: LimitChange, changes: { limits?: WalletLimits; platform?: Platform } = {}) {
  const { limits = limitsOf(), platform = PLATFORM } = changes
  await sendChange({ wallet, platform, limits, report: () => undefined }, change)
}

/** The approvals that were sent, in atomic units. */
const approvals = () =>
  sent.filter(({ to }) => to === TOKEN).map(({ data }) => BigInt(`0x${data.slice(-64)}`))

describe('PERM-04 a change is checked against the wallet’s chain before it is sent', () => {
  test('sends a change when the chain has the state that the page shows', async () => {
    const limits = limitsOf()
    await send(planSet(limits, BUY, { ...TERMS, cap: 20_000_000n }))
    expect(approvals()).toEqual([16_000_000n])
    expect(sent).toHaveLength(2)
  })

  test('sets a new permission when the chain has none', async () => {
    chain = { ...chain, totalLeft: 0n, allowance: 0n, status: [0n, 0n, 0n, 0n, 0n, 0n] }
    const limits = limitsOf({ allowance: '0', total_left: '0', permissions: [] })
    await send(planSet(limits, BUY, TERMS), { limits })
    expect(approvals()).toEqual([10_000_000n])
  })

  test.each([
    ['all that is left', { total_left: (ENDLESS - 10_000_000n).toString() }],
    ['all that is left, as less', { total_left: '5999999' }],
    ['the approval', { allowance: '0' }],
    ['that nothing is permitted', { permissions: [] }],
    ['what was spent', { permissions: [permissionOf({ spent: '0' })] }],
    ['what one has left', { permissions: [permissionOf({ left: '0', state: 'used-up' })] }],
    ['that it was revoked', { permissions: [permissionOf({ left: '0', state: 'revoked' })] }],
    ['the most each time', { permissions: [permissionOf({ limit: '999999' })] }],
    ['its end', { permissions: [permissionOf({ expires_at: END + 1 })] }],
    ['how often it was set', { permissions: [permissionOf({ nonce: 2 })] }],
    ['that it has recipients', { permissions: [permissionOf({ recipients: [SHOP] })] }],
  ])('sends nothing when the page is wrong about %s', async (_, changes) => {
    const limits = limitsOf(changes)
    await expect(send(planSet(limits, BUY, TERMS), { limits })).rejects.toThrow(OTHERWISE)
    expect(sent).toEqual([])
  })

  test('uses the recipients of the contract', async () => {
    chain = { ...chain, status: chain.status.with(5, 1n), recipients: [SHOP] }
    const known = limitsOf({ permissions: [permissionOf({ recipients: [SHOP] })] })
    await send(planSet(known, BUY, TERMS), { limits: known })
    const other = limitsOf({ permissions: [permissionOf({ recipients: [SHOP, OWNER] })] })
    await expect(send(planSet(other, BUY, TERMS), { limits: other })).rejects.toThrow(OTHERWISE)
  })

  test('makes an exact approval no larger than the amount left on the chain', async () => {
    const limits = limitsOf({ total_left: ENDLESS.toString(), permit: null })
    await send(planExact(limits), { limits })
    expect(approvals()).toEqual([])
    chain.allowance = ENDLESS
    await send(planExact(limits), { limits })
    expect(approvals()).toEqual([6_000_000n])
  })

  test('revokes a permission while its agent is spending, and approves the amount that the others have left', async () => {
    const limits = limitsOf({ total_left: '9000000', allowance: '9000000' })
    chain = { ...chain, totalLeft: 8_000_000n, allowance: 8_000_000n }
    chain.status = chain.status.with(2, 5_000_000n)
    await send(planRevoke(limits, permissionOf()), { limits })
    expect(approvals()).toEqual([3_000_000n])
    expect(sent).toHaveLength(2)
  })

  test('does not send a revocation when the chain has another nonce, or more left than the page shows', async () => {
    chain.status = chain.status.with(4, 2n)
    await expect(send(planRevoke(limitsOf(), permissionOf()))).rejects.toThrow(OTHERWISE)
    chain.status = chain.status.with(4, 1n)
    chain.totalLeft = 6_000_001n
    await expect(send(planRevoke(limitsOf(), permissionOf()))).rejects.toThrow(OTHERWISE)
    expect(sent).toEqual([])
  })

  test('sets an approval of any other spender to zero, whatever the page shows', async () => {
    chain.totalLeft = 1n
    await send(planZero(limitsOf(), SHOP))
    expect(approvals()).toEqual([0n])
  })

  test('explains an error in a sentence', async () => {
    chain.allowance = 0n
    const error: unknown = await send(planSet(limitsOf(), BUY, TERMS)).catch((thrown: unknown) => thrown)
    expect(explainLimitChange(error)).toBe(`${OTHERWISE} and check what it shows. Nothing was sent.`)
  })
})

describe('the chain that a wallet signs for', () => {
  test('has its name from the table of this site, not from the platform', async () => {
    const base = findNetwork('eip155:8453')
    const token = { symbol: 'USDC', address: base?.asset.address ?? '', decimals: 6 }
    const limits = limitsOf({ token })
    const platform = { ...PLATFORM, network: 'eip155:8453', chain_id: 8_453, local_mode: false }
    chain.id = 8_453
    await send(planExact(limits), { limits, platform })
    expect(names).toEqual(['Base'])
  })

  test.each([
    ['a chain id that is not its network’s', { chain_id: 8_453 }, UNKNOWN],
    ['a network that is in no table', { network: 'eip155:5' }, UNKNOWN],
    [
      'a public chain that it calls local',
      { network: 'eip155:8453', chain_id: 8_453 },
      'Base is set as a local chain on this platform, but it is not a local chain.',
    ],
  ])('is refused if the platform names %s', async (_, changes, message) => {
    const sending = send(planExact(limitsOf()), { platform: { ...PLATFORM, ...changes } })
    await expect(sending).rejects.toThrow(message)
    expect([sent, names]).toEqual([[], []])
  })

  test('is refused if the wallet is on another chain', async () => {
    chain.id = 8_453
    await expect(send(planExact(limitsOf()))).rejects.toThrow(
      'The network named Base Sepolia in Example Wallet does not have the SpendPermissions contract.',
    )
    expect(sent).toEqual([])
  })
})
