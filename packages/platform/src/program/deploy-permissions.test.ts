import { SPEND_PERMISSIONS_ADDRESS } from '@farebox/contracts/addresses'
import { callAnvil, callAnvilForText } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { deploymentAddress } from '@farebox/server/src/deploy/deployment-address'
import { runDeployCommand } from '@farebox/server/src/deploy/run-deploy-command'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEPLOY_PERMISSIONS } from './deploy-permissions.ts'

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

async function deploy(words: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const before = { ...process.env }
  Object.assign(process.env, {
    PLATFORM_NETWORK: `eip155:${chain.chainId}`,
    EVM_RPC_URL: chain.rpcUrl,
    DEPLOYER_PRIVATE_KEY: TEST_KEYS.deployer.privateKey,
  })
  let out = ''
  const write = (text: string): void => void (out += text)
  try {
    return {
      code: await runDeployCommand(DEPLOY_PERMISSIONS, words, { out: write, err: write, columns: 80 }),
      out,
    }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  }
}

test('the published address of SpendPermissions is its deployment address', async () => {
  const address = deploymentAddress(await loadEvmCrypto(), DEPLOY_PERMISSIONS.contract.creationCode)
  expect(address).toBe(SPEND_PERMISSIONS_ADDRESS.toLowerCase())
})

test('farebox-platform deploy-permissions deploys SpendPermissions at its address, once', async () => {
  await callAnvil(chain.rpcUrl, 'anvil_setCode', [SPEND_PERMISSIONS_ADDRESS, '0x'])
  const dry = await deploy(['--dry-run'])
  expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/gas +\d+ at up to/) })
  expect(await callAnvilForText(chain.rpcUrl, 'eth_getCode', [SPEND_PERMISSIONS_ADDRESS, 'latest'])).toBe(
    '0x',
  )
  expect(await deploy(['--yes'])).toMatchObject({ code: 0 })
  expect(await callAnvilForText(chain.rpcUrl, 'eth_getCode', [SPEND_PERMISSIONS_ADDRESS, 'latest'])).toBe(
    DEPLOY_PERMISSIONS.contract.runtimeCode,
  )
  expect((await deploy(['--yes'])).code).toBe(0)
})
