import type { Page } from 'playwright-core'
import { settle, type Chromium } from './chromium.ts'
import type { Section } from './figure.ts'
import { describeSent, listenForCode, sumSent } from './sent-code.ts'

const MOST_SCRIPT_KB = 125
const MOST_STYLE_KB = 16
/** What nobody needs who only looks around: signing, and wallets. */
const WALLET_CODE = /wallet|sign-order|send-order|sign-in-sheet|send-stake|keccak/

/** What the first page brings, all that it asks for by itself included, and what comes when it is wanted, by name. */
export async function measureSizes({ context }: Chromium, url: string): Promise<Section> {
  const page = await context.newPage()
  const listener = listenForCode(page)
  try {
    await page.goto(url)
    await settle(page)
    const first = await listener.take()
    const later: string[] = []
    for (const [what, step] of STEPS) {
      await step(page)
      await settle(page)
      later.push(`${what.padEnd(22)} ${describeSent(await listener.take())}`)
    }
    const scripts = first.filter(({ kind }) => kind === 'script')
    const wallet = scripts.filter(({ name }) => WALLET_CODE.test(name))
    return {
      title: 'the first page, gzip (a KB is 1,000 bytes)',
      figures: [
        {
          what: 'scripts',
          value: sumSent(scripts),
          unit: 'KB',
          goal: { atMost: MOST_SCRIPT_KB },
          notes: [
            `${scripts.length} files; the largest: ${describeSent([...scripts].sort((one, other) => other.kb - one.kb).slice(0, 4))}`,
          ],
        },
        {
          what: 'styles',
          value: sumSent(first.filter(({ kind }) => kind === 'stylesheet')),
          unit: 'KB',
          goal: { atMost: MOST_STYLE_KB },
        },
        {
          what: 'of the scripts, for wallets',
          value: sumSent(wallet),
          unit: 'KB',
          notes: [
            wallet.length === 0
              ? 'none'
              : `${describeSent(wallet)}: a local chain’s test wallet is made while the page paints; elsewhere this is not sent`,
            'on demand:',
            ...later.map(line => `  ${line}`),
          ],
        },
      ],
    }
  } finally {
    await page.close()
  }
}

const STEPS: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
  ['an agent’s page', page => page.locator('.entry h3 a').first().click()],
  ['a sample is filled in', page => page.getByRole('button', { name: 'Fill with a sample' }).click()],
  [
    'pay is pressed',
    async page => {
      await page.getByRole('button', { name: /^Pay .* and run/ }).click()
      await page.getByText('Paid', { exact: true }).waitFor()
    },
  ],
  ['the receipt is checked', page => page.getByRole('link', { name: 'Check the signature' }).click()],
  ['your agents', page => page.getByRole('link', { name: 'Your agents' }).first().click()],
  ['sign in is pressed', page => page.locator('main').getByRole('button', { name: 'Sign in' }).click()],
]
