import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePort } from '@farebox/local/src/processes/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goOutside, type Outside } from './stage/installed/outside.ts'
import { openTerminal, type Terminal } from './stage/installed/terminal.ts'

let outside: Outside
let terminal: Terminal
let folder: string
let port: number

beforeAll(async () => {
  outside = await goOutside()
  folder = outside.folder
  port = await findFreePort()
  terminal = openTerminal({ folder: () => folder, environment: outside.environment })
})
afterAll(async () => {
  await terminal.close()
  await outside.strike()
})

test('a new user gets from an empty folder to a paid job, and to an agent in production', async () => {
  await initAndServe()
  await seeATypeError()
  await bePaid()
  await goIntoProduction()
  await expect(plain(terminal.transcript())).toMatchFileSnapshot('transcripts/newcomer.txt')
})

test('the project is valid, its types match its declaration, and editors find its schema', async () => {
  expect(await outside.run('npx', ['farebox', 'validate'], { folder })).toMatchObject({
    code: 0,
    out: expect.stringContaining('My agent'),
  })
  expect(await outside.run('npx', ['farebox', 'types', '--check'], { folder })).toMatchObject({ code: 0 })
  const { $schema } = JSON.parse(await readFile(join(folder, 'agent.json'), 'utf8')) as { $schema: string }
  expect(JSON.parse(await readFile(join(folder, $schema), 'utf8'))).toHaveProperty('properties')
})

test('its Dockerfile installs the runtime without the CLI', async () => {
  const image = join(outside.folder, 'image')
  await mkdir(image)
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(folder, file), join(image, file))
  const { code, err } = await outside.run('npm', ['ci', '--omit=dev'], { folder: image })
  expect({ code, err }, 'without a warning').toEqual({ code: 0, err: '' })
  expect(await readdir(join(image, 'node_modules', '@farebox'))).toEqual([
    'contracts',
    'payments',
    'protocol',
  ])
})

test('names that contain code are treated as names', async () => {
  const words = [
    '--name',
    `*/ "Größe" \u2028 \${HOME} \`id\` 🎉\n; rm -rf`,
    '--description',
    `</script>\n# not a heading\n'); injected() //`,
    '--capability',
    `it's "a" */ 👩‍🚀\\`,
    '--price',
    '0.5',
  ]
  const made = await outside.run('npx', ['--yes', '@farebox/cli', 'init', 'hostile', ...words])
  expect(made).toMatchObject({ code: 0, err: '' })
  const hostile = join(outside.folder, 'hostile')
  // It needs the same as the other project.
  await symlink(join(folder, 'node_modules'), join(hostile, 'node_modules'))
  expect(await outside.run('npx', ['farebox', 'validate'], { folder: hostile })).toMatchObject({
    code: 0,
    err: '',
  })
  expect(await outside.run('npm', ['run', 'check'], { folder: hostile })).toMatchObject({ code: 0, err: '' })
  expect(await outside.run('npm', ['test'], { folder: hostile })).toMatchObject({ code: 0 })
})

async function initAndServe(): Promise<void> {
  expect((await terminal.type('npx --yes @farebox/cli init my-agent --yes')).code).toBe(0)
  folder = join(folder, 'my-agent')
  expect((await terminal.type('npm install --silent')).code).toBe(0)

  const dev = terminal.open(`npx farebox dev --port ${port}`)
  await dev.sees(/npx farebox call http.*\n\n/)
  expect((await terminal.type(curl('Exact fare, please'))).text).toContain('"words":3')
  await dev.sees(/completed job=.*\n/)

  terminal.note('writes the price with a comma')
  await edit('agent.json', '"amount": "0.001"', '"amount": "0,001"')
  expect(await dev.sees(/still serving[^\n]*\n/)).toContain('agent.json:')
  expect((await terminal.type(curl('still there'))).text).toContain('"words":2')
  await dev.sees(/completed job=.*\n/)

  terminal.note('writes it with a point, and another price')
  await edit('agent.json', '"amount": "0,001"', '"amount": "0.002"')
  await dev.sees(/0\.002 USDC[\s\S]*agent\.d\.ts written[^\n]*\n/)
  expect(await dev.ends('SIGINT')).toBe(0)
}

