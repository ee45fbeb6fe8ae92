import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectWallet } from './browser-wallets.ts'
import type { Wallet } from './wallet.ts'

const ADDRESS = `0x${'a1'.repeat(20)}`
const BASE = { id: 8_453, name: 'Base', rpcUrl: 'https://mainnet.base.org' }
const LOCAL = { id: 84_532, name: 'the local chain' }

interface Wanted {
  /** The delay between the request to switch and the switch; undefined: it never switches. */
  readonly switchesAfterMs?: number
  readonly knows?: readonly number[]
  /** Whether it adds a network without switching to it. */
  readonly addsAlone?: boolean
  readonly isSilent?: boolean
  /** The error with which it refuses to add a network. */
  readonly refusesToAdd?: Error & { readonly code: number }
}

/** A wallet with the interface of EIP-1193, on Ethereum. */
function startWallet(wanted: Wanted): { readonly asked: string[]; readonly open: () => Promise<Wallet> } {
  const asked: string[] = []
  const known = new Set(wanted.knows ?? [8_453, 84_532])
  let chain = 1
  const go = (id: number): void => {
    if (wanted.switchesAfterMs !== undefined) setTimeout(() => (chain = id), wanted.switchesAfterMs)
  }
  const answer = (method: string, params: readonly unknown[]): unknown => {
    const { chainId = '0x0' } = (params[0] ?? {}) as { readonly chainId?: string }
    if (method === 'eth_requestAccounts') return [ADDRESS]
    if (method === 'eth_chainId') return `0x${chain.toString(16)}`
    if (method === 'wallet_addEthereumChain' && wanted.refusesToAdd !== undefined) throw wanted.refusesToAdd
    if (method === 'wallet_addEthereumChain') known.add(Number(chainId))
    else if (!known.has(Number(chainId))) throw Object.assign(new Error('unknown chain'), { code: 4_902 })
    if (method === 'wallet_switchEthereumChain' || wanted.addsAlone !== true) go(Number(chainId))
    return null
  }
  const provider = {
    request: ({ method, params = [] }: { readonly method: string; readonly params?: readonly unknown[] }) => {
      asked.push(method)
      if (wanted.isSilent === true && method === 'eth_chainId') return new Promise<never>(() => undefined)
      return Promise.resolve().then(() => answer(method, params))
    },
  }
  const found = { id: 'io.mocky', name: 'Mocky', icon: undefined, provider }
  return {
    asked,
    async open() {
      const wallet = await connectWallet(found, true)
      if (wallet === undefined) throw new Error('it was not connected')
      return wallet
    },
  }
}

describe('a wallet on another network', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** The outcome after a minute of the fake clock. */
  async function bring(wallet: Wallet, chain: Parameters<Wallet['useChain']>[0]): Promise<unknown> {
    const outcome = wallet.useChain(chain).then(
      () => 'there',
      (error: unknown) => error,
    )
    await vi.advanceTimersByTimeAsync(60_000)
    return await outcome
  }

  test.each([0, 400, 3_000])('is accepted if it switches %i ms after it reports the switch', async ms => {
    const { open } = startWallet({ switchesAfterMs: ms })
    expect(await bring(await open(), LOCAL)).toBe('there')
  })

  test('is named if it never switches, together with the next step', async () => {
    const { open } = startWallet({})
    expect(await bring(await open(), LOCAL)).toMatchObject({
      kind: 'other-chain',
      message: 'Mocky is still on another network. Switch it to the local chain and try again.',
    })
  })

  test.each([true, false])(
    'is asked to add an unknown network (it adds without switching: %s)',
    async addsAlone => {
      const { open, asked } = startWallet({ knows: [], switchesAfterMs: 10, addsAlone })
      expect(await bring(await open(), BASE)).toBe('there')
      expect(asked).toContain('wallet_addEthereumChain')
    },
  )

  test.each([
    ['cannot add one', -32_601, 'Mocky does not recognize this network.'],
    ['has its person decline', 4_001, 'You declined the request in Mocky.'],
  ])('that does not know the network and %s gets an error that says so', async (_, code, message) => {
    const refusesToAdd = Object.assign(new Error('no'), { code })
    const { open } = startWallet({ knows: [], refusesToAdd })
    expect(await bring(await open(), BASE)).toMatchObject({ message })
  })

  test('is not asked to add a network without a known node', async () => {
    const { open, asked } = startWallet({ knows: [] })
    expect(await bring(await open(), LOCAL)).toMatchObject({ kind: 'other-chain' })
    expect(asked).not.toContain('wallet_addEthereumChain')
  })

  test('that never answers which network it is on is not waited for endlessly', async () => {
    const { open } = startWallet({ isSilent: true })
    expect(await bring(await open(), BASE)).toMatchObject({
      kind: 'failed',
      message: 'Mocky is not responding. Open it or reload this page.',
    })
  })
})
