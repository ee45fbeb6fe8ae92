import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { JsonRpcError, type JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createReadCodeSizes, encodeWithCodeSizes, readCodeSizes } from './code-sizes.ts'

const ORDINARY = `0x${'11'.repeat(20)}`
const WITH_CODE = `0x${'22'.repeat(20)}`
/** Returns its call data. */
const ECHO = { address: `0x${'33'.repeat(20)}`, code: '0x365f5f37365ff3' }
/** Reverts with its call data. */
const REVERTS = { address: `0x${'44'.repeat(20)}`, code: '0x365f5f37365ffd' }

let chain: LocalChain
let rpc: JsonRpc
beforeAll(async () => {
  chain = await startChain()
  rpc = createJsonRpc(chain.rpcUrl)
  await callAnvil(chain.rpcUrl, 'anvil_setCode', [WITH_CODE, '0x5b5f56'])
  for (const { address, code } of [ECHO, REVERTS])
    await callAnvil(chain.rpcUrl, 'anvil_setCode', [address, code])
})
afterAll(async () => await chain.stop())

const word = (value: number): string => value.toString(16).padStart(64, '0')

test('code sizes of many accounts are read in one call', async () => {
  expect(await createReadCodeSizes(rpc)([ORDINARY, WITH_CODE, ORDINARY])).toEqual([0, 3, 0])
})

describe('code sizes together with a call', () => {
  const ask = (accounts: readonly string[], to: string, data: string): Promise<unknown> =>
    rpc.call('eth_call', [{ data: encodeWithCodeSizes(accounts, { to, data }) }, 'latest'])

  test.each([1, 2, 32])('are returned for %i accounts, with the result of the contract', async count => {
    const accounts = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? ORDINARY : WITH_CODE))
    const data = `0x${word(7).repeat(count * 15)}`
    const { sizes, answer } = readCodeSizes(await ask(accounts, ECHO.address, data), count)
    expect(sizes).toEqual(accounts.map(account => (account === ORDINARY ? 0 : 3)))
    expect(answer).toBe(data)
  })

  test('fail with the reason of a contract that reverts', async () => {
    const data = `0x${word(9)}`
    const failure = await ask([ORDINARY], REVERTS.address, data).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(JsonRpcError)
    expect(failure).toMatchObject({ details: data })
  })

  test.each(['0x', '0x00', `0x${word(0)}`, null, 7])('are not read from %s', answer => {
    expect(() => readCodeSizes(answer, 2)).toThrow('the node answered no code sizes')
  })
})
