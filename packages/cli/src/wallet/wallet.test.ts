import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fund } from '@farebox/local/chain/faucet'
import { type LocalChain, startChain } from '@farebox/local/chain/start-chain'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { decryptKey } from '../keys/encrypt-key.ts'
import { readKeystore } from '../keys/keystore.ts'
import { runCli } from '../run-cli.ts'
import { createTestWorld, type TestWorldOptions } from '../testing/test-world.ts'

const PASSWORD = 'correct horse battery'
const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const PAYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-wallet-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function run(
  words: readonly string[],
  options: Partial<TestWorldOptions> = {},
): Promise<{
  readonly code: number
  readonly out: string
  readonly err: string
  readonly questions: readonly string[]
}> {
  const { world, out, err, everything, questions } = createTestWorld({ folder, ...options })
  const code = await runCli(['wallet', ...words], world)
  expect(everything()).not.toContain(PASSWORD)
  expect(everything()).not.toContain(KEY.slice(2))
  return { code, out: out(), err: err(), questions }
}

const withPassword = { variables: { FAREBOX_WALLET_PASSWORD: PASSWORD } }

describe('farebox wallet new', () => {
  test('stores a new key that only its owner can read, and prints its address and the next steps', async () => {
    const { code, out, err } = await run(['new'], withPassword)
    expect(code).toBe(0)
    expect(out).toMatch(/^0x[0-9a-fA-F]{40}\n$/)
    expect(err).toContain('send test USDC on Base Sepolia (eip155:84532)')
    expect(err).toContain(
      'farebox wallet balance --network eip155:84532 --rpc-url https://sepolia.base.org\n',
    )
    expect(err).not.toContain('mainnet')
    const path = join(folder, '.home', 'wallets', 'default.json')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, '.home', 'wallets'))).mode & 0o777).toBe(0o700)

    const crypto = await loadEvmCrypto()
    const key = await decryptKey(
      crypto.keccak256,
      readKeystore(await readFile(path, 'utf8'), 'wallet'),
      PASSWORD,
    )
    expect(key && crypto.addressOf(key)).toBe(out.trim().toLowerCase())
    expect((await run(['address'], withPassword)).out).toBe(out)
    expect((await run(['list'])).out).toBe(`default  ${out}`)
  })

  test('asks for the password twice, and refuses a short or a different one', async () => {
    const answers = ['short', PASSWORD, 'something else', PASSWORD]
    const { code, questions } = await run(['new', 'savings'], { answers })
    expect(code).toBe(0)
    expect(questions).toEqual([
      'A password for the wallet "savings"',
      'must have at least 8 characters, got 5',
      'A password for the wallet "savings"',
      'Repeat the password',
      'does not match',
      'Repeat the password',
    ])
  })

  test('never overwrites a wallet, and reports it before asking for a password', async () => {
    await run(['new'], withPassword)
    const path = join(folder, '.home', 'wallets', 'default.json')
    const before = await readFile(path, 'utf8')
    const { code, err } = await run(['new'], { answers: [] })
    expect(code).toBe(1)
    expect(err).toContain('a key is never written over')
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  test.each([
    ['nobody to ask for a password', ['new'], {}, 2, 'FAREBOX_WALLET_PASSWORD'],
    [
      'a short password',
      ['new'],
      { variables: { FAREBOX_WALLET_PASSWORD: 'seven77' } },
      1,
      'at least 8 characters, got 7',
    ],
    ['a name that is none', ['new', 'my wallet'], withPassword, 1, 'is not a wallet name'],
    ['a name that leads elsewhere', ['new', '..'], withPassword, 1, 'is not a wallet name'],
    [
      'a key on the command line',
      ['new', '--private-key', KEY],
      withPassword,
      2,
      "is in the shell's history now",
    ],
  ] as const)('%s is refused', async (_, words, options, expected, message) => {
    const { code, err } = await run(words, options)
    expect(code).toBe(expected)
    expect(err).toContain(message)
    expect((await run(['list'])).err).toContain('no wallets yet')
  })
})

