import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import { describe, expect, test } from 'vitest'
import { findViolations } from '../stage/web/find-violations.ts'
import { createWebScene } from '../stage/web/web-scene.ts'

const WIDTHS = [320, 390, 768, 1024, 1280, 1920]

const chromium = findChromium()

describe.skipIf(chromium === undefined)('the pages', () => {
  const scene = createWebScene(chromium)

  const PATHS = [
    '/',
    '/?q=nothing-like-that',
    '/agents/1',
    '/flows',
    '/jobs',
    '/receipts',
    '/flows/new',
    '/register',
    '/owner',
    '/sign-in',
    '/sign-in/terminal',
    '/no-such-page',
  ]

  test.each(PATHS)(
    '%s breaks no rule of WCAG 2.2 A and AA, desktop and phone, and is never wider than the window',
    async path => {
      const { page } = await scene.come({ bypassCSP: true })
      await page.goto(path, { waitUntil: 'networkidle' })
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 })
        expect(
          await page.evaluate('document.documentElement.scrollWidth'),
          `${path} at ${width}`,
        ).toBeLessThanOrEqual(width)
        if (width === 390 || width === 1280)
          expect(await findViolations(page), `${path} at ${width}`).toEqual([])
      }
    },
  )

  test('without JavaScript the pages can be searched and read, and link to each other', async () => {
    const { page } = await scene.come({ javaScriptEnabled: false })
    await page.goto('/')
    await page.getByRole('searchbox').fill('teller')
    await page.getByRole('searchbox').press('Enter')
    expect(new URL(page.url()).searchParams.get('q')).toBe('teller')
    await page.getByRole('heading', { name: 'Teller' }).getByRole('link').click()
    await page.getByRole('heading', { name: 'Reliability' }).waitFor()
    await page.getByText('0.002 USDC').first().waitFor()
    await page.getByRole('link', { name: /^stumble/ }).click()
    await page.getByText('0.003 USDC').first().waitFor()
    expect(await page.title()).toBe('Teller · Farebox')
  })

  test('the code sample sends an input that the capability accepts', async () => {
    const { page } = await scene.come()
    await page.goto('/agents/1')
    await page.locator('#code').scrollIntoViewIfNeeded()
    await page.locator('#code pre').filter({ hasText: '"text": "' }).waitFor()
  })

  test.each(['/register', '/owner'])('%s explains how to create an agent for this platform', async path => {
    const { page } = await scene.come()
    await page.goto(path)
    const steps = page.getByRole('list').filter({ hasText: 'Write it' })
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(3)
    const { public_url: url } = (await (await page.request.get('/v1/platform')).json()) as {
      public_url: string
    }
    expect(await steps.innerText()).toContain(`--endpoint http://localhost:3000 \\\n  --platform ${url}`)
  })

  test('typing and choosing change the address, but neither the document nor the focus', async () => {
    const { page } = await scene.come()
    const documents: string[] = []
    page.on('request', request => {
      if (request.resourceType() === 'document') documents.push(new URL(request.url()).pathname)
    })
    await page.goto('/', { waitUntil: 'networkidle' })
    await page.getByRole('searchbox').click()
    await page.keyboard.type('teller', { delay: 150 })
    await page.waitForURL('**/?q=teller')
    expect(await page.getByRole('searchbox').inputValue()).toBe('teller')
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
    await page.getByRole('heading', { name: 'Teller' }).getByRole('link').click()
    await page.getByRole('link', { name: /^stumble/ }).click()
    await page.waitForURL('**/agents/*?capability=stumble')
    await page.goBack()
    await page.getByRole('searchbox').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('teller')
    expect(documents).toEqual(['/'])
  })

  test('each document has a strict content security policy, and nothing inline', async () => {
    for (const path of PATHS) {
      const answer = await fetch(`${scene.web.url}${path}`, { headers: { accept: 'text/html' } })
      const policy = answer.headers.get('content-security-policy')
      expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
      expect(policy, path).toContain("require-trusted-types-for 'script'")
      expect(policy, path).not.toMatch(/unsafe|nonce|\*/)
      const html = await answer.text()
      expect(html.match(/<script[^>]*>/g), path).toEqual([
        expect.stringMatching(/^<script type="module" src="\/assets\/[\w-]+\.js">$/),
        '<script type="application/json" id="state">',
      ])
      expect(html, path).not.toMatch(/<[^>]+\s(?:style|on\w+)=/)
      expect(html, path).not.toContain('<style')
    }
  })

  test.each(['br', 'gzip'])(
    'scripts and styles are sent compressed as %s, with the same text',
    async encoding => {
      const html = await (await fetch(scene.web.url, { headers: { accept: 'text/html' } })).text()
      const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
      expect(paths.length).toBeGreaterThan(1)
      for (const path of paths) {
        const [plain, sent] = await Promise.all(
          ['identity', encoding].map(async accepted => {
            const answer = await fetch(`${scene.web.url}${path}`, {
              headers: { 'accept-encoding': accepted },
            })
            return { encoding: answer.headers.get('content-encoding'), text: await answer.text() }
          }),
        )
        expect(plain?.encoding, path).toBeNull()
        expect(sent, path).toEqual({ encoding, text: plain?.text })
      }
    },
  )

  test('programs get JSON where browsers get pages; API paths are unchanged', async () => {
    const asked = async (path: string, accept: string): Promise<string | null> =>
      (await fetch(`${scene.web.url}${path}`, { headers: { accept } })).headers.get('content-type')
    expect(await asked('/', '*/*')).toContain('application/json')
    expect(await asked('/', 'text/html,*/*')).toContain('text/html')
    expect(await asked('/v1/agents', 'text/html')).toContain('application/json')
    expect(await asked('/agents/1', 'application/json')).toContain('application/json')
    expect(await asked('/health', 'text/html')).toContain('application/json')
  })
})
