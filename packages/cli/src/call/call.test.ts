import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeadlineError } from 'farebox'
import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../run-cli.ts'
import { lightKeystore } from '../testing/light-keystore.ts'
import {
  AGENT_WALLET,
  COUNTER,
  loseAnswer,
  serveAgent,
  withBody,
  type ServedAgent,
  type ServedAgentOptions,
} from '../testing/served-agent.ts'
import { createTestWorld, type TestWorld, type TestWorldOptions } from '../testing/test-world.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const PAYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const PASSWORD = 'correct horse battery'

let crypto: EvmCrypto
let folder: string
let agents: ServedAgent[]
let worlds: TestWorld[]

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-call-'))
  agents = []
  worlds = []
})

/** In every test: no key, password or payment header reached a screen, and nothing moved a cursor. */
afterEach(async () => {
  const headers = agents.flatMap(({ seen }) =>
    seen.flatMap(({ header }) => (header === undefined ? [] : [header])),
  )
  for (const { everything, out, err } of worlds) {
    for (const secret of [KEY.slice(2), PASSWORD, ...headers]) expect(everything()).not.toContain(secret)
    expect(out() + err()).not.toMatch(/(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u)
  }
  await Promise.all(agents.map(agent => agent.close()))
  await rm(folder, { recursive: true, force: true })
})

async function serve(options: ServedAgentOptions = {}): Promise<ServedAgent> {
  const agent = await serveAgent(options)
  agents.push(agent)
  return agent
}

async function servePaid(options: ServedAgentOptions = {}): Promise<ServedAgent> {
  return await serve({ funded: [PAYER], ...options })
}

function world(options: Partial<TestWorldOptions> = {}): TestWorld {
  const made = createTestWorld({ folder, variables: { FAREBOX_PRIVATE_KEY: KEY }, ...options })
  worlds.push(made)
  return made
}

async function run(
  words: readonly string[],
  options: Partial<TestWorldOptions> = {},
): Promise<{
  readonly code: number
  readonly out: string
  readonly err: string
}> {
  const { world: made, out, err } = world(options)
  const code = await runCli(['call', ...words], made)
  return { code, out: out(), err: err() }
}

function paidRequests({ seen }: ServedAgent): readonly (string | undefined)[] {
  return seen.flatMap(({ header }) => (header === undefined ? [] : [header]))
}

/** Returns the only file of the journal. */
async function journalled(): Promise<{ readonly path: string; readonly text: string }> {
  const [file, ...others] = await readdir(join(folder, '.home', 'calls'))
  expect(others).toEqual([])
  const path = join(folder, '.home', 'calls', file ?? '')
  return { path, text: await readFile(path, 'utf8') }
}

async function expectNothingSigned(agent: ServedAgent): Promise<void> {
  expect(paidRequests(agent)).toEqual([])
  await expect(readdir(join(folder, '.home', 'calls'))).rejects.toThrow('ENOENT')
}

describe('an agent in dev mode', () => {
  test('is called without a wallet, with only its output on stdout', async () => {
    const { url } = await serve()
    const { code, out, err } = await run([url, 'count', '--text', 'one two three'], { variables: {} })
    expect(code).toBe(0)
    expect(out).toBe('{"words":3}\n')
    expect(err).toContain('free: this agent is in dev mode')
  })

  test('--json is one document', async () => {
    const { url } = await serve()
    const { out } = await run([url, '--text', 'one two', '--json'])
    expect(JSON.parse(out)).toEqual({
      ok: true,
      job_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      capability: 'count',
      output: { words: 2 },
      payment: null,
      completed_at: expect.any(Number),
    })
    expect(out.trim()).not.toContain('\n')
  })

  test('has its refusal shown in its own words, and the exit code is 1', async () => {
    const { url } = await serve({
      handlers: {
        count: () => {
          throw new DeadlineError('too much to read')
        },
      },
    })
    const { code, out, err } = await run([url, '--text', 'a', '--json'])
    expect(code).toBe(1)
    expect(err).toContain('✗ deadline: too much to read')
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { type: 'deadline' }, charged: 'no' })
  })

  test('has an output that violates the declaration passed on with a warning', async () => {
    const { url } = await serve({ handlers: { count: () => ({ words: 'many' }) } })
    const { code, out, err } = await run([url, '--text', 'a', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ output: { words: 'many' }, violation: { field: 'words' } })
    expect(err).toContain('! the output violates its schema: words: must be an integer, got "many"')
  })
})