describe('farebox wallet list', () => {
  test('names files that are not keystores, and continues', async () => {
    const wallets = join(folder, '.home', 'wallets')
    await mkdir(wallets, { recursive: true })
    await writeFile(join(wallets, 'broken.json'), '{')
    await writeFile(join(wallets, 'notes.txt'), 'not a wallet')
    await run(['new'], withPassword)
    const { code, out } = await run(['list'])
    expect(code).toBe(0)
    expect(out).toMatch(/^broken {3}.*is not a keystore.*\ndefault {2}0x/)
    expect(JSON.parse((await run(['list', '--json'])).out)).toMatchObject({
      wallets: [{ name: 'broken', address: null }, { name: 'default' }],
    })
  })
})

describe('farebox wallet address', () => {
  test('prints the address of the key that would pay', async () => {
    const { out, err } = await run(['address'], { variables: { FAREBOX_PRIVATE_KEY: KEY } })
    expect(out).toBe(`${PAYER}\n`)
    expect(err).toContain('FAREBOX_PRIVATE_KEY')
  })

  test('an unknown wallet is refused with the list of wallets', async () => {
    await run(['new', 'savings'], withPassword)
    const { code, err } = await run(['address', 'saving'])
    expect(code).toBe(1)
    expect(err).toBe('✗ there is no wallet "saving"\n  there is: savings\n')
  })
})

describe('farebox wallet balance', () => {
  let chain: LocalChain

  beforeAll(async () => {
    chain = await startChain()
    await fund(chain, PAYER, { usdcAtomic: 1_234_500_000n, wei: 1_500_000_000_000_000_000n })
  })

  afterAll(() => chain.stop())

  const paying = { variables: { FAREBOX_PRIVATE_KEY: KEY } }

  test('shows USDC and the chain’s own coin, for an address, on the named chain', async () => {
    const words = ['balance', PAYER, '--network', 'eip155:84532', '--rpc-url', chain.rpcUrl]
    const { code, out, err } = await run(words)
    expect(code).toBe(0)
    expect(out).toBe('1234.500000 USDC\n   1.5      ETH\n')
    expect(err).toContain('on local chain (eip155:84532)')
    expect(JSON.parse((await run([...words, '--json'])).out)).toEqual({
      address: PAYER,
      source: 'as given',
      network: 'eip155:84532',
      usdc: '1234.5',
      coin: { symbol: 'ETH', amount: '1.5' },
    })
  })

  test('uses the chain and wallet of a local economy by default', async () => {
    await mkdir(join(folder, '.farebox'))
    const file = {
      chain: { network: 'eip155:84532', rpcUrl: chain.rpcUrl },
      payer: { address: PAYER, privateKey: KEY },
    }
    await writeFile(join(folder, '.farebox', 'local.json'), JSON.stringify(file))
    const made = await run(['new'], withPassword)
    expect(made.err).toContain(`npm run secret -- ${made.out.trim()} --folder ${join(folder, '.farebox')}\n`)
    expect(made.err).not.toContain('--rpc-url')
    const { out, err } = await run(['balance'], { home: join(folder, 'no-wallet') })
    expect(out).toContain('1234.500000 USDC')
    expect(err).toContain('on local chain (eip155:84532)')
    const elsewhere = await run(['balance', '--network', 'eip155:8453'], paying)
    expect(elsewhere.err).toContain('no node of Base (eip155:8453) is known')
  })

  test('names the setting to use if no node is known, and the chain of a wrong one', async () => {
    const { code, err } = await run(['balance'], paying)
    expect(code).toBe(1)
    expect(err).toContain('give --rpc-url <url>, or set FAREBOX_RPC_URL')
    const other = await run(['balance', '--rpc-url', chain.rpcUrl], paying)
    expect(other.code).toBe(2)
    expect(other.err).toContain('is a node of eip155:84532, not of eip155:8453')
    const down = await run(['balance', '--rpc-url', 'http://127.0.0.1:9'], paying)
    expect(down.code).toBe(1)
  })

  test('a mistyped address is refused by its checksum', async () => {
    const { code, err } = await run(['balance', PAYER.replace('3C44', '3c44')])
    expect(code).toBe(2)
    expect(err).toContain('wrong checksum')
  })
})
