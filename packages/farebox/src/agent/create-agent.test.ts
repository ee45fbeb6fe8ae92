import { expect, test } from 'vitest'
import { EnvironmentError } from '../environment/environment-error.ts'
import { createAgent, type Agent } from './create-agent.ts'
import { DeclarationError } from './serve-declaration.ts'
import { stageDeclaration, WALLET } from '../execute/staged-payment.test-setup.ts'
import { createMemoryStore } from '../jobs/memory-store.ts'
import { createLog } from '../log.ts'
import { createFakeClock } from '../testing/fake-clock.ts'

const handlers = { work: () => ({ text: '' }), cheap: () => ({ text: '' }) }
const variables = { SERVICE_DEV_MODE: 'false', AGENT_WALLET_ADDRESS: WALLET, SERVICE_STORE: 'memory:' }

async function create(
  changes: { readonly declaration?: object; readonly variables?: object; readonly lines?: string[] } = {},
): Promise<Agent> {
  const clock = createFakeClock()
  const { lines = [] } = changes
  return await createAgent({
    declaration: { ...stageDeclaration, ...changes.declaration },
    handlers,
    variables: { ...variables, ...changes.variables },
    ports: {
      clock,
      log: createLog({ format: 'text', write: text => lines.push(text), nowMs: clock.nowMs }),
      jobStore: {
        store: createMemoryStore(clock),
        name: 'memory:',
        shared: false,
        close: () => Promise.resolve(),
      },
    },
  })
}

test('D29 /about is the declaration with the wallet of the environment, and nothing more', async () => {
  const agent = await create()
  const about = await (await agent.fetch(new Request('http://a/about'))).json()
  expect(about).toEqual({ ...stageDeclaration, wallet: WALLET })
  expect(JSON.stringify(about)).not.toContain('permissions')
})

test('D28 the environment’s wallet replaces a literal one, which must be valid nevertheless', async () => {
  const agent = await create({ declaration: { wallet: '0x00000000000000000000000000000000000fa4e1' } })
  expect(agent.declaration.wallet).toBe(WALLET)
  await expect(
    create({ declaration: { wallet: '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' } }),
  ).rejects.toThrow(/^wallet: has a wrong checksum/)
})

test('VAL-18 a declaration that cannot be served is refused with every problem', async () => {
  const refused = create({ declaration: { name: '', max_deadline_seconds: 0 } })
  await expect(refused).rejects.toThrow(DeclarationError)
  await expect(refused).rejects.toThrow(/name: must not be empty\nmax_deadline_seconds: must be a number/)
})

test('PERM-05 an agent with a permission for an unknown token of its network does not start', async () => {
  const permission = { type: 'EXECUTE_TRANSACTIONS', reason: 'Buys', max_per_transaction: '1' }
  const asking = (token: string): object => ({
    capabilities: {
      work: { ...stageDeclaration.capabilities.work, permissions: [{ ...permission, token }] },
      cheap: stageDeclaration.capabilities.cheap,
    },
  })
  const refused = create({ declaration: asking('WETH') })
  await expect(refused).rejects.toThrow(DeclarationError)
  await expect(refused).rejects.toThrow(
    'capabilities.work.permissions[0].token: is not a token we know on Base: "WETH"; known is "USDC"',
  )
  const agent = await create({ declaration: asking('USDC') })
  await agent.close()
})

test('OPS-01 the environment is checked before anything is opened', async () => {
  await expect(create({ variables: { SERVICE_DEV_MODE: 'yes' } })).rejects.toThrow(EnvironmentError)
})

test('D30 settings that are allowed but risky are logged', async () => {
  const lines: string[] = []
  await create({ lines })
  await create({ lines, variables: { SERVICE_DEV_MODE: 'true' } })
  await new Promise(resolve => setImmediate(resolve))
  expect(lines.join('').trimEnd().split('\n')).toEqual([
    'warning: FACILITATOR_SECRET is not set: every paid request will be answered 401; npx farebox secret create --env makes one for this wallet, or ask who runs FACILITATOR_URL',
    'warning: SERVICE_STORE=memory: jobs and open settlements are lost when this process stops',
    'warning: dev mode: payments are off, every job is free',
  ])
})

test('D32 a second close returns the promise of the first', async () => {
  const agent = await create()
  const [first, second] = [agent.close(), agent.close()]
  expect(second).toBe(first)
  await first
})