describe('the capability', () => {
  const TWO = {
    ...COUNTER,
    capabilities: { count: COUNTER.capabilities.count, shout: COUNTER.capabilities.count },
  } as const
  const handlers = { count: () => ({ words: 1 }), shout: () => ({ words: 2 }) }

  test('D21 is refused in the agent’s words when it is unknown, with the most similar name', async () => {
    const agent = await serve({ declaration: TWO, handlers })
    const { code, err } = await run([agent.url, 'shuot', '--text', 'a'])
    expect(code).toBe(2)
    expect(err).toBe('✗ Unknown capability "shuot". Available: count, shout\n  did you mean shout?\n')
    expect(agent.seen.map(({ path }) => path)).toEqual(['/about'])
  })

  test('is chosen by a person at a terminal when there are several; other output lists them', async () => {
    const { url } = await serve({ declaration: TWO, handlers })
    expect((await run([url, '--text', 'a'], { answers: ['shout'] })).out).toBe('{"words":2}\n')
    const { code, err } = await run([url, '--text', 'a'])
    expect(code).toBe(2)
    expect(err).toContain('count, shout')
  })

  test('is described by --help with its input, its output and a working command line', async () => {
    const { url } = await serve()
    const { code, out } = await run([url, 'count', '--help'], { variables: {} })
    expect(code).toBe(0)
    expect(out).toContain('Counter · count   0.002 USDC a job, answers within 10 s')
    expect(out).toContain('  --text <string>  required. The text. 1–20,000 characters.')
    expect(out).toContain('  --top <integer>  1–50.')
    const line = /^ {2}farebox call (.*)$/m.exec(out)?.[1] ?? ''
    expect((await run(line.split(' '))).out).toBe('{"words":1}\n')
  })

  test('is listed with all others by --help without a name', async () => {
    const { url } = await serve({ declaration: TWO, handlers })
    const { out } = await run([url, '--help'])
    expect(out).toMatch(/count {2}0\.002 USDC {2}Counts the words of a text\.\n {2}shout/)
  })
})

describe('the input', () => {
  test('comes from JSON, a file or stdin, and flags override it', async () => {
    const { url } = await serve()
    await writeFile(join(folder, 'job.json'), '\uFEFF{"text":"from a file"}')
    const given = async (words: readonly string[], input = ''): Promise<string> =>
      (await run([url, ...words], { input })).out
    expect(await given(['--input', '{"text":"a b"}'])).toBe('{"words":2}\n')
    expect(await given(['--input', '@job.json'])).toBe('{"words":3}\n')
    expect(await given(['--input', '-'], '{"text":"a b c d"}')).toBe('{"words":4}\n')
    expect(await given(['--input', '@job.json', '--text', 'one'])).toBe('{"words":1}\n')
  })

  test('is coerced and validated here: an error names its flag, and nothing is sent', async () => {
    const agent = await servePaid()
    const { code, err } = await run([agent.url, '--text', 'a', '--top', '51', '--max-price', '1'])
    expect(code).toBe(2)
    expect(err).toContain('✗ --top: must be at most 50, got 51')
    expect(agent.seen.map(({ path }) => path)).toEqual(['/about'])
  })

  test('is completed at a terminal, which asks for missing fields and repeats the question after a wrong answer', async () => {
    const { url } = await serve()
    const asked = world({ answers: ['', 'hello you'] })
    expect(await runCli(['call', url], asked.world)).toBe(0)
    expect(asked.out()).toBe('{"words":2}\n')
    expect(asked.questions).toEqual([
      'text (string) The text',
      'must be at least 1 character, got 0',
      'text (string) The text',
    ])
  })

  test('is refused with its missing fields at once without a terminal', async () => {
    const declaration = {
      ...COUNTER,
      capabilities: {
        count: {
          ...COUNTER.capabilities.count,
          input_schema: {
            text: { type: 'string', required: true },
            lang: { type: 'string', required: true },
          },
        },
      },
    } as const
    const { url } = await serve({ declaration })
    const { code, err } = await run([url])
    expect(code).toBe(2)
    expect(err).toContain('✗ --text and --lang are required')
  })

  test.each<[string, string, RegExp]>([
    ['no JSON', '{"text":', /--input: the text is not JSON/],
    ['no object', '["text"]', /must be an object of fields/],
    ['a mistyped field', '{"text":"a","tpo":3}', /"tpo" is not one of its fields, did you mean "top"\?/],
    ['no file', '@nowhere.json', /the file nowhere\.json cannot be read/],
    ['nested beyond reason', `{"text":${'['.repeat(100_000)}`, /is not JSON/],
  ])('--input with %s is refused', async (_, input, message) => {
    const { url } = await serve()
    const { code, err } = await run([url, '--input', input])
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })

  test('is sent without an undeclared field of --input, which is reported', async () => {
    const { url, seen } = await serve()
    const { code, err } = await run([url, '--input', '{"text":"a","unrelated":1}'])
    expect(code).toBe(0)
    expect(err).toContain('"unrelated" is not one of its fields and is left out')
    expect(seen.at(-1)?.body).not.toContain('unrelated')
  })
})

