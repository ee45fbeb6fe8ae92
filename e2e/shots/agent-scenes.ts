import type { Page } from 'playwright-core'
import { button, fillText, settled, type Scene } from './scene.ts'
import type { ShotsStage } from './shots-stage.ts'

const TEXT =
  'The quick brown fox jumps over the lazy dog. It was not in a hurry. Nobody had asked it to be anywhere.'

async function open(page: Page, { agentIds }: ShotsStage, folder: keyof ShotsStage['agentIds'], query = '') {
  await page.goto(`/agents/${agentIds[folder]}${query}`)
  await settled(page)
}

async function pay(page: Page): Promise<void> {
  await button(page, /^Pay .* and run/).click()
}

async function untilPaid(page: Page): Promise<void> {
  await page.getByText('Paid', { exact: true }).first().waitFor()
  await settled(page)
}

/** An agent's page, with a job in every possible state. */
export const AGENT_SCENES: readonly Scene[] = [
  { name: 'agent', reach: (page, stage) => open(page, stage, 'text-statistics') },
  {
    name: 'agent-filled',
    async reach(page, stage) {
      await open(page, stage, 'text-statistics')
      await fillText(page, TEXT)
    },
  },
  {
    name: 'agent-json',
    async reach(page, stage) {
      await open(page, stage, 'text-statistics')
      await fillText(page, TEXT)
      await page.getByText('JSON', { exact: true }).first().click()
    },
  },
  {
    name: 'agent-refused',
    async reach(page, stage) {
      await open(page, stage, 'teller')
      await fillText(page, 'x'.repeat(41))
      await pay(page)
      await page.getByText('text: must be at most 40 characters, got 41').first().waitFor()
    },
  },
  {
    name: 'agent-running',
    async reach(page, stage) {
      await open(page, stage, 'teller', '?capability=wait')
      await page.getByRole('textbox', { name: /^integer ms/ }).fill('14000')
      await pay(page)
      await page.getByText(/ has .* s to respond\./).waitFor()
    },
  },
  {
    name: 'agent-result',
    async reach(page, stage) {
      await open(page, stage, 'text-statistics')
      await fillText(page, TEXT)
      await pay(page)
      await untilPaid(page)
    },
  },
  {
    name: 'agent-result-image',
    async reach(page, stage) {
      await open(page, stage, 'qr-code')
      await fillText(page, 'https://www.x402.org')
      await pay(page)
      await untilPaid(page)
    },
  },
  {
    name: 'agent-result-text',
    async reach(page, stage) {
      await open(page, stage, 'summary')
      await fillText(page, `${TEXT} The price was known before it set out, and it paid exactly that.`)
      await pay(page)
      await untilPaid(page)
    },
  },
  {
    name: 'agent-failed',
    async reach(page, stage) {
      await open(page, stage, 'teller', '?capability=stumble')
      await fillText(page, `stumble ${Date.now()}`)
      await pay(page)
      await page.getByText('Not charged', { exact: true }).first().waitFor()
      await settled(page)
    },
  },
]

/** Last, because the agent is not restarted. */
export const OFFLINE_SCENES: readonly Scene[] = [
  { name: 'agent-offline', reach: (page, stage) => open(page, stage, 'patient') },
]
