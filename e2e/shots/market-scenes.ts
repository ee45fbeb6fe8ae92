import { button, settled, type Scene } from './scene.ts'

/** The marketplace, and pages around it. */
export const MARKET_SCENES: readonly Scene[] = [
  {
    name: 'index',
    async reach(page) {
      await page.goto('/')
      await settled(page)
    },
  },
  {
    name: 'index-searching',
    async reach(page) {
      await page.goto('/')
      await settled(page)
      await page.route(/\/v1\/agents\?/, () => new Promise(() => undefined))
      await page.getByRole('searchbox').pressSequentially('qr')
      await page.locator('.rows.waiting').waitFor()
    },
  },
  {
    name: 'index-nothing',
    async reach(page) {
      await page.goto('/?q=invoice&max_price=0.05&takes=string:pdf')
      await settled(page)
    },
  },
  {
    name: 'index-failed',
    async reach(page) {
      await page.goto('/')
      await settled(page)
      await page.route(/\/v1\/agents\?/, route => route.abort())
      await page.getByRole('searchbox').pressSequentially('qr')
      await page.getByText('The platform did not respond.').waitFor()
    },
  },
  { name: 'missing', reach: page => page.goto('/no-such-page') },
  {
    name: 'sign-in',
    async reach(page) {
      await page.goto('/sign-in?next=/jobs')
      await settled(page)
    },
  },
  {
    name: 'sign-in-sheet',
    async reach(page) {
      await page.goto('/owner')
      await settled(page)
      await page.locator('main').getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('dialog').waitFor()
      await settled(page)
    },
  },
  {
    name: 'purse',
    async reach(page) {
      await page.goto('/')
      await settled(page)
      await button(page, /USDC/).click()
      await page.getByRole('dialog').waitFor()
    },
  },
]
