import { startRunPlatform, type RunPlatform } from '@farebox/client/src/test-setup/run-platform'
import { SUMMARY_AND_QR } from '@farebox/flows/src/test-setup/sample-flows'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createProject, type Project, type RunningCli } from '../../testing/dev-process.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const START = ['run', 'flow.json', '--input', 'article=Long.', '--max-total', '0.015']

let platform: RunPlatform
let project: Project

beforeEach(async () => {
  platform = await startRunPlatform(await loadEvmCrypto(), systemClock)
  project = await createProject({ 'flow.json': JSON.stringify(SUMMARY_AND_QR) })
  platform.agents.set('summarize', () => ({ output: { summary: 'Short.', links: ['https://x.example'] } }))
})

afterEach(async () => {
  await project.clear()
  await platform.close()
})

function farebox(words: readonly string[]): RunningCli {
  return project.run(['flow', ...words], { FAREBOX_PRIVATE_KEY: KEY, FAREBOX_PLATFORM: platform.url })
}

/**
 * The same run continues after any loss, with its signatures: the limit has no room for a second signature of any job.
 */
test.each([
  ['its start is sent', 'upfront', /^POST \/v1\/runs$/, 'before'],
  ['its start has arrived', 'upfront', /^POST \/v1\/runs$/, 'after'],
  ['it is followed', 'upfront', /\/events$/, 'before'],
  ['a payment is sent', 'just-in-time', /^PUT/, 'before'],
  ['a payment has arrived', 'just-in-time', /^PUT/, 'after'],
] as const)(
  'a run whose command is killed -9 when %s is resumed, and pays each job once',
  async (_, sign, at, when) => {
    let running: RunningCli | undefined = undefined
    platform.cut = request => {
      if (!at.test(request)) return undefined
      running?.signal('SIGKILL')
      return when
    }
    running = farebox([...START, '--sign', sign])
    expect((await running.ended).code).toBeNull()
    platform.cut = () => undefined
    const { code, out, err } = await farebox(['resume']).ended
    expect([code, out, err]).toEqual([
      0,
      '{"summary":"Short.","code":"svg of it"}\n',
      expect.stringContaining('paid 0.015 USDC of 0.015'),
    ])
    expect(platform.charges.map(({ key }) => key)).toEqual(['summary', 'qr'])
    const ids = new Set(platform.seen.flatMap(one => /runs\/([0-9a-f-]{36})/.exec(one)?.[1] ?? []))
    expect(ids.size).toBeLessThan(2)
  },
)
