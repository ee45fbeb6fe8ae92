import { basename } from 'node:path'
import type { Page } from 'playwright-core'
import { request } from 'undici'
import { settle, type Chromium } from './chromium.ts'
import type { Section } from './figure.ts'

const MOST_SCRIPT_KB = 125
const MOST_STYLE_KB = 16
/** What nobody needs who only looks around: signing, and wallets. */
const WALLET_CODE = /wallet|sign-order|send-order|sign-in-sheet|send-stake|keccak/

/** A file that a page asked for. */
interface Sent {
  readonly name: string
  readonly kind: 'script' | 'stylesheet'
  /** Its gzip, in KB. */
  readonly kb: number
}

/** What the first page brings, all that it asks for by itself included, and what comes when it is wanted, by name. */
export async function measureSizes({ context }: Chromium, url: string): Promise<Section> {
  const page = await context.newPage()
  const listener = listen(page)
  try {
    await page.goto(url)
    await settle(page)
    const first = await listener.take()
    const later: string[] = []
    for (const [what, step] of STEPS) {
      await step(page)
      await settle(page)
      later.push(`${what.padEnd(22)} ${describe(await listener.take())}`)
    }
    const scripts = first.filter(({ kind }) => kind === 'script')
    const wallet = scripts.filter(({ name }) => WALLET_CODE.test(name))
    return {
      title: 'the first page, gzip (a KB is 1,000 bytes)',
      figures: [
        {
          what: 'scripts',
          value: sum(scripts),
          unit: 'KB',
          goal: { atMost: MOST_SCRIPT_KB },
          notes: [
            `${scripts.length} files; the largest: ${describe([...scripts].sort((one, other) => other.kb - one.kb).slice(0, 4))}`,
          ],
        },
        {
          what: 'styles',
          value: sum(first.filter(({ kind }) => kind === 'stylesheet')),
          unit: 'KB',
          goal: { atMost: MOST_STYLE_KB },
        },
        {
          what: 'of the scripts, for wallets',
          value: sum(wallet),
          unit: 'KB',
          notes: [
            wallet.length === 0
              ? 'none'
              : `${describe(wallet)}: a local chain’s test wallet is made while the page paints; elsewhere this is not sent`,
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

interface Listener {
  /** What came since it was asked last. */
  take(): Promise<readonly Sent[]>
}

function listen(page: Page): Listener {
  const urls = new Map<string, Sent['kind']>()
  const known = new Set<string>()
  page.on('request', asked => {
    const kind = asked.resourceType()
    const url = asked.url()
    const isOther = kind !== 'script' && kind !== 'stylesheet' && !url.endsWith('.js')
    if (!isOther && !known.has(url)) urls.set(url, kind === 'stylesheet' ? kind : 'script')
    known.add(url)
  })
  return {
    async take() {
      const taken = [...urls]
      urls.clear()
      return await Promise.all(taken.map(async ([url, kind]) => ({ ...(await weigh(url)), kind })))
    },
  }
}

async function weigh(url: string): Promise<Omit<Sent, 'kind'>> {
  const { body } = await request(url, { headers: { 'accept-encoding': 'gzip' } })
  const { byteLength } = await body.arrayBuffer()
  return { name: nameOf(url), kb: byteLength / 1_000 }
}

/** The name of a chunk: what was built from it comes behind the last dash. */
function nameOf(url: string): string {
  return basename(new URL(url).pathname).replace(/-[\w-]{8}\.(?:js|css)$/, '')
}

function describe(files: readonly Sent[]): string {
  if (files.length === 0) return 'nothing'
  return files.map(({ name, kb }) => `${name} ${kb.toFixed(1)}`).join(', ')
}

function sum(files: readonly Sent[]): number {
  return files.reduce((total, { kb }) => total + kb, 0)
}
