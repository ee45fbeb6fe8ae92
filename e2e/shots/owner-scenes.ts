import type { Page } from 'playwright-core'
import { button, settled, type Scene } from './scene.ts'

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await settled(page)
}

/** Registration, and an owner's pages. */
export const OWNER_SCENES: readonly Scene[] = [
  { name: 'register', reach: page => open(page, '/register') },
  {
    name: 'register-checking',
    async reach(page, { newcomer }) {
      await open(page, '/register')
      await page.route('**/v1/registrations', () => new Promise(() => undefined))
      await page.getByLabel('Endpoint').fill(newcomer.url)
      await page.keyboard.press('Enter')
      await page.waitForTimeout(800)
    },
  },
  {
    name: 'register-problems',
    async reach(page, { unfit }) {
      await open(page, '/register')
      await page.getByLabel('Endpoint').fill(unfit.url)
      await page.keyboard.press('Enter')
      await settled(page)
      await page.waitForTimeout(1_500)
    },
  },
  {
    name: 'register-stake',
    async reach(page, { newcomer }) {
      await open(page, '/register')
      await page.getByLabel('Endpoint').fill(newcomer.url)
      await page.keyboard.press('Enter')
      await button(page, /^Stake/).waitFor()
    },
  },
  {
    name: 'register-listed',
    reach: (page, { registrationId }) => open(page, `/register/${registrationId}`),
  },
  { name: 'owner-signed-out', reach: page => open(page, '/owner') },
  { name: 'owner', asOwner: true, reach: page => open(page, '/owner') },
  {
    name: 'owner-agent',
    asOwner: true,
    reach: (page, { agentIds }) => open(page, `/owner/agents/${agentIds['text-statistics']}`),
  },
  {
    name: 'owner-jobs',
    asOwner: true,
    reach: (page, { agentIds }) => open(page, `/owner/agents/${agentIds['text-statistics']}/jobs`),
  },
  { name: 'secrets', asOwner: true, reach: page => open(page, '/owner/secrets') },
  {
    name: 'secret',
    asOwner: true,
    async reach(page) {
      await open(page, '/owner/secrets')
      await button(page, 'Create a secret').click()
      await page.getByLabel('Name').fill('Frankfurt, blue')
      await page.getByRole('dialog').getByRole('button', { name: 'Create the secret' }).click()
      await page.getByRole('heading', { name: 'Your new secret, shown only once' }).waitFor()
    },
  },
  { name: 'settings', asOwner: true, reach: page => open(page, '/owner/settings') },
]
