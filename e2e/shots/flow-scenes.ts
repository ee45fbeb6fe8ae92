import type { AgentPage } from '@farebox/platform-api/agent'
import type { TemplatesAnswer } from '@farebox/platform-api/flows/saved-flows'
import { signInBrowser } from '@farebox/platform/src/test-setup/browser/sign-in-browser'
import type { Page } from 'playwright-core'
import { button, settled, type Scene } from './scene.ts'
import { OWNER, type ShotsStage } from './shots-stage.ts'

/** A flow with its input. */
interface Runnable {
  readonly flow: unknown
  readonly input: unknown
}

async function template({ url }: ShotsStage, id: string): Promise<Runnable> {
  const answer = await fetch(`${url}/v1/flows/templates`)
  const { templates } = (await answer.json()) as TemplatesAnswer
  const found = templates.find(({ template_id: templateId }) => templateId === id)
  if (found === undefined) throw new Error(`there is no template ${id}`)
  return { flow: found.flow, input: found.sample_input }
}

/** Two jobs of the agent `teller`; `stumble` fails the first time, `wait` takes a while. */
async function telling({ url, agentIds }: ShotsStage, second: 'stumble' | 'wait'): Promise<Runnable> {
  const answer = await fetch(`${url}/v1/agents/${agentIds.teller}`)
  const {
    name: agent_name,
    agent_id,
    max_deadline_seconds,
    capabilities,
  } = (await answer.json()) as AgentPage
  const step = (capability: string, given: object): unknown => {
    const found = capabilities.find(({ name }) => name === capability)
    if (found === undefined) throw new Error(`the teller has no ${capability}`)
    const { hash, price, input_schema, output_schema } = found
    const pinned = { agent_name, hash, price, max_deadline_seconds, input_schema, output_schema }
    return { kind: 'job', agent_id, capability, pinned, ...given }
  }
  const wires = [
    { from: { step: 'input', port: 'text' }, to: { step: 'count', port: 'text' } },
    { from: { step: 'count', port: 'words' }, to: { step: 'output', port: 'words' } },
  ]
  const flow = {
    flow_version: 1,
    name: 'Counted twice',
    inputs: { text: { type: 'string', required: true, maxLength: 40 } },
    outputs: ['words'],
    steps: {
      count: step('count', { label: 'Counter' }),
      second:
        second === 'wait'
          ? step('wait', { label: 'Slow counter', constants: { ms: 14_000 } })
          : step('stumble', { label: 'Stumbling counter' }),
    },
    wires:
      second === 'wait'
        ? wires
        : [...wires, { from: { step: 'input', port: 'text' }, to: { step: 'second', port: 'text' } }],
  }
  return { flow, input: { text: `exact fare ${Date.now()}` } }
}

/** Opens a flow at its shared page. */
async function openShared(page: Page, { url }: ShotsStage, { flow }: Runnable): Promise<void> {
  const owner = await page.context().browser()?.newContext({ baseURL: url })
  if (owner === undefined) throw new Error('the browser has gone')
  await signInBrowser(owner, url, OWNER.privateKey)
  const headers = { origin: url }
  const saved = await owner.request.post('/v1/flows', { headers, data: { flow } })
  const { flow_id: flowId } = (await saved.json()) as { readonly flow_id: string }
  const shared = await owner.request.post(`/v1/flows/${flowId}/share`, { headers, data: {} })
  const { share_id: shareId } = (await shared.json()) as { readonly share_id: string }
  await owner.close()
  await page.goto(`/shared/${shareId}`)
  await settled(page)
}

async function openInput(page: Page, stage: ShotsStage, runnable: Runnable): Promise<void> {
  await openShared(page, stage, runnable)
  await button(page, /^Run it/).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByRole('button', { name: 'JSON' }).click()
  await sheet.getByRole('textbox').fill(JSON.stringify(runnable.input))
}

async function openSheet(page: Page, stage: ShotsStage, runnable: Runnable): Promise<void> {
  await openInput(page, stage, runnable)
  await page.getByRole('dialog').getByRole('button', { name: 'See the prices' }).click()
  await page.getByText('Maximum total').waitFor()
  await settled(page)
}

