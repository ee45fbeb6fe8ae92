import type { Platform } from '@farebox/platform-api/registry'
import { expect, test } from 'vitest'
import { WalletProblem, type Wallet, type WalletTransaction } from '../../wallet/wallet.ts'
import { explainDeregister, sendDeregister } from './send-deregister.ts'

const OWNER = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
const OTHER = '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc'
const HASH = `0x${'ab'.repeat(32)}`

const platform = {
  network: 'eip155:84532',
  chain_id: 84_532,
  local_mode: true,
  network_name: 'Base Sepolia',
  registry_address: '0xfa4eb00000000000000000000000000000a6e475',
} as Platform

function walletOf(
  address: string,
  rest: Partial<Wallet> = {},
): { readonly wallet: Wallet; readonly sent: WalletTransaction[] } {
  const sent: WalletTransaction[] = []
  const wallet: Wallet = {
    kind: 'browser',
    name: 'Example Wallet',
    address,
    signMessage: () => Promise.resolve('0x'),
    signTypedData: () => Promise.resolve('0x'),
    useChain: () => Promise.resolve(),
    sendTransaction(transaction) {
      sent.push(transaction)
      return Promise.resolve(HASH)
    },
    ...rest,
  }
  return { wallet, sent }
}

test('asks the owner’s wallet to call deregister(agentId) at the registry, without a value', async () => {
  const { wallet, sent } = walletOf(OWNER)
  expect(await sendDeregister({ agentId: 2, owner: OWNER, wallet, platform })).toBe(HASH)
  expect(sent).toEqual([
    { to: platform.registry_address, value: 0n, data: `0x1a5dbfb4${'2'.padStart(64, '0')}` },
  ])
})

test('does not ask a wallet with another account, and the error names the owner’s account', async () => {
  const { wallet, sent } = walletOf(OTHER)
  const refused = sendDeregister({ agentId: 2, owner: OWNER, wallet, platform })
  await expect(refused).rejects.toThrow('is using 0x9965…A4dc, but the agent belongs to 0x15d3…6A65')
  expect(sent).toEqual([])
})

test('sends with the owner’s account if the wallet has it besides another one', async () => {
  const right = walletOf(OWNER)
  const accounts = {
    take: (address: string) => Promise.resolve(address === OWNER ? right.wallet : undefined),
    choose: () => Promise.resolve(),
    watch: () => () => undefined,
  }
  const { wallet, sent } = walletOf(OTHER, { accounts })
  await sendDeregister({ agentId: 2, owner: OWNER, wallet, platform })
  expect([sent.length, right.sent.length]).toEqual([0, 1])
})

test('explains that nothing was sent after a declined request, and to check the wallet after a failed one', () => {
  expect(explainDeregister(new WalletProblem('declined', 'You declined.'))).toBe(
    'You declined. Nothing was sent.',
  )
  expect(explainDeregister(new WalletProblem('failed', 'It broke.'))).toBe(
    'It broke. Check your wallet to see whether anything was sent.',
  )
})
