import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import type { JsonValue } from '@farebox/protocol/fields/field'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import type { JobAnswer } from '@farebox/platform-api/jobs'
import { SIGNED_IN_COOKIE } from '@farebox/platform-api/internal/me/signed-in-cookie'
import { createApp } from '@farebox/platform/src/app/create-app'
import { platformRoutes } from '@farebox/platform/src/create-platform'
import { indexAgent } from '@farebox/platform/src/listing/index-agent'
import { readStorableJson } from '@farebox/platform/src/checking/read-json'
import type { PlatformParts } from '@farebox/platform/src/platform-parts'
import { findChromium, startBrowser } from '@farebox/platform/src/test-setup/browser/browser'
import { insertAgent, sampleDeclaration } from '@farebox/platform/src/test-setup/database/insert-agent'
import { insertJob } from '@farebox/platform/src/test-setup/database/insert-job'
import { makeWallet, signedInAs } from '@farebox/platform/src/test-setup/sign-in'
import { stagePlatform, type Stage } from '@farebox/platform/src/test-setup/stage-platform'
import { createPages } from '@farebox/web/create-pages'
import type { FastifyInstance } from 'fastify'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../stage/free-port.ts'
import { hostilePayloads } from '../stage/web/hostile-payloads.ts'

/** Concurrent pages: two keep the machine busy. */
const TABS = 2
/** Capabilities of an agent, each with a different text. */
const GROUP = 4

let stage: Stage
let app: FastifyInstance
let origin: string
let elsewhere: Server
let payloads: readonly string[]
let callers = 0
/** Requests to the server that payloads name. */
let visits = 0

beforeAll(async () => {
  elsewhere = createServer((_, response) => {
    visits += 1
    response.end()
  }).listen(0, '127.0.0.1')
  await once(elsewhere, 'listening')
  payloads = hostilePayloads(`http://127.0.0.1:${portOf(elsewhere)}`)
  stage = await stagePlatform({ realTime: true })
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const settings = { ...stage.parts.settings, publicUrl, localMode: false }
  const parts: PlatformParts = { ...stage.parts, settings }
  app = createApp(parts, platformRoutes(parts), {
    pages: createPages({ publicUrl, localMode: false }),
    trustedProxies: ['127.0.0.1'],
  })
  origin = await app.listen({ host: '127.0.0.1', port })
})

afterAll(async () => {
  await app.close()
  await stage.close()
  elsewhere.close()
})

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** A hostile declaration in which every text is a payload: one is the agent's name, each is a capability. */
function declare(group: readonly string[], wallet: string): Declaration {
  const [name = ''] = group
  return sampleDeclaration(wallet, {
    name: short(name),
    description: long(name),
    capabilities: Object.fromEntries(group.map(payload => [short(payload), declareCapability(payload)])),
  })
}

function declareCapability(payload: string): Capability {
  const description = long(payload)
  const text = {
    type: 'string',
    required: true,
    description,
    default: description,
    enum: [description, 'other'],
  } as const
  const fields = {
    [short(payload)]: text,
    [`open ${short(payload)}`]: { type: 'string', description, minLength: 1 },
    [`list ${short(payload)}`]: { type: 'array', description, items: { type: 'string', description } },
    [`rows ${short(payload)}`]: {
      type: 'array',
      description,
      items: { type: 'object', properties: { [short(payload)]: { type: 'string', description } } },
    },
  } as const
  return {
    description,
    pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
    input_schema: fields,
    output_schema: fields,
    permissions: [
      {
        type: 'EXECUTE_TRANSACTIONS',
        reason: description,
        token: short(payload),
        max_per_transaction: '5.00',
      },
    ],
  }
}

/** The maximum length of a name. */
const short = (payload: string): string => Array.from(payload).slice(0, 64).join('')

/** The maximum length of a description. */
const long = (payload: string): string => Array.from(payload).slice(0, 280).join('')

/** The declaration as the platform stores it; undefined if the platform refuses it. */
function readDeclaration(group: readonly string[], wallet: string): Declaration | undefined {
  const read = readStorableJson(JSON.stringify(declare(group, wallet)))
  const checked = read.ok ? checkDeclaration(read.value) : undefined
  return checked?.ok === true ? checked.declaration : undefined
}