async function seeATypeError(): Promise<void> {
  terminal.note('returns a text where a number was promised')
  await edit('handlers.ts', 'words: words.length,', 'words: `${words.length}`,')
  const { code, text } = await terminal.type('npm run --silent check')
  expect(code).not.toBe(0)
  expect(text).toMatch(/handlers\.ts.*error TS2\d{3}/)
  terminal.note('fixes it')
  await edit('handlers.ts', 'words: `${words.length}`,', 'words: words.length,')
  expect((await terminal.type('npm run --silent check')).code).toBe(0)
  expect((await terminal.type('npm test --silent | grep " [pf]a[is][sl] "')).text).toMatch(/^[#ℹ] fail 0$/m)
}

async function bePaid(): Promise<void> {
  expect(await terminal.type(`npx farebox dev --paid --port ${port}`)).toMatchObject({
    code: 1,
    text: expect.stringContaining('npm install --save-dev @farebox/local'),
  })
  expect((await terminal.type('npm install --silent --save-dev @farebox/local')).code).toBe(0)
  const dev = terminal.open(`npx farebox dev --paid --port ${port}`)
  await dev.sees(/npx farebox call http.*\n\n/)
  const paid = await terminal.type(
    `npx farebox call http://127.0.0.1:${port} count --text "Exact fare, please" --max-price 0.01`,
  )
  expect(paid).toMatchObject({ code: 0, text: expect.stringContaining('"words":3') })
  expect(await dev.sees(/agent +[\d.]+ USDC \(\+[^\n]*\n/)).toContain('settled')
  expect(await dev.ends('SIGINT')).toBe(0)
}

async function goIntoProduction(): Promise<void> {
  const refused = await terminal.type('npx farebox start')
  expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('SERVICE_DEV_MODE') })
  terminal.note('fills in .env')
  await writeFile(
    join(folder, '.env'),
    [
      'AGENT_WALLET_ADDRESS=0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
      'SERVICE_DEV_MODE=false',
      'SERVICE_STORE=lmdb:.farebox/jobs',
      `PORT=${port}`,
      '',
    ].join('\n'),
  )
  const start = terminal.open('npx farebox start')
  await start.sees(/paid to 0x[\s\S]*FACILITATOR_SECRET is not set[^\n]*\n/)
  expect((await terminal.type(`curl -s localhost:${port}/health`)).text).toContain('"status":"ok"')
  const asked = await terminal.type(`${curl('Exact fare, please')} -o /dev/null -w '%{http_code}\\n'`)
  expect(asked.text).toBe('402\n')
  expect(await start.ends('SIGTERM')).toBe(0)
}

/** The command that `farebox init` shows, with a separate job each time. */
function curl(text: string): string {
  const body = {
    service_version: '1.0',
    job_id: crypto.randomUUID(),
    task: { input: { text } },
    deadline: 4_102_444_800,
  }
  return `curl -s localhost:${port}/execute -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  expect(text).toContain(from)
  await writeFile(path, text.replace(from, to))
}

/** The parts that differ between runs. */
function plain(transcript: string): string {
  return (
    inOrder(transcript)
      // Node 24 reports tests to a pipe in the same format as to a terminal.
      .replaceAll(/^ℹ /gm, '# ')
      // `dev` prints this line only if stopping takes long.
      .replaceAll(/^ *waiting for the jobs in flight; .*\n/gm, '')
      // So does a start whose parts take more than ten seconds.
      .replaceAll(/^ {2}(?:chain|facilitator|agent): .*, \d+ s\n/gm, '')
      .replaceAll(/^still loading: .*\n/gm, '')
      .replaceAll(outside.folder, '~')
      .replaceAll(String(port), '3000')
      // The columns are as wide as the longest port, which depends on the ports that are free.
      .replaceAll(/127\.0\.0\.1:(?!3000)\d+ {2,}/g, '127.0.0.1:<port>   ')
      .replaceAll(/127\.0\.0\.1:(?!3000)\d+/g, '127.0.0.1:<port>')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, '<job>')
      .replaceAll(/(?<=· )[0-9a-f]{6}…[0-9a-f]{4}/g, '<job>')
      .replaceAll(/ {3,}(?=[\d.]+ USDC)/g, '   ')
      .replaceAll(/0x[0-9a-f]{64}/g, '<transaction>')
      .replaceAll(/0x[0-9a-f]{4}…[0-9a-f]{4}(?= in block)/g, '<transaction>')
      .replaceAll(/ *\b\d+(?:\.\d+)? m?s\b/g, ' <time>')
      .replaceAll(/\bms=\d+/g, 'ms=<n>')
      .replaceAll(/"completed_at":\d+/g, '"completed_at":<time>')
      .replaceAll(/duration_ms [\d.]+/g, 'duration_ms <n>')
      .replaceAll(/block \d+/g, 'block <n>')
  )
}

/** The log of a paid job and the trace of its money are sent separately: the log is shown first in any case. */
function inOrder(transcript: string): string {
  return transcript.replace(
    /(?:^(?:execute|[a-z ]+ (?:ms=\d+ )?job=| {4,}(?:job|verified|ran|200|payer)).*\n)+/gm,
    lines => {
      const all = lines.trimEnd().split('\n')
      const isTrace = (line: string): boolean => line.startsWith('    ')
      return [...all.filter(line => !isTrace(line)), ...all.filter(isTrace), ''].join('\n')
    },
  )
}