async function start(
  page: Page,
  stage: ShotsStage,
  runnable: Runnable,
  ends: string | RegExp,
): Promise<void> {
  await openSheet(page, stage, runnable)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Sign|Start)/ })
    .click()
  await page.waitForURL('**/runs/*')
  await page.getByRole('heading', { level: 1, name: ends }).waitFor()
  await settled(page)
}

const FAILED = 'One step was not delivered'
const DONE = 'Delivered and paid'

async function stumble(page: Page, stage: ShotsStage): Promise<void> {
  await start(page, stage, await telling(stage, 'stumble'), FAILED)
}

async function resume(page: Page): Promise<void> {
  await button(page, /and resume$/).click()
  await page.getByRole('heading', { level: 1, name: DONE }).waitFor()
  await settled(page)
}

async function askToCancel(page: Page, stage: ShotsStage): Promise<void> {
  await stumble(page, stage)
  await button(page, 'Cancel the run').click()
  await page.getByRole('dialog').waitFor()
}

/** Flows: the list, a shared one, the sheet that signs, and a run in every possible state. */
export const FLOW_SCENES: readonly Scene[] = [
  {
    name: 'flows',
    async reach(page) {
      await page.goto('/flows')
      await settled(page)
    },
  },
  {
    name: 'flow-shared',
    reach: async (page, stage) => openShared(page, stage, await template(stage, 'text-report')),
  },
  {
    name: 'flow-sign-input',
    async reach(page, stage) {
      await openShared(page, stage, await template(stage, 'article-card'))
      await button(page, /^Run it/).click()
      await page.getByRole('dialog').getByRole('textbox').first().waitFor()
    },
  },
  {
    name: 'flow-sign',
    reach: async (page, stage) => openSheet(page, stage, await template(stage, 'article-card')),
  },
  {
    name: 'flow-sign-later',
    reach: async (page, stage) => openSheet(page, stage, await template(stage, 'approve-the-summary')),
  },
  {
    name: 'run-working',
    reach: async (page, stage) => start(page, stage, await telling(stage, 'wait'), /steps done/),
  },
  {
    name: 'run-done',
    reach: async (page, stage) => start(page, stage, await template(stage, 'article-card'), DONE),
  },
  {
    name: 'run-branches',
    reach: async (page, stage) => start(page, stage, await template(stage, 'text-report'), DONE),
  },
  { name: 'run-failed', reach: stumble },
  {
    name: 'run-resumed',
    async reach(page, stage) {
      await stumble(page, stage)
      await resume(page)
    },
  },
  {
    name: 'run-list',
    reach: async (page, stage) =>
      start(page, stage, await template(stage, 'count-each'), /waiting for your payment$/),
  },
  {
    name: 'run-approval',
    reach: async (page, stage) =>
      start(page, stage, await template(stage, 'approve-the-summary'), 'Your approval is needed'),
  },
  {
    name: 'run-paused',
    async reach(page, stage) {
      await stumble(page, stage)
      await button(page, 'Pause').click()
      await page.getByRole('heading', { level: 1, name: 'Paused' }).waitFor()
    },
  },
  { name: 'run-cancel', reach: askToCancel },
  {
    name: 'run-cancelled',
    async reach(page, stage) {
      await askToCancel(page, stage)
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click()
      await page.getByRole('heading', { level: 1, name: 'Canceled' }).waitFor()
    },
  },
  {
    name: 'run-compare',
    async reach(page, stage) {
      await stumble(page, stage)
      await stumble(page, stage)
      await resume(page)
      await page.getByLabel('Compare with').selectOption({ index: 1 })
      await page.getByRole('heading', { name: /^Compared with run/ }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'run-shut',
    async reach(page) {
      await page.goto('/runs/00000000-0000-4000-8000-000000000000')
      await settled(page)
    },
  },
  {
    name: 'jobs-runs',
    async reach(page, stage) {
      await start(page, stage, await template(stage, 'article-card'), DONE)
      await stumble(page, stage)
      await page.goto('/jobs')
      await settled(page)
    },
  },
]