describe('the price', () => {
  test('is shown before anything is signed, and is the amount that is charged', async () => {
    const agent = await servePaid()
    const asked = world({ answers: [true] })
    expect(await runCli(['call', agent.url, '--text', 'a b'], asked.world)).toBe(0)
    expect(asked.questions).toEqual(['Pay 0.002 USDC?'])
    const before = asked.err().slice(0, asked.err().indexOf('at work'))
    // Without a node the two cannot be distinguished: local chains have the test network's id.
    expect(before).toContain('price    0.002000 USDC on Base Sepolia or a local chain (eip155:84532)')
    expect(before).toContain(`to       ${AGENT_WALLET}`)
    expect(before).toContain(`from     ${PAYER}  FAREBOX_PRIVATE_KEY`)
    expect(asked.err()).toContain('! paid 0.002000 USDC, says the agent\n')
    expect(asked.err()).toContain('no node was asked')
    expect(asked.err()).not.toContain('basescan')
    const decoded = decodePaymentHeader(paidRequests(agent)[0] ?? '')
    expect(decoded).toMatchObject({
      payment: { authorization: { value: '2000', to: AGENT_WALLET.toLowerCase() } },
    })
    expect(agent.gate.counts().charged).toBe(1)
  })

  test('comes with a warning when the payer’s own wallet is paid', async () => {
    const { url } = await servePaid({ funded: [PAYER, AGENT_WALLET] })
    const words = [url, 'count', '--text', 'a', '--max-price', '1']
    const { err } = await run(words, { variables: { FAREBOX_PRIVATE_KEY: TEST_KEYS.agent.privateKey } })
    expect(err).toContain('! you are paying yourself: payer and agent are the same wallet\n')
    const paid = await run(words)
    expect(paid.err).not.toContain('paying yourself')
  })

  test('is not paid without confirmation', async () => {
    const agent = await servePaid()
    const { code, err } = await run([agent.url, '--text', 'a'], { answers: [false] })
    expect(code).toBe(1)
    expect(err).toContain('✗ not paid\n  nothing was signed')
    await expectNothingSigned(agent)
  })

  test('is refused without a question above --max-price, with and without a terminal', async () => {
    const agent = await servePaid()
    for (const options of [{}, { answers: [true] }]) {
      const { code, err } = await run([agent.url, '--text', 'a', '--max-price', '0.001999'], options)
      expect(code).toBe(1)
      expect(err).toContain('✗ the job costs 0.002 USDC, more than the 0.001999 of --max-price')
    }
    await expectNothingSigned(agent)
  })

  test('is refused with exit code 2 without a terminal and --max-price', async () => {
    const agent = await servePaid()
    const { code, err, out } = await run([agent.url, '--text', 'a', '--json'])
    expect(code).toBe(2)
    expect(err).toContain('--max-price 0.002 agrees to that much')
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { type: 'refused' }, charged: 'no' })
    await expectNothingSigned(agent)
  })

  test('is refused on another chain than --network', async () => {
    const agent = await servePaid()
    const { code, err } = await run([
      agent.url,
      '--text',
      'a',
      '--max-price',
      '1',
      '--network',
      'eip155:8453',
    ])
    expect(code).toBe(1)
    expect(err).toContain('network must be one of eip155:8453, got "eip155:84532"')
    await expectNothingSigned(agent)
  })

  test('is refused when the 402 differs from /about', async () => {
    const agent = await servePaid()
    agent.lie = async (path, answer) => {
      if (path !== '/about') return answer
      const { count } = COUNTER.capabilities
      const cheaper = { ...count, pricing: { ...count.pricing, amount: '0.001' } }
      return withBody(answer, { ...COUNTER, capabilities: { count: cheaper } })
    }
    const { code, err } = await run([agent.url, '--text', 'a', '--max-price', '1'])
    expect(code).toBe(1)
    expect(err).toContain('price must be "1000" atomic units')
    expect(err).toContain('do not pay it')
    await expectNothingSigned(agent)
  })

  test.each([
    ['--max-price', '0,05'],
    ['--max-price', '0'],
    ['--deadline', '1m'],
    ['--network', 'base'],
  ])('%s %s is refused by name', async (option, value) => {
    const { code, err } = await run(['http://127.0.0.1:1', '--text', 'a', option, value])
    expect(code).toBe(2)
    expect(err).toContain(`✗ ${option}: `)
  })
})

