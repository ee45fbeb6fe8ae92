import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseConfig } from 'farebox/src/config/parse-config'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createCompileFolder } from '../../testing/compile-folder.ts'
import { hostileText } from '../../testing/hostile-declarations.ts'
import { declarationOf, DEFAULT_AGENT, refuseAnswer, type NewAgent } from './new-agent.ts'
import { projectFiles } from './project-files.ts'
import { readProjectVersions, type ProjectVersions } from './project-versions.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const readRoot = async (path: string): Promise<string> => await readFile(root + path, 'utf8')

let versions: ProjectVersions
beforeAll(async () => {
  versions = await readProjectVersions()
})

/** The texts of a project by their paths; the service is called `service`, whatever the agent is called. */
async function filesOf(agent: NewAgent): Promise<{ readonly [path: string]: string }> {
  const files = await projectFiles(agent, versions)
  return Object.fromEntries(files.map(({ path, text }) => [path.replace(/^.*\.service$/, 'service'), text]))
}

describe('a project', () => {
  test('D30 .env.example names every variable, and contains no wallet and no secret', async () => {
    const { '.env.example': text = '' } = await filesOf(DEFAULT_AGENT)
    const [, table = ''] = (await readRoot('docs/operating-an-agent.md')).split('## The environment')
    const documented = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name)
    const named = [...text.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(documented.length).toBeGreaterThan(9)
    expect([...named].sort()).toEqual([...documented].sort())
    expect(text).toMatch(/^AGENT_WALLET_ADDRESS=$/m)
    expect(text).toMatch(/^FACILITATOR_SECRET=$/m)
    expect(text).toMatch(/^SERVICE_DEV_MODE=false$/m)
  })

  test('installs the versions that this repository is tested with', async () => {
    const manifest = JSON.parse(await readRoot('package.json')) as {
      readonly devDependencies: { readonly [name: string]: string }
    }
    const { typescript, '@types/node': nodeTypes } = manifest.devDependencies
    expect(versions).toMatchObject({ devDependencies: { typescript, '@types/node': nodeTypes } })
    for (const version of Object.values({ ...versions.dependencies, ...versions.devDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test('the package name differs from the names of everything in it', async () => {
    for (const name of ['Farebox', 'tsx', 'TypeScript']) {
      const { 'package.json': text = '' } = await filesOf({ ...DEFAULT_AGENT, name })
      expect(JSON.parse(text)).toMatchObject({ name: `${name.toLowerCase()}-agent` })
    }
  })

  test('neither Docker nor git gets the secrets', async () => {
    const files = await filesOf(DEFAULT_AGENT)
    for (const ignore of ['.gitignore', '.dockerignore'])
      expect(files[ignore]?.split('\n')).toEqual(expect.arrayContaining(['.env', '.env.*']))
  })
})

describe('untrusted names and descriptions', () => {
  const hostile: fc.Arbitrary<NewAgent> = fc
    .record({ name: hostileText, description: hostileText, capability: hostileText, does: hostileText })
    .map(texts => ({ ...DEFAULT_AGENT, ...texts }))
    .filter(agent =>
      (['name', 'description', 'capability', 'does'] as const).every(
        key => refuseAnswer(key, agent[key]) === undefined,
      ),
    )

  test('are data in JSON, and change only their own line in other files', async () => {
    const plain = await filesOf({ ...DEFAULT_AGENT, name: 'Zebra' })
    await fc.assert(
      fc.asyncProperty(hostile, async agent => {
        const files = await filesOf(agent)
        expect(parseConfig('agent.json', files['agent.json'] ?? '')).toEqual(declarationOf(agent))
        const { name, ...manifest } = JSON.parse(files['package.json'] ?? '') as { readonly name: string }
        expect(name).toMatch(/^[a-z][a-z0-9-]{0,66}$/)
        expect(manifest).toMatchObject({ description: agent.description, private: true })
        for (const path of ['service', 'Dockerfile'])
          expect(files[path]).toBe(plain[path]?.replaceAll('zebra', name))
        expect(files['README.md']?.split('\n').length).toBe(plain['README.md']?.split('\n').length)
      }),
      { numRuns: 100 },
    )
  })

  test('the compiler accepts what is written', async () => {
    const folder = await createCompileFolder()
    const agents = fc.sample(hostile, { seed: 7, numRuns: 40 })
    for (const [index, agent] of [DEFAULT_AGENT, ...agents].entries()) {
      const files = await filesOf(agent)
      // All in one folder, because the compiler takes a second each time it starts.
      for (const path of ['agent.d.ts', 'handlers.ts', 'agent.test.ts']) {
        const text = (files[path] ?? '').replaceAll(/'\.\/(agent\.d|handlers)\.ts'/g, `'./p${index}-$1.ts'`)
        await folder.write(`p${index}-${path}`, text)
      }
    }
    await folder.write(
      'broken.ts',
      `import handlers from './p0-handlers.ts'\nexport const wrong: 7 = handlers\n`,
    )
    const errors = await folder.compile()
    await folder.remove()
    expect(errors).toMatchObject([{ file: 'broken.ts', line: 2 }])
  })
})
