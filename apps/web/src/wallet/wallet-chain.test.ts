import { expect, test } from 'vitest'
import { findWalletChain, nameWalletChain } from './wallet-chain.ts'

const BASE = { network: 'eip155:8453', network_name: 'Base Sepolia', chain_id: 8_453, local_mode: false }
const UNKNOWN = /^The platform specified a chain that this site does not recognize/

test('a chain has the number and the name of the site’s own table, whatever a platform calls it', () => {
  expect(findWalletChain(BASE)).toMatchObject({ chainId: 8_453, name: 'Base' })
  expect(nameWalletChain(BASE)).toBe('Base')
})

test.each([84_532, 31_337])('a local chain may have the number %i', chainId => {
  const local = { network: `eip155:${chainId}`, chain_id: chainId, local_mode: true }
  expect(findWalletChain(local).chainId).toBe(chainId)
})

test.each([
  ['has another number than its network', { chain_id: 84_532 }, UNKNOWN],
  ['is in no table', { network: 'eip155:5', chain_id: 5 }, UNKNOWN],
  ['is public and called local', { local_mode: true }, /^Base is set as a local chain on this platform, but/],
])('nothing is signed for a chain that %s', (_, changes, message) => {
  expect(() => findWalletChain({ ...BASE, ...changes })).toThrow(message)
})