describe('--dry-run', () => {
  test('shows price, terms, a valid input and the line that runs it, and reads no key', async () => {
    const agent = await servePaid()
    const { code, out } = await run([agent.url, '--dry-run'], { variables: {} })
    expect(code).toBe(0)
    expect(out).toContain('price    0.002000 USDC on Base Sepolia or a local chain (eip155:84532)')
    expect(out).toContain('{"text":"text"}')
    await expectNothingSigned(agent)
    const line = /^ {2}farebox call (.*)$/m.exec(out)?.[1] ?? ''
    expect(await run(line.split(' '))).toMatchObject({ code: 0, out: '{"words":1}\n' })
    expect(agent.gate.counts().charged).toBe(1)
  })

  test('shows the given input instead, checked', async () => {
    const { url } = await servePaid()
    const { out } = await run([url, '--dry-run', '--text', "it's", '--json'])
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      price: { amount: '0.002', network: 'eip155:84532', pay_to: AGENT_WALLET },
      input: { text: "it's" },
      command: `farebox call ${url} count --text 'it'\\''s' --max-price 0.002`,
    })
    expect((await run([url, '--dry-run', '--text', ''])).code).toBe(2)
  })
})

describe('the key', () => {
  const words = ['--text', 'a', '--max-price', '1']

  async function keepWallet(): Promise<string> {
    await mkdir(join(folder, '.home', 'wallets'), { recursive: true })
    const path = join(folder, '.home', 'wallets', 'default.json')
    await writeFile(path, await lightKeystore(crypto, KEY, PASSWORD))
    return path
  }

  test('comes from the default wallet with a typed password, or from the variable or a file', async () => {
    const agent = await servePaid()
    await keepWallet()
    await writeFile(join(folder, 'password'), `${PASSWORD}\n`)
    const paidBy = async (more: readonly string[], options: Partial<TestWorldOptions>): Promise<void> => {
      const { code, err } = await run([agent.url, ...words, ...more], options)
      expect({ code, err }).toMatchObject({
        code: 0,
        err: expect.stringContaining(`from     ${PAYER}  wallet "default"`),
      })
    }
    await paidBy([], { variables: {}, answers: ['not the password', PASSWORD] })
    await paidBy([], { variables: { FAREBOX_WALLET_PASSWORD: PASSWORD } })
    // The key's variable comes after the named wallet.
    await paidBy(['--wallet', 'default', '--password-file', 'password'], {
      variables: { FAREBOX_PRIVATE_KEY: `0x${'11'.repeat(32)}` },
    })
    expect(agent.gate.counts().charged).toBe(3)
  })

  test('is not used after a wrong password, which is reported', async () => {
    const agent = await servePaid()
    await keepWallet()
    const { code, err } = await run([agent.url, ...words], {
      variables: { FAREBOX_WALLET_PASSWORD: 'wrong' },
    })
    expect(code).toBe(1)
    expect(err).toContain('✗ wrong password for the wallet "default"')
    await expectNothingSigned(agent)
  })

  test('is refused when the wallet file names another owner', async () => {
    const agent = await servePaid()
    const path = await keepWallet()
    const changed = (await readFile(path, 'utf8')).replace(
      PAYER.slice(2).toLowerCase(),
      AGENT_WALLET.slice(2).toLowerCase(),
    )
    await writeFile(path, changed)
    const { code, err } = await run([agent.url, ...words], {
      variables: { FAREBOX_WALLET_PASSWORD: PASSWORD },
    })
    expect(code).toBe(1)
    expect(err).toContain('somebody changed the file')
    await expectNothingSigned(agent)
  })

  describe('the test wallet of a local economy', () => {
    let chain: LocalChain

    beforeAll(async () => {
      chain = await startChain()
      await fund(chain, PAYER, { usdcAtomic: 5_000n })
    })

    afterAll(() => chain.stop())

    async function local(network: string, rpcUrl = chain.rpcUrl): Promise<void> {
      await mkdir(join(folder, '.farebox'), { recursive: true })
      const payer = { address: PAYER, privateKey: KEY }
      await writeFile(
        join(folder, '.farebox', 'local.json'),
        JSON.stringify({ chain: { network, rpcUrl }, payer }),
      )
    }

    async function runBelow(more: readonly string[] = words): ReturnType<typeof run> {
      const below = join(folder, 'a', 'b')
      await mkdir(below, { recursive: true })
      return await run([agents[0]?.url ?? '', ...more], { variables: {}, folder: below })
    }

    test('pays, and is shown with its balance', async () => {
      await servePaid()
      await local('eip155:84532')
      const { code, err } = await runBelow()
      expect(err).toContain('the local test wallet of')
      expect(err).toContain('price    0.002000 USDC on local chain (eip155:84532)')
      expect(err).toContain('balance  0.005000 USDC')
      // This agent's gate moves no money: its receipt is not on the chain.
      expect(err).toContain('the node does not know that transaction')
      expect(code).toBe(0)
    })

    test('is replaced by FAREBOX_RPC_URL, unless that is a remote node of the public chain with the same id', async () => {
      const other = await startChain()
      await fund(other, PAYER, { usdcAtomic: 7_000n })
      try {
        await servePaid()
        await local('eip155:84532')
        const seen = async (url: string): Promise<string> =>
          (await run([agents[0]?.url ?? '', ...words], { variables: { FAREBOX_RPC_URL: url } })).err
        expect(await seen(other.rpcUrl)).toContain('balance  0.007000 USDC')
        expect(await seen('https://node.example')).toContain('balance  0.005000 USDC')
      } finally {
        await other.stop()
      }
    })

    test('does not pay when the agent is paid on another chain, or the economy has stopped', async () => {
      const agent = await servePaid()
      await local('eip155:31337')
      expect((await runBelow()).err).toContain('there is no wallet to pay from')
      await local('eip155:84532', 'http://127.0.0.1:9')
      expect((await runBelow()).err).toContain('there is no wallet to pay from')
      await local('eip155:84532', chain.rpcUrl.replace('127.0.0.1', 'node.example'))
      expect((await runBelow()).err).toContain('there is no wallet to pay from')
      await expectNothingSigned(agent)
    })

    test('is refused before it signs when it holds too little', async () => {
      const agent = await servePaid()
      const poor = `0x${'11'.repeat(32)}`
      const { code, err } = await run([agent.url, ...words, '--rpc-url', chain.rpcUrl], {
        variables: { FAREBOX_PRIVATE_KEY: poor },
      })
      expect(code).toBe(1)
      expect(err).toContain('✗ the wallet holds 0 USDC, the job costs 0.002')
      await expectNothingSigned(agent)
    })

    test('a FAREBOX_RPC_URL that is not a node is reported, and the job is paid without it', async () => {
      const agent = await servePaid()
      const { code, err } = await run([agent.url, ...words], {
        variables: { FAREBOX_PRIVATE_KEY: KEY, FAREBOX_RPC_URL: 'http://127.0.0.1:9/api-key' },
      })
      expect(code).toBe(0)
      expect(err).toContain(
        'FAREBOX_RPC_URL: 127.0.0.1:9 does not answer as a node does; the chain is not asked',
      )
      expect(err).not.toContain('api-key')
    })

    test('--rpc-url must be a node of the chain that is paid on; its path is not shown', async () => {
      const agent = await servePaid()
      const { code, err } = await run([agent.url, ...words, '--rpc-url', 'http://127.0.0.1:9/api-key'])
      expect(code).toBe(1)
      expect(err).toContain('--rpc-url: 127.0.0.1:9 does not answer as a node does')
      expect(err).not.toContain('api-key')
      await expectNothingSigned(agent)
    })
  })

  test.each([
    ['a key in an option', ['--private-key', KEY]],
    ['a key in an option, joined', [`--key=${KEY}`]],
    ['a key as a word', [KEY.slice(2)]],
    ['a key as a name of a wallet', ['--wallet', KEY]],
    ['a key as a field', ['--text', KEY]],
  ])('%s is refused before any agent is called, and not repeated', async (_, more) => {
    const agent = await servePaid()
    const { code, err } = await run([agent.url, ...more])
    expect(code).toBe(2)
    expect(err).toContain("is in the shell's history now")
    expect(agent.seen).toEqual([])
  })

  test('is not mistaken for a hash that is passed with --field', async () => {
    const { url } = await serve()
    expect((await run([url, '--field', `text=0x${'ab'.repeat(32)}`])).code).toBe(0)
  })

  test('is not shown when the value of the variable is invalid', async () => {
    const { url } = await servePaid()
    const { code, err } = await run([url, ...words], { variables: { FAREBOX_PRIVATE_KEY: KEY.slice(2) } })
    expect(code).toBe(1)
    expect(err).toContain('FAREBOX_PRIVATE_KEY must be 0x and 64 hex digits, got 64 characters')
  })
})

