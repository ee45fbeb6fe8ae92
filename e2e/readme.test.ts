import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setStage, type Stage } from './stage/stage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
// Inside e2e, so that the snippets find the packages as a user's project would.
const tried = join(root, 'e2e', '.readme')

let readme: string
let stage: Stage

beforeAll(async () => {
  readme = await readFile(join(root, 'README.md'), 'utf8')
  stage = await setStage()
  await mkdir(tried, { recursive: true })
})

afterAll(async () => {
  await rm(tried, { recursive: true, force: true })
  await stage.strike()
})

/** The code block after a comment that names it. */
function block(name: string): string {
  const found = new RegExp(`<!-- ${name.replaceAll('.', '\\.')} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(
    readme,
  )?.[1]
  if (found === undefined) throw new Error(`README.md has no block named ${name}`)
  return found
}

/** Only the README of the runtime shows how to create an agent in TypeScript. */
async function createAgentShown(): Promise<string> {
  const text = await readFile(join(root, 'packages', 'farebox', 'README.md'), 'utf8')
  return /```ts\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
}

test('every file and folder that README links to exists', async () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(10)
  for (const path of links) expect(existsSync(join(root, path)), path).toBe(true)
})

function run(
  command: string,
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: root, env: { ...process.env, ...environment } })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.on('error', reject)
    child.on('close', code => resolve({ code, output }))
  })
}

test('the agent in TypeScript matches the README of the runtime', async () => {
  expect(block('try: create-agent')).toBe(await createAgentShown())
})

test('the TypeScript in README compiles', async () => {
  await writeFile(join(tried, 'create-agent.ts'), await createAgentShown())
  await writeFile(join(tried, 'client.ts'), block('try: client'))
  await writeFile(
    join(tried, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.tests.json',
      compilerOptions: { noPropertyAccessFromIndexSignature: false },
      include: [],
      files: ['create-agent.ts', 'client.ts'],
    }),
  )
  const { code, output } = await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', tried])
  expect(output).toBe('')
  expect(code).toBe(0)
})

test('the TypeScript agent in README listens', async () => {
  const shown = (await createAgentShown()).replace(
    'await agent.listen()',
    `console.log('serving', await agent.listen())\nawait agent.close()`,
  )
  await writeFile(join(tried, 'create-agent.ts'), shown)
  const { output } = await run(process.execPath, ['--import', 'tsx', join(tried, 'create-agent.ts')], {
    AGENT_WALLET_ADDRESS: TEST_KEYS.agent.address,
    SERVICE_DEV_MODE: 'true',
    SERVICE_STORE: 'memory:',
    PORT: '0',
  })
  expect(output).toMatch(/serving \d+/)
})

test('the client in README pays', async () => {
  const facilitator = await stage.facilitator()
  const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
  const { url } = await stage.agent({
    config: 'examples/text-statistics/agent.json',
    name: 'readme',
    facilitator,
    secret,
    store: 'memory:',
  })
  await writeFile(join(tried, 'client.ts'), block('try: client').replace('http://localhost:3001', url))
  const { code, output } = await run(process.execPath, ['--import', 'tsx', join(tried, 'client.ts')], {
    PAYER_KEY: TEST_KEYS.payer.privateKey,
  })
  expect(output).toMatch(/words: 2[\s\S]*0x[0-9a-f]{64}/)
  expect(code).toBe(0)
})
