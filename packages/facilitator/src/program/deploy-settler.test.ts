import { BATCH_SETTLER_ADDRESS } from '@farebox/contracts/addresses'
import { callAnvil, callAnvilForText } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { deploymentAddress } from '@farebox/server/src/deploy/deployment-address'
import { runDeployCommand } from '@farebox/server/src/deploy/run-deploy-command'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEPLOY_SETTLER } from './deploy-settler.ts'

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

async function deploy(words: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  const before = { ...process.env }
  Object.assign(process.env, {
    FACILITATOR_NETWORK: `eip155:${chain.chainId}`,
    EVM_RPC_URL: chain.rpcUrl,
    DEPLOYER_PRIVATE_KEY: TEST_KEYS.deployer.privateKey,
  })
  let out = ''
  const write = (text: string): void => void (out += text)
  try {
    return {
      code: await runDeployCommand(DEPLOY_SETTLER, words, { out: write, err: write, columns: 80 }),
      out,
    }
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  }
}

test('the address that facilitators check is the one at which the contract is deployed', async () => {
  const address = deploymentAddress(await loadEvmCrypto(), DEPLOY_SETTLER.contract.creationCode)
  expect(address).toBe(BATCH_SETTLER_ADDRESS.toLowerCase())
})

test('farebox-facilitator deploy-settler deploys BatchSettler where facilitators look for it, once', async () => {
  await callAnvil(chain.rpcUrl, 'anvil_setCode', [BATCH_SETTLER_ADDRESS, '0x'])
  const dry = await deploy(['--dry-run'])
  expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/gas +\d+ at up to/) })
  expect(await callAnvilForText(chain.rpcUrl, 'eth_getCode', [BATCH_SETTLER_ADDRESS, 'latest'])).toBe('0x')
  expect(await deploy(['--yes'])).toMatchObject({ code: 0 })
  expect(await callAnvilForText(chain.rpcUrl, 'eth_getCode', [BATCH_SETTLER_ADDRESS, 'latest'])).toBe(
    DEPLOY_SETTLER.contract.runtimeCode,
  )
  expect((await deploy(['--yes'])).code).toBe(0)
})
