import { agentRegistryBytecode, agentRegistryDeployedBytecode } from '@farebox/contracts/agent-registry'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork } from '@farebox/payments/networks'
import { systemClock } from '@farebox/protocol/time/clock'
import { getContractAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DEPLOYER_PROXY } from './deployment-address.ts'
import { signDeployment } from './follow-deployment.ts'
import { DeploymentRefused, planDeployment } from './plan-deployment.ts'
import { runDeployment, type DeploymentRun } from './run-deployment.ts'

const KEY = TEST_KEYS.deployer?.privateKey ?? TEST_KEYS.relayer.privateKey
const CONTRACT = {
  name: 'AgentRegistry',
  creationCode: agentRegistryBytecode,
  runtimeCode: agentRegistryDeployedBytecode,
}

describe('a contract is deployed', () => {
  let chain: LocalChain
  let rpc: JsonRpc
  let crypto: EvmCrypto
  let lines: string[]
  beforeEach(async () => {
    crypto = await loadEvmCrypto()
    chain = await startChain()
    rpc = createJsonRpc(chain.rpcUrl)
    lines = []
  })
  afterEach(async () => {
    await rpc.close()
    await chain.stop()
  })

  function networkOf(id: string) {
    const network = findNetwork(id)
    if (network === undefined) throw new Error(`no network ${id}`)
    return network
  }

  function run(changes: Partial<DeploymentRun> = {}): DeploymentRun {
    return {
      rpc,
      crypto,
      network: networkOf(`eip155:${chain.chainId}`),
      contract: CONTRACT,
      deployerKey: KEY,
      isDryRun: false,
      wait: { clock: systemClock, timeoutMs: 20_000, signal: new AbortController().signal },
      tell: line => lines.push(line),
      confirm: () => Promise.resolve(true),
      ...changes,
    }
  }

  const nonceOf = async (): Promise<number> =>
    Number(await rpc.call('eth_getTransactionCount', [crypto.addressOf(fromHex(KEY)), 'pending']))

  test('a contract is deployed where viem predicts, after its cost was shown; a repeat sends nothing', async () => {
    const result = await runDeployment(run())
    const predicted = getContractAddress({
      opcode: 'CREATE2',
      from: DEPLOYER_PROXY.address,
      salt: `0x${'00'.repeat(32)}`,
      bytecode: agentRegistryBytecode,
    })
    expect(result).toMatchObject({ state: 'deployed', isNew: true, address: predicted })
    expect(await rpc.call('eth_getCode', [predicted, 'latest'])).toBe(agentRegistryDeployedBytecode)
    const told = lines.join('\n')
    expect(told).toMatch(/^AgentRegistry on /)
    expect(told).toMatch(/deployer +0x[0-9a-f]{40} +holds [\d.]+ ETH, nonce 0/)
    expect(told).toMatch(/gas +\d+ at up to [\d.]+ gwei: up to [\d.]+ ETH/)
    expect(told.indexOf('gas ')).toBeLessThan(told.indexOf('sent '))
    expect(told).not.toContain(KEY.slice(2))
    const nonce = await nonceOf()
    expect(await runDeployment(run())).toEqual({ ...result, isNew: false })
    expect(await nonceOf()).toBe(nonce)
  })

  test('is not deployed without confirmation', async () => {
    const refused = runDeployment(run({ confirm: () => Promise.resolve(false) }))
    await expect(refused).rejects.toThrow('not deployed')
    expect(await nonceOf()).toBe(0)
  })

  test('is not deployed by a dry run, which shows address and cost without a key', async () => {
    expect(await runDeployment(run({ isDryRun: true }))).toMatchObject({ state: 'planned' })
    const blind = await runDeployment(run({ isDryRun: true, deployerKey: undefined }))
    expect(blind).toEqual(await runDeployment(run({ isDryRun: true })))
    expect(await nonceOf()).toBe(0)
  })

  test('only once when a run was interrupted after it had sent', async () => {
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [false])
    const interrupted = new AbortController()
    const first = await runDeployment(
      run({
        wait: { clock: systemClock, timeoutMs: 20_000, signal: interrupted.signal },
        tell: line => {
          if (line.includes('sent')) interrupted.abort()
        },
      }),
    )
    expect(first).toMatchObject({ state: 'open' })
    expect(await nonceOf()).toBe(1)
    const second = runDeployment(run())
    await callAnvil(chain.rpcUrl, 'evm_setAutomine', [true])
    await callAnvil(chain.rpcUrl, 'evm_mine', [])
    expect(await second).toMatchObject({
      state: 'deployed',
      isNew: false,
      transaction: Reflect.get(first, 'transaction'),
    })
    expect(await nonceOf()).toBe(1)
  })

  test('is found when another account deployed the same contract first', async () => {
    const result = await runDeployment(
      run({
        // Another account sends the same transaction during the confirmation.
        confirm: async () => {
          const other = TEST_KEYS.payer.privateKey
          const parts = run()
          const planned = await planDeployment(parts, CONTRACT, crypto.addressOf(fromHex(other)))
          await rpc.call('eth_sendRawTransaction', [signDeployment(parts, planned, other).raw])
          return true
        },
      }),
    )
    expect(result).toMatchObject({ state: 'deployed', isNew: false })
  })

  test.each<[string, Partial<DeploymentRun> | (() => Promise<Partial<DeploymentRun>>), RegExp]>([
    [
      'with an account that holds nothing',
      { deployerKey: `0x${'0c'.repeat(32)}` },
      /holds 0 ETH on .*; this takes up to/,
    ],
    [
      'at a node of another chain',
      { network: networkOf('eip155:8453') },
      /^the node is on chain \d+, not on Base \(eip155:8453\)$/,
    ],
    [
      'refuses a chain without the deployer proxy',
      async () => {
        await callAnvil(chain.rpcUrl, 'anvil_setCode', [DEPLOYER_PROXY.address, '0x'])
        return {}
      },
      /has no deterministic deployment proxy at 0x4e59/,
    ],
    [
      'refuses where other code is at the address',
      async () => {
        const at = getContractAddress({
          opcode: 'CREATE2',
          from: DEPLOYER_PROXY.address,
          salt: `0x${'00'.repeat(32)}`,
          bytecode: agentRegistryBytecode,
        })
        await callAnvil(chain.rpcUrl, 'anvil_setCode', [at, '0x6001'])
        return {}
      },
      /holds other code than AgentRegistry/,
    ],
  ])('not %s', async (_, changes, message) => {
    const given = typeof changes === 'function' ? await changes() : changes
    const refused = await runDeployment(run(given)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DeploymentRefused)
    expect((refused as Error).message).toMatch(message)
    expect(await nonceOf()).toBe(0)
  })
})
