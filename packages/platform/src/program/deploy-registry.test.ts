import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../bin/farebox-platform.js', import.meta.url))
const { privateKey } = TEST_KEYS.deployer

describe('farebox-platform deploy-registry', () => {
  let chain: LocalChain
  beforeAll(async () => {
    chain = await startChain()
  })
  afterAll(() => chain.stop())

  async function run(words: readonly string[], variables: { readonly [name: string]: string } = {}) {
    const environment = {
      PATH: process.env['PATH'],
      PLATFORM_NETWORK: `eip155:${chain.chainId}`,
      EVM_RPC_URL: chain.rpcUrl,
      ...variables,
    }
    const node = [PROGRAM, 'deploy-registry', ...words]
    const child = spawn(process.execPath, node, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err] = [text(child.stdout), text(child.stderr)]
    const [code] = (await once(child, 'exit')) as [number]
    return { code, out: await out, err: await err }
  }

  test('--help lists its options and the variables that it reads', async () => {
    const { code, out } = await run(['--help'], { EVM_RPC_URL: '' })
    expect(code).toBe(0)
    for (const word of ['--dry-run', '--yes', '--json', 'PLATFORM_NETWORK', 'DEPLOYER_PRIVATE_KEY_FILE'])
      expect(out).toContain(word)
  })

  test('a key among its arguments is refused and not repeated', async () => {
    const { code, out, err } = await run([privateKey])
    expect(code).toBe(2)
    expect(err).toContain('a key is read from DEPLOYER_PRIVATE_KEY or its file alone')
    expect(out + err).not.toContain(privateKey.slice(2))
  })

  test('all missing variables are named at once', async () => {
    const { code, err } = await run([], { EVM_RPC_URL: '', PLATFORM_NETWORK: 'base' })
    expect(code).toBe(2)
    expect(err).toMatch(
      /✗ PLATFORM_NETWORK must be one of[^]*✗ EVM_RPC_URL is not set[^]*✗ DEPLOYER_PRIVATE_KEY is/,
    )
  })

  test('an unreachable node is named, exit 1', async () => {
    const variables = { EVM_RPC_URL: 'http://127.0.0.1:9/v2/secretsecret1', DEPLOYER_PRIVATE_KEY: privateKey }
    const { code, out, err } = await run(['--yes'], variables)
    expect(code).toBe(1)
    expect(err).toContain('✗ cannot reach the node at 127.0.0.1:9: connection refused (ECONNREFUSED)')
    expect(out + err).not.toContain('secretsecret1')
  })

  test('without a terminal and without --yes it shows the cost and sends nothing, exit 2', async () => {
    const { code, out, err } = await run([], { DEPLOYER_PRIVATE_KEY: privateKey })
    expect(code).toBe(2)
    expect(out).toMatch(/gas +\d+ at up to/)
    expect(out).not.toMatch(/^ *sent/m)
    expect(err).toContain('give --yes to confirm; nothing was sent')
  })

  test('with --yes it deploys, and prints the settings and the data for verification', async () => {
    const { code, out, err } = await run(['--yes'], { DEPLOYER_PRIVATE_KEY: privateKey })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^AGENT_REGISTRY_ADDRESS=0x[0-9a-fA-F]{40}\nAGENT_REGISTRY_BLOCK=\d+$/m)
    expect(out).toMatch(/compiler +v0\.8\.\d+\+commit\.[0-9a-f]{8}/)
    expect(out).toMatch(/constructor +no arguments/)
    expect(existsSync(/standard JSON input +(\S+)$/m.exec(out)?.[1] ?? '')).toBe(true)
    expect(out).not.toContain(privateKey.slice(2))

    const again = await run(['--json'], { DEPLOYER_PRIVATE_KEY: privateKey })
    expect(JSON.parse(again.out)).toMatchObject({
      ok: true,
      state: 'deployed',
      is_new: false,
      address: /ADDRESS=(\S+)/.exec(out)?.[1],
      block: Number(/BLOCK=(\d+)/.exec(out)?.[1]),
      transaction: /^transaction +(\S+)/m.exec(out)?.[1],
      verification: { contract: 'AgentRegistry.sol:AgentRegistry', constructor_arguments: '0x' },
    })
  })
})