describe('the journal', () => {
  const words = ['--text', 'one two', '--max-price', '1']

  test('stores the call before it is sent, readable by its owner only, and no payment once it is answered', async () => {
    const agent = await servePaid()
    let held = ''
    agent.faults.push((answer, response) => {
      void journalled().then(async ({ path, text }) => {
        held = text
        expect((await stat(path)).mode & 0o777).toBe(0o600)
        expect((await stat(join(folder, '.home', 'calls'))).mode & 0o777).toBe(0o700)
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(await answer.text())
      })
    })
    expect((await run([agent.url, ...words])).code).toBe(0)
    const [header = 'none'] = paidRequests(agent)
    expect(JSON.parse(held)).toMatchObject({
      state: 'sent',
      agentUrl: agent.url,
      price: '0.002',
      startedAt: expect.any(Number),
      declaration: { name: 'Counter' },
      entry: { header },
    })
    const { text } = await journalled()
    expect(text).not.toContain(header)
    expect(text).not.toContain('signature')
    expect(JSON.parse(text)).toMatchObject({ state: 'completed', document: { output: { words: 2 } } })
  })

  test('prevents sending when it cannot be written', async () => {
    const agent = await servePaid()
    await writeFile(join(folder, 'no-folder'), '')
    const { code, err } = await run([agent.url, ...words], { home: join(folder, 'no-folder') })
    expect(code).toBe(1)
    expect(err).toContain('the call cannot be journalled in')
    expect(paidRequests(agent)).toEqual([])
  })

  test('repeats a request with a lost response with the same payment, which is charged once', async () => {
    const agent = await servePaid()
    agent.faults.push(loseAnswer)
    expect(await run([agent.url, ...words])).toMatchObject({ code: 0, out: '{"words":2}\n' })
    expect(paidRequests(agent)).toHaveLength(2)
    expect(new Set(paidRequests(agent)).size).toBe(1)
    expect(agent.gate.counts().charged).toBe(1)
  })

  test('records a call that Ctrl-C interrupted; --resume gets the response without another payment', async () => {
    const agent = await servePaid()
    const stop = new AbortController()
    agent.faults.push(() => stop.abort())
    const stopped = await run([agent.url, ...words, '--json'], { signal: stop.signal })
    expect(stopped.code).toBe(3)
    expect(stopped.err).toMatch(/✗ stopped while job [0-9a-f-]{36} waits for its answer/)
    expect(stopped.err).toMatch(
      /a payment of 0\.002 USDC was sent: it may be charged until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d \(in \d+ min\)/,
    )
    const id = /--resume ([0-9a-f-]{36})/.exec(stopped.err)?.[1] ?? ''
    expect(JSON.parse(stopped.out)).toMatchObject({
      ok: false,
      job_id: id,
      error: { type: 'stopped' },
      charged: 'unknown',
      chargeable_until: expect.any(Number),
    })

    const listed = await run(['--list'])
    expect(listed.out).toContain(`${id}  unresolved`)
    // The key has been deleted, and none is needed.
    const resumed = await run(['--resume'], { variables: {} })
    expect(resumed).toMatchObject({ code: 0, out: '{"words":2}\n' })
    expect(resumed.err).toContain(`asking Counter for job ${id} again`)
    expect(new Set(paidRequests(agent)).size).toBe(1)
    expect(agent.gate.counts().charged).toBe(1)

    const again = await run(['--resume', id.slice(0, 8)])
    expect(again).toMatchObject({ code: 0, out: '{"words":2}\n' })
    expect(again.err).toMatch(/already answered, paid in 0x[0-9a-f]{64}/)
    expect(paidRequests(agent)).toHaveLength(2)
    expect((await run(['--resume'])).err).toContain('there is nothing to resume')
  })

  describe('a --resume that ends before its request', () => {
    let agent: ServedAgent
    let id: string

    beforeEach(async () => {
      agent = await servePaid()
      const stop = new AbortController()
      agent.faults.push(() => stop.abort())
      const { out } = await run([agent.url, ...words, '--json'], { signal: stop.signal })
      id = JSON.parse(out).job_id as string
    })

    async function expectUnknown(
      more: readonly string[],
      options: Partial<TestWorldOptions> = {},
    ): ReturnType<typeof run> {
      const told = await run(['--resume', ...more, '--json'], options)
      expect(JSON.parse(told.out)).toMatchObject({ ok: false, job_id: id, charged: 'unknown' })
      expect(told.err).not.toContain('nothing was paid')
      expect(paidRequests(agent)).toHaveLength(1)
      return told
    }

    test('keeps its exit code and does not claim that nothing was paid when the URL is not a node', async () => {
      const { code, err } = await expectUnknown(['--rpc-url', 'http://127.0.0.1:9'])
      expect(code).toBe(1)
      expect(err).toContain('✗ --rpc-url: ')
    })

    test('says how to repeat after Ctrl-C', async () => {
      const { code, err } = await expectUnknown([], { signal: AbortSignal.abort() })
      expect(code).toBe(3)
      expect(err).toContain(`✗ stopped\n  what was sent may have been charged; ask for it`)
      expect(err).toContain(`farebox call --resume ${id}`)
    })

    test('names a wrong option or a damaged file', async () => {
      expect((await expectUnknown([id, '--network', 'base'])).code).toBe(2)
      const { path } = await journalled()
      await writeFile(path, '{"version":1,')
      const { err } = await expectUnknown([id])
      expect(err).toContain(`✗ the file of call "${id}" is damaged: is not JSON`)
    })

    test('refuses an http agent that the first call was not allowed to use', async () => {
      const { path, text } = await journalled()
      await writeFile(path, text.replaceAll(agent.url, 'http://0.0.0.0:9'))
      const { code, err } = await expectUnknown([id])
      expect(code).toBe(2)
      expect(err).toContain('--allow-http')
    })

    test('says how many characters a job_id needs', async () => {
      const { code, err } = await run(['--resume', id.slice(0, 3)])
      expect(code).toBe(2)
      expect(err).toContain('at least 4 of its characters are needed')
    })
  })

  test('resumes a call made with --allow-http without repeating the option', async () => {
    const agent = await servePaid()
    const stop = new AbortController()
    agent.faults.push(() => stop.abort())
    await run([agent.url, ...words, '--allow-http'], { signal: stop.signal })
    const { path, text } = await journalled()
    // Not a loopback address, but an address of this machine.
    await writeFile(path, text.replaceAll(agent.url, agent.url.replace(/127\.0\.0\.1|localhost/, '0.0.0.0')))
    expect(await run(['--resume'])).toMatchObject({ code: 0, out: '{"words":2}\n' })
  })

  test('names damaged files, and keeps everything else', async () => {
    const agent = await servePaid()
    await run([agent.url, ...words])
    const calls = join(folder, '.home', 'calls')
    await writeFile(join(calls, 'broken.json'), '{"version":1,')
    await writeFile(join(calls, 'other.json'), '{"version":2}')
    await writeFile(join(calls, 'empty.json'), '')
    const { code, out, err } = await run(['--list'])
    expect(code).toBe(0)
    expect(out).toContain('completed')
    expect(err).toContain('broken.json: is not JSON')
    expect(err).toContain('other.json: is not of version 1')
    expect(err).toContain('empty.json: is not JSON')
    expect(JSON.parse((await run(['--list', '--json'])).out)).toMatchObject({
      calls: [{ state: 'completed', agent: 'Counter', price: '0.002' }],
      damaged: [{}, {}, {}],
    })
  })

  test('lists a failed, uncharged call with its reason, and not as unresolved', async () => {
    const agent = await servePaid({
      handlers: {
        count: () => {
          throw new Error('what nobody shall see')
        },
      },
    })
    const { code, out, err } = await run([agent.url, ...words, '--json'])
    expect(code).toBe(1)
    expect(err).toContain('✗ internal: Internal error\n  not charged, says the agent')
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      capability: 'count',
      error: { type: 'internal' },
      charged: 'no',
      chargeable_until: expect.any(Number),
    })
    expect(agent.gate.counts().charged).toBe(0)
    expect((await journalled()).text).not.toContain(paidRequests(agent)[0] ?? 'none')
    expect((await run(['--list'])).out).toContain('failed')
    expect(await run(['--resume', JSON.parse(out).job_id as string])).toMatchObject({
      code: 1,
      err: expect.stringContaining('already ended: internal: Internal error (not charged)'),
    })
  })

  test('does not claim that a resumed call is uncharged when its agent has forgotten it', async () => {
    const agent = await servePaid()
    const stop = new AbortController()
    agent.faults.push(() => stop.abort())
    await run([agent.url, ...words], { signal: stop.signal })
    agent.lie = (path, answer) =>
      path === '/execute' && answer.status === 200
        ? new Response(
            '{"status":"failed","error_type":"payment","error":"expired","service_version":"1.0"}',
            {
              status: 402,
              headers: { 'content-type': 'application/json' },
            },
          )
        : answer
    const { code, err } = await run(['--resume'])
    expect(code).toBe(3)
    expect(err).toContain('✗ payment: expired')
    expect(err).toContain('it may be charged until')
    expect((await run(['--list'])).out).toContain('unresolved')
  })
})

