import type { Page } from 'playwright-core'
import { button, fillText, settled, type Scene } from './scene.ts'
import type { ShotsStage } from './shots-stage.ts'

async function order(page: Page, path: string, text: string, ends: string): Promise<void> {
  await page.goto(path)
  await fillText(page, text)
  await button(page, /^Pay .* and run/).click()
  await page.getByText(ends, { exact: true }).first().waitFor()
  await settled(page)
}

async function orderSome(page: Page, { agentIds }: ShotsStage): Promise<void> {
  await order(page, `/agents/${agentIds['text-statistics']}`, 'Exact fare, per ride.', 'Paid')
  await order(page, `/agents/${agentIds.teller}?capability=stumble`, `oh ${Date.now()}`, 'Not charged')
  await order(page, `/agents/${agentIds['qr-code']}`, 'https://www.x402.org', 'Paid')
}

/** Jobs, receipts. */
export const JOB_SCENES: readonly Scene[] = [
  {
    name: 'jobs-empty',
    async reach(page) {
      await page.goto('/jobs')
      await settled(page)
    },
  },
  {
    name: 'jobs',
    async reach(page, stage) {
      await orderSome(page, stage)
      await page.goto('/jobs')
      await settled(page)
    },
  },
  {
    name: 'job',
    async reach(page, stage) {
      await order(page, `/agents/${stage.agentIds['text-statistics']}`, 'Exact fare, per ride.', 'Paid')
      await page.goto('/jobs')
      await page.locator('.job-table a').first().click()
      await page.getByText('Paid', { exact: true }).first().waitFor()
      await page.getByRole('heading', { name: 'Output' }).waitFor()
      await settled(page)
    },
  },
  {
    name: 'job-shut',
    async reach(page) {
      await page.goto('/jobs/00000000-0000-4000-8000-000000000000')
      await settled(page)
    },
  },
  {
    name: 'receipts',
    async reach(page) {
      await page.goto('/receipts')
      await settled(page)
    },
  },
  {
    name: 'receipts-checked',
    async reach(page, stage) {
      await order(page, `/agents/${stage.agentIds['text-statistics']}`, 'Exact fare, per ride.', 'Paid')
      await page.getByRole('link', { name: 'Check the signature' }).click()
      await page.getByText('Signed by this platform').waitFor()
    },
  },
  {
    name: 'receipts-not-ours',
    async reach(page) {
      await page.goto('/receipts')
      await settled(page)
      await page
        .locator('#receipt')
        .fill('eyJhbGciOiJFZERTQSIsImtpZCI6Im5vdC1vdXJzIn0.eyJqb2IiOiJub25lIn0.c2lnbmVkLWJ5LW5vYm9keQ')
      await page.getByText('Not verified:').waitFor()
    },
  },
  {
    name: 'receipt-public',
    async reach(page, stage) {
      const answer = await fetch(`${stage.url}/v1/receipts?limit=1`)
      const { receipts } = (await answer.json()) as {
        readonly receipts: readonly { readonly hash: string }[]
      }
      await page.goto(`/receipts/${receipts[0]?.hash}`)
      await settled(page)
    },
  },
]
