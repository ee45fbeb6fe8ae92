import { createAgent, readConfig, type Agent } from 'farebox'
import { createTestAgent } from 'farebox/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import summarize from '../summary/handlers.ts'
import statistics from '../text-statistics/handlers.ts'
import handlers from './handlers.ts'

const TEXT =
  'Agents hire agents. Each agent is paid per job. A budget bounds what agents pay to other agents. The rest is theirs.'

const open: Agent[] = []
beforeAll(async () => {
  vi.stubEnv('SUMMARY_AGENT_URL', await start('summary', summarize))
  vi.stubEnv('STATISTICS_AGENT_URL', await start('text-statistics', statistics))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all(open.map(agent => agent.close()))
})

test('the researcher writes one page from the results of two hired agents', async () => {
  const agent = createTestAgent({ declaration: await readConfig(fileOf('researcher')), handlers })
  const output = await agent.call('digest', { text: TEXT, sentences: 1 })
  expect(output).toMatchObject({
    hired: 3,
    paid_to_others: '0',
    reading_seconds: expect.any(Number) as number,
  })
  expect(TEXT).toContain(output['gist'])
  expect(output['topics']).toContain('agents')
  await agent.close()
})

test('the researcher works without optional agents, but not without the summary agent', async () => {
  vi.stubEnv('STATISTICS_AGENT_URL', 'http://127.0.0.1:1')
  const agent = createTestAgent({ declaration: await readConfig(fileOf('researcher')), handlers })
  expect(await agent.call('digest', { text: TEXT })).toMatchObject({ hired: 1, topics: [] })
  vi.stubEnv('SUMMARY_AGENT_URL', 'http://127.0.0.1:1')
  await expect(agent.call('digest', { text: TEXT })).rejects.toThrow('cannot hire http://127.0.0.1:1')
  await agent.close()
})

function fileOf(example: string): string {
  return new URL(`../${example}/agent.json`, import.meta.url).pathname
}

async function start(example: string, given: object): Promise<string> {
  const agent = await createAgent({
    declaration: await readConfig(fileOf(example)),
    handlers: given as { readonly [name: string]: () => unknown },
    variables: {
      SERVICE_DEV_MODE: 'true',
      AGENT_WALLET_ADDRESS: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      SERVICE_STORE: 'memory:',
    },
  })
  open.push(agent)
  return `http://127.0.0.1:${await agent.listen({ port: 0, host: '127.0.0.1' })}`
}