describe('the called agent', () => {
  test.each([
    ['localhost:3000', 'http://localhost:3000'],
    ['agent.example', 'https://agent.example'],
    ['http://agent.example', '--allow-http'],
    ['ftp://agent.example', 'https'],
  ])('%s is not an agent’s URL; the next line has %s', async (url, hint) => {
    const { code, err } = await run([url, '--text', 'a'])
    expect(code).toBe(2)
    expect(err).toContain(hint)
  })

  test('is reported as not listening, with what to do', async () => {
    const { url, close } = await serve()
    await close()
    const { code, err, out } = await run([url, '--text', 'a', '--json'])
    expect(code).toBe(1)
    expect(err).toContain('is it running?')
    expect(JSON.parse(out)).toMatchObject({ ok: false, error: { type: 'unreachable' }, charged: 'no' })
  })

  test('a word before the URL is refused with the correct order', async () => {
    const { code, err } = await run(['--text', 'a', 'http://localhost:3000'])
    expect(code).toBe(2)
    expect(err).toContain("✗ the agent's URL comes first, got --text")
  })
})

describe('a hostile agent', () => {
  const EVIL = 'x\u001b[2J\u009b31m\u202e\u2066\rhidden'
  // JSON preserves it, and `afterEach` searches every screen for it.
  const declaration = {
    ...COUNTER,
    name: EVIL,
    description: EVIL,
    capabilities: {
      [EVIL]: {
        ...COUNTER.capabilities.count,
        description: EVIL,
        input_schema: {
          text: { type: 'string', required: true, description: EVIL, examples: [EVIL] },
          [EVIL]: { type: 'string' },
        },
      },
    },
  } as const

  test('cannot move the cursor with its declaration', async () => {
    const { url } = await serve({ declaration, handlers: { [EVIL]: () => ({ words: 1 }) } })
    for (const words of [
      ['--help'],
      ['--dry-run'],
      ['--dry-run', '--json'],
      ['other'],
      ['--txet', 'a'],
      ['--text', 'a'],
      [],
    ]) {
      await run([url, ...words])
    }
    expect(worlds).toHaveLength(7)
  })

  test('cannot move the cursor with its responses, and its output is complete', async () => {
    const served = await serve()
    const { url } = served
    served.lie = async (path, answer) =>
      path === '/execute' && answer.status === 200
        ? withBody(answer, { ...((await answer.json()) as object), output: { words: EVIL } })
        : answer
    const { out } = await run([url, '--text', 'a'])
    expect(JSON.parse(out)).toEqual({ words: EVIL })
    served.lie = (path, answer) =>
      path === '/execute'
        ? withBody(new Response(null, { status: 400, headers: { 'content-type': 'application/json' } }), {
            status: 'failed',
            error_type: 'validation',
            error: EVIL,
            service_version: '1.0',
          })
        : answer
    expect((await run([url, '--text', 'a', '--json'])).code).toBe(1)
  })
})
