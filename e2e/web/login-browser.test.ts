import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '@farebox/cli/run-cli'
import { createTestWorld, type TestWorldOptions } from '@farebox/cli/src/testing/test-world'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { findChromium } from '@farebox/platform/src/test-setup/browser/browser'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWebScene } from '../stage/web/web-scene.ts'

const OWNER = TEST_KEYS.agent
const CODE = /\b([2-9A-HJ-NP-Z]{3})-([2-9A-HJ-NP-Z]{3})\b/

const chromium = findChromium()

describe.skipIf(chromium === undefined)('farebox login --browser', () => {
  const scene = createWebScene(chromium)
  let folder: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'farebox-login-browser-'))
  })
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  const terminal = (options: Partial<TestWorldOptions>): ReturnType<typeof createTestWorld> =>
    createTestWorld({
      folder,
      variables: { FAREBOX_PLATFORM: scene.web.url, FAREBOX_PRIVATE_KEY: OWNER.privateKey },
      ...options,
    })

  const readCode = async (page: Page): Promise<string> => {
    const shown = page.getByText(CODE)
    await shown.waitFor()
    return await shown.innerText()
  }
  const ownAgents = async (page: Page): Promise<void> =>
    await page.getByRole('heading', { name: 'Your agents', level: 1 }).waitFor()

  test('the owner’s page opens in the browser that entered the code, and logout in the terminal ends its session', async () => {
    const { page } = await scene.come()
    let opening: Promise<unknown> = Promise.resolve()
    const { world, err, everything } = terminal({
      browser: url => void (opening = page.goto(url)),
      answers: [
        async () => {
          await opening
          const code = await readCode(page)
          await page.getByText(OWNER.address).waitFor()
          expect(page.url()).toBe(`${scene.web.url}/sign-in/terminal`)
          return code.toLowerCase().replace('-', ' ')
        },
      ],
    })
    expect(await runCli(['login', '--browser'], world), err()).toBe(0)
    await ownAgents(page)
    await page.getByText('Teller').first().waitFor()
    expect(everything()).not.toContain('fbs_')
    const cookies = await page.context().cookies()
    expect(cookies.map(({ name, httpOnly }) => ({ name, httpOnly }))).toContainEqual({
      name: 'farebox_session',
      httpOnly: true,
    })

    await page.goto('/owner/settings')
    await page.getByText(/, signed in .* from a terminal/).waitFor()
    await page.goto(`/owner/agents/${scene.web.agentId}`)
    await page.getByText(`farebox deregister ${scene.web.agentId}`).waitFor()
    expect(await page.getByRole('button', { name: /^Deregister/ }).count()).toBe(0)

    // The browser's session is not replaced.
    const again = terminal({
      browser: url => void (opening = page.goto(url)),
      answers: [
        async () => {
          await opening
          await page.getByRole('heading', { name: 'You are already signed in' }).waitFor()
          throw new Error('nobody types a code')
        },
      ],
    })
    expect(await runCli(['login', '--browser'], again.world)).toBe(1)

    expect(await runCli(['logout'], terminal({}).world)).toBe(0)
    await page.goto('/owner')
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().waitFor()
  })

  test('a second browser is refused, and three wrong codes void the link', async () => {
    const { page: first } = await scene.come()
    const { page: second } = await scene.come()
    let link = ''
    const wrong = async (): Promise<string> => {
      await first.goto(link)
      const code = await readCode(first)
      return (code.startsWith('2') ? '3' : '2') + code.slice(1)
    }
    const { world, err } = terminal({
      browser: url => void (link = url),
      answers: [
        async () => {
          const code = await wrong()
          await second.goto(link)
          await second.getByText('This link was already opened in another browser.').waitFor()
          return code
        },
        'no',
        wrong,
        wrong,
      ],
    })
    expect(await runCli(['login', '--browser'], world)).toBe(1)
    expect(err()).toMatch(/2 tries left[^]*1 try left[^]*the link is void now/)
    await first.getByText('the code was mistyped three times').waitFor()
    for (const page of [first, second]) {
      await page.goto('/owner')
      await page.getByRole('button', { name: 'Sign in', exact: true }).first().waitFor()
    }
  })

  test('without a terminal it signs nothing and says why', async () => {
    const { world, err } = terminal({})
    expect(await runCli(['login', '--browser'], world)).toBe(2)
    expect(err()).toContain('--browser needs a terminal')
    expect(await runCli(['whoami'], terminal({}).world)).toBe(1)
  })
})
