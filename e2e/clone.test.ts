import { copyFile, cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChild } from '@farebox/local/src/processes/child-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { goOutside, type Outside } from './stage/installed/outside.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The additional package that `dev --paid` needs until the packages are on npm. */
const INSTALL_LOCAL = 'npm install --save-dev ./vendor/local/*.tgz'

let outside: Outside
let folder: string

beforeAll(async () => {
  // None of our packages is published: only third-party packages are available.
  outside = await goOutside({ published: false })
  folder = join(outside.folder, 'my agent')
})
afterAll(() => outside.strike())

/** A block of README, line by line. */
async function shown(name: string): Promise<readonly string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, text] = new RegExp(`<!-- try: ${name} -->\\n\`{3}\\w*\\n([^]*?)\\n\`{3}`).exec(readme) ?? []
  if (text === undefined) throw new Error(`README.md has no block ${name}`)
  return text.split('\n')
}

/** The source of our packages. */
async function sourcesOfOurs(): Promise<readonly (string | undefined)[]> {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    readonly packages: { readonly [path: string]: { readonly resolved?: string } }
  }
  const ours = Object.entries(lock.packages).filter(([path]) =>
    /node_modules\/(@farebox\/|farebox$)/.test(path),
  )
  return ours.map(([, { resolved }]) => resolved)
}

test('a clone creates a project outside of it, which installs only third-party packages and passes its tests', async () => {
  const [init = '', enter, ...then] = await shown('init')
  expect([enter, ...then]).toEqual(['cd ../my-agent', 'npm install', INSTALL_LOCAL, 'npx farebox dev --paid'])
  // The same line, with the path filled in.
  const line = init.replace('../my-agent', `'${folder}'`)
  const made = await outside.run('sh', ['-c', line], { folder: root })
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining('vendor/') })
  // As a relative path, if that is shorter.
  expect(made.out).toMatch(/^ *cd '.*\/my agent'$/m)

  const installed = await outside.run('npm', ['install'], { folder })
  expect({ ...installed, out: '' }, 'without a warning').toEqual({ code: 0, out: '', err: '' })
  const sources = await sourcesOfOurs()
  expect(sources).toHaveLength(9)
  for (const source of sources) expect(source).toMatch(/^file:vendor\/farebox-.*\.tgz$/)
  expect(await outside.run('npm', ['test'], { folder })).toMatchObject({ code: 0 })
  expect(await outside.run('npm', ['run', 'check'], { folder })).toMatchObject({ code: 0, err: '' })
  expect(await outside.run('npx', ['farebox', 'types', '--check'], { folder })).toMatchObject({ code: 0 })
})

test('a project created from a clone can be moved, serves its page in free dev mode, and answers a call', async () => {
  const moved = join(outside.folder, 'elsewhere')
  await rename(folder, moved)
  folder = moved
  let url: string | undefined
  const dev = await startChild({
    command: 'node_modules/.bin/farebox',
    arguments: ['dev', '--port', '0', '--page-port', '0'],
    folder,
    environment: outside.environment,
    readReady: line => {
      url ??= /(http:\/\/127\.0\.0\.1:\d+).*payments are off/.exec(line)?.[1]
      return /^ {2}page +(http:\S+)$/.exec(line)?.[1]
    },
  })
  try {
    const document = await (await fetch(dev.ready)).text()
    const script = await fetch(`${dev.ready}${/src="(\/assets\/[^"]+\.js)"/.exec(document)?.[1] ?? '/none'}`)
    expect(script.headers.get('content-type')).toMatch(/javascript/)
    await script.body?.cancel()
    const words = ['farebox', 'call', url ?? '', 'count', '--text', 'Exact fare']
    expect(await outside.run('npx', words, { folder })).toMatchObject({
      code: 0,
      out: expect.stringContaining('"words":2'),
    })
  } finally {
    await dev.stop()
  }
})

test('the files that its Dockerfile copies before the install are sufficient, and the CLI is not installed', async () => {
  const image = join(outside.folder, 'image')
  const dockerfile = await readFile(join(folder, 'Dockerfile'), 'utf8')
  const ignored = (await readFile(join(folder, '.dockerignore'), 'utf8')).split('\n')
  await mkdir(image)
  expect(dockerfile).toContain('COPY package.json package-lock.json ./\nCOPY vendor ./vendor\nRUN npm ci')
  for (const file of ['package.json', 'package-lock.json'])
    await copyFile(join(folder, file), join(image, file))
  await cp(join(folder, 'vendor'), join(image, 'vendor'), {
    recursive: true,
    filter: source => !ignored.some(line => line !== '' && source === join(folder, line)),
  })
  const { code, err } = await outside.run('npm', ['ci', '--omit=dev'], { folder: image })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(await readdir(join(image, 'node_modules', '@farebox'))).toEqual([
    'contracts',
    'payments',
    'protocol',
  ])
  expect(await readdir(join(image, 'vendor'))).not.toContain('local')
})

test('dev --paid names the package to install from the clone; then the call in README pays as shown', async () => {
  const refused = await outside.run('npx', ['farebox', 'dev', '--paid'], { folder })
  const [install = ''] = /npm install \S+ \S+/.exec(refused.err) ?? []
  expect(install).toBe(INSTALL_LOCAL)
  const installed = await outside.run('sh', ['-c', install], { folder })
  expect({ ...installed, out: '' }, 'without a warning').toEqual({ code: 0, out: '', err: '' })
  for (const source of await sourcesOfOurs()) expect(source).toMatch(/^file:vendor\//)

  const dev = await startChild({
    command: 'node_modules/.bin/farebox',
    arguments: ['dev', '--paid', '--port', '0'],
    folder,
    environment: outside.environment,
    readReady: line => /(http:\/\/127\.0\.0\.1:\d+).*payments are on/.exec(line)?.[1],
  })
  try {
    const [call = ''] = await shown('call')
    const paid = await outside.run('sh', ['-c', call.replace('http://localhost:3000', dev.ready)], { folder })
    const [output, charged = ''] = await shown('call-output')
    expect(paid).toMatchObject({ code: 0, out: `${output}\n`, err: expect.stringContaining(charged) })
  } finally {
    await dev.stop()
  }
})

test('the agent starts in paid mode and asks for a payment', async () => {
  const environment = {
    AGENT_WALLET_ADDRESS: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    SERVICE_DEV_MODE: 'false',
    PORT: '0',
  }
  await writeFile(
    join(folder, '.env'),
    Object.entries(environment)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const start = await startChild({
    command: 'node_modules/.bin/farebox',
    arguments: ['start'],
    folder,
    environment: outside.environment,
    readReady: line => /http:\/\/\S+?:(\d+)/.exec(line)?.[1],
  })
  try {
    const answer = await fetch(`http://127.0.0.1:${start.ready}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ task: { capability: 'count' } }),
    })
    expect(answer.status).toBe(402)
  } finally {
    await start.stop()
  }
})