/** A job whose agent answered with the payloads in every free text. */
function answerJob(job: JobAnswer, group: readonly string[], hasFailed: boolean): JobAnswer {
  const fields = group.flatMap((payload, at): readonly (readonly [string, JsonValue])[] => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1">${payload}</svg>`
    return [
      [payload, payload],
      [`list ${at}`, [payload, payload]],
      [`rows ${at}`, [{ [payload]: payload, b: payload }]],
      [`deep ${at}`, { [payload]: { [payload]: [payload] } }],
      [`picture ${at}`, `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`],
      [`drawing ${at}`, svg],
      [`link ${at}`, `javascript:${payload}`],
    ]
  })
  return hasFailed
    ? {
        ...job,
        status: 'failed',
        charged: false,
        payment: { ...job.payment, status: 'unpaid', transaction: null },
        receipt: null,
        error_type: 'internal',
        error: group.join('\n'),
      }
    : {
        ...job,
        input: Object.fromEntries(fields),
        output: Object.fromEntries(fields),
        output_problem: group.join('\n'),
      }
}

const chromium = findChromium()

describe.skipIf(chromium === undefined)(
  '120 hostile texts in every field that an owner or an agent writes',
  () => {
    let browser: Browser
    const contexts: BrowserContext[] = []
    /** Events that must never happen: dialogs, errors, reports of the policy, requests to other origins. */
    let troubles: string[]
    /** Those that are allowed in a declaration. */
    const agents: HostileAgent[] = []

    beforeAll(async () => {
      browser = await startBrowser(chromium ?? '')
      let owner = await makeOwner()
      const declared = payloads.filter(payload => readDeclaration([payload], owner.address) !== undefined)
      for (const [at, payload] of declared.entries()) {
        const group = Array.from(
          { length: GROUP },
          (_, ahead) => declared[(at + ahead) % declared.length] ?? '',
        )
        const declaration = readDeclaration(group, owner.address)
        if (declaration === undefined) continue
        // One address may request a limited number of pages a minute, fewer than these.
        if (agents.length % 20 === 19) owner = await makeOwner()
        const { agentId } = await insertAgent(stage.database, {
          owner: owner.address,
          declaration,
          atMs: Date.now() - 60_000,
        })
        const [capability = ''] = Object.keys(declaration.capabilities)
        await insertJob(stage.parts, { agentId, capability })
        await stage.database.inTransaction(client => indexAgent(client, agentId))
        agents.push({ agentId, payload, owner })
      }
    })

    afterAll(() => browser.close())

    beforeEach(() => {
      troubles = []
      visits = 0
    })

    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close()
      expect(troubles).toEqual([])
      expect(visits).toBe(0)
    })

    async function openTab(): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
      })
      contexts.push(context)
      context.setDefaultTimeout(0)
      await context.addInitScript({ content: WATCH_POLICY })
      context.on('dialog', dialog => {
        troubles.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      context.on('weberror', error => troubles.push(`error: ${error.error().message}`))
      context.on('console', message => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          troubles.push(`console: ${message.text()}`)
      })
      context.on('request', request => {
        const url = new URL(request.url())
        if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol))
          troubles.push(`request: ${request.url()}`)
      })
      return await context.newPage()
    }

    /** Opens each in turn, in a few tabs. */
    async function visitAll<T>(all: Iterable<T>, look: (page: Page, one: T) => Promise<void>): Promise<void> {
      const rest = [...all]
      const goOn = async (): Promise<void> => {
        const page = await openTab()
        for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
          callers += 1
          // Another visitor each time, because one reader may send fewer requests.
          await page.setExtraHTTPHeaders({ 'x-forwarded-for': `198.18.${callers >> 8}.${callers & 255}` })
          await look(page, one)
        }
      }
      await Promise.all(Array.from({ length: TABS }, goOn))
    }

    /** Records elements of a page that came from texts. */
    async function inspect(page: Page, about: string): Promise<void> {
      const found = (await page.evaluate(FOUND)) as readonly string[]
      troubles.push(...found.map(one => `${page.url()} (${about}): ${one}`))
    }

    /** Reads the documents of the server, parsed like a browser. */
    async function readAll<T>(
      all: readonly T[],
      pathOf: (one: T) => string,
      owner?: (one: T) => Owner,
    ): Promise<void> {
      await visitAll(all, async (page, one) => {
        if (!page.url().startsWith(origin)) await page.goto(`${origin}/receipts`)
        if (owner !== undefined) await signIn(page, owner(one))
        const found = (await page.evaluate(servedAt(pathOf(one)))) as readonly string[]
        troubles.push(...found.map(trouble => `${pathOf(one)}: ${trouble}`))
      })
    }

    /**
     * Opens a page by a link, from a page without untrusted texts; one in ten is loaded instead, with all its scripts.
     */
    async function follow(page: Page, path: string): Promise<void> {
      const isLoaded = page.url().startsWith(origin) && callers % 10 > 0
      if (!isLoaded) return void (await page.goto(origin + path))
      await page.evaluate(follows('/receipts'))
      await page.getByRole('heading', { name: 'Check a receipt' }).waitFor()
      await page.evaluate(follows(path))
    }

    async function signIn(page: Page, { token }: Owner): Promise<void> {
      await page.context().addCookies([
        { name: 'farebox_session', value: token, url: origin },
        { name: SIGNED_IN_COOKIE, value: '1', url: origin },
      ])
    }

    test('nearly all are valid in a declaration, so the pages must display them safely', () => {
      expect(payloads.length).toBeGreaterThanOrEqual(120)
      expect(new Set(payloads).size).toBe(payloads.length)
      expect(agents.length).toBeGreaterThanOrEqual(115)
    })

    test('on an agent’s page, for a visitor', async () => {
      await readAll(agents, ({ agentId }) => `/agents/${agentId}`)
      await visitAll(oneOfEachGroup(agents), async (page, { agentId, payload }) => {
        await follow(page, `/agents/${agentId}`)
        await page.getByRole('button', { name: 'Use sample input' }).click()
        await inspect(page, payload)
      })
    })

    test('on an agent’s page, for its owner', async () => {
      await readAll(
        agents,
        ({ agentId }) => `/owner/agents/${agentId}`,
        ({ owner }) => owner,
      )
      await visitAll(oneOfEachGroup(agents), async (page, { agentId, owner, payload }) => {
        await signIn(page, owner)
        await follow(page, `/owner/agents/${agentId}`)
        await page.getByRole('button', { name: `Deregister agent ${agentId}` }).waitFor()
        await inspect(page, payload)
      })
    })

    test('in the lists of agents', async () => {
      const owners = [...new Set(agents.map(({ owner }) => owner))]
      await visitAll(owners, async (page, owner) => {
        await signIn(page, owner)
        await page.goto(`${origin}/owner`)
        await page.getByText('Signed in as').waitFor()
        await inspect(page, 'agents of an owner')
      })
      await visitAll(['/?sort=newest'], async (page, path) => {
        await page.goto(origin + path)
        const more = page.getByRole('button', { name: 'Show 20 more' })
        while ((await more.count()) > 0) {
          const rows = await page.locator('ul.rows > li').count()
          await more.click()
          await expect.poll(() => page.locator('ul.rows > li').count()).toBeGreaterThan(rows)
        }
        await expect.poll(() => page.locator('ul.rows > li').count()).toBe(agents.length)
        await inspect(page, 'all agents')
      })
    })

    test('in a search', async () => {
      const search = (payload: string): string =>
        `/?${new URLSearchParams({ q: payload, capability: payload, takes: `string:${payload}` })}`
      await readAll(payloads, search)
      await visitAll(oneOfEachGroup(payloads), async (page, payload) => {
        await follow(page, search(payload))
        await page.getByRole('searchbox').waitFor()
        await inspect(page, payload)
      })
    })

    test('in the answer of a job, and in its error', async () => {
      const [{ agentId, owner } = NOBODY] = agents
      const jobId = await insertJob(stage.parts, { agentId, payer: owner.address })
      const headers = { authorization: `Bearer ${owner.token}` }
      const told = (await app.inject({ url: `/v1/jobs/${jobId}`, headers })).json<JobAnswer>()
      expect(told.status).toBe('completed')
      const outcomes = [true, false].flatMap(hasFailed =>
        inGroupsOf(20, payloads).map(group => ({ hasFailed, group })),
      )
      await visitAll(outcomes, async (page, { hasFailed, group }) => {
        const json = answerJob(told, group, hasFailed)
        await page.route('**/v1/jobs/*', route => route.fulfill({ json }))
        await page.goto('about:blank')
        await page.goto(
          `${origin}/jobs/${jobId}#t=${encodeURIComponent(Buffer.from(group.join(' ')).toString())}`,
        )
        await page
          .getByText(hasFailed ? 'Not charged' : 'Output')
          .first()
          .waitFor()
        await inspect(page, group.join(' '))
        if (hasFailed) return
        await page.getByRole('button', { name: 'JSON' }).click()
        await inspect(page, group.join(' '))
      })
    })

    test('in a pasted receipt', async () => {
      await visitAll([payloads], async (page, all) => {
        await page.goto(`${origin}/receipts`)
        for (const payload of all) {
          await page.getByRole('textbox').fill(payload)
          await page.goto(`${origin}/receipts#${encodeURIComponent(Buffer.from(payload).toString())}`)
          await inspect(page, payload)
        }
      })
    })
  },
)

