import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { registerAgent } from '@farebox/local/src/listing/register-agent'
import { afterAll, expect, test } from 'vitest'
import { orderUntilDone, signOrder } from './stage/order.ts'
import { setStage } from './stage/stage.ts'

const WALLET = TEST_KEYS.agent.address
const SDK = fileURLToPath(new URL('stage/record-spans.mjs', import.meta.url))

const stage = await setStage()
afterAll(() => stage.strike())

interface RecordedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: { readonly [name: string]: string | number }
  readonly status: { readonly code: number }
}

const fileOf = (program: string): string => join(stage.folder, `${program}.spans`)
const recorded = (program: string): { readonly [name: string]: string } => ({
  NODE_OPTIONS: `--import=${SDK}`,
  SPANS_FILE: fileOf(program),
})

async function spansOf(program: string): Promise<readonly RecordedSpan[]> {
  const lines = (await readFile(fileOf(program), 'utf8')).trim().split('\n')
  return lines.map(line => JSON.parse(line) as RecordedSpan)
}

/** The spans under one, each as its program, its name and its failure, indented by what it is under. */
function drawTree(
  spans: readonly (RecordedSpan & { readonly program: string })[],
  parentId: string,
): string[] {
  return spans
    .filter(span => span.parentId === parentId)
    .flatMap(({ program, name, attributes, spanId }) => {
      const failure = attributes['error.type']
      const own = `${program}: ${name}${failure === undefined ? '' : ` (${failure})`}`
      return [own, ...drawTree(spans, spanId).map(line => `  ${line}`)]
    })
}

test('with an SDK registered, the spans of a job form one tree over platform, agent and facilitator', async () => {
  const facilitator = await stage.facilitator({ environment: recorded('facilitator') })
  const platform = await stage.platform({ facilitator, environment: recorded('platform') })
  const agent = await stage.agent({
    config: 'e2e/agents/teller/agent.json',
    facilitator,
    secret: await stage.secret(facilitator, [WALLET]),
    name: 'agent',
    store: `lmdb:${join(stage.folder, 'jobs')}`,
    environment: recorded('agent'),
  })
  const { agentId } = await registerAgent({ url: platform.url }, stage.chain, {
    url: agent.url,
    wallet: WALLET,
  })
  const listed = { agentId, endpoint: agent.url, wallet: WALLET }
  const send = async (capability: string, price: string, input: { readonly text: string }) => {
    const order = await signOrder(stage, listed, { capability, price, input })
    const [trace, parentId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
    await fetch(`${platform.url}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: `00-${trace}-${parentId}-01` },
      body: JSON.stringify(order),
    })
    return { trace, parentId, order, ended: await orderUntilDone(platform.url, order) }
  }
  const completed = await send('count', '0.002', { text: 'one two three' })
  expect(completed.ended).toMatchObject({ status: 'completed' })
  const failed = await send('stumble', '0.003', { text: `new ${completed.trace}` })
  expect(failed.ended).toMatchObject({ status: 'failed', charged: false })
  await Promise.all([platform.stop(), agent.stop()])
  await facilitator.stop()

  const programs = ['platform', 'agent', 'facilitator']
  const all = (
    await Promise.all(
      programs.map(async program => (await spansOf(program)).map(span => ({ ...span, program }))),
    )
  ).flat()
  const treeOf = ({ trace, parentId }: typeof completed): string[] =>
    drawTree(
      all.filter(({ traceId }) => traceId === trace),
      parentId,
    )
  expect(treeOf(completed)).toEqual([
    'platform: POST /v1/jobs',
    '  platform: POST /execute',
    '    agent: POST /execute',
    '      agent: POST /verify',
    '        facilitator: POST /verify',
    '      agent: handler count',
    '      agent: POST /settle',
    '        facilitator: POST /settle',
  ])
  expect(treeOf(failed)).toContain('      agent: handler stumble (internal)')
  // 402 is the answer to a request for the price.
  const served = all.filter(
    ({ name, program, attributes }) =>
      name === 'POST /execute' && program === 'agent' && attributes['http.response.status_code'] !== 402,
  )
  expect(served.map(({ attributes }) => attributes)).toEqual([
    {
      'http.request.method': 'POST',
      'http.route': '/execute',
      'http.response.status_code': 200,
      'farebox.job.id': completed.order.job_id,
      'farebox.capability': 'count',
      'farebox.payment.key': expect.stringMatching(/^\d+:0x/),
    },
    expect.objectContaining({ 'http.response.status_code': 500, 'error.type': '500' }),
  ])
})
