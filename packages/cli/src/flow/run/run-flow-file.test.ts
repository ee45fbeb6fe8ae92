import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunPlatform, startRunPlatform } from '@farebox/client/src/test-setup/run-platform'
import type { Flow, JobStep } from '@farebox/flows/document/flow'
import { flowOf, QR, SUMMARY, SUMMARY_AND_QR } from '@farebox/flows/src/test-setup/sample-flows'
import { type EvmCrypto, loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { systemClock } from '@farebox/protocol/time/clock'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sessionFile } from '../../home/session-file.ts'
import { runCli } from '../../run-cli.ts'
import { createTestWorld, type TestWorldOptions } from '../../testing/test-world.ts'

const KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
const PAYER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const ARTICLE = ['--input', 'article=Long.']
/** A code for any text, without the warning that the text may be too long. */
const CODE: JobStep = {
  ...QR,
  pinned: { ...QR.pinned, input_schema: { content: { type: 'string', required: true } } },
}
const NAMED: Flow = {
  ...SUMMARY_AND_QR,
  name: 'Summarise and QR',
  steps: { ...SUMMARY_AND_QR.steps, qr: CODE },
}
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/
/** A summary, and a QR code of it after a person's approval. */
const APPROVED: Flow = {
  ...flowOf(
    { article: { type: 'string', required: true } },
    { summary: SUMMARY, ok: { kind: 'approval', question: 'Print it?' }, qr: CODE },
    [
      'input.article > summary.text',
      'summary.summary > ok.value',
      'ok.approved > qr.content',
      'qr.svg > output.code',
    ],
  ),
  name: 'Approved',
}

let crypto: EvmCrypto
let platform: RunPlatform
let folder: string
let secrets: string[]

beforeAll(async () => {
  crypto = await loadEvmCrypto()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farebox-runs-'))
  platform = await startRunPlatform(crypto, systemClock)
  secrets = [KEY.slice(2)]
  platform.agents.set('summarize', () => ({ output: { summary: 'Short.', links: ['https://x.example'] } }))
})

afterEach(async () => {
  await platform.close()
  await rm(folder, { recursive: true, force: true })
})

/** In every test: no key, no token and no payment reaches a screen, and no output moves a cursor. */
async function flow(words: readonly string[], options: Partial<TestWorldOptions> = {}) {
  const { world, out, err, everything, questions } = createTestWorld({
    folder,
    variables: { FAREBOX_PRIVATE_KEY: KEY, FAREBOX_PLATFORM: platform.url },
    ...options,
  })
  const code = await runCli(['flow', ...words], world)
  for (const text of await journalTexts())
    for (const [secret] of text.matchAll(/[\w+/=-]{43,}/g)) if (!ID.test(secret)) secrets.push(secret)
  for (const secret of secrets) expect(everything()).not.toContain(secret)
  if (options.live !== true) expect(out() + err()).not.toMatch(/(?!\n)\p{Cc}/u)
  return { code, out: out(), err: err(), questions }
}

async function run(document: Flow, words: readonly string[], options: Partial<TestWorldOptions> = {}) {
  await writeFile(join(folder, 'flow.json'), JSON.stringify(document))
  return await flow(['run', 'flow.json', ...words], options)
}

async function journalTexts(): Promise<readonly string[]> {
  const runs = join(folder, '.home', 'runs')
  const names = await readdir(runs).catch(() => [])
  return await Promise.all(names.map(name => readFile(join(runs, name), 'utf8')))
}

async function journalled(): Promise<{ readonly [key: string]: unknown }> {
  const [text = '{}', ...others] = await journalTexts()
  expect(others).toEqual([])
  return JSON.parse(text) as { readonly [key: string]: unknown }
}

/** Each once. */
function charges() {
  return platform.charges.map(({ key, amount }) => `${key} ${amount}`)
}