interface Owner {
  readonly address: string
  readonly token: string
}

interface HostileAgent {
  readonly agentId: number
  readonly payload: string
  readonly owner: Owner
}

const NOBODY: HostileAgent = { agentId: 0, payload: '', owner: { address: '', token: '' } }

async function makeOwner(): Promise<Owner> {
  const { address } = makeWallet(stage.parts.crypto)
  const { authorization } = await signedInAs(stage.parts, address)
  return { address, token: authorization.replace('Bearer ', '') }
}

/** Each text is a capability of one of them. */
const oneOfEachGroup = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => at % GROUP === 0)

function inGroupsOf<T>(size: number, all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
}

const WATCH_POLICY = `addEventListener('securitypolicyviolation', event => (window.reports ??= []).push(event.violatedDirective + ' ' + event.blockedURI))`

/** Follows a link. */
const follows = (path: string): string => `(() => {
  const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(path)} })
  document.body.append(link)
  link.click()
  link.remove()
})()`

/** Counts elements in a document from the server that only texts could have created. */
const servedAt = (path: string): string => `(async () => {
  const request = new XMLHttpRequest()
  request.open('GET', ${JSON.stringify(path)})
  request.setRequestHeader('accept', 'text/html')
  request.responseType = 'document'
  await new Promise((onload, onerror) => Object.assign(request, { onload, onerror }).send())
  const root = request.response.querySelector('#root')
  if (!root?.childElementCount) return ['nothing is served']
  const made = [...root.querySelectorAll('*')].filter(one =>
    one.matches('script, iframe, object, embed, base, link, meta, style, template, video') ||
    one.getAttributeNames().some(name => name === 'style' || name.startsWith('on')))
  const links = [...root.querySelectorAll('a[href], form[action], img[src]')].map(one =>
    one.getAttribute('href') ?? one.getAttribute('action') ?? one.getAttribute('src'))
  return [
    ...made.map(one => one.outerHTML.slice(0, 200)),
    ...links.filter(url => !/^(?:https?|blob|data):/.test(new URL(url, location.href).href)).map(url => 'link ' + url),
  ]
})()`

/** Counts elements in a page that only texts could have created. */
const FOUND = `(() => {
  const isCut = one => one !== document.body && (getComputedStyle(one).overflowX !== 'visible' || isCut(one.parentElement))
  const widest = () => [...document.querySelectorAll('#root *')].findLast(one => one.getBoundingClientRect().right > innerWidth && !isCut(one.parentElement))?.parentElement.parentElement.outerHTML.slice(0, 500)
  const made = document.querySelectorAll('#root :is(script, iframe, object, embed, base, link, meta, style, template, video, [onload], [onerror], [onclick], [onfocus], [ontoggle], [style])')
  const links = [...document.querySelectorAll('a[href], form[action], img[src]')].map(one => one.href || one.action || one.src)
  return [
    ...(window.pwned === undefined ? [] : ['ran']),
    ...(window.reports ?? []),
    ...[...made].map(one => one.outerHTML.slice(0, 200)),
    ...links.filter(url => !/^(?:https?|blob|data):/.test(String(url))).map(url => 'link ' + url),
    ...(document.documentElement.scrollWidth <= innerWidth ? [] : ['wider than the window: ' + widest()]),
  ]
})()`
