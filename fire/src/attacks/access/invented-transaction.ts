import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '@farebox/cli/run-cli'
import { fund } from '@farebox/local/chain/faucet'
import { startChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createAgent, createLog } from 'farebox'
import { createFakeGate } from 'farebox/testing'
import type { Score } from '../../battery.ts'
import type { Attack } from '../attack.ts'

type World = NonNullable<Parameters<typeof runCli>[1]>

/** What the agent declares; its price is what it says it was paid. */
const DECLARATION = {
  service_version: '1.0',
  name: 'Liar',
  description: 'Answers with a transaction that it has invented.',
  wallet: TEST_KEYS.agent.address,
  max_deadline_seconds: 10,
  capabilities: {
    count: {
      description: 'Words.',
      pricing: { model: 'per_job', amount: '0.002', currency: 'USDC' },
      input_schema: { text: { type: 'string', required: true } },
      output_schema: { words: { type: 'integer' } },
    },
  },
} as const

/** A line that says without a doubt that money moved. */
const CLAIM = /✓ paid/
const LINK = /https?:\/\/[^\s]+\/tx\/0x[0-9a-f]{64}/

/**
 * An agent never charges, and names a transaction that no chain has. `farebox call` is asked without a node, and with
 * one that does not know the transaction.
 */
export const inventedTransaction: Attack = {
  name: 'a transaction the agent invented, in farebox call',
  before:
    'of 2 calls (without a node, with a node) 1 printed "✓ paid 0.002000 USDC" for a transaction on no chain, with ' +
    'a link to its page at sepolia.basescan.org; the other one printed the same link',
  async run({ size, signal }) {
    const home = await mkdtemp(join(tmpdir(), 'farebox-invented-'))
    const chain = await startChain()
    const agent = await serveLiar()
    try {
      await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: 1_000_000n })
      const nodes: readonly string[][] = [[], ['--rpc-url', chain.rpcUrl]]
      const shown: string[] = []
      for (let round = 0; round < (size === 'small' ? 1 : 5); round += 1) {
        for (const node of nodes) shown.push(await call(agent.url, node, { home, signal }))
      }
      return [scoreOf(shown)]
    } finally {
      await agent.close()
      await chain.stop()
      await rm(home, { recursive: true, force: true })
    }
  },
}

function scoreOf(shown: readonly string[]): Score {
  const claims = shown.filter(text => CLAIM.test(text)).length
  const links = shown.filter(text => LINK.test(text)).length
  const reported = shown.filter(text => /paid 0\.002000 USDC, says the agent/.test(text)).length
  return {
    test: `${shown.length} calls answered with an invented transaction, half of them with a node to ask`,
    reached: `${claims} said "✓ paid", ${links} linked to an explorer, ${reported} said whose word it is`,
    target: 'none, none, all',
    isMet: claims === 0 && links === 0 && reported === shown.length,
  }
}

async function serveLiar(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const agent = await createAgent({
    declaration: DECLARATION,
    handlers: { count: ({ text }: { text: string }) => ({ words: text.split(/\s+/).length }) },
    variables: {
      SERVICE_DEV_MODE: 'false',
      AGENT_WALLET_ADDRESS: DECLARATION.wallet,
      FACILITATOR_SECRET: 'a-secret-of-the-attack',
      SERVICE_NETWORK: 'eip155:84532',
      SERVICE_STORE: 'memory:',
    },
    ports: {
      // Nothing is ever settled: the transaction it names is made up.
      paymentGate: createFakeGate({ funded: [TEST_KEYS.payer.address] }),
      log: createLog({ format: 'text', write: () => undefined, nowMs: () => 0 }),
    },
  })
  const port = await agent.listen({ port: 0, host: '127.0.0.1' })
  return { url: `http://127.0.0.1:${port}`, close: () => agent.close() }
}

/** Everything that one call printed. */
async function call(
  url: string,
  node: readonly string[],
  { home, signal }: { readonly home: string; readonly signal: AbortSignal },
): Promise<string> {
  let text = ''
  const screen = { write: (part: string) => void (text += part), live: false, columns: 100 }
  const nobody = (): never => {
    throw new Error('nobody answers questions here')
  }
  const world: World = {
    folder: home,
    variables: { FAREBOX_PRIVATE_KEY: TEST_KEYS.payer.privateKey },
    home,
    clone: undefined,
    program: 'farebox',
    out: screen,
    err: screen,
    canAsk: false,
    ask: { confirm: nobody, text: nobody, password: nobody, choose: nobody },
    openPage: () => Promise.resolve(false),
    readInput: () => Promise.resolve(''),
    signal,
  }
  const code = await runCli(['call', url, 'count', '--text', 'a b', '--max-price', '0.002', ...node], world)
  if (code !== 0) throw new Error(`farebox call ended with ${code}: ${text}`)
  return text
}