describe('farebox flow run', () => {
  test('shows what is paid and a line for each step; only the output is on stdout', async () => {
    const { code, out, err } = await run(NAMED, [...ARTICLE, '--max-total', '0.05'])
    expect([code, out]).toEqual([0, '{"summary":"Short.","code":"svg of it"}\n'])
    expect(err.replace(ID, '<id>').replace(/in [\d.]+ s/, 'in <time>'))
      .toBe(`Summarise and QR   at ${platform.url}

  summary  Worker · summarize     0.010000
  qr       Worker · encode        0.005000
  total                           0.015000 USDC on Base Sepolia or a local chain (eip155:84532)
  from     ${PAYER}  FAREBOX_PRIVATE_KEY

  run <id>

  ✓ summary  Worker · summarize    1.2 s    0.010000
  ✓ link     pick
  ✓ qr       Worker · encode       1.2 s    0.005000

✓ completed in <time>   paid 0.015 USDC of 0.05
`)
    expect(charges()).toEqual(['summary 0.01', 'qr 0.005'])
  })

  test('--json is one document', async () => {
    const { code, out } = await run(NAMED, [...ARTICLE, '--max-total', '0.05', '--json'])
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { ok: true, status: 'completed', paid: '0.015', output: { code: 'svg of it' }, steps: [{}, {}, {}] },
    ])
  })

  test('asks the person to agree to the prices, and for missing inputs', async () => {
    const { code, questions } = await run(NAMED, [], { answers: ['Long.', true] })
    expect(code).toBe(0)
    expect(questions).toEqual(['article (string)', 'Sign 2 payments and run it, for 0.015 USDC at most?'])
    expect(charges()).toHaveLength(2)
  })

  test('signs nothing when the person says no', async () => {
    const { code, err } = await run(NAMED, ARTICLE, { answers: [false] })
    expect([code, err]).toEqual([1, expect.stringContaining('✗ not run\n  nothing was signed\n')])
    expect(await journalTexts()).toEqual([])
  })

  test('removes the lines of running steps again on a terminal', async () => {
    const { code, err } = await run(NAMED, [...ARTICLE, '--max-total', '0.05'], { live: true })
    expect(code).toBe(0)
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    const moves = /(?:\r(?:\u001b\[1A\u001b\[2K)+|\u001b\[\d+m)/g
    expect(err.replace(moves, '')).toMatch(/✓ qr +Worker · encode +1\.2 s +0\.005000\n\n✓ completed/)
    expect(err).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]\S* summary/)
  })

  test.each([
    [
      'without a terminal and --max-total',
      ARTICLE,
      2,
      'the flow can cost 0.015 USDC, and there is no terminal',
    ],
    ['without an input that it needs', ['--max-total', '1'], 2, 'the flow’s input "article" must be given'],
    ['with an unknown input', ['--max-total', '1', '--input', 'artikle=x'], 2, 'did you mean "article"?'],
    [
      'with an input twice',
      ['--max-total', '1', ...ARTICLE, ...ARTICLE],
      2,
      '--input article is given twice',
    ],
    ['with an input that is no pair', ['--max-total', '1', '--input', 'Long.'], 2, 'like --input name=value'],
    ['with a limit that is none', ['--max-total', 'all', ...ARTICLE], 2, '--max-total: must be a decimal'],
    [
      'with another order of signing',
      ['--sign', 'never', '--max-total', '1', ...ARTICLE],
      2,
      '--sign must be',
    ],
    [
      'that costs more than it may',
      ['--max-total', '0.01', ...ARTICLE],
      1,
      'the flow can cost 0.015 USDC, more than 0.01',
    ],
  ])('a flow %s is not run', async (_, words, expected, message) => {
    const { code, err } = await run(NAMED, words)
    expect([code, err]).toEqual([expected, expect.stringContaining(message)])
    expect([await journalTexts(), charges()]).toEqual([[], []])
  })

  test('reads inputs from a file too; those of the command line override it', async () => {
    const inputs: unknown[] = []
    platform.agents.set('summarize', input => {
      inputs.push(input)
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    await writeFile(join(folder, 'input.json'), JSON.stringify({ article: 'From the file.' }))
    await run(NAMED, ['--input-file', 'input.json', '--max-total', '1'])
    await run(NAMED, ['--input-file', '-', '--max-total', '1', ...ARTICLE], {
      input: '{"article": "From it."}',
    })
    expect(inputs).toMatchObject([{ text: 'From the file.' }, { text: 'Long.' }])
  })

  test('shows the errors of a flow and does not run it', async () => {
    const { code, err } = await run({ ...NAMED, wires: NAMED.wires.slice(1) }, [
      ...ARTICLE,
      '--max-total',
      '1',
    ])
    expect(code).toBe(1)
    expect(err).toContain('✗ summary.text')
    expect(err).toContain('✗ the flow cannot be run as it is\n')
    expect(platform.seen).toEqual(['POST /v1/flows/check'])
  })

  test('leaves nothing behind when the platform refuses the start', async () => {
    platform.refuses = 'payments: not today'
    await writeFile(join(folder, 'flow.json'), JSON.stringify(NAMED))
    const { code, err } = await flow(['run', 'flow.json', ...ARTICLE, '--max-total', '1'])
    expect([code, err]).toEqual([1, expect.stringContaining('✗ payments: not today\n  nothing was signed')])
    expect(await journalTexts()).toEqual([])
  })
})

describe('a run that does not end by itself', () => {
  test('a failed step shows what was paid, what may be charged, and how to continue; resume uses the same payment', async () => {
    platform.agents.set('encode', (_, attempt) =>
      attempt === 1 ? { error: 'out of\u001b[31m ink' } : { output: { svg: 'drawn' } },
    )
    const { code, err } = await run(NAMED, [...ARTICLE, '--max-total', '0.05'])
    expect(code).toBe(3)
    const { runId } = await journalled()
    const id = String(runId).slice(0, 8)
    expect(err).toMatch(
      / {2}✗ qr +Worker · encode +0\.005000 {2}may be charged until [\d:]{8}: out of·\[31m ink\n\n/,
    )
    expect(err).toMatch(
      new RegExp(
        `✗ qr failed and may still be charged: out of.*\\n {2}paid 0\\.01 USDC, up to 0\\.005 more may be charged until .*\\n {2}farebox flow resume ${id} asks for it again, with the same payment\\n`,
      ),
    )
    const again = await flow(['resume'])
    expect([again.code, again.out]).toEqual([0, '{"summary":"Short.","code":"drawn"}\n'])
    expect(charges()).toEqual(['summary 0.01', 'qr 0.005'])
  })

  test('a step that was charged without a result is paid again only with --pay-again', async () => {
    platform.agents.set('encode', () => ({ error: 'out of ink', charged: true }))
    const { code, err } = await run(NAMED, [...ARTICLE, '--max-total', '0.05'])
    expect([code, err]).toEqual([1, expect.stringContaining('was charged, and gave nothing: out of ink')])
    platform.agents.delete('encode')
    expect((await flow(['resume'])).code).toBe(1)
    expect(charges()).toHaveLength(2)
    expect((await flow(['resume', '--pay-again'])).code).toBe(0)
    expect(charges()).toEqual(['summary 0.01', 'qr 0.005', 'qr 0.005'])
  })

  test('a person at the terminal is asked, and can postpone the answer', async () => {
    const later = await run(APPROVED, [...ARTICLE, '--max-total', '0.05'], { answers: ['later'] })
    expect([later.code, later.questions]).toEqual([3, ['Print it?']])
    expect(later.err).toContain('\n    Short.\n')
    const { code, questions } = await flow(['resume'], { answers: ['approve'] })
    expect([code, questions]).toEqual([0, ['Print it?']])
    expect(charges()).toEqual(['summary 0.01', 'qr 0.005'])
  })

  test('is answered by a command when no person is at the terminal', async () => {
    const { code, err } = await run(APPROVED, [...ARTICLE, '--max-total', '0.05'])
    const id = String((await journalled())['runId']).slice(0, 8)
    expect([code, err]).toEqual([
      3,
      expect.stringContaining(`farebox flow answer ${id} ok --approve, or --decline`),
    ])
    expect((await flow(['answer', id, 'ok'])).code).toBe(2)
    const answered = await flow(['answer', id, 'ok', '--decline'])
    expect([answered.code, answered.out]).toEqual([0, expect.stringContaining('– qr')])
    expect(charges()).toEqual(['summary 0.01'])
  })

  test('continues at the platform after Ctrl-C', async () => {
    const stop = new AbortController()
    platform.agents.set('encode', () => {
      stop.abort()
      return undefined
    })
    const { code, err } = await run(NAMED, [...ARTICLE, '--max-total', '0.05'], { signal: stop.signal })
    expect([code, err]).toEqual([130, expect.stringContaining('✗ stopped: the run goes on without us\n')])
    expect(err).toMatch(/farebox flow resume [0-9a-f]{8} follows it, farebox flow pause/)
    expect((await journalled())['state']).toBe('open')
  })

  test('is paused, shown, resumed and cancelled', async () => {
    platform.agents.set('summarize', async () => {
      expect((await flow(['pause'])).out).toContain('Summarise and QR   paused   run ')
      return { output: { summary: 'Short.', links: ['https://x.example'] } }
    })
    const { code, err } = await run(NAMED, [...ARTICLE, '--max-total', '0.05'])
    expect([code, err]).toEqual([3, expect.stringContaining('✗ the run was paused')])
    await expect.poll(charges).toHaveLength(1)
    const shown = await flow(['show'])
    expect(shown.out).toMatch(
      /paused .*\n\n.*✓ summary.*\n.*✓ link.*\n.*· qr.*\n\n {2}paid 0\.01 USDC of 0\.05\n/,
    )
    const cancelled = await flow(['cancel', String((await journalled())['runId'])])
    expect([cancelled.code, cancelled.out]).toEqual([0, expect.stringContaining('cancelled')])
    const file = await journalled()
    expect(file).toMatchObject({ state: 'cancelled', paid: '0.01' })
    expect(Object.keys(file)).not.toContain('payments')
  })

  test('is described by --json while it waits', async () => {
    const { out } = await run(APPROVED, [...ARTICLE, '--max-total', '0.05', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      run_id: expect.stringMatching(ID),
      error: { type: 'person', next: expect.stringContaining('farebox flow answer') },
      status: 'waiting',
      paid: '0.01',
      waiting: [{ for: 'person', step: 'ok' }],
    })
  })
})

describe('farebox flow list and show', () => {
  test('show the runs started on this machine, those that have not ended first', async () => {
    await run(APPROVED, [...ARTICLE, '--max-total', '0.05'])
    await run(NAMED, [...ARTICLE, '--max-total', '0.05'])
    const { out, err } = await flow(['list'])
    expect(out).toMatch(
      /^Runs\n {2}[0-9a-f]{8} {2}open {7}Approved .*\n {2}[0-9a-f]{8} {2}completed {2}Summarise and QR +0\.015 USDC .*\n$/,
    )
    expect(err).toContain('farebox login shows what you have saved and run elsewhere')
    expect(JSON.parse((await flow(['list', '--json'])).out)).toMatchObject({
      started_here: [{ state: 'open' }, { state: 'completed', paid: '0.015' }],
    })
  })

  test('show saved flows and all runs of a signed-in owner', async () => {
    const at = 1_800_000_000
    platform.also = (request, { authorization }) => {
      if (authorization !== 'Bearer abc') return undefined
      if (request.startsWith('GET /v1/flows?'))
        return {
          flows: [{ flow_id: newId(), name: 'Mine', jobs: 2, price: '0.015', changed_at: at, broken: true }],
          next_cursor: null,
        }
      if (!request.startsWith('GET /v1/me/runs?')) return undefined
      const line = {
        flow_id: null,
        name: 'Elsewhere',
        status: 'waiting',
        paid: '0',
        max_total: '1',
        created_at: at,
        changed_at: at,
      }
      return { runs: [{ ...line, run_id: newId() }], next_cursor: null }
    }
    await sessionFile(join(folder, '.home'), platform.url).write({
      version: 1,
      platform: platform.url,
      address: PAYER.toLowerCase(),
      token: 'abc',
      expiresAt: 4_000_000_000,
    })
    const { out } = await flow(['list'])
    expect(out).toMatch(
      /^Flows .*\n {2}Mine +2 jobs +0\.015 USDC .*! has a problem to fix\n\nRuns\n.*waiting +Elsewhere/,
    )
  })

  test.each([
    [['show'], 1, 'no run was started here'],
    [['show', 'abcd'], 2, 'no run "abcd" was started here'],
    [['show', '../x'], 2, 'is no run id'],
    [['show', '3f8a2c1e-9b4d-4f6a-8c2b-1d5e7f9a0b3c'], 1, 'nobody is signed in at'],
  ])('%j finds no run', async (words, expected, message) => {
    const { code, err } = await flow(words)
    expect([code, err]).toEqual([expected, expect.stringContaining(message)])
  })
})

function newId(): string {
  return globalThis.crypto.randomUUID()
}
